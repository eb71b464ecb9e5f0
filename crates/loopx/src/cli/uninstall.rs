//! `loopx uninstall`: what LoopX keeps on this machine, and taking it away.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use loopx_runtimes::hooks::WINDOWS;
use loopx_runtimes::{Runtime, worker};
use loopx_safety::{InstallKey, escape, io_words};
use serde::Serialize;

use crate::app::home::Home;
use crate::app::hooks::{FILE, called, survey};
use crate::app::notify::{LOCK, NEW, TELLING, TOLD};
use crate::app::proof::{self, Shown};
use crate::app::{caller, sources, visiting};
use crate::cli::{Context, demo};
use crate::error::CliError;

/// Say what LoopX keeps on this machine; with --purge, delete it for good. A runtime's files are never touched.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Delete LoopX's own data and settings: every goal, todo, gate and run.
    #[arg(long)]
    purge: bool,
    /// Where there is no terminal to type a code at: the words "delete everything".
    #[arg(long, value_name = "WORDS", requires = "purge")]
    confirm: Option<String>,
}

/// What stands in for the code of a terminal.
const WORDS: &str = "delete everything";

/// Whether a file's name is one of ours: the store with its copies, its seal, the keys, the settings.
fn is_ours(name: &str) -> bool {
    let store = name
        .strip_prefix("loopx.")
        .is_some_and(|rest| rest.split(['.', '-']).any(|part| matches!(part, "db" | "lock" | "new")));
    store
        || matches!(
            name,
            "config.toml"
                | "private_terms"
                | "seal.json"
                | "seal.json.new"
                | "seal.replaced.json"
                | "install.json"
                | "authority.json"
                | "authority.json.new"
                | "index.db"
                | "index.db-wal"
                | "index.db-shm"
                | "index.lock"
                | "hooks.jsonl"
                | "hooks-installed.json"
                | "hooks-installed.json.new"
                | "hooks-installed.lock"
                | TOLD
                | LOCK
                | TELLING
                | NEW
                | "spared.jsonl"
                | "tokens.json"
                | "tokens.json.new"
                | "tokens.lock"
                | "visitors.json"
                | "visitors.json.new"
                | "visitors.lock"
        )
        || visiting::port_of(name).is_some()
        || name == worker::SPOOL
        || name.strip_prefix(WINDOWS).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        || name
            .strip_prefix("workers.")
            .is_some_and(|rest| rest.starts_with("fil_") || rest.starts_with("jsonl."))
        || ["install.json.", "hooks.jsonl."]
            .iter()
            .any(|stem| name.strip_prefix(stem).is_some_and(|pid| pid.parse::<u32>().is_ok()))
}

/// The folder of a demo, inside the data folder.
const SAMPLE: &str = "demo";

/// One of our folders with what is in it.
struct Folder {
    word: &'static str,
    path: PathBuf,
    ours: Vec<String>,
    /// Whether a demo was built in it.
    sample: bool,
    foreign: Vec<String>,
}

#[derive(Serialize)]
struct Document {
    schema_version: &'static str,
    removed: bool,
    /// Runtimes into whose settings LoopX has put hooks.
    hooks: Vec<Runtime>,
    folders: Vec<FolderDocument>,
}

#[derive(Serialize)]
struct FolderDocument {
    folder: &'static str,
    files: Vec<String>,
    /// Whether a demo was built in it.
    sample: bool,
    /// How many files are not LoopX's: with any, nothing is deleted.
    foreign_files: usize,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let home = context.home()?;
    let folders = look(&home)?;
    let hooks = hooked(context, &home);
    if args.purge {
        refuse_foreign(&folders)?;
        refuse_hooked(&hooks)?;
        confirm(args, context, &folders)?;
        for folder in &folders {
            remove(folder)?;
        }
    }
    if context.json() {
        let folders = folders
            .into_iter()
            .map(|folder| FolderDocument {
                folder: folder.word,
                files: folder.ours,
                sample: folder.sample,
                foreign_files: folder.foreign.len(),
            })
            .collect();
        let document = Document { schema_version: "loopx_uninstall_v0", removed: args.purge, hooks, folders };
        context.ui.json(&document)?;
        return Ok(0);
    }
    show(context, &folders, &hooks, args.purge);
    Ok(0)
}

/// The runtimes in whose settings something of ours stands. Where that can't be looked at, what is noted of it counts.
fn hooked(context: &Context, home: &Home) -> Vec<Runtime> {
    match survey(&context.env, home, &Runtime::ALL, context.now()) {
        Ok(all) => all.iter().filter(|one| one.is_there()).map(|one| one.runtime).collect(),
        Err(_) if home.data.join(FILE).exists() => Runtime::ALL.to_vec(),
        Err(_) => Vec::new(),
    }
}

/// Without what is noted in the data folder, hooks could not be taken out to the byte.
fn refuse_hooked(hooks: &[Runtime]) -> Result<(), CliError> {
    if hooks.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = hooks.iter().map(|runtime| called(*runtime)).collect();
    let message = format!("hooks of LoopX are in the settings of {}", names.join(" and "));
    Err(CliError::refused(message)
        .hint("take them out first: `loopx hooks uninstall`; then run it again; nothing was deleted"))
}

