//! `latest_validation`: the newest per label; of those a failure or blocker first, then the newest.

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{CheckLabel, CheckOutcome, SessionFacts};
use loopx_safety::PublicText;

use crate::agent::Agent;
use crate::run::{RunKind, ValidationOutcome};

/// Past this a validation says its age.
const FRESH: SignedDuration = SignedDuration::from_hours(24);

/// One validation, from a run of the lane or from a check that its session ran.
struct Seen {
    at: Timestamp,
    grave: bool,
    place: (u64, String),
    text: String,
}

fn outcome(label: &str, outcome: ValidationOutcome, exit_code: Option<i32>) -> String {
    match outcome {
        ValidationOutcome::Passed => format!("last run validated {label}"),
        ValidationOutcome::Failed => match exit_code {
            Some(code) => format!("last run failed {label}, exit {code}"),
            None => format!("last run failed {label}"),
        },
        ValidationOutcome::Unknown => format!("{label}: outcome unknown"),
    }
}

fn runs(agent: &Agent) -> impl Iterator<Item = Seen> {
    agent.validations.iter().filter_map(|run| {
        let (grave, text) = match (&run.validation, run.kind) {
            (_, RunKind::Blocker) => {
                let label = run.summary.as_ref().map_or("external evidence", PublicText::as_str);
                (true, format!("blocked by {}", shortened(label)))
            }
            (Some(validation), _) => (
                validation.outcome == ValidationOutcome::Failed,
                outcome(&shortened(validation.label.as_str()), validation.outcome, validation.exit_code),
            ),
            (None, _) => return None,
        };
        Some(Seen { at: run.at, grave, place: (run.revision, run.id.to_string()), text })
    })
}

fn checks(sessions: &[SessionFacts]) -> impl Iterator<Item = Seen> {
    sessions.iter().flat_map(|session| {
        session.checks.iter().filter_map(|check| {
            let label = match check.label {
                CheckLabel::Test => "test",
                CheckLabel::Lint => "lint",
                CheckLabel::Build => "build",
            };
            let how = match check.outcome {
                CheckOutcome::Passed => ValidationOutcome::Passed,
                CheckOutcome::Failed => ValidationOutcome::Failed,
                CheckOutcome::Cancelled | CheckOutcome::Unknown => ValidationOutcome::Unknown,
            };
            Some(Seen {
                at: check.at.or(session.last_activity)?,
                grave: how == ValidationOutcome::Failed,
                place: (0, session.session_id.to_string()),
                text: outcome(label, how, check.exit_code),
            })
        })
    })
}

/// At most 120 characters of a screened text.
fn shortened(text: &str) -> String {
    const MOST: usize = 120;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(MOST - 1).collect();
    short.truncate(short.trim_end().len());
    short + "…"
}

/// The sentence of a lane, with what is missing.
pub(crate) fn latest(agent: &Agent, sessions: &[SessionFacts], missing: &[&str], now: Timestamp) -> String {
    let newest = runs(agent)
        .chain(checks(sessions))
        .max_by(|a, b| (a.grave, a.at, &a.place).cmp(&(b.grave, b.at, &b.place)));
    let mut text = match newest {
        None => "no validation recorded".to_owned(),
        Some(seen) => {
            let age = now.duration_since(seen.at);
            if age > FRESH { format!("{}, {} d ago", seen.text, age.as_hours() / 24) } else { seen.text }
        }
    };
    with_missing(&mut text, missing);
    text
}

/// Adds what is missing, as far as the line has room.
pub(crate) fn with_missing(text: &mut String, missing: &[&str]) {
    for (index, fact) in missing.iter().enumerate() {
        let more = if index == 0 { format!("; missing: {fact}") } else { format!(", {fact}") };
        if text.chars().count() + more.chars().count() > 240 {
            return;
        }
        *text += &more;
    }
}
