use loopx_core::text::LogText;
use loopx_safety::PublicText;

fn main() {
    let _ = LogText { text: String::from("said in a session") }; // neighbour: let _ = LogText { text: PublicText::purged() };
    let _: Option<PublicText> = None;
}
