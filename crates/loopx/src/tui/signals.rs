//! Signals: one that ends, one that stops, and the word that it goes on.

use std::sync::mpsc;
use std::thread;

use rustix::process::{Signal, kill_current_process_group};
use signal_hook::consts::{SIGCONT, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::{News, screen};
use crate::app::live::heeded;
use crate::env::Env;

/// Hears them from here on. The first that ends is told, so that the terminal is left as it was; where that does not
/// come about, because nobody reads what is drawn, the second one ends.
pub fn hear(env: &Env, news: mpsc::Sender<News>) {
    let ends = heeded(&env.proc);
    let Ok(mut signals) = Signals::new(ends.iter().copied().chain([SIGTSTP, SIGCONT])) else { return };
    thread::spawn(move || {
        let mut is_over = false;
        for signal in signals.forever() {
            let told = match signal {
                SIGTSTP => News::Stop,
                SIGCONT => News::Continued,
                _ => News::Over,
            };
            if ends.contains(&signal) && (std::mem::replace(&mut is_over, true) || screen::is_given_back()) {
                screen::leave_at_once();
                let _ = emulate_default_handler(signal);
            }
            let _ = news.send(told);
        }
    });
}

/// Stops this process and those that were started with it, until somebody lets them go on; where there is nobody, it
/// does not. The terminal has to be given back before.
pub fn stop() {
    let _ = kill_current_process_group(Signal::STOP);
}
