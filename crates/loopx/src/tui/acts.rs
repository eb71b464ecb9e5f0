//! What can be done with what is selected: the acts of the page, as entries of a menu.

use loopx_contract::{AgentId, GoalId};
use loopx_core::agent::AgentState;
use loopx_core::gate::{Gate, GateStanding};
use loopx_core::goal::GoalState;
use loopx_core::quota::Quota;
use loopx_core::todo::Todo;
use loopx_core::{Row, State};

use super::form::{Field, Form};
use super::rows::Id;
use super::text::brief;
use crate::app::acting::rejected;
use crate::app::board::Board;
use crate::app::overview::Held;
use crate::app::reading;

/// One entry.
#[derive(Clone, Debug)]
pub struct Act {
    /// The key that takes it.
    pub key: char,
    /// What it is.
    pub label: String,
    /// What it asks for.
    pub form: Form,
}

fn act(goal: &GoalId, key: char, label: impl Into<String>, name: &'static str) -> Act {
    let label = label.into();
    let form = Form::new(goal.clone(), label.clone(), name);
    Act { key, label, form }
}

impl Act {
    fn about(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.form = self.form.about(name, value);
        self
    }

    fn asks(mut self, field: Field) -> Self {
        self.form = self.form.asks(field);
        self
    }
}

/// The acts on a thing of this goal, those on the thing itself first.
pub fn on(board: &Board, goal: &GoalId, id: Option<&Id>) -> Vec<Act> {
    let Some(Held::State(state)) = board.world.goals.get(goal) else { return Vec::new() };
    let now = board.overview.now;
    let mut acts = Vec::new();
    match id {
        Some(Id::Gate(id)) => {
            acts.extend(state.gates.get(id).into_iter().flat_map(|it| gate(goal, it, board)));
        }
        Some(Id::Todo(id)) => {
            if let Some(todo) = state.todos.get(id).filter(|todo| state.is_open(todo, now)) {
                acts.extend(of_todo(board, goal, state, todo));
            }
        }
        Some(Id::Handoff(id)) => {
            if let Some(handoff) = state.handoffs.get(id).filter(|handoff| handoff.is_offered(now)) {
                let takes = |agent: &&AgentId| {
                    handoff.from != **agent && handoff.to.as_ref().is_none_or(|to| to == *agent)
                };
                let lanes: Vec<(String, String)> = state
                    .agents
                    .iter()
                    .map(|(agent, _)| agent)
                    .filter(takes)
                    .map(|agent| (agent.to_string(), agent.to_string()))
                    .collect();
                if !lanes.is_empty() {
                    let accept = act(goal, 'h', "take the handoff for a lane", "accept");
                    acts.push(
                        accept.about("handoff", id.as_str()).asks(Field::choice("agent", "for", lanes)),
                    );
                }
            }
        }
        Some(Id::Run(id)) => {
            let judgements = ["good", "mixed", "bad"].map(|word| (word.to_owned(), word.to_owned()));
            acts.push(
                act(goal, 'w', "judge the run", "reward")
                    .about("run", id.as_str())
                    .asks(Field::choice("judgement", "it was", judgements.to_vec()))
                    .asks(Field::text("reason", "reason (may be empty)")),
            );
        }
        Some(Id::Lane(_, agent)) => {
            acts.extend(waiting(board, goal, state, agent));
            acts.extend(lane(goal, state, agent));
        }
        Some(Id::Quota(Some(agent))) => acts.extend(lane(goal, state, agent)),
        Some(Id::Quota(None) | Id::Session(_)) | None => {}
    }
    acts.extend(of_goal(goal, state));
    acts
}

/// What a person can do about what a lane waits for.
fn waiting(board: &Board, goal: &GoalId, state: &State, agent: &AgentId) -> Vec<Act> {
    let Some(card) = board.find(goal, agent) else { return Vec::new() };
    if let (Row::Failed, Some((_, session))) = (card.decision.row, card.session_name()) {
        let dismiss = act(goal, 'x', "dismiss the session that failed", "dismiss");
        return vec![dismiss.about("agent", agent.as_str()).about("session", session.to_string())];
    }
    let screen = &card.decision.projection.first_screen;
    if card.decision.row == Row::Paused {
        let is_goal = state.goal.as_ref().is_some_and(|head| head.state == GoalState::Paused);
        let resume = act(goal, 'c', "let it go on", "resume");
        return vec![if is_goal { resume } else { resume.about("agent", agent.as_str()) }];
    }
    if card.decision.row == Row::Rejected {
        let (todo, gate) = rejected(screen.next_action.as_str());
        let dropped = todo.and_then(|todo| state.todos.get(&todo)).map(|todo| {
            act(goal, 'x', format!("drop: {}", todo.title), "drop").about("todo", todo.id.as_str())
        });
        let withdrawn = gate.and_then(|gate| state.gates.get(&gate)).map(|gate| {
            act(goal, 'w', format!("withdraw: {}", gate.question), "withdraw").about("gate", gate.id.as_str())
        });
        return dropped.into_iter().chain(withdrawn).collect();
    }
    let asked = screen.open_user_todo.clone();
    let Some(asked) = asked else { return Vec::new() };
    let linked = state.gates.values().find(|gate| gate.linked_todo.as_ref() == Some(&asked));
    match (linked, state.todos.get(&asked)) {
        (Some(linked), _) => self::gate(goal, linked, board),
        (None, Some(todo)) => of_todo(board, goal, state, todo),
        (None, None) => Vec::new(),
    }
}

