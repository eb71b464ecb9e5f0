//! Going to any goal or lane by some of its letters.

use loopx_contract::{AgentId, GoalId};

use super::input::Input;
use crate::app::board::Board;

/// Where one can go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To a goal.
    Goal(GoalId),
    /// To a lane.
    Lane(GoalId, AgentId),
}

impl Target {
    /// How it is called.
    pub fn name(&self) -> String {
        match self {
            Self::Goal(goal) => goal.to_string(),
            Self::Lane(goal, agent) => format!("{goal} / {agent}"),
        }
    }
}

/// What is typed, and which of the targets is selected.
#[derive(Clone, Debug, Default)]
pub struct Jump {
    /// What is typed.
    pub input: Input,
    /// Which target is selected.
    pub at: usize,
}

impl Jump {
    /// The targets that what is typed fits, the best first.
    pub fn targets(&self, board: Option<&Board>) -> Vec<Target> {
        let goals = board.map(|board| board.overview.goals.as_slice()).unwrap_or_default();
        let all = goals.iter().flat_map(|goal| {
            let lanes = goal
                .lanes
                .iter()
                .map(|lane| Target::Lane(lane.projection.goal_id.clone(), lane.projection.agent_id.clone()));
            std::iter::once(Target::Goal(goal.id.clone())).chain(lanes)
        });
        let words: Vec<String> = self.input.text().split_whitespace().map(str::to_lowercase).collect();
        let mut fitting: Vec<(u32, Target)> =
            all.filter_map(|target| Some((score(&target.name().to_lowercase(), &words)?, target))).collect();
        // Equal ones stay in the order of attention.
        fitting.sort_by_key(|(score, target)| (*score, target.name().len()));
        fitting.into_iter().map(|(_, target)| target).collect()
    }
}

/// How badly words fit a name: each has to be in it, or its letters in their order. None: they don't.
fn score(name: &str, words: &[String]) -> Option<u32> {
    words.iter().map(|word| score_of(name, word)).sum()
}

fn score_of(name: &str, word: &str) -> Option<u32> {
    if let Some(at) = name.find(word) {
        let before = name.get(..at).and_then(|before| before.chars().next_back());
        return Some(u32::from(before.is_some_and(char::is_alphanumeric)));
    }
    let mut letters = name.chars();
    word.chars().all(|letter| letters.any(|other| other == letter)).then_some(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_before_letters_and_beginnings_before_middles() {
        let names = ["sample-billing / codex", "sample-docs / codex", "build / billing", "dull / codex"];
        let best = |typed: &str| {
            let words: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
            let mut fitting: Vec<_> =
                names.iter().filter_map(|name| Some((score(name, &words)?, *name))).collect();
            fitting.sort_by_key(|(score, name)| (*score, name.len()));
            fitting.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
        };
        assert_eq!(best("bill"), ["build / billing", "sample-billing / codex"]);
        assert_eq!(best("doc cod"), ["sample-docs / codex"]);
        assert_eq!(best("smpdcs"), ["sample-docs / codex"]);
        assert_eq!(best("").len(), 4);
        assert!(best("xyz").is_empty());
    }
}
