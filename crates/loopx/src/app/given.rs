//! The texts that a goal was given and that its first screens may show.

use loopx_contract::{AgentId, GateId, HandoffId, RunId, TodoId};
use loopx_core::State;
use loopx_core::first_screen::STOP_CONDITION;
use loopx_core::gate::GateDecision;
use loopx_core::todo::Blocker;
use loopx_safety::PublicText;

/// Where a given text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// The goal's objective.
    Objective,
    /// Its stop condition.
    StopCondition,
    /// Its private-data rule.
    PrivateDataRule,
    /// One of its read globs.
    ReadGlob,
    /// One of its write globs.
    WriteGlob,
    /// The label of an authority source.
    Authority,
    /// A capability of a lane.
    Capability(&'a AgentId),
    /// A todo's title.
    Title(&'a TodoId),
    /// A glob, a need or evidence of a todo.
    Needed(&'a TodoId),
    /// A gate's question or condition.
    Question(&'a GateId),
    /// A run's summary or check.
    Record(&'a RunId),
    /// What a handoff says.
    Offer(&'a HandoffId),
}

/// Every given text of a goal's working set, and where it stands.
pub fn texts(state: &State) -> Vec<(&str, Place<'_>)> {
    let mut texts = Vec::new();
    if let Some(goal) = &state.goal {
        let boundary = &goal.boundary;
        texts.push((goal.objective.as_str(), Place::Objective));
        // The contract's own words are nobody's.
        let stop = Some(boundary.stop_condition.as_str()).filter(|stop| *stop != STOP_CONDITION);
        texts.extend(stop.map(|stop| (stop, Place::StopCondition)));
        texts.extend(boundary.private_data_rule.iter().map(|rule| (rule.as_str(), Place::PrivateDataRule)));
        texts.extend(boundary.read.iter().map(|glob| (glob.as_text().as_str(), Place::ReadGlob)));
        texts.extend(boundary.write.iter().map(|glob| (glob.as_text().as_str(), Place::WriteGlob)));
        texts.extend(goal.authority_sources.iter().map(|source| (source.label.as_str(), Place::Authority)));
    }
    for (id, agent) in &state.agents {
        texts.extend(agent.capabilities.iter().map(|one| (one.as_str(), Place::Capability(id))));
    }
    for (id, todo) in &state.todos {
        texts.push((todo.title.as_str(), Place::Title(id)));
        let labels = todo.blocked_by.iter().filter_map(|blocker| match blocker {
            Blocker::Evidence(label) => Some(label.as_str()),
            Blocker::Todo(_) | Blocker::Gate(_) | Blocker::Run(_) => None,
        });
        let globs = todo.globs.iter().map(|glob| glob.as_text().as_str());
        let needed = todo.needs.iter().map(PublicText::as_str).chain(globs).chain(labels);
        texts.extend(needed.map(|text| (text, Place::Needed(id))));
    }
    for (id, gate) in &state.gates {
        texts.push((gate.question.as_str(), Place::Question(id)));
        if let GateDecision::Deferred { condition: Some(condition), .. } = &gate.state {
            texts.push((condition.as_str(), Place::Question(id)));
        }
    }
    // A lane's own record goes further back than the runs that are still open.
    let own = state.agents.values().flat_map(|agent| agent.validations.iter().chain(&agent.latest_run));
    for run in state.runs.values().chain(own) {
        let id = &run.id;
        let label = run.validation.as_ref().map(|validation| validation.label.as_str());
        let said = run.summary.as_ref().map(PublicText::as_str).into_iter().chain(label);
        texts.extend(said.map(|text| (text, Place::Record(id))));
    }
    for (id, handoff) in &state.handoffs {
        let stop = handoff.stop_condition.as_ref().map(PublicText::as_str);
        let said = std::iter::once(handoff.next_action.as_str()).chain(stop);
        texts.extend(said.map(|text| (text, Place::Offer(id))));
    }
    texts
}
