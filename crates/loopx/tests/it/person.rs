//! A person at a terminal: a pseudo terminal whose other side reads what is shown and types something back.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::thread::JoinHandle;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::world::{Ran, World};

/// What the person types back.
#[derive(Clone, Copy)]
pub enum Types {
    /// The code that is shown.
    TheCode,
    /// Something else.
    Nonsense,
}

/// A terminal with somebody at it.
struct Person {
    tty: PathBuf,
    watching: JoinHandle<(String, [File; 2])>,
}

/// A pseudo terminal: its device, its controlling side, and the device held open, so that the controlling side sees no
/// end before the program has come.
pub fn terminal() -> (PathBuf, OwnedFd, File) {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
    grantpt(&controller).expect("a pseudo terminal");
    unlockpt(&controller).expect("a pseudo terminal");
    let tty = ptsname(&controller, Vec::new()).expect("its name");
    let tty = PathBuf::from(tty.to_str().expect("its name"));
    let held = File::options().read(true).write(true).open(&tty).expect("the terminal");
    (tty, controller, held)
}

impl Person {
    fn sits(types: Types) -> Self {
        let (tty, controller, held) = terminal();
        let watching = std::thread::spawn(move || {
            let mut controller = File::from(controller);
            let mut shown = String::new();
            let mut bytes = [0; 1024];
            while !shown.contains("to leave it: ") {
                let count = controller.read(&mut bytes).expect("what is shown");
                shown += &String::from_utf8_lossy(&bytes[..count]);
            }
            let code = shown.rsplit("type ").next().and_then(|rest| rest.split(' ').next()).expect("a code");
            let answer = match types {
                Types::TheCode => code,
                Types::Nonsense => "1111",
            };
            writeln!(controller, "{answer}").expect("typed");
            // Closed only when the program is done: what was typed is lost with the terminal.
            (shown, [controller, held])
        });
        Self { tty, watching }
    }
}

/// Types these answers, each once its prompt is there. Gives the terminal back open.
fn answers(controller: OwnedFd, held: File, answers: Vec<(String, String)>) -> (String, [File; 2]) {
    let mut controller = File::from(controller);
    let mut shown = String::new();
    let mut seen = 0;
    let mut bytes = [0; 1024];
    for (prompt, answer) in answers {
        while !shown[seen..].contains(&prompt) {
            let count = controller.read(&mut bytes).expect("what is shown");
            shown += &String::from_utf8_lossy(&bytes[..count]);
        }
        seen = shown.len();
        writeln!(controller, "{answer}").expect("typed");
    }
    (shown, [controller, held])
}

impl World {
    /// Runs the program at a terminal where it asks for what must not be shown: prompts and what is typed at each. What
    /// it came to, and all that was shown, to the end.
    pub fn typing(&self, typed: &[(&str, &str)], args: &[&str]) -> (Ran, String) {
        let (tty, controller, held) = terminal();
        let typed =
            typed.iter().map(|(prompt, answer)| ((*prompt).to_owned(), (*answer).to_owned())).collect();
        let watching = std::thread::spawn(move || answers(controller, held, typed));
        let ran = self.at_tty(&tty).run(args);
        let (mut shown, [mut controller, _held]) = watching.join().expect("somebody who types");
        rustix::fs::fcntl_setfl(&controller, rustix::fs::OFlags::NONBLOCK).expect("a flag");
        let mut rest = Vec::new();
        let _nothing_more = controller.read_to_end(&mut rest);
        shown += &String::from_utf8_lossy(&rest);
        (ran, shown)
    }

    /// Runs the program at a terminal where it asks for a code; what it came to, and what was shown there.
    pub fn at_terminal(&self, types: Types, args: &[&str]) -> (Ran, String) {
        let person = Person::sits(types);
        let ran = self.at_tty(&person.tty).run(args);
        let (shown, _terminal) = person.watching.join().expect("somebody who types");
        (ran, shown.lines().next().unwrap_or_default().trim_end().to_owned())
    }
}
