//! Commands of words.

use super::lexer::Token;
use super::line::{Closer, Reader, kind_of_words};
use super::part::{Code, Part};
use super::word::Word;

impl<'a> Reader<'a> {
    /// A command of words.
    pub(super) fn simple(&mut self) -> Part {
        self.words.clear();
        loop {
            match self.lexer.peek() {
                Token::Word(word) => {
                    self.lexer.take();
                    self.words.push(word);
                }
                Token::Redirection => {
                    self.lexer.take();
                }
                Token::Open => match self.words.as_slice() {
                    // `time ( … )`
                    [time] if time.is("time") => return self.subshell(),
                    [_] => return self.function(),
                    _ => {
                        self.lexer.take();
                        self.lexer.skip_brackets();
                        self.lexer.mark_broken();
                    }
                },
                Token::And
                | Token::Or
                | Token::Pipe
                | Token::Next
                | Token::Background
                | Token::Close
                | Token::End => break,
            }
            if let [time, brace] = self.words.as_slice()
                && time.is("time")
                && brace.is("{")
            {
                let part = self.list(Closer::Word("}"));
                return self.closed(part);
            }
        }
        let words = std::mem::take(&mut self.words);
        let assigned = words.iter().take_while(|word| word.assigns()).count();
        let part = self.evaluate(words.get(assigned..).unwrap_or_default());
        self.words = words;
        part
    }

    fn evaluate(&mut self, words: &[Word<'a>]) -> Part {
        let Some((name, rest)) = words.split_first() else { return Part::default() };
        match name.raw {
            "set" => self.modes = self.modes.set(rest),
            "false" => return Part { code: Code::Failure, ..Part::default() },
            "exit" | "return" => {
                let code = Code::of_exit(rest.first());
                self.may_have_left |= code == Code::Any;
                return Part { code, ..Part::default() };
            }
            _ => {
                let kind = kind_of_words(words, self.shells);
                return Part { kind, first: kind, ..Part::default() };
            }
        }
        Part::default()
    }
}
