//! `loopx authority status`: what is locked, and whether its key is here.

use loopx_contract::GoalId;
use loopx_core::{AuthorityKey, ProofFloor};
use serde::Serialize;

use crate::app::keyring::Sealed;
use crate::app::passphrase;
use crate::cli::Context;
use crate::cli::list::Table;
use crate::error::CliError;

#[derive(Serialize)]
struct StatusDocument {
    schema_version: &'static str,
    /// Whether a passphrase is set up here.
    set_up: bool,
    /// The key that locks new goals.
    public_key: Option<AuthorityKey>,
    goals: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    goal_id: GoalId,
    /// The least proof its decisions need.
    proof: Option<ProofFloor>,
    state: KeyState,
    public_key: Option<AuthorityKey>,
}

/// How a goal stands to the keys that are here.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum KeyState {
    /// Its decisions are not signed.
    Open,
    /// They are signed by a key that is here.
    Locked,
    /// They are signed by a key that is not here.
    KeyElsewhere,
    /// Its log is not the one that was signed.
    OtherLog,
    /// Its log can't be trusted.
    Damaged,
}

impl KeyState {
    const fn words(self) -> &'static str {
        match self {
            Self::Open => "not locked",
            Self::Locked => "locked",
            Self::KeyElsewhere => "locked, its key is not here",
            Self::OtherLog => "not the log that was signed: see `loopx doctor`",
            Self::Damaged => "damaged: see `loopx doctor`",
        }
    }
}

/// Runs it.
pub(super) fn run(context: &mut Context) -> Result<u8, CliError> {
    let sealed = passphrase::sealed(&context.home()?.data)?;
    let mut goals = Vec::new();
    for summary in context.plane()?.goals()? {
        let head = match context.plane()?.state(&summary.id) {
            Ok(state) => state.goal,
            Err(loopx_store::StoreError::Damaged(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let public_key = head.as_ref().and_then(|head| head.authority_key);
        let agrees = match &sealed {
            Some(sealed) => sealed.marks.agrees(&summary.id, context.plane()?.store())?,
            None => true,
        };
        let state = match (&head, public_key) {
            (None, _) => KeyState::Damaged,
            (Some(_), None) if !agrees => KeyState::OtherLog,
            (Some(_), None) => KeyState::Open,
            (Some(_), Some(key)) if sealed.as_ref().is_some_and(|sealed| sealed.has(&key)) => {
                KeyState::Locked
            }
            (Some(_), Some(_)) => KeyState::KeyElsewhere,
        };
        let proof = head.map(|head| head.proof);
        goals.push(Row { goal_id: summary.id, proof, state, public_key });
    }
    let public_key = sealed.as_ref().and_then(Sealed::newest);
    if context.json() {
        let schema_version = "loopx_authority_status_v0";
        context.ui.json(&StatusDocument { schema_version, set_up: sealed.is_some(), public_key, goals })?;
        return Ok(0);
    }
    match public_key {
        Some(key) => context.ui.line(&format!("a passphrase is set up; new goals get key {}", key.short())),
        None => context.ui.line("no passphrase is set up here: see `loopx authority lock --help`"),
    }
    if goals.is_empty() {
        return Ok(0);
    }
    let mut table = Table::new(["goal", "least proof", "key", "decisions"]);
    for row in goals {
        table.row(vec![
            row.goal_id.to_string(),
            row.proof.map_or("–", ProofFloor::word).to_owned(),
            row.public_key.map_or_else(|| "–".to_owned(), |key| key.short()),
            row.state.words().to_owned(),
        ]);
    }
    table.show(&mut context.ui);
    Ok(0)
}
