//! `loopx sessions dismiss`: says of a session that failed that nothing is to be resumed.

use loopx_core::first_screen::Failure;

use super::look;
use crate::app::acting::dismissal;
use crate::app::placing::Place;
use crate::app::session::find;
use crate::cli::{Context, receipt};
use crate::error::{CliError, ErrorKind};

/// Dismiss a session that failed: records for its lane that it made no progress, so that the lane can go on.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Its handle, or a unique prefix of it.
    #[arg(value_name = "SESSION")]
    session: String,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let (overview, _) = look(context)?;
    let found = find(&overview.sessions, &args.session)?;
    let session = found.facts.session_id;
    if Failure::of(&found.facts).is_none() {
        let state = found.facts.state.word();
        return Err(CliError::new(
            ErrorKind::Conflict,
            format!("session {session} did not fail: it is {state}"),
        )
        .hint(format!("look at it: `loopx sessions show {session}`")));
    }
    let (goal, agent) = match &found.place {
        Place::Lane(goal, agent) => (goal.clone(), agent.clone()),
        Place::Goal(goal) => {
            return Err(CliError::new(
                ErrorKind::Conflict,
                format!("session {session} belongs to no lane of {goal}"),
            )
            .hint(format!("bind it: `loopx bind {session} --goal {goal} --agent AGENT`")));
        }
        Place::Nowhere => {
            return Err(CliError::new(ErrorKind::Conflict, format!("session {session} belongs to no goal"))
                .hint(format!("bind it: `loopx bind {session} --goal GOAL --agent AGENT`")));
        }
    };
    let receipt = context.lane(&goal, Some(&agent), dismissal(agent.clone(), session))?;
    receipt::show(context, &receipt, "dismissed", Some((&session).into()))
}
