//! How a program's words say what it checks.

use loopx_contract::CheckLabel;

use super::word::Word;

/// Words that ask a program about itself.
const ASKS: &str = "--help -h --version";

/// A program. Its lists hold words with blanks between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tool {
    /// Its name.
    pub(super) name: &'static str,
    /// Which of its words count.
    reach: Reach,
    /// What it does if none of them says.
    otherwise: Otherwise,
    test: &'static str,
    lint: &'static str,
    build: &'static str,
    /// A word, and the options with which it is a lint.
    lint_with: (&'static str, &'static str),
    /// Options and words that take the next word.
    takes: &'static str,
    /// Words that are stepped over.
    through: &'static str,
    /// Words that are programs of their own.
    hands: &'static str,
    /// How many words are stepped over.
    skips: u8,
    /// Words with which it is no check.
    but: &'static str,
    /// Words without which it is no check.
    only: &'static str,
    /// Words with which its test is only built.
    builds_with: &'static str,
}

/// Which of a program's words count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// The first that is no option: a subcommand.
    First,
    /// Each: targets.
    Each,
    /// Each, by what stands behind its last colon: `:app:test`.
    Tails,
}

/// What a program does if no word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Otherwise {
    /// No check.
    Nothing,
    /// This, whatever its words.
    Always(CheckLabel),
    /// This, if it has no words.
    Bare(CheckLabel),
    /// It runs the command that its words are.
    Runs,
}

/// What a call of a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call<'w, 'a> {
    /// No check.
    Nothing,
    /// A check.
    Check(CheckLabel),
    /// Another command.
    Command(&'w [Word<'a>]),
}

/// A program whose subcommand says.
pub(super) const fn at(name: &'static str) -> Tool {
    Tool {
        name,
        reach: Reach::First,
        otherwise: Otherwise::Nothing,
        test: "",
        lint: "",
        build: "",
        lint_with: ("", ""),
        takes: "",
        through: "",
        hands: "",
        skips: 0,
        but: "",
        only: "",
        builds_with: "",
    }
}

/// A program whose targets say.
pub(super) const fn targets(name: &'static str) -> Tool {
    Tool { reach: Reach::Each, ..at(name) }
}

/// A program that tests.
pub(super) const fn tests(name: &'static str) -> Tool {
    Tool { otherwise: Otherwise::Always(CheckLabel::Test), ..at(name) }
}

/// A program that lints.
pub(super) const fn lints(name: &'static str) -> Tool {
    Tool { otherwise: Otherwise::Always(CheckLabel::Lint), ..at(name) }
}

/// A program that builds.
pub(super) const fn builds(name: &'static str) -> Tool {
    Tool { otherwise: Otherwise::Always(CheckLabel::Build), ..at(name) }
}

/// A program that runs another.
pub(super) const fn runs(name: &'static str) -> Tool {
    Tool { otherwise: Otherwise::Runs, ..at(name) }
}

impl Tool {
    /// Whether a call of it can be a check by itself: what only runs another program can't.
    pub(super) const fn checks(&self) -> bool {
        !matches!(self.otherwise, Otherwise::Nothing | Otherwise::Runs)
            || !self.test.is_empty()
            || !self.lint.is_empty()
            || !self.build.is_empty()
            || !self.lint_with.0.is_empty()
    }

    pub(super) const fn test(self, test: &'static str) -> Self {
        Self { test, ..self }
    }

    pub(super) const fn lint(self, lint: &'static str) -> Self {
        Self { lint, ..self }
    }

    pub(super) const fn build(self, build: &'static str) -> Self {
        Self { build, ..self }
    }

    pub(super) const fn lint_with(self, word: &'static str, options: &'static str) -> Self {
        Self { lint_with: (word, options), ..self }
    }

    pub(super) const fn takes(self, takes: &'static str) -> Self {
        Self { takes, ..self }
    }

    pub(super) const fn through(self, through: &'static str) -> Self {
        Self { through, ..self }
    }

    pub(super) const fn hands(self, hands: &'static str) -> Self {
        Self { hands, ..self }
    }

    pub(super) const fn skips(self, skips: u8) -> Self {
        Self { skips, ..self }
    }

