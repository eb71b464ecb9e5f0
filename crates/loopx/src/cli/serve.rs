//! `loopx serve`: the local page, and who else may look.

mod token;

use std::net::IpAddr;
use std::path::PathBuf;

use crate::app::home::Home;
use crate::app::serving::{Before, Bind, Options, PORT, Serving};
use crate::app::visiting;
use crate::cli::{Context, list};
use crate::error::CliError;

/// Serve the local page: whom every lane waits on, as it changes.
///
/// It listens on this machine's loopback interface alone, unless --bind says otherwise, and prints an address that opens
/// the page once, in one browser. It goes on until Ctrl-C. Programs read the same at /api/v0/, with a token. Where it
/// runs already, another address of it is printed.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// The port; 0 takes a free one.
    #[arg(long, value_name = "N", default_value_t = PORT)]
    port: u16,
    /// Let no browser look on that was let in before.
    #[arg(long)]
    forget: bool,
    /// Listen at this address of the machine: encrypted, unless it is a loopback one. The page only reads then.
    #[arg(long, value_name = "ADDRESS")]
    bind: Option<IpAddr>,
    /// With --bind: a name that the page is asked by; may be given again.
    #[arg(long, value_name = "NAME", requires = "bind")]
    host: Vec<String>,
    /// With --bind: the certificate, with what it leads to, as PEM.
    #[arg(long, value_name = "FILE", requires = "bind", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// With --bind: the certificate's key, as PEM.
    #[arg(long, value_name = "FILE", requires = "bind", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

/// What else there is to do.
#[derive(Debug, clap::Subcommand)]
enum What {
    Invite(Invite),
    Token(token::Args),
}

/// Print another address of the page that is served, good for five minutes and for one browser.
#[derive(Debug, clap::Args)]
struct Invite {
    /// The port, where several are served.
    #[arg(long, value_name = "N")]
    port: Option<u16>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.what {
        Some(What::Invite(args)) => invite(args, context),
        Some(What::Token(args)) => token::run(args, context),
        None => serve(args, context),
    }
}

fn serve(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if context.json() {
        return Err(CliError::usage("`serve` prints no document")
            .hint("`loopx status --json` says how things are now; the page's API is at /api/v0/status"));
    }
    let page = context.doors.page;
    let zone = list::zone(context);
    let tls = args.tls_cert.clone().zip(args.tls_key.clone());
    let bind = args.bind.map(|address| Bind { address, hosts: args.host.clone(), tls });
    let bind = bind.map(Bind::judged).transpose()?;
    let before = if args.forget { Before::Forgotten } else { Before::Known };
    let options = Options { port: args.port, before, bind };
    page(Serving { zone, env: &context.env, ui: &mut context.ui, options })?;
    Ok(0)
}

fn invite(args: &Invite, context: &mut Context) -> Result<u8, CliError> {
    if context.json() {
        return Err(CliError::usage("`serve invite` prints no document").hint("its one line is the address"));
    }
    let home = Home::require(&context.env)?;
    let running = visiting::running(&home.data);
    let port = match (args.port, running.as_slice()) {
        (Some(port), ports) if ports.contains(&port) => port,
        (Some(port), _) => {
            return Err(CliError::not_found(format!("no `loopx serve` of yours runs on port {port}"))
                .hint("start it: `loopx serve`"));
        }
        (None, [only]) => *only,
        (None, []) => {
            return Err(CliError::not_found("no `loopx serve` of yours runs").hint("start it: `loopx serve`"));
        }
        (None, ports) => {
            let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
            return Err(CliError::usage(format!("several run, on ports {}", ports.join(", ")))
                .hint("say which: `loopx serve invite --port N`"));
        }
    };
    let now = context.now();
    let address = visiting::address(&home.data, port, now)?;
    context.ui.line(&address);
    context.ui.note("open it in a browser within five minutes: it works once, and for this browser alone");
    Ok(0)
}
