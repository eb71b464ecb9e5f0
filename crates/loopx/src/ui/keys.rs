//! The keys of a terminal that a screen stays on: they are read one by one, and what is typed does not stand in it.

use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use loopx_runtimes::caller::Job;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGCONT, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// How the terminal was before it was taken. There is one terminal, and whoever ends this process gives it back.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);
/// Whether this process was stopped, and goes on.
static RESUMED: AtomicBool = AtomicBool::new(false);

/// How long a process in the background waits until it looks again whether it is in front.
const BEHIND: Duration = Duration::from_millis(200);

/// The keys, while this lives. Signals that keys stand for stay what they are.
pub struct Keys(());

impl Keys {
    /// Takes the keys of stdin, where that is a terminal: `q` calls `quit` once, others do nothing. A stop gives the
    /// terminal back, and going on takes it again.
    pub fn take(quit: impl Fn() + Send + 'static) -> Option<Self> {
        if !io::stdin().is_terminal() {
            return None;
        }
        on_stops();
        take_now();
        thread::spawn(move || read(&quit));
        Some(Self(()))
    }

    /// Whether this process was stopped since it was asked last: somebody else has written on the terminal. One that was
    /// brought to the front takes the keys.
    pub fn is_resumed(&self) -> bool {
        if BEFORE.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            take_now();
        }
        RESUMED.swap(false, Ordering::Relaxed)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        give_keys_back();
    }
}

/// Gives the terminal back as it was, if it was taken.
pub fn give_keys_back() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(before) = before.filter(|_| is_in_front()) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    }
}

/// Reads each key at once, and shows none. A process in the background has no terminal to take.
fn take_now() {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if !is_in_front() {
        return;
    }
    if before.is_none() {
        *before = tcgetattr(io::stdin()).ok();
    }
    if let Some(before) = before.as_ref() {
        let mut taken = before.clone();
        taken.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        taken.special_codes[SpecialCodeIndex::VMIN] = 1;
        taken.special_codes[SpecialCodeIndex::VTIME] = 0;
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &taken);
    }
}

/// Whether this process may read and set the terminal: else the system stops it.
fn is_in_front() -> bool {
    Job::own().is_some_and(|job| job.is_in_front(io::stdin()))
}

/// Gives the terminal back when this process is stopped, and takes it again when it goes on.
fn on_stops() {
    let mut heeded = vec![SIGCONT];
    // Where no shell could let it go on, the system does not stop it, and neither does it itself.
    if Job::own().is_some_and(|job| job.has_shell()) {
        heeded.push(SIGTSTP);
    }
    let Ok(mut signals) = Signals::new(heeded) else { return };
    thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGTSTP {
                give_keys_back();
                let _ = emulate_default_handler(signal);
            } else {
                take_now();
                RESUMED.store(true, Ordering::Relaxed);
            }
        }
    });
}

fn read(quit: &dyn Fn()) {
    let stdin = io::stdin();
    let mut typed = [0; 64];
    loop {
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut ready, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return,
        }
        if !ready.iter().any(|ready| ready.revents().contains(PollFlags::IN)) {
            return;
        }
        if !is_in_front() {
            thread::sleep(BEHIND);
            continue;
        }
        match rustix::io::read(&stdin, &mut typed) {
            Ok(0) => return,
            // What is pasted is no key.
            Ok(len) if typed.iter().take(len).all(|key| matches!(key, b'q' | b'Q')) => return quit(),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}
