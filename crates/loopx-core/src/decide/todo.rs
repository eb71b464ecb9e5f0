//! Decides commands on todos: adding, editing, what stands in their way.

mod claim;
mod finish;
mod standing;

use loopx_contract::{AgentId, GateId, RunId, TodoId};

use super::{Case, Decided, Outcome, Subject};
use crate::actor::Who;
use crate::command::{AudienceDraft, Mint, TodoAdd, TodoEdit, TodoUnblock};
use crate::event::{Event, LogAudience, LogBlocker};
use crate::gate::{Gate, GateDecision, Uses};
use crate::refusal::Refusal;
use crate::run::Run;
use crate::scope::Glob;
use crate::text::texts;
use crate::todo::{Audience, Blocker, Covers, Todo, TodoState};

pub(super) use claim::{claim, claim_next, release, renew, taking};
pub(super) use finish::finish;
pub(super) use standing::{defer, discard, no_twin, reopen};

impl<'a> Case<'a> {
    /// A todo of this goal.
    pub(super) fn todo(&self, id: &TodoId) -> Result<&'a Todo, Refusal> {
        self.state.todos.get(id).ok_or_else(|| Refusal::NoTodo(id.clone()))
    }

    /// A gate of this goal.
    pub(super) fn gate(&self, id: &GateId) -> Result<&'a Gate, Refusal> {
        self.state.gates.get(id).ok_or_else(|| Refusal::NoGate(id.clone()))
    }

    /// A run of this goal.
    pub(super) fn run(&self, id: &RunId) -> Result<&'a Run, Refusal> {
        self.state.runs.get(id).ok_or_else(|| Refusal::NoRun(id.clone()))
    }

    /// A todo that this command may change: an agent's, or a user's if a person asks; never a gate's own.
    fn todo_to_change(&self, id: &TodoId) -> Result<&'a Todo, Refusal> {
        let todo = self.todo(id)?;
        if let Some(gate) = todo.linked_gate() {
            return Err(Refusal::AnswersGate { todo: id.clone(), gate: gate.clone() });
        }
        if !todo.is_agents() {
            self.person()?;
        }
        Ok(todo)
    }

    /// Refuses if another lane has the todo: by a live claim, or because it is offered to it. A person's word goes
    /// before both.
    fn not_anothers(&self, todo: &Todo) -> Result<(), Refusal> {
        if self.person().is_ok() {
            return Ok(());
        }
        let own = match &self.actor.who {
            Who::Lane(lane) => Some(lane),
            Who::Person | Who::System => None,
        };
        match todo.live_claim(self.now) {
            Some(claim) if own != Some(&claim.agent) => Err(held(todo, claim)),
            Some(_) => Ok(()),
            None => match self.standing_offer(todo) {
                Some(offer) if !own.is_some_and(|own| offer.is_for(own)) => {
                    Err(Refusal::HeldBy { todo: todo.id.clone(), by: offer.id.to_string() })
                }
                Some(_) | None => Ok(()),
            },
        }
    }

    /// What a blocker names, which must be there. A gate's own todo stands for its gate.
    fn blocker(&self, of: Option<&TodoId>, blocker: &Blocker) -> Result<Blocker, Refusal> {
        match blocker {
            Blocker::Todo(id) if Some(id) == of => {
                Err(Refusal::BadValue { field: "blocked_by", reason: "a todo can't wait for itself" })
            }
            Blocker::Todo(id) => Ok(match self.todo(id)?.linked_gate() {
                Some(gate) => Blocker::Gate(gate.clone()),
                None => blocker.clone(),
            }),
            Blocker::Gate(id) => self.gate(id).map(|_| blocker.clone()),
            Blocker::Run(id) => self.run(id).map(|_| blocker.clone()),
            Blocker::Evidence(label) if label.as_str().trim().is_empty() => {
                Err(Refusal::BadValue { field: "blocked_by", reason: "evidence needs a label" })
            }
            Blocker::Evidence(_) => Ok(blocker.clone()),
        }
    }

    /// What is covered, all of which must be there; nothing means the goal.
    pub(super) fn covers(&self, covers: &Covers) -> Result<Covers, Refusal> {
        few("covers", covers.agents.len() + covers.todos.len())?;
        for agent in &covers.agents {
            self.agent(agent)?;
        }
        for todo in &covers.todos {
            self.todo(todo)?;
        }
        let empty = !covers.goal && covers.agents.is_empty() && covers.todos.is_empty();
        Ok(if empty { Covers::goal() } else { covers.clone() })
    }

    /// The single-use approvals that a todo took.
    fn taken_by(&self, todo: &Todo) -> std::collections::BTreeSet<GateId> {
        let taken = |gate: &&Gate| match &gate.state {
            GateDecision::Approved { uses: Uses::Taken(by), .. } => *by == todo.id,
            GateDecision::Approved { uses: Uses::Any | Uses::Single | Uses::Used, .. }
            | GateDecision::Requested
            | GateDecision::Rejected { .. }
            | GateDecision::Deferred { .. }
            | GateDecision::Withdrawn => false,
        };
        self.state.gates.values().filter(taken).map(|gate| gate.id.clone()).collect()
    }
}

