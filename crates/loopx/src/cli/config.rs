//! `loopx config`: the settings in force, and where each comes from.

use std::fs;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::Command;

use loopx_safety::io_words;
use serde::Serialize;

use crate::app::home::{Home, make_folder};
use crate::app::words::{TERMS, terms_file};
use crate::cli::Context;
use crate::cli::list::Table;
use crate::config::{Config, Key, Layer, PROJECT_FILE, USER_FILE, Value, project_file};
use crate::error::CliError;
use crate::ui::Tone;

/// Show the settings in force and where each comes from: default < config.toml < .loopx.toml < LOOPX_* < flag.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Keys:
  display.color   auto, always or never
  display.time    local or utc
  binding.goal    the goal of this folder, where nothing else names one
  binding.agent   the lane of this folder, where nothing else names one
  scope.read      read globs of a new goal that names none
  scope.write     write globs of a new goal that names none
  proof.default   least proof of a new goal: none, terminal or passphrase; in your own config.toml only
  notify.when     asked (with --notify) or always: when it is told that something waits on you; this and all
                  that follows in your own config.toml only
  notify.command  the program that tells it, a list: it is run without a shell, and shown here as set
  notify.desktop  auto or never
  notify.bell     auto (over SSH), always or never: rings the terminal that is watched
  notify.text     row (no title) or full
  notify.quiet    hours when nothing is told, a list such as [\"22:00-07:00\"]

A project's .loopx.toml, in the working folder or above it, may set display.*, scope.* and binding.*.")]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    List(List),
    Get(Get),
    Path(Path),
    Edit(Edit),
}

/// List every setting.
#[derive(Debug, clap::Args)]
struct List {
    /// Say where each comes from.
    #[arg(long)]
    origin: bool,
}

/// Print one setting.
#[derive(Debug, clap::Args)]
struct Get {
    /// Its name, such as display.time.
    #[arg(value_name = "KEY", id = "setting")]
    setting: String,
}

/// Print where your own config.toml is, whether or not it is there yet: by the variable or the `~` that names its
/// folder, to be typed into a shell. `loopx config edit` opens it.
#[derive(Debug, clap::Args)]
struct Path {}

/// Open your own config.toml in the editor that VISUAL or EDITOR names, and look at it afterwards.
///
/// What is wrong with it is said with its line, and the exit code is 2; the file stays as you wrote it.
#[derive(Debug, clap::Args)]
struct Edit {
    /// Open `private_terms` instead: names that no text may hold, one a line.
    #[arg(long)]
    terms: bool,
}

#[derive(Serialize)]
struct ListDocument {
    schema_version: &'static str,
    settings: Vec<SettingDocument>,
}

#[derive(Serialize)]
struct SettingDocument {
    key: &'static str,
    value: Option<Value>,
    layer: &'static str,
    /// The file, variable or flag that says so.
    origin: &'static str,
}

#[derive(Serialize)]
struct GetDocument {
    schema_version: &'static str,
    #[serde(flatten)]
    setting: SettingDocument,
}

#[derive(Serialize)]
struct PathDocument {
    schema_version: &'static str,
    /// By the variable or the `~` that names its folder.
    user_file: &'static str,
    user_file_exists: bool,
    /// Whether there is a .loopx.toml in the working folder or above it.
    project_file_found: bool,
}

/// Whether the verb can be run although a config file is broken.
pub fn needs_no_config(args: &Args) -> bool {
    match args.verb {
        Verb::Path(_) | Verb::Edit(_) => true,
        Verb::List(_) | Verb::Get(_) => false,
    }
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.verb {
        Verb::List(list) => show(context, list.origin),
        Verb::Get(get) => one(context, &get.setting),
        Verb::Path(_) => path(context),
        Verb::Edit(args) => edit(args, context),
    }
}

