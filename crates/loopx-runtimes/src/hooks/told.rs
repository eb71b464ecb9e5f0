//! What all events of one session say together. They are a set: neither their order nor how often each was told counts.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{EvidenceTier, SessionState};

use super::event::{HookEvent, Pid, Prompts, Tool, What};
use crate::Runtime;
use crate::evidence::{AHEAD, Live, Says, WaitingFor, Whose};
use crate::usage::key;

/// How long after another one a call begins at most that was called together with it.
const TOGETHER: SignedDuration = SignedDuration::from_secs(2);

/// How long it is believed that Claude Code sums a conversation up. No hook and no record tells that Esc stopped it.
const SUMS_UP: SignedDuration = SignedDuration::from_mins(1);

/// What was told of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What follows from it.
    pub live: Live,
    /// The runtime's process, as last told.
    pub process: Option<Pid>,
    /// What is asked, where something is.
    pub ask: Option<Asked>,
}

/// An ask that nothing has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What told of it.
    pub event: HookEvent,
    /// The tick at which was asked.
    pub tick: Option<u64>,
    /// What kind of tool it is about, as far as that is told.
    pub tool: Option<Tool>,
    /// Whose else a command of the process may be than the call's that is asked about.
    pub others: Others,
}

/// The calls that were open at any time since something was asked, beside the one that is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// There are none.
    None,
    /// The ask may be about any of them.
    Meant,
    /// The ask is not about all of them.
    Beside,
}

/// Reads the events together. `knows` tells of a turn whether the session's file has it.
pub fn told(events: &BTreeSet<HookEvent>, now: Timestamp, knows: impl Fn(&str) -> bool) -> Option<Told> {
    // What lies far ahead was written under another clock.
    let latest = now.checked_add(AHEAD).unwrap_or(now);
    let (permitted, events): (Vec<&HookEvent>, Vec<&HookEvent>) =
        events.iter().filter(|event| event.at <= latest).partition(|event| event.what == What::Permitted);
    let process = events.iter().rev().find_map(|event| event.around.process);
    let session = Session { events };
    let boundary = session.boundary(knows);
    let from = boundary.map(|boundary| boundary.at);
    let agents_from = boundary.and_then(|boundary| session.agents_from(boundary));
    let counts = |event: &&HookEvent| {
        let from = if event.subagent.is_some() { agents_from } else { from };
        from.is_none_or(|from| event.at >= from)
    };
    let since: Vec<&HookEvent> = session.events.iter().copied().filter(counts).collect();
    let began = boundary.and_then(|boundary| session.began(boundary));
    let goes_on = boundary.is_some_and(|boundary| session.goes_on(boundary));
    let open = Open { events: since, permitted, boundary, began, now };
    let told = |live| Told { live, process, ask: None };
    match open.ask() {
        Some((ask, Answer::Open)) if open.tells_nothing(ask) => {
            Some(told(open.live(Says::CallBegan, ask.at, ask.at, None)))
        }
        Some((ask, Answer::Open)) => {
            let waiting = if asks_permission(ask) { WaitingFor::Permission } else { WaitingFor::Answer };
            let live = open.live(Says::Asks(waiting), ask.at, ask.at, open.about(ask));
            // The session's file tells of turns that an agent in the background takes no part in.
            let whose = if goes_on && ask.subagent.is_some() { Whose::Background } else { Whose::Own };
            let live = Live { whose, ..live };
            // Another process may have the session open too.
            let process = ask.around.process.or(process);
            let (tick, tool, others) = (open.asked(ask), open.tool(ask), open.others(ask));
            let asked = Asked { event: ask.clone(), tick, tool, others };
            Some(Told { live, process, ask: Some(asked) })
        }
        Some((ask, Answer::Maybe | Answer::Given)) => {
            Some(told(open.live(Says::CallBegan, ask.at, ask.at, None)))
        }
        None => open.turn().map(told),
    }
}

fn asks_permission(ask: &HookEvent) -> bool {
    matches!(ask.what, What::AsksPermission | What::SaysPermission)
}

/// Whether an ask was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    /// It was not.
    Open,
    /// A call came to an end, and which one was asked about is not told.
    Maybe,
    /// It was.
    Given,
}

