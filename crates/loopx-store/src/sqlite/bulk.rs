//! Appending many events at once: for tests and benches, which need long logs soon.

use jiff::Timestamp;
use loopx_contract::GoalId;
use loopx_core::{Actor, Event, Recorded, State};

use super::SqliteStore;
use super::head::Head;
use super::rows::Asked;
use super::write::Commit;
use super::{load, log, rows};
use crate::error::StoreError;

impl SqliteStore {
    /// Appends events to a goal's log as one command each, in one transaction, without deciding or signing
    /// anything: so writes, too, another process that knows the format.
    pub fn append_all(
        &mut self,
        goal: &GoalId,
        actor: &Actor,
        events: Vec<(Timestamp, Event)>,
    ) -> Result<u64, StoreError> {
        self.write(Some(goal), |conn| {
            let mut head = match Head::find(conn, goal)? {
                Some(head) => head,
                None => Head::add(conn, goal)?,
            };
            let mut state = load::load(conn, &head, &loopx_core::Names::default())
                .or_else(|fault| if head.revision == 0 { Ok(State::default()) } else { Err(fault) })?;
            let mut asked = Asked::new();
            for (at, event) in events {
                let revision = head.revision + 1;
                let recorded = Recorded {
                    goal: goal.clone(),
                    revision,
                    command: revision,
                    at,
                    actor: actor.clone(),
                    event,
                };
                load::ahead(conn, &head, &mut state, &recorded.event, &mut asked)?;
                log::append_with(conn, &mut head, &recorded, |_| Ok(None))?;
                state.apply(&recorded);
            }
            let changed = rows::changed(&mut state)?;
            rows::write(conn, &mut head, &changed)?;
            head.goal = state.goal;
            head.write(conn)?;
            Ok(Commit::Written(head.revision))
        })
    }
}
