//! `loopx bind`: which goal and lane a session or folder belongs to.

use std::path::PathBuf;

use loopx_contract::{AgentId, GoalId, Ref};
use loopx_core::AuthorityCommand;
use loopx_core::binding::BindingTarget;
use serde::Serialize;

use crate::cli::bound::{self, Target};
use crate::cli::sessions::private;
use crate::cli::{Context, receipt};
use crate::error::CliError;
use crate::ui::Tone;

/// Bind a session, or a project folder with its sessions, to a goal and perhaps a lane.
///
/// The goal and lane are those of --goal and --agent. Without a lane, sessions go to the goal's only lane of their
/// runtime.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A session's handle or a folder; default: this folder.
    #[arg(value_name = "SESSION|FOLDER")]
    target: Option<PathBuf>,
    /// List what is bound.
    #[arg(long, conflicts_with = "target")]
    list: bool,
    /// Show the folders' paths in the list: at a terminal only.
    #[arg(long, requires = "list")]
    private: bool,
}

#[derive(Serialize)]
struct BindingsDocument<'a> {
    schema_version: &'static str,
    bindings: Vec<BindingDocument<'a>>,
}

#[derive(Serialize)]
struct BindingDocument<'a> {
    goal_id: &'a GoalId,
    agent_id: Option<&'a AgentId>,
    /// `session` or `folder`.
    kind: &'static str,
    handle: &'a Ref,
    /// Whether it is this folder, or one above it.
    here: bool,
    /// Whether it counts: only those of open goals do.
    counts: bool,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if args.list {
        return list(args, context);
    }
    let goal = context.goal()?;
    let agent = context.named_agent()?;
    let target = Target::typed(context, args.target.as_deref())?;
    let all = bound::all(context)?;
    bound::take(context, &all, &goal, &target)?;
    let lane = agent.as_ref().map_or_else(String::new, |agent| format!(", lane {agent}"));
    let question = format!("bind {} to goal {goal}{lane}", target.words());
    let command = AuthorityCommand::Bind { target: target.handle.clone(), agent };
    let receipt = context.authority(&goal, &question, command)?;
    bound::keep_path(context, &target)?;
    receipt::show(context, &receipt, "bound", Some(bound::handle(&target.handle).into()))
}

fn list(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if args.private {
        private::allow(context)?;
    }
    let mut all = bound::all(context)?;
    all.sort_by(|a, b| a.goal.cmp(&b.goal));
    if let Some(goal) = context.named_goal().map(str::to_owned) {
        let goal = context.find_goal(&goal)?;
        all.retain(|bound| bound.goal == goal);
    }
    let here = match context.env.cwd.clone() {
        Some(cwd) => bound::over(context, &all, &cwd)?.map(|bound| bound.target),
        None => None,
    };
    let documents: Vec<BindingDocument<'_>> = all
        .iter()
        .map(|bound| BindingDocument {
            goal_id: &bound.goal,
            agent_id: bound.agent.as_ref(),
            kind: match bound.target {
                BindingTarget::Session(_) => "session",
                BindingTarget::Folder(_) => "folder",
            },
            handle: bound::handle(&bound.target),
            here: here.as_ref() == Some(&bound.target),
            counts: bound.counts,
        })
        .collect();
    if context.json() {
        context.ui.json(&BindingsDocument { schema_version: "loopx_bindings_v0", bindings: documents })?;
        return Ok(0);
    }
    if documents.is_empty() {
        context.ui.line("nothing is bound");
        context.ui.note("hint: `loopx init` in a project's folder, or `loopx bind --goal GOAL`");
    }
    for (document, bound) in documents.iter().zip(&all) {
        let agent = document.agent_id.map_or_else(String::new, |agent| format!(" / {agent}"));
        let mut line = format!("{:<8} {}  {}{agent}", document.kind, document.handle, document.goal_id);
        if document.here {
            line += "  (here)";
        }
        if !document.counts {
            line += &context.ui.tone(Tone::Dim, "  (the goal is closed)");
        }
        context.ui.line(&line);
        if args.private
            && let Some(path) = context.plane()?.store().pointer(bound::handle(&bound.target))?
        {
            let path = String::from_utf8_lossy(path.expose()).into_owned();
            let path = context.ui.tone(Tone::Dim, &format!("         {path}"));
            context.ui.line(&path);
        }
    }
    Ok(0)
}
