//! The command line as a door: how every verb is run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::doors::Output;
use super::home::Home;
use crate::made::read;
use crate::person::Types;
use crate::world::{Ran, World};

/// Every verb with typical arguments, in an order in which they work: a name for the id that a receipt gives, and the
/// line. `{name}` is that id; `{sessions}` and `{files}` stand for every session and its file in turn.
pub(crate) const LINES: &[(&str, &str)] = &[
    ("", "hook codex --notify {}"),
    ("", "doctor"),
    ("", "status"),
    ("", "sessions list --all"),
    (
        "",
        "init atlas --objective 'find the way' --proof none --agent codex --runtime codex_cli_tui --agent claude --runtime claude_code",
    ),
    ("", "init"),
    ("", "status"),
    ("", "goal add other --objective 'look elsewhere' --proof none --read src/** --write src/**"),
    ("", "goal edit other --objective 'look there' --stop-condition 'all is seen'"),
    ("", "goal scope atlas --read docs/** --write docs/**"),
    ("", "goal authority add owner handbook --goal atlas --freshness fresh"),
    ("", "goal authority list atlas"),
    ("", "goal authority remove owner handbook --goal atlas"),
    ("", "agent add writer --runtime codex_exec --capability rust --goal atlas"),
    ("", "agent add ann --human --goal atlas"),
    ("", "agent edit writer --grant python --goal atlas"),
    ("", "agent pause writer --goal atlas"),
    ("", "agent resume writer --goal atlas"),
    ("", "agent list --goal atlas"),
    ("", "bind --list"),
    ("", "bind {session} --goal atlas --agent codex"),
    ("", "bind . --goal atlas"),
    ("", "bind --list"),
    ("todo", "todo add 'draw the coast' --priority P1 --glob docs/** --goal atlas"),
    ("second", "todo add 'draw the river' --monitor-at 2100-01-01T00:00:00Z --goal atlas"),
    ("third", "todo add 'draw the hills' --goal atlas"),
    ("user", "todo add 'look at it' --audience user --covers goal --goal atlas"),
    ("", "todo edit {second} --title 'draw a river' --goal atlas"),
    ("", "todo list --all --goal atlas"),
    ("", "todo show {todo} --goal atlas"),
    ("", "todo block {second} {third} --goal atlas"),
    ("", "todo unblock {second} {third} --goal atlas"),
    ("", "todo defer {second} --until 2100-01-01T00:00:00Z --goal atlas"),
    ("", "todo reopen {second} --goal atlas"),
    ("gate", "gate ask 'may it be published?' --covers writer --goal atlas"),
    ("later", "gate ask 'may it be printed?' --covers ann --goal atlas"),
    ("", "gate list --all --goal atlas"),
    ("", "gate show {gate} --goal atlas"),
    ("", "gate defer {gate} --condition 'the print is read' --goal atlas"),
    ("", "gate met {gate} --goal atlas"),
    ("", "gate cover {gate} --covers writer --goal atlas"),
    ("", "gate approve {gate} --goal atlas"),
    ("", "gate revoke {gate} --goal atlas"),
    ("", "gate reject {gate} --reason 'it is not read' --goal atlas"),
    ("", "gate withdraw {later} --goal atlas"),
    ("", "next --goal atlas --agent codex"),
    ("", "next --claim --goal atlas --agent writer"),
    ("", "why --goal atlas --agent codex"),
    ("", "why --goal atlas --agent claude"),
    ("", "project --goal atlas --agent codex"),
    ("", "project --record --goal atlas --agent claude"),
    ("", "todo claim {third} --goal atlas --agent codex"),
    ("", "todo renew {third} --token 1 --goal atlas --agent codex"),
    ("", "todo release {third} --token 1 --goal atlas --agent codex"),
    ("handoff", "handoff offer {third} --to claude --next-action 'go on' --goal atlas --agent codex"),
    ("", "handoff show {handoff} --goal atlas"),
    ("", "handoff show --goal atlas"),
    ("", "handoff accept {handoff} --goal atlas --agent claude"),
    ("", "handoff follow-up {handoff} --summary 'it went on' --goal atlas --agent claude"),
    ("fourth", "todo add 'draw the woods' --goal atlas"),
    ("again", "handoff offer {fourth} --to claude --next-action 'go on' --goal atlas --agent codex"),
    ("", "handoff decline {again} --goal atlas --agent claude"),
    ("once", "handoff offer {fourth} --next-action 'go on' --goal atlas --agent codex"),
    ("", "handoff withdraw {once} --goal atlas --agent codex"),
    (
        "run",
        "run record --kind progress --summary 'half is drawn' --session {session} --goal atlas --agent codex",
    ),
    ("blocker", "run record --kind blocker --summary 'no ink' --todo {fourth} --goal atlas --agent codex"),
    ("", "run resolve {blocker} --goal atlas --agent codex"),
    ("", "run list --goal atlas"),
    ("", "run show {run} --goal atlas"),
    ("", "reward give {run} good --reason 'well drawn' --goal atlas"),
    ("", "reward list --goal atlas"),
    ("", "todo claim {todo} --goal atlas --agent codex"),
    (
        "",
        "todo done {todo} --token 1 --no-successor --summary 'it is drawn' --turn-key first --goal atlas --agent codex",
    ),
    ("", "todo drop {second} --reason 'no river' --goal atlas"),
    ("", "quota set --turns 100 --window 24h --goal atlas"),
    ("", "quota spend --turn-key second --turns 1 --goal atlas --agent codex"),
    ("", "quota show --goal atlas"),
    ("", "quota void --turn-key second --goal atlas"),
    ("", "sessions list"),
    ("", "sessions list --waiting"),
    ("", "sessions show {sessions}"),
    ("", "sessions dismiss {sessions}"),
    ("", "sessions inspect {files} --runtime codex --live"),
    ("", "sessions inspect {files} --runtime claude_code"),
    ("", "usage"),
    ("", "usage --by goal"),
    ("", "usage --by agent"),
    ("", "usage --by runtime"),
    ("", "usage --by day"),
    ("", "status --fresh"),
    ("", "status atlas"),
    ("", "follow --jsonl --once"),
    ("", "statusline"),
    ("", "serve"),
    ("", "serve token add reader"),
    ("", "serve token list"),
    ("", "serve token remove reader"),
    ("", "serve invite"),
    ("", "top"),
    ("", "follow --once --goal atlas"),
    ("", "status --at 2026-11-29T23:30:00Z"),
    ("", "log --goal atlas"),
    ("", "log --all"),
    ("", "log --all --jsonl"),
    ("", "undo --goal atlas"),
    ("", "export"),
    ("", "export atlas --out exported.jsonl"),
    ("", "import exported.jsonl"),
    ("", "ingest --check worker.jsonl"),
    ("", "ingest worker.jsonl"),
    ("", "backup kept.db"),
    ("", "restore kept.db"),
    ("", "purge --id {todo} --goal atlas"),
    ("", "check projection.json"),
    ("", "check --text notes.md"),
    ("", "check --text --tier showcase ."),
    ("", "check --text --no-ignore --sarif ."),
    ("", "check --text --allow allow.toml ."),
    ("", "schema projection"),
    ("", "schema session-facts"),
    ("", "schema worker-facts"),
    ("", "authority status"),
    ("", "authority lock"),
    ("", "authority passwd"),
    ("", "config list --origin"),
    ("", "config get display.time"),
    ("", "config path"),
    ("", "config edit"),
    ("", "completions bash"),
    ("", "man"),
    ("", "man --dir pages"),
    ("", "demo"),
    ("", "doctor"),
    ("", "doctor --rebuild"),
    ("", "goal list --all"),
    ("", "goal show atlas"),
    ("", "goal pause other"),
    ("", "goal resume other"),
    ("", "goal done other"),
    ("", "goal archive other"),
    ("", "unbind {session}"),
    ("", "unbind ."),
    ("", "bind . --goal atlas"),
    ("", "hooks install --dry-run"),
    ("", "hooks install --statusline add --notify --confirm 'change settings'"),
    ("", "hooks install"),
    ("", "hooks status"),
    ("", "hooks uninstall --dry-run"),
    ("", "hooks uninstall claude_code --confirm 'change settings'"),
    ("", "uninstall"),
    ("", "status"),
];

