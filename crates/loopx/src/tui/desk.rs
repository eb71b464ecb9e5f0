//! The thread that is asked what would be recorded, and records it. It has a store of its own.

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;

use loopx_contract::{AgentId, GoalId};
use loopx_core::actor::{Actor, Channel, Proof, Who};
use loopx_core::{Event, IdempotencyKey, ProofFloor, Request};
use loopx_safety::TierKind;
use loopx_store::Receipt;

use super::News;
use crate::app::ControlPlane;
use crate::app::acting::{Asked, Prepared};
use crate::app::home::Home;
use crate::app::keyring::Keyring;
use crate::app::lately::lately;
use crate::app::proof::random_code;
use crate::app::proving::{self, INSIDE, Needed, Proved};
use crate::clock::{Clock, Ids};
use crate::env::Env;
use crate::error::{CliError, ErrorKind};

/// What would be recorded, before it is.
pub struct Preview {
    /// On which goal.
    pub goal: GoalId,
    /// In words.
    pub words: String,
    /// Event by event.
    pub events: Vec<Event>,
    /// What is needed to record it, beyond a confirmation.
    pub needed: Needed,
    /// Why it can't be confirmed here, if it can't.
    pub lacking: Option<&'static str>,
    asked: Asked,
    key: String,
    seen: String,
}

/// What was recorded.
pub struct Done {
    /// The receipt.
    pub receipt: Receipt,
    /// In words.
    pub words: String,
    /// What else there is to say.
    pub note: Option<String>,
}

/// What the desk is asked.
pub enum Job {
    /// What would be recorded?
    Preview(GoalId, Asked),
    /// Record it, as it was shown.
    Record(Box<Preview>, Proof, Option<Keyring>),
    /// What was recorded on a goal lately, as of this revision?
    Lately(GoalId, u64),
}

/// The thread, from outside.
pub struct Desk(mpsc::Sender<Job>);

impl Desk {
    /// Starts it. It opens its store when it is asked first; whether this runs in a session is settled before.
    pub fn start(env: &Env, news: mpsc::Sender<News>) -> Self {
        let (jobs, asked) = mpsc::channel::<Job>();
        let env = env.clone();
        thread::spawn(move || {
            let mut clerk = Clerk::open(&env);
            for job in asked {
                if clerk.is_err() {
                    clerk = Clerk::open(&env);
                }
                let told = match job {
                    Job::Preview(goal, asked) => {
                        let previewed = open(&mut clerk).and_then(|clerk| clerk.previewed(goal, asked));
                        News::Previewed(previewed.map(Box::new))
                    }
                    Job::Record(preview, proof, keyring) => {
                        let recorded =
                            open(&mut clerk).and_then(|clerk| clerk.recorded(*preview, proof, keyring));
                        News::Recorded(recorded.map(Box::new))
                    }
                    Job::Lately(goal, revision) => {
                        let found =
                            open(&mut clerk).and_then(|clerk| Ok(lately(&mut clerk.plane, &goal, revision)?));
                        News::Lately(goal, revision, found.ok().map(Box::new))
                    }
                };
                if news.send(told).is_err() {
                    return;
                }
            }
        });
        Self(jobs)
    }

    /// Asks it; what comes of it is told.
    pub fn ask(&self, job: Job) {
        let _ = self.0.send(job);
    }
}

fn open(clerk: &mut Result<Clerk, CliError>) -> Result<&mut Clerk, CliError> {
    clerk.as_mut().map_err(|error| error.clone())
}

struct Clerk {
    plane: ControlPlane,
    data: PathBuf,
    is_inside: bool,
    lane: Option<AgentId>,
}

impl Clerk {
    fn open(env: &Env) -> Result<Self, CliError> {
        let data = Home::require(env)?.data;
        let mut plane = ControlPlane::open(env)?;
        let is_inside = plane.caller().is_some();
        let lane = env.var("LOOPX_AGENT").filter(|_| is_inside).map(AgentId::parse).transpose()?;
        plane.stay();
        Ok(Self { plane, data, is_inside, lane })
    }

