//! What changed on the first screen, in order, for every browser that has it open.
//!
//! Each change has a number. A page says which number it was made at, and is sent what came after. A server that was
//! started anew counts anew, and tells so by the name that its numbers begin with.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use loopx_contract::{GoalId, SessionFacts, WaitingOn};
use loopx_safety::Handle;
use tokio::sync::watch;

use super::lines::Lines;
use super::pages::first;
use crate::app::board::Board;
use crate::app::overview::Held as Log;
use crate::error::CliError;

/// A lane is another one than before: its element.
const LANE: &str = "lane";
/// A lane begins to wait on a person: its element.
const BEGINS: &str = "begins";
/// A lane is not listed any more: what names it.
const GONE: &str = "gone";
/// Other prompts are up in sessions of no lane: all of them, as an element.
const PROMPTS: &str = "prompts";
/// No lane asks for other todos of the person's than before: all of them, as an element.
const WISHES: &str = "wishes";
/// Something was recorded on a goal: its id.
const GOAL: &str = "goal";
/// Something else is known of a session, or it is not seen any more: its handle.
const SESSION: &str = "session";

/// How many changes are kept for browsers that were away.
const KEPT: usize = 4096;

/// How many bytes of them, whichever is less.
const KEPT_BYTES: usize = 4 << 20;

/// A place in the changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    run: u32,
    number: u64,
}

impl fmt::Display for Cursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:08x}-{}", self.run, self.number)
    }
}

impl Cursor {
    /// Reads one as it was printed.
    pub fn parse(text: &str) -> Option<Self> {
        let (run, number) = text.split_once('-')?;
        let run = (run.len() == 8).then(|| u32::from_str_radix(run, 16).ok())??;
        Some(Self { run, number: number.parse().ok()? })
    }
}

/// One change: a lane that is another one than before.
#[derive(Clone)]
pub struct Change {
    number: u64,
    lane: Arc<str>,
    /// It began to wait on a person: whoever was away is told of it too.
    begins: bool,
    /// As it is sent.
    bytes: Bytes,
}

/// What is to be sent to one browser.
pub enum News {
    /// These, and where it is then.
    Changes(Vec<Bytes>, Cursor),
    /// It has to load the page anew.
    Reset(Cursor),
}

/// One lane as it was published last.
#[derive(Clone)]
struct Shown {
    waiting_on: WaitingOn,
    html: Arc<str>,
}

#[derive(Default)]
struct Held {
    board: Option<Arc<Board>>,
    failure: Option<CliError>,
    number: u64,
    shown: BTreeMap<Arc<str>, Shown>,
    /// The prompts in sessions of no lane.
    prompts: String,
    /// The person's todos that no lane asks for.
    wishes: String,
    /// How far the log of each goal went.
    revisions: BTreeMap<GoalId, u64>,
    changes: Changes,
}

/// The changes that are kept, the oldest first.
#[derive(Default)]
struct Changes {
    kept: VecDeque<Change>,
    /// How long all of them are.
    bytes: usize,
}

impl Changes {
    fn push(&mut self, change: Change) {
        self.bytes += change.bytes.len();
        self.kept.push_back(change);
    }

    /// Drops the oldest of what is too much.
    fn trim(&mut self) {
        while self.kept.len() > KEPT || self.bytes > KEPT_BYTES {
            let Some(oldest) = self.kept.pop_front() else { return };
            self.bytes -= oldest.bytes.len();
        }
    }
}

/// The changes, and the look they end at.
pub struct Feed {
    run: u32,
    /// The same for programs.
    pub lines: Lines,
    held: Mutex<Held>,
    number: watch::Sender<u64>,
}

impl Feed {
    /// Nothing was published yet.
    pub fn new() -> Result<Self, CliError> {
        let mut run = [0; 4];
        getrandom::fill(&mut run)
            .map_err(|error| CliError::internal(format!("failed to draw a number: {error}")))?;
        let (run, lines) = (u32::from_ne_bytes(run), Lines::new());
        Ok(Self { run, lines, held: Mutex::default(), number: watch::Sender::new(0) })
    }

    /// Publishes a look. Where it failed, the one before stands, and it is said that it is old.
    pub fn publish(&self, looked: Result<Board, CliError>) {
        let board = match looked {
            Ok(board) => board,
            Err(error) => {
                self.held().failure = Some(error);
                return self.number.send_modify(|_| ());
            }
        };
        let shown = self.shown(&board);
        let revisions = revisions(&board);
        let (prompts, wishes) = (first::prompts(&board).into_string(), first::wishes(&board).into_string());
        let mut held = self.held();
        let held = &mut *held;
        let before = std::mem::replace(&mut held.shown, shown);
        let had_board = held.board.is_some();
        let recovered = held.failure.take().is_some();
        let sessions = held.board.as_ref().map(|before| moved_sessions(before, &board)).unwrap_or_default();
        let board = Arc::new(board);
        self.lines.publish(Arc::clone(&board));
        held.board = Some(board);
        let gone = before.keys().filter(|key| !held.shown.contains_key(*key)).cloned();
        let gone: Vec<Arc<str>> = gone.collect();
        let mut found = Vec::new();
        for (key, lane) in &held.shown {
            let was = before.get(key);
            if was.is_some_and(|was| was.html == lane.html) {
                continue;
            }
            let waits = |whom| whom == WaitingOn::User;
            let begins = waits(lane.waiting_on) && !was.is_some_and(|was| waits(was.waiting_on));
            found.push((Arc::clone(key), begins, if begins { BEGINS } else { LANE }, lane.html.to_string()));
        }
        found.extend(gone.into_iter().map(|key| (Arc::clone(&key), false, GONE, key.to_string())));
        if std::mem::replace(&mut held.prompts, prompts.clone()) != prompts {
            found.push((Arc::from(PROMPTS), true, PROMPTS, prompts));
        }
        if std::mem::replace(&mut held.wishes, wishes.clone()) != wishes {
            found.push((Arc::from(WISHES), false, WISHES, wishes));
        }
        let before = std::mem::replace(&mut held.revisions, revisions);
        let moved = held.revisions.iter().filter(|(goal, revision)| before.get(*goal) != Some(*revision));
        found.extend(moved.map(|(goal, _)| (Arc::from(goal.as_str()), false, GOAL, goal.to_string())));
        found.extend(sessions.into_iter().map(|session| (Arc::from(&*session), false, SESSION, session)));
        if !had_board {
            return;
        }
        for (lane, begins, name, text) in found {
            held.number += 1;
            let cursor = Cursor { run: self.run, number: held.number };
            let bytes = Bytes::from(format!("id: {cursor}\nevent: {name}\ndata: {text}\n\n"));
            held.changes.push(Change { number: held.number, lane, begins, bytes });
        }
        held.changes.trim();
        let number = held.number;
        self.number.send_if_modified(|sent| std::mem::replace(sent, number) != number || recovered);
    }

