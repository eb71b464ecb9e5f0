//! `loopx purge`, from every field that can hold a text to every file and every verb.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::architecture::projected::texts_of_the_log;
use crate::canary::verbs::files;
use crate::world::World;

/// Every text that a log can hold, and the line that records it: `{}` is a text that only this line says. A name keeps
/// the id that the receipt gives.
const LINES: &[(&str, &[&str], &str)] = &[
    (
        "",
        &["Event.GoalAdded.objective", "Event.GoalAdded.read", "Event.GoalAdded.write"],
        "goal add atlas --proof none --objective {} --read {}/** --write {}/**",
    ),
    (
        "",
        &["Event.GoalAdded.private_data_rule", "Event.GoalAdded.stop_condition"],
        "goal add other --proof none --objective way --private-data-rule {} --stop-condition {}",
    ),
    (
        "",
        &[
            "Event.GoalEdited.objective",
            "Event.GoalEdited.stop_condition",
            "Event.GoalEdited.private_data_rule",
        ],
        "goal edit atlas --objective {} --stop-condition {} --private-data-rule {}",
    ),
    ("", &["Event.GoalEdited.read", "Event.GoalEdited.write"], "goal scope atlas --read {}/** --write {}/**"),
    ("", &["Event.AuthoritySet.label"], "goal authority add owner {} --goal atlas --freshness fresh"),
    ("", &["Event.AuthorityRemoved.label"], "goal authority remove owner {-1} --goal atlas"),
    ("", &["Event.AgentAdded.capabilities"], "agent add ann --capability {} --goal atlas"),
    ("", &[], "agent add ben --goal atlas"),
    ("", &["Event.AgentEdited.capabilities"], "agent edit ann --grant {} --goal atlas"),
    ("todo", &["Event.TodoAdded.title", "LogBlocker.Evidence.0"], "todo add {} --evidence {} --goal atlas"),
    (
        "",
        &["Event.TodoAdded.needs", "Event.TodoAdded.globs"],
        "todo add way --needs {} --glob docs/{}/** --goal atlas",
    ),
    (
        "",
        &["Event.TodoEdited.title", "Event.TodoEdited.globs", "Event.TodoEdited.needs"],
        "todo edit {todo} --title {} --glob docs/{}/** --needs {} --goal atlas",
    ),
    ("", &[], "todo block {todo} --evidence {} --goal atlas"),
    ("gone", &[], "todo add {} --goal atlas"),
    ("", &["Event.TodoDropped.reason"], "todo drop {gone} --reason {} --goal atlas"),
    ("gate", &["Event.GateAsked.question"], "gate ask {} --covers ann --goal atlas"),
    ("", &["Event.GateRejected.reason"], "gate reject {gate} --reason {} --goal atlas"),
    ("later", &[], "gate ask {} --covers ann --goal atlas"),
    ("", &["Event.GateDeferred.condition"], "gate defer {later} --condition {} --goal atlas"),
    ("free", &[], "todo add {} --goal atlas"),
    (
        "run",
        &["Event.RunRecorded.summary", "LogValidation.label"],
        "run record --kind validation --summary {} --check {} --outcome passed --todo {free} --goal atlas --agent ben",
    ),
    ("", &["Event.RewardGiven.reason"], "reward give {run} good --reason {} --lesson {} --goal atlas"),
    (
        "handoff",
        &["Event.HandoffOffered.next_action", "Event.HandoffOffered.stop_condition"],
        "handoff offer {free} --to ann --next-action {} --stop-condition {} --goal atlas --agent ben",
    ),
    ("", &[], "quota spend --turn-key turn-1 --goal atlas --agent ben"),
    ("", &[], "project --record --goal atlas --agent ann"),
    ("", &[], "project --record --goal atlas --agent ben"),
];

/// What shows a goal.
const SHOWS: &[&str] = &[
    "status",
    "status atlas",
    "goal list --all",
    "goal show atlas",
    "goal show other",
    "goal authority list atlas",
    "agent list --goal atlas",
    "todo list --all --goal atlas",
    "todo show {todo} --goal atlas",
    "todo show {gone} --goal atlas",
    "gate list --all --goal atlas",
    "gate show {gate} --goal atlas",
    "gate show {later} --goal atlas",
    "run list --goal atlas",
    "run show {run} --goal atlas",
    "reward list --goal atlas",
    "handoff show --goal atlas",
    "handoff show {handoff} --goal atlas",
    "next --goal atlas --agent ann",
    "next --goal atlas --agent ben",
    "why --goal atlas --agent ann",
    "why --goal atlas --agent ben",
    "project --goal atlas --agent ann",
    "quota show --goal atlas",
    "log --all",
    "log --goal atlas",
    "log --all --jsonl",
    "export",
    "usage",
    "doctor",
    "bind --list",
];