/// A gate's own todo is done by deciding the gate.
fn of_todo(board: &Board, goal: &GoalId, state: &State, todo: &Todo) -> Vec<Act> {
    match todo.linked_gate().map(|gate| state.gates.get(gate)) {
        Some(Some(linked)) => gate(goal, linked, board),
        Some(None) => Vec::new(),
        None if todo.is_agents() => Vec::new(),
        None => {
            let label = format!("done: {}", todo.title);
            vec![act(goal, 'd', label, "finish").about("todo", todo.id.as_str())]
        }
    }
}

fn gate(goal: &GoalId, gate: &Gate, board: &Board) -> Vec<Act> {
    if gate.standing(board.overview.now) != GateStanding::Requested {
        return Vec::new();
    }
    let of = |word: &str| format!("{word} {}: {}", brief(gate.id.as_str()), gate.question);
    let hours = [("1", "1 h"), ("4", "4 h"), ("24", "1 d"), ("168", "7 d")];
    let hours = hours.map(|(value, words)| (value.to_owned(), words.to_owned())).to_vec();
    vec![
        act(goal, 'y', of("approve"), "approve").about("gate", gate.id.as_str()),
        act(goal, 'r', of("reject"), "reject")
            .about("gate", gate.id.as_str())
            .asks(Field::text("reason", "reason (may be empty)")),
        act(goal, 'o', of("put off"), "defer")
            .about("gate", gate.id.as_str())
            .asks(Field::choice("hours", "for", hours)),
    ]
}

fn lane(goal: &GoalId, state: &State, agent: &AgentId) -> Vec<Act> {
    let Some(known) = state.agents.get(agent) else { return Vec::new() };
    let pause = match known.state {
        AgentState::Active => act(goal, 'p', format!("pause {agent}"), "pause"),
        AgentState::Paused => act(goal, 'p', format!("let {agent} go on"), "resume"),
    };
    let limit = limits(act(goal, 'l', format!("limit {agent}"), "limit"), &known.quota);
    vec![pause.about("agent", agent.as_str()), limit.about("agent", agent.as_str())]
}

/// Those that are set stand in the fields: none is lost by setting another.
fn limits(act: Act, quota: &Quota) -> Act {
    let hours = u64::from(quota.window_minutes / 60);
    act.asks(Field::number("turns", "turns (empty: no limit)", quota.turns))
        .asks(Field::number("minutes", "minutes", quota.minutes))
        .asks(Field::number("tokens", "tokens", quota.tokens))
        .asks(Field::number("hours", "in so many hours", (hours > 0).then_some(hours)))
}

fn of_goal(goal: &GoalId, state: &State) -> Vec<Act> {
    let Some(head) = &state.goal else { return Vec::new() };
    let mut acts = vec![add(goal)];
    match head.state {
        GoalState::Active => acts.push(act(goal, 'P', format!("pause goal {goal}"), "pause")),
        GoalState::Paused => acts.push(act(goal, 'P', format!("let goal {goal} go on"), "resume")),
        GoalState::Done | GoalState::Archived => {}
    }
    let words = reading::quota::in_words(&head.quota);
    acts.push(limits(act(goal, 'L', format!("limit goal {goal} ({words})"), "limit"), &head.quota));
    acts.push(undo(goal));
    acts
}

/// Adds a todo.
pub fn add(goal: &GoalId) -> Act {
    let whose = [("agent", "an agent"), ("user", "me")].map(|(value, words)| (value.into(), words.into()));
    let priorities = ["P2", "P0", "P1", "P3"].map(|word| (word.to_owned(), word.to_owned()));
    act(goal, 't', format!("add a todo to {goal}"), "add")
        .asks(Field::text("title", "what is to be done"))
        .asks(Field::choice("audience", "for", whose.to_vec()))
        .asks(Field::choice("priority", "priority", priorities.to_vec()))
}

/// Takes back what the person did last.
pub fn undo(goal: &GoalId) -> Act {
    act(goal, 'u', format!("undo what was done last on {goal}"), "undo")
}