/// The most that one thing names of a kind: every look at what is open pays for each.
const MOST: usize = 64;

/// Refuses a list that is longer than anybody reads.
pub(super) fn few(field: &'static str, length: usize) -> Result<(), Refusal> {
    if length > MOST {
        return Err(Refusal::BadValue { field, reason: "is too long: at most 64 are taken" });
    }
    Ok(())
}

fn held(todo: &Todo, claim: &crate::todo::Claim) -> Refusal {
    Refusal::Held { todo: todo.id.clone(), holder: claim.agent.clone(), until: claim.until }
}

/// How a todo stands, in a word.
fn word(state: &TodoState) -> &'static str {
    match state {
        TodoState::Open => "open",
        TodoState::Deferred { .. } => "deferred",
        TodoState::Done { .. } => "done",
        TodoState::Dropped => "dropped",
    }
}

fn wrong_state(todo: &Todo, hint: &'static str) -> Refusal {
    Refusal::WrongState { thing: todo.id.to_string(), state: word(&todo.state), hint }
}

fn not_closed(todo: &Todo) -> Result<(), Refusal> {
    if todo.is_closed() { Err(wrong_state(todo, "open it again: `loopx todo reopen`")) } else { Ok(()) }
}

fn about(todo: &Todo) -> Subject {
    Subject::Todo(todo.id.clone())
}

/// Adds a todo. One that is not closed and has the same title and audience is the same todo.
pub(super) fn add(case: &Case<'_>, add: &TodoAdd, mint: &mut Mint<'_>) -> Outcome {
    let by = case.acting(None)?.map(|agent| agent.id.clone());
    case.not_over()?;
    let (id, event) = add_or_find(case, add, by, mint)?;
    Ok(Decided::new(event.into_iter().collect(), Subject::Todo(id)))
}

/// The todo that is there already, or the event that adds it.
pub(super) fn add_or_find(
    case: &Case<'_>,
    add: &TodoAdd,
    by: Option<AgentId>,
    mint: &mut Mint<'_>,
) -> Result<(TodoId, Option<Event>), Refusal> {
    let title = add.title.as_str().trim();
    if title.is_empty() {
        return Err(Refusal::BadValue { field: "title", reason: "is empty" });
    }
    few("globs", add.globs.len())?;
    few("needs", add.needs.len())?;
    few("blocked_by", add.blocked_by.len())?;
    let audience = match &add.audience {
        AudienceDraft::Agent => LogAudience::Agent,
        AudienceDraft::User { covers, blocking } => {
            LogAudience::User { covers: case.covers(covers)?, blocking: *blocking, gate: None }
        }
    };
    let mut blocked_by = std::collections::BTreeSet::new();
    for blocker in &add.blocked_by {
        blocked_by.insert(case.blocker(None, blocker)?);
    }
    let agents = matches!(audience, LogAudience::Agent);
    if let Some(there) = standing::twin(case.state, title, agents, None) {
        return Ok((there.id.clone(), None));
    }
    let todo = mint.todo();
    let event = Event::TodoAdded {
        todo: todo.clone(),
        title: add.title.clone().into(),
        audience,
        priority: add.priority,
        class: add.class,
        globs: texts(add.globs.iter().map(Glob::as_text)),
        needs: texts(&add.needs),
        blocked_by: blocked_by.iter().map(LogBlocker::from).collect(),
        by,
    };
    Ok((todo, Some(event)))
}

