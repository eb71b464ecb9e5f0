//! `loopx hook`: whatever a runtime tells it, it says nothing and ends well.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use std::thread;

use rustix::process::Signal;

use crate::made::read;
use crate::world::World;

/// Runs the built program as a runtime does.
fn hook(world: &World, args: &[&str], event: &[u8]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_loopx"));
    program.env_clear().envs(&world.env.vars).current_dir(world.path("work"));
    program.arg("hook").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().expect("the program");
    // It may have ended before it was told everything.
    let _ = child.stdin.take().expect("a pipe").write_all(event);
    child.wait_with_output().expect("an end")
}

fn is_silent(ran: &Output) -> bool {
    ran.status.code() == Some(0) && ran.stdout.is_empty() && ran.stderr.is_empty()
}

fn event(name: &str, session: usize) -> String {
    format!(r#"{{"session_id":"{session}","hook_event_name":"{name}","prompt":"canary","cwd":"/canary"}}"#)
}

fn spool(world: &World) -> String {
    let path = world.path("loopx/hooks.jsonl");
    if path.exists() { String::from_utf8(read(&path)).expect("text") } else { String::new() }
}

#[test]
fn whatever_comes_in_nothing_comes_out_and_it_ends_well() {
    let world = World::new();
    let huge = format!(r#"{{"session_id":"1","hook_event_name":"Stop","x":"{}"}}"#, "y".repeat(9 << 20));
    let deep = format!(r#"{{"session_id":"1","hook_event_name":"Stop","x":{}"#, "[".repeat(100_000));
    let cases: &[(&[&str], &[u8])] = &[
        (&["claude_code"], b""),
        (&["claude_code"], b"{"),
        (&["claude_code"], b"\xff\xfe\x00"),
        (&["claude_code"], b"[1, 2]"),
        (&["claude_code"], br#"{"session_id":"1","hook_event_name":"MadeUpTomorrow"}"#),
        (&["claude_code"], br#"{"session_id":"../../x","hook_event_name":"Stop"}"#),
        (&["claude_code"], br#"{"session_id":7,"hook_event_name":["Stop"]}"#),
        (&["claude_code"], deep.as_bytes()),
        (&["codex", "--notify"], b"{}"),
        (&["codex", "--notify", "no json"], b""),
        (&["codex", "--notify", "/no/such/program", "{}"], b""),
        (&["cursor"], b"{}"),
        (&[], b"{}"),
        (&["codex", "--made-up"], b"{}"),
        (&["codex", "more", "and", "more"], b"{}"),
    ];
    for (args, bytes) in cases {
        let ran = hook(&world, args, bytes);
        assert!(is_silent(&ran), "{args:?} {ran:?}");
    }
    assert_eq!(spool(&world), "", "nothing of it is an event");
    assert!(is_silent(&hook(&world, &["codex"], huge.as_bytes())));
    assert!(is_silent(&hook(&world, &["claude_code", "--prompts"], event("Stop", 1).as_bytes())));
    let told = spool(&world);
    assert_eq!(told.lines().count(), 2, "{told}");
    assert!(!told.contains("canary") && !told.contains('y'), "{told}");
}

#[test]
fn the_events_that_the_page_shows_were_none_that_could_be_tried() {
    let page = include_str!("../../../../docs/hooks.md");
    let world = World::new();
    let shown: Vec<&str> =
        page.lines().filter(|line| line.contains("made-up") && line.contains("loopx hook ")).collect();
    assert_eq!(shown.len(), 3, "{shown:?}");
    for (count, line) in shown.iter().enumerate() {
        let line = line.replace("loopx hook", &format!("'{}' hook", env!("CARGO_BIN_EXE_loopx")));
        let mut shell = Command::new("/bin/sh");
        let ran = shell.env_clear().envs(&world.env.vars).args(["-c", &line]).stdin(Stdio::null()).output();
        assert!(is_silent(&ran.expect("a shell")), "{line}");
        assert_eq!(spool(&world).lines().count(), count + 1, "{line}");
    }
    let status = world.run(&["hooks", "status"]).ok().out;
    assert_eq!(status.matches("last event ").count(), 2, "{status}");
}

#[test]
fn a_hook_of_a_mistyped_runtime_noted_nothing_and_nobody_was_told() {
    let world = World::new();
    fs::create_dir_all(world.path("home/.claude")).expect("a folder");
    let hook = |word: &str| {
        let command = format!("loopx hook {word} >/dev/null 2>&1 || true");
        let text =
            format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{"type":"command","command":"{command}"}}]}}]}}}}"#);
        fs::write(world.path("home/.claude/settings.json"), text).expect("a file");
    };
    hook("cluade_code");
    let doctor = world.run(&["doctor"]).fails(1, "").out;
    assert!(
        doctor.contains("is of no runtime that LoopX knows, and notes nothing: settings.json:1:57"),
        "{doctor}"
    );
    assert!(doctor.contains("way out: write `loopx hook claude_code` there"), "{doctor}");
    let status = world.run(&["hooks", "status"]).ok().out;
    assert!(status.contains("of no runtime at 1:57: it notes nothing"), "{status}");
    for word in ["claude_code", "claude", "codex"] {
        hook(word);
        world.run(&["doctor"]).ok();
    }
}

