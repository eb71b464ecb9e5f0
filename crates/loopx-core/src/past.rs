//! What each lane of a goal waited on, and how long: the decision over its log, at every instant at which it changed.
//!
//! The log is folded once, forward. A lane is decided for where an event could change whom it waits on, and at each
//! instant at which that changes by time alone: a lease ends, a limit frees, evidence is due. What sessions showed then
//! is not in the log; [`with_sessions`] joins what is known of them from elsewhere.

mod changes;
mod working;

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, GoalId, WaitingOn};

use crate::event::Recorded;
use crate::first_screen::{Inputs, Known, Row, Sight, first_screen};
use crate::quota::Observed;
use crate::state::State;

use changes::{changes_by_itself, may_change};
use working::Working;

/// How much is decided exactly, in things looked at. Beyond it instants are rounded up to a grain.
const EXACT: usize = 40_000_000;
/// How many grains a window has.
const GRAINS: i64 = 1_000;

/// Whom a lane waits on, and by which row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stand {
    /// The row that decided.
    pub row: Row,
    /// Whom it waits on.
    pub waiting_on: WaitingOn,
}

/// What tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The log alone: what sessions showed then is not known.
    ByLog,
    /// What is recorded of a session that covers it.
    BySession,
}

/// From one instant to a later one, a lane stood so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first instant, UTC.
    pub from: Timestamp,
    /// The first instant at which it is over, UTC.
    pub to: Timestamp,
    /// How it stood.
    pub stand: Stand,
    /// What tells it.
    pub told: Told,
}

impl Span {
    /// How long it was.
    pub fn length(&self) -> SignedDuration {
        self.to.duration_since(self.from)
    }

    /// The part of it that lies in a window.
    pub fn within(&self, from: Timestamp, to: Timestamp) -> Option<Self> {
        let part = Self { from: self.from.max(from), to: self.to.min(to), ..*self };
        (part.from < part.to).then_some(part)
    }
}

/// Every lane's spans, in order and without a gap from when it was registered, or the window began, to the window's end.
pub type Spans = BTreeMap<AgentId, Vec<Span>>;

/// A goal's lanes in a window, as its log tells it, event by event.
#[derive(Debug)]
pub struct Past {
    goal: GoalId,
    from: Timestamp,
    to: Timestamp,
    state: State,
    working: Working,
    /// Up to here it is decided.
    clock: Timestamp,
    lanes: Spans,
    looked_at: usize,
    exact: usize,
    grain: Option<SignedDuration>,
}

impl Past {
    /// Nothing of the log is in yet.
    pub fn new(goal: GoalId, from: Timestamp, to: Timestamp) -> Self {
        Self {
            goal,
            from,
            to: to.max(from),
            state: State::default(),
            working: Working::default(),
            clock: from,
            lanes: Spans::new(),
            looked_at: 0,
            exact: EXACT,
            grain: None,
        }
    }

    /// The same, where no more than this many things are looked at before instants are rounded up.
    #[must_use]
    pub fn exact_for(self, things: usize) -> Self {
        Self { exact: things, ..self }
    }

    /// Goes on from spans that end at `clock`, where nothing was recorded since: `state` is what the log gives.
    pub fn resumed(goal: GoalId, lanes: Spans, state: State, clock: Timestamp, to: Timestamp) -> Self {
        let working = Working::whole(&state, clock);
        Self { state, working, clock, lanes, ..Self::new(goal, clock, to) }
    }

    /// Takes in the next event. A goal at an instant is the fold of all events up to the last one that is not later: one
    /// of a clock that went back counts from its own instant on, with all before it.
    pub fn apply(&mut self, recorded: &Recorded) {
        let at = self.rounded(recorded.at.clamp(self.from, self.to));
        if at < self.clock {
            self.back_to(at);
        } else if at > self.clock && may_change(&recorded.event, &self.state) {
            self.go_on(at);
        }
        self.state.apply(recorded);
    }

    /// Decides up to the window's end.
    pub fn finish(mut self) -> Done {
        self.go_on(self.to);
        Done { lanes: self.lanes, grain: self.grain }
    }

    /// An event's instant as it counts.
    fn rounded(&self, at: Timestamp) -> Timestamp {
        let Some(grain) = self.grain else { return at };
        let grain = grain.as_nanos().max(1);
        let gone = at.duration_since(self.from).as_nanos();
        let whole = (gone + grain - 1) / grain * grain;
        let whole = SignedDuration::from_nanos_i128(whole);
        self.from.saturating_add(whole).map_or(self.to, |at| at.min(self.to))
    }

    fn back_to(&mut self, at: Timestamp) {
        self.lanes.retain(|_, spans| {
            spans.retain_mut(|span| {
                span.to = span.to.min(at);
                span.from < span.to
            });
            !spans.is_empty()
        });
        self.clock = at;
        self.working.forget();
    }

