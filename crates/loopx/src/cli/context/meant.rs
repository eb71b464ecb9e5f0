//! Goals and lanes that are named and not there: what may be meant instead.

use loopx_contract::{AgentId, GoalId};
use loopx_core::Refusal;

use super::Context;
use crate::app::similar::{did_you_mean, similar};
use crate::error::{CliError, ErrorKind};

impl Context {
    /// There is no such goal.
    pub fn no_goal(&mut self, goal: &GoalId) -> CliError {
        let meant = self.goal_like(goal);
        asking(Refusal::NoGoal(goal.clone()).into(), meant.as_deref())
    }

    /// An error; one that says that there is no such goal asks which may be meant.
    pub fn asking_goal(&mut self, goal: &GoalId, error: CliError) -> CliError {
        if error == Refusal::NoGoal(goal.clone()).into() { self.no_goal(goal) } else { error }
    }

    /// No goal, or not the one that is named, has such a lane.
    pub(super) fn no_agent(&mut self, goal: Option<&GoalId>, agent: &AgentId) -> CliError {
        let error = match goal {
            Some(_) => Refusal::NoAgent(agent.clone()).into(),
            None => CliError::not_found(format!("no agent {agent} on any goal"))
                .hint("see `loopx status` for goals and their lanes, or add it: `loopx agent add`"),
        };
        asking(error, self.agent_like(goal, agent).as_deref())
    }

    /// Fails where there is no such goal. One that can't be read is there: the decision says what is wrong with it.
    pub fn registered(&mut self, goal: &GoalId) -> Result<(), CliError> {
        match self.readable(goal) {
            Ok(Some(state)) if state.goal.is_none() => Err(self.no_goal(goal)),
            Ok(Some(_) | None) => Ok(()),
            Err(error) => Err(self.asking_goal(goal, error)),
        }
    }

    /// Fails where there is no such goal, or it has no such lane.
    pub fn registered_lane(&mut self, goal: &GoalId, agent: &AgentId) -> Result<(), CliError> {
        self.registered(goal)?;
        match self.readable(goal)? {
            Some(state) if state.agents.get(agent).is_none() => Err(self.no_agent(Some(goal), agent)),
            Some(_) | None => Ok(()),
        }
    }

    /// Says which goal or lane may be meant, where the first screen says how to register one that is not there.
    pub fn note_meant(&mut self, goal: &GoalId, agent: &AgentId) {
        let (what, meant) = match self.readable(goal) {
            Ok(Some(state)) if state.agents.get(agent).is_none() => {
                (format!("no agent {agent} on goal {goal}"), self.agent_like(Some(goal), agent))
            }
            Err(error) if error.kind == ErrorKind::NotFound => {
                (format!("no goal {goal}"), self.goal_like(goal))
            }
            Ok(Some(_) | None) | Err(_) => return,
        };
        if let Some(meant) = meant {
            self.ui.note(&format!("{what}: {}", did_you_mean(&meant).trim_end()));
        }
    }

    fn goal_like(&mut self, goal: &GoalId) -> Option<String> {
        let goals = self.plane().ok()?.goals().ok()?;
        similar(goal.as_str(), goals.iter().map(|goal| goal.id.as_str())).map(str::to_owned)
    }

    fn agent_like(&mut self, goal: Option<&GoalId>, agent: &AgentId) -> Option<String> {
        let goals = match goal {
            Some(goal) => vec![goal.clone()],
            None => self.plane().ok()?.goals().ok()?.into_iter().map(|goal| goal.id).collect(),
        };
        let mut agents = Vec::new();
        for goal in goals {
            let Ok(Some(state)) = self.readable(&goal) else { continue };
            agents.extend(state.agents.iter().map(|(id, _)| id.to_string()));
        }
        similar(agent.as_str(), agents.iter().map(String::as_str)).map(str::to_owned)
    }
}

/// An error whose way out begins with what may be meant.
fn asking(error: CliError, meant: Option<&str>) -> CliError {
    let Some(meant) = meant else { return error };
    let hint = format!("{}{}", did_you_mean(meant), error.hint.as_deref().unwrap_or_default());
    error.hint(hint)
}
