//! Groups of commands: subshells, braces, and what the shell's own words begin.

use super::lexer::Token;
use super::line::{Closer, Reader};
use super::part::Part;
use super::word::Word;

/// Words that may stand behind a group without a `;` between.
const CLOSING: [&str; 8] = ["then", "else", "elif", "do", "fi", "done", "esac", "}"];

impl<'a> Reader<'a> {
    pub(super) fn subshell(&mut self) -> Part {
        self.lexer.take();
        if self.lexer.skip_sums() {
            return self.closed(Part::default());
        }
        let (modes, may_have_left) = (self.modes, self.may_have_left);
        let part = self.list(Closer::Bracket).in_own_shell();
        (self.modes, self.may_have_left) = (modes, may_have_left);
        self.closed(Part { first: part.kind, ..part })
    }

    /// A group that begins with a word of the shell's own.
    pub(super) fn group(&mut self, word: Word<'a>) -> Option<Part> {
        if word.quoted {
            return None;
        }
        let end = match word.raw {
            "{" => {
                self.lexer.take();
                let part = self.list(Closer::Word("}"));
                return Some(self.closed(part));
            }
            "[[" => {
                self.skip_behind("]]");
                return Some(self.closed(Part::default()));
            }
            "function" => {
                self.lexer.take();
                self.lexer.take();
                return Some(self.function());
            }
            "if" => "fi",
            "while" | "until" | "for" | "select" => "done",
            "case" => "esac",
            _ => return None,
        };
        match word.raw {
            "case" => self.skip_behind("in"),
            "for" | "select" => self.skip_command(),
            _ => {
                self.lexer.take();
            }
        }
        let modes = self.modes;
        let part = self.list(Closer::Word(end)).masked();
        self.modes = self.modes.and(modes);
        Some(self.closed(part))
    }

    /// Behind a group only redirections may stand.
    pub(super) fn closed(&mut self, part: Part) -> Part {
        loop {
            match self.lexer.peek() {
                Token::Redirection => {}
                Token::Word(word) if word.quoted || !CLOSING.contains(&word.raw) => self.lexer.mark_broken(),
                Token::Word(_)
                | Token::And
                | Token::Or
                | Token::Pipe
                | Token::Next
                | Token::Background
                | Token::Open
                | Token::Close
                | Token::End => return part,
            }
            self.lexer.take();
        }
    }

    /// To behind a word, wherever it stands.
    fn skip_behind(&mut self, end: &str) {
        loop {
            match self.lexer.take() {
                Token::Word(word) if word.is(end) => return,
                Token::End => return self.lexer.mark_broken(),
                Token::Word(_)
                | Token::Redirection
                | Token::And
                | Token::Or
                | Token::Pipe
                | Token::Next
                | Token::Background
                | Token::Open
                | Token::Close => {}
            }
        }
    }

    /// To the end of a command, without looking at it.
    fn skip_command(&mut self) {
        loop {
            match self.lexer.peek() {
                Token::Word(_) | Token::Redirection => {
                    self.lexer.take();
                }
                Token::Open => {
                    self.lexer.take();
                    self.lexer.skip_brackets();
                }
                Token::And
                | Token::Or
                | Token::Pipe
                | Token::Next
                | Token::Background
                | Token::Close
                | Token::End => return,
            }
        }
    }

    /// Behind a function's name: its body, of which nobody knows whether it runs.
    pub(super) fn function(&mut self) -> Part {
        if self.lexer.peek() == Token::Open {
            self.lexer.take();
            self.lexer.skip_brackets();
        }
        while self.lexer.peek() == Token::Next {
            self.lexer.take();
        }
        let (modes, may_have_left) = (self.modes, self.may_have_left);
        let part = self.command().masked();
        (self.modes, self.may_have_left) = (modes, may_have_left);
        part
    }
}
