//! What waits on a person, each thing by itself: a prompt in a session, or what a lane asks.

use std::fmt;

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, RuntimeId, SessionState, TodoId, WaitingOn};
use loopx_core::first_screen::owed;
use loopx_core::todo::Audience;
use loopx_core::{Decision, Row, State};
use loopx_safety::{ActionText, Handle};
use serde::{Deserialize, Serialize};

use crate::app::overview::SessionView;
use crate::app::placing::{Only, Place};

/// What waits. A session that comes to belong to another lane goes on waiting.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Waiting {
    /// A session shows a prompt.
    Session {
        /// Our handle of it.
        session_id: Handle,
    },
    /// A lane waits for what a person owes it.
    Lane {
        /// Its goal.
        goal_id: GoalId,
        /// The lane.
        agent_id: AgentId,
        /// The todo that stands for it.
        todo_id: Option<TodoId>,
    },
}

/// Why it waits on a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A permission prompt is up.
    PermissionPrompt,
    /// A question or plan is up.
    Question,
    /// A decision is owed.
    Decision,
    /// A todo of the person's holds the work.
    Todo,
    /// A todo of the person's holds nothing.
    Wish,
}

/// What a person is asked, without the lane: several lanes may wait for one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask<'a> {
    /// A session's prompt.
    Prompt(Handle),
    /// A todo of the person's, which may stand for a gate.
    Todo(&'a GoalId, &'a TodoId),
    /// A lane that asks for no todo.
    Lane(&'a GoalId, &'a AgentId),
}

impl fmt::Display for Ask<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prompt(session) => write!(out, "{session}"),
            Self::Todo(goal, todo) => write!(out, "{goal}/{todo}"),
            Self::Lane(goal, agent) => write!(out, "{goal}/{agent}"),
        }
    }
}

/// How much waits on a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// What lanes ask, each thing counted once.
    pub asks: usize,
    /// The lanes that wait for it.
    pub lanes: usize,
    /// Prompts in sessions of no lane.
    pub prompts: usize,
    /// Lanes that whoever runs their goal has to set right.
    pub to_set_right: usize,
}

impl Waits {
    /// How many things there are to do.
    pub const fn count(self) -> usize {
        self.asks + self.prompts
    }
}

impl Reason {
    /// The row of a lane that waits for this alone.
    pub const fn row(self) -> Row {
        match self {
            Self::PermissionPrompt | Self::Question => Row::Prompt,
            Self::Decision | Self::Todo => Row::Held,
            Self::Wish => Row::Asked,
        }
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::PermissionPrompt => "a permission prompt is up",
            Self::Question => "a question is up",
            Self::Decision => "a decision is owed",
            Self::Todo => "a todo of yours holds the work",
            Self::Wish => "a todo of yours is open, and holds nothing",
        }
    }
}

/// One thing that waits on a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// What waits.
    pub what: Waiting,
    /// Why.
    pub reason: Reason,
    /// The goal it belongs to, if to any.
    pub goal: Option<GoalId>,
    /// The lane it belongs to, if to any.
    pub agent: Option<AgentId>,
    /// The runtime of the session that shows the prompt.
    pub runtime: Option<RuntimeId>,
    /// Since when, UTC, where that is known.
    pub since: Option<Timestamp>,
    /// What the lane's first screen says of it, titles and questions among it.
    pub next_action: Option<ActionText>,
}

impl Wait {
    /// What a lane waits for, if it waits on a person: every prompt in its sessions, and every ask that holds it. What
    /// the lane's row is does not hide one behind the other.
    pub(super) fn of_lane(
        decision: &Decision,
        state: &State,
        sessions: &[SessionView],
        now: Timestamp,
    ) -> Vec<Self> {
        let projection = &decision.projection;
        let screen = &projection.first_screen;
        if screen.waiting_on != WaitingOn::User {
            return Vec::new();
        }
        let (goal_id, agent_id) = (&projection.goal_id, &projection.agent_id);
        let lane = Place::Lane(goal_id.clone(), agent_id.clone());
        // The first screen speaks of one thing.
        let said = |is_said: bool| is_said.then(|| screen.next_action.clone());
        let is_up = |view: &&SessionView| {
            decision.row == Row::Prompt && view.place == lane && view.waiting_on == WaitingOn::User
        };
        let prompts = sessions.iter().filter(is_up).map(|view| Self {
            next_action: said(projection.runtime.session_id == Some(view.facts.session_id.into())),
            ..Self::of_session(view)
        });
        let todos = if decision.row == Row::Asked {
            screen.open_user_todo.iter().cloned().collect()
        } else {
            owed(decision, state, now)
        };
        let asks = todos.into_iter().enumerate().map(|(place, id)| {
            let todo = state.todos.get(&id);
            let reason = match todo.map(|todo| &todo.audience) {
                _ if decision.row == Row::Asked => Reason::Wish,
                Some(Audience::User { gate: Some(_), .. }) => Reason::Decision,
                Some(Audience::User { gate: None, .. } | Audience::Agent) | None => Reason::Todo,
            };
            Self {
                what: Waiting::Lane {
                    goal_id: goal_id.clone(),
                    agent_id: agent_id.clone(),
                    todo_id: Some(id),
                },
                reason,
                goal: Some(goal_id.clone()),
                agent: Some(agent_id.clone()),
                runtime: None,
                since: todo.map(|todo| todo.created_at),
                next_action: said(place == 0 && decision.row != Row::Prompt),
            }
        });
        prompts.chain(asks).collect()
    }

    /// What a session waits for: it shows a prompt.
    pub(super) fn of_session(view: &SessionView) -> Self {
        let facts = &view.facts;
        let (goal, agent) = match &view.place {
            Place::Lane(goal, agent) => (Some(goal.clone()), Some(agent.clone())),
            Place::Goal(goal) => (Some(goal.clone()), None),
            Place::Nowhere => (None, None),
        };
        Self {
            what: Waiting::Session { session_id: facts.session_id },
            reason: if facts.state == SessionState::WaitingAnswer {
                Reason::Question
            } else {
                Reason::PermissionPrompt
            },
            goal,
            agent,
            runtime: Some(facts.runtime_id.clone()),
            since: facts.since,
            next_action: None,
        }
    }

    /// What is asked.
    pub const fn ask(&self) -> Ask<'_> {
        match &self.what {
            Waiting::Session { session_id } => Ask::Prompt(*session_id),
            Waiting::Lane { goal_id, todo_id: Some(todo), .. } => Ask::Todo(goal_id, todo),
            Waiting::Lane { goal_id, agent_id, todo_id: None } => Ask::Lane(goal_id, agent_id),
        }
    }

    /// Whether it is among what is asked for.
    pub fn is_of(&self, only: &Only) -> bool {
        only.goal.as_ref().is_none_or(|goal| self.goal.as_ref() == Some(goal))
            && only.agent.as_ref().is_none_or(|agent| self.agent.as_ref() == Some(agent))
    }
}
