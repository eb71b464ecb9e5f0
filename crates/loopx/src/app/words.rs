//! The private words of this machine: the user, the host, the operator's own list, and what sessions are named after.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use loopx_runtimes::{Index, Origin, Scope, observe};
use loopx_safety::{Handle, InstallKey, Private, PrivateWord, PrivateWords, TierKind, WordKind, io_words};

use crate::app::file;
use crate::app::home::{Home, kept_key};
use crate::app::plane::INDEX;
use crate::app::sources;
use crate::env::Env;
use crate::error::CliError;

/// The operator's own list: one name a line; what begins with `#` is a comment.
pub const TERMS: &str = "private_terms";

/// The longest list that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// The words of the machine and of its operator.
#[derive(Debug)]
pub struct OwnWords(Vec<PrivateWord>);

impl OwnWords {
    /// Reads them. A list that can't be read stops us: what it forbids would be let through.
    pub fn read(env: &Env, home: &Home) -> Result<Self, CliError> {
        let mut words: Vec<PrivateWord> =
            terms(home)?.into_iter().map(|term| PrivateWord::new(WordKind::Term, term)).collect();
        let folder = env.home().and_then(|home| home.file_name()?.to_str());
        let users = [env.var("USER"), env.var("LOGNAME"), folder];
        words.extend(users.into_iter().flatten().map(|user| PrivateWord::new(WordKind::User, user)));
        let kernel = hostname(&env.proc);
        for host in [env.var("HOSTNAME"), kernel.as_deref()].into_iter().flatten() {
            words.push(PrivateWord::new(WordKind::Host, host));
            // A machine is called by its first name.
            words.extend(host.split_once('.').map(|(name, _)| PrivateWord::new(WordKind::Host, name)));
        }
        Ok(Self(words))
    }

    /// With the words of sessions, those that refuse a text of this tier.
    pub fn with(&self, tier: TierKind, origins: &BTreeMap<Handle, Private<Origin>>) -> PrivateWords {
        let sessions = origins.values().flat_map(|origin| &origin.expose().words);
        PrivateWords::new(tier, self.0.iter().chain(sessions))
    }

    /// How many names of the operator's list are looked for, and how many are not: those are too short, or everybody
    /// uses them.
    pub fn terms(&self) -> (usize, usize) {
        let mut words = PrivateWords::none(TierKind::Local);
        let terms = self.0.iter().filter(|word| word.kind == WordKind::Term);
        let (looked_for, idle): (Vec<_>, Vec<_>) = terms.partition(|word| words.add(word));
        (looked_for.len(), idle.len())
    }
}

/// The words that refuse a text of this tier, of sessions of any age. Nothing of ours is made for it.
pub fn of_all(env: &Env, tier: TierKind, now: Timestamp) -> Result<PrivateWords, CliError> {
    let Some(home) = Home::of(env) else { return Ok(PrivateWords::none(tier)) };
    let own = OwnWords::read(env, &home)?;
    // Without a key of ours there is no index; no handle is shown, so any key does.
    let kept = kept_key(&home.data).ok().flatten();
    let index = kept.as_ref().map(|key| Index::open(&home.data.join(INDEX), key));
    let key = kept.unwrap_or_else(|| InstallKey::from_bytes([0; 32], ""));
    let mut index = index.unwrap_or_else(|| Index::in_memory(&key));
    let sweep = observe(&sources::of(env), &mut index, &key, now, &BTreeSet::new(), Scope::Old);
    let origins = sweep.sessions.into_iter().map(|seen| (seen.facts.session_id, seen.private)).collect();
    Ok(own.with(tier, &origins))
}

/// Where the operator's list is kept.
pub fn terms_file(home: &Home) -> PathBuf {
    home.config.join(TERMS)
}

fn terms(home: &Home) -> Result<Vec<String>, CliError> {
    let text = file::text(&terms_file(home), LONGEST).map_err(|error| {
        CliError::internal(format!("failed to read {TERMS}: {}", io_words(error.kind())))
            .hint("make it a text file that you can read, one name a line, 1 MiB at most, or take it away")
    })?;
    let text = text.unwrap_or_default();
    let is_end = |c: char| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let lines = text.trim_start_matches('\u{feff}').split(is_end);
    let name = |line: &str| {
        // A `#` inside a name is part of it.
        let comment =
            line.find('#').filter(|at| line[..*at].chars().next_back().is_none_or(char::is_whitespace));
        line[..comment.unwrap_or(line.len())].trim().to_owned()
    };
    Ok(lines.map(name).filter(|name| !name.is_empty()).collect())
}

fn hostname(proc: &Path) -> Option<String> {
    let text = file::text(&proc.join("sys/kernel/hostname"), 256).ok()??;
    Some(text.trim().to_owned())
}
