//! One session, found by its handle, with what it spent.

use std::sync::Arc;

use jiff::Timestamp;
use loopx_runtimes::{Inherited, Pace, Scope};
use loopx_safety::Handle;

use crate::app::plane::{Seen, Spent};
use crate::app::{ControlPlane, Overview, SessionView};
use crate::error::CliError;

/// One of them, by its handle or a unique prefix of it.
pub fn find<'a>(sessions: &'a [SessionView], text: &str) -> Result<&'a SessionView, CliError> {
    let named = |view: &&SessionView| view.facts.session_id.to_string().starts_with(text);
    let mut fitting = sessions.iter().filter(named);
    let wrong = || CliError::usage(format!("not a session: {text}")).hint("see `loopx sessions`");
    if !text.starts_with("ses_") {
        return Err(wrong());
    }
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => {
            Err(CliError::usage(format!("session {text} is ambiguous")).hint("type more of it"))
        }
        (None, _) => {
            let whole = Handle::parse(text).is_ok();
            let digits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            if !whole && !text["ses_".len()..].chars().all(digits) {
                return Err(wrong());
            }
            Err(CliError::not_found(format!("no session {text} is seen on this machine"))
                .hint("see `loopx sessions`"))
        }
    }
}

/// Looks for a session, among old ones too where it is not among those that may matter.
pub fn look(plane: &mut ControlPlane, text: &str, now: Timestamp) -> Result<(Overview, Arc<Seen>), CliError> {
    let (world, seen) = plane.world(now, None)?;
    let overview = world.overview(None)?;
    if seen.sweep.older == 0 || find(&overview.sessions, text).is_ok() {
        return Ok((overview, seen));
    }
    plane.look_as_far_as(Scope::Old);
    let old = plane.world(now, None);
    plane.look_as_far_as(Scope::default());
    let (world, seen) = old?;
    Ok((world.overview(None)?, seen))
}

/// What a session spent, with what it started; `None` where that can't be told.
pub fn spent(spent: &[Spent], session: Handle) -> Option<loopx_runtimes::Spent> {
    let found = spent.iter().find(|spent| spent.spender.session == session)?;
    let sum = |sum: loopx_runtimes::Spent, (_, spent): &(_, loopx_runtimes::Spent)| sum.plus(*spent);
    match found.spender.inherited {
        Inherited::Known => Some(found.spender.spent.iter().fold(loopx_runtimes::Spent::default(), sum)),
        Inherited::Unknown => None,
    }
}

/// The session with what it spent, as far as its files tell; what a worker tells of itself is in none.
pub fn counted(view: &SessionView, spent: Option<loopx_runtimes::Spent>) -> SessionView {
    let mut view = view.clone();
    view.facts.usage = spent.map(loopx_runtimes::Spent::usage).or(view.facts.usage);
    view
}

/// The session with what it spent, all session files read.
pub fn one(
    plane: &mut ControlPlane,
    text: &str,
    now: Timestamp,
    pace: &dyn Pace,
) -> Result<SessionView, CliError> {
    let (overview, _) = look(plane, text, now)?;
    let found = find(&overview.sessions, text)?;
    let (all, _) = plane.spending(now, pace)?;
    Ok(counted(found, spent(&all, found.facts.session_id)))
}
