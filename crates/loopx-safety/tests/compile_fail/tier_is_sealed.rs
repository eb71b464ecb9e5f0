use loopx_safety::{Tier, TierKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Anything {}

impl Tier for Anything {
    const KIND: TierKind = TierKind::Local;
}

fn main() {}
