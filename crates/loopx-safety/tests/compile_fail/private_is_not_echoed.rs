use loopx_safety::{Diagnostic, Private};

fn main() {
    let value = Private::new(String::from("said in a session"));
    let _ = &value;
    let _ = Diagnostic::typed(&value); // neighbour: let _ = Diagnostic::typed("typed in this call");
}
