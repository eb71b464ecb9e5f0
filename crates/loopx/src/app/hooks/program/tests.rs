use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output, Stdio};

use super::*;

fn program(path: &Path, home: Option<&Path>) -> Program {
    let text = |path: &Path| path.to_str().expect("text").to_owned();
    Program { path: text(path), home: home.map(|home| ("LOOPX_HOME".to_owned(), text(home))) }
}

fn shell(words: &str, input: &str) -> Output {
    let mut child = Command::new("sh")
        .args(["-c", words])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    std::io::Write::write_all(&mut child.stdin.take().expect("its input"), input.as_bytes()).ok();
    child.wait_with_output().expect("its end")
}

#[track_caller]
fn silent(words: &str) {
    let ended = shell(words, "{}");
    assert!(
        ended.status.success() && ended.stdout.is_empty() && ended.stderr.is_empty(),
        "{words}: {ended:?}"
    );
}

fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    path
}

#[test]
fn a_hook_ends_well_in_silence_whatever_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let odd = folder.path().join("it's a \"$HOME\" `x` \\ folder");
    fs::create_dir(&odd).expect("a folder");
    for (name, text) in [
        ("well", "exit 0"),
        ("stale", "echo 'error: unexpected argument' >&2; echo no; exit 2"),
        ("broken", "kill -9 $$"),
    ] {
        let path = script(&odd, name, text);
        for runtime in Runtime::ALL {
            silent(&program(&path, None).hook(runtime, Prompts::Told));
            silent(&program(&path, Some(&odd)).hook(runtime, Prompts::Told));
            silent(&program(&path, None).line());
        }
    }
    silent(&program(&odd.join("gone"), None).hook(Runtime::ClaudeCode, Prompts::Told));
    silent(&program(&odd.join("gone"), Some(&odd)).hook(Runtime::Codex, Prompts::Told));
}

#[test]
fn a_hook_gets_its_event_its_words_and_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let odd = folder.path().join("it's here");
    fs::create_dir(&odd).expect("a folder");
    let seen = folder.path().join("seen");
    let path = script(&odd, "loopx", &format!("echo \"$LOOPX_HOME|$*|$(cat)\" > {}", seen.display()));
    silent(&program(&path, Some(&odd)).hook(Runtime::Codex, Prompts::Told));
    let seen = crate::app::file::text(&seen, 4096).expect("a file").expect("a file");
    assert_eq!(seen, format!("{}|hook codex --prompts|{{}}\n", odd.display()));
}

#[test]
fn somebody_elses_status_line_gets_the_same_bytes_with_and_without_us() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = "{\"a\": \"é\\n\"}\n\n";
    for ours in ["exec cat", "echo 'error: unexpected argument' >&2; exit 2"] {
        let path = script(folder.path(), "it's loopx", ours);
        for program in [program(&path, None), program(&folder.path().join("gone"), None)] {
            let (before, behind) = program.around();
            for theirs in ["cat", "cat # shown", "printf '%s' \"$(cat)x\" | sed 's/x$//'", "cat <<'E'\nx\nE"]
            {
                let alone = shell(theirs, input);
                let both = shell(&format!("{before}{theirs}{behind}"), input);
                assert_eq!(
                    (both.stdout, both.status.code()),
                    (alone.stdout, alone.status.code()),
                    "{theirs}"
                );
            }
        }
    }
}

#[test]
fn somebody_elses_notify_program_runs_with_and_without_us() {
    let folder = tempfile::tempdir().expect("a folder");
    let theirs = script(folder.path(), "theirs", "printf '<%s>' \"$@\"");
    let ours = script(folder.path(), "loopx", "shift 3; exec \"$@\"");
    for program in [
        program(&ours, None),
        program(&ours, Some(folder.path())),
        program(&folder.path().join("gone"), None),
    ] {
        let mut words = program.notify_around();
        words.extend([theirs.to_str().expect("text").to_owned(), "a b".to_owned(), "$(x)".to_owned()]);
        let run = |json: &[&str]| {
            let (first, rest) = words.split_first().expect("words");
            Command::new(first).args(rest).args(json).output().expect("it runs")
        };
        let ended = run(&["{\"type\": 1}"]);
        assert_eq!(String::from_utf8_lossy(&ended.stdout), "<a b><$(x)><{\"type\": 1}>", "{ended:?}");
    }
}

#[test]
fn our_words_are_known_again_and_others_are_not() {
    let here = program(Path::new("/it's/loopx"), None);
    let elsewhere = program(Path::new("/old place/loopx"), None);
    let homed = program(Path::new("/old/loopx"), Some(Path::new("/h")));
    assert!(here.is_hook(Runtime::Codex, &elsewhere.hook(Runtime::Codex, Prompts::Told)));
    assert!(here.is_hook(Runtime::Codex, &elsewhere.hook(Runtime::Codex, Prompts::Untold)));
    assert!(!here.is_hook(Runtime::ClaudeCode, &elsewhere.hook(Runtime::Codex, Prompts::Told)));
    assert!(!here.is_hook(Runtime::Codex, &homed.hook(Runtime::Codex, Prompts::Told)));
    assert!(!homed.is_hook(Runtime::Codex, &here.hook(Runtime::Codex, Prompts::Told)));
    assert!(!here.is_named(Runtime::Codex, &homed.hook(Runtime::Codex, Prompts::Told)));
    let changed = here.hook(Runtime::Codex, Prompts::Told).replace(" >/dev/null", "");
    assert!(!here.is_hook(Runtime::Codex, &changed) && here.is_named(Runtime::Codex, &changed));
    for theirs in
        ["say 'x' hook codex >/dev/null 2>&1 || true", "'a' && 'b' hook codex >/dev/null 2>&1 || true"]
    {
        assert!(!here.is_hook(Runtime::Codex, theirs) && !here.is_named(Runtime::Codex, theirs), "{theirs}");
    }
}
