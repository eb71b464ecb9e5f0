//! How it is told, and when not: what the configuration says, as far as it can be done here.

use std::ffi::OsString;
use std::path::PathBuf;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::edges::Hours;
use super::quiet::Quiet;
use super::text::Words;
use crate::config::Config;
use crate::env::Env;

/// What a notification is headed with.
const TITLE: &str = "loopx: waiting on you";

/// When the terminal's bell rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bell {
    /// Over SSH, where no desktop is seen.
    Auto,
    /// Wherever a terminal is watched.
    Always,
    /// Nowhere.
    Never,
}

/// How it is told, and when not.
#[derive(Debug, PartialEq, Eq)]
pub struct Settings {
    /// The program of the user's choice, with its arguments; none where there is none.
    pub command: Vec<OsString>,
    /// What shows it on the desktop.
    pub desktop: Option<Desktop>,
    /// Whether the terminal rings.
    pub bell: bool,
    /// How much is told.
    pub words: Words,
    quiet: Vec<Quiet>,
    /// Where the clock hangs on whose wall hours are read.
    pub zone: TimeZone,
}

/// What shows a notification on the desktop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Desktop {
    /// `notify-send`.
    NotifySend(PathBuf),
    /// `osascript`.
    Osascript(PathBuf),
}

impl Settings {
    /// As the configuration says, as far as it can be done here. Over SSH nobody sees a desktop: the terminal's bell
    /// rings there, if there is one.
    pub fn of(config: &Config, env: &Env, zone: TimeZone, is_terminal: bool) -> Self {
        let is_remote = ["SSH_CONNECTION", "SSH_TTY"].iter().any(|name| env.var_os(name).is_some());
        let rings = match config.notify_bell() {
            Bell::Auto => is_remote,
            Bell::Always => true,
            Bell::Never => false,
        };
        Self {
            command: config.notify_command().iter().map(OsString::from).collect(),
            desktop: Desktop::find(env).filter(|_| config.notifies_desktop() && !is_remote),
            bell: rings && is_terminal,
            words: config.notify_words(),
            quiet: config.quiet_hours(),
            zone,
        }
    }

    /// Whether anything tells.
    pub const fn tells(&self) -> bool {
        self.runs() || self.bell
    }

    /// Whether a program tells, which may fail.
    pub const fn runs(&self) -> bool {
        !self.command.is_empty() || self.desktop.is_some()
    }

    /// Whether it may be told at an instant.
    pub fn hours(&self, now: Timestamp) -> Hours {
        let now = now.to_zoned_datetime(self.zone.clone());
        if self.quiet.iter().any(|quiet| quiet.holds(&now)) { Hours::Quiet } else { Hours::Loud }
    }
}

impl Desktop {
    fn find(env: &Env) -> Option<Self> {
        // A folder that is not named in full would be one of the project that this is run in.
        let folders = || {
            std::env::split_paths(env.var_os("PATH").unwrap_or_default()).filter(|path| path.is_absolute())
        };
        let program = |name: &str| folders().map(|folder| folder.join(name)).find(|path| path.is_file());
        let has_session = ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"];
        if has_session.iter().any(|name| env.var_os(name).is_some())
            && let Some(program) = program("notify-send")
        {
            return Some(Self::NotifySend(program));
        }
        program("osascript").map(Self::Osascript)
    }

    /// The program that shows a text. The words are arguments: no shell and no script reads them.
    pub fn words(&self, text: &str) -> Vec<OsString> {
        const SCRIPT: [&str; 3] = [
            "on run words",
            "display notification (item 2 of words) with title (item 1 of words)",
            "end run",
        ];
        match self {
            Self::NotifySend(program) => {
                let words = ["--app-name=loopx", "--", TITLE, text].map(OsString::from);
                std::iter::once(program.into()).chain(words).collect()
            }
            Self::Osascript(program) => {
                let script = SCRIPT.iter().flat_map(|line| ["-e", line]).chain([TITLE, text]);
                std::iter::once(program.into()).chain(script.map(OsString::from)).collect()
            }
        }
    }
}
