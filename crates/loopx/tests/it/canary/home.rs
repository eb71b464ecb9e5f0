//! The home: sessions of every recording, on a machine whose names are all canaries.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use loopx::clock::Clock;

use super::plant::{Planter, is_uuid};
use super::words::{Canaries, Kind};
use crate::made::read;
use crate::world::World;

const FIRST: &str = "pid:[4026531836]";

/// Variables of the environment that are no business of LoopX's.
const VARIABLES: &[&str] = &[
    "USER",
    "LOGNAME",
    "HOSTNAME",
    "HOST",
    "COMPUTERNAME",
    "EDITOR",
    "SSH_CONNECTION",
    "SSH_AUTH_SOCK",
    "PWD",
    "OLDPWD",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GITHUB_TOKEN",
    "CODEX_SQLITE_HOME",
    "XDG_RUNTIME_DIR",
    "TMUX",
    "MAIL",
];

/// The machine and what was planted on it.
pub struct Home {
    /// The world, in the project's folder.
    pub world: World,
    /// What was planted.
    pub canaries: Canaries,
    /// The project's folder.
    pub project: PathBuf,
    /// Session files.
    pub files: Vec<PathBuf>,
    /// The runtime's own id of a session of Codex.
    pub thread: String,
}

/// The recordings: the runtime's folder and the name.
pub fn recordings() -> Vec<(String, String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../loopx-runtimes/tests/recordings");
    let mut found = Vec::new();
    for runtime in entries(&root) {
        for file in entries(&runtime) {
            found.push((name(&runtime), name(&file), file));
        }
    }
    found
}

/// What is in a folder, by name.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    fs::write(path, text).expect("a file");
}

impl Home {
    /// A home with the recordings that are wanted.
    pub fn with(wanted: impl Fn(&str) -> bool) -> Self {
        let mut canaries = Canaries::default();
        let mut said = |place: &str| canaries.word(Kind::Bound, place);
        let world = World::new().with_processes();
        let home = world.path("home").join(said("the user's name"));
        let codex = world.path("home").join(said("CODEX_HOME"));
        let project = home.join(said("the project's folder"));
        fs::create_dir_all(&project).expect("folders");
        let project = project.canonicalize().expect("a path");
        let mut world = world.with("HOME", &home).with("CODEX_HOME", &codex).in_folder(&project);
        for variable in VARIABLES {
            let value = canaries.word(Kind::Said, &format!("the variable {variable}"));
            world = world.with(variable, value);
        }
        let machine = canaries.hex(Kind::Said, "the machine's id");
        fs::write(&world.env.machine_id, format!("{machine}\n")).expect("a file");
        let domain = format!("linux:{machine}:{FIRST}");
        let mut made =
            Self { world, canaries, project: project.clone(), files: Vec::new(), thread: String::new() };
        made.caller();
        made.repository();
        made.papers();
        let mut ids = BTreeMap::new();
        let found = recordings();
        let wanted = found.iter().filter(|(runtime, name, _)| wanted(&format!("{runtime}/{name}")));
        // A session before what stands beside it, and what subagents left last.
        let mut wanted: Vec<_> = wanted.collect();
        wanted.sort_by_key(|(_, name, _)| (name.contains("agent-"), name.ends_with(".session.json")));
        for ((runtime, name, file), pid) in wanted.into_iter().zip(3000..) {
            let recording = format!("{runtime}/{name}");
            let text = String::from_utf8(read(file)).expect("text");
            let beside = name.strip_suffix(".session.json").map(|stem| format!("{runtime}/{stem}.jsonl"));
            let known = beside.clone().unwrap_or_else(|| format!("{runtime}/2.1.332_running_tool.jsonl"));
            let child = name.contains("agent-");
            let inherits = beside.is_some() || child;
            let ids_of = ids.get(&known).filter(|_| inherits).cloned();
            let (renamed, folder, shift) = ids_of.unwrap_or_else(|| {
                let folder =
                    project.join(made.canaries.word(Kind::Indexed, &format!("{recording}: its folder")));
                fs::create_dir_all(&folder).expect("a folder");
                (BTreeMap::new(), folder, shift(&text))
            });
            let mut planter = Planter {
                canaries: &mut made.canaries,
                recording: &recording,
                ids: renamed,
                folder: &folder,
                shift,
                pid,
                domain: &domain,
            };
            let record = planter.text(&text);
            let native = native(name, &text);
            let id = planter.id(&native, "its id");
            let renamed = planter.ids;
            let slug: String =
                folder.to_str().expect("text").replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            let claude = home.join(".claude");
            let place = match runtime.as_str() {
                "codex" => codex.join(format!("sessions/2026/11/29/rollout-2026-11-29T23-30-46-{id}.jsonl")),
                _ if beside.is_some() => claude.join(format!("sessions/{pid}.json")),
                _ if name.contains("subagents") => {
                    let parent = renamed.get(SESSION).expect("a parent");
                    claude.join(format!("projects/{slug}/{parent}/subagents/agent-{id}.jsonl"))
                }
                _ if child => claude.join(format!("projects/{slug}/agent-{id}.jsonl")),
                _ => claude.join(format!("projects/{slug}/{id}.jsonl")),
            };
            write(&place, &record);
            if beside.is_some() {
                made.process(pid, 118_955);
            } else {
                made.files.push(place);
            }
            if runtime == "codex" {
                if name.contains("pending") || name.contains("interrupted") {
                    let lock = codex.join(format!("thread-writer-locks/{id}.lock"));
                    write(&lock, "");
                    made.world.hold(&lock);
                }
                made.thread = id;
            }
            ids.insert(recording, (renamed, folder, shift));
        }
        made
    }

