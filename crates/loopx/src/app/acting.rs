//! What a person can do from a screen: the same commands as on the command line, in words before they are given.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, GateId, HandoffId, RunId, TodoId};
use loopx_core::actor::Who;
use loopx_core::agent::AgentState;
use loopx_core::command::{
    AudienceDraft, Decision, GateWithdraw, RewardGive, RunDraft, RunRecord, TodoAdd, TodoDrop, TodoFinish,
};
use loopx_core::quota::Quota;
use loopx_core::reward::Judgement;
use loopx_core::run::RunKind;
use loopx_core::todo::{Blocking, Covers, Priority, Succession, TodoClass};
use loopx_core::{AuthorityCommand, Command, LaneCommand, State};
use loopx_safety::{Handle, PrivateWords, PublicText};
use serde::Serialize;

use crate::app::counting::WINDOW;
use crate::app::reading;
use crate::error::CliError;

/// How long a lane that takes a handoff holds its todo at first, in minutes.
const LEASE: u32 = 60;

/// What is asked for, as a form says it: `act` names the act, the other fields what it is about. Nothing of it is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked(BTreeMap<String, String>);

impl Asked {
    /// The fields of a form; of those of one name the last counts.
    pub fn of(fields: Vec<(String, String)>) -> Self {
        Self(fields.into_iter().collect())
    }

    /// All fields, to be asked for again.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A field; one that is not there is empty.
    pub fn field(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }
}

/// A command, and what it does in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The command.
    pub command: Command,
    /// What it does, for the one who has to confirm it.
    pub words: String,
    /// What stood there when it was prepared, as a digest: the person confirms what they saw.
    pub seen: String,
}

impl Prepared {
    /// Whether it needs a person's proof.
    pub const fn needs_person(&self) -> bool {
        matches!(self.command, Command::Authority(_))
    }
}

impl Asked {
    /// Makes the command of it, as the goal stands at `now`. `words` are the names that no text may hold.
    pub fn prepare(&self, state: &State, words: &PrivateWords, now: Timestamp) -> Result<Prepared, CliError> {
        let field = |name: &str| self.field(name);
        let text = |name: &str| {
            PublicText::without(field(name).trim(), words).map_err(|refusal| {
                CliError::refused(format!("{name} refused: {refusal}")).hint(refusal.hint())
            })
        };
        let reason = || if field("reason").is_empty() { Ok(None) } else { text("reason").map(Some) };
        match field("act") {
            "approve" => {
                let decision = Decision::Approve { until: None, single_use: false };
                decide(state, field("gate"), "approve", decision, now)
            }
            "reject" => decide(state, field("gate"), "reject", Decision::Reject { reason: reason()? }, now),
            "defer" => {
                let length = hours(field("hours"))?;
                let until = now.checked_add(length).map_err(|_| far())?;
                let how = format!("put off for {} h", length.as_hours());
                let decision = Decision::Defer { until: Some(until), condition: None };
                decide(state, field("gate"), &how, decision, now)
            }
            "finish" => finish(state, field("todo")),
            "drop" => drop_todo(state, field("todo")),
            "withdraw" => withdraw(state, field("gate")),
            "add" => add(text("title")?, field("audience"), field("priority")),
            "reward" => reward(field("run"), field("judgement"), reason()?),
            "limit" => self.limit(state),
            "pause" => standing(state, field("agent"), AgentState::Paused),
            "resume" => standing(state, field("agent"), AgentState::Active),
            "accept" => accept(state, field("handoff"), field("agent")),
            "dismiss" => dismiss(state, field("session"), field("agent")),
            "undo" => {
                let undo = person(AuthorityCommand::Undo, "undo what was decided here last".to_owned());
                Ok(Prepared { seen: digest(&state.last_commands.get(&Who::Person))?, ..undo })
            }
            _ => Err(CliError::usage("no act is called so").hint("begin again on the goal's page")),
        }
    }

    fn limit(&self, state: &State) -> Result<Prepared, CliError> {
        let count = |name: &str| count(name, self.field(name));
        let agent = lane(state, self.field("agent"))?;
        let window_minutes = match self.field("hours") {
            "" => WINDOW,
            length => u32::try_from(hours(length)?.as_mins()).map_err(|_| far())?,
        };
        let (turns, minutes, tokens) = (count("turns")?, count("minutes")?, count("tokens")?);
        let quota = Quota { window_minutes, turns, minutes, tokens };
        let whose = agent.as_ref().map_or("the goal".to_owned(), |agent| format!("agent {agent}"));
        let words = format!("limit {whose}: {}", reading::quota::in_words(&quota));
        let before = match &agent {
            Some(agent) => state.agents.get(agent).map(|agent| agent.quota),
            None => state.goal.as_ref().map(|goal| goal.quota),
        };
        let seen = digest(&before)?;
        Ok(Prepared { seen, ..person(AuthorityCommand::QuotaSet { agent, quota }, words) })
    }
}

