//! Texts that were taken once and are refused now: a name was listed since, or the screen knows more.

use loopx_contract::GoalId;
use loopx_core::{Names, State};
use loopx_safety::{PrivateWords, TierKind, screen_with, text::TEXT_MAX};
use loopx_store::{SqliteStore, Store as _};

use super::{Found, Looked, Report};
use crate::app::given::{self, Place};
use crate::app::home::Home;
use crate::app::words;
use crate::cli::Context;

/// Looks at every text that a first screen may show. What can't be read is said elsewhere.
pub fn look(context: &Context, home: &Home, report: &mut Report) {
    let Ok(words) = words::of_all(&context.env, TierKind::Local, context.now()) else { return };
    let Ok(mut store) = SqliteStore::open(&home.data) else { return };
    let before = report.findings.len();
    for goal in store.goals().unwrap_or_default() {
        if let Ok(state) = store.load(&goal.id, &Names::default()) {
            report.findings.extend(refused(&goal.id, &state, &words));
        }
    }
    let sound = report.findings.len() == before;
    report
        .looked_at
        .push(Looked::at("texts", if sound { "pass the screen" } else { "refused by the screen" }));
}

fn refused(goal: &GoalId, state: &State, words: &PrivateWords) -> Vec<Found> {
    let found = |(text, place): (&str, Place<'_>)| {
        let refusal = screen_with(text, TierKind::Local, TEXT_MAX, words).err()?;
        let (what, way_out) = told(goal, place);
        Some(Found {
            code: "unsafe_text",
            goal_id: Some(goal.clone()),
            problem: format!("{what} is refused by now: {refusal}"),
            way_out,
        })
    };
    given::texts(state).into_iter().filter_map(found).collect()
}

/// What it is, and how it is changed. The log holds what it was before: that is what `purge` takes away.
fn told(goal: &GoalId, place: Place<'_>) -> (String, String) {
    let edit = |option: &str| {
        format!(
            "`loopx purge --goal {goal} --revision N` for those that `loopx log` shows it in, then `loopx goal edit {goal} --{option} TEXT`"
        )
    };
    let scope = |side: &str| {
        format!(
            "`loopx purge --goal {goal} --revision N` for those that `loopx log` shows it in, then `loopx goal scope {goal} --{side} GLOB`"
        )
    };
    let purge = |id: &str| format!("`loopx purge --goal {goal} --id {id}`");
    match place {
        Place::Objective => ("the objective".to_owned(), edit("objective")),
        Place::StopCondition => ("the stop condition".to_owned(), edit("stop-condition")),
        Place::PrivateDataRule => ("the private-data rule".to_owned(), edit("private-data-rule")),
        Place::ReadGlob => ("a read glob".to_owned(), scope("read")),
        Place::WriteGlob => ("a write glob".to_owned(), scope("write")),
        Place::Authority => (
            "the label of an authority source".to_owned(),
            format!(
                "`loopx goal authority remove`, and `loopx purge --goal {goal}` for the revision that holds it"
            ),
        ),
        Place::Capability(agent) => (
            format!("a capability of {agent}"),
            format!(
                "`loopx agent edit {agent} --goal {goal}`, and `loopx purge` for the revision that holds it"
            ),
        ),
        Place::Title(id) => (
            format!("the title of {id}"),
            format!("`loopx purge --goal {goal} --id {id}`, then `loopx todo edit {id} --title TEXT`"),
        ),
        Place::Needed(id) => (format!("what {id} needs or touches"), purge(id.as_str())),
        Place::Question(id) => (format!("the question of {id}"), purge(id.as_str())),
        Place::Record(id) => (format!("what {id} says"), purge(id.as_str())),
        Place::Offer(id) => (format!("what {id} says"), purge(id.as_str())),
    }
}
