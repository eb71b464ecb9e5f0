//! Which first screens were said, so that each is said once: by this run, or by one before it.
//!
//! A [`Revision`] is all that is known of what was said: for each lane eight digits that stand for it, and eight that
//! stand for its screen. It needs no file and no count: the same screens have the same revision wherever they are
//! looked at, and what differs from a revision is what a reader has missed.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId};
use loopx_core::Decision;
use loopx_safety::base32;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::app::overview::World;
use crate::app::placing::Only;
use crate::error::CliError;

/// What every revision begins with: another form of it would begin otherwise.
const BEGINS: &str = "r0_";

/// How many digits stand for a lane, and how many for its screen.
const DIGITS: usize = 8;

/// What was said, lane by lane.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String", extend("pattern" = "^r0_([0-9a-z]{16})*$"))]
pub struct Revision(BTreeMap<String, String>);

impl Revision {
    /// Reads one as it was printed.
    pub fn parse(text: &str) -> Result<Self, CliError> {
        let bad = || {
            CliError::usage("not a revision").hint("give the `revision` of a line of `loopx follow` as it is")
        };
        let digits = text.strip_prefix(BEGINS).ok_or_else(bad)?;
        if !base32::is_base32(digits) || !digits.len().is_multiple_of(2 * DIGITS) {
            return Err(bad());
        }
        let mut lanes = BTreeMap::new();
        let mut rest = digits;
        while let Some((lane, after)) = rest.split_at_checked(DIGITS) {
            let Some((screen, after)) = after.split_at_checked(DIGITS) else { break };
            lanes.insert(lane.to_owned(), screen.to_owned());
            rest = after;
        }
        Ok(Self(lanes))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(BEGINS)?;
        self.0.iter().try_for_each(|(lane, screen)| write!(out, "{lane}{screen}"))
    }
}

impl Serialize for Revision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Whether `status` lists a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Listing {
    /// It does.
    Listed,
    /// Its goal was put away, or there is no such lane any more: this is the last that is said of it.
    Dropped,
}

/// A first screen that was not said yet.
#[derive(Debug)]
pub struct Change {
    /// The screen.
    pub decision: Decision,
    /// Prompts in sessions of its goal that belong to no lane.
    pub unbound_prompts: usize,
    /// Whether `status` lists the lane.
    pub listing: Listing,
    /// What was said, this included.
    pub revision: Revision,
    /// When it was looked.
    pub at: Timestamp,
}

/// What was said, and of which lanes.
#[derive(Debug, Default)]
pub struct Said {
    revision: Revision,
    names: BTreeMap<String, (GoalId, AgentId)>,
}

impl Said {
    /// Goes on after a revision.
    pub fn after(revision: Revision) -> Self {
        Self { revision, names: BTreeMap::new() }
    }

