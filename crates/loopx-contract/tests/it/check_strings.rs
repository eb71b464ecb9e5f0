//! Check 5: nothing private in any string or key, at the tier of public fixtures.

use loopx_contract::check::{Code, Flags, MAX_DEPTH, MAX_NODES, Options, Severity, check, screen_all};
use loopx_safety::{HandleKind, InstallKey, TierKind};
use serde_json::{Value, json};

use crate::cases::{assert_errors, codes, mutated, showcase};
use crate::{cases::To, changes};

/// A test string that looks like a live key, put together at run time.
fn secret() -> String {
    format!("gh{}_{}", 'p', "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5")
}

fn handle() -> String {
    InstallKey::from_bytes([7; 32], "0123456789abcdef").handle(HandleKind::Session, "pi", "x").to_string()
}

#[test]
fn failing_examples() {
    let said = |text: String| mutated([("s.next_action", To::Set(text.into()))]);
    let action = "s.next_action";
    let mut deep = json!("x");
    for _ in 0..=MAX_DEPTH {
        deep = json!([deep]);
    }
    let bottom = format!("/notes{}", "/0".repeat(MAX_DEPTH - 1));
    assert_errors(
        5,
        &[
            ("a credential", said(format!("use {}", secret())), Code::UnsafeText, action),
            ("a home path", said("see /home/someone/notes.md".into()), Code::UnsafeText, action),
            ("a path of Windows", said(r"see C:\Users\someone\notes.md".into()), Code::UnsafeText, action),
            ("a path of the project", said("edit src/main.rs".into()), Code::UnsafeText, action),
            ("a link", said("read https://wiki.corp.example/page".into()), Code::UnsafeText, action),
            ("a mail address", said(format!("ask someone{}corp.example", '@')), Code::UnsafeText, action),
            ("an address", said("restart 10.20.30.40".into()), Code::UnsafeText, action),
            ("several lines", said("user: fix it\nassistant: done".into()), Code::UnsafeText, action),
            ("an invisible character", said("ad\u{200b}vance".into()), Code::UnsafeText, action),
            ("a page of text", said("advance it ".repeat(40)), Code::UnsafeText, action),
            ("a handle", changes!["r.session_id" = (handle())], Code::HandleInShowcase, "r.session_id"),
            ("a handle in a text", said(format!("go on in {}.", handle())), Code::HandleInShowcase, action),
            (
                "a path in a scope",
                changes!["b.read_scope" = ["/srv/data/**"]],
                Code::UnsafeText,
                "b.read_scope/0",
            ),
            (
                "a path in a field of no contract",
                changes!["/notes" = {"a": ["/root/x"]}],
                Code::UnsafeText,
                "/notes/a/0",
            ),
            ("a key that is a path", changes!["/notes" = {"/home/someone/x": 1}], Code::UnsafeKey, "/notes"),
            (
                "a key that is a handle",
                changes!["/notes" = {(handle()): 1}],
                Code::HandleInShowcase,
                "/notes",
            ),
            (
                "transcripts said",
                changes!["b.raw_transcripts_copied" = true],
                Code::FlagDisagrees,
                "b.raw_transcripts_copied",
            ),
            (
                "credentials said",
                changes!["b.credentials_copied" = true],
                Code::FlagDisagrees,
                "b.credentials_copied",
            ),
            (
                "paths said",
                changes!["b.private_paths_copied" = true],
                Code::FlagDisagrees,
                "b.private_paths_copied",
            ),
            (
                "paths unsaid",
                said("see /home/someone/x".into()),
                Code::FlagDisagrees,
                "b.private_paths_copied",
            ),
            ("credentials unsaid", said(secret()), Code::FlagDisagrees, "b.credentials_copied"),
            (
                "a flag gone",
                changes!["b.credentials_copied" = gone],
                Code::MissingField,
                "b.credentials_copied",
            ),
            (
                "a flag in words",
                changes!["b.private_paths_copied" = "no"],
                Code::WrongType,
                "b.private_paths_copied",
            ),
            ("too deep", changes!["/notes" = deep], Code::TooDeep, &bottom),
            ("too large", changes!["/notes" = (vec![0; MAX_NODES])], Code::TooLarge, "/notes"),
        ],
    );
}

