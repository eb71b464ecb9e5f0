//! Names that have no form of their own: of sessions, of the machine, of the operator's list. And what `--redact` does.

use std::fs;

use loopx_core::ProofFloor;
use serde_json::json;

use crate::made::Turn;
use crate::stage::{events, gate, todo, two_lanes};
use crate::world::World;

/// A world whose operator lists a name, as a user with a name on a machine with one.
fn start() -> World {
    let world = two_lanes(ProofFloor::None).with("USER", "jdoerr");
    fs::create_dir_all(world.env.proc.join("sys/kernel")).expect("a folder");
    fs::write(world.env.proc.join("sys/kernel/hostname"), "vostok-7.corp.example\n").expect("a file");
    terms(&world, "# ours\n\nBorealis Nine\nide\nworkspace\n");
    world
}

fn terms(world: &World, terms: &str) {
    fs::write(world.path("loopx/private_terms"), terms).expect("a file");
}

#[test]
fn a_private_name_was_taken_into_a_text() {
    let world = start();
    world.codex(1, &world.project("nebula-forge"), Turn::Done, 5);
    let before = events(&world).len();
    for name in ["borealis-nine", "BorealisNine", "jdoerr", "vostok-7", "acmecorp", "git.corp.example"] {
        let title = format!("ask {name} for it");
        let ran = world.run(&["todo", "add", &title]).fails(7, "title refused: ");
        assert!(ran.err.contains("at columns 5-") && !ran.err.contains(name), "{ran:?}");
    }
    assert_eq!(events(&world).len(), before, "nothing of it was recorded");
    // A local title names what it is about.
    for title in
        ["build nebula-forge", "rebase spica-work", "publish quasar", "open the workspace in the ide"]
    {
        world.run(&["todo", "add", title]).ok();
    }
    world.run(&["todo", "add", "no names", "--glob", "jdoerr/**"]).fails(7, "glob refused: private_word");
    world.run(&["todo", "add", "none", "--needs", "vostok-7"]).fails(7, "needs refused: private_word");
    world
        .run(&["goal", "add", "borealis-nine", "--objective", "x"])
        .fails(7, "goal id refused: private_word");
    world.run(&["agent", "add", "jdoerr"]).fails(7, "agent id refused: private_word");
}

#[test]
fn what_is_published_may_not_name_a_session_s_folder_branch_or_repository() {
    let world = start();
    world.codex(1, &world.project("nebula-forge"), Turn::Done, 60 * 24 * 40);
    let lines =
        "build nebula_forge\nrebase spica-work\npublish quasar\nask acmecorp\nBorealis Nine\nopen the ide\n";
    fs::write(world.path("work/notes.md"), lines).expect("a file");
    let found = |tier: &str| -> Vec<u64> {
        let ran = world.run(&["check", "--text", "--json", "--tier", tier, "notes.md"]).json();
        let findings = ran["findings"].as_array().expect("findings").clone();
        assert!(findings.iter().all(|one| one["class"] == "private_word"), "{findings:?}");
        findings.iter().map(|one| one["line"].as_u64().expect("a line")).collect()
    };
    assert_eq!(found("local"), [4, 5]);
    assert_eq!(found("showcase"), [1, 2, 3, 4, 5]);
    assert!(!world.path("loopx/install.json").exists() || world.path("loopx/loopx.db").exists());
}

#[test]
fn check_of_a_projection_knows_the_names() {
    let world = start();
    todo(&world, &["keep the lights on"]);
    let projection = world.run(&["project", "--json"]).ok().out;
    let named = projection.replace("keep the lights on", "keep jdoerr on");
    assert_ne!(projection, named);
    for (text, code) in [(&projection, 0), (&named, 7)] {
        fs::write(world.path("work/first.json"), text).expect("a file");
        assert_eq!(world.run(&["check", "first.json"]).code, code);
    }
}

#[test]
fn a_name_that_was_listed_later_was_shown_on() {
    let world = start();
    todo(&world, &["move the andromeda tables"]);
    let shown = world.run(&["status"]).ok().out;
    assert!(shown.contains("andromeda"), "{shown}");
    terms(&world, "andromeda\n");
    let ran = world.run(&["status", "--json"]);
    assert!(!ran.out.contains("andromeda") && ran.out.contains("unsafe_output"), "{ran:?}");
    let doctor = world.run(&["doctor"]);
    assert!(doctor.out.contains("the title of todo_") && doctor.out.contains("private_word"), "{doctor:?}");
    assert!(doctor.out.contains("way out: `loopx purge --goal pilot --id todo_"), "{doctor:?}");
    // Ids were screened when they were made: a goal does not go away with a new name on the list.
    terms(&world, "pilot\n");
    assert!(world.run(&["status"]).ok().out.contains("andromeda"));
}

