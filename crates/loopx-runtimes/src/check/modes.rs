//! The modes of a shell that make an exit code tell more.

use super::word::Word;

/// Which of them are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Modes {
    /// The first command that fails ends the shell.
    pub(super) errexit: bool,
    /// A pipe fails if one of its commands does.
    pub(super) pipefail: bool,
}

impl Modes {
    /// What is on in both.
    pub(super) fn and(self, other: Self) -> Self {
        Self { errexit: self.errexit && other.errexit, pipefail: self.pipefail && other.pipefail }
    }

    /// After `set` with these words.
    pub(super) fn set(mut self, words: &[Word<'_>]) -> Self {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.text();
            if text == "--" {
                break;
            }
            if self.option(&text) == Wants::Name
                && let Some(name) = words.next()
            {
                self.named(&name.text(), text.starts_with('-'));
            }
        }
        self
    }

    /// Takes one option, such as `-eu` or `+e`, and says whether a name follows.
    pub(super) fn option(&mut self, text: &str) -> Wants {
        let on = text.starts_with('-');
        let letters = text.get(1..).unwrap_or_default();
        if !text.starts_with(['-', '+']) || letters.starts_with('-') {
            return Wants::Nothing;
        }
        if letters.contains('e') {
            self.errexit = on;
        }
        if letters.contains('o') { Wants::Name } else { Wants::Nothing }
    }

    /// Takes the name after `-o`.
    pub(super) fn named(&mut self, name: &str, on: bool) {
        match name {
            "errexit" => self.errexit = on,
            "pipefail" => self.pipefail = on,
            _ => {}
        }
    }
}

/// What an option wants behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wants {
    /// Nothing.
    Nothing,
    /// The name of a mode.
    Name,
}
