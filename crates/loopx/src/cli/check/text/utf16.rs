//! UTF-16 as UTF-8, as it is read.

use std::io::{self, BufRead, Read};

use super::content::Order;

/// A reader over another.
pub struct Utf16<R> {
    inner: R,
    order: Order,
    /// The first half of a character that goes on.
    high: Option<u16>,
    /// What is decoded and was not handed out yet.
    ready: Vec<u8>,
    given: usize,
}

/// How many bytes are decoded at once.
const CHUNK: u64 = 1 << 15;

/// The sign that stands for what is no character.
const NO_CHARACTER: u16 = 0xfffd;

impl<R: BufRead> Utf16<R> {
    /// Begins after the mark.
    pub fn new(inner: R, order: Order) -> Self {
        Self { inner, order, high: None, ready: Vec::new(), given: 0 }
    }

    fn decode(&mut self) -> io::Result<()> {
        let mut bytes = Vec::new();
        self.inner.by_ref().take(CHUNK).read_to_end(&mut bytes)?;
        let is_end = (bytes.len() as u64) < CHUNK;
        let units = bytes.chunks(2).map(|pair| match (pair, self.order) {
            ([one, other], Order::Little) => u16::from_le_bytes([*one, *other]),
            ([one, other], Order::Big) => u16::from_be_bytes([*one, *other]),
            // Half a unit at the end.
            (_, Order::Little | Order::Big) => NO_CHARACTER,
        });
        let mut units: Vec<u16> = self.high.take().into_iter().chain(units).collect();
        if !is_end && units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) {
            self.high = units.pop();
        }
        let text: String =
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        (self.ready, self.given) = (text.into_bytes(), 0);
        Ok(())
    }
}

impl<R: BufRead> Read for Utf16<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.decode()?;
        }
        let rest = &self.ready[self.given..];
        let read = rest.len().min(out.len());
        out[..read].copy_from_slice(&rest[..read]);
        self.given += read;
        Ok(read)
    }
}