fn look(home: &Home) -> Result<Vec<Folder>, CliError> {
    let mut places = vec![("data folder", home.data.clone())];
    if home.config != home.data {
        places.push(("config folder", home.config.clone()));
    }
    places.into_iter().map(|(word, path)| inside(word, path)).collect()
}

fn inside(word: &'static str, path: PathBuf) -> Result<Folder, CliError> {
    let failed = |error: std::io::Error| {
        CliError::internal(format!("failed to read the {word}: {}", io_words(error.kind())))
    };
    let mut folder = Folder { word, path, ours: Vec::new(), sample: false, foreign: Vec::new() };
    let entries = match fs::read_dir(&folder.path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(folder),
        Err(error) => return Err(failed(error)),
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let plain = entry.file_type().map_err(failed)?.is_file();
        if name == SAMPLE && demo::is_sample(&entry.path()) {
            folder.sample = true;
        } else if plain && is_ours(&name) {
            folder.ours.push(name);
        } else {
            folder.foreign.push(name);
        }
    }
    folder.ours.sort();
    folder.foreign.sort();
    Ok(folder)
}

fn refuse_foreign(folders: &[Folder]) -> Result<(), CliError> {
    for folder in folders {
        if let Some(name) = folder.foreign.first() {
            let more = match folder.foreign.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            return Err(CliError::refused(format!(
                "the {} holds what is not LoopX's: {name}{more}",
                folder.word
            ))
            .hint("move it elsewhere, then run it again; nothing was deleted"));
        }
    }
    Ok(())
}

/// A person types a code at the terminal, or has typed the words; never from inside a session.
fn confirm(args: &Args, context: &Context, folders: &[Folder]) -> Result<(), CliError> {
    // The store may be broken, so that the caller is looked for with a key of no install.
    let env = &context.env;
    if caller::find(env, &sources::of(env), &InstallKey::from_bytes([0; 32], "uninstall")).is_some() {
        return Err(CliError::refused("this runs inside an agent's session")
            .hint("run it yourself in a terminal outside the agent's session"));
    }
    if let Some(words) = &args.confirm {
        if words == WORDS {
            return Ok(());
        }
        return Err(CliError::usage("those are not the words").hint(format!("--confirm \"{WORDS}\"")));
    }
    let count: usize = folders.iter().map(|folder| folder.ours.len()).sum();
    match proof::at_terminal(
        env,
        &format!("delete all of LoopX's data and settings for good, {count} files"),
    )? {
        Shown::Proved(_) => Ok(()),
        Shown::Nothing(why) => Err(CliError::refused(format!("nothing was deleted: {why}"))
            .hint(format!("type the code back, or say --confirm \"{WORDS}\""))),
    }
}

/// Our files by name, then the folder if nothing is left in it. Nothing is followed and nothing is walked.
fn remove(folder: &Folder) -> Result<(), CliError> {
    let failed = |what: &str, error: &std::io::Error| {
        CliError::internal(format!("failed to delete {what}: {}", io_words(error.kind())))
            .hint("run it again")
    };
    let gone = |result: std::io::Result<()>, what: &str| match result {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(what, &error)),
        Ok(()) | Err(_) => Ok(()),
    };
    for name in &folder.ours {
        gone(fs::remove_file(Path::new(&folder.path).join(name)), name)?;
    }
    if folder.sample {
        gone(fs::remove_dir_all(folder.path.join(SAMPLE)), SAMPLE)?;
    }
    gone(fs::remove_dir(&folder.path), folder.word)
}

fn show(context: &mut Context, folders: &[Folder], hooks: &[Runtime], removed: bool) {
    let ui = &mut context.ui;
    let (one, none) = if removed { ("deleted", "was") } else { ("holds", "is") };
    for folder in folders {
        if folder.ours.is_empty() && !folder.sample {
            ui.line(&format!("{}: nothing {none} there", folder.word));
        } else {
            let sample = folder.sample.then_some("the sample of `loopx demo`");
            let files: Vec<&str> = folder.ours.iter().map(String::as_str).chain(sample).collect();
            ui.line(&format!("{} {one} {}", folder.word, files.join(", ")));
        }
        if !folder.foreign.is_empty() {
            let names: Vec<_> = folder.foreign.iter().map(|name| escape(name)).collect();
            ui.line(&format!("{}: not LoopX's: {}", folder.word, names.join(", ")));
        }
    }
    if hooks.is_empty() {
        ui.line("hooks: none installed");
    } else {
        let names: Vec<&str> = hooks.iter().map(|runtime| called(*runtime)).collect();
        ui.line(&format!("hooks: in the settings of {}", names.join(" and ")));
        ui.note("`loopx hooks uninstall` takes them out; that comes first");
    }
    if !removed {
        ui.note("nothing was deleted; `loopx uninstall --purge` deletes these files for good");
    }
    ui.note("the program itself: `cargo uninstall loopx`, or delete where you put it");
}
