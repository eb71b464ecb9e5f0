//! Telling a person that something waits on them: once, when it begins to. What could not be told is tried again.

mod edges;
mod flight;
mod quiet;
mod runner;
mod settings;
mod text;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::app::placing::Only;
use crate::app::waits::{Wait, Waiting};

pub use edges::{Edge, Edges, FLAPS, Hours, Memory, Noted, SETTLES, Went, edges};
pub use quiet::Quiet;
pub use runner::Wake;
pub use settings::{Bell, Desktop, Settings};
pub use text::Words;
pub use told::{LOCK, NEW, TELLING, TOLD};

use flight::Flight;
use loopx_safety::io_words;
use runner::{Run, Runner};
use text::{document, sentence};
use told::Told;

/// What a program that tells is called in words.
const COMMAND: &str = "the command of notify.command";
const DESKTOP: &str = "the desktop's notification";

/// What else may go wrong.
const KEEPING: &str = "keeping what was told";

/// What is said where nothing tells.
pub const MUTE: &str = "nothing here can tell: no desktop, no bell, no command; name a program in notify.command: `loopx config edit`";

/// What is said of what another process could not tell, or this one before it was started anew.
const FAILED: &str = "what waits could not be told so far: notify.* may need a look";

/// What stands on a notification, beside the variable that a command is given.
const TEXT: &str = "LOOPX_NOTIFY_TEXT";

/// How many notifications the desktop shows at once.
const MANY: usize = 3;

/// How long another process that tells is waited for: it may have been stopped.
const PATIENCE: SignedDuration = SignedDuration::from_mins(5);

/// How often it is tried at the end to keep what was told.
const ENDS: usize = 5;

/// Tells.
pub struct Notifier {
    settings: Settings,
    /// LoopX's data folder: there it is kept what was told.
    data: PathBuf,
    runner: Runner,
    /// What is being told.
    flight: Option<Flight>,
    /// What this process knows of what was told.
    memory: Memory,
    /// Whether the file lacks what this process knows, as it can't be written.
    is_unkept: bool,
    /// Whether what failed is to be tried at once: the settings are other ones.
    is_anew: bool,
    watched: BTreeSet<Waiting>,
    last: Option<Vec<Wait>>,
    /// When something is to be told that is not yet.
    next: Option<Timestamp>,
    /// Since when another process tells, as far as this one has to wait for it.
    busy: Option<Timestamp>,
    /// When it was looked last.
    now: Option<Timestamp>,
    hours: Hours,
    /// What goes wrong, by what does.
    complaints: BTreeMap<&'static str, String>,
}

impl Notifier {
    /// Begins to tell. `wake` is called when it is known how telling went: then [`Self::looked`] should be.
    pub fn new(settings: Settings, data: PathBuf, wake: Wake) -> Self {
        Self {
            settings,
            data,
            runner: Runner::new(wake),
            flight: None,
            memory: Memory::new(),
            is_unkept: false,
            is_anew: false,
            watched: BTreeSet::new(),
            last: None,
            next: None,
            busy: None,
            now: None,
            hours: Hours::Loud,
            complaints: BTreeMap::new(),
        }
    }

    /// Goes on with other settings: what failed is tried again at once.
    pub fn follow(&mut self, settings: Settings) {
        if settings != self.settings {
            self.settings = settings;
            (self.is_anew, self.last) = (true, None);
            self.complaints.clear();
        }
    }

