//! The layered configuration: default < user < project < `LOOPX_*` < flag.

mod file;
mod key;

use std::collections::BTreeMap;

use loopx_core::ProofFloor;

use crate::app::home::Home;
use crate::app::notify::{Bell, Quiet, Words};
use crate::env::Env;
use crate::error::CliError;
use crate::ui::ColorChoice;

pub use file::{PROJECT_FILE, Stamp, USER_FILE, project_file};
pub use key::{Key, Value};

/// Where a setting comes from; a later layer wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Built in.
    Default,
    /// `config.toml` in LoopX's config folder.
    User,
    /// `.loopx.toml` in the working folder or above it.
    Project,
    /// A `LOOPX_*` variable.
    Environment,
    /// A flag of this call.
    Flag,
}

impl Layer {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User => "user",
            Self::Project => "project",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// The configuration in force.
#[derive(Debug, Default)]
pub struct Config {
    set: BTreeMap<Key, (Value, Layer)>,
}

impl Config {
    /// Reads the user's file, the project's file and the environment.
    pub fn load(env: &Env) -> Result<Self, CliError> {
        let mut config = Self::of_user(env)?;
        if let Some(path) = env.cwd.as_deref().and_then(project_file)
            && let Some(text) = file::read(&path, PROJECT_FILE)?
        {
            config.add(Layer::Project, file::parse(&text, PROJECT_FILE, Layer::Project)?);
        }
        for key in Key::ALL {
            let Some(name) = key.variable() else { continue };
            let Some(text) = env.var(name) else { continue };
            let value = key.of_text(text).map_err(|why| {
                CliError::usage(format!("{name}: {why}")).hint(format!("set it anew, or unset {name}"))
            })?;
            config.set.insert(key, (value, Layer::Environment));
        }
        Ok(config)
    }

    /// The user's own file alone: what no project, variable or flag may set stands there or nowhere.
    pub fn of_user(env: &Env) -> Result<Self, CliError> {
        let mut config = Self::default();
        if let Some(home) = Home::of(env)
            && let Some(text) = file::read(&home.config_file(), USER_FILE)?
        {
            config.add(Layer::User, file::parse(&text, USER_FILE, Layer::User)?);
        }
        Ok(config)
    }

    /// All that is wrong with the user's own file, in turn.
    pub fn faults_of_user(env: &Env) -> Vec<CliError> {
        let Some(home) = Home::of(env) else { return Vec::new() };
        match file::read(&home.config_file(), USER_FILE) {
            Ok(Some(text)) => file::judge(&text, USER_FILE, Layer::User).1,
            Ok(None) => Vec::new(),
            Err(error) => vec![error],
        }
    }

    fn add(&mut self, layer: Layer, values: Vec<(Key, Value)>) {
        self.set.extend(values.into_iter().map(|(key, value)| (key, (value, layer))));
    }

    /// Puts what the flags of this call say over everything else.
    #[must_use]
    pub fn with_flags(mut self, color: Option<ColorChoice>, goal: Option<&str>, agent: Option<&str>) -> Self {
        let color = color.map(|color| match color {
            ColorChoice::Auto => "auto",
            ColorChoice::Always => "always",
            ColorChoice::Never => "never",
        });
        let flags = [(Key::DisplayColor, color), (Key::BindingGoal, goal), (Key::BindingAgent, agent)];
        for (key, word) in flags {
            if let Some(word) = word {
                self.set.insert(key, (Value::Word(word.to_owned()), Layer::Flag));
            }
        }
        self
    }

    /// A setting and where it comes from; none where nothing sets it and nothing is built in.
    pub fn get(&self, key: Key) -> (Option<Value>, Layer) {
        match self.set.get(&key) {
            Some((value, layer)) => (Some(value.clone()), *layer),
            None => (key.default_value(), Layer::Default),
        }
    }

    fn word(&self, key: Key) -> Option<&str> {
        match self.set.get(&key) {
            Some((Value::Word(word), _)) => Some(word),
            Some((Value::Words(_), _)) | None => None,
        }
    }

    fn words(&self, key: Key) -> &[String] {
        match self.set.get(&key) {
            Some((Value::Words(words), _)) => words,
            Some((Value::Word(_), _)) | None => &[],
        }
    }

    /// When to colour.
    pub fn color(&self) -> ColorChoice {
        match self.word(Key::DisplayColor) {
            Some("always") => ColorChoice::Always,
            Some("never") => ColorChoice::Never,
            Some(_) | None => ColorChoice::Auto,
        }
    }

    /// Whether instants are shown in UTC; else local.
    pub fn shows_utc(&self) -> bool {
        self.word(Key::DisplayTime) == Some("utc")
    }

    /// The default goal.
    pub fn goal(&self) -> Option<&str> {
        self.word(Key::BindingGoal)
    }

    /// The default lane.
    pub fn agent(&self) -> Option<&str> {
        self.word(Key::BindingAgent)
    }

    /// Read globs of a new goal that names none.
    pub fn scope_read(&self) -> &[String] {
        self.words(Key::ScopeRead)
    }

    /// Write globs of a new goal that names none.
    pub fn scope_write(&self) -> &[String] {
        self.words(Key::ScopeWrite)
    }

    /// Whether it is told without being asked for that something waits on a person.
    pub fn notifies_always(&self) -> bool {
        self.word(Key::NotifyWhen) == Some("always")
    }

    /// The program that tells it, with its arguments; none where there is none.
    pub fn notify_command(&self) -> &[String] {
        self.words(Key::NotifyCommand)
    }

    /// Whether the desktop shows it, where there is one.
    pub fn notifies_desktop(&self) -> bool {
        self.word(Key::NotifyDesktop) != Some("never")
    }

    /// When the terminal's bell rings for it.
    pub fn notify_bell(&self) -> Bell {
        match self.word(Key::NotifyBell) {
            Some("always") => Bell::Always,
            Some("never") => Bell::Never,
            Some(_) | None => Bell::Auto,
        }
    }

    /// How much is told.
    pub fn notify_words(&self) -> Words {
        if self.word(Key::NotifyText) == Some("full") { Words::Full } else { Words::Row }
    }

    /// The hours when nothing is told.
    pub fn quiet_hours(&self) -> Vec<Quiet> {
        self.words(Key::NotifyQuiet).iter().filter_map(|hours| hours.parse().ok()).collect()
    }

    /// The least proof of a new goal that names none.
    pub fn proof(&self) -> ProofFloor {
        match self.word(Key::ProofDefault) {
            Some("none") => ProofFloor::None,
            Some("passphrase") => ProofFloor::Passphrase,
            Some(_) | None => ProofFloor::default(),
        }
    }
}
