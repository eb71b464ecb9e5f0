//! The layered configuration: default < user < project < `LOOPX_*` < flag.

use crate::env::Env;
use crate::error::CliError;
use crate::ui::ColorChoice;

/// The configuration in force.
#[derive(Debug, Default)]
pub struct Config {
    color: ColorChoice,
    goal: Option<String>,
    agent: Option<String>,
}

impl Config {
    /// Reads the user's and the project's file.
    pub fn load(_env: &Env) -> Result<Self, CliError> {
        Ok(Self::default())
    }

    /// When to colour.
    pub fn color(&self) -> ColorChoice {
        self.color
    }

    /// The default goal.
    pub fn goal(&self) -> Option<&str> {
        self.goal.as_deref()
    }

    /// The default lane.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }
}
