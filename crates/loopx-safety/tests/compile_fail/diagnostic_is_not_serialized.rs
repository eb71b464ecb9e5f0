use loopx_safety::Diagnostic;

fn needs_serialize<T: serde::Serialize>(_: T) {}

fn main() {
    needs_serialize(Diagnostic::typed("what the caller typed"));
}