    fn prepared(&mut self, goal: &GoalId, asked: &Asked) -> Result<Prepared, CliError> {
        let now = Clock.now();
        let words = self.plane.private_words(TierKind::Local, now);
        let state = self.plane.state(goal)?;
        asked.prepare(&state, &words, now)
    }

    /// Who asks. In a session it is no person, and the log must not say so; but a goal that takes decisions from anywhere
    /// takes them from there too.
    fn request(
        &self,
        goal: GoalId,
        prepared: &Prepared,
        key: Option<IdempotencyKey>,
        proof: Proof,
    ) -> Request {
        let lane = self.lane.clone().filter(|_| !prepared.needs_person());
        let actor = match lane {
            Some(lane) => Actor { who: Who::Lane(lane), channel: Channel::Cli, proof: Proof::Lane },
            None => Actor { who: Who::Person, channel: Channel::Cli, proof },
        };
        Request { goal, actor, key, command: prepared.command.clone() }
    }

    fn previewed(&mut self, goal: GoalId, asked: Asked) -> Result<Preview, CliError> {
        let prepared = self.prepared(&goal, &asked)?;
        let state = self.plane.state_for(&goal, &prepared.command)?;
        let needed = if prepared.needs_person() {
            Needed::of(&mut self.plane, &self.data, &[&goal])?
        } else {
            Needed { floor: ProofFloor::None, keys: Vec::new() }
        };
        let proof = match needed.floor {
            ProofFloor::None => Proof::None,
            ProofFloor::Terminal => Proof::Terminal,
            ProofFloor::Passphrase => Proof::Passphrase,
        };
        // What would be refused to anybody is refused here.
        let request = self.request(goal.clone(), &prepared, None, proof);
        let decided = loopx_core::decide(&state, &request, Clock.now(), &mut Ids)?;
        let is_nobody =
            if prepared.needs_person() { needed.floor != ProofFloor::None } else { self.lane.is_none() };
        let key = format!("top-{}-{}-{}", random_code(4)?, random_code(4)?, random_code(4)?);
        Ok(Preview {
            goal,
            words: prepared.words,
            events: decided.events,
            lacking: (self.is_inside && is_nobody).then_some(INSIDE),
            needed,
            asked,
            key,
            seen: prepared.seen,
        })
    }

    fn recorded(
        &mut self,
        preview: Preview,
        proof: Proof,
        keyring: Option<Keyring>,
    ) -> Result<Done, CliError> {
        if let Some(lacking) = preview.lacking {
            return Err(CliError::refused(lacking).hint("nothing was recorded"));
        }
        let prepared = self.prepared(&preview.goal, &preview.asked)?;
        if prepared.seen != preview.seen {
            return Err(CliError::new(ErrorKind::Conflict, "it was changed since you were shown it")
                .hint("look at it again: nothing was recorded"));
        }
        let key = IdempotencyKey::parse(&preview.key)?;
        let request = self.request(preview.goal, &prepared, Some(key), proof);
        let applied = proving::apply(&mut self.plane, &self.data, &request, keyring, Clock.now())?;
        let note = applied.unmarked.as_ref().map(proving::unmarked);
        Ok(Done { receipt: applied.receipt, words: prepared.words, note })
    }
}

impl Preview {
    /// Whether it has to be proved at the terminal.
    pub const fn is_to_be_proved(&self) -> bool {
        !matches!(self.needed.floor, ProofFloor::None)
    }

    /// Has it proved at the terminal, which nothing else may use meanwhile.
    pub fn prove(&self, env: &Env) -> Result<Proved, CliError> {
        let data = Home::require(env)?.data;
        let what = format!("goal {}: {}", self.goal, self.words);
        self.needed.prove(env, &data, self.lacking.is_some(), &what)
    }
}
