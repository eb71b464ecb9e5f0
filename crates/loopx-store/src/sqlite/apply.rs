//! One command, inside the transaction that records it.

use jiff::Timestamp;
use loopx_contract::GoalId;
use loopx_core::binding::BindingTarget;
use loopx_core::goal::GoalState;
use loopx_core::{
    AuthorityCommand, Command, Decided, Event, IdSource, Names, Recorded, Refusal, Request, State, Subject,
};
use rusqlite::{Connection, OptionalExtension};

use super::chain::{random, unwritable};
use super::fault::{Fault, signed, unsigned};
use super::head::{Head, Purpose, short};
use super::rows::Asked;
use super::{load, log, rows};
use crate::damage::DamageCode;
use crate::signer::Signer;
use crate::store::Receipt;

static KEY: Purpose = Purpose::new(|| blake3::Hasher::new_derive_key("loopx.dev idempotency key v1"));

/// What a command came to.
pub(crate) enum Applied {
    /// Something was written: commit it.
    Written(Receipt),
    /// It was written that the command was refused: commit it.
    Refused(Refusal),
    /// Nothing was written.
    Unchanged(Receipt),
}

/// Decides a request and writes what came of it.
pub(crate) fn apply(
    conn: &Connection,
    request: &Request,
    now: Timestamp,
    ids: &mut dyn IdSource,
    signer: Option<&dyn Signer>,
) -> Result<Applied, Fault> {
    let found = Head::find(conn, &request.goal)?;
    if let (Some(head), Some(key)) = (&found, &request.key)
        && let Some(receipt) = replay(conn, head, request, key.as_str())?
    {
        return Ok(Applied::Unchanged(receipt));
    }
    let mut state = match &found {
        Some(head) => load::load(conn, head, &Names::of_command(&request.command))?,
        None => State::default(),
    };
    let decided = loopx_core::decide(&state, request, now, ids);
    let Decided { events, subject } = match decided.and_then(|it| signable(it, &state, request, signer)) {
        Ok(decided) => decided,
        Err(refusal) => {
            let Some(mut head) = found.filter(|_| refusal.is_recorded()) else { return Err(refusal.into()) };
            let event = Event::Refused { command: request.command.name().into(), code: refusal.code() };
            record(conn, &mut head, &mut state, request, now, vec![event], None)?;
            head.write(conn)?;
            return Ok(Applied::Refused(refusal));
        }
    };
    free_to_bind(conn, &request.goal, &events)?;
    let mut head = match found {
        Some(head) => head,
        None if events.is_empty() => return Err(Refusal::NoGoal(request.goal.clone()).into()),
        None => match Head::same_but_for_case(conn, &request.goal)? {
            Some(other) => return Err(Refusal::GoalExists(other).into()),
            None => Head::add(conn, &request.goal)?,
        },
    };
    let before = head.revision;
    let events = record(conn, &mut head, &mut state, request, now, events, signer)?;
    if let Some(key) = &request.key {
        remember(conn, &mut head, request, key.as_str(), before, &subject)?;
    }
    let receipt = receipt(&head, before, head.revision, events, subject);
    if receipt.events.is_empty() && request.key.is_none() {
        return Ok(Applied::Unchanged(receipt));
    }
    head.write(conn)?;
    Ok(Applied::Written(receipt))
}

/// Refuses what needs a signature by the goal's key and has no signer with that key.
fn signable(
    decided: Decided,
    state: &State,
    request: &Request,
    signer: Option<&dyn Signer>,
) -> Result<Decided, Refusal> {
    let in_force = state.goal.as_ref().and_then(|goal| goal.authority_key);
    let authority = match &request.command {
        Command::Authority(AuthorityCommand::GoalAdd(_)) | Command::Lane(_) => None,
        Command::Authority(AuthorityCommand::AuthorityLock { public_key }) => Some(*public_key),
        Command::Authority(_) => in_force,
    };
    match authority.map(|first| in_force.unwrap_or(first)) {
        Some(key) if signer.is_none_or(|signer| signer.public_key() != key) => {
            Err(Refusal::NotSigned { what: request.command.name(), key })
        }
        Some(_) | None => Ok(decided),
    }
}

