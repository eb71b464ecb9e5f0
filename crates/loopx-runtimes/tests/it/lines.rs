//! Lines out of a stream, however it is read; and long ones, of which only the wanted is kept.

use std::io::{self, Read};

use loopx_runtimes::reader::{Buffer, Lines, Shape};
use loopx_runtimes::testing::Form;
use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::sample::select;

use crate::json::{Json, object};

/// The longest line that is held as it stands, and how much of a string is kept of a longer one, in bytes.
const AS_IT_STANDS: usize = 1 << 20;
const KEPT: usize = 64 << 10;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// A stream that gives so many bytes at once, in turn; for 0 it is interrupted.
struct Dripping<'a> {
    bytes: &'a [u8],
    drops: Box<dyn Iterator<Item = usize> + 'a>,
}

impl<'a> Dripping<'a> {
    fn new(bytes: &'a [u8], drops: &'a [usize]) -> Self {
        Self { bytes, drops: Box::new(drops.iter().copied().chain([1]).cycle()) }
    }
}

impl Read for Dripping<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let drop = self.drops.next().unwrap();
        if drop == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let len = drop.min(into.len()).min(self.bytes.len());
        let (now, later) = self.bytes.split_at(len);
        into[..len].copy_from_slice(now);
        self.bytes = later;
        Ok(len)
    }
}

/// The lines of a stream: where each begins and the next one would, how it ended, its bytes.
fn read(source: impl Read, offset: u64, buffer: &mut Buffer) -> Vec<(u64, u64, Shape, Vec<u8>)> {
    let mut lines = Lines::new(source, offset, buffer);
    let mut found = Vec::new();
    while let Some(shape) = lines.advance().unwrap() {
        found.push((lines.start(), lines.next_start(), shape, lines.bytes().to_vec()));
    }
    assert_eq!(lines.advance().unwrap(), None, "the end stays the end");
    found
}

/// The same by splitting.
fn split(bytes: &[u8], mut offset: u64) -> Vec<(u64, u64, Shape, Vec<u8>)> {
    let pieces = bytes.split_inclusive(|byte| *byte == b'\n');
    let line = |piece: &[u8]| {
        let start = offset;
        offset += piece.len() as u64;
        match piece.strip_suffix(b"\n") {
            Some(line) => (start, offset, Shape::Ended, line.to_vec()),
            None => (start, offset, Shape::Unended, piece.to_vec()),
        }
    };
    pieces.map(line).collect()
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn short_lines_are_those_of_splitting_however_they_are_read(
        bytes in vec(prop_oneof![Just(b'\n'), Just(b'"'), Just(b'\\'), any::<u8>()], 0..400),
        drops in vec(0..9usize, 0..20),
        offset in 0..1_000_000u64,
    ) {
        let found = read(Dripping::new(&bytes, &drops), offset, &mut Buffer::default());
        assert_eq!(found, split(&bytes, offset));
    }
}

/// The length of a line: about where buffers grow and end.
fn length() -> impl Strategy<Value = usize> {
    let edge = select(&[256 << 10, 512 << 10, AS_IT_STANDS - 4][..]);
    prop_oneof![0..5000usize, (edge, 0..8usize).prop_map(|(edge, more)| edge + more - 4)]
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn lines_under_a_megabyte_are_those_of_splitting_however_they_are_read(
        lengths in vec((length(), any::<u8>()), 1..5),
        drops in vec(1..400_000usize, 1..6),
        ended: bool,
    ) {
        let mut bytes = Vec::new();
        for (length, salt) in &lengths {
            let byte = |at: usize| salt.wrapping_add(u8::try_from(at % 251).unwrap());
            bytes.extend((0..*length).map(byte).map(|byte| if byte == b'\n' { b'"' } else { byte }));
            bytes.push(b'\n');
        }
        if !ended {
            bytes.pop();
        }
        // Memory of a file before makes no difference.
        let mut buffer = Buffer::default();
        for _ in 0..2 {
            assert!(read(Dripping::new(&bytes, &drops), 7, &mut buffer) == split(&bytes, 7), "{lengths:?}");
        }
    }
}

