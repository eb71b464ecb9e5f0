//! Folds events of the goal itself: its head, lanes, limits and bindings.

use loopx_contract::Mode;

use super::{allowed, globs};
use crate::actor::{Proof, ProofFloor};
use crate::agent::{Agent, AgentState};
use crate::binding::Binding;
use crate::event::{Event, Recorded};
use crate::goal::{AuthoritySource, BoundaryRule, Goal, GoalState};
use crate::quota::Quota;
use crate::state::State;

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the exhaustive match over events is in `apply`")]
    pub(super) fn fold_goal(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::GoalAdded { objective, proof, read, write, private_data_rule, stop_condition } => {
                self.goal.get_or_insert_with(|| Goal {
                    id: recorded.goal.clone(),
                    objective: objective.text.clone(),
                    state: GoalState::Active,
                    boundary: BoundaryRule {
                        read: globs(read),
                        write: allowed(write),
                        private_data_rule: private_data_rule.as_ref().map(|rule| rule.text.clone()),
                        stop_condition: stop_condition.text.clone(),
                    },
                    authority_sources: vec![],
                    quota: Quota::default(),
                    proof: *proof,
                    authority_key: None,
                    mode: Mode::default(),
                    created_at: recorded.at,
                    last_finished: None,
                });
            }
            Event::AgentAdded { agent, kind, runtime, capabilities } if !self.agents.contains(agent) => {
                let row = Agent {
                    id: agent.clone(),
                    kind: *kind,
                    runtime: runtime.clone(),
                    capabilities: capabilities.iter().map(|text| text.text.clone()).collect(),
                    state: AgentState::default(),
                    quota: Quota::default(),
                    created_at: recorded.at,
                    latest_run: None,
                    validations: vec![],
                    latest_projection: None,
                };
                self.agents.insert(agent.clone(), row);
            }
            Event::AgentEdited { agent, runtime, capabilities, state } => {
                if let Some(row) = self.agents.get_mut(agent) {
                    row.runtime.clone_from(runtime);
                    row.capabilities = capabilities.iter().map(|text| text.text.clone()).collect();
                    row.state = *state;
                }
            }
            Event::QuotaSet { agent: Some(agent), quota } => {
                if let Some(row) = self.agents.get_mut(agent) {
                    row.quota = *quota;
                }
            }
            // Whose a folder or session is here is for this machine to say: a goal that comes in takes nothing away.
            Event::Bound { .. } if recorded.actor.proof == Proof::Imported => {}
            Event::Bound { target, agent } => {
                let (target, agent) = (target.clone(), agent.clone());
                self.bindings.insert(target.clone(), Binding { target, agent, at: recorded.at });
            }
            Event::Unbound { target } => drop(self.bindings.remove(target)),
            event => {
                if let Some(goal) = &mut self.goal {
                    fold_head(goal, event);
                }
            }
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the exhaustive match over events is in `apply`")]
fn fold_head(goal: &mut Goal, event: &Event) {
    match event {
        Event::GoalEdited {
            objective,
            stop_condition,
            private_data_rule,
            private_data_rule_removed,
            read,
            write,
        } => {
            if let Some(objective) = objective {
                goal.objective = objective.text.clone();
            }
            if let Some(stop_condition) = stop_condition {
                goal.boundary.stop_condition = stop_condition.text.clone();
            }
            if *private_data_rule_removed {
                goal.boundary.private_data_rule = None;
            }
            if let Some(rule) = private_data_rule {
                goal.boundary.private_data_rule = Some(rule.text.clone());
            }
            if let Some(read) = read {
                goal.boundary.read = globs(read);
            }
            if let Some(write) = write {
                goal.boundary.write = allowed(write);
            }
        }
        Event::AuthoritySet { role, label, freshness } => {
            let sources = &mut goal.authority_sources;
            match sources.iter_mut().find(|source| source.role == *role && source.label == label.text) {
                Some(source) => source.freshness = *freshness,
                None => sources.push(AuthoritySource {
                    role: *role,
                    label: label.text.clone(),
                    freshness: *freshness,
                }),
            }
            // By name, so that taking one away and putting it back changes nothing.
            sources.sort_by(|a, b| (a.role, &a.label).cmp(&(b.role, &b.label)));
        }
        Event::AuthorityRemoved { role, label } => {
            goal.authority_sources.retain(|source| source.role != *role || source.label != label.text);
        }
        // What is signed needs nothing less than the passphrase.
        Event::AuthorityLocked { public_key } => {
            goal.proof = ProofFloor::Passphrase;
            goal.authority_key = Some(*public_key);
        }
        Event::GoalStateSet { to, .. } => goal.state = *to,
        Event::QuotaSet { agent: None, quota } => goal.quota = *quota,
        _ => {}
    }
}
