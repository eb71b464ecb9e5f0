//! What is bound to which goal, what a typed target means, and whose it is already.

use std::path::{Path, PathBuf};

use loopx_contract::{AgentId, GoalId, Ref};
use loopx_core::AuthorityCommand;
use loopx_core::binding::BindingTarget;
use loopx_core::goal::GoalState;
use loopx_safety::{Handle, HandleKind};

use crate::app::folder;
use crate::app::placing::{Place, latest_first};
use crate::app::session;
use crate::cli::{Context, sessions};
use crate::error::{CliError, ErrorKind};

/// One binding of one goal.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The goal.
    pub goal: GoalId,
    /// Whether the goal is open: only then the binding counts.
    pub counts: bool,
    /// What is bound.
    pub target: BindingTarget,
    /// The lane; none: the goal alone.
    pub agent: Option<AgentId>,
}

/// What is meant to be bound.
#[derive(Clone, Debug)]
pub struct Target {
    /// By its handle.
    pub handle: BindingTarget,
    /// The folder, canonical; none for a session.
    pub folder: Option<PathBuf>,
}

impl Target {
    /// A folder that is there.
    pub fn folder(context: &mut Context, folder: &Path) -> Result<Self, CliError> {
        let folder = folder::canonical(folder);
        let handle = BindingTarget::Folder(folder::handle(context.plane()?.key(), &folder));
        Ok(Self { handle, folder: Some(folder) })
    }

    /// What was typed: a session's handle, a folder, or nothing for this folder.
    pub fn typed(context: &mut Context, text: Option<&Path>) -> Result<Self, CliError> {
        if let Some(text) = text.and_then(Path::to_str).filter(|text| text.starts_with("ses_")) {
            let session = match Handle::parse(text) {
                Ok(whole) => whole,
                Err(_) => session::find(&sessions::look(context)?.0.sessions, text)?.facts.session_id,
            };
            return Ok(Self { handle: BindingTarget::Session(session.into()), folder: None });
        }
        let base = cwd(context)?;
        let folder = text.map_or_else(|| base.clone(), |text| base.join(text));
        if !folder.is_dir() {
            let typed = text.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
            return Err(CliError::not_found(format!("no folder {typed}"))
                .hint("name a folder, or a session by its `ses_…` handle; see `loopx sessions`"));
        }
        Self::folder(context, &folder)
    }

    /// For people: a session by its handle, a folder as such.
    pub fn words(&self) -> String {
        match &self.handle {
            BindingTarget::Session(session) => format!("session {session}"),
            BindingTarget::Folder(folder) => format!("folder {folder}"),
        }
    }
}

/// The working directory.
pub fn cwd(context: &Context) -> Result<PathBuf, CliError> {
    context.env.cwd.clone().ok_or_else(|| {
        CliError::internal("the working directory is gone").hint("change to a folder that is there")
    })
}

/// The handle of what is bound.
pub fn handle(target: &BindingTarget) -> &Ref {
    match target {
        BindingTarget::Session(handle) | BindingTarget::Folder(handle) => handle,
    }
}

/// Every binding of every goal that can be read.
pub fn all(context: &mut Context) -> Result<Vec<Bound>, CliError> {
    let plane = context.plane()?;
    let goals = plane.goals()?;
    let counts = |id: &GoalId| {
        let state = goals.iter().find(|goal| goal.id == *id).and_then(|goal| goal.state);
        matches!(state, Some(GoalState::Active | GoalState::Paused))
    };
    let mut bindings = plane.store().bindings()?;
    latest_first(&mut bindings);
    let bound = bindings.into_iter().map(|(goal, binding)| Bound {
        counts: counts(&goal),
        goal,
        target: binding.target,
        agent: binding.agent,
    });
    Ok(bound.collect())
}

