use loopx_safety::Private;

fn needs_serialize<T: serde::Serialize>(_: T) {}

fn main() {
    needs_serialize(Private::new("said in a session"));
}
