//! Doing things: what would be recorded is shown, confirmed, recorded once, and can be undone.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Extension, Form, Path, State};
use axum::http::header::{HeaderValue, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use loopx_contract::GoalId;
use loopx_core::actor::{Actor, Channel, Proof, Who};
use loopx_core::{IdempotencyKey, ProofFloor, Request};
use loopx_safety::TierKind;
use loopx_store::Receipt;
use serde::Deserialize;

use super::Server;
use super::pages::acts::{self, Preview};
use super::reply::{self, Reply, TEXT, page, reply};
use crate::app::acting::{Asked, Prepared};
use crate::app::peer::{self, Peer};
use crate::app::proof::random_code;
use crate::app::{ControlPlane, caller};
use crate::clock::{Clock, Ids};
use crate::env::Env;
use crate::error::{CliError, ErrorKind};

/// What was recorded, and in words.
type Done = (Receipt, String);

/// How many receipts are kept for a second click.
const KEPT: usize = 256;

/// The receipts of late, by key.
#[derive(Default)]
pub struct Receipts(Mutex<VecDeque<(String, Arc<Done>)>>);

impl Receipts {
    fn find(&self, key: &str) -> Option<Arc<Done>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().find(|(kept, _)| kept == key).map(|(_, done)| Arc::clone(done))
    }

    fn keep(&self, key: String, done: &Arc<Done>) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() >= KEPT {
            held.pop_front();
        }
        held.push_back((key, Arc::clone(done)));
    }
}

/// What names a confirmation, and what stood there when it was shown, among the fields of a preview's form.
pub const KEY: &str = "key";
/// The same.
pub const SEEN: &str = "seen";

/// A code that pairs, and where to go then.
#[derive(Deserialize)]
pub struct Pairing {
    code: String,
    /// The goal that was looked at.
    goal: Option<String>,
}

/// Shows what would be recorded.
pub async fn preview(
    State(server): State<Arc<Server>>,
    Path(goal): Path<String>,
    headers: HeaderMap,
    Form(fields): Form<Vec<(String, String)>>,
) -> Reply {
    let paired = server.may_decide(&headers);
    let made = async {
        let goal = GoalId::parse(&goal)?;
        // It names a confirmation and lets nobody in; a longer one looks like a secret.
        let key = format!("page-{}-{}-{}", random_code(4)?, random_code(4)?, random_code(4)?);
        server.desk.ask(move |plane| previewed(plane, goal, Asked::of(fields), key, paired)).await
    };
    answer(made.await.map(|preview| acts::preview(&preview)))
}

/// Records it.
pub async fn confirm(
    State(server): State<Arc<Server>>,
    Path(goal): Path<String>,
    Extension(from): Extension<SocketAddr>,
    headers: HeaderMap,
    Form(fields): Form<Vec<(String, String)>>,
) -> Reply {
    let paired = server.may_decide(&headers);
    let (env, port) = (server.env.clone(), server.port);
    let asked = Asked::of(fields);
    let done = async {
        // What was recorded is another thing since: a second click gets the first one's receipt.
        if let Some(done) = server.receipts.find(asked.field(KEY)) {
            return Ok(done);
        }
        let (goal, key) = (GoalId::parse(&goal)?, IdempotencyKey::parse(asked.field(KEY))?);
        let kept = asked.field(KEY).to_owned();
        let job = move |plane: &mut ControlPlane| {
            let proof =
                if paired && !is_of_session(plane, &env, from, port) { Proof::Browser } else { Proof::None };
            recorded(plane, goal, &asked, key, proof)
        };
        let done = Arc::new(server.desk.ask(job).await?);
        server.receipts.keep(kept, &done);
        Ok(done)
    };
    answer(done.await.map(|done: Arc<Done>| acts::receipt(&done.0, &done.1)))
}

