//! Who asks: a browser by its cookie, or a program by its token. A token reads the API, and nothing else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};

use super::Server;
use super::guard::only;
use super::visitors::Key;
use crate::app::secret::Digest;
use crate::app::serving::Acts;
use crate::clock::Clock;

/// Where the API begins.
pub const API: &str = "/api/";

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// Anybody, for what anybody may see.
    Anybody,
    /// A browser that was let in.
    Browser(Key),
    /// A program with a token.
    Program(Digest),
}

/// Why nothing is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It shows neither a cookie nor a token of ours.
    Stranger,
    /// Its token is none, or is over.
    Token,
    /// It would change something with a token, or leave the API with it.
    Beyond,
    /// It would change something where nothing may be changed.
    ReadOnly,
}

impl Kept {
    /// The status of the answer.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::Stranger | Self::Token => StatusCode::UNAUTHORIZED,
            Self::Beyond | Self::ReadOnly => StatusCode::FORBIDDEN,
        }
    }

    /// In words, with the way out.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Stranger => (
                "this browser may not look here",
                "Open an address that `loopx serve` printed; each works once, and `loopx serve invite` prints another. \
                 A program shows a token: `loopx serve token add`.",
            ),
            Self::Token => {
                ("no token of ours, or one that is over", "`loopx serve token add NAME` makes another.")
            }
            Self::Beyond => (
                "a token reads the API and does nothing else",
                "Decide on the page with a paired browser, or on the command line.",
            ),
            Self::ReadOnly => (
                "this page only reads: it does not listen at 127.0.0.1",
                "Decide on the command line, or on the page of a `loopx serve` without --bind.",
            ),
        }
    }
}

/// Judges who asks, before anything is looked up.
pub fn judge(server: &Server, parts: &Parts) -> Result<Asker, Kept> {
    let path = parts.uri.path();
    if super::routes::is_open(path) {
        return Ok(Asker::Anybody);
    }
    let changes = parts.method != Method::GET && parts.method != Method::HEAD;
    // Whoever shows a token is judged by it alone, whatever cookie stands beside it.
    if parts.headers.contains_key(AUTHORIZATION) {
        let token = only(&parts.headers, &AUTHORIZATION).and_then(bearer).ok_or(Kept::Token)?;
        let token = server.tokens.find(token, Clock.now()).ok_or(Kept::Token)?;
        return if changes || !path.starts_with(API) { Err(Kept::Beyond) } else { Ok(Asker::Program(token)) };
    }
    let visitor = server.visitors.known(&parts.headers, Clock.now()).ok_or(Kept::Stranger)?;
    if changes && server.acts == Acts::Nothing { Err(Kept::ReadOnly) } else { Ok(Asker::Browser(visitor)) }
}

/// Whether who began to read a stream may read on: a token may be taken away meanwhile.
pub fn may_read_on(server: &Server, asker: Asker) -> bool {
    match asker {
        Asker::Program(token) => server.tokens.holds(token, Clock.now()),
        Asker::Browser(_) => true,
        Asker::Anybody => false,
    }
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The streams that are open, by who reads them: one alone can't take them all.
#[derive(Clone, Default)]
pub struct Streams(Arc<Mutex<BTreeMap<Key, usize>>>);

/// One of them.
pub struct Stream {
    streams: Streams,
    whose: Key,
}

impl Streams {
    /// One more, where so many at most may be open; none where there are as many.
    pub fn open(&self, asker: Asker, most: usize) -> Option<Stream> {
        let whose = match asker {
            Asker::Browser(key) => key,
            Asker::Program(token) => *token.bytes(),
            Asker::Anybody => return None,
        };
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(whose).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Stream { streams: self.clone(), whose })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let mut open = self.streams.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.whose) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.whose);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reader_does_not_take_all_streams() {
        let streams = Streams::default();
        let (one, other) = (Asker::Browser([1; 32]), Asker::Program(Digest::of("a token")));
        let held: Vec<Stream> = std::iter::from_fn(|| streams.open(one, 3)).collect();
        assert_eq!(held.len(), 3);
        let third = streams.open(other, 3);
        assert!(third.is_some() && streams.open(Asker::Anybody, 3).is_none());
        drop(held);
        assert!(streams.open(one, 3).is_some());
    }

    #[test]
    fn a_token_is_read_in_one_way_alone() {
        assert_eq!(bearer("Bearer loopx_1"), Some("loopx_1"));
        assert_eq!(bearer("bearer  loopx_1"), Some("loopx_1"));
        for other in ["Basic loopx_1", "loopx_1", "Bearer", ""] {
            assert_eq!(bearer(other), None, "{other}");
        }
    }
}
