//! `loopx demo`: a sample home of its own, and `status` over it. Every line says that it is a sample.

mod files;
mod goals;

use std::cell::RefCell;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use loopx_safety::io_words;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::app::home::{Home, make_folder};
use crate::app::serving::{Before, Doors, Options, Serving, Topping};
use crate::cli::{Context, bound, list};
use crate::env::Env;
use crate::error::{CliError, ErrorKind};
use crate::ui::{Out, Tone};

/// Show a sample: made-up sessions and goals in a folder of their own, and `status`, `top` or `serve` over them.
///
/// Your own goals and sessions are neither read nor changed. Every line of `status` is marked as sample.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is shown of it.
    #[arg(value_enum, default_value_t = Show::Status)]
    show: Show,
    /// Where to build it: an empty folder, or one that an earlier demo was built in; default: `demo` in LoopX's data
    /// folder.
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// What is shown of the sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Show {
    /// Its first screens, once.
    Status,
    /// The terminal screen over it.
    Top,
    /// The page over it, on a free port.
    Serve,
}

/// The file that tells a demo's folder from any other.
const MARK: &str = "loopx-demo";

/// What a demo's folder holds; nothing else of it is ever removed.
const PARTS: [&str; 4] = ["home", "loopx", "proc", "machine-id"];

#[derive(Serialize)]
struct DemoDocument {
    schema_version: &'static str,
    /// Always: nothing of it is live.
    sample: bool,
    /// The status document of the sample home.
    status: Box<RawValue>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let dir = if let Some(dir) = &args.dir {
        bound::cwd(context)?.join(dir)
    } else {
        let data = Home::require(&context.env)?.data;
        make_folder(&data).map_err(|error| unmade(&error))?;
        data.join("demo")
    };
    if dir.to_str().is_none() {
        // The sample's sessions name their folder in JSON.
        return Err(CliError::usage("that folder's path is no text in UTF-8")
            .hint("name another folder: `loopx demo --dir FOLDER`"));
    }
    clear(&dir)?;
    let env = environment(context, &dir);
    files::processes(&env).map_err(|error| unmade(&error))?;
    goals::build(&env, &dir, context.now())?;
    match args.show {
        Show::Status => once(&env, context),
        Show::Top => stay(Show::Top, &env, context),
        Show::Serve => stay(Show::Serve, &env, context),
    }
}

/// Keeps a screen over it until that is ended.
fn stay(show: Show, env: &Env, context: &mut Context) -> Result<u8, CliError> {
    if context.json() {
        return Err(
            CliError::usage("that screen draws no JSON").hint("`loopx demo --json` prints its status")
        );
    }
    let (doors, zone) = (context.doors, list::zone(context));
    if show == Show::Serve {
        let options = Options { port: 0, before: Before::Known, bind: None };
        (doors.page)(Serving { zone, env, ui: &mut context.ui, options })?;
    } else if context.ui.is_terminal() {
        (doors.terminal)(Topping { zone, env, colored: context.ui.is_colored() })?;
    } else {
        return Err(CliError::usage("`top` needs a terminal to draw on").hint("`loopx demo` needs none"));
    }
    Ok(0)
}

/// Prints its status.
fn once(env: &Env, context: &mut Context) -> Result<u8, CliError> {
    let mut words =
        vec!["loopx", "status", "--color", if context.ui.is_colored() { "always" } else { "never" }];
    if context.json() {
        words.push("--json");
    }
    let (code, text) = status(env, &words);
    if context.json() {
        let status = serde_json::from_str(&text)
            .map_err(|error| CliError::internal(format!("failed to read the sample's status: {error}")))?;
        context.ui.json(&DemoDocument { schema_version: "loopx_demo_v0", sample: true, status })?;
        return Ok(code);
    }
    let mark = context.ui.tone(Tone::Dim, "sample │");
    for line in text.lines() {
        context.ui.line(format!("{mark} {line}").trim_end());
    }
    context.ui.note("a sample: made-up sessions and goals in a folder of their own, nothing of yours");
    context.ui.note("hint: `loopx demo serve` shows it on a page, `loopx demo top` in this terminal;");
    context.ui.note("`loopx init` in a project's folder starts with your own");
    Ok(code)
}

/// An environment that knows of nothing but the sample.
fn environment(context: &Context, dir: &Path) -> Env {
    let home = dir.join("home");
    let vars = [
        ("HOME", home.clone()),
        ("LOOPX_HOME", dir.join("loopx")),
        ("CODEX_HOME", home.join(".codex")),
        ("CLAUDE_CONFIG_DIR", home.join(".claude")),
    ];
    Env {
        vars: vars.into_iter().map(|(name, path)| (name.into(), path.into())).collect(),
        cwd: Some(home),
        pid: context.env.pid,
        proc: dir.join("proc"),
        machine_id: dir.join("machine-id"),
        tty: dir.join("no-terminal"),
        exe: None,
    }
}

/// An empty folder with our mark: new, or an earlier demo's.
fn clear(dir: &Path) -> Result<(), CliError> {
    let filled = fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
    if filled && !dir.join(MARK).is_file() {
        return Err(CliError::new(
            ErrorKind::Conflict,
            "that folder is not empty, and no demo was built in it",
        )
        .hint("name an empty or a new folder: `loopx demo --dir FOLDER`"));
    }
    empty(dir).map_err(|error| unmade(&error))?;
    make_folder(dir)
        .and_then(|()| fs::write(dir.join(MARK), "a sample of LoopX: nothing in here is live\n"))
        .map_err(|error| unmade(&error))
}

fn empty(dir: &Path) -> io::Result<()> {
    for part in PARTS {
        let part = dir.join(part);
        let gone = if part.is_dir() { fs::remove_dir_all(&part) } else { fs::remove_file(&part) };
        match gone {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Whether a folder is one that a demo built, with nothing else in it.
pub(super) fn is_sample(dir: &Path) -> bool {
    let ours = |name: &std::ffi::OsStr| name == MARK || PARTS.iter().any(|part| name == *part);
    fs::symlink_metadata(dir).is_ok_and(|found| found.is_dir())
        && dir.join(MARK).is_file()
        && fs::read_dir(dir)
            .is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(|entry| ours(&entry.file_name()))))
}

fn unmade(error: &io::Error) -> CliError {
    CliError::internal(format!("failed to build the sample: {}", io_words(error.kind())))
        .hint("name a folder that can be written: `loopx demo --dir FOLDER`")
}

/// Runs the real command over the sample and gives its exit code and what it printed.
fn status(env: &Env, words: &[&str]) -> (u8, String) {
    let data = Lines::default();
    let out = Out { data: Box::new(data.clone()), words: Box::new(io::sink()), is_terminal: false };
    let code = super::main(env, words.iter().map(Into::into).collect(), out, Doors::default());
    let text = String::from_utf8_lossy(&data.0.borrow()).into_owned();
    (code, text)
}

/// Bytes that are kept.
#[derive(Clone, Default)]
struct Lines(Rc<RefCell<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
