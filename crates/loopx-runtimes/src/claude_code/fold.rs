//! Claude Code's transcript, folded in file order: how the last turn stands, which calls wait.

use std::path::PathBuf;

use loopx_contract::SessionState;

use super::records::{
    Block, Line, Message, UserRecord, asked_by, compacted_by_hand, is_error, is_limit, is_silent, resets_at,
    user_record,
};
use super::transcript::{Asking, Behind, Call, Closed, Stand, Step, Transcript};
use super::words::how_ended;
use crate::check;
use crate::evidence::Weight;
use crate::latest::Source;
use crate::reader::field::{Content, Text};
use crate::reader::{Fold, LineClass, Place, skim};
use crate::usage::key;

/// How many calls without a result are held. No runtime has that many open.
const CALLS: usize = 1024;

impl Fold for Transcript {
    fn line(&mut self, place: Place, bytes: &[u8]) -> LineClass {
        let Ok(line) = skim::object::<Line<'_>>(bytes) else { return LineClass::Malformed };
        let Some(kind) = line.kind.get() else { return LineClass::Malformed };
        let at = line.timestamp.0;
        match kind {
            "user" | "assistant" | "system" | "attachment" | "progress" => {
                let Some(session) = line.session_id.word() else {
                    self.foreign += 1;
                    return LineClass::UnknownType;
                };
                if line.is_sidechain.0 || line.agent_id.is_present() {
                    self.subagent(&line, kind);
                    self.session_id.get_or_insert_with(|| session.to_owned());
                    return LineClass::Known;
                }
                let speaks = kind == "user" || kind == "assistant";
                if speaks && !line.message.get().is_some_and(Message::is_readable) {
                    return LineClass::Malformed;
                }
                set(&mut self.session_id, session);
                self.see(&line);
                self.chain += u64::from(kind != "attachment" && kind != "progress");
            }
            "permission-mode" => self.permission(&line.permission_mode),
            "queue-operation" => {
                match line.operation.get() {
                    Some("enqueue") => self.queued = self.queued.saturating_add(1),
                    Some("popAll") => self.queued = 0,
                    _ => self.queued = self.queued.saturating_sub(1),
                }
                self.last_activity = self.last_activity.max(at);
            }
            kind if is_silent(kind) => self.last_activity = self.last_activity.max(at),
            _ => return LineClass::UnknownType,
        }
        // It is no older than the one before it.
        let step = Step { place, at: at.or_else(|| self.stand.at()), unended: false };
        match kind {
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
            // What goes on in the background is told with the turn's duration, else it has to be seen starting.
            Stand::Closed(closed) => {
                closed.state != SessionState::Idle || self.behind == Behind::Told || self.began.is_some()
            }
            Stand::Unclear(_, before) => before.is_some(),
        }
    }
}

impl Transcript {
    fn see(&mut self, line: &Line<'_>) {
        let at = line.timestamp.0;
        self.last_activity = self.last_activity.max(at);
        self.first_activity = self.first_activity.or(at);
        if let Some(uuid) = line.uuid.word() {
            set(&mut self.newest, uuid);
        }
        if let Some(cwd) = line.cwd.word().filter(|cwd| self.cwd.as_deref().is_none_or(|held| held != *cwd)) {
            self.cwd = Some(PathBuf::from(cwd));
        }
        if let Some(branch) = line.git_branch.word() {
            set(&mut self.branch, branch);
        }
    }

    fn subagent(&mut self, line: &Line<'_>, kind: &str) {
        self.sidechain += 1;
        self.spend(line);
        if self.sidechain == 1 && kind == "user" {
            self.warmup = line.message.get().is_some_and(|message| message.beginning() == "Warmup");
        }
    }

    fn permission(&mut self, mode: &Text<'_>) {
        if let Some(mode) = mode.get() {
            let never = matches!(mode, "bypassPermissions" | "dontAsk");
            self.asking = if never { Asking::Never } else { Asking::May };
        }
    }

