//! Who may look: a browser that was opened by an address that `serve` printed. Who may decide: one of them that was paired
//! by a code that a person at the terminal of `serve` was shown.
//!
//! Who may look outlives the server, as a digest in a file. Who may decide ends with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use jiff::Timestamp;
use loopx_runtimes::caller::Program;

use crate::app::secret::{self, Digest};
use crate::app::visiting::{KNOWN, Kept, MOST, Visiting};
use crate::error::CliError;

/// How many letters and digits a code that pairs has.
const CODE: usize = 8;

/// How long a code that pairs is good for.
const PAIRS: Duration = Duration::from_mins(5);

/// How often it may be tried.
const TRIES: u8 = 5;

/// A paired browser that decides nothing for so long is paired no more.
const IDLE: Duration = Duration::from_hours(1);

/// A digest, as what a visitor is found by.
pub type Key = [u8; 32];

#[derive(Default)]
struct Held {
    /// Codes of addresses that nobody has opened yet.
    invited: BTreeSet<Key>,
    /// Cookies, and until when each is good.
    visiting: BTreeMap<Key, Timestamp>,
    /// Cookies of browsers that may decide.
    paired: BTreeMap<Key, Paired>,
    /// The code that pairs the next browser.
    code: Option<Code>,
}

/// A browser that may decide.
struct Paired {
    /// Its cookie is of no use to any other program.
    program: Program,
    /// When it last did.
    last: Instant,
}

/// A code that pairs one browser.
struct Code {
    digest: Digest,
    until: Instant,
    tries: u8,
}

/// The browsers that may look.
pub struct Visitors {
    held: Mutex<Held>,
    visiting: Visiting,
    port: u16,
    is_secure: bool,
}

/// A cookie that was given to a browser just now.
pub struct Cookie {
    value: String,
    name: String,
    is_secure: bool,
}

impl Visitors {
    /// Those who were let in before may look. `is_secure` says that what is sent is encrypted.
    pub fn new(visiting: Visiting, before: &[Kept], port: u16, is_secure: bool) -> Self {
        let known = before.iter().map(|kept| (*kept.digest.bytes(), kept.until)).collect();
        let held = Mutex::new(Held { visiting: known, ..Held::default() });
        Self { held, visiting, port, is_secure }
    }

    /// A code that lets one browser in.
    pub fn invite(&self) -> Result<String, CliError> {
        let code = secret::draw()?;
        self.held().invited.insert(key(&code));
        Ok(code)
    }

    /// Lets in whoever has a code, once.
    pub fn enter(&self, code: &str, now: Timestamp) -> Result<Option<Cookie>, CliError> {
        let (cookie, kept) = self.draw(now)?;
        if self.held().invited.remove(&key(code)) {
            // Where it can't be kept, it is good until the server ends.
            let _ = self.visiting.keep(kept, None);
        } else if !self.visiting.enter(Digest::of(code), kept, now)? {
            return Ok(None);
        }
        let mut held = self.held();
        held.visiting.retain(|_, until| *until > now);
        if held.visiting.len() >= MOST
            && let Some((soonest, _)) = held.visiting.iter().min_by_key(|(_, until)| **until)
        {
            let soonest = *soonest;
            held.visiting.remove(&soonest);
        }
        held.visiting.insert(*kept.digest.bytes(), kept.until);
        Ok(Some(cookie))
    }

    fn draw(&self, now: Timestamp) -> Result<(Cookie, Kept), CliError> {
        let value = secret::draw()?;
        let until = now.checked_add(KNOWN).unwrap_or(now);
        let kept = Kept { digest: Digest::of(&value), port: self.port, until };
        Ok((Cookie { value, name: name(self.port), is_secure: self.is_secure }, kept))
    }

