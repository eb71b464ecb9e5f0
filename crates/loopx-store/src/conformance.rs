//! What every engine is held to: functions over a maker of empty stores, to be called by an engine's tests.
#![expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "these are tests, and panic to say so")]

mod commands;
mod moving;
mod purging;
mod reading;
pub mod script;

use crate::store::Store;

/// Makes an empty store, another one each time.
pub type Make<'a> = &'a dyn Fn() -> Box<dyn Store>;

/// A check: its name, and what panics if an engine does not pass.
pub type Check = (&'static str, fn(Make<'_>));

/// Every check.
pub const CHECKS: [Check; 19] = [
    ("a_command_is_decided_and_recorded", commands::recorded),
    ("a_retry_returns_the_original_receipt", commands::retried),
    ("a_key_serves_one_command", commands::key_reused),
    ("what_is_so_already_has_a_receipt", commands::already_so),
    ("one_of_two_lanes_wins", commands::one_winner),
    ("a_refusal_for_want_of_proof_is_recorded", commands::refusal_recorded),
    ("a_plain_refusal_leaves_nothing", commands::refusal_unrecorded),
    ("goal_ids_that_differ_by_case_clash", commands::case_clash),
    ("the_working_set_is_what_is_open_and_named", reading::working_set),
    ("events_come_in_order_and_from_a_cursor", reading::events),
    ("a_state_is_told_as_of_an_instant", reading::state_at),
    ("ids_are_found_by_prefix", reading::ids),
    ("rows_equal_a_fold_of_the_log", reading::rows_equal_the_fold),
    ("pointers_are_kept_and_forgotten", moving::pointers),
    ("a_log_moves_with_its_checksums", moving::exported),
    ("a_known_goal_takes_its_own_continuation_alone", moving::continued),
    ("a_changed_line_imports_nothing", moving::tampered),
    ("a_purge_takes_the_text_and_leaves_the_chain", purging::purged),
    ("a_purge_needs_the_proof_of_its_goal", purging::needs_proof),
];

/// Runs every check.
pub fn all(make: Make<'_>) {
    for (_, check) in CHECKS {
        check(make);
    }
}
