//! What the exit code of a shell line tells of the checks in it.

use super::command::{Sense, sense};
use super::lexer::{Lexer, Token};
use super::modes::Modes;
use super::part::{Code, Part, both, masked};
use super::word::Word;
use super::{Kind, names_a_tool};

/// How much of a line is looked at, in bytes.
const LONGEST: usize = 64 << 10;

/// How deep groups are followed.
const DEEPEST: u8 = 32;

/// How many shells may stand inside one another: `sh -c 'sh -c …'`.
const MOST_SHELLS: u8 = 4;

/// What a line checks, in a shell with these modes, inside so many others.
pub(super) fn kind(line: &str, modes: Modes, shells: u8) -> Option<Kind> {
    if shells > MOST_SHELLS || !names_a_tool(line.as_bytes()) {
        return None;
    }
    read(line, modes, shells)
}

/// The same, whatever its words are.
pub(super) fn read(line: &str, modes: Modes, shells: u8) -> Option<Kind> {
    let seen = line.get(..line.floor_char_boundary(LONGEST)).unwrap_or_default();
    let mut reader =
        Reader { lexer: Lexer::new(seen), words: Vec::new(), modes, level: 0, may_have_left: false, shells };
    let found = reader.list(Closer::End).kind;
    if reader.lexer.is_broken() || seen.len() < line.len() { found.map(Kind::masked) } else { found }
}

/// What the words of one command check.
pub(super) fn kind_of_words(words: &[Word<'_>], shells: u8) -> Option<Kind> {
    match sense(words) {
        Sense::Nothing => None,
        Sense::Check(label) => Some(Kind::alone(label)),
        Sense::Line(line, modes) => kind(&line, modes, shells + 1),
    }
}

/// What ends a list of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closer<'c> {
    /// The end of the line.
    End,
    /// A bracket.
    Bracket,
    /// A word of the shell's own.
    Word(&'c str),
}

/// What comes next in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A command.
    Command,
    /// Nothing yet.
    Between,
    /// Nothing more.
    Closed,
}

/// Reads a line from left to right, once.
pub(super) struct Reader<'a> {
    pub(super) lexer: Lexer<'a>,
    /// The words of the command that is read; kept, so that they are allocated once.
    pub(super) words: Vec<Word<'a>>,
    pub(super) modes: Modes,
    /// How many groups stand around.
    level: u8,
    /// An `exit` that may have run, and whose code may be 0.
    pub(super) may_have_left: bool,
    /// How many shells stand around.
    pub(super) shells: u8,
}

