//! `loopx authority lock`: a passphrase, a key that it opens, and the key's name in every goal's log.

use loopx_contract::GoalId;
use loopx_core::actor::{Actor, Channel, Proof, Who};
use loopx_core::{AuthorityCommand, AuthorityKey, Command, ProofFloor, Request};
use loopx_store::Signer as _;
use serde::Serialize;

use super::{at_terminal, keep, not_kept};
use crate::app::keyring::{Keyring, Sealed};
use crate::app::marks::Marks;
use crate::app::passphrase;
use crate::cli::Context;
use crate::error::{CliError, ErrorKind};

/// Have decisions signed by a key that only a passphrase opens. There is no way back for a goal that is locked.
///
/// It locks every goal but those made with `--proof none`, or the one that --goal names; goals made later are locked at
/// once. A person types the passphrase at a terminal outside every agent's session. If the passphrase or authority.json
/// is lost, a locked goal takes no decision any more: go on with a new goal.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Make another key, and have it follow the one that signs now.
    #[arg(long)]
    new_key: bool,
}

#[derive(Serialize)]
struct LockDocument<'a> {
    schema_version: &'static str,
    public_key: AuthorityKey,
    /// The goals that were locked by this command.
    locked: &'a [GoalId],
    /// Goals that stay locked by a key that is not here, or that are damaged.
    left: &'a [GoalId],
}

/// A goal to lock, and the key that must sign for it.
struct Target {
    goal: GoalId,
    in_force: Option<AuthorityKey>,
}

/// Runs it.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let data = context.home()?.data;
    let sealed = passphrase::sealed(&data)?;
    let (targets, left) = targets(args, context, sealed.as_ref())?;
    if let (Some(sealed), true, false) = (&sealed, targets.is_empty(), args.new_key) {
        let newest = sealed.newest().ok_or_else(|| CliError::internal("authority.json holds no key"))?;
        return show(context, newest, &[], &left);
    }
    let ring = match open(args, context, sealed.as_ref(), &targets) {
        Ok(ring) => ring,
        Err(error) => {
            if error.kind == ErrorKind::Refused {
                refused(context, &targets);
            }
            return Err(error);
        }
    };
    let public_key =
        ring.newest().ok_or_else(|| CliError::internal("authority.json holds no key"))?.public_key();
    let mut signed = Vec::new();
    for target in &targets {
        let by =
            ring.signer(&target.in_force.unwrap_or(public_key)).map(|key| key as &dyn loopx_store::Signer);
        let request = request(&target.goal, public_key, Proof::Passphrase);
        let now = context.now();
        let receipt = context.plane()?.apply_signed(&request, now, by)?;
        signed.push((target.goal.clone(), receipt.revision));
    }
    context.mark(&ring, &signed);
    let locked: Vec<GoalId> = signed.into_iter().map(|(goal, _)| goal).collect();
    show(context, public_key, &locked, &left)
}

/// The goals that are to be locked, and those that can't be.
fn targets(
    args: &Args,
    context: &mut Context,
    sealed: Option<&Sealed>,
) -> Result<(Vec<Target>, Vec<GoalId>), CliError> {
    let named = match context.named_goal().map(str::to_owned) {
        Some(name) => Some(context.find_goal(&name)?),
        None => None,
    };
    let (mut targets, mut left) = (Vec::new(), Vec::new());
    let goals: Vec<GoalId> = match &named {
        Some(goal) => vec![goal.clone()],
        None => context.plane()?.goals()?.into_iter().map(|goal| goal.id).collect(),
    };
    for goal in goals {
        let state = match context.plane()?.state(&goal) {
            Ok(state) => state,
            Err(loopx_store::StoreError::Damaged(_)) if named.is_none() => {
                left.push(goal);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let Some(head) = state.goal else { continue };
        if let Some(sealed) = sealed {
            context.unchanged(sealed, &goal)?;
        }
        let here = |key: &AuthorityKey| sealed.is_some_and(|sealed| sealed.has(key));
        match head.authority_key {
            None if named.is_none() && head.proof == ProofFloor::None => {}
            None => targets.push(Target { goal, in_force: None }),
            Some(key) if !here(&key) => left.push(goal),
            Some(key) if args.new_key || sealed.and_then(Sealed::newest) != Some(key) => {
                targets.push(Target { goal, in_force: Some(key) });
            }
            Some(_) => {}
        }
    }
    Ok((targets, left))
}

/// The keys, opened by the passphrase or made for a new one, and kept before any log names them.
fn open(
    args: &Args,
    context: &mut Context,
    sealed: Option<&Sealed>,
    targets: &[Target],
) -> Result<Keyring, CliError> {
    let data = context.home()?.data;
    let terminal = at_terminal(context)?;
    let names: Vec<&str> = targets.iter().map(|target| target.goal.as_str()).collect();
    let what = if names.is_empty() { "goals to come".to_owned() } else { names.join(", ") };
    terminal.say(&format!("have every decision signed from now on, for good: {what}"))?;
    let Some(sealed) = sealed else {
        let typed = passphrase::choose(&terminal)?;
        let mut ring = Keyring::default();
        ring.add().map_err(not_kept)?;
        keep(&ring.seal(&typed, Marks::default()).map_err(not_kept)?, &data)?;
        return Ok(ring);
    };
    let left = || CliError::refused("no passphrase was typed: nothing was changed");
    let typed = terminal.ask("the passphrase")?.filter(|typed| !typed.is_empty()).ok_or_else(left)?;
    let mut ring = sealed.open(&typed).map_err(|why| CliError::refused(why.words()).hint("run it again"))?;
    if args.new_key {
        ring.add().map_err(not_kept)?;
        keep(&ring.seal(&typed, sealed.marks.clone()).map_err(not_kept)?, &data)?;
    }
    Ok(ring)
}

fn request(goal: &GoalId, public_key: AuthorityKey, proof: Proof) -> Request {
    let actor = Actor { who: Who::Person, channel: Channel::Cli, proof };
    let command = Command::Authority(AuthorityCommand::AuthorityLock { public_key });
    Request { goal: goal.clone(), actor, key: None, command }
}

/// The attempt goes into the log of every goal that it was for.
fn refused(context: &mut Context, targets: &[Target]) {
    let now = context.now();
    for target in targets {
        let request = request(&target.goal, AuthorityKey::new([0; 32]), Proof::None);
        if let Ok(plane) = context.plane() {
            let _refused_and_recorded = plane.apply(&request, now);
        }
    }
}

fn show(
    context: &mut Context,
    public_key: AuthorityKey,
    locked: &[GoalId],
    left: &[GoalId],
) -> Result<u8, CliError> {
    if context.json() {
        let schema_version = "loopx_authority_lock_v0";
        context.ui.json(&LockDocument { schema_version, public_key, locked, left })?;
        return Ok(0);
    }
    let key = public_key.short();
    let words = |goals: &[GoalId]| goals.iter().map(GoalId::as_str).collect::<Vec<_>>().join(", ");
    if locked.is_empty() {
        context.ui.line(&format!("nothing left to lock; new goals are locked with key {key}"));
    } else {
        context.ui.line(&format!("locked with key {key}: {}", words(locked)));
        context
            .ui
            .note("keep a copy of authority.json and remember the passphrase: there is no way back without");
    }
    if !left.is_empty() {
        context.ui.note(&format!("left as they are, damaged or locked with another key: {}", words(left)));
    }
    Ok(0)
}