/// All events of a session.
struct Session<'a> {
    events: Vec<&'a HookEvent>,
}

impl<'a> Session<'a> {
    /// The newest event that says how the turn stands.
    fn boundary(&self, knows: impl Fn(&str) -> bool) -> Option<&'a HookEvent> {
        let counts = |event: &HookEvent| {
            if event.what == What::NoticedEnd {
                event.turn.as_deref().is_some_and(&knows)
            } else {
                event.what.is_boundary()
                    && !self.is_of_an_older_turn(event)
                    && !self.is_of_another_process(event)
            }
        };
        self.events.iter().rev().find(|event| counts(event)).copied()
    }

    /// From when on subagents count: those that go on behind the end of a turn have begun before it, and go on behind
    /// the next turn too.
    fn agents_from(&self, boundary: &HookEvent) -> Option<Timestamp> {
        if self.goes_on(boundary) { self.agents_from(self.before(boundary)?) } else { Some(boundary.at) }
    }

    /// Whether subagents may go on from before a boundary.
    fn goes_on(&self, boundary: &HookEvent) -> bool {
        let before =
            || self.before(boundary).is_some_and(|before| before.what == What::TurnEndedInBackground);
        boundary.what == What::TurnEndedInBackground
            || matches!(boundary.what, What::Prompted | What::Compacts) && before()
    }

    /// The boundary before one.
    fn before(&self, boundary: &HookEvent) -> Option<&'a HookEvent> {
        let before = |event: &&&HookEvent| event.at < boundary.at && event.what.is_boundary();
        self.events.iter().rev().find(before).copied()
    }

    /// When the turn began that a boundary begins or ends.
    fn began(&self, boundary: &HookEvent) -> Option<Timestamp> {
        let before = self.events.iter().filter(|event| event.at <= boundary.at);
        before.rev().find(|event| event.what == What::Prompted).map(|event| event.at)
    }

    /// Whether it is the end of a process that had the session open beside the one that told the newest of it.
    fn is_of_another_process(&self, event: &HookEvent) -> bool {
        let Some(process) = event.around.process.filter(|_| event.what == What::Ended) else { return false };
        let before = self.events.iter().filter(|other| other.at <= event.at && other.what != What::Ended);
        let newest = before.rev().find_map(|other| other.around.process);
        newest.is_some_and(|newest| newest != process)
    }

    /// Whether it is the late end of a turn after which another one began.
    fn is_of_an_older_turn(&self, event: &HookEvent) -> bool {
        let Some(turn) = event.turn.as_deref().filter(|_| Says::of_end(event.what).is_some()) else {
            return false;
        };
        let before = || self.events.iter().filter(|other| other.at <= event.at);
        let newest = before().rev().find(|other| other.what == What::Prompted && other.turn.is_some());
        newest.is_some_and(|prompted| {
            prompted.turn.as_deref() != Some(turn)
                && before().any(|other| other.turn.as_deref() == Some(turn) && other.at <= prompted.at)
        })
    }
}

/// What was told since the newest boundary, itself included.
struct Open<'a> {
    events: Vec<&'a HookEvent>,
    /// The notes of what was permitted.
    permitted: Vec<&'a HookEvent>,
    boundary: Option<&'a HookEvent>,
    /// When the turn began.
    began: Option<Timestamp>,
    now: Timestamp,
}

