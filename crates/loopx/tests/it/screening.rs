//! Every text that is given is screened: the refusal names field, class and columns, never the text.

use loopx_core::ProofFloor;

use crate::stage::{events, gate, todo, two_lanes};

#[test]
fn every_text_is_screened() {
    let world = two_lanes(ProofFloor::None);
    let (id, gate) = (todo(&world, &["build it"]), gate(&world, &["ship it?", "--covers", "bob"]));
    let ask = todo(&world, &["sign", "--audience", "user"]);
    let before = events(&world).len();
    let secret = format!("ghp_{}", "0123456789abcdefghijABCDEFGHIJ012345");
    let s = secret.as_str();
    for (field, args) in [
        ("title", vec!["todo", "add", s]),
        ("glob", vec!["todo", "add", "x", "--glob", s]),
        ("needs", vec!["todo", "add", "x", "--needs", s]),
        ("evidence", vec!["todo", "add", "x", "--evidence", s]),
        ("agent id", vec!["todo", "add", "x", "--audience", "user", "--covers", s]),
        ("title", vec!["todo", "edit", &id, "--title", s]),
        ("title", vec!["todo", "edit", &ask, "--title", s]),
        ("evidence", vec!["todo", "block", &id, "--evidence", s]),
        ("evidence", vec!["todo", "unblock", &id, "--evidence", s]),
        ("reason", vec!["todo", "drop", &id, "--reason", s]),
        ("summary", vec!["todo", "done", &id, "--summary", s]),
        ("check", vec!["todo", "done", &id, "--check", s]),
        ("reference", vec!["todo", "done", &id, "--turn-key", s]),
        ("question", vec!["gate", "ask", s]),
        ("reason", vec!["gate", "reject", &gate, "--reason", s]),
        ("condition", vec!["gate", "defer", &gate, "--condition", s]),
        ("summary", vec!["run", "record", "--kind", "progress", "--summary", s]),
        ("check", vec!["run", "record", "--kind", "validation", "--check", s]),
        ("reference", vec!["run", "record", "--kind", "progress", "--event", s]),
        ("reference", vec!["run", "record", "--kind", "progress", "--outcome-ref", s]),
        ("reference", vec!["run", "record", "--kind", "progress", "--session", s]),
        ("next_action", vec!["handoff", "offer", &id, "--next-action", s]),
        ("stop_condition", vec!["handoff", "offer", &id, "--next-action", "go", "--stop-condition", s]),
        ("agent id", vec!["handoff", "offer", &id, "--next-action", "go", "--to", s]),
        ("summary", vec!["handoff", "follow-up", "hof_x", "--summary", s]),
        ("reference", vec!["todo", "add", "x", "--key", s]),
    ] {
        for json in [&[][..], &["--json"]] {
            let ran = world.run(&[&args[..], json].concat()).fails(7, &format!("{field} refused: "));
            assert!(ran.err.contains("at columns 1-40"), "{args:?}: {ran:?}");
            assert!(ran.err.contains("hint: "), "{args:?}: {ran:?}");
            assert!(!ran.err.contains("0123456789") && !ran.out.contains("0123456789"), "{args:?}");
        }
    }
    assert_eq!(events(&world).len(), before, "nothing of it was recorded");
}

#[test]
fn an_id_that_is_empty_names_nothing() {
    let world = two_lanes(ProofFloor::None);
    world.run(&["todo", "add", "the only one"]).ok();
    world.run(&["gate", "ask", "Go on?"]).ok();
    for args in [["todo", "drop", ""], ["gate", "approve", ""], ["run", "show", ""], ["purge", "--id", ""]]
        .iter()
        .map(<[_; 3]>::as_slice)
    {
        let ran = world.run(args);
        assert_eq!(ran.code, 2, "{args:?} {ran:?}");
    }
}

#[test]
fn a_start_of_two_ids_is_ambiguous_however_many_other_goals_have() {
    let world = two_lanes(ProofFloor::None);
    for number in 0..63 {
        world.run(&["todo", "add", &format!("work {number}")]).ok();
    }
    world.run(&["goal", "add", "zebra", "--objective", "find the way", "--proof", "none"]).ok();
    for title in ["one", "two"] {
        world.run(&["todo", "add", title, "--goal", "zebra"]).ok();
    }
    world.run(&["todo", "show", "todo_", "--goal", "zebra"]).fails(2, "is ambiguous");
}

#[test]
fn what_is_typed_breaks_no_line_of_an_error_of_usage() {
    let world = two_lanes(ProofFloor::None);
    for args in [
        ["todo", "add", "x", "--priority", "P\nerror: all is lost"],
        ["todo", "add", "x", "--p\nerror: all is lost", "y"],
        ["goal", "authority", "add", "o\nerror: all is lost", "x"],
    ] {
        let ran = world.run(&args);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains("\\u{a}") && !ran.err.contains("\nerror: all"), "{ran:?}");
    }
}

#[test]
fn a_text_of_several_lines_or_too_long_is_refused() {
    let world = two_lanes(ProofFloor::None);
    let long = "word ".repeat(60);
    for text in ["one\ntwo", long.as_str()] {
        let ran = world.run(&["todo", "add", text]);
        assert_eq!(ran.code, 7, "{ran:?}");
    }
}
