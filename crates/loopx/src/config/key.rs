//! The keys of the configuration: what each may hold, and who may set it.

use std::fmt;

use loopx_contract::{AgentId, GoalId};
use loopx_core::scope::Glob;
use loopx_safety::PublicText;
use serde::Serialize;

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// When to colour.
    DisplayColor,
    /// How instants are shown.
    DisplayTime,
    /// The default goal.
    BindingGoal,
    /// The default lane.
    BindingAgent,
    /// Read globs of a new goal.
    ScopeRead,
    /// Write globs of a new goal.
    ScopeWrite,
    /// The least proof of a new goal.
    ProofDefault,
}

/// What a setting holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// One word.
    Word(String),
    /// Several.
    Words(Vec<String>),
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => out.write_str(word),
            Self::Words(words) => out.write_str(&words.join(",")),
        }
    }
}

impl Key {
    /// Every key.
    pub const ALL: [Self; 7] = [
        Self::DisplayColor,
        Self::DisplayTime,
        Self::BindingGoal,
        Self::BindingAgent,
        Self::ScopeRead,
        Self::ScopeWrite,
        Self::ProofDefault,
    ];

    /// The name, with its section.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DisplayColor => "display.color",
            Self::DisplayTime => "display.time",
            Self::BindingGoal => "binding.goal",
            Self::BindingAgent => "binding.agent",
            Self::ScopeRead => "scope.read",
            Self::ScopeWrite => "scope.write",
            Self::ProofDefault => "proof.default",
        }
    }

    /// The key of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }

    /// The variable that sets it, where one may.
    pub const fn variable(self) -> Option<&'static str> {
        match self {
            Self::DisplayColor => Some("LOOPX_COLOR"),
            Self::DisplayTime => Some("LOOPX_TIME"),
            Self::BindingGoal => Some("LOOPX_GOAL"),
            Self::BindingAgent => Some("LOOPX_AGENT"),
            Self::ScopeRead => Some("LOOPX_SCOPE_READ"),
            Self::ScopeWrite => Some("LOOPX_SCOPE_WRITE"),
            Self::ProofDefault => None,
        }
    }

    /// The flag that sets it, where one does.
    pub const fn flag(self) -> Option<&'static str> {
        match self {
            Self::DisplayColor => Some("--color"),
            Self::BindingGoal => Some("--goal"),
            Self::BindingAgent => Some("--agent"),
            Self::DisplayTime | Self::ScopeRead | Self::ScopeWrite | Self::ProofDefault => None,
        }
    }

    /// Whether a project's file may set it: what asks less of a person is the user's own to say.
    pub const fn is_for_projects(self) -> bool {
        match self {
            Self::DisplayColor
            | Self::DisplayTime
            | Self::BindingGoal
            | Self::BindingAgent
            | Self::ScopeRead
            | Self::ScopeWrite => true,
            Self::ProofDefault => false,
        }
    }

    /// Whether it holds several words.
    pub const fn is_list(self) -> bool {
        match self {
            Self::ScopeRead | Self::ScopeWrite => true,
            Self::DisplayColor
            | Self::DisplayTime
            | Self::BindingGoal
            | Self::BindingAgent
            | Self::ProofDefault => false,
        }
    }

    /// What holds where nothing sets it.
    pub fn default_value(self) -> Option<Value> {
        let word = match self {
            Self::DisplayColor => "auto",
            Self::DisplayTime => "local",
            Self::ProofDefault => "terminal",
            Self::BindingGoal | Self::BindingAgent | Self::ScopeRead | Self::ScopeWrite => return None,
        };
        Some(Value::Word(word.to_owned()))
    }

    /// The value of a variable's or flag's text; several words are parted by commas.
    pub fn of_text(self, text: &str) -> Result<Value, String> {
        let value = if self.is_list() {
            Value::Words(
                text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect(),
            )
        } else {
            Value::Word(text.to_owned())
        };
        self.check(&value)?;
        Ok(value)
    }

    /// Whether it may hold this; else what is wanted, in words.
    pub fn check(self, value: &Value) -> Result<(), String> {
        match (self, value) {
            (Self::DisplayColor, Value::Word(word)) => one_of(word, &["auto", "always", "never"]),
            (Self::DisplayTime, Value::Word(word)) => one_of(word, &["local", "utc"]),
            (Self::ProofDefault, Value::Word(word)) => one_of(word, &["none", "terminal", "passphrase"]),
            (Self::BindingGoal, Value::Word(word)) => {
                GoalId::parse(word).map(drop).map_err(|error| error.to_string())
            }
            (Self::BindingAgent, Value::Word(word)) => {
                AgentId::parse(word).map(drop).map_err(|error| error.to_string())
            }
            (Self::ScopeRead | Self::ScopeWrite, Value::Words(words)) => {
                words.iter().try_for_each(|word| glob(word))
            }
            (Self::ScopeRead | Self::ScopeWrite, Value::Word(_)) => Err("must be a list of globs".to_owned()),
            (
                Self::DisplayColor
                | Self::DisplayTime
                | Self::BindingGoal
                | Self::BindingAgent
                | Self::ProofDefault,
                Value::Words(_),
            ) => Err("must be one word".to_owned()),
        }
    }
}

fn one_of(word: &str, words: &[&str]) -> Result<(), String> {
    if words.contains(&word) { Ok(()) } else { Err(format!("must be one of {}", words.join(", "))) }
}

fn glob(word: &str) -> Result<(), String> {
    let text = PublicText::new(word).map_err(|refusal| refusal.to_string())?;
    Glob::parse(text).map(drop).map_err(|error| error.to_string())
}
