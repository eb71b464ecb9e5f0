//! What leads where.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::header::{HeaderValue, LOCATION, SET_COOKIE};
use axum::http::{StatusCode, Uri};
use axum::routing::{get, post};
use loopx_contract::{AgentId, GoalId};
use loopx_safety::Handle;
use tower_http::compression::CompressionLayer;

use super::access::API;
use super::reply::{self, Reply, TEXT, page, reply, said, words};
use crate::app::board::Board;
use crate::app::lately::{Lately, lately};
use crate::clock::Clock;
use crate::error::CliError;

use super::{Server, acts, api, aside, assets, events, pages, past};

/// The longest body, in bytes.
const BODY: usize = 64 << 10;

/// Whether a path needs no cookie.
pub fn is_open(path: &str) -> bool {
    path == "/healthz" || path.starts_with("/enter/")
}

/// All of them.
pub fn router(server: Arc<Server>) -> Router {
    places().with_state(server)
}

fn places() -> Router<Arc<Server>> {
    let pages = Router::new()
        .route("/", get(first))
        .route("/charts", get(past::all))
        .route("/history", get(past::history))
        .route("/goals/{goal}", get(goal))
        .route("/goals/{goal}/preview", post(acts::preview))
        .route("/goals/{goal}/confirm", post(acts::confirm))
        .route("/sessions/{session}", get(session))
        .route("/pair", get(acts::pairing).post(acts::pair))
        .route("/jump", get(jump))
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
}

async fn nowhere(uri: Uri) -> Reply {
    if uri.path().starts_with(API) {
        let error = CliError::not_found("no such place").hint("/api/v0/openapi.json says which there are");
        return api::failed(&error);
    }
    reply::failed(
        &CliError::not_found("no such page").hint("an address is typed wrongly, or is of an older version"),
    )
}

async fn unasked(uri: Uri) -> Reply {
    said(uri.path(), StatusCode::METHOD_NOT_ALLOWED, "this place is not asked so", "")
}

/// Lets a browser in, and leads it to the first screen.
async fn enter(State(server): State<Arc<Server>>, Path(code): Path<String>) -> Reply {
    let cookie = match aside(move || server.visitors.enter(&code, Clock.now())).await {
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

async fn goal(
    State(server): State<Arc<Server>>,
    Path(goal): Path<String>,
    Query(asked_for): Query<past::Asked>,
) -> Reply {
    let Some((board, cursor)) = server.feed.board() else { return unlooked() };
    let goal = match GoalId::parse(&goal) {
        Ok(goal) => goal,
        Err(error) => return reply::failed(&error.into()),
    };
    let Some(view) = board.goal(&goal) else {
        return reply::failed(
            &CliError::not_found("no such goal")
                .hint("it was put away, or never added: `loopx goal list --all` lists all"),
        );
    };
    let lately = lately_of(&server, &board, &goal).await;
    let charts = past::of_goal(&server, &board, &view.id, &asked_for).await;
    page(StatusCode::OK, pages::goal::page(&board, view, lately.as_deref(), &charts, cursor))
}

/// What was recorded on a goal lately; nothing where that can't be read.
async fn lately_of(server: &Server, board: &Board, goal: &GoalId) -> Option<Arc<Lately>> {
    let revision = board.revision(goal)?;
    if let Some(found) = server.lately.find(goal, revision) {
        return Some(found);
    }
    let asked = goal.clone();
    let found = server.desk.ask(move |plane| Ok(lately(plane, &asked, revision)?)).await;
    let found = Arc::new(found.ok()?);
    server.lately.keep(goal.clone(), revision, &found);
    Some(found)
}

async fn session(State(server): State<Arc<Server>>, Path(session): Path<String>) -> Reply {
    let Some((board, cursor)) = server.feed.board() else { return unlooked() };
    let handle = Handle::parse(&session).ok();
    let found = handle.and_then(|handle| board.session(handle));
    match found {
        Some(view) => {
            let line = past::of_session(&server, &board, view).await;
            page(StatusCode::OK, pages::session::page(&board, view, cursor, &line))
        }
        None => reply::failed(
            &CliError::not_found("no such session is seen")
                .hint("`loopx sessions list --all` looks at old ones too"),
        ),
    }
}

async fn jump(State(server): State<Arc<Server>>) -> Reply {
    let Some((board, cursor)) = server.feed.board() else { return unlooked() };
    page(StatusCode::OK, pages::jump::page(&board, cursor))
}

async fn lane(State(server): State<Arc<Server>>, Path((goal, agent)): Path<(String, String)>) -> Reply {
    let Some((board, cursor)) = server.feed.board() else { return unlooked() };
    let found = || -> Result<Reply, CliError> {
        let (goal, agent) = (GoalId::parse(&goal)?, AgentId::parse(&agent)?);
        let Some(card) = board.find(&goal, &agent) else {
            return Err(CliError::not_found("no such lane").hint("the goal's page lists those there are"));
        };
        let why = board.world.why(&goal, &agent)?;
        Ok(page(StatusCode::OK, pages::lane::page(&board, &card, &why, cursor)))
    };
    found().unwrap_or_else(|error| reply::failed(&error))
}

/// The answer before the first look.
pub fn unlooked() -> Reply {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The paths of a router, as its `Debug` tells them: it has no other word for them.
    fn paths(router: &Router<Arc<Server>>) -> BTreeSet<String> {
        let told = format!("{router:?}");
        told.split('"').filter(|text| text.starts_with('/')).map(str::to_owned).collect()
    }

    #[test]
    fn every_place_of_the_api_is_described_and_every_described_place_is_there() {
        let all = paths(&places());
        assert!(["/", "/healthz", "/goals/{goal}"].iter().all(|path| all.contains(*path)), "{all:?}");
        let there: BTreeSet<String> = all.into_iter().filter(|path| path.starts_with(API)).collect();
        let document = api::openapi::document().expect("a document");
        let document: serde_json::Value = serde_json::from_str(&document).expect("JSON");
        let described = document["paths"].as_object().expect("places").keys().cloned().collect();
        assert_eq!(there, described);
    }
}
