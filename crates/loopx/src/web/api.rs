//! What programs ask for.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;

use super::Server;
use super::reply::{self, JSON, Reply, reply, words};

/// The document of `loopx status --json`, byte for byte.
pub async fn status(State(server): State<Arc<Server>>) -> Reply {
    let Some((board, _)) = server.feed.board() else {
        return words(StatusCode::SERVICE_UNAVAILABLE, "nothing was looked at yet", "Try again.");
    };
    match board.json() {
        Ok(json) => reply(StatusCode::OK, JSON, Bytes::from_owner(json)),
        Err(error) => reply::failed(&error),
    }
}
