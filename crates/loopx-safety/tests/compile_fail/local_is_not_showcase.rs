use loopx_safety::{Local, PublicText, Showcase};

fn publish(_: PublicText<Showcase>) {}

fn main() {
    publish(PublicText::<Local>::purged());
}
