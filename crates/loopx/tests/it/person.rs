//! A person at a terminal: a pseudo terminal whose other side reads what is shown and types something back.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::started::LONG;
use crate::world::{Ran, World};

/// What the person types back.
#[derive(Clone, Copy)]
pub enum Types {
    /// The code that is shown.
    TheCode,
    /// Something else.
    Nonsense,
}

/// A pseudo terminal. What it has shown is kept; what is waited for comes soon, or fails the test.
pub struct Terminal {
    /// Its device.
    pub tty: PathBuf,
    controller: File,
    /// The device held open, so that the controlling side sees no end before the program has come.
    held: File,
    shown: String,
    screen: vt100::Parser,
    /// How much of it was waited for.
    seen: usize,
}

impl Terminal {
    /// A terminal that nobody uses.
    pub fn new() -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
            .expect("a pseudo terminal");
        grantpt(&controller).expect("a pseudo terminal");
        unlockpt(&controller).expect("a pseudo terminal");
        let tty = ptsname(&controller, Vec::new()).expect("its name");
        let tty = PathBuf::from(tty.to_str().expect("its name"));
        // It is no test's own terminal, whose end would end the test.
        let own = OFlags::NOCTTY.bits().cast_signed();
        let held = File::options().read(true).write(true).custom_flags(own).open(&tty).expect("the terminal");
        Self {
            tty,
            controller: controller.into(),
            held,
            shown: String::new(),
            screen: vt100::Parser::default(),
            seen: 0,
        }
    }

    /// Gives it a size.
    pub fn of(rows: u16, columns: u16) -> Self {
        let mut terminal = Self::new();
        terminal
            .screen
            .screen_mut()
            .set_size(rows.try_into().expect("rows"), columns.try_into().expect("columns"));
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal.controller, size).expect("a size");
        terminal
    }

    /// Gives it another size. Nobody is told.
    pub fn resize(&mut self, rows: u16, columns: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.controller, size).expect("a size");
        let (rows, columns) = (rows.try_into().expect("rows"), columns.try_into().expect("columns"));
        self.screen.screen_mut().set_size(rows, columns);
    }

    /// Reads what comes next; whether anything did.
    pub fn reads(&mut self) -> bool {
        self.more(LONG)
    }

    /// The device, for a program.
    pub fn device(&self) -> File {
        self.held.try_clone().expect("the terminal")
    }

    /// All it has shown.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Reads until it shows this after what was waited for before, and gives what it showed meanwhile.
    #[track_caller]
    pub fn until(&mut self, wanted: &str) -> &str {
        let began = self.seen;
        let deadline = Instant::now() + LONG;
        while !self.shown[began..].contains(wanted) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(self.more(left), "no {wanted:?} in {:?}", &self.shown[began..]);
        }
        self.seen = self.shown.len();
        &self.shown[began..]
    }

    /// What stands on it now, row by row.
    pub fn pane(&self) -> String {
        self.screen.screen().contents()
    }

    /// Reads until this stands on it.
    #[track_caller]
    pub fn stands(&mut self, wanted: &str) -> String {
        let deadline = Instant::now() + LONG;
        loop {
            let pane = self.pane();
            if pane.contains(wanted) {
                return pane;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(self.more(left), "no {wanted:?} on\n{pane}");
        }
    }

    /// Types this; the program takes it before more is typed.
    #[track_caller]
    pub fn types(&mut self, keys: &str) {
        self.controller.write_all(keys.as_bytes()).expect("typed");
        let deadline = Instant::now() + LONG;
        while rustix::io::ioctl_fionread(&self.held).expect("what is typed") > 0 {
            assert!(Instant::now() < deadline, "{keys:?} was not taken: {:?}", self.shown);
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Types this again and again until the program takes it no more, because nothing of what it shows is read.
    #[track_caller]
    pub fn fills(&mut self, keys: &str) {
        let (deadline, mut taken) = (Instant::now() + LONG, Instant::now());
        while taken.elapsed() < Duration::from_secs(1) {
            assert!(Instant::now() < deadline, "it goes on although nobody reads");
            if rustix::io::ioctl_fionread(&self.held).expect("what is typed") == 0 {
                self.controller.write_all(keys.as_bytes()).expect("typed");
                taken = Instant::now();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Reads what was shown last; the program is over.
    pub fn rest(&mut self) -> &str {
        let began = self.seen;
        while self.more(Duration::ZERO) {}
        self.seen = self.shown.len();
        &self.shown[began..]
    }

    /// Waits for more, and reads it; whether there was any.
    fn more(&mut self, most: Duration) -> bool {
        let most = Timespec::try_from(most).expect("a time");
        let mut ready = [PollFd::new(&self.controller, PollFlags::IN)];
        if poll(&mut ready, Some(&most)).expect("a terminal") == 0 {
            return false;
        }
        let mut bytes = [0; 4096];
        let count = self.controller.read(&mut bytes).expect("what is shown");
        self.screen.process(&bytes[..count]);
        self.shown += &String::from_utf8_lossy(&bytes[..count]);
        count > 0
    }
}

/// What is typed, by what was shown.
type Answer = Box<dyn FnOnce(&str) -> String + Send>;

/// A terminal with somebody at it.
struct Person {
    tty: PathBuf,
    watching: JoinHandle<Terminal>,
}

impl Person {
    /// Types these answers, each once its prompt is there.
    fn answers(answers: Vec<(String, Answer)>) -> Self {
        let mut terminal = Terminal::new();
        let tty = terminal.tty.clone();
        let watching = std::thread::spawn(move || {
            for (prompt, answer) in answers {
                let shown = terminal.until(&prompt).to_owned();
                let answer = answer(&shown);
                // It is closed only when the program is done: what was typed is lost with the terminal.
                terminal.controller.write_all(format!("{answer}\n").as_bytes()).expect("typed");
            }
            terminal
        });
        Self { tty, watching }
    }

    /// All that was shown to the end.
    fn saw(self) -> String {
        let mut terminal = self.watching.join().expect("somebody who types");
        terminal.rest();
        terminal.shown
    }
}

impl World {
    /// Runs the program at a terminal where it asks for what must not be shown: prompts and what is typed at each. What
    /// it came to, and all that was shown, to the end.
    pub fn typing(&self, typed: &[(&str, &str)], args: &[&str]) -> (Ran, String) {
        let answer = |(prompt, answer): &(&str, &str)| {
            let answer = (*answer).to_owned();
            let typed: Answer = Box::new(move |_| answer);
            ((*prompt).to_owned(), typed)
        };
        self.answering(typed.iter().map(answer).collect(), args)
    }

    /// Runs the program at a terminal where it asks for a code; what it came to, and what was shown there first.
    pub fn at_terminal(&self, types: Types, args: &[&str]) -> (Ran, String) {
        let answer: Answer = Box::new(move |shown| match types {
            Types::TheCode => {
                let code = shown.rsplit("type ").next().and_then(|rest| rest.split(' ').next());
                code.expect("a code").to_owned()
            }
            Types::Nonsense => "1111".to_owned(),
        });
        let (ran, shown) = self.answering(vec![("to leave it: ".to_owned(), answer)], args);
        (ran, shown.lines().next().unwrap_or_default().trim_end().to_owned())
    }

    fn answering(&self, answers: Vec<(String, Answer)>, args: &[&str]) -> (Ran, String) {
        let person = Person::answers(answers);
        let ran = self.at_tty(&person.tty).run(args);
        (ran, person.saw())
    }
}
