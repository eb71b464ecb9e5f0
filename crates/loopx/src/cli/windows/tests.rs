use loopx_contract::LimitWindow;

use super::*;

fn now() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().expect("an instant")
}

fn limit(used: Option<u32>, ahead: Option<i64>) -> Limit {
    Limit {
        window: LimitWindow::Primary,
        used_basis_points: used,
        window_minutes: Some(300),
        resets_at: ahead.map(|seconds| now() + jiff::SignedDuration::from_secs(seconds)),
        reached: false,
        seen_at: Some(now()),
    }
}

#[test]
fn a_window_is_said_with_its_share_and_its_reset() {
    let zone = TimeZone::get("Europe/Berlin").expect("a zone");
    let words = |limit: &Limit| format!("{}: {}, {}", name(limit), used(limit), resets(limit, now(), &zone));
    assert_eq!(
        words(&limit(Some(2550), Some(9000))),
        "5 h window: 25.50 % used, resets 2026-11-30 15:30:00+01:00 (in 2 h 30 min)"
    );
    assert_eq!(
        words(&limit(Some(9000), Some(-120))),
        "5 h window: 90 % used, has reset 2026-11-30 12:58:00+01:00 (2 min ago)"
    );
    let odd = Limit { window: LimitWindow::Secondary, window_minutes: None, ..limit(None, None) };
    assert_eq!(words(&odd), "secondary window: use unknown, reset unknown");
    let other = Limit { window: LimitWindow::Other, reached: true, ..limit(None, Some(90_000)) };
    assert_eq!(words(&other), "limit: reached, resets 2026-12-01 14:00:00+01:00 (in 1 d 1 h)");
}
