//! The keys of the configuration: what each may hold, and who may set it.

use std::fmt;

use loopx_contract::{AgentId, GoalId};
use loopx_core::scope::Glob;
use loopx_safety::PublicText;
use serde::Serialize;

use crate::app::notify::Quiet;

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
    /// When to tell that something waits on you.
    NotifyWhen,
    /// The program that tells it, with its arguments.
    NotifyCommand,
    /// Whether the desktop shows it.
    NotifyDesktop,
    /// When the terminal's bell rings for it.
    NotifyBell,
    /// How much is told.
    NotifyText,
    /// The hours when nothing is told.
    NotifyQuiet,
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
    pub const ALL: [Self; 13] = [
        Self::DisplayColor,
        Self::DisplayTime,
        Self::BindingGoal,
        Self::BindingAgent,
        Self::ScopeRead,
        Self::ScopeWrite,
        Self::ProofDefault,
        Self::NotifyWhen,
        Self::NotifyCommand,
        Self::NotifyDesktop,
        Self::NotifyBell,
        Self::NotifyText,
        Self::NotifyQuiet,
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
            Self::NotifyWhen => "notify.when",
            Self::NotifyCommand => "notify.command",
            Self::NotifyDesktop => "notify.desktop",
            Self::NotifyBell => "notify.bell",
            Self::NotifyText => "notify.text",
            Self::NotifyQuiet => "notify.quiet",
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
            Self::ProofDefault
            | Self::NotifyWhen
            | Self::NotifyCommand
            | Self::NotifyDesktop
            | Self::NotifyBell
            | Self::NotifyText
            | Self::NotifyQuiet => None,
        }
    }

    /// The flag that sets it, where one does.
    pub const fn flag(self) -> Option<&'static str> {
        match self {
            Self::DisplayColor => Some("--color"),
            Self::BindingGoal => Some("--goal"),
            Self::BindingAgent => Some("--agent"),
            Self::DisplayTime
            | Self::ScopeRead
            | Self::ScopeWrite
            | Self::ProofDefault
            | Self::NotifyWhen
            | Self::NotifyCommand
            | Self::NotifyDesktop
            | Self::NotifyBell
            | Self::NotifyText
            | Self::NotifyQuiet => None,
        }
    }

    /// Whether a project's file may set it: what asks less of a person, or runs a program, is the user's own to say.
    pub const fn is_for_projects(self) -> bool {
        match self {
            Self::DisplayColor
            | Self::DisplayTime
            | Self::BindingGoal
            | Self::BindingAgent
            | Self::ScopeRead
            | Self::ScopeWrite => true,
            Self::ProofDefault
            | Self::NotifyWhen
            | Self::NotifyCommand
            | Self::NotifyDesktop
            | Self::NotifyBell
            | Self::NotifyText
            | Self::NotifyQuiet => false,
        }
    }

    /// Whether it may hold what nobody else should see, so that it is only said that it is set: a command has paths and
    /// addresses in it.
    pub const fn is_private(self) -> bool {
        matches!(self, Self::NotifyCommand)
    }

    /// Whether it holds several words.
    pub const fn is_list(self) -> bool {
        match self {
            Self::ScopeRead | Self::ScopeWrite | Self::NotifyCommand | Self::NotifyQuiet => true,
            Self::DisplayColor
            | Self::DisplayTime
            | Self::BindingGoal
            | Self::BindingAgent
            | Self::ProofDefault
            | Self::NotifyWhen
            | Self::NotifyDesktop
            | Self::NotifyBell
            | Self::NotifyText => false,
        }
    }

    /// What holds where nothing sets it.
    pub fn default_value(self) -> Option<Value> {
        let word = match self {
            Self::DisplayColor | Self::NotifyDesktop | Self::NotifyBell => "auto",
            Self::DisplayTime => "local",
            Self::ProofDefault => "terminal",
            Self::NotifyWhen => "asked",
            Self::NotifyText => "row",
            Self::BindingGoal
            | Self::BindingAgent
            | Self::ScopeRead
            | Self::ScopeWrite
            | Self::NotifyCommand
            | Self::NotifyQuiet => return None,
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
            (Self::DisplayColor | Self::NotifyBell, Value::Word(word)) => {
                one_of(word, &["auto", "always", "never"])
            }
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
            (Self::NotifyWhen, Value::Word(word)) => one_of(word, &["asked", "always"]),
            (Self::NotifyDesktop, Value::Word(word)) => one_of(word, &["auto", "never"]),
            (Self::NotifyText, Value::Word(word)) => one_of(word, &["row", "full"]),
            (Self::NotifyCommand, Value::Words(words)) => command(words),
            (Self::NotifyQuiet, Value::Words(words)) => {
                words.iter().try_for_each(|word| word.parse::<Quiet>().map(drop))
            }
            (Self::ScopeRead | Self::ScopeWrite, Value::Word(_)) => Err("must be a list of globs".to_owned()),
            (Self::NotifyCommand, Value::Word(_)) => {
                Err("must be a list: a program and its arguments, without a shell".to_owned())
            }
            (Self::NotifyQuiet, Value::Word(_)) => {
                Err("must be a list of hours, such as [\"22:00-07:00\"]".to_owned())
            }
            (
                Self::DisplayColor
                | Self::DisplayTime
                | Self::BindingGoal
                | Self::BindingAgent
                | Self::ProofDefault
                | Self::NotifyWhen
                | Self::NotifyDesktop
                | Self::NotifyBell
                | Self::NotifyText,
                Value::Words(_),
            ) => Err("must be one word".to_owned()),
        }
    }
}

fn one_of(word: &str, words: &[&str]) -> Result<(), String> {
    if words.contains(&word) { Ok(()) } else { Err(format!("must be one of {}", words.join(", "))) }
}

fn command(words: &[String]) -> Result<(), String> {
    match words.first() {
        Some(program) if !program.is_empty() && words.iter().all(|word| !word.contains('\0')) => Ok(()),
        Some(_) | None => Err("must begin with a program".to_owned()),
    }
}

fn glob(word: &str) -> Result<(), String> {
    let text = PublicText::new(word).map_err(|refusal| refusal.to_string())?;
    Glob::parse(text).map(drop).map_err(|error| error.to_string())
}
