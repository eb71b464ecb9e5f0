//! Reads what `strace` wrote: the calls by which processes changed files, and what they said on the way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The calls that change files. Any other that could is traced too, so that it can be refused.
pub const CALLS: &str = "openat,open,creat,openat2,pwrite64,pwritev,pwritev2,write,writev,ftruncate,truncate,fallocate,\
fdatasync,fsync,sync_file_range,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,link,linkat,symlink,\
copy_file_range,sendfile";

/// What a call did to a path.
#[derive(Debug)]
pub enum Change {
    /// Opened with `O_CREAT`.
    Create(PathBuf),
    Folder(PathBuf),
    /// Bytes at an offset.
    Write(PathBuf, u64, Vec<u8>),
    Length(PathBuf, u64),
    Sync(PathBuf),
    Rename(PathBuf, PathBuf),
    Unlink(PathBuf),
    /// Written to standard output.
    Said(String),
}

/// A call that succeeded: from when it may have had an effect, and when it had all of it, in lines of the trace.
#[derive(Debug)]
pub struct Call {
    pub begin: usize,
    pub end: usize,
    pub change: Change,
}

/// Reads a trace, calls on paths below `base` only, in the order of their beginning.
pub fn read(trace: &[u8], base: &Path) -> Vec<Call> {
    let mut unfinished: BTreeMap<&[u8], (usize, Vec<u8>)> = BTreeMap::new();
    let mut offsets: BTreeMap<(PathBuf, i64), u64> = BTreeMap::new();
    let mut calls = Vec::new();
    for (number, line) in trace.split(|byte| *byte == b'\n').enumerate() {
        let Some(space) = line.iter().position(|byte| *byte == b' ') else { continue };
        let (pid, rest) = (&line[..space], line[space..].trim_ascii_start());
        if let Some(start) = rest.strip_suffix(b" <unfinished ...>".as_slice()) {
            unfinished.insert(pid, (number, start.to_vec()));
            continue;
        }
        let (first, text) = if rest.starts_with(b"<... ") {
            let Some((first, mut start)) = unfinished.remove(pid) else { continue };
            let resumed = b" resumed>";
            let at = rest.windows(resumed.len()).position(|window| window == resumed).unwrap();
            start.extend_from_slice(&rest[at + resumed.len()..]);
            (first, start)
        } else {
            (number, rest.to_vec())
        };
        if let Some(change) = change(&text, base, &mut offsets) {
            calls.push(Call { begin: first, end: number, change });
        }
    }
    calls.sort_by_key(|call| call.begin);
    calls
}

fn change(text: &[u8], base: &Path, offsets: &mut BTreeMap<(PathBuf, i64), u64>) -> Option<Change> {
    let open = text.iter().position(|byte| *byte == b'(')?;
    let name = std::str::from_utf8(&text[..open]).ok()?;
    let (words, after) = words(&text[open + 1..]);
    let result = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let result: String = result.iter().take_while(|byte| !b" <".contains(byte)).map(|b| *b as char).collect();
    let Ok(result) = result.parse::<i64>() else { return None };
    if result < 0 {
        return None;
    }
    let below = |path: PathBuf| (path.starts_with(base) || base.starts_with(&path)).then_some(path);
    let path = |at: usize| below(words[at].path());
    match name {
        "openat" => {
            let file = path(1)?;
            offsets.insert((file.clone(), result), 0);
            let flags = words[2].text();
            assert!(!flags.contains("O_TRUNC"), "{flags}");
            flags.contains("O_CREAT").then_some(Change::Create(file))
        }
        "write" => {
            if words[0].number() == 1 {
                return Some(Change::Said(String::from_utf8_lossy(&words[1].bytes).into_owned()));
            }
            let file = path(0)?;
            // The position of a file that was opened without a word of its path can't be told.
            let offset = offsets.entry((file.clone(), words[0].number())).or_default();
            let at = *offset;
            *offset += result.unsigned_abs();
            Some(Change::Write(file, at, words[1].written(result)))
        }
        "pwrite64" => Some(Change::Write(path(0)?, words[3].count(), words[1].written(result))),
        "ftruncate" => Some(Change::Length(path(0)?, words[1].count())),
        "fdatasync" | "fsync" => Some(Change::Sync(path(0)?)),
        "rename" => Some(Change::Rename(path(0)?, path(1)?)),
        "unlink" => Some(Change::Unlink(path(0)?)),
        "mkdir" => Some(Change::Folder(path(0)?)),
        other => {
            let here = words.iter().any(|word| word.path().starts_with(base));
            assert!(!here, "{other} is not known to this replay");
            None
        }
    }
}

