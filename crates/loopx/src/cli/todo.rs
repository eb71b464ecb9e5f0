//! `loopx todo`: things somebody is to do.

mod add;
mod block;
mod claim;
mod done;
mod edit;
mod list;
mod show;
mod standing;

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId};
use loopx_core::todo::Todo;
use loopx_core::{AuthorityCommand, LaneCommand, State};
use loopx_store::Receipt;
use serde::Serialize;

use crate::cli::Context;
use crate::error::CliError;

pub(in crate::cli) use claim::taken;

/// Add, claim and finish todos: an agent's or a person's.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Add(add::Args),
    Edit(edit::Args),
    List(list::Args),
    Show(show::Args),
    Claim(claim::Claim),
    Renew(claim::Renew),
    Release(claim::Release),
    Done(done::Args),
    Block(block::Block),
    Unblock(block::Unblock),
    Defer(standing::Defer),
    Drop(standing::Drop),
    Reopen(standing::Reopen),
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.verb {
        Verb::Add(args) => add::run(args, context),
        Verb::Edit(args) => edit::run(args, context),
        Verb::List(args) => list::run(args, context),
        Verb::Show(args) => show::run(args, context),
        Verb::Claim(args) => claim::claim(args, context),
        Verb::Renew(args) => claim::renew(args, context),
        Verb::Release(args) => claim::release(args, context),
        Verb::Done(args) => done::run(args, context),
        Verb::Block(args) => block::block(args, context),
        Verb::Unblock(args) => block::unblock(args, context),
        Verb::Defer(args) => standing::defer(args, context),
        Verb::Drop(args) => standing::discard(args, context),
        Verb::Reopen(args) => standing::reopen(args, context),
    }
}

/// Whom a todo is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum AudienceArg {
    /// A lane.
    Agent,
    /// A person.
    User,
}

impl AudienceArg {
    const fn is_of(self, todo: &Todo) -> bool {
        match self {
            Self::Agent => todo.is_agents(),
            Self::User => !todo.is_agents(),
        }
    }
}

/// Who has to ask for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// A lane may.
    Lane,
    /// It needs a person.
    Person,
}

/// Who has to ask for a change of this todo: a user todo is a person's. A gate's own todo refuses every change with
/// the gate's command; that refusal needs no code to be typed.
const fn asks(todo: &Todo) -> Asks {
    if todo.is_agents() || todo.linked_gate().is_some() { Asks::Lane } else { Asks::Person }
}

/// Who has to ask for the end of this todo. What another lane holds is a person's to take away; from inside a session
/// it is refused.
fn asks_to_end(context: &mut Context, goal: &GoalId, todo: &Todo) -> Result<Asks, CliError> {
    let now = context.now();
    let state = context.plane()?.state(goal)?;
    let offer = todo.offered.as_ref().and_then(|offer| state.handoffs.get(offer));
    let held = todo.live_claim(now).is_some() || offer.is_some_and(|offer| offer.is_offered(now));
    let inside = context.plane()?.caller().is_some();
    Ok(if todo.is_agents() && held && !inside { Asks::Person } else { asks(todo) })
}

/// Sends a change as the command that fits who has to ask for it.
fn change<C>(
    context: &mut Context,
    goal: &GoalId,
    asks: Asks,
    what: &str,
    change: C,
    lane: impl FnOnce(C) -> LaneCommand,
    person: impl FnOnce(C) -> AuthorityCommand,
) -> Result<Receipt, CliError> {
    match asks {
        Asks::Lane => {
            let agent = context.agent_if_any(goal)?;
            context.lane(goal, agent.as_ref(), lane(change))
        }
        Asks::Person => context.authority(goal, what, person(change)),
    }
}

/// One todo as JSON.
#[derive(Serialize)]
struct TodoDocument<'a> {
    #[serde(flatten)]
    todo: &'a Todo,
    /// Whether it is to be done now: a gate's own todo is while its gate counts as requested.
    is_open: bool,
    /// Whose claim counts now.
    claimed_by: Option<&'a AgentId>,
}

impl<'a> TodoDocument<'a> {
    fn of(todo: &'a Todo, state: &State, now: Timestamp) -> Self {
        let claimed_by = todo.live_claim(now).map(|claim| &claim.agent);
        Self { todo, is_open: state.is_open(todo, now), claimed_by }
    }
}
