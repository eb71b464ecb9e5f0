//! Who did a thing, through which door, and what proves it. Set by the door, never an argument of a command.

use loopx_contract::AgentId;
use serde::{Deserialize, Serialize};

/// One actor of one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// Who.
    pub who: Who,
    /// Through which door.
    pub channel: Channel,
    /// What proves it.
    pub proof: Proof,
}

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Who {
    /// A person: the user or the controller.
    Person,
    /// A registered lane.
    Lane(AgentId),
    /// LoopX itself.
    System,
}

/// The door a command came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// The command line.
    Cli,
    /// The local page.
    Page,
    /// MCP.
    Mcp,
    /// A runtime's hook.
    Hook,
    /// Facts reported by a custom worker.
    Ingest,
    /// An imported log.
    Import,
}

/// What proves that the actor is who it says, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// Nothing.
    None,
    /// It stood in an imported log.
    Imported,
    /// A lane's own channel.
    Lane,
    /// A code typed back at a terminal, outside every runtime.
    Terminal,
    /// A paired browser session.
    Browser,
    /// A signature by a key that a passphrase opens.
    Passphrase,
}

impl Proof {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Imported => "imported",
            Self::Lane => "lane",
            Self::Terminal => "terminal",
            Self::Browser => "browser",
            Self::Passphrase => "passphrase",
        }
    }
}

/// The least proof a goal accepts for an authority command. Set when the goal is made.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ProofFloor {
    /// Any person, from anywhere: for scripts and tests.
    None,
    /// A terminal, a paired browser or a passphrase.
    #[default]
    Terminal,
    /// A passphrase.
    Passphrase,
}

impl ProofFloor {
    /// Whether a proof reaches this floor.
    pub const fn accepts(self, proof: Proof) -> bool {
        match self {
            Self::None => true,
            Self::Terminal => matches!(proof, Proof::Terminal | Proof::Browser | Proof::Passphrase),
            Self::Passphrase => matches!(proof, Proof::Passphrase),
        }
    }

    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Terminal => "terminal",
            Self::Passphrase => "passphrase",
        }
    }
}
