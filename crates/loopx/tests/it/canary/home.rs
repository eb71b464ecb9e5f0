//! The home: sessions of every recording, on a machine whose names are all canaries.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use loopx::clock::Clock;
use loopx_runtimes::Runtime;
use serde_json::json;

use super::hooked::{self, Hook};
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
    /// Codex's home and Claude Code's.
    codex: PathBuf,
    claude: PathBuf,
    /// Session files.
    pub files: Vec<PathBuf>,
    /// The runtime's own id of a session of Codex.
    pub thread: String,
    /// What hooks are told.
    pub hooks: Vec<Hook>,
    /// The runtimes' own ids of the sessions that are there.
    sessions: Vec<(Runtime, String)>,
}

/// A session that most recordings of Claude Code are of.
const SESSION: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";

/// When the recorded processes began.
const TICK: u64 = 118_955;

/// A recording.
struct Recording {
    /// Its runtime's folder and its name.
    name: String,
    /// Where it is.
    file: PathBuf,
}

/// What the files of one session have in common.
#[derive(Clone)]
struct Session {
    ids: BTreeMap<String, String>,
    folder: PathBuf,
    shift: SignedDuration,
}

impl Recording {
    fn is_codex(&self) -> bool {
        self.name.starts_with("codex/")
    }

    /// Whether it is an entry of the live registry.
    fn is_entry(&self) -> bool {
        self.name.ends_with(".session.json")
    }

    /// Whether a subagent left it.
    fn is_child(&self) -> bool {
        self.name.contains("agent-")
    }

    /// The recording whose session it belongs to; its own where it is a session.
    fn of(&self) -> String {
        match self.name.strip_suffix(".session.json") {
            Some(stem) => format!("{stem}.jsonl"),
            None if self.is_child() => "claude-code/2.1.332_running_tool.jsonl".to_owned(),
            None => self.name.clone(),
        }
    }

    /// The runtime's own id of it, as its file's name has it.
    fn native(&self, text: &str) -> String {
        if let Some((_, agent)) = self.name.split_once("agent-") {
            return agent.trim_end_matches(".jsonl").to_owned();
        }
        let key = if self.is_codex() { "\"id\":\"" } else { "\"sessionId\":\"" };
        let found = text.split(key).skip(1).filter_map(|rest| rest.get(..36)).find(|id| is_uuid(id));
        found.unwrap_or(SESSION).to_owned()
    }
}

