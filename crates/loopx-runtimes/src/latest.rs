//! The latest check of each label that a session ran. The command is never kept.

use std::collections::{BTreeMap, VecDeque};

use jiff::Timestamp;
use loopx_contract::{Check, CheckLabel, CheckOutcome};
use serde::{Deserialize, Serialize};

use crate::check::{Exit, Kind};

/// How many calls are remembered whose end was told.
const TOLD: usize = 16;

/// The latest check of each label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latest {
    held: BTreeMap<CheckLabel, Held>,
    told: VecDeque<u64>,
}

/// One check and what says how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Held {
    check: Check,
    call: u64,
    source: Source,
}

/// Where an exit code comes from; the later one is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Source {
    /// The words of a result.
    Words,
    /// A field of a result.
    Field,
}

impl Latest {
    /// Notes how a call ended that was a check.
    pub fn note(&mut self, call: u64, kind: Kind, exit: Exit, at: Option<Timestamp>, source: Source) {
        let (outcome, exit_code) = kind.outcome(exit);
        let check = Check { label: kind.label, outcome, exit_code, at, compound: kind.compound() };
        let known = self.told.contains(&call);
        let held = self.held.get(&kind.label);
        // What is told again of the same call counts where it is told better; of an older one it counts no more.
        let replaces = match held {
            Some(held) if held.call == call => {
                source > held.source || source == held.source && held.check.outcome == CheckOutcome::Unknown
            }
            Some(_) => !known,
            None => true,
        };
        if !known {
            self.told.push_back(call);
            if self.told.len() > TOLD {
                self.told.pop_front();
            }
        }
        if replaces {
            let at = check.at.or_else(|| held.filter(|held| held.call == call)?.check.at);
            self.held.insert(kind.label, Held { check: Check { at, ..check }, call, source });
        }
    }

    /// The checks, by label.
    pub fn checks(&self) -> Vec<Check> {
        self.held.values().map(|held| held.check.clone()).collect()
    }
}
