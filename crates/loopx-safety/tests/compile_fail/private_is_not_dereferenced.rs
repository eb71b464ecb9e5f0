use loopx_safety::Private;

fn main() {
    let value = Private::new(String::from("said in a session"));
    let _: &str = &*value; // neighbour: let _: &str = value.expose();
}
