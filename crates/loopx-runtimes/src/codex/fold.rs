//! Codex's rollout, folded: which turn is open, how the last one ended, which calls wait.
//!
//! The vendor's own rule (`turn_lifecycle.rs`); files up to 0.98 have no turn markers, and there it is inferred.

use std::path::PathBuf;

use jiff::Timestamp;
use loopx_contract::SessionState;

use super::limits;
use super::records::{Body, ErrorClass, Git, Item, Line, Meta, error_class, info_class, kind};
use super::rollout::{Approval, Call, EndedTurn, Inferred, OpenTurn, Owner, Rollout};
use super::words::{escalates, injected, marks_turns};
use crate::reader::field::{Raw, instant, nested, object, text, word};
use crate::reader::{Fold, LineClass, Place};

impl Fold for Rollout {
    fn line(&mut self, place: Place, line: &str) -> LineClass {
        let Some(line) = object::<Line<'_>>(line) else { return LineClass::Malformed };
        let at = instant(line.timestamp);
        let Some(kind) = text(line.kind) else {
            return self.bare(&line, place);
        };
        let class = match kind.as_ref() {
            "session_meta" => self.owner(line.payload, place),
            "turn_context" => self.context(line.payload),
            "response_item" => self.item(line.payload, place, at),
            "event_msg" => self.event(line.payload, place, at),
            "compacted"
            | "world_state"
            | "token_usage_record"
            | "inter_agent_communication"
            | "inter_agent_communication_metadata" => LineClass::Known,
            // Before 0.32 items stood bare.
            "message" | "reasoning" | "function_call" | "function_call_output" if self.meta.is_none() => {
                self.records += 1;
                return LineClass::Known;
            }
            kind => {
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
        let first = line.id.is_some() && line.timestamp.is_some() && place.offset == 0;
        if first || text(line.record_type).is_some_and(|kind| kind == "state") {
            self.records += 1;
            return LineClass::Known;
        }
        LineClass::Malformed
    }

    fn owner(&mut self, payload: Raw<'_>, place: Place) -> LineClass {
        let Some(meta) = nested::<Meta<'_>>(payload) else { return LineClass::Malformed };
        if self.meta.is_some() {
            return LineClass::Known;
        }
        let git = nested::<Git<'_>>(meta.git).unwrap_or_default();
        self.meta_at = Some(place);
        self.meta = Some(Owner {
            id: word(meta.id),
            kind: kind(&meta),
            started_at: instant(meta.timestamp),
            cwd: word(meta.cwd).map(PathBuf::from),
            words: [word(git.branch), word(git.repository_url)].into_iter().flatten().collect(),
            marks: word(meta.cli_version).and_then(|version| marks_turns(&version)),
        });
        LineClass::Known
    }

    fn context(&mut self, payload: Raw<'_>) -> LineClass {
        let Some(body) = nested::<Body<'_>>(payload) else { return LineClass::Malformed };
        if body.approval_policy.is_some() {
            let never = text(body.approval_policy).is_some_and(|policy| policy == "never");
            self.approval = if never { Approval::Never } else { Approval::MayAsk };
        }
        self.cwd = word(body.cwd).map(PathBuf::from).or(self.cwd.take());
        LineClass::Known
    }

    fn item(&mut self, payload: Raw<'_>, place: Place, at: Option<Timestamp>) -> LineClass {
        let Some(body) = nested::<Body<'_>>(payload) else { return LineClass::Malformed };
        match text(body.kind).as_deref() {
            Some("function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call") => {
                self.inferred = Inferred::Unclear;
                if let Some(id) = word(body.call_id) {
                    let arguments = text(body.arguments);
                    self.calls.insert(
                        id,
                        Call {
                            question: text(body.name).is_some_and(|name| name == "request_user_input"),
                            escalated: arguments.is_some_and(|arguments| escalates(&arguments)),
                            place,
                            at,
                        },
                    );
                }
            }
            Some("function_call_output" | "custom_tool_call_output" | "tool_search_output") => {
                self.inferred = Inferred::Unclear;
                self.close(body.call_id);
            }
            Some("message") => match text(body.role).as_deref() {
                Some("assistant") => self.inferred = Inferred::Answered(place, at),
                Some("user") if !injected(body.content) => {
                    self.asked = true;
                    self.inferred = Inferred::Unclear;
                    self.ended_by_question();
                }
                _ => {}
            },
            Some(_) => {}
            None => return LineClass::Malformed,
        }
        LineClass::Known
    }

    fn event(&mut self, payload: Raw<'_>, place: Place, at: Option<Timestamp>) -> LineClass {
        let Some(body) = nested::<Body<'_>>(payload) else { return LineClass::Malformed };
        let Some(kind) = text(body.kind) else { return LineClass::Malformed };
        match kind.as_ref() {
            "task_started" | "turn_started" => {
                self.markers = true;
                self.calls.clear();
                self.failed = None;
                if let Some(OpenTurn { id: Some(id), .. }) = self.open.take() {
                    self.finished.insert(id);
                }
                self.open = Some(OpenTurn { id: word(body.turn_id), place, at });
            }
            "task_complete" | "turn_complete" => {
                self.markers = true;
                let silent = body.last_agent_message.is_none();
                let class = error_class(body.error).or(self.failed.filter(|_| silent));
                self.end(body.turn_id, class.map_or(SessionState::Idle, state_of), place, at);
            }
            "turn_aborted" => {
                let state = match text(body.reason).as_deref() {
                    Some("budget_limited") => SessionState::RateLimited,
                    Some("review_ended") => SessionState::Idle,
                    _ => SessionState::Interrupted,
                };
                self.end(body.turn_id, state, place, at);
            }
            "thread_rolled_back" => {
                // However many turns went: what remains has ended.
                self.open = None;
                self.calls.clear();
                self.ended =
                    Some(EndedTurn { id: None, state: SessionState::Idle, rolled_back: true, place, at });
            }
            "error" => match info_class(body.codex_error_info) {
                ErrorClass::Harmless => {}
                class @ (ErrorClass::Limit | ErrorClass::Failed) => self.failed = Some(class),
            },
            "item_completed" => {
                self.close(nested::<Item<'_>>(body.item).and_then(|item| item.id));
                if self.is_finished(body.turn_id) {
                    self.late = Some(place);
                }
            }
            "exec_command_end" | "patch_apply_end" | "mcp_tool_call_end" => self.close(body.call_id),
            "token_count" => {
                limits::take(&mut self.limits, body.rate_limits, at);
                if let Inferred::Answered(place, at) = self.inferred {
                    self.inferred = Inferred::Counted(place, at);
                }
            }
            "user_message" => {
                self.asked = true;
                self.inferred = Inferred::Unclear;
                self.ended_by_question();
            }
            _ => {}
        }
        LineClass::Known
    }

    /// Ends a turn, unless it had ended before.
    fn end(&mut self, turn: Raw<'_>, state: SessionState, place: Place, at: Option<Timestamp>) {
        if self.is_finished(turn) {
            self.late = Some(place);
            return;
        }
        let open = self.open.take().and_then(|open| open.id);
        let id = word(turn).or(open);
        if let Some(id) = &id {
            self.finished.insert(id.clone());
        }
        self.calls.clear();
        self.failed = None;
        self.inferred = Inferred::Unclear;
        self.ended = Some(EndedTurn { id, state, rolled_back: false, place, at });
    }

    /// Without markers a new question is all that tells that an aborted turn is over and done with.
    fn ended_by_question(&mut self) {
        if !self.marks() {
            self.ended = None;
            self.calls.clear();
        }
    }

    fn is_finished(&self, turn: Raw<'_>) -> bool {
        text(turn).is_some_and(|id| self.finished.contains(id.as_ref()))
    }

    fn close(&mut self, call: Raw<'_>) {
        if let Some(id) = text(call) {
            self.calls.remove(id.as_ref());
        }
    }
}

fn state_of(class: ErrorClass) -> SessionState {
    match class {
        ErrorClass::Limit => SessionState::RateLimited,
        ErrorClass::Failed => SessionState::Errored,
        ErrorClass::Harmless => SessionState::Idle,
    }
}
