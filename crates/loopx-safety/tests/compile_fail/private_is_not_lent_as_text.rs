use loopx_safety::Private;

fn needs_text<T: AsRef<str>>(_: T) {}

fn main() {
    let value = Private::new(String::from("said in a session"));
    needs_text(value); // neighbour: needs_text(value.into_exposed());
}