/// A home with a text in every place where there can be one.
struct Filled {
    world: World,
    ids: BTreeMap<String, String>,
    texts: usize,
}

fn text(number: usize) -> String {
    format!("zebra{number}x")
}

impl Filled {
    fn new() -> Self {
        let mut filled = Self { world: World::new(), ids: BTreeMap::new(), texts: 0 };
        for (name, _, line) in LINES {
            let args = filled.words(line);
            let ran = filled.world.run(&[&strs(&args)[..], &["--json"]].concat());
            assert_eq!(ran.code, 0, "{line}: {}", ran.err);
            if !name.is_empty() {
                filled.ids.insert((*name).to_owned(), ran.id());
            }
        }
        filled
    }

    /// A line's words: each `{}` is a new text, `{-1}` the one before, a name its id.
    fn words(&mut self, line: &str) -> Vec<String> {
        let mut words = Vec::new();
        for word in line.split(' ') {
            let mut word = word.replace("{-1}", &text(self.texts.saturating_sub(1)));
            if word.contains("{}") {
                word = word.replace("{}", &text(self.texts));
                self.texts += 1;
            }
            for (name, id) in &self.ids {
                word = word.replace(&format!("{{{name}}}"), id);
            }
            words.push(word);
        }
        words
    }

    /// Every event that holds a text, by its goal and revision.
    fn holding(&self) -> BTreeMap<String, Vec<String>> {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let document = self.world.json(&["log", "--all", "--limit", "1000"]);
        for event in document["events"].as_array().expect("events") {
            if has_text(event) {
                let goal = event["goal"].as_str().expect("a goal").to_owned();
                found.entry(goal).or_default().push(event["revision"].to_string());
            }
        }
        found
    }

    fn purge_all(&self) {
        for (goal, revisions) in self.holding() {
            let mut args = vec!["purge", "--goal", &goal, "--revision"];
            args.extend(revisions.iter().map(String::as_str));
            self.world.run(&args).ok();
        }
    }

    /// What comes out of every verb that shows a goal, in words and as JSON.
    fn shown(&mut self) -> Vec<(String, String)> {
        let mut shown = Vec::new();
        for line in SHOWS {
            let args = self.words(line);
            let forms: &[&[&str]] = if line.ends_with("--jsonl") { &[&[]] } else { &[&[], &["--json"]] };
            for json in forms {
                let ran = self.world.run(&[&strs(&args)[..], json].concat());
                assert!(!matches!(ran.code, 1..=4), "{line}: {ran:?}");
                shown.push((format!("{line} {}", json.concat()), ran.out + &ran.err));
            }
        }
        shown
    }
}

fn strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// Whether a value holds a text that was given to us.
fn has_text(value: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            (fields.len() == 1 && fields.contains_key("text")) || fields.values().any(has_text)
        }
        Value::Array(values) => values.iter().any(has_text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The texts that stand in some bytes: as they are, as UTF-16, in hex, and in base64 wherever they begin.
fn held(bytes: &[u8], texts: usize) -> BTreeSet<usize> {
    let holds = |needle: &[u8]| !needle.is_empty() && memchr(bytes, needle);
    let wide = |text: &str, low: bool| {
        let units = text.encode_utf16();
        units.flat_map(|unit| if low { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect::<Vec<u8>>()
    };
    (0..texts)
        .filter(|number| {
            let text = text(*number);
            let digits = |byte: u8| {
                [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[digit as usize]))
            };
            let hex: String = text.bytes().flat_map(digits).collect();
            holds(text.as_bytes())
                || holds(&wide(&text, true))
                || holds(&wide(&text, false))
                || holds(hex.as_bytes())
                || holds(hex.to_uppercase().as_bytes())
                || (0..3).any(|shift| holds(&base64(text.as_bytes(), shift)))
        })
        .collect()
}

fn memchr(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|part| part == needle)
}

/// The digits of base64 that a text alone decides, if it begins so many bytes behind a group.
fn base64(text: &[u8], shift: usize) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let skip = (3 - shift) % 3;
    let groups = text.get(skip..).unwrap_or_default().chunks_exact(3);
    groups
        .flat_map(|three| {
            let bits = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
            [18, 12, 6, 0].map(|by| DIGITS[(bits >> by & 63) as usize])
        })
        .collect()
}

