use super::*;
use crate::Runtime;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_796_000_000 + seconds).unwrap()
}

fn told(seconds: i64, used: u32) -> Windows {
    let limit = Limit {
        window: LimitWindow::Primary,
        used_basis_points: Some(used),
        window_minutes: Some(300),
        resets_at: Some(at(9000)),
        reached: false,
        seen_at: Some(at(seconds)),
    };
    let session = "one".to_owned();
    Windows { limits: vec![limit], told_at: at(seconds), runtime: Runtime::ClaudeCode, session }
}

fn shown(told: Option<&Windows>, limit: Option<Limit>) -> Vec<(LimitWindow, bool)> {
    lay(told, limit).iter().map(|limit| (limit.window, limit.is_used_up())).collect()
}

#[test]
fn the_fresher_of_both_decides() {
    let limit = || Some(reached(at(0), None));
    let other = (LimitWindow::Other, true);
    assert_eq!(shown(None, limit()), [other]);
    // It was reached after windows were told that had something left.
    assert_eq!(shown(Some(&told(-600, 9700)), limit()), [(LimitWindow::Primary, false), other]);
    // Of the same response: a window that is used up is that limit, with its reset.
    for seconds in [-30, 0, 30] {
        assert_eq!(shown(Some(&told(seconds, 10_000)), limit()), [(LimitWindow::Primary, true)]);
        assert!(tell_a_reset(&lay(Some(&told(seconds, 10_000)), limit())));
        // Else another one was reached, which the status line does not tell.
        assert_eq!(shown(Some(&told(seconds, 3000)), limit()), [(LimitWindow::Primary, false), other]);
    }
    // Windows that were told later say that it is over.
    assert_eq!(shown(Some(&told(600, 500)), limit()), [(LimitWindow::Primary, false)]);
    assert_eq!(shown(Some(&told(600, 500)), None), [(LimitWindow::Primary, false)]);
}