/// Fields that hold strings, decoded or not.
const WANTED: &[&str] = &["arguments", "output", "cwd", "text", "id"];
/// What fills strings, and what they end in.
const FILLERS: &[&str] = &["x", "\\\\", "\\u0041", "\u{e4}"];
const ENDS: &[&str] = &["", "\\n", "\\\\", "\\\"", "\\u0041", "\\ud83d\\ude00", "\u{1f600}"];
const PIECES: &[&str] = &["lorem ", "\\\"", "\\\\", "\\u00e4", "\\n", "\u{1f600}", "{[", "}]"];

/// A string that is wanted, nearly as long as what is kept.
fn wanted() -> impl Strategy<Value = Vec<u8>> {
    (select(FILLERS), select(ENDS), 0..20usize).prop_map(|(filler, end, short)| {
        let room = KEPT - end.len() - short;
        (filler.repeat(room / filler.len()) + end).into_bytes()
    })
}

/// A string that nobody wants, often a long one.
fn unwanted() -> impl Strategy<Value = Vec<u8>> {
    (vec(select(PIECES), 1..9), 1..300_000usize).prop_map(|(pieces, length)| {
        let pieces = pieces.concat();
        pieces.repeat(length / pieces.len() + 1).into_bytes()
    })
}

proptest! {
    #![proptest_config(config(8))]

    #[test]
    fn a_squeezed_line_says_what_it_said(
        object in object(),
        wanted in btree_map(select(WANTED), wanted(), 0..4),
        unwanted in vec(unwanted(), 4..9),
        drops in vec(1..900_000usize, 1..6),
    ) {
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|(key, body)| (key.as_bytes().to_vec(), Json::Text(body)))
            .collect();
        let line = |object: Json| {
            let Json::Object(mut fields) = object else { panic!("no object") };
            fields.retain(|(key, _)| key != b"payload" && key != b"message");
            for (at, body) in unwanted.iter().enumerate() {
                let key = format!("unwanted{at}").into_bytes();
                fields.insert(at.min(fields.len()), (key, Json::Text(body.clone())));
            }
            fields.push((b"payload".to_vec(), Json::Object(wanted.clone())));
            fields.push((b"message".to_vec(), Json::Object(wanted.clone())));
            let more = "\\\\y".repeat((AS_IT_STANDS >> 1) / unwanted.len());
            fields.push((b"more".to_vec(), Json::List(vec![Json::Text(more.into_bytes()); unwanted.len()])));
            Json::Object(fields).written(&[""])
        };
        let reads = |line: &[u8]| Form::ALL.iter().all(|form| !form.same(line, b""));
        let line = Some(line(object)).filter(|line| reads(line)).unwrap_or_else(|| line(Json::Object(Vec::new())));
        assert!(line.len() > AS_IT_STANDS && reads(&line));
        let stream = [b"{}\n".as_slice(), &line, b"\n{\"x\":1}"].concat();
        let found = read(Dripping::new(&stream, &drops), 0, &mut Buffer::default());
        assert_eq!(found.len(), 3);
        assert_eq!((found[1].0, found[1].1, found[1].2), (3, 4 + line.len() as u64, Shape::Ended));
        assert_eq!(found[2].3, b"{\"x\":1}");
        let squeezed = &found[1].3;
        assert!(squeezed.len() < line.len());
        for form in Form::ALL {
            assert!(form.same(squeezed, &line), "{form:?}: {}", squeezed[..2000].escape_ascii());
        }
    }
}

#[test]
fn a_line_that_is_long_but_for_its_strings_is_over_the_cap() {
    for (filler, shape) in [("7,", Shape::Oversized), ("\"\\u0041\",", Shape::Oversized)] {
        let line = format!("{{\"x\":[{}0]}}\n", filler.repeat((9 << 20) / filler.len()));
        let stream = [line.as_bytes(), b"{}\n"].concat();
        let found = read(stream.as_slice(), 0, &mut Buffer::default());
        assert_eq!(found.iter().map(|line| line.2).collect::<Vec<_>>(), [shape, Shape::Ended]);
        assert_eq!((found[1].0, found[1].3.as_slice()), (line.len() as u64, &b"{}"[..]));
    }
}
