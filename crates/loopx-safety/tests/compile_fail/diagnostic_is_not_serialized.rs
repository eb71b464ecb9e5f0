use loopx_safety::Diagnostic;

fn needs_serialize<T: serde::Serialize>(_: T) {}

fn main() {
    let typed = Diagnostic::typed("what the caller typed");
    needs_serialize(typed); // neighbour: needs_serialize(typed.as_str());
}