/// What needs a person, whatever stands there.
fn person(command: AuthorityCommand, words: String) -> Prepared {
    Prepared { command: Command::Authority(command), words, seen: String::new() }
}

fn finish(state: &State, todo: &str) -> Result<Prepared, CliError> {
    let id = TodoId::parse(todo)?;
    let todo = state.todos.get(&id).ok_or_else(|| CliError::not_found(format!("no todo {id}")))?;
    if todo.is_agents() {
        return Err(CliError::usage(format!("{id} is an agent's to do"))
            .hint("a lane finishes it: `loopx todo done`"));
    }
    let succession = Succession::Unsaid;
    let finish = TodoFinish { todo: id, agent: None, token: None, succession, run: None, spend: None };
    let words = format!("finish {}", reading::todo::named(todo));
    Ok(Prepared { seen: digest(todo)?, ..person(AuthorityCommand::TodoFinish(finish), words) })
}

fn drop_todo(state: &State, todo: &str) -> Result<Prepared, CliError> {
    let id = TodoId::parse(todo)?;
    let todo = state.todos.get(&id).ok_or_else(|| CliError::not_found(format!("no todo {id}")))?;
    let words = format!("drop {}: nobody does it", reading::todo::named(todo));
    let drop = TodoDrop { todo: id, reason: None };
    Ok(Prepared { seen: digest(todo)?, ..person(AuthorityCommand::TodoDrop(drop), words) })
}

fn withdraw(state: &State, gate: &str) -> Result<Prepared, CliError> {
    let id = GateId::parse(gate)?;
    let gate = state.gates.get(&id).ok_or_else(|| CliError::not_found(format!("no gate {id}")))?;
    let words = format!("withdraw {id}, “{}”: nothing waits for it any more", gate.question);
    let withdraw = GateWithdraw { gate: id, agent: None };
    Ok(Prepared { seen: digest(gate)?, ..person(AuthorityCommand::GateWithdraw(withdraw), words) })
}

/// What a lane's next action names where something was rejected: the todo that can't be done so, and the gate.
pub fn rejected(next_action: &str) -> (Option<TodoId>, Option<GateId>) {
    let mut words = next_action.split(|sign: char| sign != '_' && !sign.is_ascii_alphanumeric());
    let todo = words.clone().find_map(|word| TodoId::parse(word).ok());
    (todo, words.find_map(|word| GateId::parse(word).ok()))
}

fn add(title: PublicText, audience: &str, priority: &str) -> Result<Prepared, CliError> {
    let (whose, audience) = match audience {
        "agent" => ("an agent", AudienceDraft::Agent),
        "user" => {
            ("a person", AudienceDraft::User { covers: Covers::goal(), blocking: Blocking::NonBlocking })
        }
        _ => return Err(CliError::usage("a todo is for an agent or for a user")),
    };
    let priority = match priority {
        "P0" => Priority::P0,
        "P1" => Priority::P1,
        "P2" => Priority::P2,
        "P3" => Priority::P3,
        _ => return Err(CliError::usage("a priority is P0, P1, P2 or P3")),
    };
    let words = format!("add a todo for {whose}, {}: “{title}”", reading::todo::priority_word(priority));
    let add = TodoAdd {
        title,
        audience,
        priority,
        class: TodoClass::Advance,
        globs: Vec::new(),
        needs: BTreeSet::new(),
        blocked_by: BTreeSet::new(),
    };
    Ok(Prepared { command: Command::Lane(LaneCommand::TodoAdd(add)), words, seen: String::new() })
}

fn reward(run: &str, judgement: &str, reason: Option<PublicText>) -> Result<Prepared, CliError> {
    let run = RunId::parse(run)?;
    let (word, judgement) = match judgement {
        "good" => ("good", Judgement::Good),
        "mixed" => ("mixed", Judgement::Mixed),
        "bad" => ("bad", Judgement::Bad),
        _ => return Err(CliError::usage("a judgement is good, mixed or bad")),
    };
    let words = format!("judge {run}: {word}");
    Ok(person(AuthorityCommand::RewardGive(RewardGive { run, judgement, reason, lesson: None }), words))
}

