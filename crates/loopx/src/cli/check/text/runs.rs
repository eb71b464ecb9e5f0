//! Runs of printable text in a binary file, as `strings` finds them: of bytes, and of characters of two bytes.

use std::io::{self, BufRead};

use super::piece::{LONGEST, OVERLAP, Origin, Piece, Shared, on_one_line};

/// Goes through the runs of so many characters and more.
pub fn pieces(mut reader: impl BufRead, shortest: usize, mut each: impl FnMut(&Piece<'_>)) -> io::Result<()> {
    let (mut narrow, mut wide) = (Run::new(1, shortest), Run::new(2, shortest));
    let mut offset = 0;
    let mut last_printed = false;
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        for &byte in bytes {
            let printed = is_printable(byte);
            if printed {
                narrow.push(byte, offset, &mut each);
            } else {
                narrow.end(&mut each);
            }
            // A character of two bytes: one that is printed, and a zero. What comes first is the same to us.
            let is_second = last_printed && byte == 0;
            if last_printed == printed || !(printed || is_second) {
                wide.end(&mut each);
            }
            if printed {
                wide.push(byte, offset, &mut each);
            }
            last_printed = printed;
            offset += 1;
        }
        let read = bytes.len();
        reader.consume(read);
    }
    narrow.end(&mut each);
    wide.end(&mut each);
    Ok(())
}

const fn is_printable(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~')
}

/// A run that goes on.
struct Run {
    text: Vec<u8>,
    first: u64,
    width: u64,
    shortest: usize,
    common: usize,
}

impl Run {
    const fn new(width: u64, shortest: usize) -> Self {
        Self { text: Vec::new(), first: 0, width, shortest, common: 0 }
    }

    fn push(&mut self, byte: u8, offset: u64, each: &mut impl FnMut(&Piece<'_>)) {
        if self.text.is_empty() {
            self.first = offset;
        }
        self.text.push(byte);
        if self.text.len() == LONGEST {
            self.piece(OVERLAP, each);
            let gone = self.text.len() - OVERLAP;
            self.text.drain(..gone);
            self.first += self.width * gone as u64;
            self.common = OVERLAP;
        }
    }

    fn end(&mut self, each: &mut impl FnMut(&Piece<'_>)) {
        if self.text.len() >= self.shortest {
            self.piece(0, each);
        }
        self.text.clear();
        self.common = 0;
    }

    fn piece(&self, after: usize, each: &mut impl FnMut(&Piece<'_>)) {
        // It is ASCII.
        let text = on_one_line(String::from_utf8_lossy(&self.text));
        let origin = Origin::Bytes { offset: self.first, width: self.width };
        each(&Piece { text, origin, shared: Shared { before: self.common, after } });
    }
}
