//! Codex's rollout, folded: which turn is open, how the last one ended, which calls wait.
//!
//! The vendor's own rule (`turn_lifecycle.rs`); files up to 0.98 have no turn markers, and there it is inferred.

use std::path::PathBuf;

use jiff::Timestamp;
use loopx_contract::SessionState;

use super::limits;
use super::records::{ErrorClass, Item, Line, Payload, error_class, info_class, kind};
use super::rollout::{Approval, Call, EndedTurn, History, Inferred, OpenTurn, Owner, Rollout};
use super::words::{self, Told, injected, marks_turns};
use crate::check::Exit;
use crate::latest::Source;
use crate::reader::field::Text;
use crate::reader::{Fold, LineClass, Place, skim};
use crate::usage::key;

/// How many calls without a result are held. No runtime has that many open.
const CALLS: usize = 1024;

impl Fold for Rollout {
    fn line(&mut self, place: Place, bytes: &[u8]) -> LineClass {
        let Ok(line) = skim::object::<Line<'_>>(bytes) else { return LineClass::Malformed };
        let at = line.timestamp.0;
        let Some(kind) = line.kind.get() else {
            return self.bare(&line, place);
        };
        let class = match (kind, line.payload.get()) {
            ("session_meta", Some(meta)) => self.owner(meta, place),
            ("turn_context", Some(context)) => self.context(context),
            ("response_item", Some(item)) => self.item(item, place, at),
            ("event_msg", Some(event)) => self.event(event, place, at),
            ("token_usage_record", Some(record)) => {
                self.count(record.thread_token_usage.get(), record.usage.get(), at);
                LineClass::Known
            }
            ("session_meta" | "turn_context" | "response_item" | "event_msg", None) => LineClass::Malformed,
            (
                "compacted"
                | "world_state"
                | "token_usage_record"
                | "inter_agent_communication"
                | "inter_agent_communication_metadata",
                _,
            ) => LineClass::Known,
            // Before 0.32 items stood bare.
            ("message" | "reasoning" | "function_call" | "function_call_output", _)
                if self.meta.is_none() =>
            {
                match skim::object::<Payload<'_>>(bytes) {
                    Ok(item) => self.item(&item, place, None),
                    Err(_) => LineClass::Malformed,
                }
            }
            (kind, _) => {
                // `thread.started` and the like.
                self.foreign += u64::from(kind.contains('.'));
                return LineClass::UnknownType;
            }
        };
        self.records += 1;
        self.newest = Some(place);
        self.last_activity = self.last_activity.max(at);
        self.first_activity = self.first_activity.or(at);
        class
    }

    fn decided(&self) -> bool {
        if self.marks() {
            return self.open.is_some() || self.ended.is_some();
        }
        // Where even the version is unknown, only the whole file shows that nothing marks its turns.
        self.asked && self.meta.as_ref().and_then(|meta| meta.marks) == Some(false)
    }
}

impl Rollout {
    fn bare(&mut self, line: &Line<'_>, place: Place) -> LineClass {
        let first = line.id.is_present() && line.timestamp.0.is_some() && place.offset == 0;
        if first {
            self.last_activity = self.last_activity.max(line.timestamp.0);
            self.first_activity = self.first_activity.or(line.timestamp.0);
        }
        if first || line.record_type.is("state") {
            self.records += 1;
            return LineClass::Known;
        }
        LineClass::Malformed
    }

    fn owner(&mut self, meta: &Payload<'_>, place: Place) -> LineClass {
        let id = meta.id.word().map(str::to_owned);
        if let Some(owner) = &mut self.meta {
            // The parent's: its records follow as a copy.
            if owner.id != id && owner.history == History::Own {
                owner.history = History::Copied(id);
            }
            return LineClass::Known;
        }
        let git = meta.git.get();
        let forked = meta.forked_from_id.word().map(str::to_owned);
        self.meta_at = Some(place);
        self.meta = Some(Owner {
            id,
            kind: kind(meta),
            started_at: meta.timestamp.0,
            cwd: meta.cwd.word().map(PathBuf::from),
            branch: git.and_then(|git| git.branch.word()).map(str::to_owned),
            remote: git.and_then(|git| git.repository_url.word()).map(str::to_owned),
            marks: meta.cli_version.word().and_then(marks_turns),
            history: match (meta.history_base.0, forked) {
                (true, _) => History::Continued,
                (false, Some(parent)) => History::Copied(Some(parent)),
                (false, None) => History::Own,
            },
        });
        LineClass::Known
    }

