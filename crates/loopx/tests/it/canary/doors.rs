//! Doors: ways out. Each is a name and a function that gives all that comes out of it over a home.

use super::home::Home;
use super::search::{Leak, Search};
use super::words::Kind;

/// Something that came out.
pub struct Output {
    /// What it is, without any text of a session.
    pub name: String,
    /// It.
    pub bytes: Vec<u8>,
    /// What may be in it: nothing, where it is shown or exported.
    pub may: &'static [Kind],
}

impl Output {
    /// What came out under a name.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into(), may: &[] }
    }

    /// A file of LoopX's own, and its name.
    pub fn named_file(name: &str, bytes: Vec<u8>) -> [Self; 2] {
        [Self::new("the name of a file", name), Self::file(name, bytes)]
    }

    /// A file of LoopX's own, by its name: the index may hold ids, folders and branches, what workers told their ids and
    /// folders, what hooks told their ids, a store and its copies the path of the folder that was bound, and nothing else anything.
    fn file(name: &str, bytes: Vec<u8>) -> Self {
        let may: &[Kind] = if name.contains("index.db") || name.ends_with("workers.jsonl") {
            &[Kind::Indexed, Kind::Bound]
        } else if name.ends_with("hooks.jsonl") || name.ends_with("limits.jsonl") {
            &[Kind::Indexed]
        } else if name.starts_with("loopx.") || bytes.starts_with(b"SQLite format 3\0") {
            &[Kind::Bound]
        } else {
            &[]
        };
        Self { may, ..Self::new(format!("the file {name}"), bytes) }
    }
}

/// Gives all that comes out of a door.
type Out<'d> = Box<dyn Fn(&Home) -> Vec<Output> + 'd>;

/// The doors of a home.
#[derive(Default)]
pub struct Doors<'d> {
    doors: Vec<(&'static str, Out<'d>)>,
}

/// What a search of every door came to.
pub struct Searched {
    /// How many outputs were searched.
    pub outputs: usize,
    /// How many bytes they were.
    pub bytes: usize,
    /// How many strings the index was found to hold.
    pub indexed: usize,
    /// What came out.
    pub leaks: Vec<Leak>,
}

impl<'d> Doors<'d> {
    /// One more door.
    pub fn door(mut self, name: &'static str, out: impl Fn(&Home) -> Vec<Output> + 'd) -> Self {
        self.doors.push((name, Box::new(out)));
        self
    }

    /// Goes through every door up to the first that lets something out, and searches all that comes out.
    pub fn search(&self, home: &Home, search: &Search<'_>) -> Searched {
        let mut searched = Searched { outputs: 0, bytes: 0, indexed: 0, leaks: Vec::new() };
        for (name, out) in &self.doors {
            for output in out(home) {
                searched.outputs += 1;
                searched.bytes += output.bytes.len();
                for (canary, form) in search.find(&output.bytes) {
                    if output.may.contains(&canary.kind) {
                        searched.indexed += usize::from(canary.kind == Kind::Indexed);
                    } else {
                        searched.leaks.push(Leak::new(name, &output.name, &canary.place, form));
                    }
                }
            }
            if !searched.leaks.is_empty() {
                break;
            }
        }
        searched
    }
}
