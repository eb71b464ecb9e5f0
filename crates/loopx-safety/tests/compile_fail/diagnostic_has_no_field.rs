use loopx_safety::Diagnostic;

fn main() {
    let _ = Diagnostic(String::from("what nobody escaped")); // neighbour: let _ = Diagnostic::typed("what the caller typed");
}