/// Lines that end in an error the first time too: there is nothing for them here, or no JSON of theirs.
const FAILS: &[&str] = &[
    "serve",
    "top",
    "follow",
    "sessions dismiss",
    "undo",
    "authority passwd",
    "log --all --jsonl",
    "check --text --no-ignore --sarif",
];

/// What is run over a home in which something is wrong, and inside a session.
const READS: &[&str] = &[
    "status",
    "follow --jsonl --once",
    "statusline",
    "status --fresh",
    "next --goal atlas --agent codex",
    "why --goal atlas --agent claude",
    "project --goal atlas --agent codex",
    "sessions list --all",
    "sessions show {session}",
    "sessions inspect {file} --runtime codex",
    "sessions inspect {file} --runtime claude_code --live",
    "usage --by session",
    "bind --list",
    "bind . --goal atlas",
    "goal show atlas",
    "run record --kind progress --summary 'half is drawn' --goal atlas --agent codex",
    "log --all",
    "export",
    "import exported.jsonl",
    "backup other.db",
    "config list --origin",
    "check --text notes.md",
    "check projection.json",
    "config path",
    "hooks install --dry-run",
    "hooks status",
    "doctor",
    "uninstall",
];

/// The verbs that can be run: those without verbs of their own.
pub(crate) fn verbs(command: &clap::Command) -> Vec<String> {
    let mut found = Vec::new();
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        let names = verbs(below);
        if names.is_empty() {
            found.push(below.get_name().to_owned());
        }
        found.extend(names.into_iter().map(|name| format!("{} {name}", below.get_name())));
    }
    found
}