    fn user(&mut self, line: &Line<'_>, step: Step) {
        self.permission(&line.permission_mode);
        let none = Message::default();
        let message = line.message.get().unwrap_or(&none);
        self.marked |= asked_by(line).is_some();
        match user_record(line, message, self.marked) {
            UserRecord::Returns => self.returned(line, message, step),
            UserRecord::Asks => {
                let notified = asked_by(line).is_some_and(|who| who == "task-notification")
                    || message.beginning().starts_with("<task-notification>");
                if notified && !self.launched.is_empty() {
                    self.launched.remove(0);
                }
                if notified {
                    self.pending = self.pending.saturating_sub(1);
                }
                if matches!(line.prompt_source.get(), Some("typed" | "sdk")) {
                    // It didn't have to wait: nothing was queued before it.
                    self.queued = 0;
                }
                self.calls.clear();
                self.began = Some(step.place);
                self.behind = Behind::Untold;
                self.begin_turn(step.at);
                self.stand = Stand::Open(step);
            }
            UserRecord::Interrupts => self.close(SessionState::Interrupted, Weight::Decisive, step, line),
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

    fn returned(&mut self, line: &Line<'_>, message: &Message<'_>, step: Step) {
        let (mut known, mut strange) = (false, false);
        let is_result = |block: &&Block<'_>| block.kind.is("tool_result") || block.tool_use_id.is_present();
        for block in message.blocks().filter(is_result) {
            let id = block.tool_use_id.get().map(|id| key([id]));
            let Some((id, call)) = id.and_then(|id| self.calls.remove(&id).map(|call| (id, call))) else {
                strange = true;
                continue;
            };
            known = true;
            if call.question && !self.calls.values().any(|call| call.question) {
                self.pace.answer(step.at);
            }
            if let Some(check) = call.check {
                let exit = how_ended(block, line.tool_use_result.get());
                self.checks.note(id, check, exit, step.at, Source::Field);
            }
        }
        let late = !known && matches!(self.stand, Stand::Closed(_));
        if strange && !late {
            // Whose it is can't be told: it may be the answer to a question.
            for call in self.calls.values_mut().filter(|call| call.question) {
                call.question = false;
                self.pace.answer(step.at);
            }
        }
        if late {
            // What a stopped tool still gave opens no turn.
            return;
        }
        if let Some(agent) = line
            .tool_use_result
            .get()
            .filter(|result| result.is_async.0)
            .and_then(|result| result.agent_id.word())
            && self.launched.iter().all(|held| held != agent)
        {
            self.launched.push(agent.to_owned());
        }
        self.stand = Stand::Open(step);
    }

    fn assistant(&mut self, line: &Line<'_>, step: Step) {
        let none = Message::default();
        let message = line.message.get().unwrap_or(&none);
        if is_error(line) {
            let words = message.beginning();
            let limit = is_limit(line, &words);
            if limit {
                self.limited_at = step.at;
                self.resets_at = resets_at(&words);
            }
            let state = if limit { SessionState::RateLimited } else { SessionState::Errored };
            self.outcome = line.uuid.word().map(str::to_owned);
            self.close(state, Weight::Decisive, step, line);
            return;
        }
        let group = message.id.word();
        let mut torn = false;
        if group.is_some() && group != self.group.as_deref() {
            // A new response means that the calls of the one before have their results. Right behind a call it may be the
            // same one, its id damaged.
            let calls = |last: &Step| self.calls.values().any(|call| call.place == last.place);
            torn = matches!(&self.stand, Stand::Open(last) if calls(last));
            self.calls.clear();
            self.group = group.map(str::to_owned);
        }
        self.spend(line);
        let mut called = false;
        for block in message.blocks().filter(|block| block.kind.is("tool_use")) {
            called = true;
            // One whose id can't be read is open until the next response.
            let id =
                block.id.word().map_or_else(|| key(["", &step.place.offset.to_string()]), |id| key([id]));
            let question = !torn && matches!(block.name.get(), Some("AskUserQuestion" | "ExitPlanMode"));
            if question {
                self.pace.ask(step.at);
            }
            let command = block.input.get().filter(|_| block.name.is("Bash"));
            let command = command.and_then(|input| input.command.body());
            let check = command.and_then(check::of_line);
            if self.calls.len() < CALLS {
                self.calls.insert(id, Call { question, check, place: step.place, at: step.at });
            }
        }
        let reason = message.stop_reason.get();
        let ends = matches!(reason, Some("end_turn" | "stop_sequence" | "max_tokens" | "refusal"));
        if ends && !called && self.calls.is_empty() {
            self.outcome = group.or(line.uuid.word()).map(str::to_owned);
            self.pending = 0;
            self.close(SessionState::Idle, Weight::Open, step, line);
        } else {
            self.stand = Stand::Open(Step { unended: reason.is_none() && !called, ..step });
        }
    }

    fn system(&mut self, line: &Line<'_>, step: Step) {
        match line.subtype.get() {
            Some("turn_duration") => {
                self.over(step, Weight::Decisive, line);
                self.pending = line.pending_background_agent_count.count().unwrap_or(0);
                self.behind = Behind::Told;
            }
            Some("stop_hook_summary") => {
                // A hook that objects sends the model on.
                let quiet = match &line.hook_errors {
                    Content::Nothing => true,
                    Content::Text(_) => false,
                    Content::List(errors) => errors.is_empty(),
                };
                self.over(step, if quiet { Weight::Decisive } else { Weight::Open }, line);
            }
            Some("compact_boundary") if compacted_by_hand(line) => {
                self.close(SessionState::Idle, Weight::Decisive, step, line);
            }
            Some("local_command") => self.printed(),
            _ => {}
        }
    }

    /// The turn's end is marked: a response without a reason to end has ended too.
    fn over(&mut self, step: Step, with: Weight, line: &Line<'_>) {
        match &mut self.stand {
            Stand::Closed(closed) if with == Weight::Decisive => closed.weight = Weight::Decisive,
            Stand::Open(Step { unended: true, .. }) if self.calls.is_empty() => {
                self.close(SessionState::Idle, with, step, line);
            }
            Stand::Nothing | Stand::Open(_) | Stand::Closed(_) | Stand::Unclear(..) => {}
        }
    }

    fn close(&mut self, state: SessionState, weight: Weight, step: Step, line: &Line<'_>) {
        self.calls.clear();
        self.end_turn(line);
        self.stand = Stand::Closed(Closed { state, weight, place: step.place, at: step.at });
    }
}

/// Sets a word, without making it anew where it stays.
fn set(held: &mut Option<String>, word: &str) {
    if held.as_deref() != Some(word) {
        *held = Some(word.to_owned());
    }
}