#[test]
fn where_nothing_can_be_kept_the_runtime_is_not_disturbed() {
    let stop = event("Stop", 1);
    // A file where the folder should be; a folder where the spool should be; no home at all.
    let world = World::new();
    fs::write(world.path("loopx"), "a file").expect("a file");
    assert!(is_silent(&hook(&world, &["codex"], stop.as_bytes())));
    let world = World::new();
    fs::create_dir_all(world.path("loopx/hooks.jsonl")).expect("a folder");
    assert!(is_silent(&hook(&world, &["codex"], stop.as_bytes())));
    let mut world = World::new();
    world.env.vars.clear();
    assert!(is_silent(&hook(&world, &["codex"], stop.as_bytes())));
    // A device that is full, by a link: it is not followed, and a link is not written through.
    let world = World::new();
    fs::create_dir_all(world.path("loopx")).expect("a folder");
    std::os::unix::fs::symlink("/dev/full", world.path("loopx/hooks.jsonl")).expect("a link");
    assert!(is_silent(&hook(&world, &["codex"], stop.as_bytes())));
    // A config file that can't be read.
    let world = World::new();
    fs::create_dir_all(world.path("loopx")).expect("a folder");
    fs::write(world.path("loopx/config.toml"), "= broken").expect("a file");
    assert!(is_silent(&hook(&world, &["codex"], stop.as_bytes())));
    assert_eq!(spool(&world).lines().count(), 1);
}

#[test]
fn where_files_may_grow_no_longer_it_ends_well_all_the_same() {
    let world = World::new();
    let stop = event("Stop", 1);
    let full = "x".repeat(4096) + "\n";
    fs::create_dir_all(world.path("loopx")).expect("a folder");
    for name in ["hooks.jsonl", "limits.jsonl"] {
        fs::write(world.path("loopx").join(name), &full).expect("a file");
    }
    let limits =
        r#"{"session_id":"1","rate_limits":{"five_hour":{"used_percentage":25.5,"resets_at":4000000000}}}"#;
    let notice = r#"{"type":"agent-turn-complete","thread-id":"1","turn-id":"t"}"#;
    let lines = [
        ("hook codex".to_owned(), stop.as_str(), ""),
        ("hook claude_code --statusline".to_owned(), limits, limits),
        // The user's own program gets the signal as without us.
        (format!("hook codex --notify /bin/sh -c 'kill -XFSZ $$; echo lived' '{notice}'"), "", ""),
    ];
    for (line, told, out) in lines {
        let mut shell = Command::new("/bin/sh");
        shell.env_clear().envs(&world.env.vars).stdin(Stdio::piped()).stdout(Stdio::piped());
        let script = format!("ulimit -f 1; exec '{}' {line}", env!("CARGO_BIN_EXE_loopx"));
        let mut child = shell.args(["-c", &script]).stderr(Stdio::piped()).spawn().expect("a shell");
        let _ = child.stdin.take().expect("a pipe").write_all(told.as_bytes());
        let ran = child.wait_with_output().expect("an end");
        let code = if line.contains("--notify") { None } else { Some(0) };
        assert_eq!(ran.status.code(), code, "{line}: {ran:?}");
        assert!(ran.stdout == out.as_bytes() && ran.stderr.is_empty(), "{line}: {ran:?}");
    }
    assert_eq!(spool(&world), full);
}

