//! A person at a terminal: a pseudo terminal whose other side reads what is shown and types something back.

use std::fs::File;
use std::io::{Read as _, Write as _};
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

impl Person {
    fn sits(types: Types) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
        grantpt(&controller).expect("a pseudo terminal");
        unlockpt(&controller).expect("a pseudo terminal");
        let tty = ptsname(&controller, Vec::new()).expect("its name");
        let tty = PathBuf::from(tty.to_str().expect("its name"));
        // Kept open, so that the controlling side sees no end before the program has come.
        let held = File::options().read(true).write(true).open(&tty).expect("the terminal");
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

impl World {
    /// Runs the program at a terminal where it asks for a code; what it came to, and what was shown there.
    pub fn at_terminal(&self, types: Types, args: &[&str]) -> (Ran, String) {
        let person = Person::sits(types);
        let ran = self.at_tty(&person.tty).run(args);
        let (shown, _terminal) = person.watching.join().expect("somebody who types");
        (ran, shown.lines().next().unwrap_or_default().trim_end().to_owned())
    }
}
