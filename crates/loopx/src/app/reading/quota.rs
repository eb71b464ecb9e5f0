//! How a person reads a quota.

use loopx_core::quota::Quota;

/// A quota on one line.
pub fn in_words(quota: &Quota) -> String {
    let limits = [("turns", quota.turns), ("minutes", quota.minutes), ("tokens", quota.tokens)];
    let words: Vec<String> =
        limits.iter().filter_map(|(unit, limit)| limit.map(|limit| format!("{limit} {unit}"))).collect();
    if words.is_empty() {
        return "no limit".to_owned();
    }
    format!("{} in {}", words.join(", "), length(quota.window_minutes))
}

/// A length in its largest whole unit.
pub fn length(minutes: u32) -> String {
    match minutes {
        0 => "0m".to_owned(),
        whole if whole.is_multiple_of(24 * 60) => format!("{}d", whole / (24 * 60)),
        whole if whole.is_multiple_of(60) => format!("{}h", whole / 60),
        odd => format!("{odd}m"),
    }
}
