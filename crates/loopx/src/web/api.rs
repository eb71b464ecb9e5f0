//! What programs ask for: the documents of the command line, byte for byte.

pub mod openapi;
pub mod stream;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Path, State};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, HeaderValue, IF_NONE_MATCH, VARY};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::get;
use loopx_contract::{AgentId, GoalId};
use loopx_core::Refusal;
use serde::Serialize;

use super::Server;
use super::pages::charts::Reach;
use super::reply::{self, JSON, Reply, reply};
use crate::app::board::{Board, tag};
use crate::app::charting::documents::ChartsDocument;
use crate::app::documents::{
    GoalSetDocument, OneSessionDocument, SessionsDocument, StatusDocument, WhyDocument,
};
use crate::app::times::parse_instant;
use crate::app::{SessionView, session};
use crate::clock::Clock;
use crate::error::{CliError, ErrorKind};
use crate::ui::{self, ErrorDocument};

/// All of them.
pub fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/v0/status", get(status))
        .route("/api/v0/goals/{goal}", get(goal))
        .route("/api/v0/goals/{goal}/status", get(goal_status))
        .route("/api/v0/goals/{goal}/lanes/{agent}", get(lane))
        .route("/api/v0/charts", get(charts))
        .route("/api/v0/sessions", get(sessions))
        .route("/api/v0/sessions/{session}", get(one_session))
        .route("/api/v0/openapi.json", get(async |headers: HeaderMap| answer(&headers, openapi::document())))
}

/// What stands behind the question mark.
pub struct Asked(Result<BTreeMap<String, String>, CliError>);

impl Asked {
    /// Refuses what is none of these.
    fn only(&self, names: &[&str]) -> Result<(), CliError> {
        let fields = self.0.as_ref().map_err(Clone::clone)?;
        match fields.keys().find(|name| !names.contains(&name.as_str())) {
            Some(_) => {
                let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                Err(CliError::usage("not a parameter of this place").hint(format!("it takes {known}")))
            }
            None => Ok(()),
        }
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.0.as_ref().ok()?.get(name).map(String::as_str)
    }
}

impl<S: Sync> FromRequestParts<S> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let query = axum::extract::Query::<BTreeMap<String, String>>::try_from_uri(&parts.uri);
        let wrong = |_| CliError::usage("the parameters can't be read").hint("write them as ?name=value");
        Ok(Self(query.map(|query| query.0).map_err(wrong)))
    }
}

/// What went wrong, as the command line says it under `--json`.
pub fn failed(error: &CliError) -> Reply {
    refused(reply::status(error.kind), error)
}

/// The same with a status of its own.
pub fn refused(status: StatusCode, error: &CliError) -> Reply {
    let body = ui::document(&ErrorDocument::of(error)).unwrap_or_default();
    reply(status, JSON, Bytes::from(body))
}

/// Nothing was looked at yet.
fn unlooked() -> Reply {
    let error = CliError::new(ErrorKind::Internal, "nothing was looked at yet").hint("try again");
    refused(StatusCode::SERVICE_UNAVAILABLE, &error)
}

/// A document; nothing where whoever asks has it.
fn answer(headers: &HeaderMap, made: Result<impl AsRef<[u8]> + Send + 'static, CliError>) -> Reply {
    match made {
        Ok(body) => {
            let tag = tag(body.as_ref());
            tagged(headers, body, &tag)
        }
        Err(error) => failed(&error),
    }
}

/// The same of a document whose tag is known.
fn tagged(headers: &HeaderMap, body: impl AsRef<[u8]> + Send + 'static, tag: &str) -> Reply {
    let asked = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let has_it = asked.flat_map(|value| value.split(',')).any(|one| one.trim() == tag);
    let mut reply = if has_it {
        reply(StatusCode::NOT_MODIFIED, JSON, Body::empty())
    } else {
        reply(StatusCode::OK, JSON, Bytes::from_owner(body))
    };
    if let Ok(tag) = HeaderValue::try_from(tag) {
        reply.headers_mut().insert(ETAG, tag);
    }
    reply
}

fn document(value: &impl Serialize) -> Result<Vec<u8>, CliError> {
    ui::document(value).map(String::into_bytes)
}

/// Answers from the last look.
fn looked(
    server: &Server,
    headers: &HeaderMap,
    make: impl FnOnce(&Board) -> Result<Vec<u8>, CliError>,
) -> Reply {
    match server.feed.board() {
        Some((board, _)) => answer(headers, make(&board)),
        None => unlooked(),
    }
}

