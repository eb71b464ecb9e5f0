use loopx_safety::{PublicText, Showcase, Tier, TierKind};

enum Anything {}

fn main() {
    let _ = (<Showcase as Tier>::KIND, TierKind::Showcase, None::<Anything>);
    let _ = PublicText::<Anything>::new("unscreened"); // neighbour: let _ = PublicText::<Showcase>::new("screened");
}