    /// After each look: tells of what began to wait. Gives what it begins to tell.
    pub fn looked(&mut self, waits: Vec<Wait>, only: &Only, now: Timestamp) -> Vec<Edge> {
        self.now = Some(now);
        self.settle(now);
        if !self.settings.tells() {
            (self.next, self.last) = (None, None);
            return Vec::new();
        }
        self.hours = self.settings.hours(now);
        let is_due = self.hours == Hours::Loud && self.next.is_some_and(|next| next <= now);
        if !is_due && self.last.as_ref() == Some(&waits) {
            return Vec::new();
        }
        // What is on its way is told first.
        let hours = if self.flight.is_some() { Hours::Quiet } else { self.hours };
        let is_anew = self.is_anew && self.flight.is_none();
        let decide = |before: &Memory, hours| {
            let mut before = before.clone();
            for entry in before.values_mut().filter(|entry| is_anew && entry.told.is_none()) {
                (entry.failed, entry.again) = (0, None);
            }
            edges(&before, &self.watched, &waits, only, now, hours)
        };
        let (edges, lock) = match Told::lock(&self.data) {
            Ok(Some(told)) => {
                let before = self.known(&told);
                let mut edges = decide(&before, hours);
                let mut lock = None;
                let busy = self.busy.take();
                if !edges.tell.is_empty() {
                    match told.begin() {
                        Ok(Some(held)) => lock = Some(held),
                        Ok(None) if busy.is_some_and(|since| now.duration_since(since).abs() > PATIENCE) => {}
                        Ok(None) => {
                            // Another process tells, and may be telling this.
                            edges = decide(&before, Hours::Quiet);
                            edges.next = Some(now + SETTLES);
                            self.busy = busy.or(Some(now));
                        }
                        Err(error) => self.fails_to_keep(&error),
                    }
                }
                self.told_by_bell(&mut edges, now);
                if edges.memory != before || self.is_unkept {
                    self.keep(&told, &edges.memory);
                }
                (edges, lock)
            }
            Ok(None) => {
                // Another process keeps it: at the next look.
                (self.next, self.last) = (Some(now + SETTLES), None);
                return Vec::new();
            }
            Err(error) => {
                let mut edges = decide(&self.memory, hours);
                self.told_by_bell(&mut edges, now);
                self.fails_to_keep(&error);
                (edges, None)
            }
        };
        self.is_anew &= !is_anew;
        if self.settings.runs() && !edges.tell.is_empty() {
            let runs = self.runs(&edges.tell, now);
            self.flight = Some(Flight::new(lock, &edges.tell, &edges.memory, &runs));
            for run in runs {
                self.runner.run(run);
            }
        }
        // The end of what is on its way wakes who waits.
        self.next = if self.flight.is_some() { None } else { edges.next };
        self.memory = edges.memory;
        self.watched = waits.iter().map(|wait| wait.what.clone()).collect();
        self.last = Some(waits);
        edges.tell
    }

    /// What was told, as far as anybody knows.
    fn known(&self, told: &Told) -> Memory {
        // A file that can't be written knows less than this process.
        let kept = if self.is_unkept { None } else { told.read() };
        kept.unwrap_or_else(|| self.memory.clone())
    }

    fn keep(&mut self, told: &Told, memory: &Memory) {
        match told.write(memory) {
            Ok(()) => {
                self.is_unkept = false;
                self.complaints.remove(KEEPING);
            }
            Err(error) => self.fails_to_keep(&error),
        }
    }

    fn fails_to_keep(&mut self, error: &io::Error) {
        self.is_unkept = true;
        self.complaints.insert(KEEPING, format!("failed to keep what was told: {}", io_words(error.kind())));
    }

    /// Where nothing but the bell tells, it has told: it can't be known whether anybody heard it.
    fn told_by_bell(&self, edges: &mut Edges, now: Timestamp) {
        if !self.settings.runs() {
            for wait in edges.tell.iter().flat_map(|edge| &edge.waits) {
                if let Some(entry) = edges.memory.get_mut(&wait.what) {
                    entry.ended(Went::Told, now);
                }
            }
        }
    }