/// The verbs that no line runs.
pub fn unrun(verbs: &[String]) -> Vec<&String> {
    let runs = |line: &str, verb: &str| {
        line.strip_prefix(verb).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    verbs.iter().filter(|verb| !LINES.iter().any(|(_, line)| runs(line, verb))).collect()
}

/// All that comes out of the command line.
pub fn outputs(home: &Home) -> Vec<Output> {
    let mut runs = Runs { world: home.world.clone(), when: "", ids: BTreeMap::new(), outputs: Vec::new() };
    let before = files(&home.project);
    let paths: Vec<String> = home.files.iter().map(|file| file.to_str().expect("text").to_owned()).collect();
    runs.ids.insert("file".to_owned(), paths[..1].to_vec());
    runs.ids.insert("files".to_owned(), paths);
    for (name, line) in LINES {
        if !runs.ids.contains_key("session") {
            runs.sessions();
        }
        runs.line(name, line);
    }
    runs.typed();
    runs.errors();
    runs.inside(home);
    runs.at_home();
    let own = files(&home.world.path("loopx")).into_iter().filter(|(name, _)| name != "private_terms");
    runs.outputs.extend(own.flat_map(|(name, bytes)| Output::named_file(&name, bytes)));
    runs.damaged(home);
    for (path, bytes) in files(&home.project).into_iter().filter(|(path, _)| !before.contains_key(path)) {
        runs.outputs.extend(Output::named_file(&path, bytes));
    }
    runs.outputs
}

/// Every file below a folder, by its path there.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder").flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("a type"));
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                let name = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
                found.insert(name, read(&path));
            }
        }
    }
    found
}

struct Runs {
    world: World,
    when: &'static str,
    ids: BTreeMap<String, Vec<String>>,
    outputs: Vec<Output>,
}