fn setting(context: &Context, key: Key) -> SettingDocument {
    let (value, layer) = context.config.get(key);
    let origin = match layer {
        Layer::Default => "default",
        Layer::User => USER_FILE,
        Layer::Project => PROJECT_FILE,
        Layer::Environment => key.variable().unwrap_or("environment"),
        Layer::Flag => key.flag().unwrap_or("flag"),
    };
    let value = value.map(|value| if key.is_private() { Value::Word("(set)".to_owned()) } else { value });
    SettingDocument { key: key.name(), value, layer: layer.word(), origin }
}

fn show(context: &mut Context, origin: bool) -> Result<u8, CliError> {
    let settings: Vec<_> = Key::ALL.into_iter().map(|key| setting(context, key)).collect();
    if context.json() {
        context.ui.json(&ListDocument { schema_version: "loopx_config_v0", settings })?;
        return Ok(0);
    }
    let mut table = Table::plain();
    for setting in settings {
        let value = setting.value.map_or_else(|| "–".to_owned(), |value| value.to_string());
        let mut row = vec![setting.key.to_owned(), value];
        if origin {
            row.push(context.ui.tone(Tone::Dim, setting.origin));
        }
        table.row(row);
    }
    table.show(&mut context.ui);
    Ok(0)
}

fn one(context: &mut Context, name: &str) -> Result<u8, CliError> {
    let key = Key::parse(name).ok_or_else(|| {
        let names = Key::ALL.map(Key::name).join(", ");
        CliError::usage(format!("no setting {name}")).hint(format!("the settings are {names}"))
    })?;
    let setting = setting(context, key);
    if context.json() {
        context.ui.json(&GetDocument { schema_version: "loopx_setting_v0", setting })?;
        return Ok(0);
    }
    match setting.value {
        Some(value) => {
            let text = context.ui.plain(&value.to_string());
            context.ui.line(&text);
            Ok(0)
        }
        None => Err(CliError::not_found(format!("nothing sets {name}"))
            .hint(format!("set it in {USER_FILE}: see `loopx config path`"))),
    }
}

fn path(context: &mut Context) -> Result<u8, CliError> {
    let file = context.home()?.config_file();
    let named = Home::named_config_file(&context.env);
    if context.json() {
        let project = context.env.cwd.as_deref().and_then(project_file);
        context.ui.json(&PathDocument {
            schema_version: "loopx_config_path_v0",
            user_file: named,
            user_file_exists: file.is_file(),
            project_file_found: project.is_some(),
        })?;
        return Ok(0);
    }
    context.ui.line(named);
    Ok(0)
}

fn edit(args: &Edit, context: &mut Context) -> Result<u8, CliError> {
    let home = context.home()?;
    let (file, name) = if args.terms { (terms_file(&home), TERMS) } else { (home.config_file(), USER_FILE) };
    let editor = context.env.var("VISUAL").or(context.env.var("EDITOR"));
    let mut words = editor.unwrap_or_default().split_whitespace();
    let Some(program) = words.next() else {
        return Err(CliError::usage("neither VISUAL nor EDITOR names an editor")
            .hint("set one, such as `EDITOR=nano loopx config edit`"));
    };
    let failed =
        |error: &io::Error| CliError::internal(format!("failed to make {name}: {}", io_words(error.kind())));
    make_folder(&home.config).map_err(|error| failed(&error))?;
    // Yours alone from the beginning.
    match fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(&error)),
    }
    let ended = Command::new(program).args(words).arg(&file).status();
    let ended = ended.map_err(|error| {
        CliError::usage(format!("the editor did not start: {}", io_words(error.kind())))
            .hint("look at VISUAL and EDITOR: a program and its options, no line for a shell")
    })?;
    if !ended.success() {
        return Err(CliError::internal("the editor failed"));
    }
    if args.terms { Ok(0) } else { judged(context) }
}

/// Says all that is wrong with the file, as it was left.
fn judged(context: &mut Context) -> Result<u8, CliError> {
    let mut faults = Config::faults_of_user(&context.env);
    let Some(last) = faults.pop() else { return Ok(0) };
    for fault in &faults {
        context.ui.error(fault);
    }
    context.ui.note(&format!("{USER_FILE} stays as you wrote it; until it is right, most verbs fail"));
    Err(last)
}
