//! What a worker of the user's own says of its session: one JSON object a line, by the names of [`SessionFacts`].
//!
//! A line says all that is so at its instant: what it leaves out is not known any more. It is judged field by field;
//! one fault, and nothing of it is taken. No fault holds a value.
//!
//! [`SessionFacts`]: crate::SessionFacts

mod fault;
mod fields;
mod value;

use std::path::PathBuf;

use jiff::Timestamp;
use loopx_safety::{Private, PrivateWords};
use schemars::JsonSchema;

use crate::ids::{AgentId, GoalId, RuntimeId};
use crate::session::{
    Check, CheckLabel, CheckOutcome, EvidenceTier, Hint, Limit, LimitWindow, MissingFact,
    SessionFactsVersion, SessionState, Turn, Usage,
};
pub use fault::{Fault, Field, Problem};
use fields::Members;

/// The longest line, in bytes without its end.
pub const LONGEST: usize = 64 << 10;

/// The longest `session_id`, in characters.
pub const LONGEST_ID: usize = 128;

/// The longest `cwd`, in bytes.
const LONGEST_PATH: usize = 4096;

/// How many elements a list may have.
const MOST: usize = 32;

/// What one line says.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
pub struct WorkerFacts {
    /// `session_facts_v0`; may be left out.
    #[schemars(with = "Option<SessionFactsVersion>")]
    pub schema_version: SessionFactsVersion,
    /// The worker's runtime family: `custom_worker`, or a word of your own. A built-in runtime's is refused.
    pub runtime_id: RuntimeId,
    /// The worker's own name of the session: a word or a short line. It is hashed into the handle that is shown.
    #[schemars(with = "String", length(min = 1, max = 128))]
    pub session_id: Private<String>,
    /// How the session stands.
    pub state: SessionState,
    /// As of when the line holds, RFC 3339; else the instant it was read. One ahead of that is taken for it.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub at: Option<Timestamp>,
    /// The process that works, of this machine and not of a container: what proves that the session lives.
    #[schemars(range(min = 1))]
    pub pid: Option<u32>,
    /// The lane's goal. A session that is bound by hand stays where it is bound.
    pub goal_id: Option<GoalId>,
    /// The lane's agent; needs a goal.
    pub agent_id: Option<AgentId>,
    /// The folder it works in, absolute: places a session that names no goal. It is never shown.
    #[schemars(with = "Option<String>", length(max = 4096))]
    pub cwd: Option<Private<PathBuf>>,
    /// What the state rests on: at most `hook` is taken.
    pub tier: Option<EvidenceTier>,
    /// Whether a turn is open; else it follows from the state.
    pub turn: Option<Turn>,
    /// Since when it stands so; else since the first line in a row that says so.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub since: Option<Timestamp>,
    /// The newest sign of work; else `at`.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub last_activity: Option<Timestamp>,
    /// When the session began.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub started_at: Option<Timestamp>,
    /// What the worker itself does not know.
    #[schemars(with = "Option<Vec<MissingFact>>", length(max = 32))]
    pub missing: Vec<MissingFact>,
    /// What points somewhere without proving it.
    #[schemars(with = "Option<Vec<Hint>>", length(max = 32))]
    pub hints: Vec<Hint>,
    /// The worker's own rate-limit windows.
    #[schemars(with = "Option<Vec<LimitSaid>>", length(max = 32))]
    pub limits: Vec<Limit>,
    /// The latest check of each label.
    #[schemars(with = "Option<Vec<CheckSaid>>", length(max = 32))]
    pub checks: Vec<Check>,
    /// Token totals.
    #[schemars(with = "Option<UsageSaid>")]
    pub usage: Option<Usage>,
    /// Sessions that this one started.
    #[schemars(with = "Option<u32>")]
    pub children: u32,
}

/// A limit as it may be said.
#[derive(JsonSchema)]
#[schemars(rename = "WorkerLimit")]
#[expect(dead_code, reason = "it is the shape of what is read")]
struct LimitSaid {
    /// Which window.
    window: LimitWindow,
    /// Used share in hundredths of a percent: 100 % is 10000.
    used_basis_points: Option<u32>,
    /// Length of the window in minutes.
    window_minutes: Option<u32>,
    /// When it resets.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    resets_at: Option<Timestamp>,
    /// Whether it was reached.
    reached: Option<bool>,
    /// When this was seen; else `at`.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    seen_at: Option<Timestamp>,
}

/// A check as it may be said.
#[derive(JsonSchema)]
#[schemars(rename = "WorkerCheck")]
#[expect(dead_code, reason = "it is the shape of what is read")]
struct CheckSaid {
    /// What was checked.
    label: CheckLabel,
    /// How it ended.
    outcome: CheckOutcome,
    /// The exit code.
    exit_code: Option<i32>,
    /// When; else `at`.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    at: Option<Timestamp>,
    /// Whether it was part of a compound command.
    compound: Option<bool>,
}

