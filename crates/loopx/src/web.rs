//! The local page: a server on the loopback interface that trusts no request.
//!
//! One thread looks, and publishes what it found; one thread answers, from memory. What a request may do is judged by
//! [`guard`] before anything looks at its path.

mod access;
mod acts;
mod api;
mod archive;
mod assets;
mod connections;
mod deciding;
mod desk;
mod events;
mod feed;
mod guard;
mod lines;
mod pages;
mod past;
mod reply;
mod routes;
mod terminal;
mod tls;
mod visitors;

use std::io::ErrorKind::{AddrInUse, AddrNotAvailable};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use axum::http::HeaderMap;
use loopx_runtimes::caller::Program;
use loopx_safety::io_words;
use tokio::sync::oneshot;

use crate::app::ControlPlane;
use crate::app::home::Home;
use crate::app::keeper::Keeper;
use crate::app::lately::Kept;
use crate::app::serving::{Acts, Before, Bind, Serving};
use crate::app::tokens::{self, Known};
use crate::app::visiting::{self, Visiting};
use crate::clock::Clock;
use crate::env::Env;
use crate::error::{CliError, ErrorKind};
use crate::ui::Ui;

use access::Streams;
use acts::Receipts;
use archive::Archive;
use desk::Desk;
use feed::Feed;
use guard::Guard;
use visitors::Visitors;

pub use api::openapi::document as openapi;

/// The name that the page is opened by. Browsers send a cookie to every port of a host: no other program's page has this
/// name, so none is sent ours.
const HOST: &str = "loopx.localhost";

/// What every answer is made from.
struct Server {
    port: u16,
    guard: Guard,
    visitors: Visitors,
    tokens: Known,
    /// What may be done here.
    acts: Acts,
    /// How many connections may be open at once.
    most: usize,
    streams: Streams,
    feed: Arc<Feed>,
    desk: Desk,
    archive: Archive,
    lately: Kept,
    receipts: Receipts,
    env: Env,
    terminal: OnceLock<bool>,
}

/// Waits for a file that another process may hold, beside the thread that answers.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CliError> + Send + 'static,
) -> Result<T, CliError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(CliError::internal("failed to wait for a file")))
}

impl Server {
    /// Whether a person at its terminal can pair a browser.
    fn has_terminal(&self) -> bool {
        self.terminal.get().is_some_and(|has| *has)
    }

    /// The program that was paired with the cookie of a request, if one was.
    fn paired(&self, headers: &HeaderMap) -> Option<Program> {
        if self.acts == Acts::Some { self.visitors.paired(headers, Clock.now()) } else { None }
    }

    /// How many streams one reader may have open: some are left for others.
    const fn most_streams(&self) -> usize {
        self.most / 4 * 3
    }

    /// An address that lets one browser in, once.
    fn invite(&self) -> Result<String, CliError> {
        let place = self.guard.place().unwrap_or_default();
        Ok(format!("{place}/enter/{}", self.visitors.invite()?))
    }
}

