//! What a decision needs, a person who proves it at the terminal, and the key that signs it: the same at every door.

use std::path::Path;

use jiff::Timestamp;
use loopx_contract::GoalId;
use loopx_core::actor::Proof;
use loopx_core::{AuthorityKey, Command, ProofFloor, Request};
use loopx_store::Receipt;

use crate::app::ControlPlane;
use crate::app::keyring::{Keyring, Sealed};
use crate::app::passphrase::{self, Unlocked};
use crate::app::proof::{self, Shown};
use crate::env::Env;
use crate::error::{CliError, ErrorKind};

/// Why whoever calls from inside a session decides nothing.
pub const INSIDE: &str = "this runs inside an agent's session";

/// What decisions on some goals need.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    /// The highest of their floors.
    pub floor: ProofFloor,
    /// The keys that sign them.
    pub keys: Vec<AuthorityKey>,
}

impl Needed {
    /// What decisions on all of these goals need.
    pub fn of(plane: &mut ControlPlane, data: &Path, goals: &[&GoalId]) -> Result<Self, CliError> {
        let mut needed = Self { floor: ProofFloor::None, keys: Vec::new() };
        let sealed = passphrase::sealed(data)?;
        for goal in goals {
            if let Some(sealed) = &sealed {
                unchanged(plane, sealed, goal)?;
            }
            if let Some(head) = plane.state(goal)?.goal {
                needed.floor = needed.floor.max(head.proof);
                needed.keys.extend(head.authority_key);
            }
        }
        Ok(needed)
    }

    /// The proof that a person shows at the terminal, what it opened, and what it lacks. `is_inside`: this process runs
    /// in a session, and proves nothing.
    pub fn prove(&self, env: &Env, data: &Path, is_inside: bool, what: &str) -> Result<Proved, CliError> {
        Ok(match self.floor {
            ProofFloor::None => Proved::by(Proof::None),
            ProofFloor::Terminal | ProofFloor::Passphrase if is_inside => Proved::lacks(INSIDE),
            ProofFloor::Terminal => match proof::at_terminal(env, what)? {
                Shown::Proved(proof) => Proved::by(proof),
                Shown::Nothing(why) => Proved::lacks(why),
            },
            ProofFloor::Passphrase => match passphrase::unlock(env, data, &self.keys, what)? {
                Unlocked::Keys(keys) => Proved { keyring: Some(keys), ..Proved::by(Proof::Passphrase) },
                Unlocked::Nothing(why) => Proved::lacks(why),
            },
        })
    }
}

/// A proof, what it opened, and what it lacks.
pub struct Proved {
    /// The proof.
    pub proof: Proof,
    /// The keys that the passphrase opened: for one decision.
    pub keyring: Option<Keyring>,
    /// Why it is none.
    pub lacking: Option<&'static str>,
}

impl Proved {
    /// By this, and nothing is lacking.
    pub const fn by(proof: Proof) -> Self {
        Self { proof, keyring: None, lacking: None }
    }

    const fn lacks(why: &'static str) -> Self {
        Self { proof: Proof::None, keyring: None, lacking: Some(why) }
    }
}

/// Refuses to decide on a log that is not the one that was signed.
pub fn unchanged(plane: &mut ControlPlane, sealed: &Sealed, goal: &GoalId) -> Result<(), CliError> {
    let why = if !sealed.marks_are_right() {
        "authority.json was changed without the passphrase"
    } else if !sealed.marks.agrees(goal, plane.store())? {
        "its log is not the one that was signed with the passphrase"
    } else {
        return Ok(());
    };
    // Of a key that is not here, its marks say nothing: the signature is asked for instead.
    match plane.state(goal)?.goal.and_then(|head| head.authority_key) {
        Some(key) if !sealed.has(&key) => Ok(()),
        Some(_) | None => Err(CliError::refused(format!("goal {goal}: {why}")).hint("see `loopx doctor`")),
    }
}

/// What was recorded, and what could not be kept beside it.
pub struct Applied {
    /// The receipt.
    pub receipt: Receipt,
    /// Why the marks in `authority.json` stayed behind, where they did: what was decided stands.
    pub unmarked: Option<CliError>,
}

/// Applies a request, signed where these keys sign what its goal takes.
pub fn apply(
    plane: &mut ControlPlane,
    data: &Path,
    request: &Request,
    ring: Option<Keyring>,
    now: Timestamp,
) -> Result<Applied, CliError> {
    let ring = ring.filter(|_| matches!(request.command, Command::Authority(_)));
    let keys = match &ring {
        Some(_) => Needed::of(plane, data, &[&request.goal])?.keys,
        None => Vec::new(),
    };
    let signer = ring.as_ref().and_then(|ring| ring.signer_of(&keys));
    let receipt = plane.apply_signed(request, now, signer)?;
    let new = [(request.goal.clone(), receipt.revision)];
    let marked = match &ring {
        Some(ring) if signer.is_some() => mark(plane, data, ring, &new),
        Some(_) | None => Ok(()),
    };
    Ok(Applied { receipt, unmarked: marked.err() })
}

/// Marks how far logs went that were just signed.
pub fn mark(
    plane: &mut ControlPlane,
    data: &Path,
    ring: &Keyring,
    signed: &[(GoalId, u64)],
) -> Result<(), CliError> {
    let Some(mut sealed) = passphrase::sealed(data)? else { return Ok(()) };
    for (goal, revision) in signed {
        if let Some(hash) = plane.store().checksum(goal, *revision)? {
            sealed.marks.set(goal, *revision, &hash);
        }
    }
    ring.mark(&mut sealed, data)
}

/// What is said where the marks could not be brought up to what was recorded.
pub fn unmarked(error: &CliError) -> String {
    format!("it is recorded, but authority.json could not be brought up to it: {error}")
}

/// A refusal with what the proof lacked.
pub fn because(error: CliError, lacking: Option<&'static str>) -> CliError {
    match lacking {
        Some(proof::NOT_TYPED) if error.kind == ErrorKind::Refused => {
            let message = format!("{}: {}", error.message, proof::NOT_TYPED);
            CliError { message, ..error }.hint("nothing was decided: run it again to decide it")
        }
        Some(why) if error.kind == ErrorKind::Refused => {
            CliError { message: format!("{}: {why}", error.message), ..error }
        }
        Some(_) | None => error,
    }
}
