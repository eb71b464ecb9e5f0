//! The session that this very process runs in.

use jiff::Timestamp;
use loopx_contract::{
    EvidenceTier, Liveness, MissingFact, Ref, Rule, RuntimeId, SessionFacts, SessionState, Turn,
};
use loopx_core::Caller;
use loopx_runtimes::caller::{CallerRuntime, ancestors_of, is_of_runtime, runtime_ancestor};
use loopx_runtimes::{Runtime, Sources, session_handle};
use loopx_safety::{Handle, HandleKind, InstallKey};

use crate::env::Env;

/// `LOOPX_SESSION`, a runtime among the ancestors, or a runtime's own variables.
pub fn find(env: &Env, sources: &Sources, key: &InstallKey) -> Option<Caller> {
    let named = env.var("LOOPX_SESSION").and_then(|text| Handle::parse(text).ok()).map(Ref::from);
    let ancestors = ancestors_of(sources, env.pid);
    let found = runtime_ancestor(sources, &ancestors, |name| env.var(name).map(str::to_owned));
    let Some(found) = found else {
        return named.map(|session| Caller { runtime: runtime_id("custom_worker"), session: Some(session) });
    };
    let family = match found.runtime {
        CallerRuntime::Codex => Some(Runtime::Codex),
        CallerRuntime::ClaudeCode => Some(Runtime::ClaudeCode),
        CallerRuntime::Cursor
        | CallerRuntime::GeminiCli
        | CallerRuntime::OpenCode
        | CallerRuntime::CopilotCli
        | CallerRuntime::Pi
        | CallerRuntime::Goose
        | CallerRuntime::Amp
        | CallerRuntime::Crush
        | CallerRuntime::Aider
        | CallerRuntime::Other => None,
    };
    let runtime = runtime_of(found.runtime);
    let native = found.session.as_ref().map(|id| match family {
        Some(family) => session_handle(key, family, id.expose()),
        // Of a runtime that is not read, the session is known by its handle alone.
        None => key.handle(HandleKind::Session, runtime.as_str(), id.expose()),
    });
    let session = named.or_else(|| native.map(Ref::from));
    Some(Caller { runtime, session })
}

/// What is known of a session that this very process runs in: it is running, whatever its file can't tell. How it came
/// to run, and all that its file does tell, stays.
pub fn running(facts: SessionFacts, now: Timestamp) -> SessionFacts {
    let since = match facts.turn {
        Turn::Open => facts.since,
        Turn::Closed | Turn::Unknown => None,
    };
    let settled = |fact: &MissingFact| match fact {
        MissingFact::Liveness
        | MissingFact::PermissionState
        | MissingFact::TurnState
        | MissingFact::TurnMarkers
        | MissingFact::LastActivity
        | MissingFact::SessionState => true,
        MissingFact::SessionMeta
        | MissingFact::Source
        | MissingFact::Records
        | MissingFact::File
        | MissingFact::OlderRecords
        | MissingFact::LimitReset => false,
    };
    SessionFacts {
        state: SessionState::Running,
        tier: EvidenceTier::Caller,
        rule: Rule::CallsIn,
        liveness: Liveness::Alive,
        turn: Turn::Open,
        since,
        last_activity: Some(now),
        missing: facts.missing.iter().copied().filter(|fact| !settled(fact)).collect(),
        ..facts
    }
}

/// The runtime family of a caller; the session's own facts, where they are seen, say which front end it is.
fn runtime_of(runtime: CallerRuntime) -> RuntimeId {
    runtime_id(match runtime {
        CallerRuntime::Codex => "codex_cli_tui",
        CallerRuntime::ClaudeCode => "claude_code",
        CallerRuntime::Cursor => "cursor_cli",
        CallerRuntime::GeminiCli => "gemini_cli",
        CallerRuntime::OpenCode => "opencode",
        CallerRuntime::CopilotCli => "copilot_cli",
        CallerRuntime::Pi => "pi",
        CallerRuntime::Goose => "goose",
        CallerRuntime::Amp => "amp",
        CallerRuntime::Crush => "crush",
        CallerRuntime::Aider => "aider",
        CallerRuntime::Other => "custom_worker",
    })
}

fn runtime_id(word: &str) -> RuntimeId {
    RuntimeId::parse(word).unwrap_or_else(|_| RuntimeId::none())
}

/// Whether a process of this machine is a runtime, or runs in a session of one.
pub fn is_inside(sources: &Sources, pid: u32) -> bool {
    is_of_runtime(sources, pid)
}
