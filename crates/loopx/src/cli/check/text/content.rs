//! What a file is, by its first bytes, and how its text is got at.

use serde::Serialize;

/// How many bytes are looked at.
pub const HEAD: usize = 1 << 16;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(Encoding),
    /// Searched for runs of text of this many characters and more.
    Binary(usize),
    /// What is in it can't be seen from outside.
    Packed,
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, or meant to be. How many bytes to skip.
    Utf8(usize),
    /// UTF-16.
    Utf16(Order),
}

/// Which byte of two comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The lower.
    Little,
    /// The higher.
    Big,
}

/// How a file was read that is no plain UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadAs {
    /// UTF-16.
    Utf16,
    /// Text of which some bytes are not UTF-8.
    Lossy,
    /// Runs of printable text.
    Binary,
}

impl ReadAs {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Utf16 => "read as UTF-16",
            Self::Lossy => "not all of it is UTF-8: those bytes were left out",
            Self::Binary => "binary: searched for runs of printable text",
        }
    }
}

/// How archives and packed files begin. A PDF's text is packed too.
const PACKED: &[&[u8]] = &[
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"PK\x07\x08",
    b"\x1f\x8b",
    b"\x1f\x9d",
    b"BZh",
    b"\xfd7zXZ\0",
    b"\x28\xb5\x2f\xfd",
    b"\x04\x22\x4d\x18",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"LZIP",
    b"MSCF",
    b"xar!",
    b"!<arch>\n",
    b"\xed\xab\xee\xdb",
    b"070701",
    b"%PDF-",
];

/// How pictures, sounds and fonts begin: most of one is packed, and packed bytes look like short words here and there.
const MEDIA: &[&[u8]] = &[
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF8",
    b"RIFF",
    b"wOFF",
    b"wOF2",
    b"OggS",
    b"ID3",
    b"fLaC",
    b"\x1aE\xdf\xa3",
];

/// The shortest run of text that is searched, in characters.
const SHORTEST: usize = 6;

/// The same in pictures, sounds and fonts.
const SHORTEST_IN_MEDIA: usize = 10;

/// Where a tar says what it is.
const TAR: (usize, &[u8]) = (257, b"ustar");

impl Content {
    /// Tells it.
    pub fn of(head: &[u8]) -> Self {
        let is_tar = head.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1));
        if is_tar || PACKED.iter().any(|begin| head.starts_with(begin)) {
            return Self::Packed;
        }
        match head {
            [0xef, 0xbb, 0xbf, ..] => Self::Text(Encoding::Utf8(3)),
            // UTF-32 begins like UTF-16, and is neither.
            [0xff, 0xfe, 0, 0, ..] => Self::Binary(SHORTEST),
            [0xff, 0xfe, ..] => Self::Text(Encoding::Utf16(Order::Little)),
            [0xfe, 0xff, ..] => Self::Text(Encoding::Utf16(Order::Big)),
            _ if is_mostly_text(head) => Self::Text(Encoding::Utf8(0)),
            _ if MEDIA.iter().any(|begin| head.starts_with(begin)) => Self::Binary(SHORTEST_IN_MEDIA),
            _ => Self::Binary(SHORTEST),
        }
    }
}

/// Whether at most one byte in 50 is a control character, and 3 in 10 are no UTF-8.
fn is_mostly_text(head: &[u8]) -> bool {
    // What text, and a log with its colours, is written with.
    let is_usual = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x8 | 0xc | 0x1b);
    let controls = head.iter().filter(|byte| byte.is_ascii_control() && !is_usual(**byte)).count();
    let invalid: usize = head.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    controls * 50 <= head.len() && invalid * 10 <= head.len() * 3
}
