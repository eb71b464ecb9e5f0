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

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, OnceLock, mpsc};
    use std::time::Duration;

    use super::*;
    use crate::app::keeper::Keeper;
    use crate::app::lately::Kept;
    use crate::app::serving::Acts;
    use crate::app::tokens::Known;
    use crate::app::visiting::Visiting;
    use crate::env::Env;
    use crate::web::access::Streams;
    use crate::web::acts::Receipts;
    use crate::web::archive::Archive;
    use crate::web::desk::Desk;
    use crate::web::feed::Feed;
    use crate::web::guard::Guard;
    use crate::web::visitors::Visitors;

    /// A server that has looked once, over a folder of its own.
    fn server(folder: &std::path::Path) -> Arc<Server> {
        let vars = [("HOME", "home"), ("LOOPX_HOME", "loopx")];
        let vars = vars.map(|(name, of)| (name.into(), folder.join(of).into())).into();
        let env = Env { vars, ..Env::of_process() };
        let (feed, data) = (Arc::new(Feed::new().expect("a feed")), folder.join("loopx"));
        let published = Arc::clone(&feed);
        let utc = jiff::tz::TimeZone::UTC;
        let keeper = Keeper::start(&env, utc, || (), move |looked| published.publish(looked));
        keeper.expect("a look").end().expect("an end");
        Arc::new(Server {
            port: 1,
            guard: Guard::new("http", &["127.0.0.1".to_owned()], 1),
            visitors: Visitors::new(Visiting::of(&data, 1), &[], 1, false),
            tokens: Known::of(&data),
            acts: Acts::Some,
            most: 8,
            streams: Streams::default(),
            feed,
            desk: Desk::start(&env).expect("a desk"),
            archive: Archive::new(&env),
            lately: Kept::default(),
            receipts: Receipts::default(),
            env,
            terminal: OnceLock::new(),
        })
    }

    #[test]
    fn what_reads_all_history_and_what_is_recorded_do_not_wait_for_one_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let server = server(folder.path());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            // The desk is at something: it goes on when this is dropped.
            let (go_on, waits) = mpsc::channel::<()>();
            let waits = Mutex::new(waits);
            let recorded = server.desk.ask(move |_| {
                let _ = waits.lock().expect("alone").recv();
                Ok(())
            });
            let read = async {
                let (session, at) = ("ses_00000000000000000000000000", "2026-11-30T08:00:00Z");
                let asked = || Asked(Ok([("at".to_owned(), at.to_owned())].into()));
                let session = one_session(State(server.clone()), Path(session.to_owned()), HeaderMap::new());
                assert_eq!(session.await.status(), StatusCode::NOT_FOUND);
                let then = status(State(server.clone()), HeaderMap::new(), asked());
                assert_eq!(then.await.status(), StatusCode::OK);
                let none = Asked(Ok(BTreeMap::new()));
                let charts = charts(State(server.clone()), HeaderMap::new(), none);
                assert_eq!(charts.await.status(), StatusCode::OK);
            };
            let read = async {
                let read = tokio::time::timeout(Duration::from_secs(20), read).await;
                drop(go_on);
                read
            };
            let (recorded, read) = tokio::join!(recorded, read);
            recorded.expect("recorded");
            read.expect("reading does not wait for what is recorded, nor that for reading");
        });
    }
}
