//! Who may look: a browser that was opened by the address that `serve` printed. Who may decide: one of them that was paired
//! by a code that a person at the terminal of `serve` was shown.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use loopx_safety::base32;

use crate::error::CliError;

/// How many letters and digits a code that pairs has.
const CODE: usize = 8;

/// The most browsers that may look at a time.
const MOST: usize = 64;

/// How long a code that pairs is good for.
const PAIRS: Duration = Duration::from_mins(5);

/// How often it may be tried.
const TRIES: u8 = 5;

/// A paired browser that decides nothing for so long is paired no more.
const IDLE: Duration = Duration::from_hours(1);

/// A digest of a secret: a secret itself is kept by whoever shows it.
type Digest = [u8; 32];

#[derive(Default)]
struct Held {
    /// Codes of addresses that nobody has opened yet.
    invited: BTreeSet<Digest>,
    /// Cookies.
    visiting: BTreeSet<Digest>,
    /// Cookies of browsers that may decide, and when each last did.
    paired: BTreeMap<Digest, Instant>,
    /// The code that pairs the next browser.
    code: Option<Code>,
}

/// A code that pairs one browser.
struct Code {
    digest: Digest,
    until: Instant,
    tries: u8,
}

/// The browsers that may look.
#[derive(Default)]
pub struct Visitors(Mutex<Held>);

/// A cookie that was given to a browser just now.
pub struct Cookie(String);

impl Visitors {
    /// Nobody may look yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A code that lets one browser in.
    pub fn invite(&self) -> Result<String, CliError> {
        let code = secret()?;
        self.held().invited.insert(digest(&code));
        Ok(code)
    }

    /// Lets in whoever has a code, once.
    pub fn enter(&self, code: &str) -> Result<Option<Cookie>, CliError> {
        let cookie = secret()?;
        let mut held = self.held();
        if !held.invited.remove(&digest(code)) {
            return Ok(None);
        }
        if held.visiting.len() >= MOST {
            held.visiting.pop_first();
        }
        held.visiting.insert(digest(&cookie));
        Ok(Some(Cookie(cookie)))
    }

    /// Whether a request shows a cookie of ours for this port.
    pub fn knows(&self, headers: &HeaderMap, port: u16) -> bool {
        self.cookie(headers, port).is_some()
    }

    /// The cookie of ours that a request shows.
    fn cookie(&self, headers: &HeaderMap, port: u16) -> Option<Digest> {
        let name = name(port);
        let held = self.held();
        headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(key, _)| *key == name)
            .map(|(_, value)| digest(value))
            .find(|digest| held.visiting.contains(digest))
    }

    /// A code that pairs one browser, for a person at the terminal. The one before is good no more.
    pub fn offer(&self) -> Result<String, CliError> {
        let code = crate::app::proof::random_code(CODE)?;
        let digest = digest(&code);
        self.held().code = Some(Code { digest, until: Instant::now() + PAIRS, tries: TRIES });
        Ok(code)
    }

    /// Pairs the browser that asks, if it has the code. It is given another cookie: the one before looks no more.
    pub fn pair(&self, headers: &HeaderMap, port: u16, code: &str) -> Result<Option<Cookie>, CliError> {
        let (before, cookie, tried) =
            (self.cookie(headers, port), secret()?, digest(&code.trim().to_lowercase()));
        let mut held = self.held();
        let Some(offered) = &mut held.code else { return Ok(None) };
        offered.tries -= 1;
        let is_it = offered.digest == tried && offered.until > Instant::now();
        if is_it || offered.tries == 0 {
            held.code = None;
        }
        let Some(before) = before.filter(|_| is_it) else { return Ok(None) };
        held.visiting.remove(&before);
        held.visiting.insert(digest(&cookie));
        held.paired.insert(digest(&cookie), Instant::now());
        Ok(Some(Cookie(cookie)))
    }

    /// Whether a request comes from a browser that may decide.
    pub fn may_decide(&self, headers: &HeaderMap, port: u16) -> bool {
        let Some(cookie) = self.cookie(headers, port) else { return false };
        let mut held = self.held();
        let now = Instant::now();
        held.paired.retain(|_, last| now.duration_since(*last) < IDLE);
        held.paired.get_mut(&cookie).map(|last| *last = now).is_some()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cookie {
    /// As the answer sets it. No script reads it, and no request that another site's page makes carries it.
    pub fn header(&self, port: u16) -> String {
        format!("{}={}; Path=/; HttpOnly; SameSite=Strict", name(port), self.0)
    }
}

/// Cookies are sent to every port of a host: each server's has a name of its own.
fn name(port: u16) -> String {
    format!("loopx-{port}")
}

/// 32 bytes that nobody can guess.
fn secret() -> Result<String, CliError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| CliError::internal(format!("failed to draw a code: {error}")))?;
    Ok(base32::encode(&bytes))
}

/// What is compared: how long that takes says nothing of the secret.
fn digest(secret: &str) -> Digest {
    *blake3::hash(secret.as_bytes()).as_bytes()
}