#[test]
fn the_check_of_an_older_run_named_what_was_listed_later() {
    let world = start();
    let record = ["run", "record", "--kind", "validation", "--check", "andromeda suite", "--exit-code", "1"];
    world.run(&record).ok();
    world.run(&["run", "record", "--kind", "progress", "--summary", "went on"]).ok();
    assert!(world.run(&["status"]).ok().out.contains("andromeda"));
    terms(&world, "andromeda\n");
    let ran = world.run(&["status", "--json"]);
    assert!(!ran.out.contains("andromeda") && ran.out.contains("unsafe_output"), "{ran:?}");
    let doctor = world.run(&["doctor"]);
    assert!(doctor.out.contains("what run_") && doctor.code == 1, "{doctor:?}");
}

#[test]
fn a_short_id_cut_a_name_in_two_before_it_was_looked_for() {
    let world = World::new();
    world.run(&["goal", "add", "g", "--objective", "ship", "--proof", "none"]).ok();
    for agent in ["a", "al", "r"] {
        world.run(&["agent", "add", agent, "-g", "g"]).ok();
    }
    world.run(&["todo", "add", "ship borealis by May", "-g", "g", "-a", "a"]).ok();
    terms(&world, "borealis\n");
    for verb in [&["status", "g"][..], &["next", "-g", "g", "-a", "a"], &["why", "-g", "g", "-a", "al"]] {
        let ran = world.run(verb);
        assert!(!ran.out.contains("borealis") && !ran.err.contains("borealis"), "{verb:?}: {ran:?}");
    }
}

#[test]
fn a_name_that_is_one_of_our_own_words_stopped_every_screen() {
    for name in
        ["validation", "advance", "recorded", "gate", "stop", "missing", "authority", "unsafe", "session"]
    {
        let world = start();
        todo(&world, &["tidy up"]);
        terms(&world, &format!("{name}\n"));
        let ran = world.run(&["status"]).ok();
        assert!(ran.out.contains("advance tidy up"), "{name}: {ran:?}");
        let doctor = world.run(&["doctor"]);
        assert!(doctor.out.contains("pass the screen"), "{name}: {doctor:?}");
    }
}

#[test]
fn a_list_that_can_not_be_read_forbade_nothing() {
    let world = start();
    fs::write(world.path("loopx/private_terms"), b"caf\xe9\n").expect("a file");
    for verb in [&["todo", "add", "ask for it"][..], &["status"], &["check", "--text", "."]] {
        let ran = world.run(verb).fails(1, "failed to read private_terms: ");
        assert!(ran.err.contains("hint: "), "{ran:?}");
    }
    let doctor = world.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("private_terms"), "{doctor:?}");
}

