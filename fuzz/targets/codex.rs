//! A file that is folded as it grows, and kept in between, is what it is when it is folded at once.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopx_runtimes::Runtime;
use loopx_runtimes::testing::{Folding, Process};

fuzz_target!(|bytes: &[u8]| {
    let [first, second, file @ ..] = bytes else { return };
    let at = |byte: &u8| file.len() * usize::from(*byte) / 256;
    let mut growing = Folding::new(Runtime::Codex);
    let (one, other) = (at(first).min(at(second)), at(first).max(at(second)));
    for end in [one, other, file.len()] {
        growing.grow(&file[..end]);
        growing.reload();
    }
    let now = "2026-11-30T00:00:00Z".parse().expect("an instant");
    let whole = Folding::of(Runtime::Codex, file);
    for process in [Process::Unproved, Process::Alive, Process::Dead] {
        assert_eq!(growing.facts(process, None, now), whole.facts(process, None, now));
    }
});
