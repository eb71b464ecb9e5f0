use loopx_contract::FirstScreen;
use loopx_safety::{ActionText, Local, Showcase};

fn set(screen: &mut FirstScreen<Showcase>, local: ActionText<Local>) {
    screen.next_action = local; // neighbour: screen.next_action = ActionText::purged();
}

fn main() {
    let _ = set;
}
