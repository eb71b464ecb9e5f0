//! A disk that keeps only what it was told to keep.
//!
//! A change of a file is sure to be there after a power loss once a later sync of that file has returned, and an entry
//! of a folder once a later sync of that folder has. What else was asked for may be there or not, each for itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::trace::{Call, Change};

const SECTOR: u64 = 512;

/// What happened to one file, in parts that may be on the disk each for itself.
#[derive(Clone, Debug)]
enum Part {
    Bytes(u64, Vec<u8>),
    Length(u64),
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Folder,
    File(usize),
}

/// One change of a folder: what names stand for after it.
type Names = Vec<(PathBuf, Option<Entry>)>;

#[derive(Debug, Default)]
struct File {
    sure: Vec<u8>,
    /// With the line of the trace at which each was done.
    open: Vec<(usize, Part)>,
}

/// The disk at one moment of a trace.
#[derive(Debug, Default)]
pub struct Disk {
    files: Vec<File>,
    names: BTreeMap<PathBuf, Entry>,
    sure: BTreeMap<PathBuf, Entry>,
    open: Vec<(usize, Names)>,
}

/// What of the unsure the disk has kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    Nothing,
    Everything,
    /// Each part by chance; entries of folders up to some point in time.
    Some,
    /// The same, entries too each by chance, and writes torn at sectors.
    Torn,
}

impl Disk {
    /// A disk on which everything that lies in a folder now is sure.
    pub fn of(base: &Path) -> Self {
        let mut disk = Self::default();
        for found in std::fs::read_dir(base).into_iter().flatten() {
            let path = found.unwrap().path();
            disk.names.insert(path.clone(), Entry::File(disk.files.len()));
            disk.files.push(File { sure: std::fs::read(path).unwrap(), open: Vec::new() });
        }
        disk.sure = disk.names.clone();
        disk
    }

    /// Lets a call begin. A sync only takes effect when it has ended: see [`Disk::end`].
    pub fn begin(&mut self, call: &Call) {
        match &call.change {
            Change::Create(path) => {
                if !self.names.contains_key(path) {
                    self.files.push(File::default());
                    let entry = Entry::File(self.files.len() - 1);
                    self.rename(call.end, vec![(path.clone(), Some(entry))]);
                }
            }
            Change::Folder(path) => self.rename(call.end, vec![(path.clone(), Some(Entry::Folder))]),
            Change::Rename(from, to) => {
                let entry = self.names.get(from).copied();
                self.rename(call.end, vec![(from.clone(), None), (to.clone(), entry)]);
            }
            Change::Unlink(path) => self.rename(call.end, vec![(path.clone(), None)]),
            Change::Write(path, at, bytes) => self.part(path, call.end, Part::Bytes(*at, bytes.clone())),
            Change::Length(path, length) => self.part(path, call.end, Part::Length(*length)),
            Change::Sync(_) | Change::Said(_) => {}
        }
    }

    /// Lets a sync end: what was done before it began is sure.
    pub fn end(&mut self, call: &Call) {
        let Change::Sync(path) = &call.change else { return };
        match self.names.get(path) {
            Some(Entry::File(number)) => {
                let file = &mut self.files[*number];
                let open = std::mem::take(&mut file.open);
                let (sure, open) = open.into_iter().partition(|(end, _)| *end < call.begin);
                file.open = open;
                let sure: Vec<(usize, Part)> = sure;
                for (_, part) in &sure {
                    apply(&mut file.sure, part);
                }
            }
            // The folder above all that is traced was there before.
            Some(Entry::Folder) | None => {
                let open = std::mem::take(&mut self.open);
                let here = |names: &Names| names.iter().any(|(name, _)| name.parent() == Some(path));
                let (sure, open) =
                    open.into_iter().partition(|(end, names)| *end < call.begin && here(names));
                self.open = open;
                let sure: Vec<(usize, Names)> = sure;
                for (_, names) in &sure {
                    set(&mut self.sure, names);
                }
            }
        }
    }

    fn rename(&mut self, end: usize, names: Names) {
        set(&mut self.names, &names);
        self.open.push((end, names));
    }

    fn part(&mut self, path: &Path, end: usize, part: Part) {
        let Some(Entry::File(number)) = self.names.get(path) else { return };
        self.files[*number].open.push((end, part));
    }

    /// Whether anything is unsure.
    pub fn is_unsure(&self) -> bool {
        !self.open.is_empty() || self.files.iter().any(|file| !file.open.is_empty())
    }

    /// The files below `base` as they could be found after the power went.
    pub fn after_loss(&self, base: &Path, kept: Kept, chance: &mut Chance) -> BTreeMap<String, Vec<u8>> {
        let mut names = self.sure.clone();
        let upto = chance.below(self.open.len() as u64 + 1);
        for ((_, change), number) in self.open.iter().zip(0..) {
            let there = match kept {
                Kept::Nothing => false,
                Kept::Everything => true,
                Kept::Some => number < upto,
                Kept::Torn => chance.coin(),
            };
            if there {
                set(&mut names, change);
            }
        }
        let mut found = BTreeMap::new();
        for (path, entry) in &names {
            let Entry::File(number) = entry else { continue };
            let above = path.ancestors().skip(1).filter(|path| self.names.get(*path) == Some(&Entry::Folder));
            if above.clone().any(|path| !names.contains_key(path)) || path.parent() != Some(base) {
                continue;
            }
            let bytes = self.files[*number].after_loss(kept, chance);
            found.insert(path.file_name().unwrap().to_str().unwrap().to_owned(), bytes);
        }
        found
    }
}

impl File {
    fn after_loss(&self, kept: Kept, chance: &mut Chance) -> Vec<u8> {
        let mut bytes = self.sure.clone();
        for (_, part) in &self.open {
            match (kept, part) {
                (Kept::Nothing, _) => {}
                (Kept::Everything, part) => apply(&mut bytes, part),
                (Kept::Torn, Part::Bytes(at, data)) if chance.coin() => torn(&mut bytes, *at, data, chance),
                (Kept::Some | Kept::Torn, part) => {
                    if chance.coin() {
                        apply(&mut bytes, part);
                    }
                }
            }
        }
        bytes
    }
}

/// Writes sector by sector, up to some sector or each by chance.
fn torn(bytes: &mut Vec<u8>, at: u64, data: &[u8], chance: &mut Chance) {
    let last = at + data.len() as u64;
    let upto = chance.coin().then(|| at + chance.below(data.len() as u64 + 1));
    let mut from = at;
    while from < last {
        let to = ((from / SECTOR + 1) * SECTOR).min(last);
        if upto.map_or_else(|| chance.coin(), |upto| to <= upto) {
            let part = &data[usize::try_from(from - at).unwrap()..usize::try_from(to - at).unwrap()];
            apply(bytes, &Part::Bytes(from, part.to_vec()));
        }
        from = to;
    }
}

fn apply(bytes: &mut Vec<u8>, part: &Part) {
    match part {
        Part::Bytes(at, data) => {
            let at = usize::try_from(*at).unwrap();
            if bytes.len() < at + data.len() {
                bytes.resize(at + data.len(), 0);
            }
            bytes[at..at + data.len()].copy_from_slice(data);
        }
        Part::Length(length) => bytes.resize(usize::try_from(*length).unwrap(), 0),
    }
}

fn set(names: &mut BTreeMap<PathBuf, Entry>, change: &Names) {
    for (path, entry) in change {
        match entry {
            Some(entry) => drop(names.insert(path.clone(), *entry)),
            None => drop(names.remove(path)),
        }
    }
}

/// Chance that is the same each time (xorshift).
#[derive(Debug)]
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
}
