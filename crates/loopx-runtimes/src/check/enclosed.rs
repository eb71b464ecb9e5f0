//! Steps over what quotes, parameters and substitutions enclose.

use memchr::memchr;

use super::lexer::Lexer;

/// How deep substitutions are followed.
const DEEPEST: u8 = 32;

/// Where a piece stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// In no quotes, or in a substitution that begins anew.
    Open,
    /// In double quotes.
    Double,
    /// In arithmetic, where `<<` and `#` mean something else.
    Sums,
}

impl Lexer<'_> {
    /// Steps over one byte, and over all that a quote or a substitution encloses.
    pub(super) fn inside(&mut self, byte: u8, within: Within) {
        match (byte, self.byte(1)) {
            (b'\\', _) => self.step(2),
            (b'\'', _) if within != Within::Double => {
                self.step(1);
                self.until(b'\'');
            }
            (b'"', _) => self.double(),
            (b'`', _) => {
                self.step(1);
                self.escaped_until(b'`');
            }
            (b'$', Some(b'(')) => {
                self.step(2);
                let within = if self.byte(0) == Some(b'(') { Within::Sums } else { Within::Open };
                self.brackets(within);
            }
            (b'$', Some(b'{')) => {
                self.step(2);
                self.braces(within);
            }
            (b'$', Some(b'\'')) if within != Within::Double => {
                self.step(2);
                self.escaped_until(b'\'');
            }
            _ => self.step(1),
        }
    }

    fn until(&mut self, end: u8) {
        let rest = self.line.as_bytes().get(self.at..).unwrap_or_default();
        match memchr(end, rest) {
            Some(length) => self.step(length + 1),
            None => self.give_up(),
        }
    }

    fn escaped_until(&mut self, end: u8) {
        loop {
            match self.byte(0) {
                None => return self.give_up(),
                Some(b'\\') => self.step(2),
                Some(byte) => {
                    self.step(1);
                    if byte == end {
                        return;
                    }
                }
            }
        }
    }

    fn double(&mut self) {
        self.step(1);
        loop {
            match self.byte(0) {
                None => return self.give_up(),
                Some(b'"') => return self.step(1),
                Some(byte) => self.inside(byte, Within::Double),
            }
        }
    }

    /// To behind the brace that closes a parameter.
    fn braces(&mut self, within: Within) {
        if !self.deeper() {
            return;
        }
        loop {
            match self.byte(0) {
                None => {
                    self.give_up();
                    break;
                }
                Some(b'}') => {
                    self.step(1);
                    break;
                }
                Some(byte) => self.inside(byte, within),
            }
        }
        self.depth -= 1;
    }

    /// To behind the bracket that closes a substitution.
    pub(super) fn brackets(&mut self, within: Within) {
        if !self.deeper() {
            return;
        }
        let outer = std::mem::take(&mut self.bodies);
        let mut open = 1_usize;
        let mut before = b' ';
        while open > 0 {
            let Some(byte) = self.byte(0) else {
                self.give_up();
                break;
            };
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {}
            }
            match (byte, within) {
                (b'#', Within::Open) if matches!(before, b' ' | b'\t' | b'\n' | b';') => self.comment(),
                (b'<', Within::Open) if self.byte(1) == Some(b'<') => self.redirection(),
                (b'\n', _) => {
                    self.step(1);
                    self.skip_bodies();
                }
                _ => self.inside(byte, within),
            }
            before = byte;
        }
        self.bodies = outer;
        self.depth -= 1;
    }

    fn deeper(&mut self) -> bool {
        if self.depth >= DEEPEST {
            self.give_up();
            return false;
        }
        self.depth += 1;
        true
    }
}
