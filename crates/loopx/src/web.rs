//! The local page: a server on the loopback interface that trusts no request.
//!
//! One thread looks, and publishes what it found; one thread answers, from memory. What a request may do is judged by
//! [`guard`] before anything looks at its path.

mod acts;
mod api;
mod archive;
mod assets;
mod connections;
mod desk;
mod events;
mod feed;
mod guard;
mod pages;
mod past;
mod reply;
mod routes;
mod terminal;
mod visitors;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};

use loopx_safety::io_words;
use tokio::sync::oneshot;

use crate::app::ControlPlane;
use crate::app::keeper::Keeper;
use crate::app::lately::Kept;
use crate::app::serving::Serving;
use crate::env::Env;
use crate::error::{CliError, ErrorKind};

use acts::Receipts;
use archive::Archive;
use desk::Desk;
use feed::Feed;
use guard::Guard;
use visitors::Visitors;

/// The name that the page is opened by. Browsers send a cookie to every port of a host: no other program's page has this
/// name, so none is sent ours.
const HOST: &str = "loopx.localhost";

/// What every answer is made from.
struct Server {
    port: u16,
    guard: Guard,
    visitors: Visitors,
    feed: Arc<Feed>,
    desk: Desk,
    archive: Archive,
    lately: Kept,
    receipts: Receipts,
    env: Env,
    terminal: OnceLock<bool>,
}

impl Server {
    /// Whether a person at its terminal can pair a browser.
    fn has_terminal(&self) -> bool {
        self.terminal.get().is_some_and(|has| *has)
    }
}

/// Serves the page until it is ended.
pub fn serve(serving: Serving<'_>) -> Result<(), CliError> {
    let Serving { env, ui, options, zone } = serving;
    let failed = |what: &str, error: std::io::Error| {
        CliError::internal(format!("failed to {what}: {}", io_words(error.kind())))
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| failed("start serving", error))?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind(address))
        .map_err(|error| taken(options.port, &error))?;
    let port = listener.local_addr().map_err(|error| failed("listen", error))?.port();
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
    let visitors = Visitors::new();
    let code = visitors.invite()?;
    let server = Arc::new(Server {
        port,
        guard: Guard::new(port),
        visitors,
        feed,
        desk: Desk::start(env)?,
        archive: Archive::new(env),
        lately: Kept::default(),
        receipts: Receipts::default(),
        env: env.clone(),
        terminal: OnceLock::new(),
    });
    ui.line(&format!("http://{HOST}:{port}/enter/{code}"));
    ui.note("open it in a browser: it works once, and for this browser alone. Ctrl-C ends it");
    let is_inside = ControlPlane::open(env)?.caller().is_some();
    let has_terminal = !is_inside && terminal::listen(env, Arc::clone(&server));
    let _ = server.terminal.set(has_terminal);
    ui.note(if has_terminal {
        "to decide on the page, press Enter here and pair the browser"
    } else {
        "the page reads here: to decide on it, run this in a terminal of your own"
    });
    runtime.block_on(connections::answer(listener, server, over));
    keeper.end()
}

fn taken(port: u16, error: &std::io::Error) -> CliError {
    let in_use = error.kind() == std::io::ErrorKind::AddrInUse;
    let kind = if in_use { ErrorKind::Conflict } else { ErrorKind::Internal };
    let why =
        if in_use { "another program listens there".to_owned() } else { io_words(error.kind()).to_owned() };
    CliError::new(kind, format!("failed to listen on port {port}: {why}")).hint(
        "`loopx serve --port 0` takes a free one; a `loopx serve` that runs already shows the same page",
    )
}
