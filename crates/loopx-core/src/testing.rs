//! Random histories of commands, for tests: seeded, so that the same seed gives the same history.
//!
//! ```
//! use loopx_core::testing::World;
//! let mut world = World::new(7);
//! for _ in 0..50 {
//!     let request = world.request();
//!     let _outcome = world.submit(&request);
//!     world.wait();
//! }
//! assert_eq!(world.refolded(), world.state);
//! ```
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "test support: a text of its own that the screen refuses is a fault here"
)]

mod pieces;
mod random;
mod requests;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, GoalId};
use loopx_safety::PublicText;

use crate::actor::{Actor, Channel, Proof, ProofFloor, Who};
use crate::agent::AgentKind;
use crate::command::{AgentAdd, AuthorityCommand, Command, GoalAdd, Request};
use crate::decide::{Decided, decide};
use crate::event::{Event, Recorded};
use crate::refusal::Refusal;
use crate::scope::Glob;
use crate::state::State;

pub use random::Seeded;

/// One goal with its log, as a store would keep it, and what a random history needs.
#[derive(Clone, Debug)]
pub struct World {
    /// The fold of the log.
    pub state: State,
    /// The log.
    pub log: Vec<Recorded>,
    /// The instant of the next command, UTC.
    pub now: Timestamp,
    /// Where chance and ids come from.
    pub random: Seeded,
}

/// A text that is known to be clean.
pub fn text(text: &str) -> PublicText {
    PublicText::new(text).expect("a clean text")
}

/// A glob that is known to be one.
pub fn glob(glob: &str) -> Glob {
    Glob::parse(text(glob)).expect("a glob")
}

/// A lane's slug.
pub fn agent(slug: &str) -> AgentId {
    AgentId::parse(slug).expect("a slug")
}

/// The goal of every world.
pub fn goal() -> GoalId {
    GoalId::parse("orchard").expect("a slug")
}

/// A person at a terminal.
pub fn person() -> Actor {
    Actor { who: Who::Person, channel: Channel::Cli, proof: Proof::Terminal }
}

/// A lane through its own channel.
pub fn lane(slug: &str) -> Actor {
    Actor { who: Who::Lane(agent(slug)), channel: Channel::Mcp, proof: Proof::Lane }
}

/// The lanes that every world begins with.
pub const LANES: [&str; 3] = ["ash", "birch", "cedar"];

impl World {
    /// An empty log.
    pub fn empty(seed: u64) -> Self {
        Self {
            state: State::default(),
            log: vec![],
            now: "2026-11-30T08:00:00Z".parse().expect("an instant"),
            random: Seeded::new(seed),
        }
    }

    /// A goal with the lanes [`LANES`], the last of them a person's.
    pub fn new(seed: u64) -> Self {
        let mut world = Self::empty(seed);
        let proof = if world.random.chance(50) { ProofFloor::None } else { ProofFloor::Terminal };
        world.authority(AuthorityCommand::GoalAdd(GoalAdd {
            objective: text("grow apples"),
            proof,
            lock: None,
            read: vec![],
            write: vec![glob("src/**")],
            private_data_rule: None,
            stop_condition: None,
            agents: Vec::new(),
            bind: Vec::new(),
        }));
        for (slug, kind, can) in [
            (LANES[0], AgentKind::Automation, vec!["prune", "graft"]),
            (LANES[1], AgentKind::Automation, vec!["prune"]),
            (LANES[2], AgentKind::Human, vec!["graft"]),
        ] {
            world.authority(AuthorityCommand::AgentAdd(AgentAdd {
                agent: agent(slug),
                kind,
                runtime: None,
                capabilities: can.into_iter().map(text).collect(),
            }));
        }
        world
    }

    /// A person's command that must succeed.
    pub fn authority(&mut self, command: AuthorityCommand) -> Decided {
        self.by(person(), Command::Authority(command)).expect("the person's command is taken")
    }

    /// One command by an actor.
    pub fn by(&mut self, actor: Actor, command: Command) -> Result<Decided, Refusal> {
        self.submit(&Request { goal: goal(), actor, key: None, command })
    }

    /// Decides a request and takes its events into the log; a refused attempt on authority goes in as well.
    pub fn submit(&mut self, request: &Request) -> Result<Decided, Refusal> {
        let outcome = decide(&self.state, request, self.now, &mut self.random);
        match &outcome {
            Ok(decided) => self.record(&request.actor, decided.events.clone()),
            Err(refusal) if refusal.is_recorded() => {
                let command = request.command.name().into();
                let refused = Event::Refused { command, code: refusal.code() };
                self.record(&request.actor, vec![refused]);
            }
            Err(_) => {}
        }
        outcome
    }

    /// Takes the events of one command into log and state.
    pub fn record(&mut self, actor: &Actor, events: Vec<Event>) {
        let command = self.state.revision + 1;
        for event in events {
            let revision = self.state.revision + 1;
            let (at, actor) = (self.now, actor.clone());
            let recorded = Recorded { goal: goal(), revision, command, at, actor, event };
            self.state.apply(&recorded);
            self.log.push(recorded);
        }
    }

    /// Lets a random while pass: mostly seconds, at times hours.
    pub fn wait(&mut self) {
        let seconds = match self.random.below(10) {
            0 => 6 * 60 * 60,
            1..=3 => 20 * 60,
            _ => 7,
        };
        self.now = self.now.saturating_add(SignedDuration::from_secs(seconds)).expect("within time");
    }

    /// A random command that may make sense in this state, or may not.
    pub fn request(&mut self) -> Request {
        requests::request(self)
    }

    /// The fold of the whole log from its beginning.
    pub fn refolded(&self) -> State {
        let mut state = State::default();
        self.log.iter().for_each(|recorded| state.apply(recorded));
        state
    }
}
