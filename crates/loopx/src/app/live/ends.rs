//! What ends a loop from outside: a signal, a reader that is gone.

use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use loopx_runtimes::Waker;
use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::app::file;

/// Ends a loop.
#[derive(Clone)]
pub struct End {
    ended: Arc<AtomicBool>,
    waker: Waker,
}

impl End {
    /// Nothing has ended it yet.
    pub(super) fn new(waker: Waker) -> Self {
        Self { ended: Arc::new(AtomicBool::new(false)), waker }
    }

    /// Whether it is over.
    pub fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Ends it.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
        self.waker.wake();
    }

    /// From here on the first signal that ends a process ends the loop; the second ends the process. Those that this
    /// process was started to ignore, by `nohup` or in the background, it goes on to ignore. `last` is what is to be done
    /// before the process is ended.
    pub fn on_signals(&self, proc: &Path, last: fn()) {
        let Ok(mut signals) = Signals::new(heeded(proc)) else { return };
        let end = self.clone();
        thread::spawn(move || {
            for signal in signals.forever() {
                if end.is_ended() {
                    last();
                    let _ = emulate_default_handler(signal);
                }
                end.end();
            }
        });
    }

    /// From here on it ends when nobody reads this process's data any more, whether or not there is any.
    pub fn on_reader_gone(&self) {
        let end = self.clone();
        thread::spawn(move || {
            if is_gone(std::io::stdout()) {
                end.end();
            }
        });
    }
}

/// Waits until there is nobody at the other side of a pipe or a terminal any more; gives whether that came.
pub fn is_gone(this: impl AsFd) -> bool {
    // Asked for nothing, it waits for a hang-up or an error alone.
    let mut this = [PollFd::new(&this, PollFlags::empty())];
    while let Err(rustix::io::Errno::INTR) = poll(&mut this, None) {}
    this.iter().any(|this| this.revents().intersects(PollFlags::ERR | PollFlags::HUP))
}

/// The signals that end a process, but for those that this one was started to ignore.
pub fn heeded(proc: &Path) -> Vec<i32> {
    let ignored = ignored(proc);
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0).collect()
}

/// The signals that this process ignores, the first one lowest; none where that is not known.
fn ignored(proc: &Path) -> u64 {
    let status = file::text(&proc.join("self/status"), 1 << 16).ok().flatten().unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
