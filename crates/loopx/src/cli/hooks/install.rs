//! `loopx hooks install`.

use loopx_runtimes::hooks::{asks_trust, has_hooks};
use loopx_runtimes::{FoundBy, Installed, Runtime, Version};
use loopx_safety::InstallKey;
use serde::Serialize;

use super::{COMMENTS, Done, TRUST, VersionDocument, World, apply, confirm, diff, events, headed, named};
use crate::app::home::{install_key, kept_key};
use crate::app::hooks::{
    Asked, Change, Counts, LineAsked, LineIs, Record, Role, called, counts, hold, install,
};
use crate::cli::{Context, args};
use crate::error::CliError;

/// Put hooks of ours into the settings of Claude Code and Codex: the difference is shown first, and a person decides.
///
/// Only events that the installed version knows, each in a group of its own; what is there stays as it is, to the byte.
/// A status line of yours goes on as it is, behind ours, where Claude Code tells it of limits. Codex runs hooks only
/// after you have trusted them once: it asks when it is started next.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// claude or codex; without any, each whose folder is there.
    #[arg(value_name = "RUNTIME", value_parser = args::runtime)]
    runtimes: Vec<Runtime>,
    /// Show the difference, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Claude Code's status line, which it tells of limits: wrap yours, add one that shows nothing where there is none, or
    /// leave it alone.
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    statusline: StatusLine,
    /// Codex: be told of ended turns through `notify` too, before your own program. Versions without hooks have it anyway.
    #[arg(long)]
    notify: bool,
    /// The version of the one runtime that is named, instead of looking for it.
    #[arg(long, value_name = "X.Y.Z", requires = "runtimes")]
    runtime_version: Option<Version>,
    /// Where there is no terminal to type a code at: the words "change settings".
    #[arg(long, value_name = "WORDS")]
    confirm: Option<String>,
}

/// What becomes of the status line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum StatusLine {
    /// Yours goes on as it is, behind ours; without one there is none.
    #[default]
    Wrap,
    /// The same; without one, one is added that shows nothing.
    Add,
    /// It is left alone.
    Leave,
}

#[derive(Serialize)]
struct FileDocument {
    runtime: Runtime,
    #[serde(flatten)]
    installed: VersionDocument,
    /// Which settings file.
    file: Role,
    /// Whether it was made.
    made: bool,
    /// Whether it was or would be changed.
    changed: bool,
    /// Events that are told from now on.
    events: Vec<&'static str>,
    /// What became of the status line.
    status_line: Option<LineIs>,
}

/// One runtime, and what changes for it.
struct Plan {
    runtime: Runtime,
    installed: Option<Installed>,
    changes: Vec<(Change, Vec<&'static str>)>,
}

impl Plan {
    fn version(&self) -> Option<Version> {
        self.installed.map(|installed| installed.version)
    }
}

/// Runs it.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if args.runtime_version.is_some() && args.runtimes.len() != 1 {
        return Err(CliError::usage("--runtime-version is of one runtime, and several are named"));
    }
    let world = World::of(context)?;
    let data = context.home()?.data;
    let _held = if args.dry_run { None } else { Some(hold(&data)?) };
    let mut record = Record::read(&data)?;
    let key = if args.dry_run { kept_key(&data).ok().flatten() } else { Some(install_key(&data)?) };
    let key = key.unwrap_or_else(|| InstallKey::from_bytes([0; 32], ""));
    let mut runtimes = named(&args.runtimes);
    if args.runtimes.is_empty() {
        runtimes.retain(|runtime| world.is_there(*runtime));
    }
    if runtimes.is_empty() {
        return Err(CliError::not_found("neither Claude Code's folder nor Codex's is there")
            .hint("start one of them once, or name its folder: CLAUDE_CONFIG_DIR, CODEX_HOME"));
    }
    let mut plans = Vec::new();
    for runtime in runtimes {
        plans.push(plan(args, context, &world, &key, &record, runtime)?);
    }
    for (change, _) in plans.iter().flat_map(|plan| &plan.changes) {
        change.check()?;
    }
    show(context, &plans)?;
    let changes: Vec<Change> =
        plans.iter().flat_map(|plan| &plan.changes).map(|(change, _)| change.clone()).collect();
    let any = changes.iter().any(Change::changes);
    if !args.dry_run {
        if any {
            confirm(context, args.confirm.as_deref(), &question(&changes))?;
        }
        // What stands there already is noted, were the record lost.
        apply(context, &mut record, &changes)?;
    }
    if context.json() {
        let files: Vec<FileDocument> = plans.iter().flat_map(documents).collect();
        context.ui.json(&Done { schema_version: "loopx_hooks_install_v0", dry_run: args.dry_run, files })?;
    } else {
        end(context, args, &plans, any);
    }
    Ok(0)
}

