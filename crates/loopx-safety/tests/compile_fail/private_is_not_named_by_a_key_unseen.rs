use loopx_safety::{HandleKind, InstallKey, Private};

fn main() {
    let value = Private::new(String::from("said in a session"));
    let key = InstallKey::from_bytes([0; 32], "i");
    let _ = key.handle(HandleKind::Session, "codex_exec", &value); // neighbour: let _ = key.handle(HandleKind::Session, "codex_exec", value.expose());
}
