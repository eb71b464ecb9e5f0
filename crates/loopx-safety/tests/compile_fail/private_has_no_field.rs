use loopx_safety::Private;

fn main() {
    let value = Private::new(String::from("said in a session"));
    let _ = value.0; // neighbour: let _ = value.into_exposed();
}