/// Token totals as they may be said; what is left out is 0.
#[derive(JsonSchema)]
#[schemars(rename = "WorkerUsage")]
#[expect(dead_code, reason = "it is the shape of what is read")]
struct UsageSaid {
    /// Finished turns.
    turns: Option<u64>,
    /// Input tokens, cached ones included.
    input_tokens: Option<u64>,
    /// Cached input tokens.
    cached_input_tokens: Option<u64>,
    /// Output tokens, reasoning ones included.
    output_tokens: Option<u64>,
    /// Of these the reasoning ones.
    reasoning_output_tokens: Option<u64>,
}

/// A line that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it says.
    pub facts: WorkerFacts,
    /// How many of its keys were dropped: unknown ones, and those that are not a worker's to say.
    pub dropped: u64,
}

/// Reads one line without its end. `words` are the names that nothing may hold which is shown.
pub fn read(line: &[u8], words: &PrivateWords) -> Result<Line, Vec<Fault>> {
    if line.len() > LONGEST {
        return Err(vec![Fault::of_line(Problem::LongLine)]);
    }
    let text = std::str::from_utf8(line)
        .map_err(|error| vec![Fault::of_line(Problem::NotUtf8 { column: error.valid_up_to() + 1 })])?;
    let members = value::object(text).map_err(|problem| vec![Fault::of_line(problem)])?;
    let mut all = Members::new(members, words);
    let facts = facts(&mut all);
    let (faults, dropped) = all.end();
    match facts {
        Some(facts) if faults.is_empty() => Ok(Line { facts, dropped }),
        Some(_) | None => Err(faults),
    }
}

/// Every field is judged, so that every fault of a line is named at once.
fn facts(all: &mut Members<'_, '_>) -> Option<WorkerFacts> {
    let version = all.word::<SessionFactsVersion>("schema_version", fields::VERSIONS);
    let runtime_id = all.runtime_id();
    let session_id = all.session_id();
    let state = all.word("state", fields::STATES);
    all.must("state", state.is_some());
    let at = all.instant("at");
    let pid = all.number("pid", 1, u32::MAX.into()).and_then(|pid| u32::try_from(pid).ok());
    let (goal_id, agent_id) = (all.id("goal_id", GoalId::parse), all.id("agent_id", AgentId::parse));
    let cwd = all.folder("cwd");
    let tier = all.word("tier", fields::TIERS);
    let turn = all.word("turn", fields::TURNS);
    let since = all.instant("since");
    let last_activity = all.instant("last_activity");
    let started_at = all.instant("started_at");
    let missing = all.words("missing", fields::MISSING);
    let hints = all.words("hints", fields::HINTS);
    let limits = all.objects("limits", |one| {
        let window = one.word("window", fields::WINDOWS);
        one.must("window", window.is_some());
        let (used, minutes) = (one.small("used_basis_points"), one.small("window_minutes"));
        let (resets_at, seen_at) = (one.instant("resets_at"), one.instant("seen_at"));
        let reached = one.flag("reached").unwrap_or_default();
        let window = window?;
        Some(Limit { window, used_basis_points: used, window_minutes: minutes, resets_at, reached, seen_at })
    });
    let checks = all.objects("checks", |one| {
        let (label, outcome) = (one.word("label", fields::LABELS), one.word("outcome", fields::OUTCOMES));
        one.must("label", label.is_some());
        one.must("outcome", outcome.is_some());
        let code = one.number("exit_code", i32::MIN.into(), i32::MAX.into());
        let exit_code = code.and_then(|code| i32::try_from(code).ok());
        let (at, compound) = (one.instant("at"), one.flag("compound").unwrap_or_default());
        Some(Check { label: label?, outcome: outcome?, exit_code, at, compound })
    });
    let usage = all.object("usage", |one| {
        let cached = one.count("cached_input_tokens").unwrap_or_default();
        Some(Usage {
            turns: one.count("turns").unwrap_or_default(),
            input_tokens: one.count("input_tokens").unwrap_or_default(),
            cached_input_tokens: cached,
            output_tokens: one.count("output_tokens").unwrap_or_default(),
            reasoning_output_tokens: one.count("reasoning_output_tokens"),
        })
    });
    let children = all.small("children").unwrap_or_default();
    Some(WorkerFacts {
        schema_version: version.unwrap_or_default(),
        runtime_id: runtime_id?,
        session_id: session_id?,
        state: state?,
        at,
        pid,
        goal_id,
        agent_id,
        cwd,
        tier,
        turn,
        since,
        last_activity,
        started_at,
        missing,
        hints,
        limits,
        checks,
        usage,
        children,
    })
}
