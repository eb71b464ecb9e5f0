use jiff::SignedDuration;

use super::*;

fn now() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

/// As recorded from 2.1.332, with other fields around.
fn input(session: &str, five: &str, seven: &str) -> String {
    format!(
        "{{\"session_id\":\"{session}\",\"model\":{{\"id\":\"m\"}},\"rate_limits\":{{\
         \"five_hour\":{{\"used_percentage\":{five},\"resets_at\":1796057607}},\
         \"seven_day\":{{\"used_percentage\":{seven},\"resets_at\":1796448607}}}},\"cost\":{{}}}}"
    )
}

fn told(five: &str, seconds_ago: i64) -> Windows {
    let at = now() - SignedDuration::from_secs(seconds_ago);
    Windows::read(input("one", five, "40").as_bytes(), at).unwrap()
}

#[test]
fn both_windows_are_told_with_their_resets() {
    let windows = Windows::read(input("one", "25.5", "100").as_bytes(), now()).unwrap();
    assert_eq!((windows.runtime, windows.session.as_str()), (Runtime::ClaudeCode, "one"));
    let shown: Vec<_> = windows
        .limits
        .iter()
        .map(|limit| (limit.window, limit.used_basis_points, limit.window_minutes, limit.is_used_up()))
        .collect();
    assert_eq!(
        shown,
        [
            (LimitWindow::Primary, Some(2550), Some(300), false),
            (LimitWindow::Secondary, Some(10_000), Some(10_080), true)
        ]
    );
    let resets: Vec<_> = windows.limits.iter().map(|limit| limit.resets_at.unwrap().as_second()).collect();
    assert_eq!(resets, [1_796_057_607, 1_796_448_607]);
}

#[test]
fn what_tells_no_windows_is_no_note() {
    let with = |limits: &str| format!("{{\"session_id\":\"one\",\"rate_limits\":{limits}}}");
    let none = [
        "{\"session_id\":\"one\"}".to_owned(),
        with("null"),
        with("[]"),
        with("\"full\""),
        with("{\"five_hour\":{}}"),
        with("{\"five_hour\":{\"used_percentage\":-1,\"resets_at\":\"soon\"}}"),
        // Whose it is must be known, and an id is no text.
        "{\"rate_limits\":{\"five_hour\":{\"used_percentage\":5}}}".to_owned(),
        "{\"session_id\":\"a b\",\"rate_limits\":{\"five_hour\":{\"used_percentage\":5}}}".to_owned(),
        "{\"session_id\":".to_owned(),
        String::new(),
    ];
    for input in none {
        assert_eq!(Windows::read(input.as_bytes(), now()), None, "{input}");
    }
    // One of both is enough.
    let half = with("{\"five_hour\":{\"used_percentage\":5},\"seven_day\":7}");
    assert_eq!(Windows::read(half.as_bytes(), now()).unwrap().limits.len(), 1);
}

#[test]
fn the_newest_is_kept_from_when_it_was_new() {
    let kept = |notes: &[Windows]| {
        let mut set: BTreeSet<Windows> = notes.iter().cloned().collect();
        keep(&mut set, now());
        set.into_iter().collect::<Vec<_>>()
    };
    let (old, new, again) = (told("25", 300), told("26", 200), told("26", 100));
    assert_eq!(kept(&[again.clone(), old.clone(), new.clone()]), std::slice::from_ref(&new));
    // What was told before something else was told is not the same telling.
    let back = told("25", 50);
    assert_eq!(kept(&[old.clone(), new, back.clone()]), [back]);
    // Neither another clock's nor what is over counts.
    assert_eq!(kept(&[old.clone(), told("99", -3600)]), std::slice::from_ref(&old));
    assert_eq!(kept(&[told("99", 8 * 24 * 3600)]), []);
}

#[test]
fn no_session_is_in_what_is_printed_of_windows_for_debugging() {
    let windows = Windows::read(input("canary", "25.5", "100").as_bytes(), now()).unwrap();
    let printed = format!("{windows:?} {windows:#?}");
    assert!(!printed.contains("canary") && printed.contains("Primary"), "{printed}");
}
