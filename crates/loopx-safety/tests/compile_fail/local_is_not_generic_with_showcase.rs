use loopx_safety::{Local, PublicText, Showcase, Tier};

fn pair<T: Tier>(_: PublicText<T>, _: PublicText<T>) {}

fn main() {
    let local = PublicText::<Local>::purged();
    let showcase = PublicText::<Showcase>::purged();
    pair(local, showcase); // neighbour: pair(local, showcase.into());
}
