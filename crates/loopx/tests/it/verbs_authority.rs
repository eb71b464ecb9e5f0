//! The passphrase: locking, deciding with it, and what is left to somebody who has all but it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use loopx_core::ProofFloor;
use loopx_core::actor::{Actor, Channel, Proof, Who};
use loopx_core::goal::GoalState;
use loopx_core::{AuthorityKey, Event};
use loopx_store::SqliteStore;

use crate::stage::{gate, refused, two_lanes};
use crate::world::{Ran, World};

const NEW: (&str, &str) = ("new passphrase: ", PASSPHRASE);
const AGAIN: (&str, &str) = ("the same again: ", PASSPHRASE);
const RIGHT: (&str, &str) = ("nothing to leave it: ", PASSPHRASE);
const WRONG: (&str, &str) = ("nothing to leave it: ", "nine green apples");
const PASSPHRASE: &str = "seven quiet mülls";

/// A locked goal, and a gate to decide.
fn locked() -> (World, String) {
    let world = two_lanes(ProofFloor::Terminal);
    let gate = gate(&world, &["may it be published?", "--covers", "bob"]);
    world.typing(&[NEW, AGAIN], &["authority", "lock"]).0.ok();
    (world, gate)
}

fn standing(world: &World, gate: &str) -> serde_json::Value {
    world.json(&["gate", "show", gate])["gate"]["standing"].clone()
}

