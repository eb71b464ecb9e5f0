//! Who may look at the page, from one run of its server to the next; which servers run; and letting in one more browser.
//!
//! Digests alone are kept: whoever reads the file can open nothing with it. Who may decide is kept nowhere.

use std::fs::{self, File as Lock};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::app::distrust::{self, Distrust};
use crate::app::file;
use crate::app::home::make_folder;
use crate::app::secret::{self, Digest};
use crate::error::CliError;

/// The file, in the data folder.
pub const FILE: &str = "visitors.json";

/// What the lock of a running server begins and ends with; between them stands its port.
pub const RUNS: (&str, &str) = ("serve-", ".lock");

/// How long a browser is known after it was let in.
pub const KNOWN: SignedDuration = SignedDuration::from_hours(30 * 24);

/// How long an address that lets in is good for, where its server did not print it itself.
const INVITED: SignedDuration = SignedDuration::from_mins(5);

/// The most browsers that may look at a time, and the most addresses that wait to be opened.
pub const MOST: usize = 64;

/// How long a look whether a server runs may keep its lock.
const LOOKS: Duration = Duration::from_millis(500);

const VERSION: &str = "loopx_visitors_v0";

/// A cookie, or the code of an address, of the server on one port.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// Its digest.
    pub digest: Digest,
    /// The server's port.
    pub port: u16,
    /// Until when it is good, UTC.
    pub until: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct File {
    schema_version: String,
    /// Cookies.
    visiting: Vec<Kept>,
    /// Codes of addresses that nobody has opened yet.
    invited: Vec<Kept>,
}

impl Default for File {
    fn default() -> Self {
        Self { schema_version: VERSION.to_owned(), visiting: Vec::new(), invited: Vec::new() }
    }
}

/// Who may look, as it is kept in a data folder.
#[derive(Clone, Debug)]
pub struct Visiting {
    path: PathBuf,
    port: u16,
}

impl Visiting {
    /// Of the server on a port.
    pub fn of(data: &Path, port: u16) -> Self {
        Self { path: data.join(FILE), port }
    }

    /// The cookies that are good; why none counts where the file can't be trusted.
    pub fn visitors(&self, now: Timestamp) -> Result<Vec<Kept>, Distrust> {
        let Some(file) = distrust::read::<File>(&self.path)? else { return Ok(Vec::new()) };
        if file.schema_version != VERSION {
            return Err(Distrust::Torn);
        }
        Ok(file.visiting.into_iter().filter(|kept| self.is_good(kept, now)).collect())
    }

    /// Keeps a cookie in place of the one before.
    pub fn keep(&self, cookie: Kept, before: Option<[u8; 32]>) -> Result<(), CliError> {
        self.change(|file| {
            file.visiting.retain(|kept| Some(*kept.digest.bytes()) != before);
            add(&mut file.visiting, cookie);
        })
    }

    /// Knows no browser any more.
    pub fn forget(&self) -> Result<(), CliError> {
        self.change(|file| file.visiting.retain(|kept| kept.port != self.port))
    }

    /// A code that lets one browser in at the running server.
    pub fn invite(&self, now: Timestamp) -> Result<String, CliError> {
        let code = secret::draw()?;
        let until = now.checked_add(INVITED).unwrap_or(now);
        let kept = Kept { digest: Digest::of(&code), port: self.port, until };
        self.change(|file| {
            file.invited.retain(|kept| kept.until > now);
            add(&mut file.invited, kept);
        })?;
        Ok(code)
    }

    /// Takes the code of an address, once; gives whether it was one, and keeps this cookie then.
    pub fn enter(&self, code: Digest, cookie: Kept, now: Timestamp) -> Result<bool, CliError> {
        let is_code = |kept: &Kept| kept.digest == code && self.is_good(kept, now);
        let there = distrust::read::<File>(&self.path).ok().flatten();
        if !there.is_some_and(|file| file.invited.iter().any(is_code)) {
            return Ok(false);
        }
        self.change(|file| {
            let before = file.invited.len();
            file.invited.retain(|kept| !is_code(kept));
            let is_let_in = file.invited.len() < before;
            if is_let_in {
                add(&mut file.visiting, cookie);
            }
            is_let_in
        })
    }

    fn is_good(&self, kept: &Kept, now: Timestamp) -> bool {
        // Nothing of ours is good for longer: such a one was written by somebody else, or by another clock.
        let is_far = now.checked_add(KNOWN).is_ok_and(|far| kept.until > far);
        kept.port == self.port && kept.until > now && !is_far
    }

    fn change<R>(&self, change: impl FnOnce(&mut File) -> R) -> Result<R, CliError> {
        distrust::change(&self.path, change)
    }
}

fn add(list: &mut Vec<Kept>, kept: Kept) {
    if list.len() >= MOST {
        list.remove(0);
    }
    list.push(kept);
}

/// Says that a server of this data folder runs on a port, at this place, until what is given is dropped.
pub fn runs(data: &Path, port: u16, place: &str) -> io::Result<Lock> {
    make_folder(data)?;
    // Those of servers that were killed say nothing any more.
    let locks = fs::read_dir(data)?.flatten().filter_map(|entry| port_of(entry.file_name().to_str()?));
    for port in locks.filter(|other| *other != port && !is_running(data, *other)) {
        let _ = fs::remove_file(lock_of(data, port));
    }
    let lock = distrust::lock_file(&lock_of(data, port))?;
    // Whoever looks whether one runs has it for a moment.
    if !file::lock(&lock, LOOKS)? {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    lock.set_len(0)?;
    (&lock).write_all(place.as_bytes())?;
    Ok(lock)
}

/// Whether a server of this data folder runs on a port.
pub fn is_running(data: &Path, port: u16) -> bool {
    let path = lock_of(data, port);
    if !fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file()) {
        return false;
    }
    let Ok(lock) = distrust::lock_file(&path) else { return false };
    matches!(lock.try_lock_shared(), Err(fs::TryLockError::WouldBlock))
}

/// An address of the server that runs on a port: it lets one browser in, once.
pub fn address(data: &Path, port: u16, now: Timestamp) -> Result<String, CliError> {
    let place = distrust::text(&lock_of(data, port)).ok().flatten();
    let place = place.filter(|place| place.starts_with("http")).ok_or_else(|| {
        CliError::not_found(format!("no `loopx serve` of yours runs on port {port}"))
            .hint("start it: `loopx serve`")
    })?;
    Ok(format!("{place}/enter/{}", Visiting::of(data, port).invite(now)?))
}

/// The ports of the servers of this data folder that run.
pub fn running(data: &Path) -> Vec<u16> {
    let names = fs::read_dir(data).into_iter().flatten().flatten();
    let ports = names.filter_map(|entry| port_of(entry.file_name().to_str()?));
    let mut ports: Vec<u16> = ports.filter(|port| is_running(data, *port)).collect();
    ports.sort_unstable();
    ports
}

/// The port that a lock's name says.
pub fn port_of(name: &str) -> Option<u16> {
    name.strip_prefix(RUNS.0)?.strip_suffix(RUNS.1)?.parse().ok()
}

fn lock_of(data: &Path, port: u16) -> PathBuf {
    data.join(format!("{}{port}{}", RUNS.0, RUNS.1))
}
