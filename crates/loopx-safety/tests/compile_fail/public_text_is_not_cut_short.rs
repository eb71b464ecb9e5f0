use loopx_safety::{ActionText, Local, PublicText};

fn main() {
    let _: PublicText<Local> = ActionText::<Local>::purged().into(); // neighbour: let _: ActionText<Local> = PublicText::<Local>::purged().into();
}
