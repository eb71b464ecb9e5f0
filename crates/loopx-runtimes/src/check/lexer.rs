//! Cuts a shell line into words and operators, each byte once. Comments and the bodies of here-documents are
//! left out; what stands in quotes and substitutions stays inside its word.

use std::borrow::Cow;

use memchr::memchr;

use super::enclosed::Within;
use super::word::Word;

/// A piece of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A word.
    Word(Word<'a>),
    /// `> file` and its like, with where it leads.
    Redirection,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|` and `|&`
    Pipe,
    /// `;`, `;;` and the end of a line.
    Next,
    /// `&`
    Background,
    /// `(`
    Open,
    /// `)`
    Close,
    /// Nothing is left.
    End,
}

#[derive(Debug)]
pub(super) struct HereDocument<'a> {
    delimiter: Cow<'a, str>,
    tabs: bool,
}

#[derive(Debug)]
pub(super) struct Lexer<'a> {
    pub(super) line: &'a str,
    pub(super) at: usize,
    peeked: Option<Token<'a>>,
    pub(super) bodies: Vec<HereDocument<'a>>,
    pub(super) depth: u8,
    broken: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self { line, at: 0, peeked: None, bodies: Vec::new(), depth: 0, broken: false }
    }

    /// The next piece, which stays.
    pub(super) fn peek(&mut self) -> Token<'a> {
        let token = self.take();
        self.peeked = Some(token);
        token
    }

    /// Takes the next piece.
    pub(super) fn take(&mut self) -> Token<'a> {
        self.peeked.take().unwrap_or_else(|| self.read())
    }

    /// After an opening bracket: skips to behind the one that closes it.
    pub(super) fn skip_brackets(&mut self) {
        self.brackets(Within::Open);
    }

    /// After an opening bracket: skips arithmetic, `((…))`, if it is that.
    pub(super) fn skip_sums(&mut self) -> bool {
        let sums = self.byte(0) == Some(b'(');
        if sums {
            self.brackets(Within::Sums);
        }
        sums
    }

    /// The line is none that a shell would take, or one that is too deep: nothing more is read.
    pub(super) fn give_up(&mut self) {
        self.broken = true;
        self.at = self.line.len();
        self.peeked = None;
    }

    /// The line is none that a shell would take.
    pub(super) fn mark_broken(&mut self) {
        self.broken = true;
    }

    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        self.line.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn step(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.line.len());
    }

    fn is(&mut self, token: Token<'a>, bytes: usize) -> Token<'a> {
        self.step(bytes);
        token
    }

    fn read(&mut self) -> Token<'a> {
        loop {
            self.blanks();
            return match (self.byte(0), self.byte(1)) {
                (None, _) => Token::End,
                (Some(b'#'), _) => {
                    self.comment();
                    continue;
                }
                (Some(b'\n'), _) => {
                    self.step(1);
                    self.skip_bodies();
                    Token::Next
                }
                (Some(b';'), Some(b';' | b'&')) => self.is(Token::Next, 2),
                (Some(b';'), _) => self.is(Token::Next, 1),
                (Some(b'&'), Some(b'&')) => self.is(Token::And, 2),
                (Some(b'&'), Some(b'>')) => {
                    self.step(1);
                    self.redirection();
                    Token::Redirection
                }
                (Some(b'&'), _) => self.is(Token::Background, 1),
                (Some(b'|'), Some(b'|')) => self.is(Token::Or, 2),
                (Some(b'|'), Some(b'&')) => self.is(Token::Pipe, 2),
                (Some(b'|'), _) => self.is(Token::Pipe, 1),
                (Some(b'('), _) => self.is(Token::Open, 1),
                (Some(b')'), _) => self.is(Token::Close, 1),
                (Some(b'<' | b'>'), Some(next)) if next != b'(' => {
                    self.redirection();
                    Token::Redirection
                }
                (Some(b'<' | b'>'), None) => {
                    self.give_up();
                    continue;
                }
                (Some(_), _) => {
                    let word = self.word();
                    let descriptor = word.raw.bytes().all(|byte| byte.is_ascii_digit());
                    if descriptor && matches!(self.byte(0), Some(b'<' | b'>')) {
                        continue;
                    }
                    Token::Word(word)
                }
            };
        }
    }

    fn blanks(&mut self) {
        loop {
            match (self.byte(0), self.byte(1)) {
                (Some(b' ' | b'\t' | b'\r'), _) => self.step(1),
                (Some(b'\\'), Some(b'\n')) => self.step(2),
                _ => return,
            }
        }
    }

    pub(super) fn comment(&mut self) {
        let rest = self.line.as_bytes().get(self.at..).unwrap_or_default();
        self.step(memchr(b'\n', rest).unwrap_or(rest.len()));
    }

    /// `>`, `>>`, `>&`, `>|`, `<`, `<&`, `<>`, `<<`, `<<-` or `<<<`, and where it leads.
    pub(super) fn redirection(&mut self) {
        match (self.byte(0), self.byte(1), self.byte(2)) {
            (Some(b'<'), Some(b'<'), Some(b'<')) => self.step(3),
            (Some(b'<'), Some(b'<'), _) => return self.here_document(),
            (_, Some(b'>' | b'&' | b'|'), _) => self.step(2),
            _ => self.step(1),
        }
        self.blanks();
        if self.word().raw.is_empty() {
            self.mark_broken();
        }
    }

    fn here_document(&mut self) {
        self.step(2);
        let tabs = self.byte(0) == Some(b'-');
        self.step(usize::from(tabs));
        self.blanks();
        let word = self.word();
        if word.raw.is_empty() {
            self.mark_broken();
        } else {
            self.bodies.push(HereDocument { delimiter: word.text(), tabs });
        }
    }

    /// At the start of a line: skips the bodies of the here-documents that the line before began.
    pub(super) fn skip_bodies(&mut self) {
        for body in std::mem::take(&mut self.bodies) {
            loop {
                let rest = self.line.get(self.at..).unwrap_or_default();
                let length = memchr(b'\n', rest.as_bytes());
                let line = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
                self.step(line.len() + 1);
                let line = if body.tabs { line.trim_start_matches('\t') } else { line };
                if length.is_none() || line.trim_end_matches('\r') == body.delimiter {
                    break;
                }
            }
        }
    }

    fn word(&mut self) -> Word<'a> {
        let (start, mut quoted) = (self.at, false);
        loop {
            match self.byte(0) {
                Some(b'<' | b'>') if self.byte(1) == Some(b'(') => {
                    self.step(2);
                    self.brackets(Within::Open);
                }
                None | Some(b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b')') => break,
                Some(b'(') => {
                    // An array, `x=(…)`, or a pattern, `*(…)`; anything else is an operator.
                    let before = self.line.as_bytes().get(start..self.at).unwrap_or_default();
                    if before == b"!"
                        || !matches!(before.last(), Some(b'=' | b'?' | b'*' | b'+' | b'@' | b'!'))
                    {
                        break;
                    }
                    self.step(1);
                    self.brackets(Within::Open);
                }
                Some(byte) => {
                    quoted |= matches!(byte, b'\'' | b'"' | b'\\');
                    self.inside(byte, Within::Open);
                }
            }
        }
        Word { raw: self.line.get(start..self.at).unwrap_or_default(), quoted }
    }
}
