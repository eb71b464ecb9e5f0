use loopx_safety::Private;

fn needs_serialize<T: serde::Serialize>(_: T) {}

fn main() {
    let value = Private::new(String::from("said in a session"));
    needs_serialize(value); // neighbour: needs_serialize(value.expose().len());
}