impl<'a> Open<'a> {
    fn own(&self) -> impl DoubleEndedIterator<Item = &'a HookEvent> {
        self.events.iter().copied().filter(|event| event.subagent.is_none())
    }

    /// The oldest ask that nothing has answered; one that something may have answered, or that nothing would tell the
    /// answer of, only where there is no other.
    fn ask(&self) -> Option<(&'a HookEvent, Answer)> {
        // What is told late asks something only while a call is open.
        let asks = self.events.iter().copied().filter(|event| is_ask(event));
        let asks = asks.filter(|event| !is_late(event) || self.call_of(event).is_some());
        let asks = asks.filter(|event| !self.is_of_the_ended_turn(event));
        let open = asks.map(|ask| (ask, self.answer(ask))).filter(|(_, answer)| *answer != Answer::Given);
        open.min_by_key(|(ask, answer)| (*answer, self.tells_nothing(ask), ask.at))
    }

    /// Whether nothing tells of an ask that it was permitted: neither hook nor process.
    fn tells_nothing(&self, ask: &HookEvent) -> bool {
        self.tool(ask) == Some(Tool::Other) && asks_permission(ask)
    }

    fn answer(&self, ask: &HookEvent) -> Answer {
        let about = self.call_of(ask).and_then(|call| call.call.as_deref());
        let rivals = self.rivals(ask);
        if about.is_none() && self.has_just_ended(ask) {
            return Answer::Given;
        }
        if !rivals.is_empty() && rivals.iter().all(|call| self.has_ended_since(ask, call)) {
            // Whichever of them was meant.
            return Answer::Given;
        }
        let later = self.events.iter().filter(|event| event.at >= ask.at && may_ask(event, ask));
        let answers = later.filter_map(|event| {
            let subagent = event.what == What::SubagentEnded && event.subagent.is_some();
            if event.what == What::CallBegins {
                // What was called together begins together: it goes on without a word, as after a refusal.
                return (event.at.duration_since(ask.at) > TOGETHER).then_some(Answer::Maybe);
            }
            (subagent || event.what == What::CallEnded).then_some(match (about, event.call.as_deref()) {
                (_, Some(call)) if rivals.contains(&call) => Answer::Maybe,
                (Some(about), Some(call)) if about != call => Answer::Open,
                (Some(_), Some(_)) | (_, None) => Answer::Given,
                (None, Some(_)) => Answer::Maybe,
            })
        });
        let answer = answers.max().unwrap_or(Answer::Open);
        match self.is_permitted(ask) {
            // The command is one of theirs.
            true if !rivals.is_empty() => answer.max(Answer::Maybe),
            true => Answer::Given,
            false => answer,
        }
    }

    /// Whether a process proved that an ask was permitted.
    fn is_permitted(&self, ask: &HookEvent) -> bool {
        self.permitted.iter().any(|note| note.permits(ask))
    }

    /// Whether a call came to an end after something was asked.
    fn has_ended_since(&self, ask: &HookEvent, call: &str) -> bool {
        let ends = |event: &HookEvent| event.what == What::CallEnded && event.call.as_deref() == Some(call);
        self.events.iter().any(|event| ends(event) && event.at >= ask.at && may_ask(event, ask))
    }

    /// What kind of tool is asked about.
    fn tool(&self, ask: &HookEvent) -> Option<Tool> {
        ask.tool.or_else(|| self.call_of(ask)?.tool)
    }

    /// The calls that an ask which names none may be about, where they are several. What an older ask is about is not one.
    fn rivals(&self, ask: &HookEvent) -> Vec<&'a str> {
        if ask.call.is_some() {
            return Vec::new();
        }
        let names = |ask: &HookEvent| -> Vec<&'a str> {
            self.asked_about(ask).filter_map(|call| call.call.as_deref()).collect()
        };
        let older = self.events.iter().filter(|other| is_ask(other) && other.at < ask.at);
        let taken: Vec<&str> =
            older.map(|other| names(other)).filter(|names| names.len() == 1).flatten().collect();
        let mut open = names(ask);
        open.retain(|call| !taken.contains(call));
        if open.len() > 1 { open } else { Vec::new() }
    }

    /// The calls that had begun and not ended when it was asked, of the kind that is asked about.
    fn asked_about(&self, ask: &HookEvent) -> impl DoubleEndedIterator<Item = &'a HookEvent> {
        self.events.iter().copied().filter(move |call| {
            let ends = |event: &HookEvent| event.what == What::CallEnded && event.call == call.call;
            matches!(call.what, What::CallBegins | What::QuestionBegins)
                && may_ask(call, ask)
                && call.at <= ask.at
                && (ask.tool.is_none() || call.tool.is_none() || call.tool == ask.tool)
                && !self.events.iter().any(|event| ends(event) && event.at < ask.at)
        })
    }

    /// Whether a call of the same agent ended moments before: the ask was about it, and its hook came late.
    fn has_just_ended(&self, ask: &HookEvent) -> bool {
        self.events.iter().any(|event| {
            let before = ask.at.duration_since(event.at);
            event.what == What::CallEnded
                && asks_permission(ask)
                && may_ask(event, ask)
                && (ask.tool.is_none() || event.tool.is_none() || event.tool == ask.tool)
                && before >= SignedDuration::ZERO
                && before <= TOGETHER
        })
    }

    /// What names the call that an ask is about: itself, else the newest that had begun and not ended by then.
    fn call_of<'b>(&'b self, ask: &'b HookEvent) -> Option<&'b HookEvent> {
        if ask.call.is_some() { Some(ask) } else { self.asked_about(ask).next_back() }
    }

    /// Which calls were open since it was asked, beside the one that is asked about.
    fn others(&self, ask: &HookEvent) -> Others {
        let about = self.call_of(ask).and_then(|call| call.call.as_deref());
        let rivals = self.rivals(ask);
        // One that has ended since may have left a command behind.
        let mut others = calls_since(self.events.iter().copied(), ask.at)
            .map(|call| call.call.as_deref())
            .filter(|call| *call != about);
        let Some(first) = others.next() else { return Others::None };
        let is_meant = |call: Option<&str>| call.is_some_and(|call| rivals.contains(&call));
        if is_meant(first) && others.all(is_meant) { Others::Meant } else { Others::Beside }
    }

    /// The same as the session's file knows it: of a subagent's calls it knows nothing.
    fn about(&self, ask: &HookEvent) -> Option<u64> {
        let known = ask.subagent.is_none() && self.rivals(ask).is_empty();
        self.call_of(ask).filter(|_| known)?.call.as_deref().map(|call| key([call]))
    }

    /// The tick at which was asked: what is told late was asked when its call began.
    fn asked(&self, ask: &HookEvent) -> Option<u64> {
        let call = self.call_of(ask).and_then(|call| call.around.tick);
        call.filter(|_| is_late(ask)).or(ask.around.tick)
    }

    /// Whether it names the turn that has ended: its hook came late.
    fn is_of_the_ended_turn(&self, event: &HookEvent) -> bool {
        let ended = self.boundary.filter(|boundary| Says::of_end(boundary.what).is_some());
        let turn = ended.and_then(|boundary| boundary.turn.as_deref());
        event.subagent.is_none() && turn.is_some() && event.turn.as_deref() == turn
    }

    /// How the turn stands where nothing is asked.
    fn turn(&self) -> Option<Live> {
        let begins = |event: &&HookEvent| event.what == What::CallBegins && !self.is_of_the_ended_turn(event);
        let calls = || self.own().filter(begins);
        let Some(boundary) = self.boundary else {
            let newest = self.own().next_back()?;
            return Some(self.working(newest));
        };
        if let Some(says) = Says::of_end(boundary.what) {
            // Another turn has begun, by itself.
            return match calls().next_back() {
                Some(call) if call.at > boundary.at => Some(self.working(self.own().next_back()?)),
                Some(_) | None => Some(self.live(says, boundary.at, boundary.at, None)),
            };
        }
        let compacted = self.own().find(|event| event.what == What::Compacted && event.at >= boundary.at);
        match (boundary.what, compacted) {
            (What::Compacts, Some(compacted)) => {
                Some(self.live(Says::NoTurn(None), compacted.at, compacted.at, None))
            }
            (What::Compacts, None) if self.may_have_been_stopped(boundary) => {
                Some(self.live(Says::MayWork, boundary.at, boundary.at, None))
            }
            _ => Some(self.working(self.own().next_back().unwrap_or(boundary))),
        }
    }

    /// Whether a summing up that no work was told of since may have been stopped.
    fn may_have_been_stopped(&self, compacts: &HookEvent) -> bool {
        let works = |event: &HookEvent| event.what == What::CallBegins && event.at >= compacts.at;
        // Of Codex the file tells how it ended, and from 0.150 on a hook.
        compacts.runtime == Runtime::ClaudeCode
            && !self.own().any(works)
            && self.now.duration_since(compacts.at) > SUMS_UP
    }

    /// A turn is open: it works, unless a call may be asking.
    fn working(&self, newest: &HookEvent) -> Live {
        let ended = |call: &HookEvent| {
            self.events.iter().any(|event| {
                event.what == What::CallEnded
                    && event.at >= call.at
                    && (event.call == call.call || event.call.is_none())
            })
        };
        let permitted = |call: &HookEvent| {
            let mut asks = self.events.iter().filter(|event| is_ask(event) && self.is_permitted(event));
            asks.any(|ask| {
                self.call_of(ask).is_some_and(|about| about.call.is_some() && about.call == call.call)
            })
        };
        let asking = self.own().find(|event| {
            event.what == What::CallBegins
                && event.around.prompts == Prompts::Untold
                && !ended(event)
                && !permitted(event)
        });
        let says = if asking.is_some() { Says::CallBegan } else { Says::Works };
        let began = self.boundary.unwrap_or(newest).at;
        let since = asking.map_or(began, |call| call.at);
        self.live(says, newest.at, since, None)
    }

    fn live(&self, says: Says, at: Timestamp, since: Timestamp, about: Option<u64>) -> Live {
        let calls = self.own().filter(|event| event.what == What::CallBegins);
        Live {
            tier: EvidenceTier::Hook,
            says,
            at: Some(at),
            since: Some(since),
            began: self.began,
            about,
            whose: Whose::Own,
            seen: Some(calls.filter_map(|event| event.call.as_deref()).map(|call| key([call])).collect()),
        }
    }
}