    /// The visitor whose cookie a request shows.
    pub fn known(&self, headers: &HeaderMap, now: Timestamp) -> Option<Key> {
        let name = name(self.port);
        let held = self.held();
        headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(key, _)| *key == name)
            .map(|(_, value)| key(value))
            .find(|key| held.visiting.get(key).is_some_and(|until| *until > now))
    }

    /// A code that pairs one browser, for a person at the terminal. The one before is good no more.
    pub fn offer(&self) -> Result<String, CliError> {
        let code = crate::app::proof::random_code(CODE)?;
        let digest = Digest::of(&code);
        self.held().code = Some(Code { digest, until: Instant::now() + PAIRS, tries: TRIES });
        Ok(code)
    }

    /// Pairs the program that asks, if it has the code. It is given another cookie: the one before looks no more.
    pub fn pair(
        &self,
        headers: &HeaderMap,
        code: &str,
        program: Program,
        now: Timestamp,
    ) -> Result<Option<Cookie>, CliError> {
        let (before, tried) = (self.known(headers, now), Digest::of(&code.trim().to_lowercase()));
        let (cookie, kept) = self.draw(now)?;
        let mut held = self.held();
        let Some(offered) = &mut held.code else { return Ok(None) };
        offered.tries -= 1;
        let is_it = offered.digest == tried && offered.until > Instant::now();
        if is_it || offered.tries == 0 {
            held.code = None;
        }
        let Some(before) = before.filter(|_| is_it) else { return Ok(None) };
        held.visiting.remove(&before);
        held.visiting.insert(*kept.digest.bytes(), kept.until);
        held.paired.insert(*kept.digest.bytes(), Paired { program, last: Instant::now() });
        drop(held);
        let _ = self.visiting.keep(kept, Some(before));
        Ok(Some(cookie))
    }

    /// The program that was paired with the cookie of a request, if one was.
    pub fn paired(&self, headers: &HeaderMap, at: Timestamp) -> Option<Program> {
        let cookie = self.known(headers, at)?;
        let mut held = self.held();
        let now = Instant::now();
        held.paired.retain(|_, paired| now.duration_since(paired.last) < IDLE);
        held.paired.get(&cookie).map(|paired| paired.program)
    }

    /// The browser that shows this cookie decided something: it stays paired.
    pub fn decided(&self, headers: &HeaderMap, at: Timestamp) {
        let Some(cookie) = self.known(headers, at) else { return };
        if let Some(paired) = self.held().paired.get_mut(&cookie) {
            paired.last = Instant::now();
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cookie {
    /// As the answer sets it. No script reads it, and no request that another site's page makes carries it.
    pub fn header(&self) -> String {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let age = KNOWN.as_secs();
        format!("{}={}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}", self.name, self.value)
    }
}

/// Cookies are sent to every port of a host: each server's has a name of its own.
fn name(port: u16) -> String {
    format!("loopx-{port}")
}

fn key(secret: &str) -> Key {
    *Digest::of(secret).bytes()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use loopx_runtimes::Sources;

    use super::*;
    use crate::clock::Clock;

    const PORT: u16 = 7717;

    fn visitors(data: &std::path::Path) -> Visitors {
        let visiting = Visiting::of(data, PORT);
        let before = visiting.visitors(Clock.now()).expect("ours");
        Visitors::new(visiting, &before, PORT, false)
    }

    fn showing(cookie: &Cookie) -> HeaderMap {
        let pair = cookie.header().split(';').next().expect("a cookie").to_owned();
        HeaderMap::from_iter([(COOKIE, HeaderValue::try_from(pair).expect("a header"))])
    }

    #[test]
    fn who_may_look_outlives_the_server_and_who_may_decide_does_not() {
        let data = tempfile::tempdir().expect("a folder");
        let now = Clock.now();
        let first = visitors(data.path());
        let entered = first.enter(&first.invite().expect("a code"), now).expect("kept").expect("a cookie");
        let code = first.offer().expect("a code");
        let program = Program::of(&Sources::none(), std::process::id()).expect("a program");
        let paired = first.pair(&showing(&entered), &code, program, now).expect("kept").expect("a cookie");
        assert_eq!(first.paired(&showing(&paired), now), Some(program));
        assert!(first.known(&showing(&entered), now).is_none());
        let second = visitors(data.path());
        assert!(second.known(&showing(&paired), now).is_some(), "a tab that is open looks on");
        assert_eq!(second.paired(&showing(&paired), now), None, "pairing ends with the server");
        assert!(second.known(&showing(&entered), now).is_none(), "a cookie that was exchanged is over");
        let late = now.checked_add(KNOWN).expect("an instant");
        assert!(second.known(&showing(&paired), late).is_none());
        let elsewhere = Visiting::of(data.path(), PORT + 1).visitors(now).expect("ours");
        assert_eq!(elsewhere.len(), 0, "another port's server knows none of them");
    }

    #[test]
    fn an_address_that_another_process_made_lets_one_browser_in() {
        let data = tempfile::tempdir().expect("a folder");
        let (now, server) = (Clock.now(), visitors(data.path()));
        let code = Visiting::of(data.path(), PORT).invite(now).expect("a code");
        let other = Visiting::of(data.path(), PORT + 1).invite(now).expect("a code");
        assert!(server.enter(&other, now).expect("read").is_none(), "it is another server's");
        let late = now.checked_add(jiff::SignedDuration::from_mins(6)).expect("an instant");
        assert!(server.enter(&code, late).expect("read").is_none(), "it is over");
        assert!(server.enter(&code, now).expect("kept").is_some());
        assert!(server.enter(&code, now).expect("read").is_none(), "it was opened before");
    }
}