/// Pairs the browser that asks.
pub async fn pair(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    Form(pairing): Form<Pairing>,
) -> Reply {
    match server.visitors.pair(&headers, &pairing.code, Clock.now()) {
        Ok(Some(cookie)) => {
            let mut reply = reply(StatusCode::SEE_OTHER, TEXT, "");
            if let Ok(cookie) = HeaderValue::try_from(cookie.header()) {
                reply.headers_mut().insert(SET_COOKIE, cookie);
            }
            let goal = pairing.goal.as_deref().and_then(|goal| GoalId::parse(goal).ok());
            let back = goal.map_or_else(|| "/pair".to_owned(), |goal| format!("/goals/{goal}"));
            if let Ok(back) = HeaderValue::try_from(back) {
                reply.headers_mut().insert(LOCATION, back);
            }
            reply
        }
        Ok(None) => answer(Err(CliError::refused("this code pairs nothing").hint(
            "a code is good for five minutes and five tries: press Enter in the terminal of `loopx serve` for another",
        ))),
        Err(error) => answer(Err(error)),
    }
}

/// Whether this browser may decide, and how it comes to.
pub async fn pairing(State(server): State<Arc<Server>>, headers: HeaderMap) -> Reply {
    let paired = server.may_decide(&headers);
    page(StatusCode::OK, acts::pairing(paired, server.has_terminal()))
}

fn answer(made: Result<maud::Markup, CliError>) -> Reply {
    match made {
        Ok(made) => page(StatusCode::OK, made),
        Err(error) => {
            let status = reply::status(error.kind);
            page(status, acts::failed(&error))
        }
    }
}

/// An agent is no person, whatever cookie it got hold of.
fn is_of_session(plane: &ControlPlane, env: &Env, from: SocketAddr, port: u16) -> bool {
    match peer::of(env, from, port) {
        Peer::Process(pid) => caller::is_inside(plane.sources(), pid),
        // A browser waits for its answer.
        Peer::Gone => true,
        Peer::Unknown => false,
    }
}

fn prepared(plane: &mut ControlPlane, goal: &GoalId, asked: &Asked) -> Result<Prepared, CliError> {
    let now = Clock.now();
    let words = plane.private_words(TierKind::Local, now);
    let state = plane.state(goal)?;
    asked.prepare(&state, &words, now)
}

fn request(goal: GoalId, prepared: &Prepared, key: Option<IdempotencyKey>, proof: Proof) -> Request {
    let actor = Actor { who: Who::Person, channel: Channel::Page, proof };
    Request { goal, actor, key, command: prepared.command.clone() }
}

fn previewed(
    plane: &mut ControlPlane,
    goal: GoalId,
    asked: Asked,
    key: String,
    paired: bool,
) -> Result<Preview, CliError> {
    let prepared = prepared(plane, &goal, &asked)?;
    let state = plane.state_for(&goal, &prepared.command)?;
    let floor = state.goal.as_ref().map_or(ProofFloor::Terminal, |goal| goal.proof);
    // What would be refused to anybody is refused here.
    let request = request(goal.clone(), &prepared, None, Proof::Browser);
    let decided = loopx_core::decide(&state, &request, Clock.now(), &mut Ids)?;
    let lacks_person = prepared.needs_person() && floor != ProofFloor::None && !paired;
    Ok(Preview {
        goal,
        words: prepared.words,
        events: decided.events,
        asked,
        key,
        seen: prepared.seen,
        lacks_person,
    })
}

fn recorded(
    plane: &mut ControlPlane,
    goal: GoalId,
    asked: &Asked,
    key: IdempotencyKey,
    proof: Proof,
) -> Result<Done, CliError> {
    let prepared = prepared(plane, &goal, asked)?;
    let request = request(goal, &prepared, Some(key), proof);
    if prepared.seen != asked.field(SEEN) {
        return Err(CliError::new(ErrorKind::Conflict, "it was changed since you were shown it")
            .hint("look at it again: nothing was recorded"));
    }
    let receipt = plane.apply(&request, Clock.now())?;
    Ok((receipt, prepared.words))
}