impl Runs {
    /// Notes the handles of all sessions.
    fn sessions(&mut self) {
        let ran = self.world.run(&["sessions", "list", "--all", "--json"]);
        let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_default();
        let list = document["sessions"].as_array().cloned().unwrap_or_default();
        let handles = list.iter().filter_map(|one| one["session"]["session_id"].as_str());
        let handles: Vec<String> = handles.map(str::to_owned).collect();
        if let Some(first) = handles.first() {
            self.ids.insert("session".to_owned(), vec![first.clone()]);
            self.ids.insert("sessions".to_owned(), handles);
        }
    }

    /// Runs a line as JSON and as text, once at a terminal too, and keeps the id that it gives.
    fn line(&mut self, name: &str, line: &str) {
        for (at, args) in self.filled(line).iter().enumerate() {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let ran = self.run(line, &[&args[..], &["--json"]].concat(), World::run);
            let fails = FAILS.iter().any(|start| line.starts_with(start));
            assert!(fails || !(1..=4).contains(&ran.code), "mend its line: {line}: {}", ran.err);
            if !name.is_empty() {
                let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_default();
                let id = document["id"].as_str().unwrap_or_else(|| panic!("no id: {line}: {}", ran.err));
                self.ids.insert(name.to_owned(), vec![id.to_owned()]);
            }
            self.run(line, &args, World::run);
            if at == 0 {
                self.run(line, &args, World::run_shown);
            }
        }
    }

    /// The line with its ids: once for each session where it is for all of them.
    fn filled(&self, line: &str) -> Vec<Vec<String>> {
        let mut filled = vec![split(line)];
        for (name, values) in &self.ids {
            let slot = format!("{{{name}}}");
            if !line.contains(&slot) {
                continue;
            }
            let with = |value: &String| {
                filled
                    .iter()
                    .map(|args| args.iter().map(|arg| arg.replace(&slot, value)).collect())
                    .collect::<Vec<Vec<String>>>()
            };
            filled = values.iter().flat_map(with).collect();
        }
        filled
    }

    fn run(&mut self, line: &str, args: &[&str], how: impl Fn(&World, &[&str]) -> Ran) -> Ran {
        let ran = how(&self.world, args);
        let json = if args.contains(&"--json") { " --json" } else { "" };
        self.keep(&format!("{line}{json}"), &ran);
        ran
    }

    fn keep(&mut self, line: &str, ran: &Ran) {
        for (stream, text) in [("stdout", &ran.out), ("stderr", &ran.err)] {
            self.outputs.push(Output::new(format!("`{line}`{}, {stream}", self.when), text.as_bytes()));
        }
    }

    /// What is asked for at a terminal, and what is shown there.
    fn typed(&mut self) {
        let world = self.world.clone();
        world.run(&["goal", "add", "guarded", "--objective", "keep it"]);
        let pause = ["goal", "pause", "guarded"];
        for types in [Types::Nonsense, Types::TheCode] {
            let (ran, shown) = world.at_terminal(types, &pause);
            self.keep("goal pause guarded", &ran);
            self.outputs.push(Output::new("`goal pause guarded`, the terminal", shown));
        }
        let (ran, shown) = world.at_terminal(Types::TheCode, &["restore", "kept.db"]);
        self.keep("restore kept.db", &ran);
        self.outputs.push(Output::new("`restore kept.db`, the terminal", shown));
        let (new, same) = ("new passphrase: ", "the same again: ");
        let words = "seven quiet apples";
        let (ran, shown) = world.typing(&[(new, words), (same, words)], &["authority", "lock"]);
        self.keep("authority lock", &ran);
        self.outputs.push(Output::new("`authority lock`, the terminal", shown));
        self.line("", "authority status");
        let changed = [("as it is now: ", words), (new, "nine green pears"), (same, "nine green pears")];
        let (ran, shown) = world.typing(&changed, &["authority", "passwd"]);
        self.keep("authority passwd", &ran);
        self.outputs.push(Output::new("`authority passwd`, the terminal", shown));
    }

