//! The words by which a runtime runs us: through a shell that must come to 0 in silence whatever is there to be run.

use std::path::{Path, PathBuf};

use loopx_runtimes::Runtime;
use loopx_runtimes::hooks::Prompts;
use serde::{Deserialize, Serialize};

use crate::app::home::Home;
use crate::env::Env;
use crate::error::CliError;

/// What makes a shell end well, and say nothing.
const QUIETLY: &str = " >/dev/null 2>&1 || true";

/// The program, and the folder it must keep its things in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    path: String,
    /// The variable that names LoopX's folder, where it is not the usual one.
    home: Option<(String, String)>,
}

impl Program {
    /// The one that runs: by the name that the search path has for it, which outlives an upgrade, else by its own.
    pub fn of(env: &Env) -> Result<Self, CliError> {
        let failed = |what: &str| {
            CliError::internal(format!("failed to find out {what}"))
                .hint("put the program into a folder on PATH, and run it from there")
        };
        let own = env.exe.as_deref().ok_or_else(|| failed("where the program lies"))?;
        let path = on_path(env, own).unwrap_or_else(|| own.to_owned());
        let text = |path: &Path| path.to_str().map(str::to_owned);
        let path = text(&path).ok_or_else(|| failed("the program's path as a text"))?;
        let home = match named_home(env) {
            Some((name, folder)) => {
                let folder = text(&folder).ok_or_else(|| failed("the path of LoopX's folder as a text"))?;
                Some((name.to_owned(), folder))
            }
            None => None,
        };
        Ok(Self { path, home })
    }

    /// Whether it is still there.
    pub fn exists(&self) -> bool {
        Path::new(&self.path).is_file()
    }

    /// Where it lies.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The folder that is named beside it.
    pub fn home(&self) -> Option<&str> {
        self.home.as_ref().map(|(_, folder)| folder.as_str())
    }

    /// The words of a hook; whether the runtime's hooks tell of every prompt, they say.
    pub fn hook(&self, runtime: Runtime, prompts: Prompts) -> String {
        format!("{}{}{}", self.variables(), quoted(&self.path), after(runtime, prompts))
    }

    /// The words of a status line of our own, which shows nothing.
    pub fn line(&self) -> String {
        format!("{}{} hook claude_code --statusline{QUIETLY}", self.variables(), quoted(&self.path))
    }

    /// What stands before and behind the words of somebody else's status line. It gets what we get, with or without us.
    /// The lines of its own keep a comment at its end from hiding the bracket.
    pub fn around(&self) -> (String, &'static str) {
        let ours = format!("{}{} hook claude_code --statusline", self.variables(), quoted(&self.path));
        (format!("{{ {ours} 2>/dev/null || cat; }} | (\n"), "\n)")
    }

    /// The words of a notify program.
    pub fn notify(&self) -> Vec<String> {
        let variable =
            self.home.iter().flat_map(|(name, folder)| ["env".to_owned(), format!("{name}={folder}")]);
        let ours = [self.path.as_str(), "hook", "codex", "--notify"].map(str::to_owned);
        variable.chain(ours).collect()
    }

    /// The words before those of somebody else's notify program, which runs with or without us.
    pub fn notify_around(&self) -> Vec<String> {
        let ours = format!("{}\"$0\" hook codex --notify \"$@\"", self.variables());
        let script = format!("[ -x \"$0\" ] && exec {ours}; [ $# -gt 1 ] && exec \"$@\"; exit 0");
        ["/bin/sh".to_owned(), "-c".to_owned(), script, self.path.clone()].into()
    }

    /// All texts that we write into a runtime's hooks.
    pub fn texts(&self, runtime: Runtime) -> Vec<String> {
        let hooks = [Prompts::Told, Prompts::Untold].map(|prompts| self.hook(runtime, prompts));
        ["command".to_owned(), self.line()].into_iter().chain(hooks).collect()
    }

    /// Whether these are the words of a hook of ours, wherever the program lies or lay.
    pub fn is_hook(&self, runtime: Runtime, command: &str) -> bool {
        let rest = [Prompts::Told, Prompts::Untold]
            .into_iter()
            .find_map(|prompts| command.strip_suffix(&after(runtime, prompts)));
        rest.and_then(|rest| rest.strip_prefix(&self.variables())).is_some_and(is_quoted)
    }

