//! What passes the whole screen and what does not.

use super::*;

const MAX: usize = 240;

fn class(text: &str, tier: TierKind) -> Option<Class> {
    screen(text, tier, MAX).err().map(|refusal| refusal.class)
}

#[test]
fn clean_text_passes_in_both_tiers() {
    for text in [
        "pushed commit 7fae2d4019e617627341070933f44fd0f86815e4 to main",
        "v3.22.6-beta.2",
        "2026-11-29T23:31:11Z",
        "quota for gpt-5.4 resets at 12:30",
        "switch worker to claude-opus-4",
        "fix main.rs, Cargo.toml and package.json",
        "token usage 12k",
        "password reset page works",
        "accuracy ±3 %, naïve café",
        "公开 Engine 重构：7 个合并 PR",
        "run `loopx doctor`: damaged",
        "24 h, 100 %, e.g. this.That",
        "and/or, read/write",
        "[purged]",
        "todo_0123456789abcdefghjkmnpqrs blocks gate_0123456789abcdefghjkmnpqrs",
        "[P1] Move the handoff into its own context.",
    ] {
        assert_eq!(class(text, TierKind::Showcase), None, "{text}");
        assert_eq!(class(text, TierKind::Local), None, "{text}");
    }
}

#[test]
fn each_class_is_named() {
    for (text, expected) in [
        ("", Class::Empty),
        ("  ", Class::Empty),
        ("a\nb", Class::MultiLine),
        ("a\u{1b}b", Class::Control),
        ("see /home/x/y", Class::Path),
        ("see https://a.example/x", Class::Url),
        ("ping api.example.com now", Class::Host),
        ("ask bob@acme.example", Class::Mail),
        ("at 10.0.0.5", Class::Ip),
        ("65026ddb-fe8d-47d1-aacd-3248a271c8ed", Class::Uuid),
    ] {
        assert_eq!(class(text, TierKind::Local), Some(expected), "{text}");
    }
    assert_eq!(class(&"long ".repeat(60), TierKind::Local), Some(Class::TooLong));
    assert_eq!(
        class(&format!("{}{}", "gh", "p_abcdefghij0123456789"), TierKind::Local),
        Some(Class::Credential)
    );
    assert_eq!(class(&"0a1b2c3d".repeat(4), TierKind::Local), Some(Class::HighEntropy));
}

#[test]
fn a_text_that_is_refused_once_it_is_composed_is_refused() {
    // Composed, the last letter makes a mail address of it.
    let text = "a(jo?tte@d?<tte@tBuS.%33333.n\u{30c}a llddddte@d?<S";
    assert!(class(text, TierKind::Showcase).is_some());
}

#[test]
fn a_relative_path_is_local() {
    assert_eq!(class("fix src/main.rs", TierKind::Local), None);
    assert_eq!(class("fix src/main.rs", TierKind::Showcase), Some(Class::Path));
}

#[test]
fn columns_count_characters() {
    let refusal = screen("日本 /home/x", TierKind::Local, MAX).unwrap_err();
    assert_eq!((refusal.class, refusal.columns), (Class::Path, 4..11));
}

#[test]
fn a_long_line_of_one_kind_ends() {
    // Each of these was read over and over by some step, or would be by a careless one.
    for unit in [
        "key=",
        "&#x",
        "\\u{00",
        "%25",
        "eyJ",
        "sk-",
        "a_b-",
        "1.1.1.1.",
        "localhost:",
        "https://",
        "a@b.",
        "::",
        "~",
        "n\u{30c}a ",
        "\u{301}",
        "\u{fdfa}",
        "todo_0123456789abcdef ",
        "\"",
        "((",
        "--",
        "/a",
        "… ",
    ] {
        let text = unit.repeat(60_000 / unit.len());
        for step in Step::ALL {
            let _any = step.find(&text, TierKind::Showcase, usize::MAX);
        }
        let _any = screen(&text, TierKind::Showcase, usize::MAX);
    }
}

#[test]
fn a_value_is_found_behind_a_long_one_that_holds_names() {
    let text = format!("{} password={}", "key=".repeat(2000), "hun".to_owned() + "ter2x9");
    let refusal = Step::Assigned.find(&text, TierKind::Local, usize::MAX);
    assert_eq!(refusal.map(|refusal| refusal.class), Some(Class::Credential));
}

#[test]
fn what_passed_once_is_screened_as_if_it_had_not() {
    // Longer than a text may be, and not longer than an action; of the project, and not for the showcase.
    let long = "advance it ".repeat(30).trim().to_owned();
    let asked = [
        (long.as_str(), TierKind::Local, 400),
        (&long, TierKind::Local, MAX),
        ("fix crates/core/src", TierKind::Local, MAX),
        ("fix crates/core/src", TierKind::Showcase, MAX),
        ("see /home/x/y", TierKind::Local, MAX),
    ];
    let answers = || asked.map(|(text, tier, max)| screen(text, tier, max).map_err(|refusal| refusal.class));
    let first = answers();
    assert_eq!(first, [Ok(()), Err(Class::TooLong), Ok(()), Err(Class::Path), Err(Class::Path)]);
    assert_eq!(answers(), first);
}
