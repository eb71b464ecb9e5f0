use loopx_safety::{Local, PublicText};

fn main() {
    let _ = PublicText::<Local>::screened("unscreened".into()); // neighbour: let _ = PublicText::<Local>::new("screened");
}
