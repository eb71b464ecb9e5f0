//! The table, row by row.

use loopx_contract::{GateState, QuotaState, SessionFacts, WaitingOn};

use crate::agent::{Agent, AgentState};
use crate::first_screen::lane::{Ask, Lane, Obstacle};
use crate::first_screen::output::{self, Answer};
use crate::first_screen::sessions::{Doing, Failure, LimitReset, Sessions};
use crate::first_screen::{Decision, Fact, Inputs, Known, Row, Sight, text};
use crate::gate::{GateActor, GateStanding};
use crate::goal::{Goal, GoalState};
use crate::quota::Frees;
use crate::state::State;
use crate::todo::{Blocker, Succession, Todo, TodoClass};

/// The first row that holds.
pub(super) fn decide(inputs: &Inputs<'_>) -> Decision {
    match inputs.known {
        Known::Damaged { code } => output::damaged(inputs, code),
        Known::Missing => output::unknown_goal(inputs),
        Known::State(state) => match (&state.goal, state.agents.get(inputs.agent)) {
            (None, _) => output::unknown_goal(inputs),
            (Some(goal), None) => output::unknown_lane(inputs, goal),
            (Some(goal), Some(agent)) => decide_lane(inputs, state, goal, agent),
        },
    }
}

fn decide_lane(inputs: &Inputs<'_>, state: &State, goal: &Goal, agent: &Agent) -> Decision {
    let lane = Lane::new(state, goal, agent, inputs.now).observing(inputs.observed);
    let own = inputs.caller.and_then(|caller| caller.session.as_ref()).map(loopx_contract::Ref::as_str);
    let all: &[SessionFacts] = match inputs.sight {
        Sight::Observed if !lane.is_human() => inputs.sessions,
        Sight::Observed | Sight::Unrecorded => &[],
    };
    let sessions = Sessions::new(all, own, inputs.now);
    let table = Table { lane: &lane, sessions: &sessions, inputs };
    let answer = table.answer();
    output::render(inputs, &lane, all, &sessions, answer, table.gate_state())
}

struct Table<'a, 's> {
    lane: &'a Lane<'a>,
    sessions: &'a Sessions<'s>,
    inputs: &'a Inputs<'a>,
}