/// One argument.
#[derive(Debug)]
struct Word {
    /// A string without its quotes and escapes; anything else as it stands.
    bytes: Vec<u8>,
    quoted: bool,
}

impl Word {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The path that a string is or that a descriptor is of.
    fn path(&self) -> PathBuf {
        let text = self.text();
        if self.quoted {
            return text.into();
        }
        text.split_once('<').map_or("", |(_, path)| path.trim_end_matches('>')).into()
    }

    fn number(&self) -> i64 {
        self.text().split('<').next().and_then(|text| text.parse().ok()).unwrap_or(-1)
    }

    fn count(&self) -> u64 {
        self.text().parse().unwrap()
    }

    fn written(&self, bytes: i64) -> Vec<u8> {
        let bytes = usize::try_from(bytes).unwrap();
        assert!(self.quoted && bytes <= self.bytes.len(), "strace left some bytes out");
        self.bytes[..bytes].to_vec()
    }
}

/// The arguments, and what stands behind them.
fn words(text: &[u8]) -> (Vec<Word>, &[u8]) {
    let mut words = vec![Word { bytes: Vec::new(), quoted: false }];
    let (mut at, mut angles) = (0, 0);
    while at < text.len() {
        let word = words.last_mut().unwrap();
        match text[at] {
            b'"' if angles == 0 => {
                word.quoted = true;
                at = string(text, at + 1, &mut word.bytes);
            }
            b')' if angles == 0 => return (words, &text[at + 1..]),
            b',' if angles == 0 => words.push(Word { bytes: Vec::new(), quoted: false }),
            b' ' if word.bytes.is_empty() && !word.quoted => {}
            byte => {
                match byte {
                    b'<' => angles += 1,
                    b'>' => angles -= 1,
                    _ => {}
                }
                if !word.quoted {
                    word.bytes.push(byte);
                }
            }
        }
        at += 1;
    }
    (words, &[])
}

/// Reads a string as C has it. Gives the place of its closing quote.
fn string(text: &[u8], mut at: usize, bytes: &mut Vec<u8>) -> usize {
    while text[at] != b'"' {
        if text[at] != b'\\' {
            bytes.push(text[at]);
            at += 1;
            continue;
        }
        at += 1;
        let digits = text[at..].iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
        if digits > 0 {
            let number =
                text[at..at + digits].iter().fold(0_u32, |sum, digit| sum * 8 + u32::from(digit - b'0'));
            bytes.push(u8::try_from(number).unwrap());
            at += digits;
            continue;
        }
        bytes.push(match text[at] {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'v' => 0x0b,
            b'f' => 0x0c,
            other => other,
        });
        at += 1;
    }
    at
}

#[test]
fn a_line_of_strace_is_read_as_it_was_written() {
    let base = Path::new("/base");
    let lines = b"7 openat(AT_FDCWD</x>, \"/base/a\", O_RDWR|O_CREAT, 0600) = 3</base/a>\n\
        7 pwrite64(3</base/a>, \"\\0\\18\\n\\\"a)\\377\", 8, 512 <unfinished ...>\n\
        8 write(1<pipe:[5]>, \"said\\n\", 5) = 5\n\
        7 <... pwrite64 resumed>) = 8\n\
        7 fdatasync(3</base/a>) = 0\n\
        7 unlink(\"/base/b\") = -1 ENOENT (No such file or directory)\n";
    let calls = read(lines, base);
    assert_eq!(calls.len(), 4, "{calls:?}");
    assert!(matches!(&calls[0].change, Change::Create(path) if path == Path::new("/base/a")));
    let (Change::Write(_, 512, bytes), 1, 3) = (&calls[1].change, calls[1].begin, calls[1].end) else {
        panic!("{calls:?}")
    };
    assert_eq!(bytes, b"\0\x018\n\"a)\xff");
    assert!(matches!(&calls[2].change, Change::Said(word) if word == "said\n"));
    assert!(matches!(&calls[3].change, Change::Sync(_)));
}