    /// Every verb without arguments, with one that nothing is called, with an unknown option, and its help.
    fn errors(&mut self) {
        self.when = ", typed wrongly";
        for verb in verbs(&loopx::cli::command()) {
            for rest in ["", "nowhere", "--nonsense", "--goal nowhere --json", "--help"] {
                // Without anything to go wrong about, one takes the record away, one goes on for ever, and one waits for
                // lines.
                let waits = verb == "ingest" && !["nowhere", "--nonsense", "--help"].contains(&rest);
                if !(["uninstall", "follow"].contains(&verb.as_str()) && rest.is_empty() || waits) {
                    let line = format!("{verb} {rest}");
                    let args = split(&line);
                    let args: Vec<&str> = args.iter().map(String::as_str).collect();
                    self.run(&line, &args, World::run);
                }
            }
        }
    }

    fn reads(&mut self, when: &'static str) {
        self.when = when;
        for line in READS {
            for args in self.filled(line) {
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                self.run(line, &args, World::run);
                self.run(line, &[&args[..], &["--json"]].concat(), World::run);
            }
        }
    }

    /// Inside a session of each runtime.
    fn inside(&mut self, home: &Home) {
        let outside = self.world.clone();
        self.world = outside.inside(&home.thread);
        self.reads(", inside Codex");
        self.world = outside.with("CLAUDE_CODE_SESSION_ID", &home.thread).with("CLAUDECODE", "1");
        self.reads(", inside Claude Code");
        self.world = outside;
    }

    /// With LoopX's own files in the usual folders of the home, whose name is the user's.
    fn at_home(&mut self) {
        let elsewhere = self.world.clone();
        self.world = elsewhere.without("LOOPX_HOME");
        self.reads(", in the home");
        self.world = elsewhere;
    }

    /// Over files that are damaged, the runtimes' first and then LoopX's own.
    fn damaged(&mut self, home: &Home) {
        let spoiled: BTreeSet<usize> = (0..home.files.len()).step_by(2).collect();
        for (at, file) in home.files.iter().enumerate() {
            let mut bytes = read(file);
            if spoiled.contains(&at) {
                // Every line is cut in its middle.
                bytes.truncate(bytes.len() * 2 / 3);
                bytes.retain(|&byte| byte != b'{');
            } else {
                bytes = [&bytes[..bytes.len() / 2], b"\n\xff\xfe\0{\n", &bytes[bytes.len() / 2..]].concat();
            }
            fs::write(file, bytes).expect("a file");
        }
        self.reads(", over damaged sessions");
        let (file, _) = home.files.split_last().expect("a file");
        fs::remove_file(file).expect("a file");
        fs::create_dir(file).expect("a folder");
        fs::write(self.world.path("loopx/index.db"), read(&home.files[0])).expect("a file");
        self.reads(", over a damaged index");
        fs::write(self.world.path("loopx/config.toml"), read(&home.files[0])).expect("a file");
        self.reads(", over damaged settings");
        fs::remove_file(self.world.path("loopx/config.toml")).expect("a file");
        fs::write(home.project.join(".loopx.toml"), read(&home.files[0])).expect("a file");
        self.reads(", over the project's damaged settings");
        fs::remove_file(home.project.join(".loopx.toml")).expect("a file");
        fs::write(home.project.join("exported.jsonl"), read(&home.files[0])).expect("a file");
        fs::write(self.world.path("loopx/loopx.db"), read(&home.files[0])).expect("a file");
        self.reads(", over a damaged store");
        fs::remove_file(home.project.join("exported.jsonl")).expect("a file");
    }
}

/// A line's words; `'` keeps some together.
pub(crate) fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (part, quoted) in line.split('\'').zip([false, true].into_iter().cycle()) {
        if quoted {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}
