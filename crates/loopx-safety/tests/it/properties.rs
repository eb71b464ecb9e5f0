//! What holds of every text.

use loopx_safety::{ActionText, Local, PublicText, Showcase, Step, TierKind, escape, screen};
use proptest::prelude::*;

/// Words with the marks that the steps look for, and any characters.
fn texts() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z]{1,9}",
        "[A-Za-z0-9._/@:=~-]{1,40}",
        "\\PC{1,6}",
        ".{1,6}",
        Just("src/main.rs".to_owned()),
        Just("12:30".to_owned()),
        "[0-9a-f]{7,40}",
    ];
    prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn an_accepted_text_is_one_visible_line_and_round_trips(text in texts()) {
        if let Ok(public) = PublicText::<Local>::new(&text) {
            prop_assert_eq!(public.as_str(), &text);
            prop_assert!(!text.chars().any(char::is_control));
            prop_assert!(text.chars().count() <= 240 && !text.trim().is_empty());
            let json = serde_json::to_string(&public).unwrap();
            prop_assert_eq!(&serde_json::from_str::<PublicText>(&json).unwrap(), &public);
            prop_assert!(ActionText::<Local>::new(&text).is_ok());
        }
    }

    #[test]
    fn what_the_showcase_accepts_is_accepted_locally(text in texts()) {
        if PublicText::<Showcase>::new(&text).is_ok() {
            prop_assert!(PublicText::<Local>::new(&text).is_ok());
        }
    }

    #[test]
    fn a_refusal_points_into_the_text(text in texts()) {
        if let Err(refusal) = screen(&text, TierKind::Showcase, 60) {
            let chars = text.chars().count();
            prop_assert!(refusal.columns.start >= 1 && refusal.columns.start < refusal.columns.end);
            prop_assert!(refusal.columns.end <= chars.max(1) + 1);
        }
    }

    #[test]
    fn an_escaped_text_moves_no_cursor(text in ".*") {
        let escaped = escape(&text);
        prop_assert!(!escaped.chars().any(char::is_control));
        prop_assert_eq!(escape(&escaped), escaped.as_ref());
    }
}

#[test]
fn every_step_has_a_fuzz_target() {
    let targets = include_str!("../../../../fuzz/Cargo.toml");
    let of = |step: Step| format!("name = \"step_{}\"\npath = \"targets/step.rs\"\n", step.as_str());
    let without: Vec<Step> = Step::ALL.into_iter().filter(|step| !targets.contains(&of(*step))).collect();
    assert_eq!(without, []);
    assert_eq!(targets.matches("path = \"targets/step.rs\"").count(), Step::ALL.len());
}
