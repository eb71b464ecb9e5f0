use loopx_safety::{Local, PublicText};

fn main() {
    let _: PublicText<Local> = "unscreened".into(); // neighbour: let _: Result<PublicText<Local>, _> = "screened".try_into();
}
