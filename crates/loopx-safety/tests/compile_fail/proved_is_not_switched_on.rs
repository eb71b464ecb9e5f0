use loopx_safety::text::stored;

fn main() {
    stored::PROVED.set(true); // neighbour: stored::proved(|| ());
}
