//! Hostile bytes in whatever a caller, a shell, a folder or a file can hand over: none of them reaches a terminal or a
//! document raw.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use clap::Command;

use crate::canary::verbs::{LINES, split, verbs};
use crate::world::{Ran, World};

/// What moves a cursor, colours, links, rings, hides or turns text around: C0, C1, bidi, zero-width and tags.
const BAD: &str = "x\u{1b}[2J\u{1b}[31m\u{1b}]8;;h\u{7}y\u{1b}]8;;\u{7}\u{1b}[0m\rz\u{8}\u{9b}31m\u{9d}0;t\u{9c}\u{85}\u{7f}\u{202e}\u{2066}\u{200b}\u{feff}\u{2060}\u{ad}\u{e0041}\u{2028}\u{61c}";

/// The same over two lines.
fn over_lines() -> String {
    format!("{BAD}\n{BAD}\r\nend\u{b}\u{c}")
}

/// Bytes that are no text at all.
fn raw() -> OsString {
    OsString::from_vec(b"x\xff\x1b[2J\xc2\x9b31m\x9b31m\xe2\x80\xaey\xed\xa0\x80".to_vec())
}

/// What begins and ends our own colours.
const TONES: [&str; 6] = ["[1;31m", "[33m", "[32m", "[2m", "[1m", "[0m"];

/// The first character that should have been shown, not sent.
fn sent(text: &str, colored: bool) -> Option<String> {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at + c.len_utf8()..];
        let ours = c == '\u{1b}' && colored && TONES.iter().any(|tone| rest.starts_with(tone));
        let hides = matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}');
        if (c.is_control() && c != '\n' && !ours) || hides {
            let before: String = text[..at].chars().rev().take(60).collect();
            let before: String = before.chars().rev().collect();
            return Some(format!("{c:?} behind {before:?}"));
        }
        at += c.len_utf8();
    }
    None
}

/// What came out raw, by what was run.
#[derive(Default)]
struct Found {
    runs: usize,
    faults: BTreeMap<String, String>,
    exits: BTreeMap<u8, usize>,
}

impl Found {
    fn look(&mut self, what: &str, ran: &Ran, colored: bool) {
        self.runs += 1;
        *self.exits.entry(ran.code).or_default() += 1;
        for (stream, text) in [("stdout", &ran.out), ("stderr", &ran.err)] {
            if let Some(fault) = sent(text, colored) {
                self.faults.entry(format!("{what}, {stream}")).or_insert(fault);
            }
        }
    }

    #[track_caller]
    fn none(&self, at_least: usize) {
        let listed: Vec<_> =
            self.faults.iter().take(30).map(|(what, fault)| format!("{what}: {fault}")).collect();
        assert!(listed.is_empty(), "{} of {} runs:\n{}", self.faults.len(), self.runs, listed.join("\n"));
        assert!(self.runs >= at_least, "only {} runs", self.runs);
    }

    /// Runs it in words with colour, and as JSON.
    fn both(&mut self, world: &World, what: &str, args: &[OsString]) {
        for more in [&["--color", "always"][..], &["--json"]] {
            let args: Vec<OsString> = args.iter().cloned().chain(more.iter().map(OsString::from)).collect();
            self.look(&format!("{what} {}", more.join(" ")), &world.run_raw(&args), more.len() == 2);
        }
    }
}

/// The verb of a line, and how many of its words name it.
fn verb<'c>(command: &'c Command, words: &[String]) -> (&'c Command, usize) {
    let (mut at, mut depth) = (command, 0);
    while let Some(below) = words.get(depth).and_then(|word| at.find_subcommand(word)) {
        (at, depth) = (below, depth + 1);
    }
    (at, depth)
}

