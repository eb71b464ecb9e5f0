//! Lines out of bytes as they come.

use loopx_contract::worker::LONGEST;

/// The line that has not ended yet, and how many there were before it.
#[derive(Debug, Default)]
pub struct Lines {
    /// What is held of it: of one that is too long, so much that it is seen to be.
    held: Vec<u8>,
    /// How long it is so far, in bytes.
    len: u64,
    /// How many lines have ended.
    ended: u64,
}

impl Lines {
    /// Goes on after so many lines.
    pub fn after(ended: u64) -> Self {
        Self { ended, ..Self::default() }
    }

    /// How many lines have ended.
    pub const fn ended(&self) -> u64 {
        self.ended
    }

    /// How many bytes of a line that has not ended were seen.
    pub const fn unended(&self) -> u64 {
        self.len
    }

    /// Takes the next bytes; `take` is given each line that ends in them, by its number from 1. Blank ones are left out.
    pub fn feed(&mut self, mut bytes: &[u8], mut take: impl FnMut(u64, &[u8])) {
        while let Some(at) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = bytes.split_at(at);
            if self.held.is_empty() {
                self.ended += 1;
                give(self.ended, line, &mut take);
            } else {
                self.hold(line);
                self.end(&mut take);
            }
            self.len = 0;
            bytes = rest.get(1..).unwrap_or_default();
        }
        self.hold(bytes);
    }

    /// The last line has ended without its newline.
    pub fn end(&mut self, mut take: impl FnMut(u64, &[u8])) {
        if self.held.is_empty() {
            return;
        }
        self.ended += 1;
        self.len = 0;
        give(self.ended, &std::mem::take(&mut self.held), &mut take);
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        let room = (LONGEST + 2).saturating_sub(self.held.len());
        self.held.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }
}

fn give(number: u64, line: &[u8], take: &mut impl FnMut(u64, &[u8])) {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
    if !line.trim_ascii().is_empty() {
        take(number, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(chunks: &[&[u8]]) -> Vec<(u64, usize, Vec<u8>)> {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        let mut take =
            |number, line: &[u8]| found.push((number, line.len(), line[..line.len().min(4)].to_vec()));
        for chunk in chunks {
            lines.feed(chunk, &mut take);
        }
        lines.end(&mut take);
        found
    }

    #[test]
    fn lines_are_the_same_however_they_come() {
        let text = b"\xef\xbb\xbfone\r\n\n  \ntwo\nthree";
        let whole = all(&[text]);
        let numbers: Vec<u64> = whole.iter().map(|(number, ..)| *number).collect();
        assert_eq!(numbers, [1, 4, 5]);
        assert_eq!(whole[0].2, b"one");
        for at in 0..text.len() {
            assert_eq!(all(&[&text[..at], &text[at..]]), whole, "{at}");
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(all(&bytes), whole);
    }

    #[test]
    fn of_a_line_without_end_no_more_is_held_than_shows_it() {
        let mut lines = Lines::default();
        for _ in 0..100 {
            lines.feed(&[b'x'; 10_000], |_, _| panic!("no line has ended"));
        }
        assert!(lines.held.capacity() < 4 * LONGEST, "{}", lines.held.capacity());
        assert_eq!(lines.unended(), 1_000_000);
        let mut longs = Vec::new();
        lines.feed(b"\n{}\n", |number, line| longs.push((number, line.len() > LONGEST)));
        assert_eq!(longs, [(1, true), (2, false)]);
        assert_eq!(lines.unended(), 0);
    }
}
