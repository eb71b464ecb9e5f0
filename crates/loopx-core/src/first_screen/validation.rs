//! `latest_validation`: the newest per label; of those a failure or blocker first, then the newest.

use std::collections::BTreeMap;

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
    subject: Subject,
    weight: Weight,
    place: (u64, String),
    text: String,
}

/// What a validation is about: only what is about the same can clear it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    /// A check, by its label.
    Label(String),
    /// A blocker, by its run.
    Blocker(String),
}

/// What a validation says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// The outcome is not known.
    Unknown,
    /// It passed.
    Passed,
    /// It failed, or is in the way.
    Grave,
}

impl From<ValidationOutcome> for Weight {
    fn from(outcome: ValidationOutcome) -> Self {
        match outcome {
            ValidationOutcome::Passed => Self::Passed,
            ValidationOutcome::Failed => Self::Grave,
            ValidationOutcome::Unknown => Self::Unknown,
        }
    }
}

impl Seen {
    /// The greatest is the newest; on equal instants a failure, then what is later in the log, then the id.
    fn age(&self) -> (Timestamp, bool, &(u64, String)) {
        (self.at, self.weight == Weight::Grave, &self.place)
    }

    /// Whether a later one takes the place of an earlier one of its label: what is unknown never clears a failure.
    fn clears(&self, earlier: &Self) -> bool {
        !(self.weight == Weight::Unknown && earlier.weight == Weight::Grave)
    }
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
        let (subject, weight, text) = match (&run.validation, run.kind) {
            (_, RunKind::Blocker) => {
                let label = run.summary.as_ref().map_or("external evidence", PublicText::as_str);
                let text = format!("blocked by {}", shortened(label));
                (Subject::Blocker(run.id.to_string()), Weight::Grave, text)
            }
            (Some(validation), _) => {
                let label = validation.label.as_str().trim();
                let text = outcome(&shortened(label), validation.outcome, validation.exit_code);
                (Subject::Label(label.to_owned()), validation.outcome.into(), text)
            }
            (None, _) => return None,
        };
        Some(Seen { at: run.at, subject, weight, place: (run.revision, run.id.to_string()), text })
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
                subject: Subject::Label(label.to_owned()),
                weight: how.into(),
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

/// What each label says, whether a run or a session told it, and each blocker. In the order of time, so that a pass
/// between a failure and what is unknown clears the failure.
fn per_subject(all: impl Iterator<Item = Seen>) -> BTreeMap<Subject, Seen> {
    let mut all: Vec<Seen> = all.collect();
    all.sort_by(|a, b| a.age().cmp(&b.age()));
    let mut said: BTreeMap<Subject, Seen> = BTreeMap::new();
    for seen in all {
        if said.get(&seen.subject).is_none_or(|before| seen.clears(before)) {
            said.insert(seen.subject.clone(), seen);
        }
    }
    said
}

/// The sentence of a lane, with what is missing.
pub(crate) fn latest(agent: &Agent, sessions: &[SessionFacts], missing: &[&str], now: Timestamp) -> String {
    let newest = per_subject(runs(agent).chain(checks(sessions)))
        .into_values()
        .max_by(|a, b| (a.weight == Weight::Grave, a.age()).cmp(&(b.weight == Weight::Grave, b.age())));
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
