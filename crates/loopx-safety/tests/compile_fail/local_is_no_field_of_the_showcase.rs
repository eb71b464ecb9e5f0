use loopx_safety::{Local, PublicText, Showcase};

struct Page {
    title: PublicText<Showcase>,
}

fn main() {
    let title = PublicText::<Local>::purged();
    let _ = |page: Page| page.title;
    let _ = &title;
    let _ = Page { title }; // neighbour: let _ = Page { title: PublicText::purged() };
}
