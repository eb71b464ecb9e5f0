//! Telling a person that something waits on them: once, when it begins to.

mod edges;
mod quiet;
mod runner;
mod text;
mod told;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::app::placing::Only;
use crate::app::waits::{Wait, Waiting};
use crate::config::Config;
use crate::env::Env;

pub use edges::{Edge, Edges, FLAPS, Hours, Memory, Noted, SETTLES, edges};
pub use quiet::Quiet;
pub use text::Words;
pub use told::{LOCK, NEW, TOLD};

use runner::{Run, Runner};
use text::{document, sentence};
use told::Told;

/// What a program that tells is called in words.
const COMMAND: &str = "the command of notify.command";
const DESKTOP: &str = "the desktop's notification";

/// What a notification is headed with.
const TITLE: &str = "loopx: waiting on you";

/// What stands on a notification, beside the variable that a command is given.
const TEXT: &str = "LOOPX_NOTIFY_TEXT";

/// How many notifications the desktop shows at once.
const MANY: usize = 3;

/// How it is told, and when not.
#[derive(Debug)]
pub struct Settings {
    command: Vec<OsString>,
    desktop: Option<Desktop>,
    bell: bool,
    words: Words,
    quiet: Vec<Quiet>,
    zone: TimeZone,
}

/// What shows a notification on the desktop.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Desktop {
    /// `notify-send`.
    NotifySend(PathBuf),
    /// `osascript`.
    Osascript(PathBuf),
}

impl Settings {
    /// As the configuration says, as far as it can be done here. Over SSH nobody sees a desktop: the terminal's bell
    /// rings there.
    pub fn of(config: &Config, env: &Env, zone: TimeZone) -> Self {
        let is_remote = ["SSH_CONNECTION", "SSH_TTY"].iter().any(|name| env.var_os(name).is_some());
        Self {
            command: config.notify_command().iter().map(OsString::from).collect(),
            desktop: Desktop::find(env).filter(|_| config.notifies_desktop() && !is_remote),
            bell: config.rings_bell() && is_remote,
            words: config.notify_words(),
            quiet: config.quiet_hours(),
            zone,
        }
    }

    /// Whether anything tells; of the bell a terminal is needed.
    pub const fn tells(&self, is_terminal: bool) -> bool {
        !self.command.is_empty() || self.desktop.is_some() || self.bell && is_terminal
    }

    fn hours(&self, now: Timestamp) -> Hours {
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

    /// The words are arguments: no shell and no script reads them.
    fn words(&self, text: &str) -> Vec<OsString> {
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

/// Tells.
pub struct Notifier {
    settings: Settings,
    /// LoopX's data folder: there it is kept what was told.
    data: PathBuf,
    runner: Runner,
    /// What this process knows of what was told, where the file can't be had.
    memory: Memory,
    watched: BTreeSet<Waiting>,
    last: Option<Vec<Wait>>,
    pending: bool,
    hours: Hours,
    complaint: Option<String>,
}

impl Notifier {
    /// Begins to tell.
    pub fn new(settings: Settings, data: PathBuf) -> Self {
        Self {
            settings,
            data,
            runner: Runner::new(),
            memory: Memory::new(),
            watched: BTreeSet::new(),
            last: None,
            pending: false,
            hours: Hours::Loud,
            complaint: None,
        }
    }

    /// After each look: tells of what began to wait. Gives what was told.
    pub fn looked(&mut self, waits: Vec<Wait>, only: &Only, now: Timestamp) -> Vec<Edge> {
        for ended in self.runner.ended() {
            self.complaint = ended;
        }
        let hours = self.settings.hours(now);
        self.hours = hours;
        let may_tell = self.pending && hours == Hours::Loud;
        if !may_tell && self.last.as_ref() == Some(&waits) {
            return Vec::new();
        }
        let decide = |before: &Memory| edges(before, &self.watched, &waits, only, now, hours);
        let edges = match Told::lock(&self.data) {
            Ok(Some(told)) => {
                let before = told.read().unwrap_or_else(|| self.memory.clone());
                let edges = decide(&before);
                // It is told by whoever has written that it was.
                if edges.memory != before
                    && let Err(error) = told.write(&edges.memory)
                {
                    self.complaint = Some(format!("failed to keep what was told: {}", error.kind()));
                }
                edges
            }
            Ok(None) => {
                // Another process keeps it: at the next look.
                (self.pending, self.last) = (true, None);
                return Vec::new();
            }
            Err(error) => {
                self.complaint = Some(format!("failed to keep what was told: {}", error.kind()));
                decide(&self.memory)
            }
        };
        for edge in &edges.tell {
            self.command(edge, now);
        }
        self.desktop(&edges.tell, now);
        self.memory = edges.memory;
        self.pending = edges.pending;
        self.watched = waits.iter().map(|wait| wait.what.clone()).collect();
        self.last = Some(waits);
        edges.tell
    }

    fn command(&self, edge: &Edge, now: Timestamp) {
        let Settings { command, words, zone, .. } = &self.settings;
        if !command.is_empty() {
            let vars = vec![(TEXT, sentence(edge, *words, now, zone))];
            let input = document(edge, *words, now);
            self.runner.run(Run { name: COMMAND, words: command.clone(), vars, input });
        }
    }

    /// Many at once are counted: nobody reads so many notifications.
    fn desktop(&self, tell: &[Edge], now: Timestamp) {
        let Settings { desktop: Some(desktop), words, zone, .. } = &self.settings else { return };
        let texts = if tell.len() > MANY {
            vec![format!("{} things wait on you: see `loopx status`", tell.len())]
        } else {
            tell.iter().map(|edge| sentence(edge, *words, now, zone)).collect()
        };
        for text in texts {
            let words = desktop.words(&text);
            self.runner.run(Run { name: DESKTOP, words, vars: Vec::new(), input: Vec::new() });
        }
    }

    /// Whether the terminal's bell rings for what was told.
    pub const fn rings(&self) -> bool {
        self.settings.bell
    }

    /// When to look again at the latest, if something is to be told soon.
    pub fn due(&self) -> Option<Duration> {
        (self.pending && self.hours == Hours::Loud).then(|| SETTLES.unsigned_abs())
    }

    /// What goes wrong with telling, until it goes right again.
    pub fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    /// Waits until all is told, and says what went wrong last.
    pub fn finish(mut self) -> Option<String> {
        self.runner.finish();
        self.runner.ended().last().unwrap_or(self.complaint)
    }
}
