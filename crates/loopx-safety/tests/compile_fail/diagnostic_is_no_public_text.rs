use loopx_safety::{Diagnostic, Local, PublicText};

fn main() {
    let typed = Diagnostic::typed("what the caller typed");
    let _ = PublicText::<Local>::try_from(typed); // neighbour: let _ = PublicText::<Local>::try_from(typed.as_str());
}