    /// The screens that are other ones than were said, and says them: whom a person waits on first. What is not asked
    /// for stays as it was said.
    pub fn changes(&mut self, world: &World, only: &Only) -> Result<Vec<Change>, CliError> {
        let mut found: Vec<(Decision, usize, Listing)> = Vec::new();
        for (goal, listed) in world.listing() {
            if only.goal.as_ref().is_some_and(|only| *only != *goal) {
                continue;
            }
            let listing = if listed { Listing::Listed } else { Listing::Dropped };
            let named = |agent: &AgentId| self.revision.0.contains_key(&lane_digits(goal, agent));
            if !listed && !world.lanes(goal)?.iter().any(named) {
                continue;
            }
            let view = world.goal(goal)?;
            let lanes = match (&only.goal, &only.agent) {
                // One that is asked for by both names is decided for, registered or not.
                (Some(_), Some(agent)) => vec![world.decide(goal, agent, None)?],
                (_, Some(agent)) => {
                    view.lanes.into_iter().filter(|lane| lane.projection.agent_id == *agent).collect()
                }
                (_, None) => view.lanes,
            };
            found.extend(lanes.into_iter().map(|lane| (lane, view.unbound_prompts, listing)));
        }
        let mut seen = BTreeMap::new();
        for (decision, ..) in &found {
            let (goal, agent) = (&decision.projection.goal_id, &decision.projection.agent_id);
            seen.insert(lane_digits(goal, agent), (goal.clone(), agent.clone()));
        }
        let asked = |(goal, agent): &(GoalId, AgentId)| {
            only.goal.as_ref().is_none_or(|only| only == goal)
                && only.agent.as_ref().is_none_or(|only| only == agent)
        };
        for (digits, lane) in &self.names {
            if !seen.contains_key(digits) && asked(lane) {
                found.push((world.decide(&lane.0, &lane.1, None)?, 0, Listing::Dropped));
            }
        }
        if only.goal.is_none() && only.agent.is_none() {
            // Nobody knows any more which lane such digits stand for.
            let names = &self.names;
            self.revision.0.retain(|digits, _| seen.contains_key(digits) || names.contains_key(digits));
        }
        self.names.extend(seen);
        found.sort_by_key(|(decision, ..)| {
            (decision.projection.first_screen.waiting_on.attention(), decision.row.number())
        });
        let mut changes = Vec::new();
        for (decision, unbound_prompts, listing) in found {
            changes.extend(self.say(world.now, decision, unbound_prompts, listing)?);
        }
        Ok(changes)
    }

    /// Says one screen, if it was not said.
    fn say(
        &mut self,
        at: Timestamp,
        decision: Decision,
        unbound_prompts: usize,
        listing: Listing,
    ) -> Result<Option<Change>, CliError> {
        let (goal, agent) = (&decision.projection.goal_id, &decision.projection.agent_id);
        let lane = lane_digits(goal, agent);
        let screen = screen_digits(&decision, unbound_prompts)?;
        let is_said = match listing {
            Listing::Listed => {
                self.revision.0.insert(lane, screen.clone()).is_some_and(|said| said == screen)
            }
            Listing::Dropped => {
                self.names.remove(&lane);
                self.revision.0.remove(&lane).is_none()
            }
        };
        let revision = || self.revision.clone();
        Ok((!is_said).then(|| Change { revision: revision(), decision, unbound_prompts, listing, at }))
    }
}

/// What stands for a lane.
fn lane_digits(goal: &GoalId, agent: &AgentId) -> String {
    // No id holds this mark.
    digits(format!("{goal}/{agent}").as_bytes())
}

/// What stands for a screen: all of it that is said, and no instant of looking.
fn screen_digits(decision: &Decision, unbound_prompts: usize) -> Result<String, CliError> {
    let Decision { row, projection, exit, lacking, cites: _, frees: _ } = decision;
    let said = serde_json::to_vec(&(row.name(), exit, lacking, projection, unbound_prompts));
    let said = said.map_err(|error| CliError::internal(format!("failed to write JSON: {error}")))?;
    Ok(digits(&said))
}

fn digits(bytes: &[u8]) -> String {
    let mut digits = base32::encode(blake3::hash(bytes).as_bytes());
    digits.truncate(DIGITS);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_read_as_it_was_printed() {
        let mut revision = Revision::default();
        assert_eq!(Revision::parse(&revision.to_string()), Ok(revision.clone()));
        for lane in ["one", "two", "three"] {
            revision.0.insert(digits(lane.as_bytes()), digits(b"a screen"));
        }
        let text = revision.to_string();
        assert_eq!(text.len(), BEGINS.len() + 3 * 2 * DIGITS);
        assert_eq!(Revision::parse(&text), Ok(revision));
        for bad in ["", "r0", "r1_", "r0_0", "r0_0123456", "r0_0123456789abcdeF", "r0_0123456789abcdeé", " "]
        {
            assert!(Revision::parse(bad).is_err(), "{bad}");
        }
    }
}
