//! What goes on for long: look, show, wait until a look may bring something else, and look again.

mod ends;
mod rest;

use std::time::{Duration, Instant};

use jiff::Timestamp;
use loopx_runtimes::{Backfill, Scope, Waker, Watch, Woken};
use rustix::time::{ClockId, clock_gettime};

use crate::app::ControlPlane;
use crate::app::plane::Seen;

pub use ends::{End, heeded, is_gone};
use rest::Rest;

/// How long nothing is looked at while nothing happens: ages grow, leases end.
const AT_MOST: Duration = Duration::from_secs(15);

/// How long after a look that failed: not everything that mends it is told of.
const AGAIN: Duration = Duration::from_secs(2);

/// How long session files are folded that the look did not need, after each.
const FOLDS: Duration = Duration::from_millis(200);

/// What is said where changes are not told of.
pub const UNTOLD: &str = "the system does not tell of every change here: looking every two seconds";

/// Whether it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Look again.
    Look,
    /// It was ended.
    End,
}

/// The loop.
pub struct Live {
    watch: Watch,
    end: End,
    scope: Scope,
    /// Whether nothing but the log was written to since the look before.
    is_log_alone: bool,
    /// Whether all session files that were known are folded.
    is_folded: bool,
    /// Whether the look brought something.
    has_looked: bool,
    rest: Rest,
    /// What this process had taken of the processor when the look began.
    began: Duration,
}

impl Live {
    /// Begins to watch what a look depends on.
    pub fn new(plane: &mut ControlPlane) -> Self {
        plane.stay();
        let watch = plane.watch();
        let end = End::new(watch.waker());
        let now = Instant::now();
        // What happened before it was watched is not told of.
        let (scope, rest) = (Scope::Fresh, Rest::new(now));
        let began = taken();
        Self { watch, end, scope, is_log_alone: false, is_folded: false, has_looked: false, rest, began }
    }

    /// Whether the system tells of every change; else it is looked every two seconds.
    pub const fn is_told(&self) -> bool {
        self.watch.is_told()
    }

    /// What has it look again from elsewhere.
    pub fn waker(&self) -> Waker {
        self.watch.waker()
    }

    /// What ends it from elsewhere.
    pub fn end(&self) -> End {
        self.end.clone()
    }

    /// A look begins.
    pub fn begin(&mut self, plane: &mut ControlPlane) {
        (self.began, self.has_looked) = (taken(), false);
        plane.look_as_far_as(self.scope);
        if self.is_log_alone {
            plane.look_at_log_alone();
        }
        plane.look_also_at(self.watch.touched(plane.key()));
    }

    /// The look has brought this: the processes of the sessions must go on living.
    pub fn looked(&mut self, seen: &Seen) {
        self.has_looked = true;
        let origins = seen.origins.values();
        self.watch.living(origins.filter_map(|origin| origin.expose().pid).collect());
        self.watch.asking(&seen.asking);
    }

    /// Folds session files after a look as long as nothing happens, rests where the look did cost, and waits until
    /// something does happen, at most until what is `due`. Every `step` it asks `stirs` whether to look anyway.
    pub fn wait(
        &mut self,
        plane: &mut ControlPlane,
        now: Timestamp,
        due: Option<Duration>,
        step: Duration,
        stirs: &dyn Fn() -> bool,
    ) -> Turn {
        let looked = Instant::now();
        let rested = looked + self.rest.after(taken().saturating_sub(self.began), looked);
        let news = self.watch.waker();
        // A look at sessions may have found files that are not.
        self.is_folded &= self.is_log_alone;
        if !self.is_folded && !news.is_stirred() {
            let so_far = plane.backfill(now, &|_: Backfill| !news.is_stirred() && looked.elapsed() < FOLDS);
            self.is_folded = so_far.complete;
        }
        let at_most = if self.has_looked { AT_MOST } else { AGAIN };
        let until = looked + due.unwrap_or(at_most).min(at_most);
        // Where nothing is told, a wait ends by itself as often as it may.
        let step = if self.watch.is_told() { step } else { AT_MOST };
        loop {
            let at_most = step.min(until.saturating_duration_since(Instant::now()));
            let woken = self.watch.wait(at_most, rested);
            if self.end.is_ended() {
                return Turn::End;
            }
            let all = match woken {
                Woken::Appeared => true,
                Woken::Changed | Woken::Logged | Woken::Called => false,
                Woken::Elapsed if Instant::now() >= until || stirs() => false,
                Woken::Elapsed => continue,
            };
            self.is_log_alone = woken == Woken::Logged && self.watch.is_told();
            self.scope = match (all, self.watch.is_told()) {
                (true, _) => Scope::Fresh,
                (false, true) => Scope::Told,
                (false, false) => Scope::Hot,
            };
            return Turn::Look;
        }
    }
}

/// What this process has taken of the processor.
fn taken() -> Duration {
    let taken = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(taken).unwrap_or_default()
}
