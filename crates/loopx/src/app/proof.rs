//! The terminal proof: a person, at a terminal, outside every runtime.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};

use loopx_core::Proof;
use loopx_safety::{escape, io_words};

use crate::env::Env;
use crate::error::CliError;

/// Letters and digits that can't be mistaken for one another.
const ALPHABET: &[u8; 30] = b"23456789abcdefghjkmnpqrstvwxyz";

/// Why a person who sat at the terminal proved nothing.
pub const NOT_TYPED: &str = "the code was not typed back";

/// What a door could show for a person. Anything but [`Proof::Terminal`] says why in words.
pub enum Shown {
    /// A code was typed back.
    Proved(Proof),
    /// Nothing was: why.
    Nothing(&'static str),
}

/// Opens the controlling terminal, shows what is to be decided, and has a random code typed back.
pub fn at_terminal(env: &Env, what: &str) -> Result<Shown, CliError> {
    let Ok(tty) = fs::OpenOptions::new().read(true).write(true).open(&env.tty) else {
        return Ok(Shown::Nothing("there is no terminal"));
    };
    let code = random_code(4)?;
    let failed = |error: std::io::Error| {
        CliError::internal(format!("failed to use the terminal: {}", io_words(error.kind())))
    };
    let mut out = &tty;
    write!(out, "{}\ntype {code} to decide this, anything else to leave it: ", escape(what))
        .map_err(failed)?;
    let mut typed = String::new();
    BufReader::new(std::io::Read::take(&tty, 256)).read_line(&mut typed).map_err(failed)?;
    if typed.trim() == code { Ok(Shown::Proved(Proof::Terminal)) } else { Ok(Shown::Nothing(NOT_TYPED)) }
}

/// So many letters and digits that nobody can guess.
pub fn random_code(length: usize) -> Result<String, CliError> {
    let mut code = String::new();
    while code.len() < length {
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes)
            .map_err(|_| CliError::internal("failed to draw a code: the system gives no random numbers"))?;
        // Bytes beyond the last whole multiple of the alphabet would favour its first letters.
        let fair = bytes.iter().filter(|byte| usize::from(**byte) < ALPHABET.len() * 8);
        for byte in fair.take(length - code.len()) {
            code.push(char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]));
        }
    }
    Ok(code)
}
