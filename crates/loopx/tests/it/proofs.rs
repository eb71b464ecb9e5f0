//! Decisions need a person: inside a runtime and without a terminal they are refused and recorded.

use loopx_core::ProofFloor;

use crate::person::Types;
use crate::stage::{gate, refused, todo, two_lanes};
use crate::world::World;

/// A gate, a blocking user todo and an agent todo that waits for both.
struct Held {
    world: World,
    gate: String,
    ask: String,
    todo: String,
}

fn held() -> Held {
    let world = two_lanes(ProofFloor::Terminal);
    let gate = gate(&world, &["may it be published?", "--covers", "bob"]);
    let ask = todo(&world, &["sign the paper", "--audience", "user", "--covers", "bob", "--blocking"]);
    let todo = todo(&world, &["publish it", "--blocked-by", &gate, "--blocked-by", &ask]);
    Held { world, gate, ask, todo }
}

fn decisions(held: &Held) -> Vec<(&'static str, Vec<&str>)> {
    let Held { gate, ask, todo, .. } = held;
    vec![
        ("gate approve", vec!["gate", "approve", gate]),
        ("gate reject", vec!["gate", "reject", gate]),
        ("gate defer", vec!["gate", "defer", gate, "--until", "1h"]),
        ("gate cover", vec!["gate", "cover", gate, "--covers", "ann"]),
        ("todo done", vec!["todo", "done", ask]),
        ("todo drop", vec!["todo", "drop", ask]),
        ("todo defer", vec!["todo", "defer", ask]),
        ("todo edit", vec!["todo", "edit", ask, "--title", "nothing"]),
        ("todo unblock", vec!["todo", "unblock", todo, gate]),
        ("todo unblock", vec!["todo", "unblock", todo, ask]),
    ]
}

fn all_are_refused(held: &Held, world: &World, why: &str) {
    let mut names = Vec::new();
    for (name, args) in decisions(held) {
        let ran = world.run(&args).fails(7, why);
        assert!(ran.err.contains("hint: run it yourself in a terminal"), "{name}: {ran:?}");
        names.push(name.replace(' ', "_"));
    }
    let logged: Vec<String> = refused(&held.world).iter().map(|name| name.replace(' ', "_")).collect();
    assert_eq!(logged.len(), names.len(), "{logged:?}");
    let gate = &held.world.json(&["gate", "show", &held.gate])["gate"];
    assert_eq!(gate["standing"], "requested");
    assert_eq!(
        held.world.json(&["todo", "show", &held.todo])["todo"]["blocked_by"]
            .as_array()
            .expect("a list")
            .len(),
        2
    );
}

#[test]
fn an_agent_inside_a_runtime_decides_nothing() {
    let held = held();
    let inside = held.world.with("CLAUDECODE", "1");
    all_are_refused(&held, &inside, "inside an agent's session");
}

#[test]
fn without_a_terminal_nobody_decides() {
    let held = held();
    all_are_refused(&held, &held.world, "there is no terminal");
}

#[test]
fn a_lane_takes_back_only_what_it_asked() {
    let held = held();
    let inside = |agent: &str| held.world.with("CLAUDECODE", "1").with("LOOPX_AGENT", agent);
    let asked = gate(&inside("ann"), &["and this?"]);
    inside("bob").run(&["gate", "withdraw", &asked]).fails(7, "inside an agent's session");
    inside("ann").run(&["gate", "withdraw", &asked, "--key", "k1"]).ok();
    let again = inside("ann").run(&["gate", "withdraw", &asked, "--key", "k1"]).ok();
    assert!(again.out.contains("already recorded"), "{again:?}");
    inside("ann").run(&["gate", "withdraw", &asked]).fails(4, "is withdrawn");
    assert_eq!(held.world.json(&["gate", "show", &asked])["gate"]["standing"], "withdrawn");
}

#[test]
fn a_session_acts_as_its_own_lane_alone() {
    let world = two_lanes(ProofFloor::None);
    let id = todo(&world, &["build it"]);
    let inside = world.with("CLAUDECODE", "1");
    let ran = inside.run(&["todo", "claim", &id, "--agent", "bob"]);
    let ran = ran.fails(7, "a session of ann may not act as bob");
    assert!(ran.err.contains("hint: leave out `--agent`"), "{ran:?}");
    assert_eq!(refused(&world).len(), 1);
    world.run(&["todo", "claim", &id, "--agent", "bob"]).ok();
}

#[test]
fn a_person_at_a_terminal_decides() {
    let held = held();
    let (ran, shown) = held.world.at_terminal(Types::TheCode, &["gate", "approve", &held.gate]);
    ran.ok();
    for words in ["approve", "may it be published?", "agent bob", "asked by a"] {
        assert!(shown.contains(words), "no {words:?} in {shown:?}");
    }
    let gate = &held.world.json(&["gate", "show", &held.gate])["gate"];
    assert_eq!((&gate["standing"], &gate["proof"]), (&"approved".into(), &"terminal".into()));
    let (ran, shown) = held.world.at_terminal(Types::TheCode, &["todo", "done", &held.ask]);
    ran.ok();
    assert!(shown.contains("sign the paper"), "{shown:?}");
    held.world.run(&["todo", "claim", &held.todo]).ok();
}

#[test]
fn a_wrong_code_decides_nothing() {
    let held = held();
    let (ran, _) = held.world.at_terminal(Types::Nonsense, &["gate", "approve", &held.gate]);
    ran.fails(7, "the code was not typed back");
    assert_eq!(refused(&held.world).len(), 1);
}

#[test]
fn nobody_is_asked_for_a_code_for_what_is_refused_anyway() {
    let held = held();
    let paper = held.world.path("paper");
    std::fs::write(&paper, "").expect("a file");
    let world = held.world.at_tty(&paper);
    world.run(&["gate", "revoke", &held.gate]).fails(4, "only an approval is revoked");
    world.run(&["gate", "cover", &held.gate, "--covers", "carl"]).fails(3, "no agent carl");
    assert_eq!(std::fs::metadata(&paper).expect("a file").len(), 0);
    world.run(&["gate", "approve", &held.gate]).fails(7, "the code was not typed back");
}

#[test]
fn a_terminal_inside_a_runtime_is_none() {
    let held = held();
    let inside = held.world.with("CODEX_THREAD_ID", "x").at_tty(std::path::Path::new("/dev/null"));
    inside.run(&["gate", "approve", &held.gate]).fails(7, "inside an agent's session");
}
