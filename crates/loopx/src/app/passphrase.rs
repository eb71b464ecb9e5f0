//! Asking for a passphrase at the terminal, without showing it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use loopx_core::AuthorityKey;
use loopx_safety::{escape, io_words};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use zeroize::Zeroizing;

use crate::app::keyring::{Keyring, Sealed};
use crate::env::Env;
use crate::error::CliError;

/// The longest passphrase, in bytes.
const LONGEST: usize = 1024;

/// The shortest that seals a key, in characters.
pub const SHORTEST: usize = 8;

/// What was typed; forgotten when dropped.
pub type Typed = Zeroizing<Vec<u8>>;

/// A terminal that can hide what is typed.
pub struct Terminal(File);

/// What came of asking.
pub enum Unlocked {
    /// The keys are open.
    Keys(Keyring),
    /// They are not: why.
    Nothing(&'static str),
}

impl Terminal {
    /// The controlling terminal, if there is one.
    pub fn open(env: &Env) -> Option<Self> {
        let tty = OpenOptions::new().read(true).write(true).open(&env.tty).ok()?;
        tcgetattr(&tty).ok()?;
        Some(Self(tty))
    }

    /// Shows words.
    pub fn say(&self, words: &str) -> Result<(), CliError> {
        writeln!(&self.0, "{}", escape(words)).map_err(failed)
    }

    /// Asks for one line that is not shown. None: it was left.
    pub fn ask(&self, prompt: &str) -> Result<Option<Typed>, CliError> {
        let quiet = Quiet::new(&self.0)?;
        write!(&self.0, "{prompt}: ").map_err(failed)?;
        let typed = self.line().map_err(failed);
        drop(quiet);
        writeln!(&self.0).map_err(failed)?;
        typed
    }

    fn line(&self) -> io::Result<Option<Typed>> {
        // As large as it can get, so that no copy is left behind when it grows.
        let mut typed = Zeroizing::new(Vec::with_capacity(LONGEST));
        let mut byte = [0];
        loop {
            if (&self.0).read(&mut byte)? == 0 {
                return Ok(None);
            }
            match byte[0] {
                b'\n' | b'\r' => return Ok(Some(typed)),
                // Ctrl-C, Ctrl-D, Ctrl-\.
                0x03 | 0x04 | 0x1c => return Ok(None),
                // Ctrl-U.
                0x15 => typed.clear(),
                0x08 | 0x7f => rub(&mut typed),
                other if typed.len() < LONGEST => typed.push(other),
                _ => {}
            }
        }
    }
}

/// Takes the last character away, with all of its bytes.
fn rub(typed: &mut Vec<u8>) {
    while let Some(byte) = typed.pop() {
        if byte & 0xc0 != 0x80 {
            return;
        }
    }
}

/// While it lives, nothing that is typed is shown, and no key ends the program before the terminal is as it was.
struct Quiet<'a> {
    tty: &'a File,
    before: Termios,
}

impl<'a> Quiet<'a> {
    fn new(tty: &'a File) -> Result<Self, CliError> {
        let before = tcgetattr(tty).map_err(|error| failed(error.into()))?;
        let mut quiet = before.clone();
        quiet
            .local_modes
            .remove(LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG);
        tcsetattr(tty, OptionalActions::Flush, &quiet).map_err(|error| failed(error.into()))?;
        Ok(Self { tty, before })
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        let _nothing_left_to_do = tcsetattr(self.tty, OptionalActions::Now, &self.before);
    }
}

#[expect(clippy::needless_pass_by_value, reason = "made for `map_err`")]
fn failed(error: io::Error) -> CliError {
    CliError::internal(format!("failed to use the terminal: {}", io_words(error.kind())))
}

/// What `authority.json` is, or that it can't be read.
pub fn sealed(data: &Path) -> Result<Option<Sealed>, CliError> {
    Sealed::read(data).map_err(|error| {
        CliError::internal(format!("failed to read authority.json: {}", io_words(error.kind())))
            .hint("put it back from a copy: see `loopx doctor`")
    })
}

/// Shows what is to be decided and opens the keys with the passphrase that is typed. Nobody is asked for one where
/// it could not help.
pub fn unlock(env: &Env, data: &Path, keys: &[AuthorityKey], what: &str) -> Result<Unlocked, CliError> {
    let Some(sealed) = sealed(data)? else { return Ok(Unlocked::Nothing("no passphrase is set up here")) };
    if keys.iter().any(|key| !sealed.has(key)) {
        return Ok(Unlocked::Nothing("authority.json does not hold the goal's key"));
    }
    let Some(terminal) = Terminal::open(env) else { return Ok(Unlocked::Nothing("there is no terminal")) };
    terminal.say(what)?;
    let Some(typed) = terminal.ask("type the passphrase to decide this, nothing to leave it")? else {
        return Ok(Unlocked::Nothing("no passphrase was typed"));
    };
    if typed.is_empty() {
        return Ok(Unlocked::Nothing("no passphrase was typed"));
    }
    Ok(match sealed.open(&typed) {
        Ok(keys) => Unlocked::Keys(keys),
        Err(why) => Unlocked::Nothing(why.words()),
    })
}

/// Asks for a new passphrase, twice. An error if it is too short, differs or is left.
pub fn choose(terminal: &Terminal) -> Result<Typed, CliError> {
    let left = || CliError::refused("no passphrase was typed: nothing was changed");
    let first = terminal.ask("new passphrase")?.filter(|typed| !typed.is_empty()).ok_or_else(left)?;
    let characters = String::from_utf8_lossy(&first).chars().count();
    if characters < SHORTEST {
        return Err(CliError::usage(format!("the passphrase has fewer than {SHORTEST} characters"))
            .hint("take several words: a long one is easy to keep and hard to guess"));
    }
    let second = terminal.ask("the same again")?.ok_or_else(left)?;
    if *first == *second {
        Ok(first)
    } else {
        Err(CliError::usage("the two differ: nothing was changed").hint("run it again"))
    }
}