/// Refuses to bind what another open goal has bound: it has to be given up there first. Two that bind one folder at
/// once, and an undo that comes late, are seen only here.
fn free_to_bind(conn: &Connection, goal: &GoalId, events: &[Event]) -> Result<(), Fault> {
    let bound = |target: &BindingTarget| {
        events.iter().any(|event| matches!(event, Event::Bound { target: new, .. } if new == target))
    };
    if !events.iter().any(|event| matches!(event, Event::Bound { .. })) {
        return Ok(());
    }
    for (other, told) in Head::all_brief(conn)?.into_iter().filter(|(other, _)| other != goal) {
        // A goal that can't be read binds nothing that anybody sees.
        let Ok(brief) = told else { continue };
        if !matches!(brief.state, Some(GoalState::Active | GoalState::Paused)) {
            continue;
        }
        let theirs = rows::bindings(conn, brief.num, &other).unwrap_or_default();
        if let Some(taken) = theirs.into_iter().find(|binding| bound(&binding.target)) {
            let (BindingTarget::Session(handle) | BindingTarget::Folder(handle)) = taken.target;
            return Err(Refusal::WrongState {
                thing: handle.to_string(),
                state: "bound to another goal",
                hint: "see which: `loopx bind --list`; a person can give it up first: `loopx unbind`",
            }
            .into());
        }
    }
    Ok(())
}

/// Appends events, folds them in and writes the rows that changed. The head is left to be written.
pub(crate) fn record(
    conn: &Connection,
    head: &mut Head,
    state: &mut State,
    request: &Request,
    now: Timestamp,
    events: Vec<Event>,
    signer: Option<&dyn Signer>,
) -> Result<Vec<Recorded>, Fault> {
    let command = head.revision + 1;
    let mut asked = Asked::new();
    let mut all = Vec::with_capacity(events.len());
    for event in events {
        let recorded = Recorded {
            goal: head.id.clone(),
            revision: head.revision + 1,
            command,
            at: now,
            actor: request.actor.clone(),
            event,
        };
        load::ahead(conn, head, state, &recorded.event, &mut asked)?;
        log::append(conn, head, state, &recorded, signer)?;
        state.apply(&recorded);
        all.push(recorded);
    }
    let changed = rows::changed(state)?;
    rows::write(conn, head, &changed)?;
    head.goal.clone_from(&state.goal);
    Ok(all)
}

fn receipt(head: &Head, before: u64, last: u64, events: Vec<Recorded>, subject: Subject) -> Receipt {
    Receipt {
        goal: head.id.clone(),
        command: if events.is_empty() { last } else { before + 1 },
        revision: last,
        events,
        subject,
        replayed: false,
    }
}

/// A request's digest: it holds texts, so that it is keyed and goes with them when they are purged.
fn digest(request: &Request, salt: &[u8; 32]) -> [u8; 32] {
    *blake3::keyed_hash(salt, request.identity().as_bytes()).as_bytes()
}

/// The sum of one idempotency key's row. What a purge takes away is not in it.
pub(crate) fn key_sum(head: &Head, key: &str, before: u64, last: u64, subject: &str) -> u128 {
    let mut hasher = KEY.hasher();
    hasher.update(head.id.as_str().as_bytes()).update(&[0]).update(key.as_bytes()).update(&[0]);
    hasher.update(&before.to_le_bytes()).update(&last.to_le_bytes());
    short(hasher.update(subject.as_bytes()))
}

fn remember(
    conn: &Connection,
    head: &mut Head,
    request: &Request,
    key: &str,
    before: u64,
    subject: &Subject,
) -> Result<(), Fault> {
    let salt = random()?;
    let subject = serde_json::to_string(subject).map_err(unwritable)?;
    conn.prepare_cached("INSERT INTO key VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?.execute((
        head.num,
        key,
        salt,
        digest(request, &salt),
        signed(before),
        signed(head.revision),
        &subject,
    ))?;
    head.key_sum = head.key_sum.wrapping_add(key_sum(head, key, before, head.revision, &subject));
    Ok(())
}

/// A key's row: salt, digest of the request, the revisions before and last, the subject.
type Earlier = (Option<[u8; 32]>, Option<[u8; 32]>, i64, i64, String);

/// The receipt of an earlier command with this key.
fn replay(conn: &Connection, head: &Head, request: &Request, key: &str) -> Result<Option<Receipt>, Fault> {
    let differs = || Fault::Damaged(DamageCode::KeysDiffer);
    let earlier: Option<Earlier> = conn
        .prepare_cached("SELECT salt, request, before, last, subject FROM key WHERE goal = ?1 AND key = ?2")?
        .query_row((head.num, key), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })
        .optional()?;
    let Some((salt, hash, before, last, subject)) = earlier else { return Ok(None) };
    match (salt, hash) {
        (Some(salt), Some(hash)) if digest(request, &salt) != hash => return Err(Refusal::KeyReused.into()),
        // A purge took the digest away with the texts that it was of.
        (Some(_), Some(_)) | (None, None) => {}
        (Some(_), None) | (None, Some(_)) => return Err(differs()),
    }
    let subject = serde_json::from_str(&subject).map_err(|_| differs())?;
    let (before, last) = (unsigned(before)?, unsigned(last)?);
    let mut events = Vec::new();
    log::walk(conn, head, before, last, |_, recorded| {
        events.push(recorded);
        Ok(())
    })?;
    Ok(Some(Receipt { replayed: true, ..receipt(head, before, last, events, subject) }))
}