    fn context(&mut self, context: &Payload<'_>) -> LineClass {
        if context.approval_policy.is_present() {
            let never = context.approval_policy.is("never");
            self.approval = if never { Approval::Never } else { Approval::MayAsk };
        }
        if let Some(cwd) = context.cwd.word() {
            self.cwd = Some(PathBuf::from(cwd));
        }
        if let (None, Some(turn)) = (&self.open, context.turn_id.word()) {
            self.turn = Some(key([turn]));
        }
        LineClass::Known
    }

    fn item(&mut self, item: &Payload<'_>, place: Place, at: Option<Timestamp>) -> LineClass {
        match item.kind.get() {
            Some("function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call") => {
                self.inferred = Inferred::Unclear;
                self.call(item, place, at);
            }
            Some("function_call_output" | "custom_tool_call_output" | "tool_search_output") => {
                self.inferred = Inferred::Unclear;
                self.returned(item, at);
            }
            Some("message") => match item.role.get() {
                Some("assistant") => self.inferred = Inferred::Answered(place, at),
                Some("user") if !injected(&item.content) => self.ask(at),
                _ => {}
            },
            Some(_) => {}
            None => return LineClass::Malformed,
        }
        LineClass::Known
    }

    fn call(&mut self, item: &Payload<'_>, place: Place, at: Option<Timestamp>) {
        let named = item.call_id.word().map(|id| key([id]));
        // These always have an id: one that can't be read is open until the turn's end, for no result closes it.
        let must = matches!(item.kind.get(), Some("function_call" | "custom_tool_call"));
        let lost = || must.then(|| key(["", &place.offset.to_string()]));
        let Some(id) = named.or_else(lost) else { return };
        let question = named.is_some() && item.name.is("request_user_input");
        let asked = words::asked(&item.arguments);
        let oldest = || item.action.get().and_then(|action| words::command(&action.command));
        let check = match asked.process {
            Some(process) if item.name.is("write_stdin") => self.running.get(&process).copied(),
            Some(_) | None => asked.check.or_else(oldest).map(|check| (id, check)),
        };
        if question {
            self.pace.ask(at);
        }
        if self.calls.len() < CALLS {
            self.calls.insert(id, Call { question, escalated: asked.escalated, check, place, at });
        }
    }

    fn returned(&mut self, item: &Payload<'_>, at: Option<Timestamp>) {
        let Some(call) = self.close(&item.call_id, at) else {
            // Whose it is can't be told: it may be the answer to a question.
            for call in self.calls.values_mut().filter(|call| call.question) {
                call.question = false;
                self.pace.answer(at);
            }
            return;
        };
        let Some((id, check)) = call.check else { return };
        match words::told(&item.output) {
            Told::Running(process) => {
                self.running.insert(process, (id, check));
                self.checks.note(id, check, Exit::Unknown, at, Source::Words);
                // It is told how it ended by a later call, or by its item.
                while self.running.len() > CALLS {
                    self.running.pop_first();
                }
            }
            Told::Ended(exit) => {
                self.running.retain(|_, (of, _)| *of != id);
                self.checks.note(id, check, exit, at, Source::Words);
            }
        }
    }

