//! What several verbs take: runtimes, instants, leases, priorities, what comes after a todo, a check, a spend.

use jiff::{SignedDuration, Timestamp};
use loopx_contract::AgentId;
use loopx_core::TurnKey;
use loopx_core::command::SpendDraft;
use loopx_core::quota::Amount;
use loopx_core::run::{Validation, ValidationOutcome};
use loopx_core::todo::Priority;
use loopx_runtimes::{Runtime, UnknownRuntime};

use crate::cli::Context;
use crate::error::CliError;

/// Parses a runtime: its word, the id of one of its front ends, or `claude`.
pub fn runtime(text: &str) -> Result<Runtime, String> {
    let word = if text == "claude" { Runtime::ClaudeCode.word() } else { text };
    word.parse().map_err(|error: UnknownRuntime| error.to_string())
}

/// An instant as it is written: RFC 3339, or a time from now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At this instant, UTC.
    At(Timestamp),
    /// So long from now.
    In(SignedDuration),
}

impl When {
    /// The instant, UTC.
    pub fn at(self, now: Timestamp) -> Result<Timestamp, CliError> {
        match self {
            Self::At(at) => Ok(at),
            Self::In(ahead) => {
                now.checked_add(ahead).map_err(|_| CliError::usage("that is too far ahead to be an instant"))
            }
        }
    }
}

const WHEN: &str = "write an instant as 2026-11-29T23:31:00Z, or a time from now as 30m, 2h or 3d";

/// Parses an instant, or a time from now.
pub fn when(text: &str) -> Result<When, String> {
    if let Ok(at) = text.parse() {
        return Ok(When::At(at));
    }
    let minutes = minutes(text).ok_or(WHEN)?;
    Ok(When::In(SignedDuration::from_mins(minutes)))
}

/// Parses a lease: minutes, or with a unit. How long it may be is the domain's to say.
pub fn lease(text: &str) -> Result<u32, String> {
    let bare = text.parse::<i64>().ok();
    let minutes = bare.or_else(|| minutes(text)).and_then(|minutes| u32::try_from(minutes).ok());
    minutes.ok_or_else(|| "write minutes, or a length as 60m, 2h or 1d".to_owned())
}

/// `30m`, `2h`, `3d` in minutes.
fn minutes(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    i64::from(digits.parse::<u32>().ok()?).checked_mul(minutes)
}

/// Parses a priority.
pub fn priority(text: &str) -> Result<Priority, String> {
    match text.trim_start_matches(['p', 'P']) {
        "0" => Ok(Priority::P0),
        "1" => Ok(Priority::P1),
        "2" => Ok(Priority::P2),
        "3" => Ok(Priority::P3),
        _ => Err("priorities are P0 (first) to P3".to_owned()),
    }
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OutcomeArg {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It is not known.
    Unknown,
}

impl OutcomeArg {
    const fn outcome(self) -> ValidationOutcome {
        match self {
            Self::Passed => ValidationOutcome::Passed,
            Self::Failed => ValidationOutcome::Failed,
            Self::Unknown => ValidationOutcome::Unknown,
        }
    }
}

/// A check and how it ended.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CheckArgs {
    /// What was checked, such as "cargo test".
    #[arg(long, value_name = "LABEL")]
    pub check: Option<String>,
    /// How it ended; without it, by the exit code, else unknown.
    #[arg(long, value_enum, value_name = "OUTCOME", requires = "check")]
    pub outcome: Option<OutcomeArg>,
    /// Its exit code.
    #[arg(long, value_name = "N", requires = "check", allow_negative_numbers = true)]
    pub exit_code: Option<i32>,
}

impl CheckArgs {
    /// The validation, where a check is named.
    pub fn validation(&self, context: &mut Context) -> Result<Option<Validation>, CliError> {
        self.validation_of(context, None)
    }

