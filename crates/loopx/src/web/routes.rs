//! What leads where.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::header::{HeaderValue, LOCATION, SET_COOKIE};
use axum::http::{StatusCode, Uri};
use axum::routing::{get, post};
use jiff::SignedDuration;
use loopx_contract::{AgentId, GoalId};
use loopx_safety::Handle;
use serde::Deserialize;
use tower_http::compression::CompressionLayer;

use super::access::API;
use super::reply::{self, Reply, TEXT, page, reply, said, words};
use crate::clock::Clock;
use crate::error::CliError;

use super::pages::history::Span;
use super::{Server, acts, api, assets, events, pages};

/// The longest body, in bytes.
const BODY: usize = 64 << 10;

/// Whether a path needs no cookie.
pub fn is_open(path: &str) -> bool {
    path == "/healthz" || path.starts_with("/enter/")
}

/// All of them.
pub fn router(server: Arc<Server>) -> Router {
    let pages = Router::new()
        .route("/", get(first))
        .route("/history", get(history))
        .route("/goals/{goal}", get(goal))
        .route("/goals/{goal}/preview", post(acts::preview))
        .route("/goals/{goal}/confirm", post(acts::confirm))
        .route("/sessions/{session}", get(session))
        .route("/pair", get(acts::pairing).post(acts::pair))
        .layer(DefaultBodyLimit::max(BODY))
        .route("/goals/{goal}/{agent}", get(lane))
        .merge(api::routes())
        .route("/assets/{name}", get(assets::asset))
        .route("/favicon.ico", get(async || assets::asset(Path("icon.svg".to_owned())).await))
        .layer(CompressionLayer::new());
    Router::new()
        .merge(pages)
        .route("/events", get(events::events))
        .route("/api/v0/events", get(api::stream::events))
        .route("/healthz", get(async || reply(StatusCode::OK, TEXT, "ok\n")))
        .route("/enter/{code}", get(enter))
        .fallback(nowhere)
        .method_not_allowed_fallback(unasked)
        .with_state(server)
}

async fn nowhere(uri: Uri) -> Reply {
    if uri.path().starts_with(API) {
        let error = CliError::not_found("no such place").hint("/api/v0/openapi.json says which there are");
        return api::failed(&error);
    }
    words(StatusCode::NOT_FOUND, "no such page", "Go to the first screen: /")
}

async fn unasked(uri: Uri) -> Reply {
    said(uri.path(), StatusCode::METHOD_NOT_ALLOWED, "this place is not asked so", "")
}

/// Lets a browser in, and leads it to the first screen.
async fn enter(State(server): State<Arc<Server>>, Path(code): Path<String>) -> Reply {
    let cookie = match server.visitors.enter(&code, Clock.now()) {
        Ok(Some(cookie)) => cookie.header(),
        Ok(None) => {
            return words(
                StatusCode::UNAUTHORIZED,
                "this address was opened before",
                "Each works once, and not for long. `loopx serve invite` prints another.",
            );
        }
        Err(error) => return reply::failed(&error),
    };
    let mut reply = reply(StatusCode::SEE_OTHER, TEXT, "");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        reply.headers_mut().insert(SET_COOKIE, cookie);
    }
    reply.headers_mut().insert(LOCATION, HeaderValue::from_static("/"));
    reply
}

/// What the slider says, in seconds since the beginning of the log.
#[derive(Deserialize)]
struct At {
    second: Option<i64>,
}

async fn history(State(server): State<Arc<Server>>, Query(At { second }): Query<At>) -> Reply {
    let found = server.desk.ask(move |plane| {
        let now = Clock.now();
        let from = plane.began()?.unwrap_or(now).min(now);
        let length = now.as_second() - from.as_second();
        let gone =
            second.filter(|second| *second < length).map(|second| SignedDuration::from_secs(second.max(0)));
        let at = gone.and_then(|gone| from.checked_add(gone).ok()).unwrap_or(now);
        let mut then = plane.world_at(at, None)?.overview(None)?;
        then.sort();
        Ok(pages::history::page(Span { from, to: now }, at, &then))
    });
    found.await.map_or_else(|error| reply::failed(&error), |found| page(StatusCode::OK, found))
}

async fn goal(State(server): State<Arc<Server>>, Path(goal): Path<String>) -> Reply {
    let Some((board, cursor)) = server.feed.board() else { return unlooked() };
    let found = || -> Result<Reply, CliError> {
        let goal = GoalId::parse(&goal)?;
        let Some(view) = board.goal(&goal) else {
            return Err(CliError::not_found("no such goal").hint("Go to the first screen: /"));
        };
        Ok(page(StatusCode::OK, pages::goal::page(&board, view, cursor)))
    };
    found().unwrap_or_else(|error| reply::failed(&error))
}

async fn session(State(server): State<Arc<Server>>, Path(session): Path<String>) -> Reply {
    let Some((board, cursor)) = server.feed.board() else { return unlooked() };
    let handle = Handle::parse(&session).ok();
    let found = handle.and_then(|handle| board.session(handle));
    match found {
        Some(view) => page(StatusCode::OK, pages::session::page(&board, view, cursor)),
        None => reply::failed(
            &CliError::not_found("no such session is seen")
                .hint("`loopx sessions list --all` looks at old ones too"),
        ),
    }
}

async fn lane(State(server): State<Arc<Server>>, Path((goal, agent)): Path<(String, String)>) -> Reply {
    let Some((board, cursor)) = server.feed.board() else { return unlooked() };
    let found = || -> Result<Reply, CliError> {
        let (goal, agent) = (GoalId::parse(&goal)?, AgentId::parse(&agent)?);
        let Some(card) = board.find(&goal, &agent) else {
            return Err(CliError::not_found("no such lane").hint("Go to the first screen: /"));
        };
        let why = board.world.why(&goal, &agent)?;
        Ok(page(StatusCode::OK, pages::lane::page(&board, &card, &why, cursor)))
    };
    found().unwrap_or_else(|error| reply::failed(&error))
}

fn unlooked() -> Reply {
    words(StatusCode::SERVICE_UNAVAILABLE, "nothing was looked at yet", "Try again.")
}

async fn first(State(server): State<Arc<Server>>) -> Reply {
    match server.feed.board() {
        Some((board, cursor)) => {
            page(StatusCode::OK, pages::first::page(&board, cursor, server.feed.failure().as_ref()))
        }
        None => unlooked(),
    }
}
