//! Decides rewards.

use super::{Case, Decided, Outcome, Subject, todo};
use crate::command::{AudienceDraft, Mint, RewardGive, TodoAdd};
use crate::event::Event;
use crate::refusal::Refusal;
use crate::text::LogText;
use crate::todo::{Priority, TodoClass};

/// A judgement of a run. Its lesson becomes an agent todo, or is the open one of that title.
pub(super) fn give(case: &Case<'_>, give: &RewardGive, mint: &mut Mint<'_>) -> Outcome {
    if !case.state.runs.contains(&give.run) {
        return Err(Refusal::NoRun(give.run.clone()));
    }
    let mut events = vec![];
    let mut lesson = None;
    if let Some(title) = &give.lesson {
        let add = TodoAdd {
            title: title.clone(),
            audience: AudienceDraft::Agent,
            priority: Priority::default(),
            class: TodoClass::default(),
            globs: vec![],
            needs: std::collections::BTreeSet::new(),
            blocked_by: std::collections::BTreeSet::new(),
        };
        let (id, added) = todo::add_or_find(case, &add, None, mint)?;
        events.extend(added);
        lesson = Some(id);
    }
    let reward = mint.reward();
    events.push(Event::RewardGiven {
        reward: reward.clone(),
        run: give.run.clone(),
        judgement: give.judgement,
        reason: give.reason.clone().map(LogText::from),
        lesson,
    });
    Ok(Decided::new(events, Subject::Reward(reward)))
}