impl Reader<'_> {
    /// Commands one after another, to behind what closes them.
    pub(super) fn list(&mut self, closer: Closer<'_>) -> Part {
        let mut settled: Option<Kind> = None;
        let mut last: Option<Part> = None;
        loop {
            match self.step(closer) {
                Step::Closed => break,
                Step::Between => continue,
                Step::Command => {}
            }
            let modes = self.modes;
            let mut part = self.and_or();
            let next = self.lexer.peek();
            if next == Token::Close && closer == Closer::Word("esac") {
                // A pattern of `case`.
                continue;
            }
            if next == Token::Background {
                part = part.masked();
                self.modes = modes;
            }
            // Nothing runs behind it.
            self.may_have_left |= !matches!(part.code, Code::Any | Code::Failure);
            last = match (last, part.code) {
                (None, _) => Some(part),
                (Some(before), Code::LeaveAsBefore) => Some(before.leaving(before.kind)),
                (Some(before), Code::LeaveAsFirst) => Some(before.leaving(before.first)),
                (Some(before), Code::Any | Code::Failure | Code::Leave) => {
                    let kept = if before.guarded { before } else { before.masked() };
                    settled = both(settled, kept.kind.map(Kind::conjoined));
                    Some(Part { kind: part.kind.map(Kind::conjoined), ..part })
                }
            };
        }
        let last = last.unwrap_or_default();
        let kind = both(settled, last.kind);
        Part { kind, first: masked(kind), ..last }
    }

    /// What comes next in a list. Takes what closes it, and what stands between its commands.
    fn step(&mut self, closer: Closer<'_>) -> Step {
        let step = match self.lexer.peek() {
            Token::End => {
                if closer != Closer::End {
                    self.lexer.mark_broken();
                }
                return Step::Closed;
            }
            Token::Open | Token::Redirection => return Step::Command,
            Token::Next | Token::Background => Step::Between,
            Token::Close if closer == Closer::Bracket => Step::Closed,
            Token::Close if closer == Closer::Word("esac") => Step::Between,
            Token::Word(word) if word.quoted => return Step::Command,
            Token::Word(word) => match word.raw {
                end if closer == Closer::Word(end) => Step::Closed,
                "then" | "else" | "elif" | "do" => Step::Between,
                "fi" | "done" | "esac" | "}" => self.stray(),
                _ => return Step::Command,
            },
            Token::And | Token::Or | Token::Pipe | Token::Close => self.stray(),
        };
        self.lexer.take();
        step
    }

    /// Something that can't stand here.
    fn stray(&mut self) -> Step {
        self.lexer.mark_broken();
        Step::Between
    }

    /// Pipes joined by `&&` and `||`, which bind alike.
    fn and_or(&mut self) -> Part {
        let braces = matches!(self.lexer.peek(), Token::Word(word) if word.is("{"));
        let mut part = self.reached();
        // What follows a group may switch it off inside, and it overlooks some failures in braces.
        part.guarded = self.modes.errexit && self.level == 0 && !braces;
        let sure = self.modes;
        loop {
            let and = match self.lexer.peek() {
                Token::And => true,
                Token::Or => false,
                Token::Word(_)
                | Token::Redirection
                | Token::Pipe
                | Token::Next
                | Token::Background
                | Token::Open
                | Token::Close
                | Token::End => break,
            };
            self.take_lines();
            self.may_have_left |= part.code.may_leave_well();
            let right = self.reached();
            if and {
                self.may_have_left |= right.code.may_leave_well();
                part = part.and(right);
            } else {
                self.may_have_left |= right.code == Code::LeaveAsFirst;
                self.modes = self.modes.and(sure);
                part = part.or(right);
            }
        }
        self.modes = self.modes.and(sure);
        part
    }

    /// A pipe, of which nothing is known if the shell may have left before it.
    fn reached(&mut self) -> Part {
        let left = self.may_have_left;
        let part = self.pipeline();
        if left { part.masked() } else { part }
    }

    /// Takes an operator and the line ends behind it.
    fn take_lines(&mut self) {
        self.lexer.take();
        while self.lexer.peek() == Token::Next {
            self.lexer.take();
        }
    }

    fn pipeline(&mut self) -> Part {
        let mut negated = false;
        while let Token::Word(word) = self.lexer.peek()
            && word.is("!")
        {
            self.lexer.take();
            negated = true;
        }
        let modes = self.modes;
        let mut part = self.command();
        let mut earlier = None;
        while self.lexer.peek() == Token::Pipe {
            earlier = both(earlier, part.kind);
            self.take_lines();
            let next = self.command().in_own_shell();
            earlier = if modes.pipefail { earlier.map(Kind::conjoined) } else { masked(earlier) };
            let first = both(part.first.map(Kind::conjoined), masked(next.kind));
            part = Part { kind: next.kind.map(Kind::conjoined), first, ..next };
            self.modes = modes;
        }
        part.kind = both(earlier, part.kind);
        if negated {
            self.may_have_left |= part.code.may_leave_well();
            return part.masked();
        }
        part
    }

    /// One command, or a group of them.
    pub(super) fn command(&mut self) -> Part {
        if self.level >= DEEPEST {
            self.lexer.give_up();
            return Part::default();
        }
        self.level += 1;
        let part = match self.lexer.peek() {
            Token::Open => self.subshell(),
            Token::Word(word) => self.group(word).unwrap_or_else(|| self.simple()),
            Token::Redirection => self.simple(),
            Token::And
            | Token::Or
            | Token::Pipe
            | Token::Next
            | Token::Background
            | Token::Close
            | Token::End => Part::default(),
        };
        self.level -= 1;
        part
    }
}