    pub(super) const fn but(self, but: &'static str) -> Self {
        Self { but, ..self }
    }

    pub(super) const fn only(self, only: &'static str) -> Self {
        Self { only, ..self }
    }

    pub(super) const fn builds_with(self, builds_with: &'static str) -> Self {
        Self { builds_with, ..self }
    }

    /// Each of its words counts.
    pub(super) const fn each(self) -> Self {
        Self { reach: Reach::Each, ..self }
    }

    /// The tail of each of its words counts.
    pub(super) const fn tails(self) -> Self {
        Self { reach: Reach::Tails, ..self }
    }

    /// Without words it builds.
    pub(super) const fn bare_builds(self) -> Self {
        Self { otherwise: Otherwise::Bare(CheckLabel::Build), ..self }
    }

    /// What a call with these words is.
    pub(super) fn call<'w, 'a>(&self, words: &'w [Word<'a>]) -> Call<'w, 'a> {
        if !self.only.is_empty() && !any(words, self.only) {
            return Call::Nothing;
        }
        let (mut found, mut bare, mut skips, mut next) = (None, true, self.skips, 0);
        while let Some(word) = words.get(next) {
            let here = next;
            next += 1;
            let text = word.text();
            if holds(self.but, &text) {
                return Call::Nothing;
            }
            if let Some(label) = self.label(&text) {
                found = found.map_or(Some(label), |found: CheckLabel| Some(found.min(label)));
                if self.reach == Reach::First {
                    break;
                }
            } else if holds(self.lint_with.0, &text) {
                found = found.or_else(|| any(words, self.lint_with.1).then_some(CheckLabel::Lint));
                bare = false;
                break;
            } else if holds(self.takes, &text) {
                next += 1;
            } else if text.starts_with(['-', '+']) || holds(self.through, &text) {
                // Stepped over.
            } else if skips > 0 {
                skips -= 1;
            } else if self.otherwise == Otherwise::Runs || holds(self.hands, &text) {
                return Call::Command(words.get(here..).unwrap_or_default());
            } else if self.reach == Reach::First {
                bare = false;
                break;
            } else {
                // Neither a number nor a variable is a target: `make -j 4 V=1`.
                bare &=
                    word.assigns() || text.starts_with(|first: char| first.is_ascii_digit() || first == '$');
            }
        }
        let label = found.or(match self.otherwise {
            Otherwise::Always(label) => Some(label),
            Otherwise::Bare(label) if bare => Some(label),
            Otherwise::Bare(_) | Otherwise::Nothing | Otherwise::Runs => None,
        });
        match label {
            None => Call::Nothing,
            Some(_) if any(words, self.but) || any(words, ASKS) => Call::Nothing,
            Some(CheckLabel::Test) if any(words, self.builds_with) => Call::Check(CheckLabel::Build),
            Some(label) => Call::Check(label),
        }
    }

    /// What one of its words says.
    fn label(&self, text: &str) -> Option<CheckLabel> {
        let text = match self.reach {
            Reach::First => text,
            Reach::Each => text.split(' ').next().unwrap_or_default(),
            Reach::Tails => text.rsplit(':').next().unwrap_or_default(),
        };
        [(self.test, CheckLabel::Test), (self.lint, CheckLabel::Lint), (self.build, CheckLabel::Build)]
            .into_iter()
            .find_map(|(list, label)| begins(list, text).then_some(label))
    }
}

/// Whether one of the words is in a list. No word of a list is long, so long words aren't read.
fn any(words: &[Word<'_>], list: &str) -> bool {
    !list.is_empty() && words.iter().any(|word| word.raw.len() <= 48 && holds(list, &word.text()))
}

/// Whether a word is in a list.
fn holds(list: &str, text: &str) -> bool {
    !text.is_empty() && list.split(' ').any(|entry| entry == text)
}

/// Whether a word is in a list, or begins with one there and a colon: `test:unit`.
fn begins(list: &str, text: &str) -> bool {
    !text.is_empty()
        && !list.is_empty()
        && list.split(' ').any(|entry| {
            text.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        })
}
