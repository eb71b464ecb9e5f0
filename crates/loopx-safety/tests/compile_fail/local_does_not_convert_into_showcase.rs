use loopx_safety::{Local, PublicText, Showcase};

fn main() {
    let _ = PublicText::<Showcase>::from(PublicText::<Local>::purged()); // neighbour: let _ = PublicText::<Local>::from(PublicText::<Showcase>::purged());
}
