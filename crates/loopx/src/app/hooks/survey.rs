//! How all of it stands, for those who only look: nothing is made or changed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use loopx_runtimes::hooks::known;
use loopx_runtimes::{Index, Installed, Runtime, Scope, installed, observe};
use loopx_safety::InstallKey;

use super::program::Program;
use super::record::Record;
use super::role::Role;
use super::standing::{Signs, Spell, Standing, State, last_event, standing};
use super::version::counts;
use crate::app::home::{Home, kept_key};
use crate::app::sources;
use crate::env::Env;
use crate::error::CliError;

/// How a runtime's hooks stand.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The runtime.
    pub runtime: Runtime,
    /// Its version.
    pub installed: Option<Installed>,
    /// When the newest event came.
    pub heard: Option<Timestamp>,
    /// Its files.
    pub files: Vec<Standing>,
}

impl Survey {
    /// Whether something of ours is in one of its files.
    pub fn is_there(&self) -> bool {
        self.files.iter().any(|file| match file.state {
            State::NotInstalled | State::Unreadable => false,
            State::Installed
            | State::Untrusted
            | State::Silent
            | State::BinaryGone
            | State::Older
            | State::ChangedByHand
            | State::Left
            | State::Unrecorded => true,
        })
    }
}

/// Looks at the files of these runtimes.
pub fn survey(env: &Env, home: &Home, runtimes: &[Runtime], now: Timestamp) -> Result<Vec<Survey>, CliError> {
    let sources = sources::of(env);
    let program = Program::of(env)?;
    let record = Record::read(&home.data)?;
    let key = kept_key(&home.data).ok().flatten().unwrap_or_else(|| InstallKey::from_bytes([0; 32], ""));
    let heard = last_event(&home.data, now);
    let mut spells: BTreeMap<Runtime, Vec<Spell>> = BTreeMap::new();
    // Sessions say something about hooks that were installed alone.
    if Runtime::ALL.iter().flat_map(|runtime| Role::of(*runtime)).any(|role| record.has(*role)) {
        let mut index = Index::in_memory(&key);
        let sweep = observe(&sources, &mut index, &key, now, &BTreeSet::new(), Scope::Fresh);
        for facts in sweep.sessions.iter().map(|seen| &seen.facts) {
            let runtime = facts.runtime_id.as_str().parse().ok();
            let Some((runtime, until)) = runtime.zip(facts.last_activity) else { continue };
            spells.entry(runtime).or_default().push(Spell { from: facts.started_at, until });
        }
    }
    let one = |runtime: &Runtime| {
        let found = installed(*runtime, &sources, env.var_os("PATH"));
        let installed = counts(*runtime, &sources, &key, &record, found).installed;
        let version = installed.map(|installed| installed.version);
        let heard = heard.get(runtime).copied();
        let spells = spells.get(runtime).map(Vec::as_slice).unwrap_or_default();
        let files = Role::of(*runtime).iter().map(|role| {
            let hooks = match role {
                Role::ClaudeSettings | Role::CodexHooks => Some(known(*runtime, version)),
                Role::CodexConfig => Some(Vec::new()),
            };
            // A version that can't be found out today is the one that it was.
            let events = hooks.filter(|_| version.is_some() || *role == Role::CodexConfig);
            let signs = Signs { version, heard, spells };
            standing(*role, &sources, &key, &record, &program, events.as_deref(), signs)
        });
        Survey { runtime: *runtime, installed, heard, files: files.collect() }
    };
    Ok(runtimes.iter().map(one).collect())
}