/// Edits a todo. Editing the class of a monitor says when it is due next.
pub(super) fn edit(case: &Case<'_>, edit: &TodoEdit) -> Outcome {
    case.acting(None)?;
    let todo = case.todo_to_change(&edit.todo)?;
    not_closed(todo)?;
    few("globs", edit.globs.as_ref().map_or(0, Vec::len))?;
    few("needs", edit.needs.as_ref().map_or(0, std::collections::BTreeSet::len))?;
    if let Some(title) = &edit.title {
        if title.as_str().trim().is_empty() {
            return Err(Refusal::BadValue { field: "title", reason: "is empty" });
        }
        no_twin(case.state, todo, title.as_str())?;
    }
    let audience = match &todo.audience {
        Audience::Agent if edit.covers.is_some() || edit.blocking.is_some() => {
            return Err(Refusal::BadValue { field: "covers", reason: "only a user todo covers or blocks" });
        }
        Audience::Agent => Audience::Agent,
        Audience::User { covers, blocking, gate } => Audience::User {
            covers: edit.covers.as_ref().map_or(Ok(covers.clone()), |covers| case.covers(covers))?,
            blocking: edit.blocking.unwrap_or(*blocking),
            gate: gate.clone(),
        },
    };
    let event = Event::TodoEdited {
        todo: todo.id.clone(),
        title: edit.title.as_ref().unwrap_or(&todo.title).clone().into(),
        audience: (&audience).into(),
        priority: edit.priority.unwrap_or(todo.priority),
        class: edit.class.unwrap_or(todo.class),
        globs: texts(edit.globs.as_ref().unwrap_or(&todo.globs).iter().map(Glob::as_text)),
        needs: texts(edit.needs.as_ref().unwrap_or(&todo.needs)),
    };
    Ok(Decided::one(event, about(todo)))
}

/// Puts something in a todo's way. A cycle is allowed: the first screen shows it as stuck.
pub(super) fn block(case: &Case<'_>, id: &TodoId, on: &Blocker) -> Outcome {
    case.acting(None)?;
    let todo = case.todo_to_change(id)?;
    not_closed(todo)?;
    let on = case.blocker(Some(id), on)?;
    few("blocked_by", todo.blocked_by.len() + 1)?;
    if todo.blocked_by.contains(&on) {
        return Ok(Decided::new(vec![], about(todo)));
    }
    Ok(Decided::one(Event::TodoBlocked { todo: id.clone(), on: (&on).into() }, about(todo)))
}

/// Takes something out of a todo's way. A gate or a user todo is a person's to take out.
pub(super) fn unblock(case: &Case<'_>, unblock: &TodoUnblock) -> Outcome {
    case.acting(None)?;
    let todo = case.todo_to_change(&unblock.todo)?;
    // What is in the way need not be there any more, so that it can be taken out all the same.
    let off = match &unblock.off {
        Blocker::Todo(id) => match case.state.todos.get(id).and_then(Todo::linked_gate) {
            Some(gate) => Blocker::Gate(gate.clone()),
            None => unblock.off.clone(),
        },
        Blocker::Gate(_) | Blocker::Evidence(_) | Blocker::Run(_) => unblock.off.clone(),
    };
    if !todo.blocked_by.contains(&off) {
        return Err(Refusal::NoThing("blocker of this todo"));
    }
    let event = Event::TodoUnblocked { todo: todo.id.clone(), off: (&off).into() };
    if super::needs_person(case.state, &event) {
        case.person()?;
    }
    Ok(Decided::one(event, about(todo)))
}
