use loopx_safety::Private;

fn needs_borrow<T: std::borrow::Borrow<str>>(_: T) {}

fn main() {
    let value = Private::new(String::from("said in a session"));
    needs_borrow(value); // neighbour: needs_borrow(value.into_exposed());
}
