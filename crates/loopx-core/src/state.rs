//! The state of one goal: a fold of its log.
//!
//! A store may hold less than the whole: the *working set*, everything that is open and everything that is named.
//! [`Names`] says which closed things a command or an open thing names.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use loopx_contract::{AgentId, GateId, HandoffId, RewardId, RunId, TodoId};

use crate::actor::Who;
use crate::agent::Agent;
use crate::binding::{Binding, BindingTarget};
use crate::gate::{Gate, GateStanding};
use crate::goal::Goal;
use crate::handoff::Handoff;
use crate::key::TurnKey;
use crate::quota::{Amount, Slot, Spend};
use crate::reward::Reward;
use crate::run::Run;
use crate::table::Table;
use crate::todo::{Blocker, Todo};
use crate::undo::{LastCommand, Thing};

/// What is known of one goal after some revision of its log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The revision of the last event that went in; 0 before the first.
    pub revision: u64,
    /// The goal itself, from its first event on.
    pub goal: Option<Goal>,
    /// Its lanes.
    pub agents: Table<AgentId, Agent>,
    /// Its todos.
    pub todos: Table<TodoId, Todo>,
    /// Its gates.
    pub gates: Table<GateId, Gate>,
    /// Its runs.
    pub runs: Table<RunId, Run>,
    /// Its rewards.
    pub rewards: Table<RewardId, Reward>,
    /// Its handoffs.
    pub handoffs: Table<HandoffId, Handoff>,
    /// Its spends, by turn key.
    pub spends: Table<TurnKey, Spend>,
    /// What was spent, by lane and minute.
    pub ledger: Table<Slot, Amount>,
    /// Its explicit bindings.
    pub bindings: Table<BindingTarget, Binding>,
    /// What each actor's last command did, so that it can be undone: one row an actor.
    pub last_commands: Table<Who, LastCommand>,
}

/// Things that a command or an open thing names and that may be closed: a store loads them beside what is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Todos.
    pub todos: BTreeSet<TodoId>,
    /// Gates.
    pub gates: BTreeSet<GateId>,
    /// Runs.
    pub runs: BTreeSet<RunId>,
    /// Rewards.
    pub rewards: BTreeSet<RewardId>,
    /// Handoffs.
    pub handoffs: BTreeSet<HandoffId>,
    /// Spends.
    pub spends: BTreeSet<TurnKey>,
    /// How much of the ledger.
    pub ledger: LedgerPart,
}

/// How much of the ledger is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LedgerPart {
    /// What a limit counts.
    #[default]
    Limited,
    /// All that the longest window can count, whether or not something limits it.
    All,
}

impl State {
    /// What the open things name.
    pub fn names(&self) -> Names {
        let mut names = Names::default();
        for todo in self.todos.values().filter(|todo| !todo.is_closed()) {
            for blocker in &todo.blocked_by {
                match blocker {
                    Blocker::Todo(id) => drop(names.todos.insert(id.clone())),
                    Blocker::Gate(id) => drop(names.gates.insert(id.clone())),
                    Blocker::Run(id) => drop(names.runs.insert(id.clone())),
                    Blocker::Evidence(_) => {}
                }
            }
            names.gates.extend(todo.linked_gate().cloned());
            names.handoffs.extend(todo.offered.clone());
        }
        for gate in self.gates.values() {
            names.todos.extend(gate.linked_todo.clone());
        }
        // What an undo would bring back may be closed.
        for thing in self.last_commands.values().flat_map(|last| &last.things) {
            match thing {
                Thing::Todo(id) => drop(names.todos.insert(id.clone())),
                Thing::Gate(id) => drop(names.gates.insert(id.clone())),
                Thing::Run(id) => drop(names.runs.insert(id.clone())),
                Thing::Handoff(id) => drop(names.handoffs.insert(id.clone())),
                Thing::Spend(key) => drop(names.spends.insert(key.clone())),
                Thing::Goal | Thing::Agent(_) | Thing::Binding(_) => {}
            }
        }
        names
    }

    /// Whether a todo is to be done at `now`. A gate's own todo is open exactly while its gate counts as requested.
    pub fn is_open(&self, todo: &Todo, now: Timestamp) -> bool {
        match todo.linked_gate() {
            None => todo.is_open(now),
            // A gate that can't be read is a requested one.
            Some(gate) => {
                !todo.is_closed()
                    && self.gates.get(gate).is_none_or(|gate| gate.standing(now) == GateStanding::Requested)
            }
        }
    }

    /// What was spent per minute: of one lane, or of the whole goal (lanes and the goal's own).
    pub fn spent(&self, agent: Option<&AgentId>) -> BTreeMap<i64, Amount> {
        let mut spent: BTreeMap<i64, Amount> = BTreeMap::new();
        for (slot, amount) in &self.ledger {
            if agent.is_none_or(|agent| slot.agent.as_ref() == Some(agent)) {
                let sum = spent.entry(slot.minute).or_default();
                *sum = sum.plus(*amount);
            }
        }
        spent
    }
}
