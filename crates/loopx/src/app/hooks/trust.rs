//! Whether Codex was told to trust hooks: it notes so in its config.toml, for each by its place in hooks.json.
//!
//! Seen of 0.171.0: `[hooks.state."<path>/hooks.json:pre_tool_use:0:0"]` with a `trusted_hash`; the numbers are those of
//! the group and of the entry in it. The hash is not checked.

use loopx_runtimes::Sources;
use toml_edit::{Item, TableLike};

use super::entries;
use super::program::Program;
use super::role::Role;
use crate::app::settings::file::Original;
use crate::app::settings::toml;

/// Whether something of ours in this text is not trusted. Where Codex's settings can't be read, that is not known.
pub(super) fn lacks(sources: &Sources, text: &str, program: &Program) -> bool {
    let config = Role::CodexConfig.path(sources).map(|path| Original::read(&path));
    let config = match config {
        Some(Ok(config)) => config.text().to_owned(),
        Some(Err(_)) | None => return false,
    };
    let Ok(document) = toml::parse(&config) else { return false };
    let state = document.get("hooks").and_then(|hooks| hooks.get("state")).and_then(Item::as_table_like);
    let is_trusted = |(event, group): &(String, usize)| {
        let end = format!("/{}:{}:{group}:0", Role::CodexHooks.file(), snake(event));
        state.is_some_and(|state| has(state, &end))
    };
    !entries::groups(text, Role::CodexHooks, program).iter().all(is_trusted)
}

fn has(state: &dyn TableLike, end: &str) -> bool {
    state.iter().any(|(key, entry)| key.ends_with(end) && entry.get("trusted_hash").is_some())
}

/// An event as Codex notes it: `PreToolUse` is `pre_tool_use`.
fn snake(event: &str) -> String {
    let letters = event.char_indices().map(|(at, c)| {
        let lower = c.to_ascii_lowercase();
        if at > 0 && c.is_ascii_uppercase() { format!("_{lower}") } else { lower.to_string() }
    });
    letters.collect()
}