fn os(words: &[String]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

#[test]
fn what_a_caller_types_is_shown_and_not_obeyed() {
    let command = loopx::cli::command();
    let world = World::new();
    let (mut found, mut ids, mut flags) = (Found::default(), BTreeMap::<String, String>::new(), 0);
    for (name, line) in LINES {
        let mut words = split(line);
        for word in &mut words {
            for (slot, id) in &ids {
                *word = word.replace(&format!("{{{slot}}}"), id);
            }
        }
        let (verb, depth) = verb(&command, &words);
        let places = (depth..words.len()).filter(|at| !words[*at].starts_with("--"));
        for at in places.chain([words.len()]) {
            for bad in [over_lines().into(), raw()] {
                let mut args = os(&words);
                if at < args.len() {
                    args[at] = bad;
                } else {
                    args.push(bad);
                }
                found.both(&world, &format!("`{line}`, word {at}"), &args);
            }
        }
        for arg in verb.get_arguments().filter(|arg| arg.get_action().takes_values()) {
            let Some(long) = arg.get_long().filter(|long| !words.contains(&format!("--{long}"))) else {
                continue;
            };
            flags += 1;
            for bad in [OsStr::new(BAD), &raw()] {
                let mut args = os(&words);
                args.push(OsStr::new(&format!("--{long}=")).to_owned());
                if let Some(last) = args.last_mut() {
                    last.push(bad);
                }
                found.both(&world, &format!("`{line}` --{long}"), &args);
            }
        }
        let ran = world.run_raw(&[os(&words), vec!["--json".into()]].concat());
        found.look(line, &ran, false);
        if !name.is_empty() {
            ids.insert((*name).to_owned(), ran.id());
        }
    }
    for verb in verbs(&command) {
        for bad in [BAD, &over_lines(), &format!("--{BAD}"), &format!("-{BAD}"), &format!("--goal={BAD}")] {
            let mut args = os(&split(&verb));
            args.push(bad.into());
            found.both(&world, &verb, &args);
        }
    }
    found.both(&world, "a verb", &[BAD.into()]);
    found.both(&world, "a verb", &[raw()]);
    found.none(2000);
    assert!(flags > 100 && ids.len() > 10, "{flags} flags, {} ids", ids.len());
    for code in [0, 1, 2, 3, 7] {
        assert!(found.exits.contains_key(&code), "none came to {code}: {:?}", found.exits);
    }
}

/// What is run over a hostile surrounding.
const LOOKS: &[&[&str]] = &[
    &[],
    &["status"],
    &["doctor"],
    &["config", "list", "--origin"],
    &["config", "get", "binding.goal"],
    &["config", "path"],
    &["init"],
    &["goal", "list"],
    &["goal", "add", "other", "--objective", "look elsewhere"],
    &["todo", "list"],
    &["next"],
    &["why"],
    &["sessions", "list"],
    &["usage"],
    &["log"],
    &["bind", "--list"],
    &["check", "."],
    &["check", "--text", "."],
    &["check", "--text", "--sarif", "."],
    &["backup", "kept.db"],
    &["export"],
    &["purge", "--revision", "1", "--goal", "atlas"],
    &["authority", "status"],
    &["uninstall"],
    &["completions", "bash"],
];

/// Variables that name a folder.
const FOLDERS: [&str; 6] =
    ["LOOPX_HOME", "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"];

fn looks(found: &mut Found, world: &World, what: &str) {
    for args in LOOKS {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        found.both(world, &format!("{what}: {args:?}"), &args);
    }
}

fn with_goal() -> World {
    let world = World::new();
    world.run(&["init", "atlas", "--objective", "find the way", "--proof", "none", "--agent", "a"]).ok();
    world.run(&["todo", "add", "draw the coast", "--goal", "atlas"]).ok();
    world
}

#[test]
fn what_a_shell_sets_is_shown_and_not_obeyed() {
    let mut found = Found::default();
    let base = with_goal();
    let ours = loopx::config::Key::ALL.into_iter().filter_map(loopx::config::Key::variable);
    let others = [
        "LOOPX_HOME",
        "LOOPX_SESSION",
        "LOOPX_COMPLETE",
        "HOME",
        "XDG_DATA_HOME",
        "XDG_CONFIG_HOME",
        "TZ",
        "TERM",
        "LANG",
        "NO_COLOR",
        "CODEX_HOME",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_SESSION_ID",
        "CODEX_THREAD_ID",
        "USER",
    ];
    for name in ours.chain(others) {
        for bad in [over_lines().into(), raw()] {
            looks(&mut found, &base.with(name, &bad), name);
            if FOLDERS.contains(&name) {
                let folder = base.path("deep").join(&bad);
                fs::create_dir_all(&folder).expect("a folder");
                looks(&mut found, &base.with(name, &folder), &format!("{name}, a folder"));
            }
        }
    }
    found.none(2000);
}

#[test]
fn what_a_folder_is_called_is_shown_and_not_obeyed() {
    let mut found = Found::default();
    for bad in [OsString::from(BAD), over_lines().into(), raw()] {
        let mut world = with_goal();
        let folder: PathBuf = world.path("work").join(&bad);
        for name in [&folder, &folder.join(&bad), &folder.join(".git"), &world.path("loopx").join(&bad)] {
            fs::create_dir_all(name).expect("a folder");
        }
        let copy = [b"loopx.", bad.as_bytes(), b".db"].concat();
        fs::write(world.path("loopx").join(OsStr::from_bytes(&copy)), "a copy").expect("a file");
        fs::write(folder.join([bad.as_bytes(), b".json"].concat().os()), "{\"a\": 1}").expect("a file");
        let inside = format!("{{\"goal_id\": {0}, {0}: {0}}}", serde_json::to_string(BAD).expect("JSON"));
        fs::write(folder.join("inside.json"), inside).expect("a file");
        fs::write(folder.join("inside.md"), format!("see {BAD} {}\n", over_lines())).expect("a file");
        world.env.cwd = Some(folder.clone());
        looks(&mut found, &world, "in the folder");
        world.env.cwd = Some(folder.join(&bad));
        looks(&mut found, &world, "deep in the folder");
    }
    found.none(300);
}

#[test]
fn what_a_settings_file_says_is_shown_and_not_obeyed() {
    let mut found = Found::default();
    let world = with_goal();
    let escaped = serde_json::to_string(BAD).expect("JSON").replace('\u{7f}', "\\u007f");
    let mut texts: Vec<Vec<u8>> = vec![
        BAD.into(),
        over_lines().into(),
        raw().into_vec(),
        format!("[{escaped}]\n{escaped} = 1").into_bytes(),
        format!("{escaped} = {escaped}").into_bytes(),
        format!("[display]\n{escaped} = {escaped}").into_bytes(),
        format!("[display]\ncolor = \"{BAD}").into_bytes(),
    ];
    for key in loopx::config::Key::ALL {
        let (section, row) = key.name().split_once('.').expect("a section");
        texts.push(format!("[{section}]\n{row} = {escaped}").into_bytes());
        texts.push(format!("[{section}]\n{row} = [{escaped}, {escaped}]").into_bytes());
    }
    for text in &texts {
        for file in [world.path("loopx/config.toml"), world.path("work/.loopx.toml")] {
            fs::write(&file, text).expect("a file");
            looks(&mut found, &world, &format!("{:?}", String::from_utf8_lossy(text)));
            fs::remove_file(&file).expect("a file");
        }
    }
    found.none(1500);
}

#[test]
fn help_is_shown_over_whatever_is_broken() {
    let world = with_goal();
    for file in
        ["loopx/config.toml", "work/.loopx.toml", "loopx/loopx.db", "loopx/seal.json", "loopx/install.json"]
    {
        fs::write(world.path(file), raw().as_bytes()).expect("a file");
    }
    let mut found = Found::default();
    for verb in verbs(&loopx::cli::command()) {
        for flag in ["--help", "-h"] {
            let args = split(&format!("{verb} {flag}"));
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let ran = world.run(&args).ok();
            assert!(ran.out.contains("Usage: loopx") && ran.err.is_empty(), "{verb}: {ran:?}");
            found.look(&verb, &ran, false);
        }
    }
    world.run(&["--version"]).ok();
    looks(&mut found, &world, "over what is broken");
    found.none(150);
}

#[test]
fn what_is_sent_is_seen() {
    assert_eq!(sent("plain ±é 日本\nnext", false), None);
    assert_eq!(sent("\u{1b}[2mdim\u{1b}[0m", true), None);
    for text in
        ["\u{1b}[2mdim", "a\rb", "\u{9b}31m", "\u{202e}", "\u{200b}", "\u{e0041}", "\t", "\u{7f}", "\u{85}"]
    {
        assert!(sent(text, false).is_some(), "{text:?}");
    }
    assert!(sent("\u{1b}[2J", true).is_some() && sent("\u{1b}]8;;h", true).is_some());
}

/// Bytes as a name.
trait Os {
    fn os(self) -> OsString;
}

impl Os for Vec<u8> {
    fn os(self) -> OsString {
        OsString::from_vec(self)
    }
}