#[test]
fn flags_are_computed_from_every_string_and_behind_the_first_find() {
    let text = format!("see /home/someone/x then {} and\nmore", secret());
    let report = showcase(&changes!["/notes" = [text]]);
    let all = Flags { raw_transcripts_copied: true, credentials_copied: true, private_paths_copied: true };
    assert_eq!(report.flags, all);
    let project = showcase(&changes!["s.next_action" = "edit src/main.rs"]);
    assert_eq!(project.flags, Flags::default());
}

#[test]
fn stated_flags_that_agree_do_not_disagree() {
    let value = changes!["b.private_paths_copied" = true, "s.next_action" = "see /home/someone/x"];
    assert_eq!(codes(&showcase(&value), 5, Severity::Error), [Code::UnsafeText]);
}

#[test]
fn the_local_tier_allows_handles_and_paths_of_the_project() {
    let value = changes!["r.session_id" = (handle()), "s.next_action" = "edit src/main.rs"];
    assert_eq!(check(&value, &Options::new(TierKind::Local)).findings, []);
}

#[test]
fn columns_count_from_the_start_of_the_text() {
    let value = changes!["s.latest_validation" = "äö\nsee /home/someone/x"];
    let report = showcase(&value);
    let columns: Vec<_> = report
        .findings
        .iter()
        .filter_map(|finding| finding.refusal.as_ref())
        .map(|r| r.columns.clone())
        .collect();
    assert_eq!(columns, [3..4, 8..23]);
}

#[test]
fn unknown_fields_are_warned_of_by_name_if_that_may_be_said() {
    let report = showcase(&changes!["s.mood" = "calm"]);
    assert!(report.findings.iter().any(|finding| finding.pointer == "/first_screen/mood"));
    assert_eq!(codes(&report, 5, Severity::Warning), [Code::UnknownField]);
}

#[test]
fn no_finding_holds_the_text() {
    let canary = "canary7q";
    let path = format!("/home/{canary}/x");
    let path = path.as_str();
    let value = changes![
        "/goal_id" = (format!("{canary} x")), "/agent_id" = path, "r.runtime_id" = path, "r.session_id" = path,
        "l.run_id" = path, "l.todo_id" = path, "s.waiting_on" = canary, "s.next_action" = path,
        "s.open_user_todo" = canary, "s.gate_state" = path, "b.mode" = canary,
        "/notes" = {(path): {(path): [path]}, "b": [(format!("{}\n{canary}", secret()))]},
    ];
    for tier in [TierKind::Showcase, TierKind::Local] {
        let report = serde_json::to_string(&check(&value, &Options::new(tier))).unwrap();
        assert!(!report.contains(canary), "{report}");
        assert!(!report.contains(&secret()), "{report}");
    }
}

#[test]
fn a_flood_of_findings_is_cut_off() {
    let many: Vec<String> = (0..5_000).map(|n| format!("/home/someone/{n}")).collect();
    let report = showcase(&changes!["/notes" = many]);
    assert!(report.findings.len() < 300);
    assert!(report.flags.private_paths_copied);
}

#[test]
fn a_value_as_deep_as_memory_does_not_overflow() {
    let mut deep = json!({});
    for _ in 0..100_000 {
        deep = Value::Array(vec![deep]);
    }
    let report = showcase(&deep);
    assert_eq!(codes(&report, 5, Severity::Error), [Code::TooDeep]);
    // Dropping it would recurse.
    std::mem::forget(deep);
}

#[test]
fn what_several_projections_share_is_screened_as_if_each_were_alone() {
    // Longer than a text may be, and not longer than an action.
    let long = "advance it ".repeat(30).trim().to_owned();
    let private = "see /home/someone/notes.md";
    let set = |field, text: &str| mutated([(field, To::Set(text.into()))]);
    let values = [
        set("s.next_action", &long),
        set("s.latest_validation", &long),
        set("s.next_action", &long),
        set("s.next_action", private),
        set("s.latest_validation", private),
        set("s.next_action", private),
    ];
    let found = values.each_ref().map(|value| screen_all(value, TierKind::Local).refused);
    assert_eq!(found, [0, 1, 0, 1, 1, 1]);
}
