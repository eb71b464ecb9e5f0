//! `loopx gate`, through its door.

use loopx_core::ProofFloor;
use serde_json::json;

use crate::stage::{gate, todo, two_lanes};
use crate::world::World;

fn start() -> World {
    two_lanes(ProofFloor::None)
}

#[test]
fn a_gate_holds_until_it_is_approved() {
    let world = start();
    let id = todo(&world, &["publish it"]);
    let gate = gate(&world, &["may it be published?", "--covers", &id]);
    world.run(&["todo", "claim", &id]).fails(4, &format!("is held by {gate}"));
    world.run(&["gate", "approve", &gate[..12], "--until", "2h", "--single-use"]).ok();
    let list = world.run(&["gate", "list"]).ok().out;
    assert!(list.contains("approved  user  may it be published?"), "{list}");
    assert!(list.contains("approved for one use until") && list.contains("proof none"), "{list}");
    world.run(&["todo", "claim", &id]).ok();
    let shown = world.json(&["gate", "show", &gate]);
    assert_eq!(shown["schema_version"], "loopx_gate_v0");
    assert_eq!(shown["gate"]["state"]["approved"]["uses"], json!({"taken": id}));
    assert_eq!((&shown["gate"]["proof"], &shown["gate"]["standing"]), (&json!("none"), &json!("approved")));
    world.run(&["gate", "revoke", &gate]).ok();
    let asked_again = &world.json(&["gate", "list"])["gates"][0];
    assert_eq!(asked_again["standing"], "requested");
    assert_eq!((&asked_again["proof"], &asked_again["decided_at"]), (&json!(null), &json!(null)));
    world.run(&["gate", "revoke", &gate]).fails(4, "only an approval is revoked");
}

#[test]
fn the_same_open_question_is_the_same_gate() {
    let world = start();
    let first = gate(&world, &["ship it?", "--actor", "controller"]);
    assert_eq!(gate(&world, &["ship it?", "--actor", "controller"]), first);
    assert_ne!(gate(&world, &["ship it?"]), first);
}

#[test]
fn rejections_and_deferrals_are_shown_with_their_reason() {
    let world = start();
    let (no, later) = (gate(&world, &["drop the table?"]), gate(&world, &["use the new key?"]));
    world.run(&["gate", "reject", &no, "--reason", "the data is needed"]).ok();
    world.run(&["gate", "defer", &later]).fails(2, "required");
    world.run(&["gate", "defer", &later, "--condition", "the key is rotated"]).ok();
    let list = world.run(&["gate", "list"]).ok().out;
    assert!(list.contains("rejected: the data is needed, proof none"), "{list}");
    assert!(list.contains("deferred until the key is rotated, proof none"), "{list}");
    world.run(&["gate", "met", &later]).ok();
    world.run(&["gate", "met", &later]).fails(4, "not waiting for a condition");
    let first = &world.json(&["gate", "list"])["gates"][0];
    assert_eq!((&first["id"], &first["standing"]), (&json!(later), &json!("requested")));
    world.run(&["gate", "defer", &later, "--until", "2020-01-01T00:00:00Z"]).fails(2, "has passed");
}

#[test]
fn withdrawn_gates_are_listed_only_with_all() {
    let world = start();
    let gate = gate(&world, &["ship it?", "--expires", "1d"]);
    assert!(world.run(&["gate", "list"]).ok().out.contains("request runs out in 1 d"));
    world.run(&["gate", "withdraw", &gate]).ok();
    assert_eq!(world.json(&["gate", "list"])["gates"], json!([]));
    assert_eq!(world.json(&["gate", "list", "--all"])["gates"][0]["state"], "withdrawn");
    world.run(&["gate", "approve", &gate]).fails(4, "is withdrawn");
}

#[test]
fn what_a_gate_covers_can_be_said_anew() {
    let world = start();
    let gate = gate(&world, &["ship it?"]);
    world.run(&["gate", "cover", &gate, "--covers", "bob"]).ok();
    let shown = world.run(&["gate", "show", &gate]).ok().out;
    assert!(shown.contains("agent bob") && !shown.contains("the whole goal"), "{shown}");
    world.run(&["gate", "cover", &gate, "--covers", "carl"]).fails(3, "no agent carl");
}

#[test]
fn a_gate_that_is_not_there_is_not_found() {
    let world = start();
    for verb in ["approve", "reject", "revoke", "withdraw", "show"] {
        world.run(&["gate", verb, "gate_zzz"]).fails(3, "no gate gate_zzz");
    }
    world.run(&["gate", "show", "todo_zzz"]).fails(2, "malformed gate id");
}

#[test]
fn an_unsafe_question_is_refused() {
    let world = start();
    let ran = world.run(&["gate", "ask", "send it to ann@example.org?"]);
    assert_eq!(ran.code, 7, "{ran:?}");
    assert!(!ran.err.contains("ann@example.org"), "{ran:?}");
}

#[test]
fn what_a_narrow_screen_shows_of_an_id_named_nothing() {
    let world = two_lanes(ProofFloor::None);
    let gate = gate(&world, &["may it go out?"]);
    let end = &gate[gate.len() - 4..];
    assert!(world.run(&["gate", "show", end]).ok().out.contains(&gate));
    world.run(&["gate", "approve", end]).ok();
    world.run(&["gate", "show", &gate[gate.len() - 3..]]).fails(2, "malformed gate id");
    world.run(&["gate", "show", "zzzz"]).fails(2, "malformed gate id");
}
