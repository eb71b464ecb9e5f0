//! The calls of [`Store`].

use std::io::{BufRead, Write};
use std::path::Path;

use jiff::Timestamp;
use loopx_contract::{GoalId, Ref};
use loopx_core::binding::Binding;
use loopx_core::{Actor, IdSource, Names, Refusal, RefusalCode, Request, State};
use loopx_safety::Private;

use super::apply::Applied;
use super::fault::Fault;
use super::head::Head;
use super::write::Commit;
use super::{SqliteStore, apply, load, log, read, verify};
use crate::damage::Damage;
use crate::error::StoreError;
use crate::signer::Signer;
use crate::store::{
    EventsOf, ExportSummary, FoundId, GoalSummary, ImportSummary, Logged, Pointer, PurgeSummary, PurgeTarget,
    Receipt, Store,
};

impl Store for SqliteStore {
    fn apply_signed(
        &mut self,
        request: &Request,
        now: Timestamp,
        ids: &mut dyn IdSource,
        signer: Option<&dyn Signer>,
    ) -> Result<Receipt, StoreError> {
        let _turn = self.turn()?;
        if signer.is_some() {
            self.verify_goal(&request.goal)?;
        }
        let applied = self.write_held(Some(&request.goal), |conn| {
            Ok(match apply::apply(conn, request, now, ids, signer)? {
                Applied::Unchanged(receipt) => Commit::Nothing(Ok(receipt)),
                Applied::Written(receipt) => Commit::Written(Ok(receipt)),
                Applied::Refused(refusal) => Commit::Written(Err(refusal)),
            })
        })?;
        Ok(applied?)
    }

    fn goals(&mut self) -> Result<Vec<GoalSummary>, StoreError> {
        self.summaries()
    }

    fn bindings(&mut self) -> Result<Vec<(GoalId, Binding)>, StoreError> {
        self.all_bindings()
    }

    fn load(&mut self, goal: &GoalId, names: &Names) -> Result<State, StoreError> {
        self.with_head(goal, |conn, head| load::load(conn, head, names))
    }

    fn events(&mut self, of: EventsOf<'_>, limit: usize) -> Result<Vec<Logged>, StoreError> {
        match of {
            EventsOf::Goal { goal, after } => {
                self.with_head(goal, |conn, head| read::of_goal(conn, head, after, limit))
            }
            EventsOf::All { after } => self.of_all(after, limit),
        }
    }

    fn state_at(&mut self, goal: &GoalId, at: Timestamp) -> Result<State, StoreError> {
        self.with_head(goal, |conn, head| verify::refold(conn, head, read::last_at(conn, head, at)?))
    }

    fn checksum(&mut self, goal: &GoalId, revision: u64) -> Result<Option<[u8; 32]>, StoreError> {
        self.with_head(goal, |conn, head| log::hash_at(conn, head.num, revision))
    }

    fn find_ids(&mut self, prefix: &str, limit: usize) -> Result<Vec<FoundId>, StoreError> {
        self.ids(prefix, limit)
    }

    fn set_pointer(&mut self, handle: &Ref, bytes: Private<&[u8]>) -> Result<(), StoreError> {
        self.put_pointer(handle, bytes)
    }

    fn pointer(&mut self, handle: &Ref) -> Result<Option<Private<Vec<u8>>>, StoreError> {
        self.get_pointer(handle)
    }

    fn remove_pointer(&mut self, handle: &Ref) -> Result<(), StoreError> {
        self.forget_pointer(handle)
    }

    fn pointers(&mut self) -> Result<Vec<Pointer>, StoreError> {
        self.all_pointers()
    }

    fn export(&mut self, out: &mut dyn Write, goals: &[GoalId]) -> Result<ExportSummary, StoreError> {
        self.export_lines(out, goals)
    }

    fn import(&mut self, lines: &mut dyn BufRead, actor: &Actor) -> Result<ImportSummary, StoreError> {
        self.import_lines(lines, actor)
    }

    fn backup(&mut self, file: &Path) -> Result<(), StoreError> {
        self.backup_to(file)
    }

    fn purge(
        &mut self,
        goal: &GoalId,
        target: &PurgeTarget,
        actor: &Actor,
        now: Timestamp,
        signer: Option<&dyn Signer>,
    ) -> Result<PurgeSummary, StoreError> {
        self.purge_texts(goal, target, actor, now, signer)
    }

    fn refuse(
        &mut self,
        goal: &GoalId,
        actor: &Actor,
        what: &'static str,
        code: RefusalCode,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.say_refused(goal, actor, what, code, now)
    }

    fn doctor(&mut self) -> Result<Vec<Damage>, StoreError> {
        self.examine()
    }
}

impl SqliteStore {
    /// Verifies a goal although its seal is whole, since somebody who writes to the store can write a seal too. What is
    /// wrong with it closes it for everybody. The turn is held.
    pub(super) fn verify_goal(&mut self, goal: &GoalId) -> Result<(), StoreError> {
        self.sound(goal)?;
        let Some(open) = self.conn.as_ref().filter(|open| !open.empty) else { return Ok(()) };
        let found = Head::find(&open.conn, goal)
            .and_then(|head| head.map_or(Ok(()), |head| verify::goal(&open.conn, &head)));
        match found.map_err(|fault| (fault.damage(), fault)) {
            Ok(()) => Ok(()),
            Err((Some(code), fault)) => {
                self.damaged.insert(goal.clone(), code);
                self.seal();
                Err(fault.of(Some(goal)))
            }
            Err((None, fault)) => Err(fault.of(Some(goal))),
        }
    }

    /// Reads one sound goal in one snapshot.
    fn with_head<T>(
        &mut self,
        goal: &GoalId,
        read: impl FnOnce(&rusqlite::Connection, &Head) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.ready()?;
        self.sound(goal)?;
        let Some(tx) = self.reading()? else { return Err(Refusal::NoGoal(goal.clone()).into()) };
        let head = Head::find(&tx, goal).map_err(|fault| fault.of(Some(goal)))?;
        let Some(head) = head else { return Err(Refusal::NoGoal(goal.clone()).into()) };
        read(&tx, &head).map_err(|fault| fault.of(Some(goal)))
    }
}
