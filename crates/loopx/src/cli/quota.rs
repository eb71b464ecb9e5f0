//! `loopx quota`: limits in a rolling window, and what was spent.

mod show;

use loopx_core::TurnKey;
use loopx_core::command::SpendDraft;
use loopx_core::quota::{Amount, Quota};
use loopx_core::{AuthorityCommand, LaneCommand, Refusal};

use crate::app::counting::WINDOW;
use crate::app::times::parse_instant;
use crate::cli::{Context, args, named, receipt};
use crate::error::CliError;

pub(super) use crate::app::reading::quota::in_words;

/// Set limits on turns, minutes and tokens, and count what is spent.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Set(Set),
    Show(show::Args),
    Spend(Spend),
    Void(Void),
}

/// Set the limits of the goal, or of one lane with --agent; what is not named stays.
#[derive(Debug, clap::Args)]
struct Set {
    /// Most turns in the window; 0 allows none, "none" sets no limit.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    turns: Option<String>,
    /// Most minutes of work in the window; 0 allows none, "none" sets no limit.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    minutes: Option<String>,
    /// Most tokens in the window; 0 allows none, "none" sets no limit.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    tokens: Option<String>,
    /// How long the window is, such as 30m, 24h or 7d; at most 31d. At first 24h.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    window: Option<String>,
}

/// Count turns, minutes of work or tokens; without any amount, one turn. Without --agent, the only lane or the goal.
#[derive(Debug, clap::Args)]
struct Spend {
    /// The turn's key: a retry with the same key counts once.
    #[arg(long, value_name = "KEY")]
    turn_key: String,
    /// Turns spent.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    turns: Option<String>,
    /// Minutes of work spent.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    minutes: Option<String>,
    /// Tokens spent.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    tokens: Option<String>,
    /// When, RFC 3339; in the future counts as now.
    #[arg(long, value_name = "INSTANT")]
    at: Option<String>,
}

/// Take a spend back.
#[derive(Debug, clap::Args)]
struct Void {
    /// Its turn key.
    #[arg(long, value_name = "KEY")]
    turn_key: String,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.verb {
        Verb::Set(args) => set(args, context),
        Verb::Show(_) => show::run(context),
        Verb::Spend(args) => spend(args, context),
        Verb::Void(args) => void(args, context),
    }
}

/// A whole number from 0.
fn count(field: &str, text: Option<&str>) -> Result<Option<u64>, CliError> {
    let Some(text) = text else { return Ok(None) };
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(count) if digits => Ok(Some(count)),
        _ if digits => {
            Err(CliError::usage(format!("{field}: {text} is too large")).hint("give a smaller whole number"))
        }
        _ => Err(CliError::usage(format!("{field}: {text} is no whole number from 0"))
            .hint("write it as 0, 8 or 120000")),
    }
}

/// A limit: the old one where nothing is said, no limit for "none".
fn limit(field: &str, text: Option<&str>, old: Option<u64>) -> Result<Option<u64>, CliError> {
    match text {
        None => Ok(old),
        Some("none") => Ok(None),
        Some(_) => count(field, text),
    }
}

fn set(args: &Set, context: &mut Context) -> Result<u8, CliError> {
    let named = [&args.turns, &args.minutes, &args.tokens, &args.window];
    if named.iter().all(|given| given.is_none()) {
        return Err(
            CliError::usage("no limit is named").hint("name one of --turns, --minutes, --tokens, --window")
        );
    }
    let goal = context.goal()?;
    let agent = context.named_agent()?;
    let state = named::state(context, &goal)?;
    let old = match &agent {
        Some(agent) => state.agents.get(agent).ok_or_else(|| Refusal::NoAgent(agent.clone()))?.quota,
        None => state.goal.as_ref().map_or_else(Quota::default, |goal| goal.quota),
    };
    let window_minutes = match args.window.as_deref() {
        Some(text) => args::lease(text).map_err(|_| {
            CliError::usage(format!("window: {text} is no length")).hint("write it as 30m, 24h or 7d")
        })?,
        None if old.window_minutes == 0 => WINDOW,
        None => old.window_minutes,
    };
    let quota = Quota {
        window_minutes,
        turns: limit("turns", args.turns.as_deref(), old.turns)?,
        minutes: limit("minutes", args.minutes.as_deref(), old.minutes)?,
        tokens: limit("tokens", args.tokens.as_deref(), old.tokens)?,
    };
    let whose = match &agent {
        Some(agent) => format!("lane {agent} of goal {goal}"),
        None => format!("goal {goal}"),
    };
    let what = format!("limit {whose}: {}", in_words(&quota));
    let id = agent.as_ref().map_or_else(|| (&goal).into(), receipt::Named::from);
    let receipt = context.authority(&goal, &what, AuthorityCommand::QuotaSet { agent, quota })?;
    receipt::show(context, &receipt, "limited", Some(id))
}

fn spend(args: &Spend, context: &mut Context) -> Result<u8, CliError> {
    let turns = count("turns", args.turns.as_deref())?;
    let minutes = count("minutes", args.minutes.as_deref())?;
    let tokens = count("tokens", args.tokens.as_deref())?;
    let bare = turns.is_none() && minutes.is_none() && tokens.is_none();
    let amount = Amount {
        turns: turns.unwrap_or(u64::from(bare)),
        minutes: minutes.unwrap_or_default(),
        tokens: tokens.unwrap_or_default(),
    };
    let key = TurnKey::parse(&args.turn_key)?;
    context.new_id("reference", key.as_str())?;
    let at = args.at.as_deref().map(parse_instant).transpose()?;
    let goal = context.goal()?;
    let agent = context.agent_if_any(&goal)?;
    let draft = SpendDraft { agent: agent.clone(), key: key.clone(), amount, at };
    let receipt = context.lane(&goal, agent.as_ref(), LaneCommand::Spend(draft))?;
    receipt::show(context, &receipt, "spent", Some((&key).into()))
}

fn void(args: &Void, context: &mut Context) -> Result<u8, CliError> {
    let key = TurnKey::parse(&args.turn_key)?;
    let goal = context.goal()?;
    let command = AuthorityCommand::SpendVoid { key: key.clone() };
    let receipt = context.authority(&goal, &format!("take back the spend {key} on goal {goal}"), command)?;
    receipt::show(context, &receipt, "took back", Some((&key).into()))
}
