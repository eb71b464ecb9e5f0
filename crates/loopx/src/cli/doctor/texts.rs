//! Texts that were taken once and are refused now: a name was listed since, or the screen knows more.

use loopx_contract::GoalId;
use loopx_core::{Names, State};
use loopx_safety::{PrivateWords, TierKind, screen_with, text::TEXT_MAX};
use loopx_store::{SqliteStore, Store as _};

use super::{Found, Looked, Report};
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

/// A text of a goal, what it is, and how it is changed.
struct Told<'a> {
    text: &'a str,
    what: String,
    way_out: String,
}

fn refused(goal: &GoalId, state: &State, words: &PrivateWords) -> Vec<Found> {
    let found = |told: Told<'_>| {
        let refusal = screen_with(told.text, TierKind::Local, TEXT_MAX, words).err()?;
        Some(Found {
            code: "unsafe_text",
            goal_id: Some(goal.clone()),
            problem: format!("{} is refused by now: {refusal}", told.what),
            way_out: told.way_out,
        })
    };
    texts(goal, state).into_iter().filter_map(found).collect()
}

fn texts<'a>(goal: &GoalId, state: &'a State) -> Vec<Told<'a>> {
    let mut texts = Vec::new();
    let mut add = |text: &'a str, what: String, way_out: String| texts.push(Told { text, what, way_out });
    if let Some(of) = &state.goal {
        let edit = |option: &str| format!("`loopx goal edit {goal} --{option} TEXT`");
        add(of.objective.as_str(), "the objective".to_owned(), edit("objective"));
        add(of.boundary.stop_condition.as_str(), "the stop condition".to_owned(), edit("stop-condition"));
        if let Some(rule) = &of.boundary.private_data_rule {
            add(rule.as_str(), "the private-data rule".to_owned(), edit("private-data-rule"));
        }
        for (side, globs) in [("read", &of.boundary.read), ("write", &of.boundary.write)] {
            for glob in globs {
                let way_out = format!("`loopx goal scope {goal} --{side} GLOB`");
                add(glob.as_text().as_str(), format!("a {side} glob"), way_out);
            }
        }
    }
    let purge = |id: &str| format!("`loopx purge --goal {goal} --id {id}`");
    for (id, todo) in &state.todos {
        let way_out = format!("`loopx todo edit {id} --title TEXT --goal {goal}`");
        add(todo.title.as_str(), format!("the title of {id}"), way_out);
    }
    for (id, gate) in &state.gates {
        add(gate.question.as_str(), format!("the question of {id}"), purge(id.as_str()));
    }
    for (id, run) in &state.runs {
        if let Some(summary) = &run.summary {
            add(summary.as_str(), format!("the summary of {id}"), purge(id.as_str()));
        }
        if let Some(validation) = &run.validation {
            add(validation.label.as_str(), format!("the check of {id}"), purge(id.as_str()));
        }
    }
    for (id, handoff) in &state.handoffs {
        add(handoff.next_action.as_str(), format!("the next action of {id}"), purge(id.as_str()));
        if let Some(stop) = &handoff.stop_condition {
            add(stop.as_str(), format!("the stop condition of {id}"), purge(id.as_str()));
        }
    }
    texts
}