    /// The validation, where a check is named, else of what `label` says was checked.
    pub fn validation_of(
        &self,
        context: &mut Context,
        label: Option<&str>,
    ) -> Result<Option<Validation>, CliError> {
        let Some(label) = self.check.as_deref().or(label) else { return Ok(None) };
        let label = context.name("check", label)?;
        Ok(Some(Validation { label, outcome: self.outcome(), exit_code: self.exit_code }))
    }

    fn outcome(&self) -> ValidationOutcome {
        let by_code = match self.exit_code {
            Some(0) => ValidationOutcome::Passed,
            Some(_) => ValidationOutcome::Failed,
            None => ValidationOutcome::Unknown,
        };
        self.outcome.map_or(by_code, OutcomeArg::outcome)
    }
}

/// A turn to count.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SpendArgs {
    /// The turn's key: a retry with the same key counts once.
    #[arg(long, value_name = "KEY")]
    pub turn_key: Option<String>,
    /// Turns spent; without any amount, one.
    #[arg(long, value_name = "N", requires = "turn_key")]
    pub turns: Option<u64>,
    /// Minutes of work spent.
    #[arg(long, value_name = "N", requires = "turn_key")]
    pub minutes: Option<u64>,
    /// Tokens spent.
    #[arg(long, value_name = "N", requires = "turn_key")]
    pub tokens: Option<u64>,
}

impl SpendArgs {
    /// The spend, where a turn is named.
    pub fn spend(
        &self,
        context: &mut Context,
        agent: Option<&AgentId>,
    ) -> Result<Option<SpendDraft>, CliError> {
        let Some(key) = &self.turn_key else { return Ok(None) };
        let bare = self.turns.is_none() && self.minutes.is_none() && self.tokens.is_none();
        let amount = Amount {
            turns: self.turns.unwrap_or(u64::from(bare)),
            minutes: self.minutes.unwrap_or_default(),
            tokens: self.tokens.unwrap_or_default(),
        };
        let key = TurnKey::parse(key)?;
        context.new_id("reference", key.as_str())?;
        Ok(Some(SpendDraft { agent: agent.cloned(), key, amount, at: None }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_or_counted_from_now() {
        let now: Timestamp = "2026-11-29T23:31:00Z".parse().expect("an instant");
        for (text, at) in [
            ("30m", "2026-11-30T00:01:00Z"),
            ("2h", "2026-11-30T01:31:00Z"),
            ("3d", "2026-12-02T23:31:00Z"),
            ("2026-12-01T00:00:00+01:00", "2026-11-30T23:00:00Z"),
        ] {
            let at: Timestamp = at.parse().expect("an instant");
            assert_eq!(when(text).expect(text).at(now).expect(text), at, "{text}");
        }
        for text in ["", "m", "soon", "3w", "-2h", "1.5h", "2026-11-29", "é", "+2h"] {
            assert!(when(text).is_err(), "{text}");
        }
    }

    #[test]
    fn leases_are_minutes_or_have_a_unit() {
        for (text, minutes) in [("90", Some(90)), ("60m", Some(60)), ("2h", Some(120)), ("-1", None)] {
            assert_eq!(lease(text).ok(), minutes, "{text}");
        }
    }

    #[test]
    fn priorities_go_with_or_without_their_letter() {
        for (text, want) in
            [("P0", Some(Priority::P0)), ("3", Some(Priority::P3)), ("p2", Some(Priority::P2))]
        {
            assert_eq!(priority(text).ok(), want, "{text}");
        }
        assert!(priority("4").is_err());
    }

    #[test]
    fn a_check_ends_as_its_exit_code_says() {
        let args = |exit_code| CheckArgs { check: Some("cargo test".into()), outcome: None, exit_code };
        for (code, want) in [
            (Some(0), ValidationOutcome::Passed),
            (Some(101), ValidationOutcome::Failed),
            (None, ValidationOutcome::Unknown),
        ] {
            assert_eq!(args(code).outcome(), want);
        }
    }
}
