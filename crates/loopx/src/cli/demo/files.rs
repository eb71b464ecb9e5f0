//! Session files in the formats of the runtimes, made up from the first to the last word.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::env::Env;

/// How the last turn of a sample session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A question is up.
    Asks,
    /// Its process works on it.
    Works,
    /// A call is open, and nothing proves more.
    Unsure,
    /// It failed.
    Failed,
    /// It ran into the usage limit.
    Limited,
    /// It finished.
    Done,
}

/// One sample session.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// Tells it from the others.
    pub number: u32,
    /// The folder it works in.
    pub cwd: &'a Path,
    /// How its last turn stands.
    pub turn: Turn,
    /// When that was.
    pub at: Timestamp,
}

/// A process folder with nothing but the first process, and no locks.
pub fn processes(env: &Env) -> io::Result<()> {
    let first = env.proc.join("1");
    fs::create_dir_all(env.proc.join("self/ns"))?;
    fs::create_dir_all(&first)?;
    std::os::unix::fs::symlink("pid:[4026531836]", env.proc.join("self/ns/pid"))?;
    fs::write(first.join("stat"), "1 (sample) S 0 1 1 0 -1 0 1 0 0 0 1 2 0 0 20 0 1 0 100 1 2\n")?;
    fs::write(env.proc.join("locks"), "")?;
    fs::write(&env.machine_id, "0123456789abcdef0123456789abcdef\n")
}

/// Writes a session of Codex.
pub fn codex(env: &Env, home: &Path, sample: Sample<'_>) -> io::Result<()> {
    let Sample { number, cwd, turn, at } = sample;
    let id = format!("01a229a5-0000-7000-8000-{number:012}");
    let line = |kind: &str, payload: Value| json!({ "timestamp": at, "type": kind, "payload": payload });
    let owner = json!({
        "id": id, "timestamp": at - SignedDuration::from_mins(20), "cwd": cwd, "originator": "codex-tui",
        "cli_version": "0.171.0", "source": "cli", "thread_source": "user",
    });
    let context = json!({ "turn_id": "turn-1", "cwd": cwd, "approval_policy": "on-request" });
    let mut lines = vec![
        line("session_meta", owner),
        line("event_msg", json!({ "type": "task_started", "turn_id": "turn-1" })),
        line("turn_context", context),
    ];
    let call =
        |name: &str| json!({ "type": "function_call", "name": name, "arguments": "{}", "call_id": "call-1" });
    let ended = |error: Value| json!({ "type": "task_complete", "turn_id": "turn-1", "error": error });
    let failure = |info: &str| ended(json!({ "message": "made up", "codex_error_info": info }));
    match turn {
        Turn::Asks => lines.push(line("response_item", call("request_user_input"))),
        Turn::Unsure => lines.push(line("response_item", call("exec_command"))),
        Turn::Failed => lines.push(line("event_msg", failure("internal_server_error"))),
        Turn::Limited => lines.push(line("event_msg", failure("usage_limit_exceeded"))),
        Turn::Done => lines.push(line("event_msg", ended(Value::Null))),
        Turn::Works => {}
    }
    let codex = home.join(".codex");
    write(&codex.join(format!("sessions/2026/01/01/rollout-2026-01-01T00-00-00-{id}.jsonl")), &lines)?;
    if turn == Turn::Works {
        let lock = codex.join(format!("thread-writer-locks/{id}.lock"));
        write(&lock, &[])?;
        hold(env, &lock)?;
    }
    Ok(())
}

/// Writes a session of Claude Code: asking, unsure, or done.
pub fn claude(home: &Path, sample: Sample<'_>) -> io::Result<()> {
    let Sample { number, cwd, turn, at } = sample;
    let id = format!("88a73867-0000-4000-8000-{number:012}");
    let record = |uuid: &str, parent: Option<&str>, kind: &str, message: Value| {
        json!({
            "parentUuid": parent, "isSidechain": false, "type": kind, "message": message, "uuid": uuid,
            "timestamp": at, "userType": "external", "entrypoint": "cli", "cwd": cwd, "sessionId": id,
            "version": "2.1.332", "origin": { "kind": "human" },
        })
    };
    let tool = |name: &str| json!([{ "type": "tool_use", "id": "toolu_1", "name": name, "input": {} }]);
    let (content, stop) = match turn {
        Turn::Asks => (tool("AskUserQuestion"), "tool_use"),
        Turn::Unsure => (tool("Bash"), "tool_use"),
        Turn::Done | Turn::Works | Turn::Failed | Turn::Limited => {
            (json!([{ "type": "text", "text": "made up" }]), "end_turn")
        }
    };
    let answer = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "made-up", "content": content,
        "stop_reason": stop, "usage": { "input_tokens": 1, "output_tokens": 1 },
    });
    let prompt = json!({ "role": "user", "content": "made up" });
    let lines = [record("u1", None, "user", prompt), record("u2", Some("u1"), "assistant", answer)];
    write(&home.join(format!(".claude/projects/sample/{id}.jsonl")), &lines)
}

/// Has the first process hold a lock, as far as the sample's process folder tells.
fn hold(env: &Env, lock: &Path) -> io::Result<()> {
    let meta = fs::metadata(lock)?;
    let (major, minor) = (rustix::fs::major(meta.dev()), rustix::fs::minor(meta.dev()));
    let mut locks = fs::OpenOptions::new().append(true).open(env.proc.join("locks"))?;
    writeln!(locks, "1: FLOCK  ADVISORY  WRITE 1 {major:02x}:{minor:02x}:{} 0 EOF", meta.ino())
}

fn write(file: &Path, lines: &[Value]) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let text = lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n");
    fs::write(file, text)
}
