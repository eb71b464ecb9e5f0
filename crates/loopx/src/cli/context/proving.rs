//! Commands that need a person: what is to be decided is shown, proved as the goal asks, and signed where it has a key.

use loopx_contract::{AgentId, GoalId};
use loopx_core::actor::{Actor, Channel, Proof, Who};
use loopx_core::{AuthorityCommand, AuthorityKey, Command, IdempotencyKey, ProofFloor, Request};
use loopx_store::Receipt;

use super::Context;
use crate::app::keyring::{Keyring, Sealed};
use crate::app::passphrase::{self, Unlocked};
use crate::app::proof::{self, Shown};
use crate::clock::Ids;
use crate::error::{CliError, ErrorKind};

/// What decisions on some goals need.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    /// The highest of their floors.
    pub floor: ProofFloor,
    /// The keys that sign them.
    pub keys: Vec<AuthorityKey>,
}

/// A proof, and what it lacks.
pub type Proved = (Proof, Option<&'static str>);

impl Context {
    /// Runs a command that needs a person: shows at the terminal what is to be decided, where the goal asks for it.
    pub fn authority(
        &mut self,
        goal: &GoalId,
        what: &str,
        command: AuthorityCommand,
    ) -> Result<Receipt, CliError> {
        let needed = if matches!(command, AuthorityCommand::GoalAdd(_)) {
            Needed { floor: ProofFloor::None, keys: Vec::new() }
        } else {
            self.needed(&[goal])?
        };
        match needed.floor {
            ProofFloor::None => {}
            ProofFloor::Terminal => self.rehearse(goal, &command, Proof::Terminal)?,
            ProofFloor::Passphrase => self.rehearse(goal, &command, Proof::Passphrase)?,
        }
        let (proof, lacking) = self.prove_for(&needed, what)?;
        // An agent that tries is recorded as what it is.
        let trying = if lacking.is_some() { self.trying_lane(goal)? } else { None };
        let actor = match trying {
            Some(lane) => Actor { who: Who::Lane(lane), channel: Channel::Cli, proof: Proof::Lane },
            None => Actor { who: Who::Person, channel: Channel::Cli, proof },
        };
        self.apply(goal, actor, Command::Authority(command)).map_err(|error| because(error, lacking))
    }

    /// The lane of the session that this runs in, where it runs in one and a lane of the goal is meant.
    fn trying_lane(&mut self, goal: &GoalId) -> Result<Option<AgentId>, CliError> {
        if self.plane()?.caller().is_none() {
            return Ok(None);
        }
        let named = self.agent_if_any(goal)?;
        let Some(lane) = named else { return Ok(None) };
        Ok(self.plane()?.state(goal)?.agents.contains(&lane).then_some(lane))
    }

    /// What would be refused whoever asks is refused before anybody is asked to type a code. A call from inside a
    /// session is refused, and recorded, for want of a person; a retry is answered by its first receipt.
    fn rehearse(&mut self, goal: &GoalId, command: &AuthorityCommand, proof: Proof) -> Result<(), CliError> {
        if self.globals.key.is_some() || self.plane()?.caller().is_some() {
            return Ok(());
        }
        let command = Command::Authority(command.clone());
        let now = self.now();
        let state = self.plane()?.state_for(goal, &command)?;
        let actor = Actor { who: Who::Person, channel: Channel::Cli, proof };
        let request = Request { goal: goal.clone(), actor, key: None, command };
        loopx_core::decide(&state, &request, now, &mut Ids)?;
        Ok(())
    }

    /// What decisions on all of these goals need.
    pub fn needed(&mut self, goals: &[&GoalId]) -> Result<Needed, CliError> {
        let mut needed = Needed { floor: ProofFloor::None, keys: Vec::new() };
        let sealed = passphrase::sealed(&self.home()?.data)?;
        for goal in goals {
            if let Some(sealed) = &sealed {
                self.unchanged(sealed, goal)?;
            }
            if let Some(head) = self.plane()?.state(goal)?.goal {
                needed.floor = needed.floor.max(head.proof);
                needed.keys.extend(head.authority_key);
            }
        }
        Ok(needed)
    }

    /// Refuses to decide on a log that is not the one that was signed.
    pub fn unchanged(&mut self, sealed: &Sealed, goal: &GoalId) -> Result<(), CliError> {
        let why = if !sealed.marks_are_right() {
            "authority.json was changed without the passphrase"
        } else if !sealed.marks.agrees(goal, self.plane()?.store())? {
            "its log is not the one that was signed with the passphrase"
        } else {
            return Ok(());
        };
        // Of a key that is not here, its marks say nothing: the signature is asked for instead.
        match self.plane()?.state(goal)?.goal.and_then(|head| head.authority_key) {
            Some(key) if !sealed.has(&key) => Ok(()),
            Some(_) | None => {
                Err(CliError::refused(format!("goal {goal}: {why}")).hint("see `loopx doctor`"))
            }
        }
    }

    /// The proof a person can show here, and what it lacks.
    pub fn prove(&mut self, floor: ProofFloor, what: &str) -> Result<Proved, CliError> {
        self.prove_for(&Needed { floor, keys: Vec::new() }, what)
    }

    /// The same, where the passphrase must open these keys. What it opens then signs.
    pub fn prove_for(&mut self, needed: &Needed, what: &str) -> Result<Proved, CliError> {
        self.keyring = None;
        if needed.floor == ProofFloor::None {
            return Ok((Proof::None, None));
        }
        if self.plane()?.caller().is_some() {
            return Ok((Proof::None, Some("this runs inside an agent's session")));
        }
        if needed.floor == ProofFloor::Passphrase {
            let data = self.home()?.data;
            return Ok(match passphrase::unlock(&self.env, &data, &needed.keys, what)? {
                Unlocked::Keys(keys) => {
                    self.keyring = Some(keys);
                    (Proof::Passphrase, None)
                }
                Unlocked::Nothing(why) => (Proof::None, Some(why)),
            });
        }
        Ok(match proof::at_terminal(&self.env, what)? {
            Shown::Proved(proof) => (proof, None),
            Shown::Nothing(why) => (Proof::None, Some(why)),
        })
    }

    /// The key that locks a new goal from its beginning, where a passphrase is set up. One that takes decisions from
    /// anywhere is not locked.
    pub fn lock_for(&self, floor: ProofFloor) -> Result<Option<AuthorityKey>, CliError> {
        match floor {
            ProofFloor::None => Ok(None),
            ProofFloor::Terminal | ProofFloor::Passphrase => {
                Ok(passphrase::sealed(&self.home()?.data)?.and_then(|sealed| sealed.newest()))
            }
        }
    }

    /// Marks how far logs went that were just signed. What was decided stands, whether that can be kept or not.
    pub fn mark(&mut self, ring: &Keyring, signed: &[(GoalId, u64)]) {
        let kept = || -> Result<(), CliError> {
            let data = self.home()?.data;
            let Some(mut sealed) = passphrase::sealed(&data)? else { return Ok(()) };
            for (goal, revision) in signed {
                if let Some(hash) = self.plane()?.store().checksum(goal, *revision)? {
                    sealed.marks.set(goal, *revision, &hash);
                }
            }
            ring.mark(&mut sealed, &data)
        }();
        if let Err(error) = kept {
            self.ui
                .note(&format!("it is recorded, but authority.json could not be brought up to it: {error}"));
        }
    }

    /// The keys that the last passphrase opened: for one decision.
    pub fn take_keyring(&mut self) -> Option<Keyring> {
        self.keyring.take()
    }

    pub(super) fn apply(
        &mut self,
        goal: &GoalId,
        actor: Actor,
        command: Command,
    ) -> Result<Receipt, CliError> {
        let key = self.globals.key.as_deref().map(IdempotencyKey::parse).transpose()?;
        if let Some(key) = &key {
            self.new_id("reference", key.as_str())?;
        }
        let now = self.now();
        let ring = self.take_keyring().filter(|_| matches!(command, Command::Authority(_)));
        let keys = if ring.is_some() { self.needed(&[goal])?.keys } else { Vec::new() };
        let signer = ring.as_ref().and_then(|ring| ring.signer_of(&keys));
        let request = Request { goal: goal.clone(), actor, key, command };
        let receipt = self.plane()?.apply_signed(&request, now, signer)?;
        if let Some(ring) = ring.as_ref().filter(|_| signer.is_some()) {
            self.mark(ring, &[(goal.clone(), receipt.revision)]);
        }
        Ok(receipt)
    }
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
