//! What comes out only under `--private`: native ids, paths and resume commands, for a person at a terminal.

use std::path::Path;

use loopx_contract::RuntimeId;
use loopx_runtimes::{Origin, Runtime};
use loopx_safety::Private;

use crate::cli::Context;
use crate::error::CliError;
use crate::ui::{Tone, Ui};

/// Refuses anybody but a person at a terminal.
pub fn allow(context: &mut Context) -> Result<(), CliError> {
    if context.json() {
        return Err(CliError::refused("native ids and paths are never in JSON")
            .hint("leave out `--json`, at a terminal"));
    }
    if !context.ui.is_terminal() {
        return Err(CliError::refused("native ids and paths are shown at a terminal only")
            .hint("run it in a terminal, without a pipe"));
    }
    if context.plane()?.caller().is_some() {
        return Err(CliError::refused("native ids and paths are not shown inside an agent's session")
            .hint("run it yourself in a terminal outside the agent's session"));
    }
    Ok(())
}

/// The lines of one session.
pub fn show(ui: &mut Ui, runtime: &RuntimeId, origin: &Private<Origin>) {
    let origin = origin.expose();
    let shown = |path: &Option<std::path::PathBuf>| {
        path.as_deref().map_or_else(|| "–".to_owned(), |path| path.to_string_lossy().into_owned())
    };
    let mut lines = vec![
        ("native id", if origin.native_id.is_empty() { "–".to_owned() } else { origin.native_id.clone() }),
        ("file", shown(&origin.file)),
        ("folder", shown(&origin.cwd)),
    ];
    let family = runtime.as_str().parse::<Runtime>().ok();
    if let Some(command) = family.and_then(|family| resume(family, &origin.native_id, origin.cwd.as_deref()))
    {
        lines.push(("resume by", command));
    }
    for (label, value) in lines {
        let label = ui.tone(Tone::Dim, &format!("      {label:<10}"));
        let value = ui.plain(&value);
        ui.line(&format!("{label} {value}"));
    }
}

/// The runtime's own command that resumes a session: for a person to run. None where a part of it is no text.
fn resume(family: Runtime, native_id: &str, cwd: Option<&Path>) -> Option<String> {
    let id = quoted(native_id);
    let command = match family {
        Runtime::Codex => format!("codex resume {id}"),
        Runtime::ClaudeCode => format!("claude --resume {id}"),
    };
    match cwd {
        Some(cwd) => Some(format!("cd {} && {command}", quoted(cwd.to_str()?))),
        None => Some(command),
    }
}

/// A word of the shell that stands for itself.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resume_command_can_be_pasted() {
        let command = resume(Runtime::Codex, "id", Some(Path::new("/made up/it's $(here)")));
        assert_eq!(command.as_deref(), Some(r"cd '/made up/it'\''s $(here)' && codex resume id"));
        assert_eq!(quoted("--help"), "'--help'");
        assert_eq!(quoted(""), "''");
    }
}
