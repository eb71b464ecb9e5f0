//! Connections: how many at once, how long each may take, and what is judged before a request is looked at.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fs::File;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::process::{Resource, getrlimit};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, yield_now};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tower_service::Service as _;

use super::access::{self, Asker};
use super::reply::{Reply, ours, said, words};
use super::{Server, routes};

/// How long the first byte of a connection may take to arrive, the head of a request, and agreeing on how to encrypt.
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

/// How many connections may be open at once.
pub fn most() -> usize {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(MOST + KEPT);
    let most = limit.saturating_sub(KEPT.min(limit / 2)).clamp(8, MOST);
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// Answers until it is over.
pub async fn answer(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    server: Arc<Server>,
    mut over: oneshot::Receiver<()>,
) {
    let open = Arc::new(AtomicUsize::new(0));
    let silent = Silent::default();
    // One for all connections: what leads where takes more memory than all else of a connection.
    let router = routes::router(Arc::clone(&server));
    let mut spare = spare();
    for number in 0.. {
        let taken = tokio::select! {
            taken = listener.accept() => taken,
            _ = &mut over => return,
        };
        let Ok((stream, from)) = taken else {
            if silent.end_one() {
                // Its descriptor is free once it is dropped.
                yield_now().await;
                continue;
            }
            // The descriptor that is kept for this takes the one that waits longest, to tell it so.
            if spare.take().is_some()
                && let Ok(Ok((stream, _))) = timeout(PAUSE, listener.accept()).await
            {
                refuse(stream).await;
            }
            tokio::time::sleep(PAUSE).await;
            spare = self::spare();
            continue;
        };
        let slot = Slot::take(&open);
        // Who has shown nothing yet makes room for who comes.
        if slot.number > server.most {
            if !silent.end_one() {
                tokio::spawn(async move {
                    refuse(stream).await;
                    drop(slot);
                });
                continue;
            }
            yield_now().await;
        }
        let (server, router, tls) = (Arc::clone(&server), router.clone(), tls.clone());
        let known = silent.place(number);
        let task = tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            // Whoever has not said anything costs no more than a place: buffers are made for who speaks. That a
            // connection is readable is a guess of the library until a read was tried.
            if let Ok(Ok(1..)) = timeout(HEAD, stream.peek(&mut [0])).await {
                speak(stream, tls, from, server, router, known).await;
            }
            drop(slot);
        });
        silent.add(number, task.abort_handle());
    }
}

/// A descriptor that can be given up when there is no other.
fn spare() -> Option<File> {
    File::open("/dev/null").ok()
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

/// Connections over which nobody has shown yet that they may look, the oldest first.
#[derive(Clone, Default)]
struct Silent(Arc<Mutex<VecDeque<(u64, AbortHandle)>>>);

/// One of them, until it is known or over.
struct Place {
    silent: Silent,
    number: u64,
}

impl Silent {
    fn place(&self, number: u64) -> Place {
        Place { silent: self.clone(), number }
    }

    fn add(&self, number: u64, task: AbortHandle) {
        if !task.is_finished() {
            self.held(|held| held.push_back((number, task)));
        }
    }

    /// Ends the oldest of them; gives whether there was one.
    fn end_one(&self) -> bool {
        self.held(VecDeque::pop_front).map(|(_, task)| task.abort()).is_some()
    }

    fn held<T>(&self, job: impl FnOnce(&mut VecDeque<(u64, AbortHandle)>) -> T) -> T {
        job(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Place {
    /// Whoever is at the other end may look.
    fn is_known(&self) {
        self.silent.held(|held| {
            if let Ok(at) = held.binary_search_by_key(&self.number, |(number, _)| *number) {
                held.remove(at);
            }
        });
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.is_known();
    }
}

async fn refuse(mut stream: TcpStream) {
    let _ = timeout(Duration::from_secs(1), stream.write_all(FULL)).await;
}

/// Serves whoever has begun to speak. It is made in a place of its own: as a part of what waits for the first byte, it
/// would take its room there from the beginning.
fn speak(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    from: SocketAddr,
    server: Arc<Server>,
    router: Router,
    place: Place,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    let Some(tls) = tls else { return Box::pin(serve(stream, from, server, router, place)) };
    Box::pin(async move {
        if let Ok(Ok(stream)) = timeout(HEAD, tls.accept(stream)).await {
            serve(stream, from, server, router, place).await;
        }
    })
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    from: SocketAddr,
    server: Arc<Server>,
    router: Router,
    place: Place,
) {
    let place = &place;
    let service = service_fn(move |request: Request<Incoming>| {
        let (server, mut router) = (Arc::clone(&server), router.clone());
        // Who reads a stream keeps the connection's room, and needs none for an answer that is made.
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let path = parts.uri.path();
            if let Err(denied) = server.guard.judge(&parts) {
                return Ok::<Reply, Infallible>(said(path, denied.status(), denied.words(), ""));
            }
            let asker = match access::judge(&server, &parts) {
                Ok(asker) => asker,
                Err(kept) => {
                    let (what, way_out) = kept.words();
                    return Ok(said(path, kept.status(), what, way_out));
                }
            };
            if asker != Asker::Anybody {
                place.is_known();
            }
            let (is_change, path) = (parts.method == Method::POST, path.to_owned());
            let mut request = Request::from_parts(parts, Body::new(body));
            request.extensions_mut().insert(from);
            request.extensions_mut().insert(asker);
            let replied = if is_change {
                timeout(CHANGE, router.call(request)).await.unwrap_or_else(|_| Ok(late()))?
            } else {
                router.call(request).await?
            };
            Ok(ours(&path, replied))
        })
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    // What goes wrong with one connection is over with it.
    let _ = connection.await;
}

/// What is said of a change that took too long.
fn late() -> Reply {
    words(
        StatusCode::REQUEST_TIMEOUT,
        "this took too long",
        "Look whether it was recorded before it is tried again.",
    )
}
