use loopx_safety::{Local, PublicText};

fn main() {
    let mut text = PublicText::<Local>::purged();
    text.clone_from(&PublicText::purged());
    text.as_mut().push_str("unscreened"); // neighbour: text.to_string().push_str("of its own");
}
