//! Decides finishing: the todo, its run and its spend in one step.

use std::collections::BTreeSet;

use loopx_contract::GateId;

use super::claim::{accepting, claimable, own_claim_by_token};
use super::{about, not_closed};
use crate::agent::Agent;
use crate::command::{Mint, TodoFinish};
use crate::decide::{Case, Decided, Outcome, quota, run};
use crate::event::Event;
use crate::refusal::Refusal;
use crate::run::RunKind;
use crate::todo::{Succession, Todo, TodoState};

/// Finishes a todo. A lane needs its own live claim, or could take the todo now; a user todo needs a person.
pub(in crate::decide) fn finish(case: &Case<'_>, finish: &TodoFinish, mint: &mut Mint<'_>) -> Outcome {
    let agent = case.acting(finish.agent.as_ref())?;
    let todo = case.todo_to_change(&finish.todo)?;
    if says_only_what_follows(todo, finish) {
        succession(case, todo, &finish.succession)?;
        let event = Event::TodoSucceeded { todo: todo.id.clone(), succession: finish.succession.clone() };
        return Ok(Decided::one(event, about(todo)));
    }
    not_closed(todo)?;
    succession(case, todo, &finish.succession)?;
    let mut events = vec![];
    let mut uses = case.taken_by(todo);
    match agent {
        Some(agent) if todo.is_agents() => {
            if let Some(takes) = unclaimed(case, todo, agent, finish.token)? {
                uses.extend(takes);
                events.extend(accepting(case, todo, agent));
            }
        }
        Some(_) => {}
        None => {
            if todo.is_agents() {
                case.person()
                    .map_err(|_| Refusal::BadValue { field: "agent", reason: "say whose claim it is" })?;
            }
            events.extend(case.offer_over(todo));
        }
    }
    events.push(Event::TodoFinished {
        todo: todo.id.clone(),
        agent: agent.map(|agent| agent.id.clone()),
        succession: finish.succession.clone(),
        uses,
    });
    if let Some(draft) = &finish.run {
        let agent =
            agent.ok_or(Refusal::BadValue { field: "run", reason: "say whose it is with `--agent`" })?;
        if matches!(draft.kind, RunKind::Blocker | RunKind::Projection) {
            return Err(Refusal::BadValue { field: "run", reason: "this kind does not finish a todo" });
        }
        events.push(run::recording(case, agent, Some(&todo.id), draft, mint)?.1);
    }
    if let Some(draft) = &finish.spend {
        events.extend(quota::spending(case, draft)?);
    }
    Ok(Decided::new(events, about(todo)))
}

/// Whether an agent todo was finished without a word on what follows, and this is that word.
fn says_only_what_follows(todo: &Todo, finish: &TodoFinish) -> bool {
    let unsaid = matches!(todo.state, TodoState::Done { succession: Succession::Unsaid });
    let said = finish.succession != Succession::Unsaid;
    todo.is_agents() && unsaid && said && finish.run.is_none() && finish.spend.is_none()
}

/// Nothing where the lane holds the todo, else the approvals it takes as it claims and finishes in one step. A lapsed
/// claim that nobody took over since is as good as a live one.
fn unclaimed(
    case: &Case<'_>,
    todo: &Todo,
    agent: &Agent,
    token: Option<u64>,
) -> Result<Option<BTreeSet<GateId>>, Refusal> {
    if todo.live_claim(case.now).is_some() || token.is_some_and(|token| token != todo.epoch) {
        own_claim_by_token(case, todo, agent, token)?;
        return Ok(None);
    }
    if todo.claim.as_ref().is_some_and(|lapsed| lapsed.agent == agent.id) {
        return Ok(None);
    }
    if token.is_some() {
        return Err(Refusal::NotClaimed { todo: todo.id.clone(), agent: agent.id.clone() });
    }
    claimable(case, todo, agent).map(Some)
}

fn succession(case: &Case<'_>, todo: &Todo, succession: &Succession) -> Result<(), Refusal> {
    match succession {
        Succession::Unsaid | Succession::NoneNeeded => Ok(()),
        Succession::Named(named) if named.is_empty() => {
            Err(Refusal::BadValue { field: "next", reason: "name a todo, or say that none is needed" })
        }
        Succession::Named(named) => {
            for id in named {
                if *id == todo.id {
                    return Err(Refusal::BadValue {
                        field: "next",
                        reason: "a todo is not its own successor",
                    });
                }
                case.todo(id)?;
            }
            Ok(())
        }
    }
}
