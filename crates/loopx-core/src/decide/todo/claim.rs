//! Decides claims: who may take a todo, for how long, and what a claim takes with it.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, GateId, TodoId};

use super::{about, held, wrong_state};
use crate::agent::Agent;
use crate::decide::{Case, Decided, Outcome};
use crate::event::Event;
use crate::first_screen::lane::{Lack, Lane, Obstacle};
use crate::gate::{Gate, GateDecision, GateStanding, Uses};
use crate::handoff::HandoffState;
use crate::refusal::Refusal;
use crate::todo::{Blocker, Claim, Todo};

/// The longest lease: 30 days.
const LONGEST_LEASE_MINUTES: u32 = 30 * 24 * 60;

/// Takes a todo. The holder's own claim is lengthened, under the same epoch; a todo offered to this lane is accepted
/// with it.
pub(in crate::decide) fn claim(case: &Case<'_>, id: &TodoId, agent: &AgentId, minutes: u32) -> Outcome {
    let agent = case.acting_as(agent)?;
    let todo = case.todo(id)?;
    if let Some(own) = own_claim(case, todo, agent) {
        let until = lease(case.now, minutes)?.max(own.until);
        return Ok(Decided::one(Event::TodoRenewed { todo: id.clone(), until }, about(todo)));
    }
    Ok(Decided::new(taking(case, todo, agent, minutes)?, about(todo)))
}

/// Takes what the first screen of this lane shows as executable, if that is still what its caller saw.
pub(in crate::decide) fn claim_next(
    case: &Case<'_>,
    expect: &TodoId,
    agent: &AgentId,
    minutes: u32,
) -> Outcome {
    let agent = case.acting_as(agent)?;
    case.at_work(agent)?;
    let lane = Lane::new(case.state, case.goal, agent, case.now);
    let now = lane.executable.map(|todo| todo.id.clone());
    if now.as_ref() != Some(expect) {
        return Err(Refusal::NextChanged { now });
    }
    if lane.used_up().is_some() {
        return Err(Refusal::WrongState {
            thing: agent.id.to_string(),
            state: "throttled",
            hint: "see `loopx next` for when it frees",
        });
    }
    claim(case, expect, &agent.id, minutes)
}

/// The events by which a lane takes a todo that it does not hold.
pub(in crate::decide) fn taking(
    case: &Case<'_>,
    todo: &Todo,
    agent: &Agent,
    minutes: u32,
) -> Result<Vec<Event>, Refusal> {
    let until = lease(case.now, minutes)?;
    let takes = claimable(case, todo, agent)?;
    let mut events: Vec<Event> = accepting(case, todo, agent).into_iter().collect();
    events.push(Event::TodoClaimed {
        todo: todo.id.clone(),
        agent: agent.id.clone(),
        until,
        epoch: todo.epoch.saturating_add(1),
        takes,
    });
    Ok(events)
}

/// The acceptance of a standing offer, where a todo is offered to the lane that takes it; the end of one that ran out.
pub(super) fn accepting(case: &Case<'_>, todo: &Todo, agent: &Agent) -> Option<Event> {
    let Some(offer) = case.standing_offer(todo) else { return case.offer_over(todo) };
    Some(Event::HandoffMoved {
        handoff: offer.id.clone(),
        state: HandoffState::Accepted,
        agent: Some(agent.id.clone()),
    })
}

/// Lengthens the lane's own live claim, or shortens it: the lease runs from now.
pub(in crate::decide) fn renew(
    case: &Case<'_>,
    id: &TodoId,
    agent: &AgentId,
    token: Option<u64>,
    minutes: u32,
) -> Outcome {
    let agent = case.acting_as(agent)?;
    let todo = case.todo(id)?;
    let until = lease(case.now, minutes)?;
    own_claim_by_token(case, todo, agent, token)?;
    Ok(Decided::one(Event::TodoRenewed { todo: id.clone(), until }, about(todo)))
}

/// Gives the lane's own live claim back. Single-use approvals that it took stay with the todo until it is finished.
pub(in crate::decide) fn release(
    case: &Case<'_>,
    id: &TodoId,
    agent: &AgentId,
    token: Option<u64>,
) -> Outcome {
    let agent = case.acting_as(agent)?;
    let todo = case.todo(id)?;
    own_claim_by_token(case, todo, agent, token)?;
    let event = Event::TodoReleased { todo: id.clone(), gives_back: BTreeSet::new() };
    Ok(Decided::one(event, about(todo)))
}

/// The lane's own live claim on a todo.
pub(super) fn own_claim<'a>(case: &Case<'_>, todo: &'a Todo, agent: &Agent) -> Option<&'a Claim> {
    todo.live_claim(case.now).filter(|claim| claim.agent == agent.id)
}

