//! Commands that need a person: what is to be decided is shown, proved as the goal asks, and signed where it has a key.

use loopx_contract::{AgentId, GoalId};
use loopx_core::actor::{Actor, Channel, Proof, Who};
use loopx_core::{AuthorityCommand, AuthorityKey, Command, IdempotencyKey, ProofFloor, Request};
use loopx_store::Receipt;

use super::Context;
use crate::app::keyring::{Keyring, Sealed};
use crate::app::passphrase;
use crate::app::proving::{self, Needed};
use crate::clock::Ids;
use crate::error::CliError;

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
        self.apply(goal, actor, Command::Authority(command)).map_err(|error| proving::because(error, lacking))
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
        let data = self.home()?.data;
        Needed::of(self.plane()?, &data, goals)
    }

    /// Refuses to decide on a log that is not the one that was signed.
    pub fn unchanged(&mut self, sealed: &Sealed, goal: &GoalId) -> Result<(), CliError> {
        proving::unchanged(self.plane()?, sealed, goal)
    }

    /// The proof a person can show here, and what it lacks.
    pub fn prove(&mut self, floor: ProofFloor, what: &str) -> Result<Proved, CliError> {
        self.prove_for(&Needed { floor, keys: Vec::new() }, what)
    }

    /// The same, where the passphrase must open these keys. What it opens then signs.
    pub fn prove_for(&mut self, needed: &Needed, what: &str) -> Result<Proved, CliError> {
        self.keyring = None;
        let (data, is_inside) = (self.home()?.data, self.plane()?.caller().is_some());
        let proved = needed.prove(&self.env, &data, is_inside, what)?;
        self.keyring = proved.keyring;
        Ok((proved.proof, proved.lacking))
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
        let data = self.home().map(|home| home.data);
        let marked =
            data.and_then(|data| self.plane().and_then(|plane| proving::mark(plane, &data, ring, signed)));
        if let Err(error) = marked {
            self.ui.note(&proving::unmarked(&error));
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
        let (now, data, ring) = (self.now(), self.home()?.data, self.take_keyring());
        let request = Request { goal: goal.clone(), actor, key, command };
        let applied = proving::apply(self.plane()?, &data, &request, ring, now)?;
        if let Some(error) = &applied.unmarked {
            self.ui.note(&proving::unmarked(error));
        }
        Ok(applied.receipt)
    }
}