/// The binding that a folder has by itself or by the nearest folder above it, of an open goal.
pub fn over(context: &mut Context, all: &[Bound], folder: &Path) -> Result<Option<Bound>, CliError> {
    let key = context.plane()?.key();
    let handles = folder::chain(folder).into_iter().map(|folder| folder::handle(key, &folder));
    let bound = |handle: Ref| {
        let target = BindingTarget::Folder(handle);
        all.iter().find(|bound| bound.counts && bound.target == target).cloned()
    };
    Ok(handles.into_iter().find_map(bound))
}

/// Makes sure that `goal` may have `target`. What belongs to another open goal needs that goal's authority, and is
/// never taken from inside a runtime.
pub fn take(context: &mut Context, all: &[Bound], goal: &GoalId, target: &Target) -> Result<(), CliError> {
    let (other, itself) = match &target.folder {
        Some(folder) => match over(context, all, folder)? {
            Some(bound) => (Some(bound.goal), bound.target == target.handle),
            None => (None, false),
        },
        None => session_owner(context, all, &target.handle)?,
    };
    let Some(other) = other.filter(|other| other != goal) else { return Ok(()) };
    let what = target.words();
    let hint = format!("a person can give it up first: `loopx unbind --goal {other}`");
    if context.plane()?.caller().is_some() {
        return Err(CliError::refused(format!(
            "{what} belongs to goal {other}, and this runs inside an agent's session"
        ))
        .hint(hint));
    }
    let refused = |error: CliError| match error.kind {
        ErrorKind::Refused => {
            let message = format!("{what} belongs to goal {other}: {}", error.message);
            CliError { message, hint: Some(hint.clone()), ..error }
        }
        ErrorKind::Internal | ErrorKind::Usage | ErrorKind::NotFound | ErrorKind::Conflict => error,
    };
    let question = format!("take {what} from goal {other} and give it to goal {goal}");
    if itself {
        let unbind = AuthorityCommand::Unbind { target: target.handle.clone() };
        return context.authority(&other, &question, unbind).map(|_| ()).map_err(refused);
    }
    let needed = context.needed(&[&other])?;
    match context.prove_for(&needed, &question)? {
        (proof, _) if needed.floor.accepts(proof) => Ok(()),
        (_, why) => Err(refused(CliError::refused(why.unwrap_or("that goal's decisions need a proof")))),
    }
}

/// The open goal that a session belongs to, and whether it is bound to it by itself.
fn session_owner(
    context: &mut Context,
    all: &[Bound],
    target: &BindingTarget,
) -> Result<(Option<GoalId>, bool), CliError> {
    if let Some(bound) = all.iter().find(|bound| bound.counts && bound.target == *target) {
        return Ok((Some(bound.goal.clone()), true));
    }
    let (overview, _) = sessions::look(context)?;
    let mut views = overview.sessions.into_iter();
    let view = views.find(|view| Ref::from(view.facts.session_id) == *handle(target));
    Ok(match view.map(|view| view.place) {
        Some(Place::Lane(goal, _) | Place::Goal(goal)) => (Some(goal), false),
        Some(Place::Nowhere) | None => (None, false),
    })
}

/// Keeps the folder's path where only this machine finds it.
pub fn keep_path(context: &mut Context, target: &Target) -> Result<(), CliError> {
    if let Some(folder) = &target.folder {
        use std::os::unix::ffi::OsStrExt as _;
        let bytes = loopx_safety::Private::new(folder.as_os_str().as_bytes());
        let store = context.plane()?.store();
        if store.pointer(handle(&target.handle))?.is_none() {
            store.set_pointer(handle(&target.handle), bytes)?;
        }
    }
    Ok(())
}

/// Whether a text looks like the handle of a session or folder.
pub fn is_handle(text: &str) -> bool {
    [HandleKind::Session, HandleKind::Folder]
        .iter()
        .any(|kind| text.strip_prefix(kind.prefix()).is_some_and(|rest| rest.starts_with('_')))
}