/// Serves the page until it is ended.
pub fn serve(serving: Serving<'_>) -> Result<(), CliError> {
    let Serving { env, ui, options, zone } = serving;
    let failed = |what: &str, error: std::io::Error| {
        CliError::internal(format!("failed to {what}: {}", io_words(error.kind())))
    };
    let data = Home::require(env)?.data;
    let bind = options.bind.map(Bind::judged).transpose()?;
    let tls =
        bind.as_ref().and_then(|bind| bind.tls.as_ref()).map(|tls| tls::acceptor(env, tls)).transpose()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| failed("start serving", error))?;
    let at = bind.as_ref().map_or(Ipv4Addr::LOCALHOST.into(), |bind| bind.address);
    let listener = match runtime.block_on(tokio::net::TcpListener::bind(SocketAddr::from((at, options.port))))
    {
        Ok(listener) => listener,
        Err(error) if error.kind() == AddrInUse && visiting::is_running(&data, options.port) => {
            ui.line(&visiting::address(&data, options.port, Clock.now())?);
            ui.note(
                "`loopx serve` runs there already: this opens its page, within five minutes, in one browser",
            );
            return Ok(());
        }
        Err(error) => return Err(taken(options.port, &error)),
    };
    let port = listener.local_addr().map_err(|error| failed("listen", error))?.port();
    let guard = Guard::new(if tls.is_some() { "https" } else { "http" }, &names(bind.as_ref()), port);
    let feed = Arc::new(Feed::new()?);
    let published = Arc::clone(&feed);
    let (ended, over) = oneshot::channel::<()>();
    let keeper = Keeper::start(
        env,
        zone,
        || (),
        move |looked| {
            let _until_it_ends = &ended;
            published.publish(looked);
        },
    )?;
    let visitors = visitors(&data, port, options.before, tls.is_some(), ui)?;
    if let Err(why) = tokens::all(&data) {
        ui.note(&format!("{} {}: no token opens anything", tokens::FILE, why.words()));
    }
    let place = guard.place().unwrap_or_default();
    let _runs = visiting::runs(&data, port, &place);
    let server = Arc::new(Server {
        port,
        guard,
        visitors,
        tokens: Known::of(&data),
        acts: if bind.is_none() { Acts::Some } else { Acts::Nothing },
        most: connections::most(),
        streams: Streams::default(),
        feed,
        desk: Desk::start(env)?,
        archive: Archive::new(env),
        lately: Kept::default(),
        receipts: Receipts::default(),
        env: env.clone(),
        terminal: OnceLock::new(),
    });
    ui.line(&server.invite()?);
    ui.note("open it in a browser: it works once, and for this browser alone. Ctrl-C ends it");
    let is_inside = ControlPlane::open(env)?.caller().is_some();
    let has_terminal = server.acts == Acts::Some && !is_inside && terminal::listen(env, Arc::clone(&server));
    let _ = server.terminal.set(has_terminal);
    ui.note(match (server.acts, has_terminal) {
        (Acts::Nothing, _) => "with --bind the page reads: nothing is decided over it",
        (Acts::Some, true) => "press Enter here to pair the browser and decide on the page; `i` and Enter for another address",
        (Acts::Some, false) => {
            "the page reads here: to decide on it, run this in a terminal of your own. Another address: `loopx serve invite`"
        }
    });
    runtime.block_on(connections::answer(listener, tls, server, over));
    keeper.end()
}

/// The names that the server is asked by, the one that is printed first.
fn names(bind: Option<&Bind>) -> Vec<String> {
    let own = [HOST, "127.0.0.1", "localhost", "[::1]"].map(str::to_owned);
    let Some(bind) = bind else { return own.to_vec() };
    let mut names = bind.hosts.clone();
    if !bind.address.is_unspecified() {
        names.push(match bind.address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        });
    }
    if bind.address.is_unspecified() || bind.address.is_loopback() {
        names.extend(own);
    }
    names
}

/// Who may look: those who were let in before, too.
fn visitors(
    data: &Path,
    port: u16,
    before: Before,
    is_secure: bool,
    ui: &mut Ui,
) -> Result<Visitors, CliError> {
    let visiting = Visiting::of(data, port);
    let known = match before {
        Before::Forgotten => {
            visiting.forget()?;
            Vec::new()
        }
        Before::Known => visiting.visitors(Clock.now()).unwrap_or_else(|why| {
            ui.note(&format!(
                "{} {}: no browser that was let in before may look; it is written anew",
                visiting::FILE,
                why.words()
            ));
            Vec::new()
        }),
    };
    Ok(Visitors::new(visiting, &known, port, is_secure))
}

fn taken(port: u16, error: &std::io::Error) -> CliError {
    let (kind, why) = if error.kind() == AddrInUse {
        (ErrorKind::Conflict, "another program listens there")
    } else if error.kind() == AddrNotAvailable {
        (ErrorKind::Usage, "this machine has no such address")
    } else {
        (ErrorKind::Internal, io_words(error.kind()))
    };
    CliError::new(kind, format!("failed to listen on port {port}: {why}"))
        .hint("`loopx serve --port 0` takes a free one")
}