fn plan(
    args: &Args,
    context: &Context,
    world: &World,
    key: &InstallKey,
    record: &Record,
    runtime: Runtime,
) -> Result<Plan, CliError> {
    let told = args.runtime_version.map(|version| Installed { version, found_by: FoundBy::Told });
    let counted = match told {
        Some(told) => Counts { installed: Some(told), is_named: true },
        None => counts(runtime, &world.sources, key, record, world.installed(context, runtime)),
    };
    let Counts { installed, is_named } = counted;
    let version = installed.map(|installed| installed.version);
    let events = events(runtime, installed);
    let line = match args.statusline {
        StatusLine::Wrap => LineAsked::Usual,
        StatusLine::Add => LineAsked::Added,
        StatusLine::Leave => LineAsked::Left,
    };
    let mut changes = Vec::new();
    for role in Role::of(runtime) {
        let events = match role {
            Role::ClaudeSettings | Role::CodexHooks if events.is_empty() => continue,
            Role::ClaudeSettings | Role::CodexHooks => events.clone(),
            Role::CodexConfig if args.notify || !has_hooks(runtime, version) => Vec::new(),
            Role::CodexConfig => continue,
        };
        let asked = Asked { version, is_named, events: events.clone(), line };
        let change = install(*role, &world.sources, key, record, &world.program, &asked, world.now)?;
        changes.push((change, events));
    }
    if changes.is_empty() {
        let version = version.map_or_else(String::new, |version| format!(" {version}"));
        return Err(CliError::not_found(format!("{}{version} has no hooks", called(runtime)))
            .hint("bring it up to date; LoopX reads what it writes without hooks too"));
    }
    Ok(Plan { runtime, installed, changes })
}

fn show(context: &mut Context, plans: &[Plan]) -> Result<(), CliError> {
    for plan in plans {
        context.ui.note(&headed(plan.runtime, plan.installed));
        for (change, events) in &plan.changes {
            summary(context, change, events);
            for words in lacking(plan, change, events) {
                context.ui.note(&words);
            }
            diff::show(context, change)?;
            if !change.is_read() {
                context.ui.note(&format!("{}: {COMMENTS}", change.role.words()));
            }
        }
    }
    Ok(())
}

/// What would be done, before the difference.
fn summary(context: &mut Context, change: &Change, events: &[&str]) {
    if context.json() {
        return;
    }
    let state = match (change.changes(), change.makes()) {
        (false, _) => "as it is",
        (true, true) => "to be made",
        (true, false) => "to be changed",
    };
    context.ui.line(&format!("{}: {state}: {}", change.role.words(), what(change, events)));
}

/// What is not told of that could be, and why.
fn lacking(plan: &Plan, change: &Change, events: &[&str]) -> Vec<String> {
    let mut words = Vec::new();
    let runtime = called(plan.runtime);
    let named = format!("`loopx hooks install {} --runtime-version X.Y.Z`", plan.runtime.word());
    if !change.drops.is_empty() {
        let why = match plan.version() {
            Some(version) => format!("{runtime} {version} does not know them; {named} names another version"),
            None => "the version could not be found out".to_owned(),
        };
        words.push(format!("these would not be told of any more: {}: {why}", change.drops.join(", ")));
    }
    if plan.version().is_none() && !events.is_empty() {
        words.push(format!(
            "only the events that the oldest {runtime} with hooks knows are written: {named} names yours, and more are"
        ));
    }
    words
}

/// What stands in a file then.
fn what(change: &Change, events: &[&str]) -> String {
    let what = match change.role {
        Role::ClaudeSettings | Role::CodexHooks => format!("{} events", events.len()),
        Role::CodexConfig => "notify".to_owned(),
    };
    let line = match line_of(change) {
        Some(LineIs::Wrapped) => ", your status line goes on behind ours",
        Some(LineIs::Added) => ", a status line that shows nothing",
        Some(LineIs::Left) | None => "",
    };
    format!("{what}{line}")
}

fn question(changes: &[Change]) -> String {
    let files: Vec<&str> =
        changes.iter().filter(|change| change.changes()).map(|change| change.role.words()).collect();
    format!("put hooks of LoopX into {}, as shown", files.join(" and "))
}

fn documents(plan: &Plan) -> Vec<FileDocument> {
    let one = |(change, events): &(Change, Vec<&'static str>)| FileDocument {
        runtime: plan.runtime,
        installed: VersionDocument::of(plan.installed),
        file: change.role,
        made: change.makes(),
        changed: change.changes(),
        events: events.clone(),
        status_line: line_of(change),
    };
    plan.changes.iter().map(one).collect()
}

fn line_of(change: &Change) -> Option<LineIs> {
    let written = change.written().filter(|_| change.role == Role::ClaudeSettings);
    written.map(|written| written.wanted.line)
}

fn end(context: &mut Context, args: &Args, plans: &[Plan], any: bool) {
    if args.dry_run {
        context.ui.note("nothing was changed");
        return;
    }
    for plan in plans {
        for (change, events) in &plan.changes {
            let what = what(change, events);
            let state = if change.changes() { "written" } else { "as it was" };
            context.ui.line(&format!("{}: {state}: {what}", change.role.words()));
        }
        match plan.runtime {
            Runtime::Codex if any && asks_trust(Runtime::Codex, plan.version()) => context.ui.note(TRUST),
            Runtime::ClaudeCode if any => {
                context
                    .ui
                    .note("sessions of Claude Code that are open may have to be started anew to run them");
            }
            Runtime::Codex | Runtime::ClaudeCode => {}
        }
    }
    context
        .ui
        .note("`loopx hooks status` shows whether events come; `loopx hooks uninstall` takes all of it out");
}
