//! The stream of the API: the lines of `loopx follow --jsonl` as events.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode};
use futures_util::stream;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

use super::{Asked, failed};
use crate::app::follow::Revision;
use crate::error::CliError;
use crate::web::Server;
use crate::web::access::{Asker, Stream, may_read_on};
use crate::web::events::LAST;
use crate::web::lines::{Line, Receiver};
use crate::web::reply::{EVENTS, Reply, full, reply};

/// So often something is sent at least: a connection that is gone is found out then.
const BEAT: Duration = Duration::from_secs(15);

struct Reader {
    server: Arc<Server>,
    lines: Receiver,
    /// What it was sent.
    at: Revision,
    ready: VecDeque<Line>,
    begun: bool,
    asker: Asker,
    _stream: Stream,
}

/// Sends a line for each lane whose first screen is another one, for as long as it is read.
pub async fn events(
    State(server): State<Arc<Server>>,
    Extension(asker): Extension<Asker>,
    query: Asked,
    headers: HeaderMap,
) -> Reply {
    let made = (|| -> Result<Option<Reply>, CliError> {
        query.only(&["after"])?;
        let last = headers.get(LAST).map(|id| id.to_str().unwrap_or("-"));
        let at = match last.or(query.value("after")) {
            Some(text) => Revision::parse(text)?,
            None => Revision::default(),
        };
        let Some(stream) = server.streams.open(asker, server.most_streams()) else { return Ok(Some(full())) };
        let Some((missed, lines)) = server.feed.lines.after(at.clone())? else { return Ok(None) };
        let (ready, begun) = (missed.into(), false);
        let server = Arc::clone(&server);
        let reader = Reader { server, lines, at, ready, begun, asker, _stream: stream };
        let chunks = stream::unfold(reader, |mut reader| async move {
            let chunk = reader.chunk().await?;
            Some((Ok::<Bytes, std::convert::Infallible>(chunk), reader))
        });
        Ok(Some(reply(StatusCode::OK, EVENTS, Body::from_stream(chunks))))
    })();
    match made {
        Ok(Some(reply)) => reply,
        Ok(None) => super::unlooked(),
        Err(error) => failed(&error),
    }
}

impl Reader {
    /// What is sent next; nothing once nobody publishes any more.
    async fn chunk(&mut self) -> Option<Bytes> {
        if !std::mem::replace(&mut self.begun, true) {
            // Who is cut off comes back after so many milliseconds.
            return Some(Bytes::from_static(b"retry: 1000\n\n"));
        }
        loop {
            if !may_read_on(&self.server, self.asker) {
                return None;
            }
            if let Some(line) = self.ready.pop_front() {
                self.at = line.revision;
                return Some(line.bytes);
            }
            match timeout(BEAT, self.lines.recv()).await {
                Ok(Ok(lines)) => self.ready.extend(lines.iter().cloned()),
                Ok(Err(RecvError::Lagged(_))) => {
                    // It is too far behind: what it has missed is made anew, for it alone.
                    let (missed, lines) = self.server.feed.lines.after(self.at.clone()).ok()??;
                    self.lines = lines;
                    self.ready.extend(missed);
                }
                Ok(Err(RecvError::Closed)) => return None,
                Err(_) => return Some(Bytes::from_static(b":\n\n")),
            }
        }
    }
}