#[test]
fn a_full_spool_is_said_and_begun_anew_by_whoever_looks() {
    let world = World::new();
    fs::create_dir_all(world.path("loopx")).expect("a folder");
    fs::set_permissions(world.path("loopx"), std::os::unix::fs::PermissionsExt::from_mode(0o700))
        .expect("a mode");
    assert!(is_silent(&hook(&world, &["codex"], event("UserPromptSubmit", 1).as_bytes())));
    let file = fs::File::options().write(true).open(world.path("loopx/hooks.jsonl")).expect("the spool");
    file.set_len(16 << 20).expect("a length");
    assert!(is_silent(&hook(&world, &["codex"], event("Stop", 1).as_bytes())));
    let ran = world.run(&["doctor"]).fails(1, "");
    assert!(ran.out.contains("what happens, is full: what hooks tell is dropped since "), "{ran:?}");
    // That look has begun it anew.
    let ran = world.run(&["status"]).ok();
    assert!(ran.err.contains("was dropped: nobody had looked for too long; see `loopx doctor`"), "{ran:?}");
    let ran = world.run(&["doctor"]).ok();
    assert!(ran.out.contains("were dropped: nobody had looked for too long"), "{ran:?}");
    assert!(is_silent(&hook(&world, &["codex"], event("Stop", 1).as_bytes())));
    assert!(spool(&world).contains("turn_ended"));
}

/// What is done to a world.
type Act<'a> = &'a dyn Fn(&World);

#[test]
fn what_is_odd_about_the_spool_is_said_with_a_way_out_that_works() {
    let told = event("Stop", 1);
    let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    let away =
        |world: &World| fs::rename(world.path("loopx/hooks.jsonl"), world.path("moved")).expect("moved");
    let private =
        |world: &World| fs::set_permissions(world.path("loopx/hooks.jsonl"), mode(0o600)).expect("a mode");
    let cases: [(&str, &str, Act<'_>, Act<'_>); 6] = [
        (
            "is a folder: nothing is noted",
            "move hooks.jsonl out",
            &|world| fs::create_dir(world.path("loopx/hooks.jsonl")).expect("a folder"),
            &away,
        ),
        (
            "is a link: nothing is noted",
            "move hooks.jsonl out",
            &|world| {
                std::os::unix::fs::symlink("/dev/null", world.path("loopx/hooks.jsonl")).expect("a link");
            },
            &away,
        ),
        (
            "holds 2 lines that are no events",
            "move hooks.jsonl out",
            &|world| {
                fs::write(world.path("loopx/hooks.jsonl"), "canary\n{\"canary\": 1}\n").expect("a file");
                private(world);
            },
            &away,
        ),
        (
            "has mode 0400: nothing can be noted",
            "`chmod 600 hooks.jsonl`",
            &|world| {
                fs::write(world.path("loopx/hooks.jsonl"), "").expect("a file");
                fs::set_permissions(world.path("loopx/hooks.jsonl"), mode(0o400)).expect("a mode");
            },
            &private,
        ),
        (
            "has mode 0644: others can get at it",
            "`chmod 600 hooks.jsonl`",
            &|world| {
                fs::write(world.path("loopx/hooks.jsonl"), "").expect("a file");
                fs::set_permissions(world.path("loopx/hooks.jsonl"), mode(0o644)).expect("a mode");
            },
            &private,
        ),
        (
            "holds a line that is no event",
            "move hooks.jsonl out",
            &|world| {
                fs::write(world.path("loopx/hooks.jsonl"), "\0\0\0\n").expect("a file");
                private(world);
            },
            &away,
        ),
    ];
    for (problem, way_out, spoil, mend) in cases {
        let world = World::new();
        fs::create_dir_all(world.path("loopx")).expect("a folder");
        fs::set_permissions(world.path("loopx"), mode(0o700)).expect("a mode");
        spoil(&world);
        let ran = world.run(&["doctor"]).fails(1, "");
        assert!(
            ran.out.contains(&format!("data/hooks.jsonl, in which hooks note what happens, {problem}")),
            "{ran:?}"
        );
        assert!(ran.out.contains(way_out) && !ran.out.contains("canary"), "{ran:?}");
        mend(&world);
        assert!(is_silent(&hook(&world, &["codex"], told.as_bytes())), "{problem}");
        assert!(spool(&world).contains("turn_ended"), "{problem}");
        world.run(&["doctor"]).ok();
    }
}

