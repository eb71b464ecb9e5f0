use loopx_safety::{Local, PublicText, Showcase};

fn main() {
    let text = PublicText::<Local>::purged();
    let _: Result<PublicText<Showcase>, _> = text.try_into(); // neighbour: let _: Result<PublicText<Showcase>, _> = text.as_str().try_into();
}
