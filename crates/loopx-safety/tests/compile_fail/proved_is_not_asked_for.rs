use loopx_safety::text::stored;

fn main() {
    stored::is_proved(); // neighbour: stored::proved(|| ());
}