/// `loopx status --json`; with `at`, `loopx status --at INSTANT --json`.
async fn status(State(server): State<Arc<Server>>, headers: HeaderMap, asked: Asked) -> Reply {
    if let Err(error) = asked.only(&["at"]) {
        return failed(&error);
    }
    let Some(at) = asked.value("at") else {
        let Some((board, _)) = server.feed.board() else { return unlooked() };
        return status_now(&board, &headers).unwrap_or_else(|error| failed(&error));
    };
    let at = match parse_instant(at) {
        Ok(at) => at,
        Err(error) => return failed(&error),
    };
    let then = server.archive.ask(move |plane, _| {
        let then = plane.world_at(at, None)?.asked(None, None)?;
        document(&StatusDocument::of(&then, None))
    });
    answer(&headers, then.await)
}

/// The status of a look, compressed where whoever asks takes that.
fn status_now(board: &Board, headers: &HeaderMap) -> Result<Reply, CliError> {
    let (takes_gzip, tag) = (takes_gzip(headers), board.json_tag()?);
    let json = if takes_gzip { board.json_packed()? } else { board.json()? };
    let mut reply = tagged(headers, json, &tag);
    if takes_gzip && reply.status() == StatusCode::OK {
        let headers = reply.headers_mut();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    }
    Ok(reply)
}

/// Whether gzip is named without more ado, as browsers and programs do. Who weighs it against others is answered by
/// the layer that weighs.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|one| one.trim().eq_ignore_ascii_case("gzip"))
}

/// `loopx goal show GOAL --json`.
async fn goal(State(server): State<Arc<Server>>, Path(goal): Path<String>, headers: HeaderMap) -> Reply {
    let made = async {
        let goal = GoalId::parse(&goal)?;
        let made = server.desk.ask(move |plane| {
            let state = plane.state(&goal)?;
            let found = GoalSetDocument::of(plane, &state, Clock.now())?;
            document(&found.ok_or_else(|| CliError::from(Refusal::NoGoal(goal)))?)
        });
        made.await
    };
    answer(&headers, made.await)
}

/// `loopx status GOAL --json`.
async fn goal_status(
    State(server): State<Arc<Server>>,
    Path(goal): Path<String>,
    headers: HeaderMap,
) -> Reply {
    looked(&server, &headers, |board| {
        let goal = known(board, &goal)?;
        document(&StatusDocument::of(&board.world.asked(Some(&goal), None)?, Some(&board.sweep)))
    })
}

/// `loopx why --goal GOAL --agent AGENT --json`.
async fn lane(
    State(server): State<Arc<Server>>,
    Path((goal, agent)): Path<(String, String)>,
    headers: HeaderMap,
) -> Reply {
    looked(&server, &headers, |board| {
        let (goal, agent) = (known(board, &goal)?, AgentId::parse(&agent)?);
        if !board.world.lanes(&goal)?.contains(&agent) {
            return Err(Refusal::NoAgent(agent).into());
        }
        document(&WhyDocument::of(&board.world.why(&goal, &agent)?))
    })
}

fn known(board: &Board, goal: &str) -> Result<GoalId, CliError> {
    let goal = GoalId::parse(goal)?;
    if board.world.goals.contains_key(&goal) { Ok(goal) } else { Err(Refusal::NoGoal(goal).into()) }
}

/// What charts are drawn from.
async fn charts(State(server): State<Arc<Server>>, headers: HeaderMap, asked: Asked) -> Reply {
    if let Err(error) = asked.only(&["reach"]) {
        return failed(&error);
    }
    let reach = match asked.value("reach") {
        None | Some("day") => Reach::Day,
        Some("week") => Reach::Week,
        Some(_) => return failed(&CliError::usage("reach: not how far back").hint("it is day or week")),
    };
    let Some((board, _)) = server.feed.board() else { return unlooked() };
    let told = server.archive.ask(move |plane, charting| {
        let charts = charting.charts(plane, &board, None, reach.length(), Clock.now())?;
        document(&ChartsDocument::of(&charts))
    });
    answer(&headers, told.await)
}

/// `loopx sessions list --json`.
async fn sessions(State(server): State<Arc<Server>>, headers: HeaderMap) -> Reply {
    looked(&server, &headers, |board| {
        let mut shown: Vec<&SessionView> = board.overview.sessions.iter().collect();
        shown.sort_by_key(|view| SessionsDocument::order(view));
        document(&SessionsDocument::of(board.overview.now, &shown, &board.sweep))
    })
}

/// `loopx sessions show SESSION --json`.
async fn one_session(
    State(server): State<Arc<Server>>,
    Path(handle): Path<String>,
    headers: HeaderMap,
) -> Reply {
    // What a session spent is read out of all session files: nothing that somebody records waits for that.
    let found = server.archive.ask(move |plane, _| {
        let found = session::one(plane, &handle, Clock.now(), &|_| true)?;
        document(&OneSessionDocument::of(&found))
    });
    answer(&headers, found.await)
}
