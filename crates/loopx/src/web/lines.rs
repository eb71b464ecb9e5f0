//! The lines of `loopx follow --jsonl`, for programs that read them here.
//!
//! A reader says what it has by the revision of the last line that it read. That says all: it is good at a server that
//! was started anew, and for a reader that was away for days.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use tokio::sync::broadcast;

use crate::app::board::Board;
use crate::app::documents::FollowLine;
use crate::app::follow::{Change, Revision, Said};
use crate::app::placing::Only;
use crate::error::CliError;

/// How many looks a reader may be behind before its lines are made anew, for it alone.
const BEHIND: usize = 64;

/// The longest revision that is sent as an event's id: a reader has to send it back in a head.
const LONGEST: usize = 12 << 10;

/// One line, as it is sent.
#[derive(Clone)]
pub struct Line {
    /// What was said then.
    pub revision: Revision,
    /// The event.
    pub bytes: Bytes,
}

impl Line {
    /// The lines of what changed.
    pub fn of(changes: &[Change]) -> Result<Vec<Self>, CliError> {
        changes.iter().map(Self::one).collect()
    }

    fn one(change: &Change) -> Result<Self, CliError> {
        let (line, revision) = (crate::ui::document(&FollowLine::of(change))?, change.revision.to_string());
        let id = if revision.len() > LONGEST { String::new() } else { format!("id: {revision}\n") };
        // The line has its end.
        let bytes = Bytes::from(format!("{id}event: lane\ndata: {line}\n"));
        Ok(Self { revision: change.revision.clone(), bytes })
    }
}

#[derive(Default)]
struct Held {
    board: Option<Arc<Board>>,
    /// What was said of it; nothing while nobody reads.
    said: Option<Said>,
}

/// The lines, and the look they end at.
pub struct Lines {
    held: Mutex<Held>,
    sent: broadcast::Sender<Arc<Vec<Line>>>,
}

impl Lines {
    /// Nothing was published yet.
    pub fn new() -> Self {
        Self { held: Mutex::default(), sent: broadcast::Sender::new(BEHIND) }
    }

    /// Publishes a look: its lines are made once for all who read.
    pub fn publish(&self, board: Arc<Board>) {
        let mut held = self.held();
        let said = held.said.take().filter(|_| self.sent.receiver_count() > 0);
        if let Some(mut said) = said {
            let lines = said.changes(&board.world, &Only::default()).and_then(|found| Line::of(&found));
            match lines {
                Ok(lines) if lines.is_empty() => held.said = Some(said),
                Ok(lines) => {
                    let _ = self.sent.send(Arc::new(lines));
                    held.said = Some(said);
                }
                // Who reads finds out by itself.
                Err(_) => {}
            }
        }
        held.board = Some(board);
    }

    /// What a reader has missed since a revision, and what comes after that; nothing before the first look.
    pub fn after(&self, revision: Revision) -> Result<Option<(Vec<Line>, Receiver)>, CliError> {
        let (board, receiver) = {
            let mut held = self.held();
            let Some(board) = held.board.clone() else { return Ok(None) };
            if held.said.is_none() {
                let mut said = Said::default();
                said.changes(&board.world, &Only::default())?;
                held.said = Some(said);
            }
            (board, self.sent.subscribe())
        };
        let missed = Said::after(revision).changes(&board.world, &Only::default())?;
        Ok(Some((Line::of(&missed)?, receiver)))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the lines of later looks come.
pub type Receiver = broadcast::Receiver<Arc<Vec<Line>>>;
