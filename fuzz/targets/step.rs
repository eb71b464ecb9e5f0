//! One step of the screen by itself: the one that the binary is named after, `step_path` for `path`.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loopx_safety::{Step, TierKind, screen};

const MAX: usize = 100_000;

static STEP: LazyLock<Step> = LazyLock::new(|| {
    let name = env!("CARGO_BIN_NAME").strip_prefix("step_");
    Step::ALL.into_iter().find(|step| Some(step.as_str()) == name).expect("a step of this name")
});

fuzz_target!(|text: &str| {
    let find = |tier| STEP.find(text, tier, MAX);
    let found = [TierKind::Local, TierKind::Showcase].map(|tier| (tier, find(tier)));
    for (tier, refusal) in &found {
        assert_eq!(find(*tier), *refusal, "the second look says something else");
        let Some(refusal) = refusal else { continue };
        let columns = &refusal.columns;
        let end = text.chars().count().max(1) + 1;
        assert!(1 <= columns.start && columns.start < columns.end && columns.end <= end, "{columns:?}");
        assert!(screen(text, *tier, MAX).is_err(), "{tier:?}: a step refuses what the screen lets pass");
    }
    let [(_, local), (_, showcase)] = found;
    assert!(local.is_none() || showcase.is_some(), "the narrower tier lets it pass");
});
