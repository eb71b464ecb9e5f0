use loopx_contract::Projection;
use loopx_safety::Showcase;

fn publish(_: &Projection<Showcase>) {}

fn show(local: &Projection, showcase: &Projection<Showcase>) {
    publish(local); // neighbour: publish(showcase);
}

fn main() {
    let _ = show;
}
