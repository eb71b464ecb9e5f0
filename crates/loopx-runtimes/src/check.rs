//! Which check a command is, as far as its words tell. The command is looked at, never kept.
//!
//! [`lexer`] cuts a shell line into words and operators, [`mod@line`] says what the line's exit code tells of the commands
//! in it, [`command`] finds the program behind its wrappers, and [`tools`] knows what a program checks.

mod command;
mod enclosed;
mod group;
mod lexer;
mod line;
mod modes;
mod part;
mod simple;
#[cfg(test)]
mod tests;
mod tool;
mod tools;
mod word;

use std::sync::LazyLock;

use loopx_contract::{CheckLabel, CheckOutcome};
use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

use modes::Modes;
use word::Word;

use crate::reader::field::Body;

/// What a command checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Kind {
    /// What is checked: of several checks the strongest, tests before linters before builds.
    pub label: CheckLabel,
    /// How the check stands in its line.
    pub joined: Joined,
}

/// How a check stands in its shell line: what the shell's exit code says of it. The later, the less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Joined {
    /// It is the whole line: the code is its own.
    Alone,
    /// Other commands stand beside it, and 0 means that it passed.
    Conjoined,
    /// The code is another command's: a pipe, a `;`, a `||` or a `&` hides the check's own.
    Masked,
}

/// How a command ended, as its runtime tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With an exit code.
    Code(i32),
    /// It failed, and no code is told.
    Failed,
    /// It was stopped.
    Cancelled,
    /// That isn't told.
    Unknown,
}

impl Kind {
    /// Whether the check is part of a compound command.
    pub fn compound(self) -> bool {
        match self.joined {
            Joined::Alone => false,
            Joined::Conjoined | Joined::Masked => true,
        }
    }

    /// How the check ended, and the exit code, where one is told.
    pub fn outcome(self, exit: Exit) -> (CheckOutcome, Option<i32>) {
        let (outcome, code) = match exit {
            Exit::Code(0) => (CheckOutcome::Passed, Some(0)),
            Exit::Code(code) => (CheckOutcome::Failed, Some(code)),
            Exit::Failed => (CheckOutcome::Failed, None),
            Exit::Cancelled => return (CheckOutcome::Cancelled, None),
            Exit::Unknown => return (CheckOutcome::Unknown, None),
        };
        match self.joined {
            Joined::Alone | Joined::Conjoined => (outcome, code),
            Joined::Masked => (CheckOutcome::Unknown, code),
        }
    }

    fn alone(label: CheckLabel) -> Self {
        Self { label, joined: Joined::Alone }
    }

    /// The same beside other commands.
    fn conjoined(self) -> Self {
        Self { joined: self.joined.max(Joined::Conjoined), ..self }
    }

    /// The same where another command gives the code.
    fn masked(self) -> Self {
        Self { joined: Joined::Masked, ..self }
    }
}

/// What a shell line checks, as it is given to `sh -c`.
pub fn of_line(line: &Body<'_>) -> Option<Kind> {
    if !names_a_tool(line.as_it_stands()) {
        return None;
    }
    line::kind(&line.whole(), Modes::default(), 0)
}

/// Whether the name of a program that checks stands anywhere in a text, be it with JSON's escapes or without. In most
/// lines none does, and to decode and read one costs more. A name with quotes inside is overlooked.
pub fn names_a_tool(text: &[u8]) -> bool {
    static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let names = tools::TOOLS.iter().filter(|tool| tool.checks()).map(|tool| tool.name);
        let names = names.chain(command::ALIASES.iter().map(|(other, _)| *other));
        let names: Vec<String> = names.map(regex::escape).collect();
        // Behind it a version may follow, `python3`, and before it the letter of an escape. Some escapes hide letters.
        Regex::new(&format!(r"(?-u)(?:\b|\\[bfnrt])(?:{})(?:[0-9]|\b)|\\u", names.join("|"))).ok()
    });
    NAMES.as_ref().is_none_or(|names| names.is_match(text))
}

/// What an argument vector checks. A shell with a line, `["bash", "-lc", "cargo test"]`, is read as that line.
pub fn of_words<S: AsRef<str>>(words: &[S]) -> Option<Kind> {
    let words: Vec<Word<'_>> = words.iter().map(|word| Word::literal(word.as_ref())).collect();
    line::kind_of_words(&words, 0)
}