/// The lane's own live claim, whose token must be the one that was given, if one was.
pub(super) fn own_claim_by_token<'a>(
    case: &Case<'_>,
    todo: &'a Todo,
    agent: &Agent,
    token: Option<u64>,
) -> Result<&'a Claim, Refusal> {
    if let Some(given) = token
        && given != todo.epoch
    {
        return Err(Refusal::StaleToken { todo: todo.id.clone(), given, current: todo.epoch });
    }
    match todo.live_claim(case.now) {
        Some(claim) if claim.agent == agent.id => Ok(claim),
        Some(claim) => Err(held(todo, claim)),
        None => Err(Refusal::NotClaimed { todo: todo.id.clone(), agent: agent.id.clone() }),
    }
}

fn lease(now: Timestamp, minutes: u32) -> Result<Timestamp, Refusal> {
    let bad = Refusal::BadValue { field: "lease", reason: "1 minute to 30 days are allowed" };
    if !(1..=LONGEST_LEASE_MINUTES).contains(&minutes) {
        return Err(bad);
    }
    now.checked_add(SignedDuration::from_mins(i64::from(minutes))).map_err(|_| bad)
}

/// Whether the lane may take a todo now; the single-use approvals that it takes with it.
pub(super) fn claimable(case: &Case<'_>, todo: &Todo, agent: &Agent) -> Result<BTreeSet<GateId>, Refusal> {
    case.at_work(agent)?;
    if !todo.is_agents() {
        return Err(Refusal::WrongState {
            thing: todo.id.to_string(),
            state: "a person's to do",
            hint: "take other work: `loopx next --claim`",
        });
    }
    if !todo.is_open(case.now) {
        return Err(wrong_state(todo, "open it again: `loopx todo reopen`"));
    }
    match case.standing_offer(todo) {
        Some(offer) if !offer.is_for(&agent.id) => {
            return Err(Refusal::HeldBy { todo: todo.id.clone(), by: offer.id.to_string() });
        }
        Some(_) => {}
        None => {
            if let Some(claim) = todo.live_claim(case.now)
                && claim.agent != agent.id
            {
                return Err(held(todo, claim));
            }
        }
    }
    let lane = Lane::new(case.state, case.goal, agent, case.now);
    if let Some(lack) = lane.lacks(agent, todo) {
        let need = match lack {
            Lack::Capability(capability) => capability.to_string(),
            Lack::Scope(glob) => glob.to_string(),
        };
        return Err(Refusal::Unfit { todo: todo.id.clone(), agent: agent.id.clone(), need });
    }
    if let Some(by) = in_the_way(&lane, todo) {
        return Err(Refusal::HeldBy { todo: todo.id.clone(), by });
    }
    Ok(approvals(case, &lane, todo))
}

/// The first thing that keeps a todo from being taken, by its id or label.
fn in_the_way<'a>(lane: &Lane<'a>, todo: &'a Todo) -> Option<String> {
    let obstacle = lane.obstacles(todo).next().map(|obstacle| match obstacle {
        Obstacle::Thing(blocker) | Obstacle::Evidence(blocker) => match blocker {
            Blocker::Todo(id) => id.to_string(),
            Blocker::Gate(id) => id.to_string(),
            Blocker::Run(id) => id.to_string(),
            Blocker::Evidence(label) => label.to_string(),
        },
    });
    let gate = || {
        let holds = |gate: &&Gate| lane.gate_holds(gate, todo);
        lane.state.gates.values().find(holds).map(|gate| gate.id.to_string())
    };
    let ask = || {
        let holds = |ask: &&Todo| lane.ask_holds(ask, todo);
        lane.state.todos.values().find(holds).map(|ask| ask.id.to_string())
    };
    obstacle.or_else(gate).or_else(ask)
}

/// The single-use approvals that free a todo and that nothing took yet.
fn approvals(case: &Case<'_>, lane: &Lane<'_>, todo: &Todo) -> BTreeSet<GateId> {
    let single = |gate: &&Gate| match &gate.state {
        GateDecision::Approved { uses: Uses::Single, .. } => {
            gate.standing(case.now) == GateStanding::Approved && lane.concerns(gate, todo)
        }
        GateDecision::Approved { uses: Uses::Any | Uses::Taken(_) | Uses::Used, .. }
        | GateDecision::Requested
        | GateDecision::Rejected { .. }
        | GateDecision::Deferred { .. }
        | GateDecision::Withdrawn => false,
    };
    case.state.gates.values().filter(single).map(|gate| gate.id.clone()).collect()
}
