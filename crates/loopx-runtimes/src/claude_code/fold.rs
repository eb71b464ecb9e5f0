//! Claude Code's transcript, folded in file order: how the last turn stands, which calls wait.

use std::path::PathBuf;

use loopx_contract::SessionState;

use super::records::{
    Block, Launched, Line, Message, UserRecord, asked_by, blocks, compacted_by_hand, is_limit, is_silent,
    opening, user_record,
};
use super::transcript::{Asking, Call, Closed, Stand, Step, Transcript};
use crate::evidence::Weight;
use crate::reader::field::{Raw, instant, integer, is_true, nested, object, text, word};
use crate::reader::{Fold, LineClass, Place};

impl Fold for Transcript {
    fn line(&mut self, place: Place, line: &str) -> LineClass {
        let Some(line) = object::<Line<'_>>(line) else { return LineClass::Malformed };
        let Some(kind) = text(line.kind) else { return LineClass::Malformed };
        match kind.as_ref() {
            "user" | "assistant" | "system" | "attachment" | "progress" => {
                let Some(session) = word(line.session_id) else {
                    self.foreign += 1;
                    return LineClass::UnknownType;
                };
                if is_true(line.is_sidechain) || line.agent_id.is_some() {
                    self.subagent(&line, kind.as_ref());
                    self.session_id.get_or_insert(session);
                    return LineClass::Known;
                }
                self.session_id = Some(session);
                self.see(&line);
                self.chain += u64::from(kind != "attachment" && kind != "progress");
            }
            "permission-mode" => self.permission(line.permission_mode),
            "queue-operation" => {
                match text(line.operation).as_deref() {
                    Some("enqueue") => self.queued = self.queued.saturating_add(1),
                    Some("popAll") => self.queued = 0,
                    _ => self.queued = self.queued.saturating_sub(1),
                }
                self.last_activity = self.last_activity.max(instant(line.timestamp));
            }
            kind if is_silent(kind) => {
                self.last_activity = self.last_activity.max(instant(line.timestamp));
            }
            _ => return LineClass::UnknownType,
        }
        let step = Step { place, at: instant(line.timestamp), unended: false };
        match kind.as_ref() {
            "user" => self.user(&line, step),
            "assistant" => self.assistant(&line, step),
            "system" => self.system(&line, step),
            _ => {}
        }
        LineClass::Known
    }

    fn decided(&self) -> bool {
        match &self.stand {
            Stand::Nothing => false,
            Stand::Open(_) => self.began.is_some(),
            // What goes on in the background is told at the turn's end, else it has to be seen starting.
            Stand::Closed(closed) => closed.weight == Weight::Decisive || self.began.is_some(),
            Stand::Unclear(_, before) => before.is_some(),
        }
    }
}

impl Transcript {
    fn see(&mut self, line: &Line<'_>) {
        let at = instant(line.timestamp);
        self.last_activity = self.last_activity.max(at);
        self.first_activity = self.first_activity.or(at);
        self.newest = word(line.uuid).or(self.newest.take());
        self.cwd = word(line.cwd).map(PathBuf::from).or(self.cwd.take());
        self.branch = word(line.git_branch).or(self.branch.take());
    }

    fn subagent(&mut self, line: &Line<'_>, kind: &str) {
        self.sidechain += 1;
        if self.sidechain == 1 && kind == "user" {
            let message = nested::<Message<'_>>(line.message).unwrap_or_default();
            self.warmup =
                opening(message.content, &blocks(message.content)).is_some_and(|text| text == "Warmup");
        }
    }

    fn permission(&mut self, mode: Raw<'_>) {
        if let Some(mode) = text(mode) {
            let never = matches!(mode.as_ref(), "bypassPermissions" | "dontAsk");
            self.asking = if never { Asking::Never } else { Asking::May };
        }
    }

    fn user(&mut self, line: &Line<'_>, step: Step) {
        self.permission(line.permission_mode);
        let message = nested::<Message<'_>>(line.message).unwrap_or_default();
        let blocks = blocks(message.content);
        self.marked |= asked_by(line).is_some();
        match user_record(line, message.content, &blocks, self.marked) {
            UserRecord::Returns => self.returned(line, &blocks, step),
            UserRecord::Asks => {
                let notified = asked_by(line).is_some_and(|who| who == "task-notification")
                    || opening(message.content, &blocks)
                        .is_some_and(|text| text.starts_with("<task-notification>"));
                if notified && !self.launched.is_empty() {
                    self.launched.remove(0);
                }
                if notified {
                    self.pending = (self.pending - 1).max(0);
                }
                self.calls.clear();
                self.began = Some(step.place);
                self.stand = Stand::Open(step);
            }
            UserRecord::Interrupts => self.close(SessionState::Interrupted, Weight::Decisive, step),
            UserRecord::Commands => {
                self.stand = match std::mem::take(&mut self.stand) {
                    Stand::Nothing => Stand::Unclear(step, None),
                    Stand::Closed(closed) => Stand::Unclear(step, Some(closed)),
                    Stand::Unclear(_, before) => Stand::Unclear(step, before),
                    open @ Stand::Open(_) => open,
                };
            }
            UserRecord::Printed => self.printed(),
            UserRecord::Aside => {}
        }
    }