    /// Every lane as it is shown; of a goal of which nothing is new, as it was shown before.
    fn shown(&self, board: &Board) -> BTreeMap<Arc<str>, Shown> {
        let (last, before) = {
            let held = self.held();
            (held.board.clone(), held.shown.clone())
        };
        let mut shown = BTreeMap::new();
        for goal in &board.overview.goals {
            let is_same = last
                .as_ref()
                .and_then(|last| last.goal(&goal.id))
                .is_some_and(|last| ptr::eq(last, goal.as_ref()));
            for card in board.cards_of(goal) {
                let key: Arc<str> = first::key(&card).into();
                let lane = before.get(&key).filter(|_| is_same).cloned();
                let html = || first::lane(&board.world, &card).into_string().into();
                let made = || Shown { waiting_on: card.waiting_on(), html: html() };
                shown.insert(key, lane.unwrap_or_else(made));
            }
        }
        shown
    }

    /// What was published last, with its place.
    pub fn board(&self) -> Option<(Arc<Board>, Cursor)> {
        let held = self.held();
        let cursor = Cursor { run: self.run, number: held.number };
        held.board.clone().map(|board| (board, cursor))
    }

    /// Where the changes end.
    pub fn here(&self) -> Cursor {
        Cursor { run: self.run, number: self.held().number }
    }

    /// Why the last look failed, if it did.
    pub fn failure(&self) -> Option<CliError> {
        self.held().failure.clone()
    }

    /// Wakes when something is published.
    pub fn news(&self) -> watch::Receiver<u64> {
        self.number.subscribe()
    }

    /// What came after a place: of each lane the last, and each time that one began to wait on a person.
    pub fn after(&self, cursor: Cursor) -> News {
        let held = self.held();
        let now = Cursor { run: self.run, number: held.number };
        let first = held.changes.kept.front().map_or(held.number + 1, |change| change.number);
        if cursor.run != self.run || cursor.number > held.number || cursor.number + 1 < first {
            return News::Reset(now);
        }
        let new = held.changes.kept.range(usize::try_from(cursor.number + 1 - first).unwrap_or(usize::MAX)..);
        let new: Vec<&Change> = new.collect();
        let last: BTreeMap<&str, u64> = new.iter().map(|change| (&*change.lane, change.number)).collect();
        let is_sent = |change: &&Change| change.begins || last.get(&*change.lane) == Some(&change.number);
        let sent = new.into_iter().filter(is_sent).map(|change| change.bytes.clone());
        News::Changes(sent.collect(), now)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sessions of which something else is known than before.
fn moved_sessions(before: &Board, board: &Board) -> Vec<String> {
    let known = |board| Board::facts(board).map(|facts| (facts.session_id, facts)).collect();
    let (was, is): (BTreeMap<Handle, &SessionFacts>, BTreeMap<Handle, &SessionFacts>) =
        (known(before), known(board));
    let moved =
        is.iter().filter(|(session, facts)| was.get(session) != Some(facts)).map(|(session, _)| session);
    let gone = was.keys().filter(|session| !is.contains_key(session));
    moved.chain(gone).map(ToString::to_string).collect()
}

/// How far the log of each goal that can be read goes.
fn revisions(board: &Board) -> BTreeMap<GoalId, u64> {
    let read = |(goal, log): (&GoalId, &Log)| match log {
        Log::State(state) => Some((goal.clone(), state.revision)),
        Log::Damaged(_) => None,
    };
    board.world.goals.iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_for_those_who_were_away_is_bounded_in_number_and_in_bytes() {
        let mut changes = Changes::default();
        let change = |number, length| Change {
            number,
            lane: Arc::from("pilot/codex"),
            begins: false,
            bytes: Bytes::from(vec![b'.'; length]),
        };
        let (many, long): (u64, u64) = (3 * 4096, 100);
        for number in 0..many {
            changes.push(change(number, 1));
        }
        changes.trim();
        assert_eq!((changes.kept.len(), changes.bytes), (KEPT, KEPT));
        for number in many..many + long {
            changes.push(change(number, 100 << 10));
        }
        changes.trim();
        assert!(changes.bytes <= KEPT_BYTES && changes.bytes > KEPT_BYTES - (200 << 10), "{}", changes.bytes);
        assert_eq!(changes.bytes, changes.kept.iter().map(|change| change.bytes.len()).sum::<usize>());
        assert_eq!(changes.kept.back().map(|change| change.number), Some(many + long - 1));
    }
}
