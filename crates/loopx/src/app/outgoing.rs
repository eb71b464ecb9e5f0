//! The last screening: of the bytes that go out, whatever was screened on the way in.

use loopx_contract::Projection;
use loopx_contract::check::{Screening, screen_all};
use loopx_core::{Decision, Known};
use loopx_safety::{PrivateWords, PublicText, TierKind};

use crate::app::given;
use crate::error::CliError;

/// The damage that a decision is replaced by whose projection fails its screen.
pub const UNSAFE_OUTPUT: &str = "unsafe_output";

/// Screens a projection as it would be written on this machine, and the texts that its goal was given for these names.
pub fn screen(projection: &Projection, known: Known<'_>, words: &PrivateWords) -> Screening {
    match serde_json::to_value(projection) {
        Ok(value) => {
            let found = screen_all(&value, TierKind::Local);
            Screening { refused: found.refused + named(projection, known, words), ..found }
        }
        // What can't be written can't go out.
        Err(_) => Screening { refused: 1, ..Screening::default() },
    }
}

/// How many given texts in it hold one of these names. Our own sentences around them say what they say on every
/// machine, and ids were looked at when they were made.
fn named(projection: &Projection, known: Known<'_>, words: &PrivateWords) -> usize {
    let first = &projection.first_screen;
    let boundary = &first.boundary;
    let scopes = boundary.read_scope.iter().chain(&boundary.write_scope).flatten();
    let shown =
        [first.next_action.as_str(), first.latest_validation.as_str(), boundary.stop_condition.as_str()];
    let shown: Vec<&str> =
        shown.into_iter().chain(scopes.chain(&boundary.private_data_rule).map(PublicText::as_str)).collect();
    // Where no name stands at all, none stands in a part.
    if shown.iter().all(|text| words.find(text).is_none()) {
        return 0;
    }
    let Known::State(state) = known else { return 0 };
    let is_shown = |text: &str| shown.iter().any(|shown| shown.contains(text));
    // A text may be cut short: it is there as far as the name goes.
    let is_named = |text: &str| words.find(text).is_some_and(|at| is_shown(&text[..at.end]));
    given::texts(state).into_iter().filter(|(text, _)| is_named(text)).count()
}

/// A decision whose projection may go out, its flags as the screen found them; else what `instead` gives, a row 1 of
/// enums and ids; if that fails the screen too, nothing.
pub fn screened(
    mut decision: Decision,
    instead: impl FnOnce() -> Decision,
    screen: impl Fn(&Projection) -> Screening,
) -> Result<Decision, CliError> {
    let mut found = screen(&decision.projection);
    if found.refused > 0 {
        decision = instead();
        found = screen(&decision.projection);
    }
    if found.refused > 0 {
        return Err(CliError::refused("the projection and its ids fail the screen: nothing is shown")
            .hint("run `loopx doctor`"));
    }
    let boundary = &mut decision.projection.first_screen.boundary;
    boundary.raw_transcripts_copied = found.flags.raw_transcripts_copied;
    boundary.credentials_copied = found.flags.credentials_copied;
    boundary.private_paths_copied = found.flags.private_paths_copied;
    Ok(decision)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use loopx_contract::check::Flags;
    use loopx_contract::{AgentId, GoalId};
    use loopx_core::{Inputs, Row, Sight, first_screen};

    use super::*;
    use crate::error::ErrorKind;

    fn decide(known: Known<'_>) -> Decision {
        let (goal, agent) = (GoalId::parse("atlas").expect("a goal"), AgentId::parse("ann").expect("a lane"));
        first_screen(&Inputs {
            goal: &goal,
            agent: &agent,
            known,
            sessions: &[],
            sight: Sight::Observed,
            observed: loopx_core::quota::Observed::NOTHING,
            caller: None,
            record: None,
            now: jiff::Timestamp::UNIX_EPOCH,
        })
    }

    /// A screen that refuses so many times.
    fn refusing(times: usize) -> impl Fn(&Projection) -> Screening {
        let left = Cell::new(times);
        move |_| {
            let refused = left.get().min(1);
            left.set(left.get() - refused);
            Screening { refused, ..Screening::default() }
        }
    }

    fn go(screen: impl Fn(&Projection) -> Screening) -> Result<Decision, CliError> {
        screened(decide(Known::Missing), || decide(Known::Damaged { code: UNSAFE_OUTPUT }), screen)
    }

    #[test]
    fn what_passes_goes_out_with_the_flags_that_the_screen_found() {
        let flags = Flags { credentials_copied: true, ..Flags::default() };
        let decision = go(|_| Screening { flags, refused: 0 }).expect("a decision");
        assert_eq!(decision.row, Row::UnknownLane);
        assert!(decision.projection.first_screen.boundary.credentials_copied);
        assert!(
            !go(|projection| {
                let none = PrivateWords::none(TierKind::Local);
                screen(projection, Known::Missing, &none)
            })
            .expect("a decision")
            .projection
            .first_screen
            .boundary
            .credentials_copied
        );
    }

    #[test]
    fn what_fails_the_screen_is_replaced_by_row_1_and_that_is_screened_again() {
        let decision = go(refusing(1)).expect("a decision");
        assert_eq!((decision.row, decision.exit), (Row::Integrity, 11));
        assert_eq!(
            decision.projection.first_screen.next_action.as_str(),
            "run `loopx doctor`: unsafe_output"
        );
        assert_eq!(go(refusing(2)).expect_err("nothing").kind, ErrorKind::Refused);
    }

    #[test]
    fn the_screen_sees_the_bytes_that_are_written() {
        let mut value = serde_json::to_value(decide(Known::Missing).projection).expect("JSON");
        assert_eq!(screen_all(&value, TierKind::Local), Screening::default());
        value["first_screen"]["latest_validation"] = "read /home/ann/notes".into();
        let found = screen_all(&value, TierKind::Local);
        assert!(found.refused == 1 && found.flags.private_paths_copied, "{found:?}");
    }
}