#[test]
fn a_locked_goal_is_decided_on_with_the_passphrase_alone() {
    let (world, gate) = locked();
    let mode = fs::metadata(world.path("loopx/authority.json")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (ran, shown) = world.typing(&[WRONG], &["gate", "approve", &gate]);
    ran.fails(7, "the passphrase is wrong");
    assert!(shown.contains("may it be published?"), "{shown:?}");
    assert_eq!(refused(&world).len(), 1);
    let (ran, shown) = world.typing(&[("nothing to leave it: ", "")], &["gate", "approve", &gate]);
    ran.fails(7, "no passphrase was typed");
    assert!(!shown.contains("quiet"));
    world.run(&["gate", "approve", &gate]).fails(7, "there is no terminal");
    world.with("CLAUDECODE", "1").run(&["gate", "approve", &gate]).fails(7, "inside an agent's session");
    assert_eq!(standing(&world, &gate), "requested");
    // Rubbed out and typed anew, and never shown.
    let mended = "xx\u{7f}\u{7f}seven quiet müx\u{7f}lls";
    let (ran, shown) = world.typing(&[(RIGHT.0, mended)], &["gate", "approve", &gate]);
    ran.ok();
    assert!(!shown.contains("quiet") && !shown.contains("xx"), "{shown:?}");
    let shown = &world.json(&["gate", "show", &gate])["gate"];
    assert_eq!((&shown["standing"], &shown["proof"]), (&"approved".into(), &"passphrase".into()));
    world.run(&["doctor"]).ok();
    world.run(&["authority", "lock"]).ok();
}

#[test]
fn a_lock_is_set_by_a_person_at_a_terminal() {
    let world = two_lanes(ProofFloor::Terminal);
    world.run(&["authority", "lock"]).fails(7, "there is no terminal");
    world.with("CODEX_THREAD_ID", "x").run(&["authority", "lock"]).fails(7, "inside an agent's session");
    assert_eq!(refused(&world), ["authority lock", "authority lock"]);
    let short = ("new passphrase: ", "short");
    world.typing(&[short], &["authority", "lock"]).0.fails(2, "fewer than 8");
    let other = ("the same again: ", "another one");
    world.typing(&[NEW, other], &["authority", "lock"]).0.fails(2, "the two differ");
    let (ran, shown) = world.typing(&[("new passphrase: ", "\u{3}")], &["authority", "lock"]);
    ran.fails(7, "no passphrase was typed");
    assert!(shown.contains("every decision signed"), "{shown:?}");
    assert!(!world.path("loopx/authority.json").exists());
    let status = world.json(&["authority", "status"]);
    assert_eq!((&status["set_up"], &status["goals"][0]["state"]), (&false.into(), &"open".into()));
}

#[test]
fn goals_made_later_are_locked_at_once_but_for_those_of_scripts() {
    let (world, _) = locked();
    world.run(&["goal", "add", "later", "--objective", "go on"]).ok();
    world.run(&["goal", "add", "script", "--objective", "go on", "--proof", "none"]).ok();
    let status = world.json(&["authority", "status"]);
    let each: Vec<_> = status["goals"]
        .as_array()
        .expect("goals")
        .iter()
        .map(|goal| (goal["goal_id"].as_str().expect("an id"), goal["state"].as_str().expect("a state")))
        .collect();
    assert!(each.contains(&("later", "locked")) && each.contains(&("script", "open")), "{each:?}");
    world.run(&["goal", "pause", "script"]).ok();
    world.run(&["goal", "pause", "later"]).fails(7, "there is no terminal");
    world.typing(&[RIGHT], &["goal", "pause", "later"]).0.ok();
    world.run(&["doctor"]).ok();
    let rows = world.run(&["authority", "status"]).ok().out;
    assert!(rows.contains("passphrase") && rows.contains("not locked"), "{rows}");
}

#[test]
fn a_goal_made_for_a_passphrase_waits_for_the_lock() {
    let world = World::new();
    let args = ["goal", "add", "held", "--objective", "go on", "--proof", "passphrase"];
    let ran = world.run(&args).ok();
    assert!(ran.err.contains("loopx authority lock"), "{ran:?}");
    let ran = world.run(&["goal", "pause", "held"]).fails(7, "none is set up for this goal");
    assert!(ran.err.contains("hint: set it up: `loopx authority lock`"), "{ran:?}");
    world.typing(&[NEW, AGAIN], &["authority", "lock"]).0.ok();
    world.typing(&[RIGHT], &["goal", "pause", "held"]).0.ok();
}

#[test]
fn the_passphrase_changes_and_the_key_can_be_followed_by_another() {
    let (world, gate) = locked();
    let before = world.json(&["authority", "status"])["public_key"].clone();
    let now = ("as it is now: ", PASSPHRASE);
    let other = "nine green apples";
    world.typing(&[("as it is now: ", other)], &["authority", "passwd"]).0.fails(7, "is wrong");
    let changed = [now, ("new passphrase: ", other), ("the same again: ", other)];
    world.typing(&changed, &["authority", "passwd"]).0.ok();
    assert_eq!(world.json(&["authority", "status"])["public_key"], before);
    world.typing(&[RIGHT], &["gate", "approve", &gate]).0.fails(7, "is wrong");
    world.typing(&[("the passphrase: ", other)], &["authority", "lock", "--new-key"]).0.ok();
    let after = world.json(&["authority", "status"]);
    assert_ne!(after["public_key"], before);
    assert_eq!(after["goals"][0]["public_key"], after["public_key"]);
    world.typing(&[WRONG], &["gate", "approve", &gate]).0.ok();
    world.run(&["doctor"]).ok();
}

#[test]
fn another_authority_file_decides_nothing() {
    let (world, gate) = locked();
    let other = two_lanes(ProofFloor::Terminal);
    other.typing(&[NEW, AGAIN], &["authority", "lock"]).0.ok();
    let file = world.path("loopx/authority.json");
    fs::rename(&file, world.path("kept")).expect("moved");
    fs::copy(other.path("loopx/authority.json"), &file).expect("put there");
    // Nobody is asked for a passphrase that another's file would take.
    world.run(&["gate", "approve", &gate]).fails(7, "does not hold the goal's key");
    let goals = world.json(&["authority", "status"])["goals"].clone();
    assert_eq!(goals[0]["state"], "key_elsewhere");
    // A file that calls its own key by the name of the goal's does not open.
    let (mine, theirs) = (key(&world.path("kept")), key(&file));
    let forged = text(&file).replace(&theirs, &mine);
    fs::write(&file, forged).expect("written");
    world.run(&["gate", "approve", &gate]).fails(7, "authority.json was changed without the passphrase");
    let found = world.run(&["doctor", "--json"]).json()["findings"][0].clone();
    assert_eq!(found["code"], "lock_taken_away");
    fs::rename(world.path("kept"), &file).expect("moved back");
    world.typing(&[RIGHT], &["gate", "approve", &gate]).0.ok();
}

#[expect(clippy::disallowed_methods, reason = "a file of our own")]
fn text(file: &std::path::Path) -> String {
    String::from_utf8(fs::read(file).expect("a file")).expect("text")
}

fn key(file: &std::path::Path) -> String {
    let file: serde_json::Value = serde_json::from_str(&text(file)).expect("JSON");
    file["keys"][0]["public_key"].as_str().expect("a key").to_owned()
}

/// What a process of the same user writes who knows the format and has no passphrase: chain, rows and seal are right.
fn forge(world: &World, event: Event) {
    let goal = loopx_contract::GoalId::parse("pilot").expect("an id");
    let actor = Actor { who: Who::Person, channel: Channel::Cli, proof: Proof::Passphrase };
    let at = "2026-12-01T00:00:00Z".parse().expect("an instant");
    let mut store = SqliteStore::open(&world.path("loopx")).expect("a store");
    store.append_all(&goal, &actor, vec![(at, event)]).expect("written");
}

#[test]
fn a_forged_decision_is_found_by_doctor_and_blocks_the_goal() {
    let forged = [
        Event::GoalStateSet { from: GoalState::Active, to: GoalState::Done },
        Event::AuthorityLocked { public_key: AuthorityKey::new([7; 32]) },
    ];
    for event in forged {
        let (world, gate) = locked();
        world.typing(&[RIGHT], &["gate", "approve", &gate]).0.ok();
        forge(&world, event);
        let found = world.run(&["doctor", "--json"]);
        let found = &found.json()["findings"][0];
        assert_eq!((&found["code"], &found["goal_id"]), (&"unsigned_decision".into(), &"pilot".into()));
        assert!(found["way_out"].as_str().expect("a way out").contains("loopx restore"), "{found}");
        let blocked: Ran = world.run(&["next", "--goal", "pilot", "--agent", "ann"]);
        assert_eq!(blocked.code, 11, "{blocked:?}");
        assert!((blocked.out + &blocked.err).contains("unsigned_decision"));
    }
}

#[test]
fn a_log_written_anew_without_its_lock_is_found() {
    let (world, gate) = locked();
    world.typing(&[RIGHT], &["gate", "reject", &gate]).0.ok();
    // As if nothing had ever been locked: a whole store, sound in itself.
    let other = two_lanes(ProofFloor::Terminal);
    let asked = crate::stage::gate(&other, &["may it be published?"]);
    other.at_terminal(crate::person::Types::TheCode, &["gate", "approve", &asked]).0.ok();
    for name in ["loopx.db", "loopx.db-wal", "loopx.db-shm", "seal.json"] {
        let (from, to) = (other.path("loopx").join(name), world.path("loopx").join(name));
        let _none = fs::remove_file(&to);
        if from.exists() {
            fs::copy(from, to).expect("put there");
        }
    }
    let found = world.run(&["doctor", "--json"]).json()["findings"].clone();
    let one = &found[0];
    assert_eq!((&one["code"], &one["goal_id"]), (&"lock_taken_away".into(), &"pilot".into()), "{found}");
    for args in [["gate", "revoke", &asked].as_slice(), &["authority", "lock"]] {
        world.run(args).fails(7, "not the one that was signed");
    }
    assert_eq!(world.json(&["authority", "status"])["goals"][0]["state"], "other_log");
}

#[test]
fn a_restore_needs_the_passphrase_that_is_set_up() {
    let (world, _) = locked();
    let ran = world.run(&["backup", "b.db"]).ok();
    assert!(ran.err.contains("keep authority.json"), "{ran:?}");
    world.typing(&[WRONG], &["restore", "b.db"]).0.fails(7, "restore refused: the passphrase is wrong");
    world.typing(&[RIGHT], &["goal", "pause"]).0.ok();
    world.typing(&[RIGHT], &["restore", "b.db"]).0.ok();
    world.run(&["doctor"]).ok();
    world.typing(&[RIGHT], &["goal", "pause"]).0.ok();
    world.run(&["doctor"]).ok();
}

#[test]
fn signatures_go_with_an_export_and_outlive_a_purge() {
    let (world, gate) = locked();
    world.typing(&[RIGHT], &["gate", "reject", &gate, "--reason", "not this way"]).0.ok();
    world.typing(&[WRONG], &["purge", "--id", &gate]).0.fails(7, "the passphrase is wrong");
    world.typing(&[RIGHT], &["purge", "--id", &gate]).0.ok();
    world.run(&["doctor"]).ok();
    let lines = world.run(&["export"]).ok().out;
    assert_eq!(lines.matches("\"signature\":").count(), 3);
    let other = World::new();
    let file = other.path("work/all.jsonl");
    fs::write(&file, lines.replacen("\"signature\":\"", "\"signature\":\"00", 1)).expect("written");
    other.run(&["import", "all.jsonl"]).fails(2, "no signature");
    fs::write(&file, lines).expect("written");
    other.run(&["import", "all.jsonl"]).ok();
    other.run(&["doctor"]).ok();
    // Its key is elsewhere: here nobody decides on it.
    other.run(&["goal", "pause", "pilot"]).fails(7, "no passphrase is set up here");
}
