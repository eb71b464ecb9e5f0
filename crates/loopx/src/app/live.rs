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
        Self { watch, end, scope: Scope::Fresh, rest: Rest::new(now), began: taken() }
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
        self.began = taken();
        plane.look_as_far_as(self.scope);
        plane.look_also_at(self.watch.touched(plane.key()));
    }

    /// The look has brought this: the processes of the sessions must go on living.
    pub fn looked(&mut self, seen: &Seen) {
        let origins = seen.origins.values();
        self.watch.living(origins.filter_map(|origin| origin.expose().pid).collect());
        self.watch.asking(&seen.asking);
    }

    /// Rests after a look that costs, folds session files as long as nothing happens, and waits until something does,
    /// at most until what is `due`. Every `step` it asks `stirs` whether to look anyway.
    pub fn wait(
        &mut self,
        plane: &mut ControlPlane,
        now: Timestamp,
        due: Option<Duration>,
        step: Duration,
        stirs: &dyn Fn() -> bool,
    ) -> Turn {
        let looked = Instant::now();
        std::thread::sleep(self.rest.after(taken().saturating_sub(self.began), looked));
        if self.end.is_ended() {
            return Turn::End;
        }
        let (news, folding) = (self.watch.waker(), Instant::now());
        if !news.is_stirred() {
            plane.backfill(now, &|_: Backfill| !news.is_stirred() && folding.elapsed() < FOLDS);
        }
        let until = looked + due.unwrap_or(AT_MOST).min(AT_MOST);
        // Where nothing is told, a wait ends by itself as often as it may.
        let step = if self.watch.is_told() { step } else { AT_MOST };
        loop {
            let woken = self.watch.wait(step.min(until.saturating_duration_since(Instant::now())));
            if self.end.is_ended() {
                return Turn::End;
            }
            let all = match woken {
                Woken::Appeared => true,
                Woken::Changed | Woken::Called => false,
                Woken::Elapsed if Instant::now() >= until || stirs() => false,
                Woken::Elapsed => continue,
            };
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
