//! A word that was mistyped, and the one that may be meant.

/// From this many letters on, a word may be the beginning of another one, or have a wrong letter.
const SHORTEST: usize = 3;

/// How many letters there are to each that may be wrong; one may be in any case.
const LETTERS: usize = 4;

/// The name that a word may be meant for: one of which it is the beginning, or that differs in a few letters from it, as
/// a whole or up to its first mark.
pub fn similar<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = typed.to_ascii_lowercase();
    let letters = lower.chars().count();
    let most = if letters < SHORTEST { 0 } else { (letters / LETTERS).max(1) };
    let away = |name: &str| {
        let name = name.to_ascii_lowercase();
        let first = name.split(['_', '-', '.']).next().unwrap_or_default();
        let distance = strsim::osa_distance(&lower, &name).min(strsim::osa_distance(&lower, first));
        let begins = letters >= SHORTEST && name.starts_with(&lower);
        (begins || distance <= most).then_some(distance)
    };
    let near = names.into_iter().filter(|name| *name != typed).filter_map(|name| Some((away(name)?, name)));
    near.min_by_key(|(away, _)| *away).map(|(_, name)| name)
}

/// The question before a way out.
pub fn did_you_mean(name: &str) -> String {
    format!("did you mean {name}? ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_known_and_another_word_is_not() {
        let names = ["codex_cli_tui", "claude_code", "custom_worker", "handbook"];
        for (typed, meant) in [
            ("claud", Some("claude_code")),
            ("cluade_code", Some("claude_code")),
            ("cluade", Some("claude_code")),
            ("codex", Some("codex_cli_tui")),
            ("handbok", Some("handbook")),
            ("Handbook", Some("handbook")),
            ("custom-worker", Some("custom_worker")),
            ("claude_worker", None),
            ("nowhere", None),
            ("nightly_build", None),
            ("no", None),
            ("", None),
        ] {
            assert_eq!(similar(typed, names), meant, "{typed}");
        }
    }
}