#[test]
fn two_hundred_at_once_are_all_kept_whole() {
    const AT_ONCE: usize = 200;
    let world = World::new();
    let vars = world.env.vars.clone();
    let work = world.path("work");
    thread::scope(|threads| {
        for session in 0..AT_ONCE {
            let (vars, work) = (&vars, &work);
            threads.spawn(move || {
                let mut program = Command::new(env!("CARGO_BIN_EXE_loopx"));
                program.env_clear().envs(vars).current_dir(work).args(["hook", "codex"]);
                let mut child = program.stdin(Stdio::piped()).spawn().expect("the program");
                let told = event("UserPromptSubmit", session);
                child.stdin.take().expect("a pipe").write_all(told.as_bytes()).expect("written");
                assert!(child.wait().expect("an end").success());
            });
        }
    });
    let told = spool(&world);
    assert!(told.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{told}");
    assert_eq!(told.lines().count(), AT_ONCE);
}

#[test]
fn a_program_that_was_there_before_is_told_as_it_was() {
    let world = World::new();
    let script = world.path("theirs");
    fs::write(&script, "#!/bin/sh\nprintf '%s|' \"$@\"\nexit 3\n").expect("a script");
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a script");
    let notice = r#"{"type":"agent-turn-complete","thread-id":"01a2","turn-id":"t1"}"#;
    let script = script.to_str().expect("a name");
    let ran = hook(&world, &["codex", "--notify", script, "-h", "--help", "a b", notice], b"");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), format!("-h|--help|a b|{notice}|"));
    assert_eq!(ran.status.code(), Some(3), "its exit code is its own");
    assert!(spool(&world).contains("noticed_end"));
}

#[test]
fn a_status_line_goes_through_unchanged() {
    let world = World::new();
    let line = b"{\"session_id\":\"1\",\n \"model\": {\"id\": \"\xff\x00\"}}\n";
    let ran = hook(&world, &["claude_code", "--statusline"], line);
    assert_eq!((ran.status.code(), ran.stdout.as_slice()), (Some(0), &line[..]));
}

#[test]
fn help_is_given_who_asks_for_it() {
    let ran = World::new().run(&["hook", "--help"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("Usage: loopx hook"), "{}", ran.out);
}

#[test]
fn a_notify_that_is_not_there_left_the_tests_to_die_of_a_closed_pipe() {
    let world = World::new();
    assert_eq!(world.run(&["hook", "codex", "--notify", "/no/such/program", "{}"]).code, 0);
    let status = String::from_utf8(read(std::path::Path::new("/proc/self/status"))).expect("text");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("what is ignored");
    let ignored = u64::from_str_radix(ignored.trim(), 16).expect("a mask");
    assert_ne!(ignored >> (Signal::PIPE.as_raw() - 1) & 1, 0, "{ignored:x}");
}