    fn event(&mut self, event: &Payload<'_>, place: Place, at: Option<Timestamp>) -> LineClass {
        let Some(kind) = event.kind.get() else { return LineClass::Malformed };
        match kind {
            "task_started" | "turn_started" => {
                self.markers = true;
                let told = event.turn_id.word();
                if told.is_some_and(|turn| self.is_finished(key([turn]))) {
                    self.late = Some(place);
                    return LineClass::Known;
                }
                if told.is_some() && self.open.as_ref().is_some_and(|open| open.id.as_deref() == told) {
                    // It is told twice.
                    return LineClass::Known;
                }
                self.calls.clear();
                self.failed = None;
                if let Some(OpenTurn { id: Some(id), .. }) = self.open.take() {
                    self.finish(key([id.as_str()]));
                    self.pace.end(at);
                }
                self.begin(told.map(|turn| key([turn])), at);
                self.open = Some(OpenTurn { id: told.map(str::to_owned), place, at });
            }
            "task_complete" | "turn_complete" => {
                self.markers = true;
                let silent = !event.last_agent_message.0;
                let class = error_class(&event.error).or(self.failed.filter(|_| silent));
                self.end(&event.turn_id, class.map_or(SessionState::Idle, state_of), place, at);
            }
            "turn_aborted" => {
                let state = match event.reason.get() {
                    Some("budget_limited") => SessionState::RateLimited,
                    Some("review_ended") => SessionState::Idle,
                    _ => SessionState::Interrupted,
                };
                self.end(&event.turn_id, state, place, at);
            }
            "thread_rolled_back" => {
                // However many turns went: what remains has ended.
                self.open = None;
                self.calls.clear();
                self.pace.end(at);
                self.ended =
                    Some(EndedTurn { id: None, state: SessionState::Idle, rolled_back: true, place, at });
            }
            "error" => match info_class(&event.codex_error_info) {
                ErrorClass::Harmless => {}
                class @ (ErrorClass::Limit | ErrorClass::Failed) => self.failed = Some(class),
            },
            "item_completed" => {
                if let Some(item) = event.item.get() {
                    self.completed(item, at);
                }
                if event.turn_id.word().is_some_and(|turn| self.is_finished(key([turn]))) {
                    self.late = Some(place);
                }
            }
            "exec_command_end" | "patch_apply_end" | "mcp_tool_call_end" => {
                let check = self.close(&event.call_id, at).and_then(|call| call.check);
                let code = event.exit_code.0.and_then(|code| code.try_into().ok());
                if let (Some((id, check)), Some(code)) = (check, code) {
                    self.checks.note(id, check, Exit::Code(code), at, Source::Field);
                }
            }
            "token_count" => {
                if let Some(limits) = event.rate_limits.get() {
                    limits::take(&mut self.limits, limits, at);
                }
                if let Some(info) = event.info.get() {
                    self.count(info.total_token_usage.get(), info.last_token_usage.get(), at);
                }
                if let Inferred::Answered(place, answered) = self.inferred {
                    self.inferred = Inferred::Counted(place, answered);
                    self.infer_end(answered.or(at));
                }
            }
            "user_message" => self.ask(at),
            _ => {}
        }
        LineClass::Known
    }

    /// A finished item: of a command it has the exit code.
    fn completed(&mut self, item: &Item<'_>, at: Option<Timestamp>) {
        let call = self.close(&item.id, at);
        if !item.kind.is("CommandExecution") {
            return;
        }
        let Some(id) = item.id.word().map(|id| key([id])) else { return };
        let told = call.and_then(|call| call.check).or_else(|| Some((id, words::command(&item.command)?)));
        let Some((id, check)) = told else { return };
        let exit = match (item.status.get(), item.exit_code.0.and_then(|code| code.try_into().ok())) {
            (Some("declined"), _) => Exit::Cancelled,
            (_, Some(code)) => Exit::Code(code),
            (Some("failed"), None) => Exit::Failed,
            (_, None) => Exit::Unknown,
        };
        self.running.retain(|_, (of, _)| *of != id);
        self.checks.note(id, check, exit, at, Source::Field);
    }

    /// Ends a turn, unless it had ended before.
    fn end(&mut self, turn: &Text<'_>, state: SessionState, place: Place, at: Option<Timestamp>) {
        let told = turn.word().map(|turn| key([turn]));
        if told.is_some_and(|turn| self.is_finished(turn)) {
            self.late = Some(place);
            return;
        }
        let open = self.open.take().and_then(|open| open.id);
        let id = turn.word().map(str::to_owned).or(open);
        if let Some(id) = &id {
            self.finish(key([id.as_str()]));
        }
        self.calls.clear();
        self.failed = None;
        self.inferred = Inferred::Unclear;
        self.spend_turn(told, at);
        self.ended = Some(EndedTurn { id, state, rolled_back: false, place, at });
    }

    /// Closes a call; says which it was.
    fn close(&mut self, call: &Text<'_>, at: Option<Timestamp>) -> Option<Call> {
        let call = self.calls.remove(&key([call.word()?]))?;
        if call.question && !self.calls.values().any(|call| call.question) {
            self.pace.answer(at);
        }
        Some(call)
    }

    /// The user asks. Without markers that is all that tells that an aborted turn is over and done with.
    fn ask(&mut self, at: Option<Timestamp>) {
        self.asked = true;
        if !self.marks() {
            let answered = match self.inferred {
                Inferred::Answered(_, at) | Inferred::Counted(_, at) => Some(at),
                Inferred::Unclear => None,
            };
            if answered.is_some() || self.begun == 0 || self.ended.is_some() {
                self.pace.end(answered.flatten());
                self.begin(None, at);
            }
            self.ended = None;
            self.calls.clear();
        }
        self.inferred = Inferred::Unclear;
    }
}

fn state_of(class: ErrorClass) -> SessionState {
    match class {
        ErrorClass::Limit => SessionState::RateLimited,
        ErrorClass::Failed => SessionState::Errored,
        ErrorClass::Harmless => SessionState::Idle,
    }
}