    /// Takes in which programs have ended, and keeps what they came to. After a look that failed too: others wait for it.
    pub fn settle(&mut self, now: Timestamp) {
        let Some(mut flight) = self.flight.take() else { return };
        for ended in self.runner.ended() {
            flight.ended(&ended);
            match ended.failure {
                Some(why) => self.complaints.insert(ended.name, why),
                None => self.complaints.remove(ended.name),
            };
        }
        if flight.has_news() {
            match Told::lock(&self.data) {
                Ok(Some(told)) => {
                    let mut memory = self.known(&told);
                    flight.note(&mut memory, now);
                    self.keep(&told, &memory);
                    self.memory = memory;
                    flight.kept();
                }
                // Another process keeps it: at the next look.
                Ok(None) => self.next = Some(now + SETTLES),
                Err(error) => {
                    self.fails_to_keep(&error);
                    flight.note(&mut self.memory, now);
                    flight.kept();
                }
            }
        }
        if flight.is_over() {
            self.last = None;
        } else {
            self.flight = Some(flight);
        }
    }

    /// The programs that tell: of each edge the command, and the desktop. Many at once are one for the desktop: nobody
    /// reads so many notifications.
    fn runs(&self, tell: &[Edge], now: Timestamp) -> Vec<Run> {
        let Settings { command, desktop, words, zone, .. } = &self.settings;
        let sentences = || tell.iter().map(|edge| sentence(edge, *words, now, zone)).enumerate();
        let mut runs = Vec::new();
        if !command.is_empty() {
            runs.extend(sentences().zip(tell).map(|((place, text), edge)| Run {
                name: COMMAND,
                words: command.clone(),
                vars: vec![(TEXT, text)],
                input: document(edge, *words, now),
                of: place..place + 1,
            }));
        }
        if let Some(desktop) = desktop {
            let run = |text: &str, of| {
                let words = desktop.words(text);
                Run { name: DESKTOP, words, vars: Vec::new(), input: Vec::new(), of }
            };
            if tell.len() > MANY {
                let text = format!("{} things wait on you: see `loopx status`", tell.len());
                runs.push(run(&text, 0..tell.len()));
            } else {
                runs.extend(sentences().map(|(place, text)| run(&text, place..place + 1)));
            }
        }
        runs
    }

    /// Whether the terminal's bell rings for what begins to be told: it does so once for each thing.
    pub fn rings(&self, told: &[Edge]) -> bool {
        self.settings.bell && told.iter().any(|edge| edge.failed == 0)
    }

    /// When to look again at the latest, if something is to be told soon.
    pub fn due(&self) -> Option<Duration> {
        let (next, now) = self.next.zip(self.now).filter(|_| self.hours == Hours::Loud)?;
        Some(next.duration_since(now).max(SETTLES).unsigned_abs())
    }

    /// What goes wrong with telling, each until it goes right again.
    pub fn complaints(&self) -> impl Iterator<Item = &str> {
        let known = if self.settings.tells() { None } else { Some(MUTE) };
        let is_unsaid = known.is_none() && self.complaints.is_empty() && self.has_failed();
        known.or(is_unsaid.then_some(FAILED)).into_iter().chain(self.complaints.values().map(String::as_str))
    }

    /// Whether something that waits could not be told so far.
    pub fn has_failed(&self) -> bool {
        let has_failed = |entry: &Noted| entry.told.is_none() && entry.failed > 0;
        self.watched.iter().filter_map(|what| self.memory.get(what)).any(has_failed)
    }

    /// Waits until all that was begun is told, or is known not to be.
    pub fn finish(&mut self) {
        self.runner.finish();
        self.end();
    }

    fn end(&mut self) {
        if let Some(now) = self.now {
            for _ in 0..ENDS {
                self.settle(now);
                if !self.flight.as_ref().is_some_and(Flight::has_news) {
                    return;
                }
            }
        }
    }
}

impl Drop for Notifier {
    /// What was told is kept; what was not yet is left to others.
    fn drop(&mut self) {
        self.runner.stop();
        self.end();
    }
}

#[cfg(test)]
mod tests;
