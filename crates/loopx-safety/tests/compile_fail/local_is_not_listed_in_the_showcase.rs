use loopx_safety::{Local, PublicText, Showcase};

fn main() {
    let texts = [PublicText::<Local>::purged()].into_iter();
    let _: Option<PublicText<Showcase>> = None;
    let _: Vec<PublicText<Showcase>> = texts.collect(); // neighbour: let _: Vec<PublicText<Local>> = texts.collect();
}
