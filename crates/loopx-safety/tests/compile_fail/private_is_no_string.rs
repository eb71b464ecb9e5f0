use loopx_safety::Private;

fn main() {
    let value = Private::new(String::from("said in a session"));
    let _: String = value.into(); // neighbour: let _: String = value.into_exposed().into();
}