#[test]
fn a_list_that_is_no_file_was_waited_for_or_taken_for_none() {
    let world = start();
    let list = world.path("loopx/private_terms");
    fs::remove_file(&list).expect("no list");
    std::os::unix::fs::symlink(world.path("nowhere"), &list).expect("a link");
    world.run(&["status"]).fails(1, "failed to read private_terms");
    fs::remove_file(&list).expect("no link");
    rustix::fs::mknodat(rustix::fs::CWD, &list, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    world.run(&["status"]).fails(1, "failed to read private_terms");
    fs::remove_file(&list).expect("no pipe");
    for name in ["install.json", "authority.json", "seal.json"] {
        let (file, aside) = (world.path("loopx").join(name), world.path("aside"));
        let there = fs::rename(&file, &aside).is_ok();
        rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .expect("a pipe");
        for verb in ["status", "doctor"] {
            let _ends = world.run(&[verb]);
        }
        fs::remove_file(&file).expect("no pipe");
        if there {
            fs::rename(&aside, &file).expect("a file");
        }
    }
}

#[test]
fn a_line_of_the_list_may_end_in_any_way_and_hold_a_comment() {
    let world = start();
    terms(&world, "\u{feff}borealis   # the old name\rquasar#9\u{2028}zephyrus\r\n# andromeda\n");
    for name in ["borealis", "quasar#9", "zephyrus"] {
        world.run(&["todo", "add", &format!("ship {name}")]).fails(7, "title refused: private_word");
    }
    world.run(&["todo", "add", "the old name of andromeda"]).ok();
}

#[test]
fn a_found_file_and_a_field_were_named_in_a_check() {
    let world = start();
    fs::create_dir_all(world.path("work/all")).expect("a folder");
    fs::write(world.path("work/all/borealis-nine.json"), "{\"borealisNine\": 1}").expect("a file");
    for json in [&[][..], &["--json"]] {
        let ran = world.run(&[&["check", "all"][..], json].concat());
        assert!(ran.code == 7 && ran.out.contains("[redacted:private_word:1]"), "{ran:?}");
        assert!(!ran.out.to_lowercase().contains("borealis"), "{ran:?}");
    }
}

#[test]
fn purging_a_label_left_its_pointer() {
    let world = start();
    world.run(&["goal", "authority", "add", "source", "handbook", "--pointer", "zanzi/secret.md"]).ok();
    let revision = events(&world).len().to_string();
    world.run(&["purge", "--revision", &revision]).ok();
    let files = fs::read_dir(world.path("loopx")).expect("files").flatten();
    for file in files.filter(|file| file.path().is_file()) {
        let bytes = crate::made::read(&file.path());
        assert!(!bytes.windows(12).any(|part| part == b"zanzi/secret"), "{:?}", file.file_name());
    }
}

#[test]
fn doctor_counts_the_names_and_shows_none() {
    let world = start();
    let ran = world.run(&["doctor"]);
    assert!(ran.out.contains("1 looked for, 2 too short or too common to be"), "{ran:?}");
    assert!(ran.out.contains("config/private_terms has mode 0644"), "{ran:?}");
    assert!(!ran.out.to_lowercase().contains("borealis"), "{ran:?}");
}

#[test]
fn redact_takes_out_of_every_text_what_the_screen_refuses() {
    let path = format!("{}/ann/notes", "/home");
    let given = format!("see {path} about Borealis Nine");
    let text = given.as_str();
    let left = "see [redacted:path] about [redacted:private_word]";
    let all = |id: &str, question: &str| -> Vec<Vec<String>> {
        [
            vec!["todo", "add", text],
            vec!["todo", "edit", id, "--title", text],
            vec!["todo", "drop", id, "--reason", text],
            vec!["todo", "done", id, "--summary", text, "--no-successor"],
            vec!["gate", "ask", text],
            vec!["gate", "reject", question, "--reason", text],
            vec!["gate", "defer", question, "--condition", text],
            vec!["run", "record", "--kind", "progress", "--summary", text],
            vec!["handoff", "offer", id, "--next-action", text],
            vec!["handoff", "offer", id, "--next-action", "go on", "--stop-condition", text],
            vec!["goal", "add", "other", "--objective", text],
            vec!["goal", "edit", "pilot", "--objective", text],
            vec!["goal", "edit", "pilot", "--stop-condition", text],
            vec!["goal", "edit", "pilot", "--private-data-rule", text],
        ]
        .map(|args| args.into_iter().map(str::to_owned).collect())
        .into()
    };
    for at in 0..all("", "").len() {
        let world = start();
        let (id, question) = (todo(&world, &["build it"]), gate(&world, &["ship it?", "--covers", "bob"]));
        world.run(&["todo", "claim", &id]).ok();
        let args = all(&id, &question).swap_remove(at);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        world.run(&args).fails(7, "refused: path at columns 5-");
        let ran = world.run(&[&args[..], &["--redact", "--json"]].concat()).ok();
        assert_eq!(ran.json()["redacted"], json!({ "path": 1, "private_word": 1 }), "{args:?}");
        assert!(ran.err.contains(": 1 path, 1 private_word"), "{args:?}: {ran:?}");
        let log = world.run(&["log", "--json", "--goal", if at == 10 { "other" } else { "pilot" }]).ok().out;
        assert!(log.contains(left), "{args:?}: {log}");
        assert!(!log.contains("Borealis") && !log.contains("/ann"), "{args:?}");
    }
}

#[test]
fn redact_made_another_name_of_a_name() {
    let world = start();
    for args in [
        &["todo", "add", "x", "--glob", "/etc/**"][..],
        &["todo", "add", "x", "--needs", "borealis-nine"],
        &["todo", "add", "x", "--evidence", "/etc/passwd"],
        &["run", "record", "--kind", "validation", "--check", "/usr/bin/make"],
    ] {
        world.run(&[args, &["--redact"]].concat()).fails(7, " refused: ");
    }
}