#[track_caller]
fn clean(folder: &Path, texts: usize) {
    for (name, bytes) in files(folder) {
        assert_eq!(held(&bytes, texts), BTreeSet::new(), "{name} in {}", folder.display());
        assert_eq!(held(name.as_bytes(), texts), BTreeSet::new(), "{name}");
    }
}

#[test]
fn every_text_of_a_log_has_a_line_that_records_it() {
    let lines: BTreeSet<String> =
        LINES.iter().flat_map(|(_, fields, _)| fields.iter().map(|field| (*field).to_owned())).collect();
    assert_eq!(texts_of_the_log(), lines, "say in LINES how it is recorded");
}

#[test]
fn a_purged_text_is_in_no_file_and_comes_out_of_no_verb() {
    let mut filled = Filled::new();
    let texts = filled.texts;
    assert!(texts > 30, "{texts}");
    let home = filled.world.path("loopx");
    let before: BTreeSet<usize> = files(&home).values().flat_map(|bytes| held(bytes, texts)).collect();
    assert_eq!(before, (0..texts).collect(), "every text is found before it is purged");
    filled.purge_all();
    clean(&home, texts);
    let shown = filled.shown();
    for (line, said) in &shown {
        assert_eq!(held(said.as_bytes(), texts), BTreeSet::new(), "{line}: {said}");
    }
    for line in [
        "todo list --all",
        "todo show {todo}",
        "gate show {gate}",
        "run show {run}",
        "reward list",
        "handoff show {handoff}",
        "goal show atlas",
        "goal list --all",
        "log --all",
        "log --goal atlas",
    ] {
        let of_line = shown.iter().filter(|(shown, _)| shown.starts_with(line)).collect::<Vec<_>>();
        assert!(
            of_line.len() > 1 && of_line.iter().all(|(_, said)| said.contains("[purged]")),
            "{line}: {of_line:?}"
        );
    }
    filled.world.run(&["backup", "after.db"]).ok();
    filled.world.run(&["export", "--out", "after.jsonl"]).ok();
    clean(&filled.world.path("work"), texts);
    for goal in ["atlas", "other"] {
        let undone = filled.world.run(&["undo", "--goal", goal]);
        let redone = filled.world.run(&["undo", "--goal", goal]);
        for ran in [undone, redone] {
            assert_eq!(held((ran.out + &ran.err).as_bytes(), texts), BTreeSet::new());
        }
    }
    filled.purge_all();
    clean(&home, texts);
    filled.world.run(&["doctor"]).ok();
    filled.world.run(&["restore", "after.db"]);
    clean(&home, texts);
    filled.world.run(&["doctor"]).ok();
    let other = World::new();
    std::fs::copy(filled.world.path("work/after.jsonl"), other.path("work/after.jsonl")).expect("a copy");
    other.run(&["import", "after.jsonl"]).ok();
    other.run(&["doctor"]).ok();
}

/// The runs of `purge --id` that must take a text of a thing with them, wherever it went.
#[test]
fn a_purge_by_id_takes_every_text_of_the_thing() {
    for name in ["todo", "gone", "gate", "later", "free", "run", "handoff"] {
        let mut filled = Filled::new();
        let line =
            LINES.iter().find(|(known, _, _)| *known == name).map(|(_, _, line)| *line).expect("a line");
        let first = {
            let mut counted = 0;
            let lines = LINES.iter().take_while(|(known, _, _)| *known != name);
            lines.for_each(|(_, _, line)| counted += line.matches("{}").count());
            counted
        };
        let mine: BTreeSet<usize> = (first..first + line.matches("{}").count()).collect();
        let id = filled.ids[name].clone();
        filled.world.run(&["project", "--record", "--goal", "atlas", "--agent", "ann"]).ok();
        filled.world.run(&["undo", "--goal", "atlas"]);
        let summary = filled.world.json(&["purge", "--id", &id, "--goal", "atlas"]);
        assert!(summary["texts"].as_u64() >= Some(mine.len() as u64), "{name}: {summary}");
        for (file, bytes) in files(&filled.world.path("loopx")) {
            let still: BTreeSet<_> = held(&bytes, filled.texts).intersection(&mine).copied().collect();
            assert_eq!(still, BTreeSet::new(), "{name}: {file}");
        }
        filled.world.run(&["undo", "--goal", "atlas"]);
        for (line, said) in filled.shown() {
            let still: BTreeSet<_> =
                held(said.as_bytes(), filled.texts).intersection(&mine).copied().collect();
            assert_eq!(still, BTreeSet::new(), "{name}: {line}: {said}");
        }
        filled.world.run(&["doctor"]).ok();
    }
}

