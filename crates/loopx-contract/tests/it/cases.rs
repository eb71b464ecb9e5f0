//! Mutations of the contract's own JSON.

use loopx_contract::check::{Code, Finding, Options, Report, Severity, check};
use loopx_safety::TierKind;
use serde_json::Value;

/// The JSON of the contract document.
pub const CONTRACT: &str = include_str!("../contract.json");

/// What a mutation writes in the place of a value.
pub enum To {
    /// This value.
    Set(Value),
    /// Nothing: the member goes.
    Gone,
}

/// Shorthands of the pointers that are mutated most.
pub fn long(pointer: &str) -> String {
    match pointer.split_once('.') {
        Some(("r", name)) => format!("/runtime/{name}"),
        Some(("l", name)) => format!("/loopx_refs/{name}"),
        Some(("s", name)) => format!("/first_screen/{name}"),
        Some(("b", name)) => format!("/first_screen/boundary/{name}"),
        _ => pointer.to_owned(),
    }
}

/// The contract's JSON with some members set or gone.
pub fn mutated<'a>(changes: impl IntoIterator<Item = (&'a str, To)>) -> Value {
    let mut value: Value = serde_json::from_str(CONTRACT).unwrap();
    for (pointer, to) in changes {
        let pointer = long(pointer);
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = value.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        match to {
            To::Set(to) => drop(parent.insert(name.to_owned(), to)),
            To::Gone => drop(parent.remove(name)),
        }
    }
    value
}

/// `changes!["r.session_id" = null, "s.gate_state" = gone]`.
#[macro_export]
macro_rules! changes {
    (@to gone) => { $crate::cases::To::Gone };
    (@to $($value:tt)+) => { $crate::cases::To::Set(serde_json::json!($($value)+)) };
    ($($pointer:literal = $value:tt),* $(,)?) => {
        $crate::cases::mutated([$(($pointer, $crate::changes!(@to $value))),*])
    };
}

/// At the tier of public fixtures.
pub fn options() -> Options {
    Options::new(TierKind::Showcase)
}

/// The report at the tier of public fixtures.
pub fn showcase(value: &Value) -> Report {
    check(value, &options())
}

/// The codes of one check and severity.
pub fn codes(report: &Report, check: u8, severity: Severity) -> Vec<Code> {
    let of = |finding: &&Finding| finding.check == check && finding.severity == severity;
    report.findings.iter().filter(of).map(|finding| finding.code).collect()
}

/// One failing example: what it is, the projection, the code and the pointer it must give.
pub type Case<'a> = (&'a str, Value, Code, &'a str);

/// Each case is an error of this check, with its code and place; at least ten are asked for.
#[track_caller]
pub fn assert_errors(check: u8, cases: &[Case<'_>]) {
    assert!(cases.len() >= 10, "{} cases", cases.len());
    for (name, value, code, pointer) in cases {
        let report = showcase(value);
        let pointer = long(pointer);
        let found = report.findings.iter().any(|finding| {
            (finding.check, finding.code, finding.severity) == (check, *code, Severity::Error)
                && finding.pointer == pointer
        });
        assert!(found, "{name}: no {code:?} at {pointer} in {:#?}", report.findings);
        assert!(!report.is_accepted(), "{name}");
    }
}
