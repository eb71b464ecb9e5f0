//! Files that are looked at while they grow: in the end they say what they say at one look.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::SessionFacts;
use loopx_runtimes::testing::{Folding, Process};
use loopx_runtimes::{Index, Runtime, Scope, observe};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, proptest};
use proptest::sample::{Index as Place, select};

use crate::scene::{Scene, after, key, recordings, text, written};

const THREAD: &str = "01a229a5-924c-7440-b3e2-411a8a756bc4";
const SESSION: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Every recording that is a file of lines.
pub fn files() -> Vec<(Runtime, PathBuf)> {
    let mut files = Vec::new();
    for (folder, runtime) in [("codex", Runtime::Codex), ("claude-code", Runtime::ClaudeCode)] {
        for path in fs::read_dir(recordings().join(folder)).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                files.push((runtime, path));
            }
        }
    }
    files.sort_by(|a, b| a.1.cmp(&b.1));
    files
}

/// The places, in order, that a file is looked at.
fn looks(places: &[Place], len: usize) -> BTreeSet<usize> {
    places.iter().map(|place| place.index(len + 1)).chain([len]).collect()
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn folded_in_pieces_a_file_says_what_it_says_at_once(
        (runtime, path) in select(files()),
        flips in vec((any::<Place>(), 0..8u8), 0..4),
        places in vec(any::<Place>(), 0..12),
        reload: bool,
    ) {
        let text = text(&path);
        let mut bytes = text.clone().into_bytes();
        for (at, bit) in flips.iter().filter(|_| !text.is_empty()) {
            bytes[at.index(text.len())] ^= 1 << bit;
        }
        let mut folding = Folding::new(runtime);
        for upto in looks(&places, bytes.len()) {
            folding.grow(&bytes[..upto]);
            if reload {
                folding.reload();
            }
        }
        let once = Folding::of(runtime, &bytes);
        assert_eq!(folding.encoded(), once.encoded(), "{path:?}");
        let now = after(&text);
        for process in [Process::Unproved, Process::Alive, Process::Dead] {
            assert_eq!(folding.facts(process, None, now), once.facts(process, None, now), "{path:?}");
        }
    }
}

/// A machine with one session's file, which changes.
pub struct Growing {
    scene: Scene,
    path: PathBuf,
    now: Timestamp,
    changes: i64,
    index: Index,
}

impl Growing {
    pub fn new(runtime: Runtime, now: Timestamp) -> Self {
        let scene = Scene::new();
        let path = match runtime {
            Runtime::Codex => scene.rollout(THREAD, ""),
            Runtime::ClaudeCode => scene.transcript(SESSION, ""),
        };
        Self { scene, path, now, changes: 0, index: Index::in_memory(&key()) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn append(&mut self, bytes: &[u8]) {
        File::options().append(true).open(&self.path).unwrap().write_all(bytes).unwrap();
        self.changed();
    }

    /// Has the file be this.
    pub fn write(&mut self, bytes: &[u8]) {
        fs::write(&self.path, bytes).unwrap();
        self.changed();
    }

    fn changed(&mut self) {
        self.changes += 1;
        written(&self.path, self.now + SignedDuration::from_millis(self.changes));
    }

    /// What a look brings, with the index of the looks before.
    pub fn look(&mut self) -> Vec<SessionFacts> {
        let sources = self.scene.sources();
        let sweep = observe(&sources, &mut self.index, &key(), self.now, &BTreeSet::new(), Scope::Hot);
        sweep.sessions.into_iter().map(|seen| seen.facts).collect()
    }

    /// What a look brings with a new index.
    pub fn look_beside(&mut self) -> Vec<SessionFacts> {
        let index = std::mem::replace(&mut self.index, Index::in_memory(&key()));
        let seen = self.look();
        self.index = index;
        seen
    }
}

fn grown(runtime: Runtime, path: &Path, places: &[Place]) {
    let text = text(path);
    let mut growing = Growing::new(runtime, after(&text));
    let mut from = 0;
    for upto in looks(places, text.len()) {
        growing.append(&text.as_bytes()[from..upto]);
        from = upto;
        let seen = growing.look();
        if seen.is_empty() {
            continue;
        }
        let alone = Folding::of(runtime, &text.as_bytes()[..upto]);
        let alone = alone.facts(Process::Unproved, Some(growing.now), growing.now).unwrap();
        assert_eq!(
            (seen[0].state, seen[0].lines),
            (alone.state, alone.lines),
            "{} up to {upto}",
            path.display()
        );
    }
    let seen = growing.look();
    assert_eq!(seen, growing.look_beside(), "{}", path.display());
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn looked_at_while_it_grows_a_file_says_what_a_new_index_says(
        (runtime, path) in select(files()),
        places in vec(any::<Place>(), 0..10),
    ) {
        grown(runtime, &path, &places);
    }
}

proptest! {
    #![proptest_config(config(24))]

    /// So long that the first look takes in its end alone.
    #[test]
    fn looked_at_while_it_grows_a_long_file_stands_as_a_new_index_says(
        (runtime, path) in select(files()),
        places in vec(any::<Place>(), 0..6),
        every in 1..4usize,
    ) {
        let filler = "x".repeat(300_000);
        let padding = match runtime {
            Runtime::Codex => {
                format!("{{\"type\":\"response_item\",\"payload\":{{\"type\":\"reasoning\",\"text\":\"{filler}\"}}}}\n")
            }
            Runtime::ClaudeCode => {
                format!("{{\"type\":\"attachment\",\"sessionId\":\"{SESSION}\",\"attachment\":\"{filler}\"}}\n")
            }
        };
        let text = text(&path);
        let lines = text.split_inclusive('\n').enumerate();
        let padded: String = lines
            .map(|(at, line)| if at % every == 0 { padding.clone() + line } else { line.to_owned() })
            .collect();
        let mut growing = Growing::new(runtime, after(&text));
        let mut from = 0;
        for upto in looks(&places, padded.len()) {
            growing.append(&padded.as_bytes()[from..upto]);
            from = upto;
            let seen = growing.look();
            let anew = growing.look_beside();
            let stand = |facts: &SessionFacts| (facts.state, facts.turn, facts.since, facts.event_id);
            assert_eq!(
                seen.iter().map(stand).collect::<Vec<_>>(),
                anew.iter().map(stand).collect::<Vec<_>>(),
                "{path:?} up to {upto} of {}",
                padded.len()
            );
        }
    }
}

#[test]
fn a_huge_line_that_is_not_finished_yet_is_one_line_in_the_end() {
    for (runtime, path) in [files().remove(0), files().pop().unwrap()] {
        let huge = format!("{{\"type\":\"compacted\",\"payload\":[{}0]}}\n", "7,".repeat(9 << 19));
        let text = text(&path);
        let bytes = [text.as_bytes(), huge.as_bytes(), text.as_bytes()].concat();
        let mut folding = Folding::new(runtime);
        for upto in [text.len(), text.len() + (8 << 20) + 4096, text.len() + (9 << 20) - 5, bytes.len()] {
            folding.grow(&bytes[..upto]);
        }
        assert_eq!(folding.encoded(), Folding::of(runtime, &bytes).encoded());
    }
}
