//! The terminal of `serve`: a person there, who proves to be one, is shown the code that lets a browser decide.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use loopx_runtimes::caller::Job;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Server;
use crate::app::proof::{self, Shown};
use crate::env::Env;
use crate::error::CliError;

/// How often it is looked whether this process has the terminal.
const STEP: Duration = Duration::from_millis(500);

/// What is typed for another address.
const INVITE: &str = "i";

/// The longest line that is read, in bytes.
const LONGEST: u64 = 256;

/// What is shown to whoever is asked for a proof.
const WHAT: &str = "let one browser decide in your name, for as long as it goes on deciding";

/// Waits for Enter at the terminal, from now on and beside all else. Gives whether there is one.
pub fn listen(env: &Env, server: Arc<Server>) -> bool {
    let Ok(tty) = OpenOptions::new().read(true).write(true).open(&env.tty) else { return false };
    let env = env.clone();
    thread::spawn(move || {
        while let Some(typed) = entered(&tty) {
            let said =
                if typed.trim() == INVITE { invite(&tty, &server) } else { offer(&env, &tty, &server) };
            if let Err(error) = said {
                let _ = writeln!(&tty, "{error}");
            }
        }
    });
    true
}

/// Waits until a line is typed; a process in the background reads nothing. Gives it; nothing at the end.
fn entered(tty: &File) -> Option<String> {
    let step = Timespec::try_from(STEP).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
    loop {
        if !Job::own().is_some_and(|job| job.is_in_front(tty)) {
            thread::sleep(STEP);
            continue;
        }
        let mut typed = [PollFd::new(tty, PollFlags::IN)];
        match poll(&mut typed, Some(&step)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => {
                let mut typed = String::new();
                let read = BufReader::new(tty.take(LONGEST)).read_line(&mut typed);
                return read.is_ok_and(|read| read > 0).then_some(typed);
            }
            Err(_) => return None,
        }
    }
}

/// Shows an address that lets one more browser in.
fn invite(tty: &File, server: &Server) -> Result<(), CliError> {
    let mut out = tty;
    let _ = writeln!(out, "{}", server.invite()?);
    Ok(())
}

fn offer(env: &Env, tty: &File, server: &Server) -> Result<(), CliError> {
    let mut out = tty;
    let words = match proof::at_terminal(env, WHAT)? {
        Shown::Proved(_) => {
            let code = server.visitors.offer()?;
            format!("type {code} on the page within five minutes")
        }
        Shown::Nothing(why) => format!("nothing was paired: {why}"),
    };
    let _ = writeln!(out, "{words}");
    Ok(())
}
