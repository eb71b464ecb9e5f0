//! Connections: how many at once, how long each may take, and what is judged before a request is looked at.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::process::{Resource, getrlimit};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tower_service::Service as _;

use super::reply::{Reply, words};
use super::{Server, routes};

/// How long the head of a request may take to arrive.
const HEAD: Duration = Duration::from_secs(10);

/// How long a change may take, its body's arrival included.
const CHANGE: Duration = Duration::from_secs(20);

/// The longest head, in bytes.
const LONGEST_HEAD: usize = 16 * 1024;

/// The most connections at once, where the system would let us have more.
const MOST: u64 = 4096;

/// Descriptors that are not for connections: the store, the index, session files, what watches them.
const KEPT: u64 = 256;

/// How long it is waited after a connection could not be taken: the system has no more to give.
const PAUSE: Duration = Duration::from_millis(100);

/// What is answered where there are too many, before a request is read.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 27\r\nretry-after: 1\r\nconnection: close\r\n\r\ntoo many connections, later";

/// Answers until it is over.
pub async fn answer(listener: TcpListener, server: Arc<Server>, mut over: oneshot::Receiver<()>) {
    let open = Arc::new(AtomicUsize::new(0));
    let most = usize::try_from(most()).unwrap_or(usize::MAX);
    loop {
        let taken = tokio::select! {
            taken = listener.accept() => taken,
            _ = &mut over => return,
        };
        let Ok((stream, from)) = taken else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let slot = Slot::take(&open);
        if slot.number > most {
            tokio::spawn(refuse(stream, slot));
        } else {
            tokio::spawn(serve(stream, from, Arc::clone(&server), slot));
        }
    }
}

/// How many connections may be open at once.
fn most() -> u64 {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(MOST + KEPT);
    limit.saturating_sub(KEPT).clamp(8, MOST)
}

/// One of the connections that are open.
struct Slot {
    open: Arc<AtomicUsize>,
    number: usize,
}

impl Slot {
    fn take(open: &Arc<AtomicUsize>) -> Self {
        Self { number: open.fetch_add(1, Ordering::Relaxed) + 1, open: Arc::clone(open) }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn refuse(mut stream: TcpStream, slot: Slot) {
    let _ = timeout(Duration::from_secs(1), stream.write_all(FULL)).await;
    drop(slot);
}

async fn serve(stream: TcpStream, from: SocketAddr, server: Arc<Server>, slot: Slot) {
    let _ = stream.set_nodelay(true);
    let router = routes::router(Arc::clone(&server));
    let service = service_fn(move |request: Request<Incoming>| {
        let (server, mut router) = (Arc::clone(&server), router.clone());
        async move {
            let (parts, body) = request.into_parts();
            if let Err(denied) = server.guard.judge(&parts) {
                return Ok::<Reply, Infallible>(words(denied.status(), denied.words(), ""));
            }
            if !routes::is_open(parts.uri.path()) && !server.visitors.knows(&parts.headers, server.port) {
                return Ok(stranger());
            }
            let is_change = parts.method == Method::POST;
            let mut request = Request::from_parts(parts, Body::new(body));
            request.extensions_mut().insert(from);
            if !is_change {
                return router.call(request).await;
            }
            timeout(CHANGE, router.call(request)).await.unwrap_or_else(|_| Ok(late()))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    // What goes wrong with one connection is over with it.
    let _ = connection.await;
    drop(slot);
}

/// What is said of a change that took too long.
fn late() -> Reply {
    words(
        StatusCode::REQUEST_TIMEOUT,
        "this took too long",
        "Look whether it was recorded before it is tried again.",
    )
}

/// What whoever is not let in is told.
fn stranger() -> Reply {
    words(
        StatusCode::UNAUTHORIZED,
        "this browser may not look here",
        "Open the address that `loopx serve` printed in its terminal. Each works once: start it again for another.",
    )
}
