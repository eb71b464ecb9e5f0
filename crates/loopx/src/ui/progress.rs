//! How far something is that takes long: on a terminal, beside the data, and gone when it is over.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is over sooner is not spoken of.
const QUIET: Duration = Duration::from_millis(300);
/// How often a line is shown.
const EVERY: Duration = Duration::from_millis(100);

/// A line of progress. Several threads may show it.
pub struct Progress {
    began: Instant,
    terminal: bool,
    shown: Mutex<Option<Instant>>,
}

impl Progress {
    /// Begins.
    pub fn begin() -> Self {
        Self { began: Instant::now(), terminal: io::stderr().is_terminal(), shown: Mutex::new(None) }
    }

    /// Shows how much of how many bytes is done, where a line is due.
    pub fn show(&self, what: &str, done: u64, total: u64) {
        if !self.terminal || self.began.elapsed() < QUIET {
            return;
        }
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.is_none_or(|at| at.elapsed() >= EVERY) {
            *shown = Some(Instant::now());
            let _ = write!(io::stderr(), "\r{what}: {} of {} MB\x1b[K", done.min(total) >> 20, total >> 20);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.lock().is_ok_and(|shown| shown.is_some()) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
