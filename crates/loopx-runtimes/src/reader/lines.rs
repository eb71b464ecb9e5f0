//! Lines of any length out of a stream of bytes. A line is handed out where it was read; a long one is squeezed: the
//! bodies of its strings are cut, for nothing that is looked for stands that far inside one.

mod squeeze;

use std::io::{self, Read};

use squeeze::Squeeze;

/// How much is read at once, in bytes.
const CHUNK: usize = 256 << 10;
/// The longest line that is held as it stands, in bytes.
const AS_IT_STANDS: usize = 1 << 20;
/// The longest line that is held once it is squeezed, in bytes.
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
    /// The last bytes of the stream, over the cap and without a newline.
    Endless,
}

/// Memory to read into; used again for the next file.
#[derive(Debug, Default)]
pub struct Buffer {
    bytes: Vec<u8>,
    long: Squeeze,
}

/// Reads lines and knows where each began.
#[derive(Debug)]
pub struct Lines<'b, R> {
    source: R,
    buffer: &'b mut Buffer,
    /// What is read and not handed out.
    from: usize,
    to: usize,
    /// The line that is handed out.
    line: (usize, usize),
    squeezed: bool,
    next: u64,
    start: u64,
}

impl<'b, R: Read> Lines<'b, R> {
    /// Reads a stream whose first byte is at `offset` of its file.
    pub fn new(source: R, offset: u64, buffer: &'b mut Buffer) -> Self {
        if buffer.bytes.len() < CHUNK {
            buffer.bytes.resize(CHUNK, 0);
        }
        Self { source, buffer, from: 0, to: 0, line: (0, 0), squeezed: false, next: offset, start: offset }
    }

    /// Goes to the next line; `None` at the end.
    pub fn advance(&mut self) -> io::Result<Option<Shape>> {
        self.start = self.next;
        self.squeezed = false;
        let mut searched = self.from;
        loop {
            let unread = self.buffer.bytes.get(searched..self.to).unwrap_or_default();
            if let Some(newline) = memchr::memchr(b'\n', unread) {
                let newline = searched + newline;
                self.line = (self.from, newline);
                self.next += (newline + 1 - self.from) as u64;
                self.from = newline + 1;
                return Ok(Some(Shape::Ended));
            }
            // What is held of the line moves to the front, where there is room behind it.
            if self.from < self.to || self.to == self.buffer.bytes.len() {
                self.buffer.bytes.copy_within(self.from..self.to, 0);
                self.to -= self.from;
                self.from = 0;
            }
            searched = self.to;
            if self.to == self.buffer.bytes.len() {
                if self.to >= AS_IT_STANDS {
                    return self.long().map(Some);
                }
                self.buffer.bytes.resize(self.to * 2, 0);
            }
            let read = self.fill()?;
            if read == 0 {
                self.line = (self.from, self.to);
                let left = self.to - self.from;
                self.next += left as u64;
                self.from = self.to;
                return Ok((left > 0).then_some(Shape::Unended));
            }
        }
    }

    /// Goes on with a line that fills the buffer.
    fn long(&mut self) -> io::Result<Shape> {
        self.squeezed = true;
        self.buffer.long.clear();
        loop {
            let unread = self.buffer.bytes.get(..self.to).unwrap_or_default();
            let newline = memchr::memchr(b'\n', unread);
            let body = newline.unwrap_or(self.to);
            self.buffer.long.take(unread.get(..body).unwrap_or_default(), LINE_CAP);
            self.from = newline.map_or(self.to, |newline| newline + 1);
            self.next += self.from as u64;
            if newline.is_some() {
                return Ok(if self.buffer.long.is_over() { Shape::Oversized } else { Shape::Ended });
            }
            (self.from, self.to) = (0, 0);
            if self.fill()? == 0 {
                return Ok(if self.buffer.long.is_over() { Shape::Endless } else { Shape::Unended });
            }
        }
    }

    fn fill(&mut self) -> io::Result<usize> {
        let room = self.buffer.bytes.get_mut(self.to..).unwrap_or_default();
        loop {
            match self.source.read(room) {
                Ok(read) => {
                    self.to += read;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The bytes of the line, without its newline.
    pub fn bytes(&self) -> &[u8] {
        if self.squeezed {
            return self.buffer.long.bytes();
        }
        self.buffer.bytes.get(self.line.0..self.line.1).unwrap_or_default()
    }

    /// The last bytes before the next line, so many of them, where they are still held.
    pub fn before(&self, count: usize) -> Option<&[u8]> {
        if self.squeezed {
            return None;
        }
        self.buffer.bytes.get(self.from.checked_sub(count)?..self.from)
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
