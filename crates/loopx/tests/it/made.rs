//! What a test's world can be filled with: folders, processes, and session files of the runtimes, made at run time
//! with made-up text.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use jiff::{SignedDuration, Timestamp};
use loopx::clock::Clock;
use serde_json::{Value, json};

use loopx::app::serving::Doors;
use loopx::ui::Out;

use crate::world::World;

/// How the last turn of a made session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It finished.
    Done,
    /// A question is up.
    Asks,
    /// A call is open, nothing proves more.
    Unsure,
    /// Its process holds the writer's lock and works.
    Works,
    /// It failed.
    Failed,
    /// It ran into the usage limit.
    Limited,
}

/// A made session.
pub struct Made {
    /// The runtime's own id of it.
    pub native_id: String,
    /// Its file.
    pub file: PathBuf,
}

impl World {
    /// A folder in the home, made.
    pub fn project(&self, name: &str) -> PathBuf {
        let folder = self.path("home").join(name);
        fs::create_dir_all(&folder).expect("a folder");
        folder.canonicalize().expect("a path")
    }

    /// The same world seen from another working directory.
    pub fn in_folder(&self, folder: &Path) -> Self {
        let mut world = self.clone();
        world.env.cwd = Some(folder.to_owned());
        world
    }

    /// The world of a command that an agent runs inside its Codex session.
    pub fn inside(&self, native_id: &str) -> Self {
        self.with("CODEX_THREAD_ID", native_id)
    }

    /// The same world with a variable less.
    pub fn without(&self, name: &str) -> Self {
        let mut world = self.clone();
        world.env.vars.remove(std::ffi::OsStr::new(name));
        world
    }

    /// Runs the program with arguments that need not be text.
    pub fn run_os(&self, args: Vec<OsString>) -> u8 {
        let out = Out { data: Box::new(io::sink()), words: Box::new(io::sink()), is_terminal: false };
        let args = std::iter::once(OsString::from("loopx")).chain(args).collect();
        loopx::cli::main(&self.env, args, out, Doors::default())
    }

    /// Runs the program for a reader that has gone.
    pub fn run_closed(&self, args: &[&str]) -> u8 {
        self.run_failing(args, io::ErrorKind::BrokenPipe)
    }

    /// Runs the program with an output that takes nothing.
    pub fn run_failing(&self, args: &[&str], kind: io::ErrorKind) -> u8 {
        let out = Out { data: Box::new(Closed(kind)), words: Box::new(io::sink()), is_terminal: false };
        let args = std::iter::once("loopx").chain(args.iter().copied()).map(OsString::from).collect();
        loopx::cli::main(&self.env, args, out, Doors::default())
    }

    /// Runs the program with its data going to a terminal.
    pub fn run_at_terminal(&self, args: &[&str]) -> (u8, String) {
        let data = Rc::new(RefCell::new(Vec::new()));
        let out = Out { data: Box::new(Kept(data.clone())), words: Box::new(io::sink()), is_terminal: true };
        let args = std::iter::once("loopx").chain(args.iter().copied()).map(OsString::from).collect();
        let code = loopx::cli::main(&self.env, args, out, Doors::default());
        let text = String::from_utf8(data.borrow().clone()).expect("text");
        (code, text)
    }