fn accept(state: &State, handoff: &str, agent: &str) -> Result<Prepared, CliError> {
    let handoff = HandoffId::parse(handoff)?;
    let seen = digest(&state.handoffs.get(&handoff))?;
    let agent = lane(state, agent)?.ok_or_else(|| CliError::usage("no lane is named"))?;
    let words = format!("take {handoff} for agent {agent}");
    let command = LaneCommand::HandoffAccept { handoff, agent, lease_minutes: LEASE };
    Ok(Prepared { command: Command::Lane(command), words, seen })
}

fn dismiss(state: &State, session: &str, agent: &str) -> Result<Prepared, CliError> {
    let session = Handle::parse(session).map_err(|_| CliError::usage("no session is named"))?;
    let agent = lane(state, agent)?.ok_or_else(|| CliError::usage("no lane is named"))?;
    let words =
        format!("dismiss session {session} of agent {agent}: it made no progress, and is not resumed");
    Ok(Prepared { command: Command::Lane(dismissal(agent, session)), words, seen: String::new() })
}

/// Says of a session that failed that nothing is to be resumed.
pub fn dismissal(agent: AgentId, session: Handle) -> LaneCommand {
    let run = RunDraft {
        kind: RunKind::NoProgress,
        session: Some(session.into()),
        validation: None,
        summary: None,
        event_id: None,
        outcome_id: None,
        id: None,
    };
    LaneCommand::RunRecord(RunRecord { agent, todo: None, run })
}

fn decide(
    state: &State,
    gate: &str,
    how: &str,
    decision: Decision,
    now: Timestamp,
) -> Result<Prepared, CliError> {
    let id = GateId::parse(gate)?;
    let gate = state.gates.get(&id).ok_or_else(|| CliError::not_found(format!("no gate {id}")))?;
    let words = format!("{how} {}", reading::gate::question(gate, now));
    let command = AuthorityCommand::GateDecide { gate: id, decision };
    Ok(Prepared { seen: digest(gate)?, ..person(command, words) })
}

fn standing(state: &State, agent: &str, to: AgentState) -> Result<Prepared, CliError> {
    let agent = lane(state, agent)?;
    let whom = agent.as_ref().map_or("the goal".to_owned(), |agent| format!("agent {agent}"));
    let words = match to {
        AgentState::Paused => format!("pause {whom}"),
        AgentState::Active => format!("let {whom} go on"),
    };
    let lane = agent.as_ref().and_then(|agent| state.agents.get(agent)).map(|agent| agent.state);
    let before = (lane, state.goal.as_ref().map(|goal| goal.state));
    let command = match (agent, to) {
        (Some(agent), to) => {
            AuthorityCommand::AgentEdit { agent, runtime: None, capabilities: None, state: Some(to) }
        }
        (None, AgentState::Paused) => AuthorityCommand::GoalPause,
        (None, AgentState::Active) => AuthorityCommand::GoalResume,
    };
    Ok(Prepared { seen: digest(&before)?, ..person(command, words) })
}

fn digest(thing: &impl Serialize) -> Result<String, CliError> {
    let bytes = serde_json::to_vec(thing)
        .map_err(|error| CliError::internal(format!("failed to write JSON: {error}")))?;
    Ok(blake3::hash(&bytes).to_hex().to_string())
}

fn lane(state: &State, agent: &str) -> Result<Option<AgentId>, CliError> {
    if agent.is_empty() {
        return Ok(None);
    }
    let agent = AgentId::parse(agent)?;
    if state.agents.contains(&agent) {
        Ok(Some(agent))
    } else {
        Err(CliError::not_found(format!("no agent {agent} on this goal")))
    }
}

fn hours(text: &str) -> Result<SignedDuration, CliError> {
    let hours: i64 = text.parse().ok().filter(|hours| (1..=744).contains(hours)).ok_or_else(far)?;
    Ok(SignedDuration::from_hours(hours))
}

fn far() -> CliError {
    CliError::usage("not a number of hours from 1 to 744").hint("write it as 4 or 24")
}

fn count(field: &str, text: &str) -> Result<Option<u64>, CliError> {
    if text.is_empty() {
        return Ok(None);
    }
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let count = text.parse().ok().filter(|_| is_number);
    count.map(Some).ok_or_else(|| {
        CliError::usage(format!("{field}: no whole number from 0")).hint("leave it empty for no limit")
    })
}
