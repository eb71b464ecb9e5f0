//! Lines of any length out of a stream of bytes; what is over the cap is skipped, never held.

use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is held, in bytes.
pub const LINE_CAP: usize = 8 << 20;

/// One line of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A line and its newline.
    Ended,
    /// The last bytes of the stream, without a newline.
    Unended,
    /// A line over the cap, skipped to its newline.
    Oversized,
}

/// Reads lines and knows where each began.
#[derive(Debug)]
pub struct Lines<R> {
    source: BufReader<R>,
    held: Vec<u8>,
    next: u64,
    start: u64,
}

impl<R: Read> Lines<R> {
    /// Reads a stream whose first byte is at `offset` of its file.
    pub fn new(source: R, offset: u64) -> Self {
        Self {
            source: BufReader::with_capacity(64 << 10, source),
            held: Vec::new(),
            next: offset,
            start: offset,
        }
    }

    /// Goes to the next line; `None` at the end.
    pub fn advance(&mut self) -> io::Result<Option<Shape>> {
        self.held.clear();
        self.start = self.next;
        let mut oversized = false;
        loop {
            let chunk = match self.source.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok(match (self.next == self.start, oversized) {
                    (true, _) => None,
                    (false, true) => Some(Shape::Oversized),
                    (false, false) => Some(Shape::Unended),
                });
            }
            let newline = memchr::memchr(b'\n', chunk);
            let body = newline.unwrap_or(chunk.len());
            if self.held.len() + body > LINE_CAP {
                oversized = true;
                self.held = Vec::new();
            }
            if !oversized {
                self.held.extend_from_slice(chunk.get(..body).unwrap_or_default());
            }
            let used = body + usize::from(newline.is_some());
            self.source.consume(used);
            self.next += used as u64;
            if newline.is_some() {
                return Ok(Some(if oversized { Shape::Oversized } else { Shape::Ended }));
            }
        }
    }

    /// The bytes of the line, without its newline.
    pub fn bytes(&self) -> &[u8] {
        &self.held
    }

    /// Where the line began in its file.
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// Where the next line begins in its file.
    pub const fn next_start(&self) -> u64 {
        self.next
    }
}
