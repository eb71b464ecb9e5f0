//! Decides limits and spends.

use jiff::{SignedDuration, Timestamp};
use loopx_contract::AgentId;

use super::{Case, Decided, Outcome, Subject};
use crate::agent::AgentKind;
use crate::command::SpendDraft;
use crate::event::Event;
use crate::key::TurnKey;
use crate::quota::{Amount, LONGEST_WINDOW_MINUTES, Quota, used_in};
use crate::refusal::Refusal;

/// Limits of the goal or of one lane. A quota without limits takes them all away.
pub(super) fn set(case: &Case<'_>, agent: Option<&AgentId>, quota: Quota) -> Outcome {
    let subject = match agent {
        Some(id) => Subject::Agent(case.agent(id)?.id.clone()),
        None => Subject::Goal(case.goal.id.clone()),
    };
    let window = quota.window_minutes;
    if window > LONGEST_WINDOW_MINUTES || (quota.is_limited() && window == 0) {
        return Err(Refusal::BadValue { field: "window", reason: "1 minute to 31 days are allowed" });
    }
    Ok(Decided::one(Event::QuotaSet { agent: agent.cloned(), quota }, subject))
}

/// A spend by its turn key: a retry is the first one again.
pub(super) fn spend(case: &Case<'_>, draft: &SpendDraft) -> Outcome {
    Ok(Decided::new(spending(case, draft)?.into_iter().collect(), Subject::Spend(draft.key.clone())))
}

/// The event that spends; none if its turn key was spent before.
///
/// Turns are begun on purpose: a spend that takes more turns than the limit leaves is refused. Minutes and tokens are
/// measured when they are gone: the spend that crosses their limit counts in full, so that the brake is not short of
/// it, and after that there is nothing left to spend.
pub(super) fn spending(case: &Case<'_>, draft: &SpendDraft) -> Result<Option<Event>, Refusal> {
    let agent = case.acting(draft.agent.as_ref())?;
    let id = agent.map(|agent| agent.id.clone());
    if let Some(first) = case.state.spends.get(&draft.key) {
        return if first.agent == id { Ok(None) } else { Err(Refusal::KeyReused) };
    }
    if draft.amount == Amount::default() {
        return Err(Refusal::BadValue { field: "amount", reason: "nothing to spend" });
    }
    // What is dated in the future counts as now.
    let spent_at = draft.at.map_or(case.now, |at| at.min(case.now));
    if !counts(spent_at, case.now) {
        return Err(Refusal::BadValue { field: "at", reason: "is out of every window: over 31 days ago" });
    }
    if agent.is_none_or(|agent| agent.kind == AgentKind::Automation) {
        within(case, &case.goal.quota, None, draft.amount)?;
        if let Some(agent) = agent {
            within(case, &agent.quota, Some(&agent.id), draft.amount)?;
        }
    }
    Ok(Some(Event::Spent { key: draft.key.clone(), agent: id, amount: draft.amount, spent_at }))
}

/// Whether the longest window still counts what was spent then.
fn counts(spent_at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(spent_at) < SignedDuration::from_mins(i64::from(LONGEST_WINDOW_MINUTES))
}

fn within(case: &Case<'_>, quota: &Quota, agent: Option<&AgentId>, asked: Amount) -> Result<(), Refusal> {
    if !quota.is_limited() {
        return Ok(());
    }
    let used = used_in(quota, &case.state.spent(agent), case.now);
    let over = |unit, limit, used, asked| Err(Refusal::OverAllowance { unit, limit, used, asked });
    match quota.turns {
        Some(limit) if asked.turns > 0 && used.turns.saturating_add(asked.turns) > limit => {
            return over("turns", limit, used.turns, asked.turns);
        }
        Some(_) | None => {}
    }
    for (unit, limit, used, asked) in [
        ("minutes", quota.minutes, used.minutes, asked.minutes),
        ("tokens", quota.tokens, used.tokens, asked.tokens),
    ] {
        if let Some(limit) = limit
            && asked > 0
            && used >= limit
        {
            return over(unit, limit, used, asked);
        }
    }
    Ok(())
}

/// Takes a spend back.
pub(super) fn void(case: &Case<'_>, key: &TurnKey) -> Outcome {
    let spend = case.state.spends.get(key).ok_or(Refusal::NoThing("turn key"))?;
    let wrong = |state, hint| Err(Refusal::WrongState { thing: "the spend".to_owned(), state, hint });
    if spend.voided {
        return wrong("taken back already", "nothing is left to do");
    }
    if !counts(spend.at, case.now) {
        return wrong("over 31 days old", "it is out of every window and counts no more");
    }
    Ok(Decided::one(Event::SpendVoided { key: key.clone() }, Subject::Spend(key.clone())))
}
