//! What is accepted stays accepted: in the wider tier, normalised, and with its escapes decoded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopx_safety::{Step, TierKind, screen};
use unicode_normalization::UnicodeNormalization as _;

const MAX: usize = 100_000;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for step in Step::ALL {
        if let Some(refusal) = step.find(text, TierKind::Local, MAX) {
            assert!(refusal.columns.start >= 1 && refusal.columns.start < refusal.columns.end);
        }
    }
    for tier in [TierKind::Showcase, TierKind::Local] {
        if screen(text, tier, MAX).is_err() {
            continue;
        }
        assert!(screen(text, TierKind::Local, MAX).is_ok(), "the wider tier refuses {text:?}");
        for plain in [text.nfc().collect::<String>(), text.nfkc().collect()] {
            assert!(screen(&plain, tier, MAX).is_ok(), "{tier:?}: {text:?} is refused as {plain:?}");
        }
        for encoded in [percent(text), entities(text)] {
            // What is clean may be refused for being encoded; it must not be the other way round.
            let _ = screen(&encoded, tier, MAX);
        }
    }
});

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

fn entities(text: &str) -> String {
    text.chars().map(|c| format!("&#{};", u32::from(c))).collect()
}
