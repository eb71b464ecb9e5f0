use loopx_safety::{Diagnostic, Handle, HandleKind, InstallKey};

fn main() {
    let read = String::from("said in a session");
    let handle: Handle = InstallKey::from_bytes([0; 32], "i").handle(HandleKind::File, "codex_exec", &read);
    let _ = Diagnostic::runtime_file(&read, handle); // neighbour: let _ = Diagnostic::runtime_file("rollout", handle);
}