    /// A session's process.
    fn process(&mut self, pid: u32, start: u64) {
        let comm = self.canaries.word(Kind::Said, &format!("process {pid}: its name"));
        let line = format!("{pid} ({comm}) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {start} 0 0\n");
        write(&self.world.env.proc.join(format!("{pid}/stat")), &line);
        let words = self.canaries.word(Kind::Said, &format!("process {pid}: its command line"));
        write(&self.world.env.proc.join(format!("{pid}/cmdline")), &format!("{words}\0{words}\0"));
    }

    /// The process that calls.
    fn caller(&mut self) {
        self.process(self.world.env.pid, 200_000);
    }

    /// What lies in the project and in LoopX's own folder for it to read: a text and a document to check, exceptions,
    /// private words.
    fn papers(&mut self) {
        let mut said = |place: &str| self.canaries.word(Kind::Said, place);
        let path = said("notes.md: a path");
        let (user, host) = (said("notes.md: a mail address"), said("notes.md: a host"));
        let word = said("notes.md: prose");
        let notes = format!("# Notes\n\n/home/{path}/x {user}@{host}.example {word}\npassword = {word}\n");
        write(&self.project.join("notes.md"), &notes);
        let text = ["goal_id", "recommended_action", "run_id", "a_new_field"]
            .map(|field| format!("\"{field}\":\"{}\"", said(&format!("projection.json: {field}"))));
        let version = loopx_contract::PROJECTION_VERSION;
        let document = format!("{{\"schema_version\":\"{version}\",{}}}\n", text.join(","));
        write(&self.project.join("projection.json"), &document);
        let allow = format!(
            "[[allow]]\npath = \"notes.md\"\nclass = \"path\"\nreason = \"{}\"\n",
            said("allow.toml: a reason")
        );
        write(&self.project.join("allow.toml"), &allow);
        let terms = self.canaries.word(Kind::Said, "private_terms");
        fs::create_dir_all(self.world.path("loopx")).expect("a folder");
        fs::set_permissions(self.world.path("loopx"), fs::Permissions::from_mode(0o700)).expect("a mode");
        write(&self.world.path("loopx/private_terms"), &format!("{terms}\n"));
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(self.world.path("loopx/private_terms"), private).expect("a mode");
    }

    /// What git keeps in the project.
    fn repository(&mut self) {
        let branch = self.canaries.word(Kind::Indexed, "git: the branch");
        let remote = self.canaries.word(Kind::Indexed, "git: the remote");
        write(&self.project.join(".git/HEAD"), &format!("ref: refs/heads/{branch}\n"));
        let config = format!("[remote \"origin\"]\n\turl = git@{remote}.example:{remote}.git\n");
        write(&self.project.join(".git/config"), &config);
    }
}

const SESSION: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";

/// The runtime's own id of a recorded session, as its file's name has it.
fn native(name: &str, text: &str) -> String {
    if let Some((_, agent)) = name.split_once("agent-") {
        return agent.trim_end_matches(".jsonl").to_owned();
    }
    let key =
        if name.contains("rollout") || name.starts_with("0.") { "\"id\":\"" } else { "\"sessionId\":\"" };
    let found = text.split(key).skip(1).filter_map(|rest| rest.get(..36)).find(|id| is_uuid(id));
    found.unwrap_or(SESSION).to_owned()
}

/// How far the newest instant of a recording is from a minute ago.
fn shift(text: &str) -> SignedDuration {
    let mark = "\"timestamp\":\"";
    let instants =
        text.split(mark).skip(1).filter_map(|rest| rest.split('"').next()?.parse::<Timestamp>().ok());
    let newest = instants.max().unwrap_or_else(|| Clock.now());
    let ago = (Clock.now() - SignedDuration::from_mins(1)).duration_since(newest);
    SignedDuration::from_secs(ago.as_secs())
}
