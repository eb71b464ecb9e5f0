//! Decides handoffs. Offering ends the giver's claim, so that an offer which is declined, withdrawn or expired leaves
//! the todo unclaimed.

use loopx_contract::{AgentId, HandoffId};
use loopx_safety::PublicText;

use super::{Case, Decided, Outcome, Subject, run, todo};
use crate::command::{HandoffOffer, Mint, RunDraft};
use crate::event::Event;
use crate::handoff::{Handoff, HandoffState};
use crate::refusal::Refusal;
use crate::run::RunKind;
use crate::text::LogText;
use crate::todo::Todo;

impl<'a> Case<'a> {
    fn handoff(&self, id: &HandoffId) -> Result<&'a Handoff, Refusal> {
        self.state.handoffs.get(id).ok_or_else(|| Refusal::NoHandoff(id.clone()))
    }

    /// The offer that stands over a todo now.
    pub(super) fn standing_offer(&self, todo: &Todo) -> Option<&'a Handoff> {
        self.state.handoffs.get(todo.offered.as_ref()?).filter(|handoff| handoff.is_offered(self.now))
    }

    /// The end of an offer over a todo that is put off or ended, or that moves on after the offer ran out.
    pub(super) fn offer_over(&self, todo: &Todo) -> Option<Event> {
        let offer = self.state.handoffs.get(todo.offered.as_ref()?)?;
        let state = if offer.is_offered(self.now) { HandoffState::Withdrawn } else { HandoffState::Expired };
        Some(Event::HandoffMoved { handoff: offer.id.clone(), state, agent: None })
    }
}

fn about(handoff: &HandoffId) -> Subject {
    Subject::Handoff(handoff.clone())
}

fn wrong(id: &impl ToString, state: &'static str, hint: &'static str) -> Refusal {
    Refusal::WrongState { thing: id.to_string(), state, hint }
}

/// Offers an open agent todo that the giver holds or that nobody holds.
pub(super) fn offer(case: &Case<'_>, offer: &HandoffOffer, mint: &mut Mint<'_>) -> Outcome {
    let from = case.acting_as(&offer.from)?;
    case.not_over()?;
    let todo = case.todo(&offer.todo)?;
    if !todo.is_agents() {
        return Err(wrong(&todo.id, "a person's to do", "only an agent todo is handed over"));
    }
    if !todo.is_open(case.now) {
        return Err(wrong(&todo.id, "not open", "open it again: `loopx todo reopen`"));
    }
    if let Some(standing) = case.standing_offer(todo) {
        return Err(wrong(&standing.id, "offered over the same todo", "withdraw that offer first"));
    }
    if let Some(claim) = todo.live_claim(case.now)
        && claim.agent != from.id
    {
        let (holder, until) = (claim.agent.clone(), claim.until);
        return Err(Refusal::Held { todo: todo.id.clone(), holder, until });
    }
    if let Some(to) = &offer.to {
        if *to == from.id {
            return Err(Refusal::BadValue { field: "to", reason: "a lane hands nothing over to itself" });
        }
        case.agent(to)?;
    }
    for evidence in &offer.evidence {
        case.run(evidence)?;
    }
    if offer.expires_at.is_some_and(|at| at <= case.now) {
        return Err(Refusal::BadValue { field: "expires", reason: "has passed" });
    }
    let handoff = mint.handoff();
    let event = Event::HandoffOffered {
        handoff: handoff.clone(),
        todo: todo.id.clone(),
        from: from.id.clone(),
        to: offer.to.clone(),
        next_action: offer.next_action.clone().into(),
        stop_condition: offer.stop_condition.clone().map(LogText::from),
        evidence: offer.evidence.clone(),
        expires_at: offer.expires_at,
    };
    let events = case.offer_over(todo).into_iter().chain([event]).collect();
    Ok(Decided::new(events, Subject::Handoff(handoff)))
}

fn standing<'a>(case: &Case<'a>, id: &HandoffId) -> Result<&'a Handoff, Refusal> {
    let handoff = case.handoff(id)?;
    let (state, hint) = match handoff.state {
        HandoffState::Offered if handoff.is_offered(case.now) => return Ok(handoff),
        HandoffState::Offered | HandoffState::Expired => {
            ("expired", "claim the todo, or ask for a new offer")
        }
        HandoffState::Accepted => ("accepted", "say how it went on: `loopx handoff follow-up`"),
        HandoffState::FollowedUp => ("followed up", "nothing is left to do"),
        HandoffState::Declined => ("declined", "claim the todo, or ask for a new offer"),
        HandoffState::Withdrawn => ("withdrawn", "claim the todo, or ask for a new offer"),
    };
    Err(wrong(id, state, hint))
}

fn moved(handoff: &Handoff, state: HandoffState, agent: &AgentId) -> Event {
    Event::HandoffMoved { handoff: handoff.id.clone(), state, agent: Some(agent.clone()) }
}

/// Takes what is offered: the claim moves to the receiver.
pub(super) fn accept(case: &Case<'_>, id: &HandoffId, agent: &AgentId, lease_minutes: u32) -> Outcome {
    let agent = case.acting_as(agent)?;
    let handoff = standing(case, id)?;
    let todo = case.todo(&handoff.todo)?;
    if todo.offered.as_ref() != Some(id) {
        return Err(wrong(id, "superseded", "see `loopx todo show`"));
    }
    Ok(Decided::new(todo::taking(case, todo, agent, lease_minutes)?, about(id)))
}

/// Says no. What is offered to all is nobody's to decline.
pub(super) fn decline(case: &Case<'_>, id: &HandoffId, agent: &AgentId) -> Outcome {
    let agent = case.acting_as(agent)?;
    let handoff = standing(case, id)?;
    match &handoff.to {
        Some(to) if *to == agent.id => {
            Ok(Decided::one(moved(handoff, HandoffState::Declined, &agent.id), about(id)))
        }
        Some(_) => Err(wrong(id, "offered to another lane", "leave it to that lane")),
        None => Err(wrong(id, "offered to all", "leave it: nobody has to decline")),
    }
}

/// Takes an offer back. The todo stays unclaimed.
pub(super) fn withdraw(case: &Case<'_>, id: &HandoffId, agent: &AgentId) -> Outcome {
    let agent = case.acting_as(agent)?;
    let handoff = standing(case, id)?;
    if handoff.from != agent.id {
        return Err(wrong(id, "offered by another lane", "leave it to that lane"));
    }
    Ok(Decided::one(moved(handoff, HandoffState::Withdrawn, &agent.id), about(id)))
}

/// Says how an accepted handoff went on.
pub(super) fn follow_up(
    case: &Case<'_>,
    id: &HandoffId,
    agent: &AgentId,
    summary: &PublicText,
    mint: &mut Mint<'_>,
) -> Outcome {
    let agent = case.acting_as(agent)?;
    let handoff = case.handoff(id)?;
    if !matches!(handoff.state, HandoffState::Accepted) {
        return Err(wrong(id, "not accepted, or followed up already", "see `loopx log`"));
    }
    if handoff.accepted_by.as_ref() != Some(&agent.id) {
        return Err(wrong(id, "accepted by another lane", "leave it to that lane"));
    }
    let draft = RunDraft {
        kind: RunKind::Handoff,
        session: None,
        validation: None,
        summary: Some(summary.clone()),
        event_id: None,
        outcome_id: None,
        id: None,
    };
    let (_, recorded) = run::recording(case, agent, Some(&handoff.todo), &draft, mint)?;
    Ok(Decided::new(vec![recorded, moved(handoff, HandoffState::FollowedUp, &agent.id)], about(id)))
}