/// The recordings of every runtime.
fn recordings() -> Vec<Recording> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../loopx-runtimes/tests/recordings");
    let mut found = Vec::new();
    for runtime in entries(&root) {
        for file in entries(&runtime) {
            found.push(Recording { name: format!("{}/{}", name(&runtime), name(&file)), file });
        }
    }
    found
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
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
        let claude = home.join(".claude");
        let project = home.join(said("the project's folder"));
        fs::create_dir_all(&project).expect("folders");
        let project = project.canonicalize().expect("a path");
        let mut world =
            world.with("HOME", &home).with("VISUAL", "true").with("CODEX_HOME", &codex).in_folder(&project);
        for variable in VARIABLES {
            let value = canaries.word(Kind::Said, &format!("the variable {variable}"));
            world = world.with(variable, value);
        }
        let machine = canaries.hex(Kind::Said, "the machine's id");
        fs::write(&world.env.machine_id, format!("{machine}\n")).expect("a file");
        let domain = format!("linux:{machine}:{FIRST}");
        let mut made = Self {
            world,
            canaries,
            project,
            codex,
            claude,
            files: Vec::new(),
            thread: String::new(),
            hooks: Vec::new(),
            sessions: Vec::new(),
        };
        made.caller();
        made.repository();
        made.papers();
        // A session before what stands beside it, and what subagents left last.
        let mut wanted: Vec<_> = recordings().into_iter().filter(|one| wanted(&one.name)).collect();
        wanted.sort_by_key(|one| (one.is_child(), one.is_entry()));
        let mut sessions = BTreeMap::new();
        for (recording, pid) in wanted.iter().zip(3000..) {
            let session = made.session(recording, pid, &domain, sessions.get(&recording.of()));
            sessions.insert(recording.name.clone(), session);
        }
        made.hooks = hooked::plant(&mut made.canaries, &made.sessions);
        made
    }

    /// Plants a recording, as a part of another one's session where there is one.
    fn session(&mut self, recording: &Recording, pid: u32, domain: &str, of: Option<&Session>) -> Session {
        let text = String::from_utf8(read(&recording.file)).expect("text");
        let Session { ids, folder, shift } = of.cloned().unwrap_or_else(|| {
            let name = self.canaries.word(Kind::Indexed, &format!("{}: its folder", recording.name));
            let folder = self.project.join(name);
            fs::create_dir_all(&folder).expect("a folder");
            Session { ids: BTreeMap::new(), folder, shift: shift(&text) }
        });
        let canaries = &mut self.canaries;
        let name = &recording.name;
        let mut planter = Planter { canaries, recording: name, ids, folder: &folder, shift, pid, domain };
        let record = planter.text(&text);
        let id = planter.id(&recording.native(&text), "its id");
        let ids = planter.ids;
        let place = self.place(recording, &id, &folder, &ids, pid);
        write(&place, &record);
        if recording.is_entry() {
            self.process(pid, TICK);
        } else {
            self.files.push(place);
        }
        if !recording.is_entry() && !recording.is_child() {
            let runtime = if recording.is_codex() { Runtime::Codex } else { Runtime::ClaudeCode };
            self.sessions.push((runtime, id.clone()));
        }
        if recording.is_codex() {
            if name.contains("pending") || name.contains("interrupted") {
                let lock = self.codex.join(format!("thread-writer-locks/{id}.lock"));
                write(&lock, "");
                self.world.hold(&lock);
            }
            self.thread = id;
        }
        Session { ids, folder, shift }
    }

    /// Where a runtime keeps such a file.
    fn place(
        &self,
        recording: &Recording,
        id: &str,
        folder: &Path,
        ids: &BTreeMap<String, String>,
        pid: u32,
    ) -> PathBuf {
        let slug = folder.to_str().expect("text").replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let projects = self.claude.join("projects").join(slug);
        if recording.is_codex() {
            self.codex.join(format!("sessions/2026/11/29/rollout-2026-11-29T23-30-46-{id}.jsonl"))
        } else if recording.is_entry() {
            self.claude.join(format!("sessions/{pid}.json"))
        } else if recording.name.contains("subagents") {
            let parent = ids.get(SESSION).expect("a parent");
            projects.join(format!("{parent}/subagents/agent-{id}.jsonl"))
        } else if recording.is_child() {
            projects.join(format!("agent-{id}.jsonl"))
        } else {
            projects.join(format!("{id}.jsonl"))
        }
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

    /// The runtimes' settings, in which hooks are put.
    fn settings(&mut self) {
        let mut said = |place: &str| self.canaries.word(Kind::Said, place);
        let [name, token, model] = ["a variable", "a credential", "a model"].map(&mut said);
        let [theirs, line, comment] = ["a hook", "a status line", "a comment"].map(&mut said);
        let text = format!(
            "{{\n  \"model\": \"{model}\",\n  \"env\": {{ \"{name}\": \"{token}\" }}, // {comment}\n  \"hooks\": {{ \"Stop\": \
             [{{ \"hooks\": [{{ \"type\": \"command\", \"command\": \"{theirs}\" }}] }}] }},\n  \"statusLine\": {{ \"type\": \
             \"command\", \"command\": \"{line}\" }}\n}}\n"
        );
        write(&self.claude.join("settings.json"), &text);
        let mut said = |place: &str| self.canaries.word(Kind::Said, place);
        let [theirs, comment] = ["a notify program", "a comment of Codex's settings"].map(&mut said);
        write(
            &self.codex.join("config.toml"),
            &format!("# {comment}\nnotify = [\"{theirs}\", '{theirs}']\n"),
        );
    }

    /// What lies in the project and in LoopX's own folder for it to read: a text and a document to check, exceptions,
    /// private words.
    fn papers(&mut self) {
        self.settings();
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
        self.worker();
        let terms = self.canaries.word(Kind::Said, "private_terms");
        fs::create_dir_all(self.world.path("loopx")).expect("a folder");
        fs::set_permissions(self.world.path("loopx"), fs::Permissions::from_mode(0o700)).expect("a mode");
        write(&self.world.path("loopx/private_terms"), &format!("{terms}\n"));
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(self.world.path("loopx/private_terms"), private).expect("a mode");
    }

    /// What a worker says: its own names may be kept, all else that is foreign is dropped or refused. Ids of goals and
    /// agents are public.
    fn worker(&mut self) {
        let mut named = |place: &str| self.canaries.word(Kind::Indexed, &format!("worker.jsonl: {place}"));
        let (session, folder) = (named("session_id"), named("cwd"));
        let taken = json!({
            "runtime_id": "custom_worker", "session_id": session, "state": "waiting_answer",
            "goal_id": "atlas", "agent_id": "stranger", "cwd": format!("/home/{folder}"),
        });
        let mut said = |place: &str| self.canaries.word(Kind::Said, &format!("worker.jsonl: {place}"));
        let mut with_more = taken.clone();
        with_more["prompt"] = json!({ said("a key"): said("a value") });
        with_more["checks"] = json!([{ "label": "test", "outcome": "failed", "command": said("a command") }]);
        let refused = [
            "state",
            "runtime_id",
            "session_id",
            "at",
            "goal_id",
            "agent_id",
            "cwd",
            "tier",
            "missing",
            "usage",
            "pid",
            "limits",
            "checks",
            "since",
        ]
        .map(|field| {
            let mut line = taken.clone();
            line[field] = json!(format!("/home/{0}\n{0}", said(field)));
            line
        });
        let mut lines: Vec<String> =
            [taken, with_more].iter().chain(&refused).map(ToString::to_string).collect();
        lines.extend([said("no JSON"), format!("{{\"state\": \"{}", said("half a line"))]);
        let text = lines.join("\n");
        write(&self.project.join("worker.jsonl"), &text);
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

/// How far the newest instant of a recording is from a minute ago.
fn shift(text: &str) -> SignedDuration {
    let mark = "\"timestamp\":\"";
    let instants =
        text.split(mark).skip(1).filter_map(|rest| rest.split('"').next()?.parse::<Timestamp>().ok());
    let newest = instants.max().unwrap_or_else(|| Clock.now());
    let ago = (Clock.now() - SignedDuration::from_mins(1)).duration_since(newest);
    SignedDuration::from_secs(ago.as_secs())
}
