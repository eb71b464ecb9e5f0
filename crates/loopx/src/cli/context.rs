//! What every verb is given: the environment, the door to the terminal, the control plane, and the goal and lane
//! that are meant.

mod given;
mod meant;
mod proving;

pub use crate::app::proving::because;
pub use given::refused_text;

use std::collections::BTreeMap;

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, IdKind};
use loopx_core::actor::{Actor, Channel, Proof, Who};
use loopx_core::agent::AgentKind;
use loopx_core::{Command, LaneCommand, State};
use loopx_safety::{Class, PrivateWords};
use loopx_store::{FoundId, Receipt, StoreError};

use crate::app::ControlPlane;
use crate::app::home::Home;
use crate::app::keyring::Keyring;
use crate::app::placing::{Only, only_lane};
use crate::app::serving::Doors;
use crate::cli::named;
use crate::clock::Clock;
use crate::config::Config;
use crate::env::Env;
use crate::error::CliError;
use crate::ui::{ColorChoice, Ui};

/// How many ids begin alike where one is meant: few, or all have to be looked at.
const FEW: usize = 64;
/// The shortest end that names an id, as `loopx top` shows them.
const END: usize = 4;

/// Options that every verb takes.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Globals {
    /// The goal: else LOOPX_GOAL, else the folder's binding.
    #[arg(long, short = 'g', global = true, value_name = "GOAL", help_heading = "Global options")]
    pub goal: Option<String>,
    /// The agent's lane: else LOOPX_AGENT, else the folder's binding.
    #[arg(long, short = 'a', global = true, value_name = "AGENT", help_heading = "Global options")]
    pub agent: Option<String>,
    /// Print one JSON document.
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,
    /// When to colour.
    #[arg(long, global = true, value_enum, value_name = "WHEN", help_heading = "Global options")]
    pub color: Option<ColorChoice>,
    /// A name for this command: a retry with the same key returns the first receipt.
    #[arg(long, global = true, value_name = "KEY", hide_short_help = true, help_heading = "Global options")]
    pub key: Option<String>,
    /// Take what may not be said out of the texts given, instead of refusing them: `[redacted:CLASS]` stands there then.
    #[arg(long, global = true, hide_short_help = true, help_heading = "Global options")]
    pub redact: bool,
}

/// What every verb is given.
pub struct Context {
    /// The environment.
    pub env: Env,
    /// The door to the terminal.
    pub ui: Ui,
    /// The clock.
    pub clock: Clock,
    /// The layered configuration.
    pub config: Config,
    /// The doors that stay open.
    pub doors: Doors,
    globals: Globals,
    plane: Option<ControlPlane>,
    /// The keys that the last passphrase opened.
    keyring: Option<Keyring>,
    /// The names that no text may hold, once they were read.
    words: Option<PrivateWords>,
    /// What was taken out of texts.
    redacted: BTreeMap<Class, usize>,
}

impl Context {
    /// Puts it together.
    pub fn new(env: Env, ui: Ui, config: Config, globals: Globals, doors: Doors) -> Self {
        let config = config.with_flags(globals.color, globals.goal.as_deref(), globals.agent.as_deref());
        let ui = ui.colored(&env, config.color());
        Self {
            env,
            ui,
            clock: Clock,
            config,
            doors,
            globals,
            plane: None,
            keyring: None,
            words: None,
            redacted: BTreeMap::new(),
        }
    }

    /// Whether JSON was asked for.
    pub fn json(&self) -> bool {
        self.globals.json
    }

    /// Now, UTC.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// LoopX's own folders.
    pub fn home(&self) -> Result<Home, CliError> {
        Home::require(&self.env)
    }

    /// The control plane, opened at the first use.
    pub fn plane(&mut self) -> Result<&mut ControlPlane, CliError> {
        let plane = match self.plane.take() {
            Some(plane) => plane,
            None => ControlPlane::open(&self.env)?,
        };
        Ok(self.plane.insert(plane))
    }

    /// The goal that the flag names.
    pub fn named_goal(&self) -> Option<&str> {
        self.globals.goal.as_deref()
    }

    /// The lane that the flag names.
    pub fn named_agent(&self) -> Result<Option<AgentId>, CliError> {
        Ok(self.globals.agent.as_deref().map(AgentId::parse).transpose()?)
    }

    /// What the flags narrow a list down to.
    pub fn only(&mut self) -> Result<Only, CliError> {
        let goal = self.globals.goal.clone().map(|name| self.find_goal(&name)).transpose()?;
        if let Some(goal) = &goal {
            named::state(self, goal)?;
        }
        Ok(Only { goal, agent: self.named_agent()? })
    }

