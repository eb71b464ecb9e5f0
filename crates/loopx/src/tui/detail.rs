//! What is selected, in full.

use jiff::Timestamp;
use loopx_contract::{GoalId, MissingFact, Mode, WaitingOn};
use loopx_core::State;

use super::rows::Id;
use crate::app::SessionView;
use crate::app::board::{Board, Card};
use crate::app::overview::Held;
use crate::app::placing::Place;
use crate::app::reading::{self, Reading};
use crate::app::times::local;

/// How a part is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As it is.
    Plain,
    /// It matters most.
    Bold,
    /// It matters least.
    Dim,
    /// By whom it waits on.
    Whom(WaitingOn),
}

/// A piece of text with its name before it.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name; empty where it has none.
    pub lead: &'static str,
    /// The text.
    pub text: String,
    /// How it is drawn.
    pub look: Look,
}

/// A piece of text.
pub fn part(lead: &'static str, text: impl Into<String>) -> Part {
    Part { lead, text: text.into(), look: Look::Plain }
}

/// The same, drawn so.
pub fn looks(look: Look, text: impl Into<String>) -> Part {
    Part { lead: "", text: text.into(), look }
}

/// A title, and what stands below it.
pub type Full = (String, Vec<Part>);

/// What is known of it; nothing where it is gone. `goal` is the one that is shown.
pub fn of(board: &Board, goal: Option<&GoalId>, id: &Id, now: Timestamp) -> Option<Full> {
    match id {
        Id::Lane(goal, agent) => board.find(goal, agent).map(|card| lane(&card, now)),
        Id::Session(session) => board.session(*session).map(|view| self::session(board, view, now)),
        Id::Gate(_) | Id::Todo(_) | Id::Handoff(_) | Id::Run(_) | Id::Quota(_) => {
            let goal = goal?;
            match board.world.goals.get(goal)? {
                Held::State(state) => thing(board, state, id, now),
                Held::Damaged(_) => None,
            }
        }
    }
}

/// A lane's first screen.
pub fn lane(card: &Card<'_>, now: Timestamp) -> Full {
    let screen = &card.decision.projection.first_screen;
    let Reading { shape, word, .. } = card.reading();
    let since = card.since().map(|since| format!(", for {}", reading::age(since, now))).unwrap_or_default();
    let quota = match card.decision.frees {
        Some(frees) => format!("{}, {}", screen.quota_state.word(), reading::frees(frees, now)),
        None => screen.quota_state.word().to_owned(),
    };
    let mut evidence = card.tier().map_or("no session", |tier| tier.word()).to_owned();
    let missing = card.missing();
    if !missing.is_empty() {
        evidence += &format!(", missing {}", missing.join(", "));
    }
    let mode = match screen.boundary.mode {
        Mode::ReadOnlyProjection => "read only",
        Mode::ControlledWriteback => "controlled writeback",
    };
    let mut parts = vec![
        looks(Look::Whom(card.waiting_on()), format!("{shape} {word}{since}")),
        looks(Look::Bold, card.next_action()),
        part("gate", screen.gate_state.word()),
        part("quota", quota),
        part("validation", card.validation()),
        part("evidence", evidence),
        part("boundary", format!("{mode}; {}", screen.boundary.stop_condition.as_str())),
    ];
    if let Some((runtime, session)) = card.session_name() {
        parts.push(part("session", format!("{runtime} {session}")));
    }
    if let Some(todo) = &screen.open_user_todo {
        parts.push(part("your todo", todo.to_string()));
    }
    if let Some(todo) = &screen.first_executable_agent_todo {
        parts.push(part("its todo", todo.to_string()));
    }
    (format!("{} / {}", card.goal(), card.agent()), parts)
}

/// Why a lane's first screen is what it is.
pub fn why(board: &Board, card: &Card<'_>) -> Vec<Part> {
    let why = match board.world.why(card.goal(), card.agent()) {
        Ok(why) => why,
        Err(error) => return vec![looks(Look::Plain, format!("it can't be said why: {error}"))],
    };
    let row = why.decision.row;
    let mut parts = vec![
        looks(Look::Plain, ""),
        looks(Look::Bold, "Why"),
        part("row", format!("{} {}: {}", row.number(), row.name(), row.holds_when())),
    ];
    parts.extend(why.facts.iter().map(|fact| part("because of", reading::fact(fact, &board.world))));
    parts.extend(why.shared.iter().map(|fact| part("as well as", reading::fact(fact, &board.world))));
    parts.extend(why.decision.lacking.iter().map(|word| part("lacking", *word)));
    if !why.passed.is_empty() {
        let passed: Vec<&str> = why.passed.iter().map(|row| row.name()).collect();
        parts.push(Part { look: Look::Dim, ..part("not", passed.join(", ")) });
    }
    parts
}

