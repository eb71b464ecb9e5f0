//! The stream of changes that a page follows.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Extension, Query, State};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use futures_util::stream;
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use super::Server;
use super::access::{Asker, Stream};
use super::feed::{Cursor, News};
use super::reply::{EVENTS, Reply, full, reply};

/// The first change goes out at once, later ones together, so often at most.
const APART: Duration = Duration::from_millis(100);

/// So often something is sent at least: either side finds out then that the other is gone.
const BEAT: Duration = Duration::from_secs(15);

/// What is sent then: no place in the changes, but an event, which a page can wait for.
const BEATS: &[u8] = b"event: beat\ndata: {}\n\n";

/// Where a browser that was cut off says what it has.
pub const LAST: HeaderName = HeaderName::from_static("last-event-id");

/// Where a page says what it was made at.
#[derive(Deserialize)]
pub struct After {
    after: Option<String>,
}

struct Follower {
    server: Arc<Server>,
    news: watch::Receiver<u64>,
    at: Option<Cursor>,
    next: Instant,
    ready: VecDeque<Bytes>,
    /// Whether it was told that looking fails.
    failing: bool,
    _stream: Stream,
}

/// Sends what changes, for as long as it is read.
pub async fn events(
    State(server): State<Arc<Server>>,
    Extension(asker): Extension<Asker>,
    Query(page): Query<After>,
    headers: HeaderMap,
) -> Reply {
    let last = headers.get(LAST).and_then(|id| id.to_str().ok()).map(str::to_owned).or(page.after);
    let Some(stream) = server.streams.open(asker, server.most_streams()) else { return full() };
    let follower = Follower {
        news: server.feed.news(),
        server,
        at: last.as_deref().and_then(Cursor::parse),
        next: Instant::now(),
        // A browser that is cut off comes back after so many milliseconds.
        ready: VecDeque::from([Bytes::from_static(b"retry: 1000\n\n")]),
        failing: false,
        _stream: stream,
    };
    let chunks = stream::unfold(follower, |mut follower| async move {
        let chunk = follower.chunk().await?;
        Some((Ok::<Bytes, std::convert::Infallible>(chunk), follower))
    });
    reply(StatusCode::OK, EVENTS, Body::from_stream(chunks))
}

impl Follower {
    /// What is sent next; nothing once nobody publishes any more.
    async fn chunk(&mut self) -> Option<Bytes> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Some(chunk);
            }
            sleep_until(self.next).await;
            self.news.mark_unchanged();
            self.gather();
            if !self.ready.is_empty() {
                self.next = Instant::now() + APART;
                continue;
            }
            match timeout(BEAT, self.news.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return None,
                Err(_) => return Some(Bytes::from_static(BEATS)),
            }
        }
    }

    fn gather(&mut self) {
        let feed = &self.server.feed;
        let failing = feed.failure().is_some();
        if std::mem::replace(&mut self.failing, failing) != failing {
            self.ready.push_back(Bytes::from(format!("event: failing\ndata: {failing}\n\n")));
        }
        let news = match self.at {
            Some(at) => feed.after(at),
            // It says no place that there is: it has to begin anew.
            None => {
                feed.board().map_or(News::Changes(Vec::new(), feed.here()), |(_, here)| News::Reset(here))
            }
        };
        match news {
            News::Changes(changes, here) => {
                self.at = Some(here);
                self.ready.extend(changes);
            }
            News::Reset(here) => {
                self.at = Some(here);
                self.ready.push_back(Bytes::from(format!("id: {here}\nevent: reset\ndata: {{}}\n\n")));
            }
        }
    }
}
