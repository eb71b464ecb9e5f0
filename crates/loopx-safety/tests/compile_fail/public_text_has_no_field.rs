use loopx_safety::{Local, PublicText};

fn main() {
    let _ = PublicText::<Local> { text: "unscreened".into(), tier: std::marker::PhantomData }; // neighbour: let _ = PublicText::<Local>::new("screened");
}