/// A session, from facts alone.
pub fn session(board: &Board, view: &SessionView, now: Timestamp) -> Full {
    let facts = &view.facts;
    let Reading { shape, word, .. } = Reading::of(view.waiting_on);
    let instant = |at| format!("{} ({})", local(at, &board.zone), reading::ago(Some(at), now));
    let place = match &view.place {
        Place::Lane(goal, agent) => format!("{goal} / {agent}"),
        Place::Goal(goal) => format!("goal {goal}, in no lane"),
        Place::Nowhere => "no goal: `loopx bind` gives it one".to_owned(),
    };
    let mut parts = vec![
        looks(Look::Whom(view.waiting_on), format!("{shape} {word}: {}", facts.state.word())),
        part("of", place),
        part("by", format!("{}: {}", facts.tier.word(), facts.rule.words())),
    ];
    let times = [("began", facts.started_at), ("so since", facts.since), ("last heard", facts.last_activity)];
    parts.extend(times.into_iter().filter_map(|(lead, at)| Some(part(lead, instant(at?)))));
    let missing: Vec<&str> = facts.missing.iter().copied().map(MissingFact::word).collect();
    parts.push(part("missing", if missing.is_empty() { "nothing".to_owned() } else { missing.join(", ") }));
    if let Some(usage) = &facts.usage {
        let (turns, input, cached) = (usage.turns, usage.input_tokens, usage.cached_input_tokens);
        let spent =
            format!("{turns} turns, {input} tokens in ({cached} cached), {} out", usage.output_tokens);
        parts.push(part("spent", spent));
    }
    parts.extend(facts.checks.iter().map(|check| {
        let (label, outcome) = (format!("{:?}", check.label), format!("{:?}", check.outcome));
        let exit = check.exit_code.map(|code| format!(", exit {code}")).unwrap_or_default();
        let at = check.at.map(|at| format!(", {}", reading::ago(Some(at), now))).unwrap_or_default();
        part("check", format!("{} {}{exit}{at}", label.to_lowercase(), outcome.to_lowercase()))
    }));
    parts.extend(facts.limits.iter().map(|limit| {
        let used = match limit.used_basis_points {
            Some(used) => format!("{} % used", used / 100),
            None => "not said how much is used".to_owned(),
        };
        let reached = if limit.reached { ", reached" } else { "" };
        let resets = limit.resets_at.map(|at| format!(", resets {}", reading::relative(at, now)));
        let window = format!("{:?}", limit.window).to_lowercase();
        part("window", format!("{window}: {used}{reached}{}", resets.unwrap_or_default()))
    }));
    (format!("{} {}", facts.runtime_id, facts.session_id), parts)
}

fn thing(board: &Board, state: &State, id: &Id, now: Timestamp) -> Option<Full> {
    match id {
        Id::Gate(id) => {
            let gate = state.gates.get(id)?;
            let standing = reading::standing(gate.standing(now));
            let by = gate.asked_by.as_ref().map_or("a person".to_owned(), |agent| format!("agent {agent}"));
            let asked = format!("by {by} {}", reading::relative(gate.created_at, now));
            let mut parts = vec![
                looks(Look::Bold, gate.question.to_string()),
                part("stands", standing),
                part("decides", reading::gate::actor_word(gate)),
                part("covers", reading::covers(&gate.covers)),
                part("asked", asked),
            ];
            let decision = reading::gate::decision(gate, &board.zone, now);
            if !decision.is_empty() {
                parts.push(part("decision", decision));
            }
            Some((id.to_string(), parts))
        }
        Id::Todo(id) => {
            let todo = state.todos.get(id)?;
            let mut parts = vec![
                looks(Look::Bold, todo.title.to_string()),
                part("stands", reading::todo::state_word(todo, state, now)),
                part("for", format!("{}, {:?}", reading::todo::audience_word(todo), todo.priority)),
                part("added", reading::relative(todo.created_at, now)),
            ];
            parts.extend(reading::todo::notes(todo, state, now).into_iter().map(|note| part("", note)));
            if !todo.needs.is_empty() {
                let needs: Vec<String> = todo.needs.iter().map(ToString::to_string).collect();
                parts.push(part("needs", needs.join(", ")));
            }
            Some((id.to_string(), parts))
        }
        Id::Handoff(id) => {
            let handoff = state.handoffs.get(id)?;
            let mut parts = vec![
                looks(Look::Bold, handoff.next_action.to_string()),
                part("stands", reading::handoff::state_word(handoff, now)),
                part("from", handoff.from.to_string()),
                part("to", reading::handoff::receiver(handoff)),
                part("over", handoff.todo.to_string()),
            ];
            parts.extend(handoff.stop_condition.iter().map(|stop| part("stop", stop.to_string())));
            parts.extend(handoff.expires_at.iter().map(|at| part("expires", reading::relative(*at, now))));
            Some((id.to_string(), parts))
        }
        Id::Run(id) => {
            let run = state.runs.get(id)?;
            let mut parts =
                vec![part("was", reading::run::kind_word(run)), part("by", run.agent.to_string())];
            parts.extend(run.summary.iter().map(|summary| looks(Look::Bold, summary.to_string())));
            let check = reading::run::check(run);
            if !check.is_empty() {
                parts.push(part("check", check));
            }
            parts.extend(run.todo.iter().map(|todo| part("todo", todo.to_string())));
            parts.push(part("at", reading::instant(run.at, &board.zone, now)));
            Some((id.to_string(), parts))
        }
        Id::Quota(agent) => {
            let (name, quota) = match agent {
                Some(agent) => (agent.to_string(), &state.agents.get(agent)?.quota),
                None => ("the goal".to_owned(), &state.goal.as_ref()?.quota),
            };
            Some((name, vec![part("quota", reading::quota::in_words(quota))]))
        }
        Id::Lane(..) | Id::Session(_) => None,
    }
}
