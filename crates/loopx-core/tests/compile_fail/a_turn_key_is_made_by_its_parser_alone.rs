use loopx_core::TurnKey;

fn main() {
    let _ = TurnKey(String::from("said in a session")); // neighbour: let _ = TurnKey::parse("said in a session");
}