/// The calls that had not ended before an instant, those that began after it among them.
pub fn calls_since<'a>(
    events: impl Iterator<Item = &'a HookEvent> + Clone,
    at: Timestamp,
) -> impl Iterator<Item = &'a HookEvent> {
    let all = events.clone();
    events.filter(move |call| {
        let ends = |event: &HookEvent| {
            event.what == What::CallEnded && event.call == call.call && event.at >= call.at && event.at < at
        };
        call.what == What::CallBegins && !all.clone().any(ends)
    })
}

/// Whether it is told late that something is asked.
const fn is_late(event: &HookEvent) -> bool {
    matches!(event.what, What::SaysPermission | What::SaysAnswer)
}

/// Whether it may be of the agent that asks: a notification names none.
fn may_ask(event: &HookEvent, ask: &HookEvent) -> bool {
    event.subagent == ask.subagent || is_late(ask)
}

fn is_ask(event: &HookEvent) -> bool {
    match event.what {
        What::AsksPermission | What::AsksAnswer | What::QuestionBegins => true,
        // It comes late, and only tells what is not told otherwise.
        What::SaysPermission | What::SaysAnswer => event.around.prompts == Prompts::Untold,
        What::Started
        | What::Prompted
        | What::Compacts
        | What::Compacted
        | What::CallBegins
        | What::CallEnded
        | What::SubagentEnded
        | What::NoticedEnd
        | What::TurnEnded
        | What::TurnEndedInBackground
        | What::TurnFailed
        | What::TurnLimited
        | What::Interrupted
        | What::Ended
        | What::Permitted => false,
    }
}

impl Says {
    /// What an event says that leaves no turn open.
    const fn of_end(what: What) -> Option<Self> {
        match what {
            What::Started => Some(Self::NoTurn(None)),
            What::TurnEnded | What::NoticedEnd => Some(Self::NoTurn(Some(SessionState::Idle))),
            What::TurnEndedInBackground => Some(Self::NoTurn(Some(SessionState::Background))),
            What::TurnFailed => Some(Self::NoTurn(Some(SessionState::Errored))),
            What::TurnLimited => Some(Self::NoTurn(Some(SessionState::RateLimited))),
            What::Interrupted => Some(Self::NoTurn(Some(SessionState::Interrupted))),
            What::Ended => Some(Self::Over),
            What::Prompted
            | What::Compacts
            | What::Compacted
            | What::CallBegins
            | What::QuestionBegins
            | What::AsksPermission
            | What::AsksAnswer
            | What::SaysPermission
            | What::SaysAnswer
            | What::CallEnded
            | What::SubagentEnded
            | What::Permitted => None,
        }
    }
}

#[cfg(test)]
mod tests;
