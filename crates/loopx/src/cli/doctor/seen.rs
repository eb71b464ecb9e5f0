//! What is seen of the runtimes: their folders, sessions, and files that are skipped. Counted, never named.

use std::collections::{BTreeMap, BTreeSet};

use loopx_runtimes::{Index, Scope, observe};
use loopx_safety::InstallKey;

use super::{Looked, Report};
use crate::app::home::{Home, kept_key};
use crate::app::{caller, sources};
use crate::cli::Context;
use crate::error::CliError;

/// Looks at them.
pub fn look(context: &Context, report: &mut Report) -> Result<(), CliError> {
    let sources = sources::of(&context.env);
    for (what, folders) in
        [("Codex homes", &sources.codex_homes), ("Claude Code folders", &sources.claude_roots)]
    {
        let there = folders.iter().filter(|folder| folder.is_dir()).count() as u64;
        report.looked_at.push(Looked::counted(what, format!("of {} there", folders.len()), there));
    }
    let key = match Home::of(&context.env).and_then(|home| kept_key(&home.data).ok().flatten()) {
        Some(key) => key,
        // A key of this run alone: nothing that is counted here is named.
        None => InstallKey::generate()
            .map_err(|_| CliError::internal("failed to draw a key: the system gives no random numbers"))?
            .into(),
    };
    let sweep = {
        // Without the index: what is there counts, not what is remembered of it.
        let mut index = Index::in_memory(&key);
        observe(&sources, &mut index, &key, context.now(), &BTreeSet::new(), Scope::Fresh)
    };
    let mut states: BTreeMap<&str, u64> = BTreeMap::new();
    for seen in &sweep.sessions {
        *states.entry(seen.facts.state.word()).or_default() += 1;
    }
    let words: Vec<String> = states.iter().map(|(word, count)| format!("{count} {word}")).collect();
    let words = if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) };
    report.looked_at.push(Looked::counted("sessions", format!("seen{words}"), sweep.sessions.len() as u64));
    report.looked_at.push(Looked::counted("older sessions", "not read", sweep.older));
    for skipped in &sweep.skipped {
        report.looked_at.push(Looked::counted("skipped files", skipped.kind.word(), skipped.count));
    }
    if sweep.skipped.is_empty() {
        report.looked_at.push(Looked::at("skipped files", "none"));
    }
    let inside = caller::find(&context.env, &sources, &key);
    let state = inside.map_or_else(
        || "outside every agent's session".to_owned(),
        |inside| {
            format!("inside a session of {}: decisions that need a terminal are refused here", inside.runtime)
        },
    );
    report.looked_at.push(Looked::at("this call", state));
    Ok(())
}
