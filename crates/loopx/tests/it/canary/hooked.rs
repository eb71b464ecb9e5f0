//! Hooks and workers as a door: every event of both runtimes with planted words in it, what LoopX says then, and what it
//! keeps.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::{Command, Output as Ran, Stdio};

use loopx_runtimes::Runtime;
use loopx_runtimes::hooks::names;
use serde_json::{Value, json};

use super::doors::Output;
use super::home::Home;
use super::verbs::{files, split};
use super::words::{Canaries, Kind};
use crate::made::read;

/// One run of `loopx hook`.
pub struct Hook {
    /// What it is, without any planted word.
    name: String,
    args: Vec<String>,
    /// What the runtime tells it on stdin.
    told: String,
    /// Whether it passes on what it is told, as a status line does.
    passes: bool,
}

/// What is asked for after the hooks have run.
const LINES: &[&str] = &[
    "status",
    "status --fresh",
    "next --goal atlas --agent codex",
    "why --goal atlas --agent claude",
    "sessions list --all",
    "follow --jsonl --once",
    "statusline",
    "usage --by session",
    "hooks status",
    "ingest --check worker.jsonl",
    "doctor",
    "export",
    "log --all",
];

/// Fields in which a runtime says something, by the names of any event.
const SAID: &[&str] = &[
    "transcript_path",
    "agent_transcript_path",
    "cwd",
    "permission_mode",
    "tool_name",
    "tool_response",
    "message",
    "title",
    "session_title",
    "prompt",
    "custom_instructions",
    "last_assistant_message",
    "agent_type",
    "model",
    "reason",
    "error",
    "error_details",
    "mcp_server_name",
    "source",
    "trigger",
    "notification_type",
];

/// What steers the reader, so that each way through it is taken.
const STEERS: &[(&str, &str)] = &[
    ("tool_name", "Bash"),
    ("tool_name", "Edit"),
    ("tool_name", "AskUserQuestion"),
    ("notification_type", "permission_prompt"),
    ("notification_type", "elicitation_dialog"),
    ("source", "compact"),
    ("trigger", "manual"),
    ("error", "rate_limit"),
];

/// Plants words in every event of both runtimes; `sessions` are the runtimes' own ids of sessions that are there.
pub fn plant(canaries: &mut Canaries, sessions: &[(Runtime, String)]) -> Vec<Hook> {
    let mut hooks = Vec::new();
    for runtime in Runtime::ALL {
        let word = runtime.word();
        let mut indexed = |field: &str| canaries.word(Kind::Indexed, &format!("hook {word}: {field}"));
        let (session, agent) = (indexed("session_id"), indexed("agent_id"));
        let (turn, call) = (indexed("turn_id"), indexed("tool_use_id"));
        let mut said = |field: &str| canaries.word(Kind::Said, &format!("hook {word}: {field}"));
        let mut event = json!({
            "tool_input": { "command": said("a command"), said("a key"): [said("an argument")] },
            "background_tasks": [{ "command": said("a task") }], "turn_id": turn, "tool_use_id": call,
            said("an unknown key"): said("an unknown value"),
        });
        for field in SAID {
            event[*field] = said(field).into();
        }
        let (odd, no_event) = (format!("{}@team", said("an odd agent_id")), said("hook_event_name"));
        let sessions = sessions.iter().filter(|(of, _)| *of == runtime).map(|(_, id)| id);
        let sessions: Vec<&String> = sessions.chain([&session]).collect();
        for (at, name) in names(runtime).into_iter().chain(["SubagentStart", &no_event]).enumerate() {
            let shown = if name == no_event { "an unknown event" } else { name };
            for (field, value) in [("", "")].iter().chain(STEERS) {
                let mut told = event.clone();
                told["hook_event_name"] = name.into();
                told["session_id"] = sessions[at % sessions.len()].as_str().into();
                if !field.is_empty() {
                    told[*field] = (*value).into();
                }
                for agent in [Value::Null, agent.as_str().into(), odd.as_str().into()] {
                    // One variant is enough where no field steers.
                    if !agent.is_null() && *field != "tool_name" {
                        continue;
                    }
                    told["agent_id"] = agent;
                    hooks.push(Hook {
                        name: format!("hook {word}: {shown}, {field} {value}"),
                        args: vec![word.to_owned(), "--prompts".to_owned()],
                        told: told.to_string(),
                        passes: false,
                    });
                }
            }
        }
    }
    hooks.push(notice(canaries, sessions));
    hooks.push(status_line(canaries));
    hooks
}