    /// Whether these words run us in any way, changed or not.
    pub fn is_named(&self, runtime: Runtime, command: &str) -> bool {
        let other = self.home.is_none() && HOMES.iter().any(|name| command.contains(name));
        is_loopx(runtime, command) && command.contains(&self.variables()) && !other
    }

    /// Whether these words run a LoopX that keeps its things elsewhere.
    pub fn is_others(&self, runtime: Runtime, command: &str) -> bool {
        is_loopx(runtime, command) && !self.is_named(runtime, command)
    }

    /// Whether these words run a hook of any LoopX for a runtime that there is none of: it ends well, and notes nothing.
    pub fn is_of_nobody(command: &str) -> bool {
        let after = ["loopx' hook ", "loopx hook "].into_iter().find_map(|words| command.split_once(words));
        let word = after.and_then(|(_, rest)| rest.split([' ', ';', '|', '&', '>']).next());
        word.is_some_and(|word| word != "claude" && word.parse::<Runtime>().is_err())
    }

    /// Whether such a one stands in the words of a status line, around ours or alone.
    pub fn is_around(&self, command: &str) -> bool {
        let ours = format!("{}{} hook", self.variables(), quoted(&self.path));
        self.is_others(Runtime::ClaudeCode, command)
            || is_loopx(Runtime::ClaudeCode, &command.replacen(&ours, "", 1))
    }

    /// Whether the words of a notify program run us, and whether they run a LoopX that keeps its things elsewhere.
    pub fn notifies(&self, words: &[String]) -> (bool, bool) {
        let script = format!("exec {}\"$0\" hook codex --notify", self.variables());
        let named = self.home.as_ref().map(|(name, folder)| format!("{name}={folder}"));
        let mut found = (false, false);
        for (at, word) in words.iter().enumerate() {
            let rest: Vec<&str> = words.iter().skip(at + 1).take(3).map(String::as_str).collect();
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            let before = before.filter(|word| HOMES.iter().any(|name| word.starts_with(name)));
            let is_ours = if word.contains("\"$0\" hook codex --notify") {
                word.contains(&script)
            } else if word.ends_with("loopx") && rest == ["hook", "codex", "--notify"] {
                before == named.as_ref()
            } else {
                continue;
            };
            if is_ours {
                found.0 = true;
            } else {
                found.1 = true;
            }
        }
        found
    }

    fn variables(&self) -> String {
        let one = |(name, folder): &(String, String)| format!("env {name}={} ", quoted(folder));
        self.home.as_ref().map(one).unwrap_or_default()
    }
}

/// What names a folder that is not the usual one.
const HOMES: [&str; 2] = ["LOOPX_HOME=", "XDG_DATA_HOME="];

/// Whether these words run any LoopX.
fn is_loopx(runtime: Runtime, command: &str) -> bool {
    command.contains(&format!("loopx' hook {}", runtime.word()))
}

/// What stands behind the program.
fn after(runtime: Runtime, prompts: Prompts) -> String {
    let prompts = match prompts {
        Prompts::Told => " --prompts",
        Prompts::Untold => "",
    };
    format!(" hook {}{prompts}{QUIETLY}", runtime.word())
}

/// The name that the search path has for this program.
fn on_path(env: &Env, own: &Path) -> Option<PathBuf> {
    let real = own.canonicalize().ok()?;
    let name = own.file_name()?;
    let folders: Vec<PathBuf> = std::env::split_paths(env.var_os("PATH")?).collect();
    let here = folders.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    here.into_iter().find(|path| path.canonicalize().is_ok_and(|path| path == real))
}

/// The variable that names LoopX's folder, where it is not the usual one.
fn named_home(env: &Env) -> Option<(&'static str, PathBuf)> {
    let home = Home::of(env)?;
    if env.var_os("LOOPX_HOME").is_some() {
        return Some(("LOOPX_HOME", home.data));
    }
    let usual = env.home().map(|folder| folder.join(".local/share/loopx"));
    let named = home.data.parent().map(Path::to_owned);
    named.filter(|_| usual != Some(home.data)).map(|folder| ("XDG_DATA_HOME", folder))
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Whether it is one word, quoted as we do.
fn is_quoted(word: &str) -> bool {
    let inside = word.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    inside.is_some_and(|inside| !inside.replace(r"'\''", "").contains('\''))
}

#[cfg(test)]
mod tests;