    /// Decides from where it is up to an instant.
    fn go_on(&mut self, until: Timestamp) {
        if self.clock >= until {
            return;
        }
        self.working.catch_up(&mut self.state, self.clock);
        let state = self.working.state();
        while self.clock < until {
            let next = changes_by_itself(state, self.clock).map_or(until, |next| next.min(until));
            let next = match self.grain {
                Some(grain) => {
                    self.clock.saturating_add(grain).map_or(until, |least| next.max(least).min(until))
                }
                None => next,
            };
            for agent in state.agents.values() {
                let stand = stand(&self.goal, &agent.id, state, self.clock);
                push(self.lanes.entry(agent.id.clone()).or_default(), self.clock, next, stand);
            }
            self.clock = next;
            self.looked_at += state.agents.len() * self.working.size();
            if self.looked_at > self.exact && self.grain.is_none() {
                let grain = self.to.duration_since(self.from).as_secs() / GRAINS;
                self.grain = Some(SignedDuration::from_secs(grain.max(1)));
            }
        }
    }
}

/// What a window's log tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Every lane's spans.
    pub lanes: Spans,
    /// Where there was too much to decide: what lasted less than this may be missing, or seem later by as much.
    pub grain: Option<SignedDuration>,
}

/// How a lane stands at an instant, by the log alone.
fn stand(goal: &GoalId, agent: &AgentId, state: &State, now: Timestamp) -> Stand {
    let decision = first_screen(&Inputs {
        goal,
        agent,
        known: Known::State(state),
        sessions: &[],
        sight: Sight::Unrecorded,
        observed: Observed::NOTHING,
        caller: None,
        record: None,
        now,
    });
    Stand { row: decision.row, waiting_on: decision.projection.first_screen.waiting_on }
}

fn push(spans: &mut Vec<Span>, from: Timestamp, to: Timestamp, stand: Stand) {
    match spans.last_mut() {
        Some(last) if last.stand == stand && last.to == from => last.to = to,
        Some(_) | None => spans.push(Span { from, to, stand, told: Told::ByLog }),
    }
}

/// What is known of a lane's sessions for a while: the row that it makes hold, and whom that waits on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The first instant, UTC.
    pub from: Timestamp,
    /// The first instant at which it is not known any more, UTC.
    pub to: Timestamp,
    /// What holds meanwhile, where no row before it does.
    pub stand: Stand,
}

impl Seen {
    /// A turn ran.
    pub const fn turn(from: Timestamp, to: Timestamp) -> Self {
        Self { from, to, stand: Stand { row: Row::Working, waiting_on: WaitingOn::Agent } }
    }
}

/// How a lane stands by the log and by what a session shows, as the table has it: the first row that holds. A failure and
/// the runtime's limit are looked at only where there is something to do.
pub fn joined(log: Stand, session: Stand) -> Option<Stand> {
    let decides = match session.row {
        Row::Failed | Row::Limited => matches!(log.row, Row::Throttled | Row::Ready),
        Row::Prompt | Row::Working | Row::Unsure => session.row < log.row,
        Row::Integrity
        | Row::UnknownLane
        | Row::Closed
        | Row::Paused
        | Row::Held
        | Row::Rejected
        | Row::Deferred
        | Row::Unfit
        | Row::Throttled
        | Row::Ready
        | Row::Peers
        | Row::Evidence
        | Row::Stuck
        | Row::Succession
        | Row::Asked
        | Row::Quiet => false,
    };
    decides.then_some(session)
}

/// Joins what is known of a lane's sessions with its spans.
pub fn with_sessions(spans: &[Span], seen: &[Seen]) -> Vec<Span> {
    let mut edges: Vec<Timestamp> = seen.iter().flat_map(|seen| [seen.from, seen.to]).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut known: Vec<&Seen> = seen.iter().filter(|seen| seen.from < seen.to).collect();
    known.sort_by_key(|seen| seen.from);
    let (mut open, mut next) = (Vec::<&Seen>::new(), 0);
    let mut joint: Vec<Span> = Vec::new();
    for span in spans {
        let first = edges.partition_point(|edge| *edge <= span.from);
        let inner = edges.iter().skip(first).copied().take_while(|edge| *edge < span.to);
        let mut from = span.from;
        for to in inner.chain([span.to]) {
            while let Some(seen) = known.get(next).filter(|seen| seen.from <= from) {
                open.push(seen);
                next += 1;
            }
            open.retain(|seen| seen.to > from);
            let session = open.iter().filter_map(|seen| joined(span.stand, seen.stand)).min();
            let (stand, told) = match session {
                Some(stand) => (stand, Told::BySession),
                None => (span.stand, Told::ByLog),
            };
            match joint.last_mut() {
                Some(last) if last.stand == stand && last.told == told && last.to == from => last.to = to,
                Some(_) | None => joint.push(Span { from, to, stand, told }),
            }
            from = to;
        }
    }
    joint
}