/// Codex's `notify`.
fn notice(canaries: &mut Canaries, sessions: &[(Runtime, String)]) -> Hook {
    let turn = canaries.word(Kind::Indexed, "notify: turn-id");
    let mut said = |field: &str| canaries.word(Kind::Said, &format!("notify: {field}"));
    let session = sessions.iter().find(|(of, _)| *of == Runtime::Codex).map(|(_, id)| id);
    let event = json!({
        "type": "agent-turn-complete", "thread-id": session, "turn-id": turn, "cwd": format!("/home/{}", said("cwd")),
        "input-messages": [said("input-messages")], "last-assistant-message": said("last-assistant-message"),
        "client": said("client"), said("a key"): said("a value"),
    });
    let args = ["codex", "--notify", &event.to_string()].map(str::to_owned).to_vec();
    Hook { name: "hook codex --notify".to_owned(), args, told: String::new(), passes: false }
}

/// Claude Code's status line.
fn status_line(canaries: &mut Canaries) -> Hook {
    let session = canaries.word(Kind::Indexed, "status line: session_id");
    let mut said = |field: &str| canaries.word(Kind::Said, &format!("status line: {field}"));
    let told = json!({
        "session_id": session, "session_name": said("session_name"), "cwd": said("cwd"),
        "transcript_path": said("transcript_path"), "version": said("version"),
        "model": { "id": said("model.id"), "display_name": said("model.display_name") },
        "workspace": { "current_dir": said("current_dir"), "project_dir": said("project_dir") },
        "output_style": { "name": said("output_style") }, "cost": { said("a cost"): said("its value") },
        "rate_limits": {
            "five_hour": { "used_percentage": 25.5, "resets_at": 4_000_000_000_u32, "note": said("a note") },
        },
    });
    let args = ["claude_code", "--statusline"].map(str::to_owned).to_vec();
    Hook { name: "hook claude_code --statusline".to_owned(), args, told: told.to_string(), passes: true }
}

/// All that comes out of hooks and workers, of those who look afterwards, and all that is kept.
pub fn outputs(home: &Home) -> Vec<Output> {
    let world = &home.world;
    world.run(&["init", "atlas", "--agent", "codex", "--agent", "claude"]).ok();
    let mut outputs = Vec::new();
    for hook in &home.hooks {
        let ran = piped(home, "hook", &hook.args, hook.told.as_bytes());
        let silent = if hook.passes { hook.told.as_bytes() } else { b"" };
        assert!(ran.status.success() && ran.stderr.is_empty() && ran.stdout == silent, "{}", hook.name);
    }
    let text = read(&home.project.join("worker.jsonl"));
    for args in [&[][..], &["--json"], &["--check"]] {
        let args: Vec<String> = args.iter().map(|arg: &&str| (*arg).to_owned()).collect();
        let ran = piped(home, "ingest", &args, &text);
        outputs.push(Output::new("`ingest`, piped, stdout", ran.stdout));
        outputs.push(Output::new("`ingest`, piped, stderr", ran.stderr));
    }
    // What waits for a look, before anyone has looked.
    outputs.extend(kept(home));
    for line in LINES {
        for json in [&[][..], &["--json"]] {
            let args = split(line);
            let args: Vec<&str> = args.iter().map(String::as_str).chain(json.iter().copied()).collect();
            let ran = world.run(&args);
            outputs.push(Output::new(format!("`{line}` after hooks, stdout"), ran.out));
            outputs.push(Output::new(format!("`{line}` after hooks, stderr"), ran.err));
        }
    }
    outputs.extend(kept(home));
    outputs
}

/// The files of LoopX's own.
fn kept(home: &Home) -> Vec<Output> {
    let own = files(&home.world.path("loopx"));
    for name in ["hooks.jsonl", "limits.jsonl", "workers.jsonl"] {
        assert!(own.get(name).is_some_and(|bytes| !bytes.is_empty()), "nothing was kept in {name}");
    }
    let own = own.into_iter().filter(|(name, _)| name != "private_terms");
    own.flat_map(|(name, bytes)| Output::named_file(&name, bytes)).collect()
}

/// Runs the built program, which is told something.
fn piped(home: &Home, verb: &str, args: &[String], told: &[u8]) -> Ran {
    let mut program = Command::new(env!("CARGO_BIN_EXE_loopx"));
    program.arg(verb).args(args.iter().map(OsString::from)).current_dir(&home.project);
    program.env_clear().envs(&home.world.env.vars);
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().expect("the program");
    // A notice is told by an argument: its stdin is read by nobody.
    let _ = child.stdin.take().expect("a pipe").write_all(told);
    child.wait_with_output().expect("an end")
}
