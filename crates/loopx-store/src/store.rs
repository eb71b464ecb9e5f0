//! What every engine does, at the level of commands.

use std::io::{BufRead, Write};
use std::path::Path;

use jiff::Timestamp;
use loopx_contract::{GoalId, IdKind, Ref};
use loopx_core::binding::Binding;
use loopx_core::goal::GoalState;
use loopx_core::{Actor, IdSource, Names, Recorded, RefusalCode, Request, State, Subject};
use loopx_safety::Private;

use crate::damage::Damage;
use crate::error::StoreError;
use crate::signer::Signer;

/// A line of an export that is this many bytes long is refused: it is far more than any event takes.
pub const LONGEST_LINE: u64 = 4 << 20;

/// A log with its fold. Synchronous; one value per thread. Several processes may use the same store.
pub trait Store {
    /// Decides a request and records what came of it, durably. A retry with the same key returns the original receipt.
    fn apply(
        &mut self,
        request: &Request,
        now: Timestamp,
        ids: &mut dyn IdSource,
    ) -> Result<Receipt, StoreError> {
        self.apply_signed(request, now, ids, None)
    }

    /// The same, where a goal with a key takes decisions that this signer signs. Before anything is signed, all of the
    /// goal is verified.
    fn apply_signed(
        &mut self,
        request: &Request,
        now: Timestamp,
        ids: &mut dyn IdSource,
        signer: Option<&dyn Signer>,
    ) -> Result<Receipt, StoreError>;

    /// Every goal, damaged ones too, in the order of their ids.
    fn goals(&mut self) -> Result<Vec<GoalSummary>, StoreError>;

    /// The explicit bindings of every sound goal, those of the goal that came into the store first first.
    fn bindings(&mut self) -> Result<Vec<(GoalId, Binding)>, StoreError>;

    /// The working set of a goal: what is open, what `names` names, and what those name.
    fn load(&mut self, goal: &GoalId, names: &Names) -> Result<State, StoreError>;

    /// Events in the order of their recording, at most `limit`. Those of damaged goals are left out of the whole.
    fn events(&mut self, of: EventsOf<'_>, limit: usize) -> Result<Vec<Logged>, StoreError>;

    /// A goal as it was: the fold of all events up to the last one that is not later than `at`.
    fn state_at(&mut self, goal: &GoalId, at: Timestamp) -> Result<State, StoreError>;

    /// The checksum of an event, which everything before it is in; none if the log does not reach so far.
    fn checksum(&mut self, goal: &GoalId, revision: u64) -> Result<Option<[u8; 32]>, StoreError>;

    /// Ids that start so, over all kinds and goals, at most `limit`.
    fn find_ids(&mut self, prefix: &str, limit: usize) -> Result<Vec<FoundId>, StoreError>;

    /// Keeps what a handle stands for. Local: never exported.
    fn set_pointer(&mut self, handle: &Ref, bytes: Private<&[u8]>) -> Result<(), StoreError>;

    /// What a handle stands for.
    fn pointer(&mut self, handle: &Ref) -> Result<Option<Private<Vec<u8>>>, StoreError>;

    /// Forgets what a handle stands for.
    fn remove_pointer(&mut self, handle: &Ref) -> Result<(), StoreError>;

    /// Every handle that stands for something.
    fn pointers(&mut self) -> Result<Vec<Pointer>, StoreError>;

    /// Writes the logs of these goals (none given: of all sound ones) as JSON lines.
    fn export(&mut self, out: &mut dyn Write, goals: &[GoalId]) -> Result<ExportSummary, StoreError>;

    /// Reads logs written by `export`: all or nothing.
    fn import(&mut self, lines: &mut dyn BufRead, actor: &Actor) -> Result<ImportSummary, StoreError>;

    /// Copies the store into a new file while others go on, and verifies the copy.
    fn backup(&mut self, file: &Path) -> Result<(), StoreError>;

    /// Removes texts from the log and from every page of the file. On a goal with a key, this signer says so.
    fn purge(
        &mut self,
        goal: &GoalId,
        target: &PurgeTarget,
        actor: &Actor,
        now: Timestamp,
        signer: Option<&dyn Signer>,
    ) -> Result<PurgeSummary, StoreError>;

    /// Records that something which is no [`Command`](loopx_core::Command) was refused: an import, a restore.
    fn refuse(
        &mut self,
        goal: &GoalId,
        actor: &Actor,
        what: &'static str,
        code: RefusalCode,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Verifies everything.
    fn doctor(&mut self) -> Result<Vec<Damage>, StoreError>;
}

/// A handle and what it stands for.
pub type Pointer = (Ref, Private<Vec<u8>>);

/// What a command came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The goal whose log it went to.
    pub goal: GoalId,
    /// The revision of its first event; where there is none, that of the goal.
    pub command: u64,
    /// The revision of its last event; where there is none, that of the goal.
    pub revision: u64,
    /// What happened.
    pub events: Vec<Recorded>,
    /// What it was about.
    pub subject: Subject,
    /// Whether this is the receipt of an earlier command with the same key.
    pub replayed: bool,
}

/// One goal at a glance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalSummary {
    /// Which.
    pub id: GoalId,
    /// The last revision, as far as it is known.
    pub revision: u64,
    /// The checksum of the last event, as far as it is known: where it is the same, so is all before it.
    pub checksum: [u8; 32],
    /// Whether it is worked on; none if it is damaged.
    pub state: Option<GoalState>,
    /// What is wrong with it.
    pub damage: Option<Damage>,
}

/// Whose events, and after which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventsOf<'a> {
    /// Of every goal, after this place in the store.
    All {
        /// [`Logged::place`] of the last one that was seen; 0 from the start.
        after: u64,
    },
    /// Of one goal, after this revision.
    Goal {
        /// Which.
        goal: &'a GoalId,
        /// The last revision that was seen; 0 from the start.
        after: u64,
    },
}

/// An event and its place among those of all goals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// Its place in the store: growing, the cursor of [`EventsOf::All`].
    pub place: u64,
    /// The event.
    pub recorded: Recorded,
}

/// An id that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundId {
    /// Its goal.
    pub goal: GoalId,
    /// What it names.
    pub kind: IdKind,
    /// The whole id.
    pub id: String,
}

/// What was exported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportSummary {
    /// How many events.
    pub events: u64,
    /// The goals.
    pub goals: Vec<GoalId>,
    /// Damaged goals that were left out.
    pub left_out: Vec<Damage>,
}

/// What was imported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportSummary {
    /// How many events are new here.
    pub events: u64,
    /// How many were here already.
    pub known: u64,
    /// How many texts were here and are gone, for a purge came in that took them away.
    pub purged: u64,
    /// How many texts of events that were here already were purged here. They stay out, and the file holds them still.
    pub withheld: u64,
    /// The goals.
    pub goals: Vec<GoalId>,
}

/// What to purge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PurgeTarget {
    /// The texts of these events.
    Revisions(Vec<u64>),
    /// The texts of every event that names this id.
    Id(String),
}

/// What was purged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PurgeSummary {
    /// The revision of the event that says so.
    pub revision: u64,
    /// The revisions whose texts are gone.
    pub purged: Vec<u64>,
    /// How many texts that was.
    pub texts: u64,
    /// Earlier copies of the database in the same folder, which may hold the texts still.
    pub copies: Vec<String>,
}