    /// A local command is over: things stand as before it.
    fn printed(&mut self) {
        if let Stand::Unclear(step, before) = &self.stand {
            let Step { place, at, .. } = *step;
            let fresh = Closed { state: SessionState::Idle, weight: Weight::Open, place, at };
            self.stand = Stand::Closed(before.clone().unwrap_or(fresh));
        }
    }

    fn returned(&mut self, line: &Line<'_>, blocks: &[Block<'_>], step: Step) {
        let mut late = matches!(self.stand, Stand::Closed(_));
        for id in blocks.iter().filter_map(|block| text(block.tool_use_id)) {
            late &= self.calls.remove(id.as_ref()).is_none();
        }
        if late {
            // What a stopped tool still gave opens no turn.
            return;
        }
        if let Some(agent) = nested::<Launched<'_>>(line.tool_use_result)
            .filter(|result| is_true(result.is_async))
            .and_then(|result| word(result.agent_id))
        {
            self.launched.push(agent);
        }
        self.stand = Stand::Open(step);
    }

    fn assistant(&mut self, line: &Line<'_>, step: Step) {
        let message = nested::<Message<'_>>(line.message).unwrap_or_default();
        let blocks = blocks(message.content);
        if is_true(line.is_api_error_message) {
            let words = opening(message.content, &blocks).unwrap_or_default();
            let limit = is_limit(line, &words);
            if limit {
                self.limited_at = step.at;
            }
            let state = if limit { SessionState::RateLimited } else { SessionState::Errored };
            self.outcome = word(line.uuid);
            self.close(state, Weight::Decisive, step);
            return;
        }
        let group = word(message.id);
        if group != self.group {
            // A new response means that the calls of the one before have their results.
            self.calls.clear();
            self.group.clone_from(&group);
        }
        let mut called = false;
        for block in blocks.iter().filter(|block| text(block.kind).is_some_and(|kind| kind == "tool_use")) {
            called = true;
            if let Some(id) = word(block.id) {
                let question =
                    text(block.name).is_some_and(|name| matches!(&*name, "AskUserQuestion" | "ExitPlanMode"));
                self.calls.insert(id, Call { question, place: step.place, at: step.at });
            }
        }
        let reason = text(message.stop_reason);
        let ends = matches!(reason.as_deref(), Some("end_turn" | "stop_sequence" | "max_tokens" | "refusal"));
        if ends && !called && self.calls.is_empty() {
            self.outcome = group.or_else(|| word(line.uuid));
            self.pending = 0;
            self.close(SessionState::Idle, Weight::Open, step);
        } else {
            self.stand = Stand::Open(Step { unended: reason.is_none() && !called, ..step });
        }
    }

    fn system(&mut self, line: &Line<'_>, step: Step) {
        match text(line.subtype).as_deref() {
            Some("turn_duration") => {
                self.over(step, Weight::Decisive);
                self.pending = integer(line.pending_background_agent_count).unwrap_or(0);
            }
            Some("stop_hook_summary") => {
                // A hook that objects sends the model on.
                let quiet = line.hook_errors.is_none_or(|errors| errors.get() == "[]");
                self.over(step, if quiet { Weight::Decisive } else { Weight::Open });
            }
            Some("compact_boundary") if compacted_by_hand(line) => {
                self.close(SessionState::Idle, Weight::Decisive, step);
            }
            Some("local_command") => self.printed(),
            _ => {}
        }
    }

    /// The turn's end is marked: a response without a reason to end has ended too.
    fn over(&mut self, step: Step, with: Weight) {
        match &mut self.stand {
            Stand::Closed(closed) if with == Weight::Decisive => closed.weight = Weight::Decisive,
            Stand::Open(Step { unended: true, .. }) if self.calls.is_empty() => {
                self.close(SessionState::Idle, with, step);
            }
            Stand::Nothing | Stand::Open(_) | Stand::Closed(_) | Stand::Unclear(..) => {}
        }
    }

    fn close(&mut self, state: SessionState, weight: Weight, step: Step) {
        self.calls.clear();
        self.stand = Stand::Closed(Closed { state, weight, place: step.place, at: step.at });
    }
}