impl<'a> Table<'a, '_> {
    fn answer(&self) -> Answer<'a> {
        let no_executable = self.lane.executable.is_none();
        None.or_else(|| self.closed())
            .or_else(|| self.paused())
            .or_else(|| self.prompt())
            .or_else(|| if no_executable { self.held() } else { None })
            .or_else(|| self.working())
            .or_else(|| self.unsure())
            .or_else(|| if no_executable { self.without_executable() } else { self.with_executable() })
            .unwrap_or_else(|| self.quiet())
    }

    fn without_executable(&self) -> Option<Answer<'a>> {
        None.or_else(|| self.rejected())
            .or_else(|| self.deferred())
            .or_else(|| self.unfit())
            .or_else(|| self.peers())
            .or_else(|| self.evidence())
            .or_else(|| self.stuck())
            .or_else(|| self.succession())
            .or_else(|| self.asked())
    }

    fn with_executable(&self) -> Option<Answer<'a>> {
        let todo = self.lane.executable?;
        None.or_else(|| self.failed(todo))
            .or_else(|| self.limited(todo))
            .or_else(|| self.throttled(todo))
            .or_else(|| Some(self.ready(todo)))
    }

    /// One function, whatever the row.
    fn gate_state(&self) -> GateState {
        let lane = self.lane;
        if matches!(lane.goal.state, GoalState::Done | GoalState::Archived) {
            return GateState::Clear;
        }
        if lane.asks.iter().any(|ask| matches!(ask, Ask::Gate(_))) {
            GateState::OperatorGate
        } else if !lane.asks.is_empty() {
            GateState::UserTodo
        } else if lane.executable.is_none() && !lane.gates(GateStanding::Rejected).is_empty() {
            GateState::Blocked
        } else if !lane.gates(GateStanding::Deferred).is_empty() {
            GateState::Deferred
        } else if lane.executable.is_some_and(|todo| lane.is_approved(todo)) {
            GateState::Approved
        } else {
            GateState::Clear
        }
    }

    fn closed(&self) -> Option<Answer<'a>> {
        let state = self.lane.goal.state;
        matches!(state, GoalState::Done | GoalState::Archived).then(|| {
            Answer::new(
                Row::Closed,
                WaitingOn::None,
                QuotaState::Blocked,
                15,
                "reopen the goal to go on".into(),
            )
            .cite(Fact::GoalState)
        })
    }

    fn paused(&self) -> Option<Answer<'a>> {
        let (what, fact) = if self.lane.goal.state == GoalState::Paused {
            ("resume the goal".to_owned(), Fact::GoalState)
        } else if self.lane.agent.state == AgentState::Paused {
            (format!("resume agent {}", self.lane.agent.id), Fact::AgentState)
        } else {
            return None;
        };
        let still = self.sessions.deciding;
        let text = match still {
            Some(session) => format!("{what}; session {} still {}", session.session_id, session.state.word()),
            None => what,
        };
        Some(
            Answer::new(Row::Paused, WaitingOn::Controller, QuotaState::Blocked, 11, text)
                .cite(fact)
                .cite_session(still),
        )
    }

    fn prompt(&self) -> Option<Answer<'a>> {
        let session = self.sessions.that_is(Doing::Asking)?;
        let then = self.lane.asks.first();
        let todo = self.lane.claim().map(|todo| todo.id.clone()).or_else(|| self.lane.open_user_todo());
        Some(
            Answer::new(
                Row::Prompt,
                WaitingOn::User,
                QuotaState::OperatorGate,
                10,
                text::prompt(session, then),
            )
            .todo_id(todo.as_ref())
            .cite_session(Some(session))
            .cite_asks(self.lane.asks.get(..1).unwrap_or_default()),
        )
    }

    fn held(&self) -> Option<Answer<'a>> {
        let lane = self.lane;
        let first = lane.asks.first()?;
        let (waiting_on, exit) = match first.actor() {
            GateActor::User => (WaitingOn::User, 10),
            GateActor::Controller => (WaitingOn::Controller, 11),
        };
        let working = self.sessions.that_is(Doing::Working);
        let held =
            lane.held_todo(|todo| lane.is_held_by(todo, first)).map(|todo| &todo.id).or_else(|| first.todo());
        Some(
            Answer::new(
                Row::Held,
                waiting_on,
                QuotaState::OperatorGate,
                exit,
                text::held(&lane.asks, working),
            )
            .todo_id(held)
            .cite_session(working)
            .cite_asks(&lane.asks),
        )
    }

    fn working(&self) -> Option<Answer<'a>> {
        let session = self.sessions.that_is(Doing::Working)?;
        let lane = self.lane;
        let frees = lane.used_up();
        let todo = lane.claim().or(lane.executable);
        let (quota, exit) = match (frees, lane.executable) {
            (Some(_), _) => (QuotaState::Throttled, 14),
            (None, Some(_)) => (QuotaState::Eligible, 16),
            (None, None) => (QuotaState::MonitorQuietSkip, 16),
        };
        let text = text::working(todo, session, frees);
        Some(
            Answer::new(Row::Working, WaitingOn::Agent, quota, exit, text)
                .todo(todo)
                .executable(lane.executable.filter(|_| frees.is_none()))
                .cite_session(Some(session))
                .cite_todo(todo)
                .cite_limit(frees),
        )
    }

    fn unsure(&self) -> Option<Answer<'a>> {
        let session = self.sessions.that_is(Doing::Unsure)?;
        let text = text::unsure(session);
        Some(
            Answer::new(Row::Unsure, WaitingOn::Runtime, QuotaState::Blocked, 12, text)
                .todo(self.lane.claim())
                .cite_session(Some(session)),
        )
    }

    fn rejected(&self) -> Option<Answer<'a>> {
        let lane = self.lane;
        let gate = lane.gates(GateStanding::Rejected).into_iter().next()?;
        let held = lane.held_todo(|todo| lane.gate_holds(gate, todo));
        Some(
            Answer::new(
                Row::Rejected,
                WaitingOn::Controller,
                QuotaState::Blocked,
                11,
                text::rejected(gate, held),
            )
            .todo(held)
            .cite(Fact::Gate(gate.id.clone()))
            .cite_todo(held),
        )
    }

    fn deferred(&self) -> Option<Answer<'a>> {
        let lane = self.lane;
        let gate = lane.gates(GateStanding::Deferred).into_iter().next()?;
        let held = lane.held_todo(|todo| lane.gate_holds(gate, todo));
        let text = text::deferred(gate);
        Some(
            Answer::new(Row::Deferred, WaitingOn::ExternalEvidence, QuotaState::OperatorGate, 13, text)
                .todo(held)
                .cite(Fact::Gate(gate.id.clone())),
        )
    }

    fn unfit(&self) -> Option<Answer<'a>> {
        let lane = self.lane;
        let todo = lane.here.iter().copied().find(|todo| lane.is_free(todo) && !lane.fits_anyone(todo))?;
        let text = text::unfit(todo, lane.lacks(lane.agent, todo));
        Some(
            Answer::new(Row::Unfit, WaitingOn::Controller, QuotaState::Blocked, 11, text)
                .todo(Some(todo))
                .cite_todo(Some(todo)),
        )
    }

    fn failed(&self, todo: &'a Todo) -> Option<Answer<'a>> {
        // A run of a clock that ran ahead is not known to be later than the session.
        let last_run = self.lane.agent.latest_run.as_ref().filter(|run| run.at <= self.lane.now);
        let claim = self.lane.claim();
        let session = self.sessions.failed(claim.is_some(), last_run)?;
        let died = Failure::of(session) == Some(Failure::Died);
        Some(
            Answer::new(Row::Failed, WaitingOn::Runtime, QuotaState::Blocked, 12, text::failed(session))
                .todo(Some(todo))
                .cite_session(Some(session))
                .cite_todo(Some(todo))
                .cite_claim(claim.filter(|_| died)),
        )
    }

    fn limited(&self, todo: &'a Todo) -> Option<Answer<'a>> {
        let (session, reset) = self.sessions.limited()?;
        let (text, frees) = match reset {
            LimitReset::At(at) => {
                (format!("no automatic turn before {}", text::instant(at)), Some(Frees::At(at)))
            }
            LimitReset::Unknown { seen } => {
                (format!("limit seen at {}, reset unknown", text::instant(seen)), None)
            }
        };
        Some(
            Answer::new(Row::Limited, WaitingOn::Runtime, QuotaState::Throttled, 14, text)
                .frees(frees)
                .todo(Some(todo))
                .cite_session(Some(session))
                .cite_todo(Some(todo)),
        )
    }

    fn throttled(&self, todo: &'a Todo) -> Option<Answer<'a>> {
        let frees = self.lane.used_up()?;
        let waiting_on = match frees {
            Frees::At(_) => WaitingOn::None,
            Frees::Never => WaitingOn::Controller,
        };
        Some(
            Answer::new(Row::Throttled, waiting_on, QuotaState::Throttled, 14, text::throttled(frees))
                .todo(Some(todo))
                .cite_todo(Some(todo))
                .cite_limit(Some(frees)),
        )
    }

    fn ready(&self, todo: &'a Todo) -> Answer<'a> {
        let mut text = text::ready(self.lane, todo);
        let current = self.sessions.current;
        if self.inputs.caller.is_none() && !self.lane.is_human() && self.inputs.sight == Sight::Observed {
            match current {
                Some(session) => {
                    text +=
                        &format!("; session {} {}: start a turn", session.session_id, session.state.word());
                }
                None => text += "; no session attached",
            }
        }
        let offer = self.lane.offer(todo);
        let mut answer = Answer::new(Row::Ready, WaitingOn::Agent, QuotaState::Eligible, 0, text)
            .todo(Some(todo))
            .executable(Some(todo))
            .cite_todo(Some(todo))
            .cite_session(current.filter(|_| self.inputs.caller.is_none()));
        if let Some(offer) = offer {
            answer = answer.cite(Fact::Offer(offer.id.clone()));
        }
        answer
    }

    fn peers(&self) -> Option<Answer<'a>> {
        let lane = self.lane;
        let free = |todo: &&'a Todo| lane.is_free(todo);
        let any_free = lane.here.iter().copied().chain(lane.away.iter().copied()).any(|todo| free(&todo));
        let all_away = lane.here.is_empty() && !lane.away.is_empty();
        if !any_free && !all_away {
            return None;
        }
        let todo = lane
            .here
            .iter()
            .chain(&lane.away)
            .copied()
            .filter(|todo| all_away || free(todo))
            .min_by_key(|todo| (todo.priority, todo.created_at, &todo.id))?;
        let text =
            match lane.lacks(lane.agent, todo).filter(|_| !lane.away.iter().any(|away| away.id == todo.id)) {
                Some(lack) => text::for_others(lane, todo, lack),
                None => text::peers(lane, todo),
            };
        let mut answer = Answer::new(Row::Peers, WaitingOn::Agent, QuotaState::MonitorQuietSkip, 15, text)
            .todo(Some(todo))
            .cite_todo(Some(todo));
        if let Some(offer) = lane.offer(todo) {
            answer = answer.cite(Fact::Offer(offer.id.clone()));
        } else if todo.live_claim(lane.now).is_some() {
            answer = answer.cite(Fact::Claim(todo.id.clone()));
        }
        Some(answer)
    }

    fn evidence(&self) -> Option<Answer<'a>> {
        let lane = self.lane;
        let cause = |todo: &'a Todo| -> Option<String> {
            let blocker = lane.obstacles(todo).find_map(|obstacle| match obstacle {
                Obstacle::Evidence(blocker) => Some(blocker),
                Obstacle::Thing(_) => None,
            });
            match (blocker, todo.class) {
                (Some(blocker), _) => Some(text::evidence(lane, blocker)),
                (None, TodoClass::Monitor { next_due_at }) if next_due_at > lane.now => {
                    Some(text::recheck(&todo.id, next_due_at))
                }
                (None, TodoClass::Monitor { .. } | TodoClass::Advance) => None,
            }
        };
        let open = lane.here.iter().copied().filter_map(|todo| Some((todo, cause(todo)?)));
        let deferred = lane
            .deferred()
            .into_iter()
            .filter_map(|(todo, until)| Some((todo, text::recheck(&todo.id, until?))));
        let (todo, text) =
            open.chain(deferred).min_by_key(|(todo, _)| (todo.priority, todo.created_at, &todo.id))?;
        Some(
            Answer::new(Row::Evidence, WaitingOn::ExternalEvidence, QuotaState::MonitorQuietSkip, 13, text)
                .todo(Some(todo))
                .cite_todo(Some(todo)),
        )
    }

    fn stuck(&self) -> Option<Answer<'a>> {
        let lane = self.lane;
        let todo = lane.here.first().copied()?;
        let blockers: Vec<&Blocker> = lane
            .obstacles(todo)
            .map(|obstacle| match obstacle {
                Obstacle::Thing(blocker) | Obstacle::Evidence(blocker) => blocker,
            })
            .collect();
        let text = text::stuck(todo, &blockers, &lane.gates_over(todo));
        Some(
            Answer::new(Row::Stuck, WaitingOn::Controller, QuotaState::Blocked, 11, text)
                .todo(Some(todo))
                .cite_todo(Some(todo)),
        )
    }

    fn succession(&self) -> Option<Answer<'a>> {
        let last = self.lane.goal.last_finished.as_ref()?;
        if last.agent != self.lane.agent.id || last.succession != Succession::Unsaid {
            return None;
        }
        let frees = self.lane.used_up();
        let (quota, exit) = match frees {
            Some(_) => (QuotaState::Throttled, 14),
            None => (QuotaState::MonitorQuietSkip, 15),
        };
        let text = format!("name a successor of {}, or say that none is needed", last.todo);
        Some(
            Answer::new(Row::Succession, WaitingOn::Agent, quota, exit, text)
                .todo_id(Some(&last.todo))
                .cite(Fact::LastFinished(last.todo.clone())),
        )
    }

    fn asked(&self) -> Option<Answer<'a>> {
        let todo = self.lane.wishes().into_iter().next()?;
        let text = format!("{}, when you can", todo.title);
        Some(
            Answer::new(Row::Asked, WaitingOn::User, QuotaState::MonitorQuietSkip, 10, text)
                .todo(Some(todo))
                .cite_todo(Some(todo)),
        )
    }

    fn quiet(&self) -> Answer<'a> {
        let deferred = self.lane.deferred();
        let mut text = "add a todo or close the goal".to_owned();
        if !deferred.is_empty() {
            text += &format!("; {} deferred", deferred.len());
        }
        deferred.iter().fold(
            Answer::new(Row::Quiet, WaitingOn::None, QuotaState::MonitorQuietSkip, 15, text),
            |answer, (todo, _)| answer.cite(Fact::Todo(todo.id.clone())),
        )
    }
}
