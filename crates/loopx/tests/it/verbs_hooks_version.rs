//! `loopx hooks` where the version of a runtime can't be found out, or was named.

use std::fs;

use crate::verbs_hooks::{SETTINGS, newest, run, state, text};
use crate::world::World;

/// A machine on which no program tells its version.
fn untold() -> World {
    let world = newest();
    fs::write(world.path(SETTINGS), "{}").expect("a file");
    let nowhere = world.path("home/nowhere");
    world.with("PATH", nowhere)
}

fn events(world: &World) -> usize {
    text(world, SETTINGS).matches("hook claude_code").count()
}

#[test]
fn the_version_that_was_named_was_forgotten_at_the_next_install() {
    let world = untold();
    run(&world, &["install", "claude", "--runtime-version", "2.1.332"]).ok();
    let was = text(&world, SETTINGS);
    let again = run(&world, &["install", "claude"]).ok();
    assert!(again.out.contains("as it is: 16 events"), "{again:?}");
    assert!(again.err.contains("2.1.332, as it was when the hooks were written"), "{again:?}");
    assert_eq!((text(&world, SETTINGS), state(&world, "claude_settings").as_str()), (was, "installed"));
    // It counts over what older sessions say, and a newer one over it.
    let folder = world.path("home/lib/@anthropic-ai/claude-code/package.json");
    let machine = world.with("PATH", world.path("home/bin"));
    let version = |version: &str| {
        let manifest = format!("{{\"name\":\"@anthropic-ai/claude-code\",\"version\":\"{version}\"}}");
        fs::write(&folder, manifest).expect("a file");
    };
    version("1.0.128");
    run(&machine, &["install", "claude"]).ok();
    assert_eq!((events(&world), state(&machine, "claude_settings").as_str()), (16, "installed"));
    version("2.1.333");
    let newer = run(&machine, &["install", "claude"]).ok();
    assert!(newer.err.contains("2.1.333, as the package"), "{newer:?}");
    // From then on it is not the named one: an older one that is found out counts.
    version("1.0.128");
    assert_eq!(state(&machine, "claude_settings"), "older");
}

#[test]
fn events_went_in_silence() {
    let world = untold();
    run(&world, &["install", "claude", "--runtime-version", "2.1.332"]).ok();
    let older = run(&world, &["install", "claude", "--runtime-version", "2.1.76", "--dry-run"]).ok();
    for words in [
        "these would not be told of any more: PermissionDenied, StopFailure: Claude Code 2.1.76 does not know them",
        "`loopx hooks install claude_code --runtime-version X.Y.Z` names another version",
    ] {
        assert!(older.err.contains(words), "{words} in {older:?}");
    }
    // A record that is gone names nothing.
    fs::remove_file(world.path("loopx/hooks-installed.json")).expect("a file");
    let oldest = run(&world, &["install", "claude", "--dry-run"]).ok();
    assert!(oldest.err.contains("UserPromptSubmit: the version could not be found out"), "{oldest:?}");
}

#[test]
fn a_first_install_wrote_the_oldest_events_without_a_word() {
    let world = untold();
    let first = run(&world, &["install", "claude"]).ok();
    for words in [
        "of a version that could not be found out",
        "only the events that the oldest Claude Code with hooks knows are written",
        "`loopx hooks install claude_code --runtime-version X.Y.Z`",
    ] {
        assert!(first.err.contains(words), "{words} in {first:?}");
    }
    // The way out, as it is said.
    run(&world, &["install", "claude_code", "--runtime-version", "2.1.332"]).ok();
    assert_eq!(events(&world), 16);
}
