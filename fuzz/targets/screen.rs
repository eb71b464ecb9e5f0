//! What is accepted stays accepted: in the wider tier, normalised, and with what it stands for decoded.
#![no_main]

use std::fmt::Write as _;

use libfuzzer_sys::fuzz_target;
use loopx_safety::{Step, TierKind, screen};
use unicode_normalization::UnicodeNormalization as _;

const MAX: usize = 100_000;

fuzz_target!(|text: &str| {
    for tier in [TierKind::Showcase, TierKind::Local] {
        if screen(text, tier, MAX).is_ok() {
            accepted(text, tier);
        } else if [text.to_owned(), text.nfc().collect(), text.nfkc().collect()].iter().any(|plain| is_seen(plain, tier)) {
            refused(text, tier);
        }
    }
});

/// Whether a text is refused for what it says as it stands: what is encoded already may lie as deep as is looked.
fn is_seen(text: &str, tier: TierKind) -> bool {
    let mut steps = Step::ALL.into_iter().filter(|step| !matches!(step, Step::Length | Step::Decode));
    steps.any(|step| step.find(text, tier, MAX).is_some())
}

fn accepted(text: &str, tier: TierKind) {
    assert!(screen(text, TierKind::Local, MAX).is_ok(), "the wider tier refuses {text:?}");
    for plain in [text.nfc().collect::<String>(), text.nfkc().collect()] {
        assert!(screen(&plain, tier, MAX).is_ok(), "{tier:?}: {text:?} is refused as {plain:?}");
    }
}

/// What is refused is refused in every encoding too.
fn refused(text: &str, tier: TierKind) {
    let mut encoded = vec![percent(text), entities(text), escapes(text)];
    if is_text(text) {
        encoded.extend([base64(text), hex(text)].into_iter().filter(|token| TOKEN.contains(&token.len())));
    }
    for encoded in encoded {
        assert!(screen(&encoded, tier, MAX).is_err(), "{tier:?}: {text:?} passes as {encoded:?}");
    }
}

/// The lengths of a token that is decoded: see `decode`.
const TOKEN: std::ops::RangeInclusive<usize> = 8..=4096;

/// What a token is held to stand for: what has control characters, or little ASCII, is taken for noise.
fn is_text(text: &str) -> bool {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    !text.chars().any(char::is_control) && ascii * 4 >= text.chars().count() * 3
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

fn entities(text: &str) -> String {
    text.chars().map(|c| format!("&#{};", u32::from(c))).collect()
}

fn escapes(text: &str) -> String {
    text.chars().map(|c| format!("\\u{{{:x}}}", u32::from(c))).collect()
}

fn hex(text: &str) -> String {
    text.bytes().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for group in text.as_bytes().chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(group.get(at).copied().unwrap_or(0)));
        let digits = (0..=group.len()).map(|at| DIGITS[(bits >> (18 - 6 * at) & 63) as usize]);
        encoded.extend(digits.map(char::from));
    }
    encoded
}