    /// Fails where a lane is asked for that no goal has. Of one goal, its first screen says so.
    pub fn known(&mut self, only: &Only) -> Result<(), CliError> {
        let (None, Some(agent)) = (&only.goal, &only.agent) else { return Ok(()) };
        let goals: Vec<GoalId> = self.plane()?.goals()?.into_iter().map(|goal| goal.id).collect();
        for goal in goals {
            match self.plane()?.state(&goal) {
                Ok(state) if state.agents.iter().all(|(id, _)| id != agent) => {}
                // It may be one of a goal that can't be read.
                Ok(_) | Err(StoreError::Damaged(_)) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        Err(self.no_agent(None, agent))
    }

    /// Where no lane is named and there are several: the one that the goal's line shows.
    pub fn first_agent(&mut self, goal: &GoalId) -> Result<AgentId, CliError> {
        let now = self.now();
        let (world, _) = self.plane()?.world(now, Some(goal))?;
        let view = world.goal(goal)?;
        match view.line() {
            Some(line) => Ok(line.first.projection.agent_id.clone()),
            None => Ok(crate::app::overview::no_agent()?),
        }
    }

    /// The goal that is meant, if one is: the flag, `LOOPX_GOAL`, the config, the folder's binding.
    pub fn goal_if_any(&mut self) -> Result<Option<GoalId>, CliError> {
        let named = self.globals.goal.clone().or_else(|| self.env.var("LOOPX_GOAL").map(str::to_owned));
        if let Some(name) = named {
            return self.find_goal(&name).map(Some);
        }
        if let Some((goal, _)) = self.binding()? {
            return Ok(Some(goal));
        }
        match self.config.goal().map(str::to_owned) {
            Some(name) => self.find_goal(&name).map(Some),
            None => Ok(None),
        }
    }

    /// The goal that is meant.
    pub fn goal(&mut self) -> Result<GoalId, CliError> {
        self.goal_if_any()?.ok_or_else(|| {
            CliError::usage("no goal is named, and this folder is bound to none")
                .hint("add `--goal GOAL`, set LOOPX_GOAL, or run `loopx init` in the project's folder")
        })
    }

    /// A goal by its id or a unique prefix of it. An id that no goal has is passed on: the decision says so.
    pub fn find_goal(&mut self, name: &str) -> Result<GoalId, CliError> {
        let id = GoalId::parse(name)?;
        let goals = self.plane()?.goals()?;
        if goals.iter().any(|goal| goal.id == id) {
            return Ok(id);
        }
        let mut longer = goals.iter().filter(|goal| goal.id.as_str().starts_with(name));
        match (longer.next(), longer.next()) {
            (Some(only), None) => Ok(only.id.clone()),
            (Some(_), Some(_)) => Err(ambiguous("goal", name, goals.iter().map(|goal| goal.id.as_str()))),
            (None, _) => Ok(id),
        }
    }

    /// The goal and lane that the session this runs in is bound to by itself, else that this folder is bound to.
    pub fn binding(&mut self) -> Result<Option<(GoalId, Option<AgentId>)>, CliError> {
        if Home::of(&self.env).is_none() {
            return Ok(None);
        }
        let cwd = self.env.cwd.clone();
        let plane = self.plane()?;
        let bindings = plane.bindings()?;
        let own = plane.caller().and_then(|caller| bindings.session(caller.session.as_ref()?));
        let folder = || cwd.and_then(|cwd| bindings.meant(plane.key(), &cwd));
        Ok(own.or_else(folder).cloned())
    }

    /// The lane that is meant, if one is: the flag, `LOOPX_AGENT`, the folder's binding, of several lanes there the
    /// only one of the runtime that this runs in, the config, or the goal's only one.
    pub fn agent_if_any(&mut self, goal: &GoalId) -> Result<Option<AgentId>, CliError> {
        let named = self.globals.agent.clone().or_else(|| self.env.var("LOOPX_AGENT").map(str::to_owned));
        if let Some(name) = named {
            return Ok(Some(AgentId::parse(&name)?));
        }
        let bound = self.binding()?.filter(|(bound, _)| bound == goal);
        if let Some((_, agent)) = bound {
            let own = if agent.is_none() { self.own_lane(goal)? } else { None };
            if let Some(agent) = agent.or(own) {
                return Ok(Some(agent));
            }
        }
        if let Some(name) = self.config.agent() {
            return Ok(Some(AgentId::parse(name)?));
        }
        let Some(state) = self.readable(goal)? else { return Ok(None) };
        let mut agents = state.agents.iter().map(|(id, _)| id);
        Ok(match (agents.next(), agents.next()) {
            (Some(only), None) => Some(only.clone()),
            _ => None,
        })
    }

    /// The goal's only lane of the runtime that this runs in.
    fn own_lane(&mut self, goal: &GoalId) -> Result<Option<AgentId>, CliError> {
        let Some(caller) = self.plane()?.caller().cloned() else { return Ok(None) };
        Ok(self.readable(goal)?.and_then(|state| only_lane(&state, &caller.runtime)))
    }

    /// The working set of a goal; none where its log is damaged: the decision says so.
    fn readable(&mut self, goal: &GoalId) -> Result<Option<State>, CliError> {
        match self.plane()?.state(goal) {
            Ok(state) => Ok(Some(state)),
            Err(StoreError::Damaged(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The lane that is meant.
    pub fn agent(&mut self, goal: &GoalId) -> Result<AgentId, CliError> {
        self.agent_if_any(goal)?.ok_or_else(|| {
            CliError::usage(format!("goal {goal} has several agents or none, and none is named"))
                .hint(format!("add `--agent AGENT` or set LOOPX_AGENT; see `loopx agent list --goal {goal}`"))
        })
    }

    /// Every id that begins so, of every goal and kind: those that are left out could be the ones that are meant.
    pub fn find_ids(&mut self, text: &str) -> Result<Vec<FoundId>, CliError> {
        if text.is_empty() {
            // It begins every id: a script's variable that is not set must name none.
            return Err(CliError::usage("the id is empty").hint("look with the `list` of its verb"));
        }
        let store = self.plane()?.store();
        let few = store.find_ids(text, FEW)?;
        if few.is_empty() && text.len() >= END && !text.contains('_') {
            // A narrow screen shows how an id ends.
            let mut all = store.find_ids("", named::ALL)?;
            all.retain(|found| found.kind != IdKind::Goal && found.id.ends_with(text));
            return Ok(all);
        }
        Ok(if few.len() < FEW { few } else { store.find_ids(text, named::ALL)? })
    }

    /// An id by a unique prefix. `parse` makes the id of a whole string.
    pub fn id<T>(
        &mut self,
        goal: &GoalId,
        kind: IdKind,
        text: &str,
        parse: impl Fn(&str) -> Result<T, loopx_contract::IdError>,
    ) -> Result<T, CliError> {
        let found = self.find_ids(text)?;
        let fitting: Vec<&str> = found
            .iter()
            .filter(|found| found.kind == kind && found.goal == *goal)
            .map(|found| found.id.as_str())
            .collect();
        match fitting.as_slice() {
            [only] => Ok(parse(only)?),
            [_, ..] if fitting.contains(&text) => Ok(parse(text)?),
            [_, ..] => Err(ambiguous(kind.word(), text, fitting.into_iter())),
            [] => {
                parse(text)?;
                let kind = kind.word().trim_end_matches(" id");
                Err(CliError::not_found(format!("no {kind} {text} on goal {goal}"))
                    .hint(format!("see `loopx {kind} list`")))
            }
        }
    }

    /// Runs a command that a lane may give. From inside a session it comes from that session's lane: the one that its
    /// environment names, whatever lane the command is for.
    pub fn lane(
        &mut self,
        goal: &GoalId,
        agent: Option<&AgentId>,
        command: LaneCommand,
    ) -> Result<Receipt, CliError> {
        let inside = self.plane()?.caller().is_some();
        let own = self.env.var("LOOPX_AGENT").filter(|_| inside).map(AgentId::parse).transpose()?;
        let actor = match own.as_ref().or(agent) {
            Some(agent) if inside => {
                Actor { who: Who::Lane(agent.clone()), channel: Channel::Cli, proof: Proof::Lane }
            }
            // It is no person who asks, and the log must not say so.
            None if inside => {
                return Err(CliError::usage("this runs inside an agent's session, and no agent is named")
                    .hint("add `--agent AGENT`, set LOOPX_AGENT, or bind the session: `loopx bind`"));
            }
            Some(_) | None => Actor { who: Who::Person, channel: Channel::Cli, proof: Proof::None },
        };
        self.apply(goal, actor, Command::Lane(command))
    }

    /// The lane of a person who works on this goal, where it has one.
    pub fn human_lane(state: &State) -> Option<&AgentId> {
        state.agents.values().find(|agent| agent.kind == AgentKind::Human).map(|agent| &agent.id)
    }
}

fn ambiguous<'a>(what: &str, text: &str, ids: impl Iterator<Item = &'a str>) -> CliError {
    const NAMED: usize = 4;
    let fitting: Vec<&str> = ids.filter(|id| id.starts_with(text)).collect();
    let mut some = fitting.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    if fitting.len() > NAMED {
        some += &format!(" and {} more", fitting.len() - NAMED);
    }
    CliError::usage(format!("{what} {text} is ambiguous: {some}"))
        .hint("type more of it; `list` of the verb shows them with their titles")
}