#[test]
fn an_undo_does_not_bring_a_purged_text_back() {
    for line in [
        "goal edit atlas --objective plain",
        "goal scope atlas --read plain/**",
        "agent edit ann --capability plain --goal atlas",
        "todo edit {todo} --title plain --goal atlas",
        "todo drop {todo} --reason plain --goal atlas",
    ] {
        let mut filled = Filled::new();
        let args = filled.words(line);
        filled.world.run(&strs(&args)).ok();
        filled.purge_all();
        let ran = filled.world.run(&["undo", "--goal", "atlas"]);
        assert_eq!(held((ran.out + &ran.err).as_bytes(), filled.texts), BTreeSet::new(), "{line}");
        clean(&filled.world.path("loopx"), filled.texts);
        for (shown, said) in filled.shown() {
            assert_eq!(held(said.as_bytes(), filled.texts), BTreeSet::new(), "{line}: {shown}");
        }
        filled.world.run(&["doctor"]).ok();
    }
}

#[test]
fn a_purge_again_changes_nothing() {
    let filled = Filled::new();
    filled.purge_all();
    let log = filled.world.json(&["log", "--all", "--limit", "1000"]);
    filled.purge_all();
    let again = filled.world.json(&["log", "--all", "--limit", "1000"]);
    assert_eq!(log, again);
    filled.world.run(&["doctor"]).ok();
}

/// An export from before does not bring back what was purged since, and the person is told of it.
#[test]
fn an_older_export_brings_no_purged_text_back() {
    let filled = Filled::new();
    filled.world.run(&["export", "--out", "before.jsonl"]).ok();
    filled.purge_all();
    let ran = filled.world.run(&["import", "before.jsonl"]).ok();
    assert!(ran.err.contains("purged here: they stay out, and the file still holds them"), "{ran:?}");
    let said = filled.world.json(&["import", "before.jsonl"]);
    assert!(said["withheld"].as_u64() >= Some(filled.texts as u64) && said["purged"] == 0, "{said}");
    clean(&filled.world.path("loopx"), filled.texts);
    filled.world.run(&["doctor"]).ok();
}

/// Where the same goal lives elsewhere, a purge that comes in takes the texts away there too.
#[test]
fn an_import_of_a_purge_purges() {
    let filled = Filled::new();
    let other = World::new();
    let carry = |name: &str| {
        let file = filled.world.path("work").join(name);
        filled.world.run(&["export", "--out", name]).ok();
        std::fs::rename(file, other.path("work").join(name)).expect("a move");
    };
    carry("before.jsonl");
    other.run(&["import", "before.jsonl"]).ok();
    filled.purge_all();
    carry("after.jsonl");
    let home = other.path("loopx");
    let there = |home: &Path| files(home).values().any(|bytes| !held(bytes, filled.texts).is_empty());
    assert!(there(&home), "the texts are there before");
    let ran = other.run(&["import", "after.jsonl"]).ok();
    assert!(ran.err.contains("are gone here too"), "{ran:?}");
    clean(&home, filled.texts);
    other.run(&["doctor"]).ok();
    other.run(&["export", "--out", "again.jsonl"]).ok();
    assert!(held(&crate::made::read(&other.path("work/again.jsonl")), filled.texts).is_empty());
}

/// What was made before a purge holds the texts still: the person is told where that may be.
#[test]
fn copies_from_before_are_named() {
    let filled = Filled::new();
    std::fs::copy(filled.world.path("loopx/loopx.db"), filled.world.path("loopx/loopx.before.db"))
        .expect("a copy");
    let purge = ["purge", "--revision", "1", "--goal", "atlas"];
    let ran = filled.world.run(&purge).ok();
    assert!(ran.err.contains("the texts are still in loopx.before.db: remove what is not needed"), "{ran:?}");
    assert!(ran.err.contains("backups and exports that were made before still hold the texts"), "{ran:?}");
    assert_eq!(filled.world.json(&purge)["copies"], serde_json::json!(["loopx.before.db"]));
}
