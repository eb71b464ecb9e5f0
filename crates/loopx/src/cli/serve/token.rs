//! `loopx serve token`: programs that may read the API.

use jiff::Timestamp;
use loopx_safety::PublicText;
use serde::Serialize;

use crate::app::home::Home;
use crate::app::tokens::{self, Token};
use crate::cli::Context;
use crate::cli::args::{When, when};
use crate::cli::list::{self, Table};
use crate::error::CliError;
use crate::ui::Tone;

/// Let programs read the API with tokens. A token reads, and carries no authority: nothing is decided with it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Add(Add),
    /// List the tokens, without their secrets: those are kept nowhere.
    List,
    Remove(Remove),
}

/// Make a token, and show it this once.
#[derive(Debug, clap::Args)]
struct Add {
    /// What it is called, such as the program that uses it.
    #[arg(value_name = "NAME")]
    name: String,
    /// When it ends: a time from now as 12h or 90d, or an instant.
    #[arg(long, value_name = "WHEN", value_parser = when, default_value = "90d")]
    expires: When,
}

/// Take a token away: it is refused at once.
#[derive(Debug, clap::Args)]
struct Remove {
    /// What it is called.
    #[arg(value_name = "NAME")]
    name: String,
}

#[derive(Serialize)]
struct AddedDocument<'a> {
    schema_version: &'static str,
    name: &'a PublicText,
    token: &'a str,
    expires_at: Timestamp,
}

#[derive(Serialize)]
struct TokensDocument<'a> {
    schema_version: &'static str,
    tokens: Vec<TokenDocument<'a>>,
}

#[derive(Serialize)]
struct TokenDocument<'a> {
    name: &'a PublicText,
    made_at: Timestamp,
    expires_at: Timestamp,
    /// Whether it opens nothing any more.
    is_over: bool,
}

impl<'a> TokenDocument<'a> {
    fn of(token: &'a Token, now: Timestamp) -> Self {
        let Token { name, made_at, expires_at, .. } = token;
        Self { name, made_at: *made_at, expires_at: *expires_at, is_over: *expires_at <= now }
    }
}

#[derive(Serialize)]
struct RemovedDocument {
    schema_version: &'static str,
    removed: bool,
}

/// Runs it.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let home = Home::require(&context.env)?;
    match &args.verb {
        Verb::Add(args) => add(args, &home, context),
        Verb::List => list(&home, context),
        Verb::Remove(args) => {
            tokens::remove(&home.data, &args.name)?;
            if context.json() {
                context
                    .ui
                    .json(&RemovedDocument { schema_version: "loopx_token_removed_v0", removed: true })?;
            } else {
                context.ui.note("removed: it is refused from now on, by a server that runs too");
            }
            Ok(0)
        }
    }
}

fn add(args: &Add, home: &Home, context: &mut Context) -> Result<u8, CliError> {
    let name = context.name("name", &args.name)?;
    if context.plane()?.caller().is_some() {
        return Err(CliError::refused("this runs inside an agent's session: a token is given by a person")
            .hint(
                "run it in a terminal of your own; an agent asks on its command line: `loopx status --json`",
            ));
    }
    let now = context.now();
    let expires_at = args.expires.at(now)?;
    let token = tokens::add(&home.data, &name, now, expires_at)?;
    if context.json() {
        let (schema_version, name, token) = ("loopx_token_v0", &name, token.as_str());
        context.ui.json(&AddedDocument { schema_version, name, token, expires_at })?;
        return Ok(0);
    }
    context.ui.line(&token);
    let until = list::when(context, expires_at);
    context.ui.note(&format!("shown this once, good until {until}: send it as `Authorization: Bearer …`"));
    Ok(0)
}

fn list(home: &Home, context: &mut Context) -> Result<u8, CliError> {
    let kept = tokens::all(&home.data).map_err(tokens::distrusted)?;
    let now = context.now();
    if context.json() {
        let tokens = kept.iter().map(|token| TokenDocument::of(token, now)).collect();
        context.ui.json(&TokensDocument { schema_version: "loopx_tokens_v0", tokens })?;
        return Ok(0);
    }
    if kept.is_empty() {
        context.ui.note("no tokens: `loopx serve token add NAME` makes one");
        return Ok(0);
    }
    let mut table = Table::new(["token", "made", "ends"]);
    for token in &kept {
        let ends = list::when(context, token.expires_at);
        let ends = if token.expires_at <= now {
            context.ui.tone(Tone::Warn, &format!("{ends}, over"))
        } else {
            ends
        };
        table.row(vec![token.name.to_string(), list::when(context, token.made_at), ends]);
    }
    table.show(&mut context.ui);
    Ok(0)
}
