use loopx_safety::Private;

fn main() {
    let value = Private::new(String::from("said in a session"));
    let _ = format!("{value}"); // neighbour: let _ = format!("{value:?}");
}