    /// Every file below LoopX's own folder.
    pub fn own_files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("loopx")).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// A process folder that knows of the first process and of no locks.
    pub fn with_processes(self) -> Self {
        let proc = self.env.proc.clone();
        fs::create_dir_all(proc.join("self/ns")).expect("folders");
        std::os::unix::fs::symlink("pid:[4026531836]", proc.join("self/ns/pid")).expect("a link");
        fs::create_dir_all(proc.join("1")).expect("a folder");
        let stat = "1 (init) S 0 1 1 0 -1 4194304 1 0 0 0 1 2 0 0 20 0 1 0 118955 1 2\n";
        fs::write(proc.join("1/stat"), stat).expect("a file");
        fs::write(proc.join("locks"), "").expect("a file");
        self
    }

    /// A session of Codex in a folder, `minutes` old.
    pub fn codex(&self, number: u32, cwd: &Path, turn: Turn, minutes: i64) -> Made {
        let native_id = format!("01a229a5-924c-7440-b3e2-{number:012}");
        let turn_id = format!("turn-{number}");
        let at = ago(minutes);
        let home = self.path("home/.codex");
        let file = home.join(format!("sessions/2026/11/29/rollout-2026-11-29T12-00-00-{native_id}.jsonl"));
        let mut lines = vec![
            line(
                at,
                "session_meta",
                json!({
                    "id": native_id, "timestamp": at, "cwd": cwd, "originator": "codex-tui",
                    "cli_version": "0.171.0", "source": "cli", "thread_source": "user",
                    "git": { "branch": "spica-work", "repository_url": "git@git.corp.example:acmecorp/quasar.git" },
                }),
            ),
            line(at, "event_msg", json!({ "type": "task_started", "turn_id": turn_id })),
            line(
                at,
                "turn_context",
                json!({ "turn_id": turn_id, "cwd": cwd, "approval_policy": "on-request" }),
            ),
        ];
        let call = |name: &str| json!({ "type": "function_call", "name": name, "arguments": "{}", "call_id": "call-1" });
        let ended = |error: Value| json!({ "type": "task_complete", "turn_id": turn_id, "error": error });
        let failure = |info: &str| ended(json!({ "message": "made up", "codex_error_info": info }));
        match turn {
            Turn::Done => lines.push(line(at, "event_msg", ended(Value::Null))),
            Turn::Asks => lines.push(line(at, "response_item", call("request_user_input"))),
            Turn::Unsure => lines.push(line(at, "response_item", call("exec_command"))),
            Turn::Works => {}
            Turn::Failed => lines.push(line(at, "event_msg", failure("internal_server_error"))),
            Turn::Limited => lines.push(line(at, "event_msg", failure("usage_limit_exceeded"))),
        }
        write(&file, &lines);
        if turn == Turn::Works {
            let lock = home.join(format!("thread-writer-locks/{native_id}.lock"));
            write(&lock, &[]);
            self.hold(&lock);
        }
        Made { native_id, file }
    }

    /// A session of Claude Code in a folder, `minutes` old: done or asking.
    pub fn claude(&self, number: u32, cwd: &Path, turn: Turn, minutes: i64) -> Made {
        let native_id = format!("88a73867-150f-4f26-a74c-{number:012}");
        let at = ago(minutes);
        let file = self.path("home/.claude/projects/-made-up").join(format!("{native_id}.jsonl"));
        let shared = |uuid: &str, parent: Option<&str>, kind: &str, message: Value| {
            json!({
                "parentUuid": parent, "isSidechain": false, "type": kind, "message": message, "uuid": uuid,
                "timestamp": at, "userType": "external", "entrypoint": "cli", "cwd": cwd,
                "sessionId": native_id, "version": "2.1.332", "gitBranch": "main",
            })
        };
        let mut prompt = shared("u1", None, "user", json!({ "role": "user", "content": "made up" }));
        prompt["origin"] = json!({ "kind": "human" });
        let (content, stop) = match turn {
            Turn::Asks => (
                json!([{ "type": "tool_use", "id": "toolu_1", "name": "AskUserQuestion", "input": { "questions": [] } }]),
                "tool_use",
            ),
            Turn::Unsure => {
                (json!([{ "type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {} }]), "tool_use")
            }
            Turn::Done | Turn::Works | Turn::Failed | Turn::Limited => {
                (json!([{ "type": "text", "text": "made up" }]), "end_turn")
            }
        };
        let answer = json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
            "content": content, "stop_reason": stop, "usage": { "input_tokens": 1, "output_tokens": 1 },
        });
        write(&file, &[prompt, shared("u2", Some("u1"), "assistant", answer)]);
        Made { native_id, file }
    }

    /// Has a file's lock held by the first process.
    pub fn hold(&self, lock: &Path) {
        let meta = fs::metadata(lock).expect("a lock");
        let (major, minor) = (rustix::fs::major(meta.dev()), rustix::fs::minor(meta.dev()));
        let line = format!("1: FLOCK  ADVISORY  WRITE 1 {major:02x}:{minor:02x}:{} 0 EOF\n", meta.ino());
        let mut locks =
            fs::OpenOptions::new().append(true).open(self.env.proc.join("locks")).expect("the locks");
        locks.write_all(line.as_bytes()).expect("a line");
    }
}

fn ago(minutes: i64) -> Timestamp {
    Clock.now() - SignedDuration::from_mins(minutes)
}

#[expect(clippy::needless_pass_by_value, reason = "it is made for this line")]
fn line(at: Timestamp, kind: &str, payload: Value) -> Value {
    json!({ "timestamp": at, "type": kind, "payload": payload })
}

/// What is in a file that a test made.
#[expect(clippy::disallowed_methods, reason = "it is no foreign file")]
pub fn read(file: &Path) -> Vec<u8> {
    fs::read(file).expect("a file")
}

fn write(file: &Path, lines: &[Value]) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
    let text = lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n");
    fs::write(file, text).expect("a file");
}

struct Closed(io::ErrorKind);

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Kept(Rc<RefCell<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
