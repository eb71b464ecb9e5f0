//! `--agent A [--runtime R]…`: the lanes of a goal that is being set up.

use std::collections::BTreeSet;

use clap::error::ErrorKind as ClapKind;
use clap::{Arg, ArgAction, ArgMatches, Command};
use loopx_contract::{AgentId, RuntimeId};
use loopx_core::agent::AgentKind;
use loopx_core::command::AgentAdd;

use crate::cli::Context;
use crate::error::CliError;

/// Lanes in the order they were named, each with the runtime that was named after it.
#[derive(Clone, Debug, Default)]
pub struct Lanes(Vec<(String, Option<String>)>);

impl Lanes {
    /// The lanes that were named.
    pub fn named(&self) -> Result<Vec<AgentAdd>, CliError> {
        self.0.iter().map(|(agent, runtime)| lane(agent, runtime.as_deref())).collect()
    }
}

/// The lanes of a goal for which none is named: those of the runtimes that are in this home, else both.
pub fn default(context: &mut Context) -> Result<Vec<AgentAdd>, CliError> {
    let sources = context.plane()?.sources();
    let codex = sources.codex_homes.iter().any(|folder| folder.is_dir());
    let claude = sources.claude_roots.iter().any(|folder| folder.is_dir());
    let mut lanes = Vec::new();
    if codex || !claude {
        lanes.push(lane("codex", None)?);
    }
    if claude || !codex {
        lanes.push(lane("claude", None)?);
    }
    Ok(lanes)
}

fn lane(agent: &str, runtime: Option<&str>) -> Result<AgentAdd, CliError> {
    let runtime = runtime.or(match agent {
        "codex" => Some("codex_cli_tui"),
        "claude" => Some("claude_code"),
        _ => None,
    });
    Ok(AgentAdd {
        agent: AgentId::parse(agent)?,
        kind: AgentKind::Automation,
        runtime: runtime.map(RuntimeId::parse).transpose()?,
        capabilities: BTreeSet::new(),
    })
}

impl clap::Args for Lanes {
    fn augment_args(command: Command) -> Command {
        let repeated = |name: &'static str| Arg::new(name).long(name).action(ArgAction::Append);
        command
            .arg(
                repeated("agent")
                    .short('a')
                    .value_name("AGENT")
                    .help("A lane to register; default: codex and claude, as far as they are in this home"),
            )
            .arg(repeated("runtime").value_name("RUNTIME").help("The runtime of the lane named before it"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for Lanes {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut words: Vec<(usize, Option<String>, Option<String>)> = Vec::new();
        for name in ["agent", "runtime"] {
            let values = matches.get_many::<String>(name).into_iter().flatten();
            let places = matches.indices_of(name).into_iter().flatten();
            words.extend(values.zip(places).map(|(value, place)| match name {
                "agent" => (place, Some(value.clone()), None),
                _ => (place, None, Some(value.clone())),
            }));
        }
        words.sort();
        let mut lanes: Vec<(String, Option<String>)> = Vec::new();
        for (_, agent, runtime) in words {
            match (agent, lanes.last_mut()) {
                (Some(agent), _) => lanes.push((agent, None)),
                (None, Some((_, of @ None))) => *of = runtime,
                (None, _) => {
                    let words = "each --runtime goes after the --agent that works in it\n";
                    return Err(clap::Error::raw(ClapKind::ArgumentConflict, words));
                }
            }
        }
        Ok(Self(lanes))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
