use loopx_safety::{Local, PublicText, Showcase};

fn publish(_: PublicText<Showcase>) {}

fn main() {
    let _ = PublicText::<Local>::purged();
    publish(PublicText::<Local>::purged()); // neighbour: publish(PublicText::<Showcase>::purged());
}
