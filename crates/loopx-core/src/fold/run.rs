//! Folds run history and rewards.

use crate::agent::Agent;
use crate::event::{Event, Recorded};
use crate::reward::Reward;
use crate::run::{Run, RunKind, ValidationOutcome};
use crate::state::State;
use crate::todo::Blocker;

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the exhaustive match over events is in `apply`")]
    pub(super) fn fold_run(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::RunRecorded { run, .. } if self.runs.contains(run) => {}
            Event::RunRecorded {
                run,
                agent,
                kind,
                todo,
                session,
                validation,
                summary,
                event_id,
                outcome_id,
            } => {
                let row = Run {
                    id: run.clone(),
                    revision: recorded.revision,
                    agent: agent.clone(),
                    kind: *kind,
                    todo: todo.clone(),
                    session: session.clone(),
                    validation: validation.as_ref().map(Into::into),
                    summary: summary.as_ref().map(|summary| summary.text.clone()),
                    event_id: event_id.clone(),
                    outcome_id: outcome_id.clone(),
                    at: recorded.at,
                    resolved_at: None,
                };
                if let Some(agent) = self.agents.get_mut(agent) {
                    agent.remember(&row);
                }
                self.runs.insert(run.clone(), row);
            }
            Event::RunResolved { run: id } => {
                let Some(run) = self.runs.get_mut(id) else { return };
                run.resolved_at = Some(recorded.at);
                if let Some(agent) = self.agents.get_mut(&run.agent) {
                    agent.validations.retain(|run| run.id != *id);
                    if let Some(latest) = agent.latest_run.as_mut().filter(|latest| latest.id == *id) {
                        latest.resolved_at = Some(recorded.at);
                    }
                }
                // Only where it can still block: what is closed need not be loaded, and a resolved run blocks nothing.
                let blocker = Blocker::Run(id.clone());
                let waits =
                    |todo: &&crate::todo::Todo| !todo.is_closed() && todo.blocked_by.contains(&blocker);
                let waiting: Vec<_> = self.todos.values().filter(waits).map(|todo| todo.id.clone()).collect();
                for id in &waiting {
                    if let Some(todo) = self.todos.get_mut(id) {
                        todo.blocked_by.remove(&blocker);
                    }
                }
            }
            Event::RewardGiven { reward, run, judgement, reason, lesson } => {
                let row = Reward {
                    id: reward.clone(),
                    run: run.clone(),
                    judgement: *judgement,
                    reason: reason.as_ref().map(|reason| reason.text.clone()),
                    lesson: lesson.clone(),
                    at: recorded.at,
                };
                self.rewards.insert(reward.clone(), row);
            }
            _ => {}
        }
    }
}

impl Agent {
    /// Keeps what the first screen needs of a run of this lane.
    fn remember(&mut self, run: &Run) {
        match run.kind {
            RunKind::Projection => {
                self.latest_projection = Some(run.id.clone());
                return;
            }
            RunKind::Blocker => self.validations.push(run.clone()),
            RunKind::Progress | RunKind::Validation | RunKind::NoProgress | RunKind::Handoff => {
                self.remember_validation(run);
            }
        }
        self.latest_run = Some(run.clone());
    }

    /// The newest run of each label; but what is unknown never clears a failure.
    fn remember_validation(&mut self, run: &Run) {
        let Some(validation) = &run.validation else { return };
        let same = |old: &Run| {
            let old = old.validation.as_ref();
            old.is_some_and(|old| old.label.as_str().trim() == validation.label.as_str().trim())
        };
        let failed = self.validations.iter().any(|old| {
            same(old) && old.validation.as_ref().is_some_and(|old| old.outcome == ValidationOutcome::Failed)
        });
        if failed && validation.outcome == ValidationOutcome::Unknown {
            return;
        }
        self.validations.retain(|old| !same(old));
        self.validations.push(run.clone());
    }
}
