use loopx_safety::{Handle, HandleKind};

fn main() {
    let _ = Handle { kind: HandleKind::Session, body: *b"said-in-a-session-00000000" }; // neighbour: let _ = (HandleKind::Session, Handle::parse("said-in-a-session-00000000"));
}
