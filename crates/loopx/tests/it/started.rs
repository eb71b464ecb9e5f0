//! The built program as a process of its own. Whatever a test waits for here comes soon, or fails it: a test that waits
//! for ever says nothing.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag::register_conditional_default;

use crate::world::World;

/// How long something may take at most before it counts as never.
pub const LONG: Duration = Duration::from_mins(1);

/// A program that is ended with the test.
pub struct Started(Child);

impl World {
    /// The built program, in this world but for the processes and the terminal, which are the system's.
    pub fn built(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopx"));
        command.args(args).env_clear().envs(&self.env.vars).current_dir(self.path("work"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}

impl Started {
    /// Starts it. It heeds signals, even where these tests run in the background, whose children ignore an interrupt.
    pub fn of(command: &mut Command) -> Self {
        // What a process handles, rather than ignores, the programs that it starts have at its default.
        static HANDLED: Once = Once::new();
        HANDLED.call_once(|| {
            for signal in [SIGHUP, SIGINT, SIGTERM] {
                register_conditional_default(signal, Arc::new(true.into())).expect("a handler");
            }
        });
        Self(command.spawn().expect("a program"))
    }

    /// Says something to it.
    pub fn say(&mut self, text: &str) {
        self.0.stdin.as_mut().expect("its input").write_all(text.as_bytes()).expect("it reads");
    }

    /// Nothing more is said to it.
    pub fn said(&mut self) {
        drop(self.0.stdin.take());
    }

    /// Its data.
    pub fn data(&mut self) -> BufReader<ChildStdout> {
        BufReader::new(self.0.stdout.take().expect("its data"))
    }

    /// The lines of its data, as they come.
    pub fn lines(&mut self) -> Receiver<String> {
        lines(self.0.stdout.take().expect("its data"))
    }

    /// The lines that it says beside its data, as they come.
    pub fn words(&mut self) -> Receiver<String> {
        lines(self.0.stderr.take().expect("its words"))
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).expect("a signal");
    }

    /// Waits until it was stopped.
    #[track_caller]
    pub fn is_stopped(&self) {
        let until = Instant::now() + LONG;
        let stat = std::path::PathBuf::from(format!("/proc/{}/stat", self.0.id()));
        let is_stopped = || {
            let stat = loopx::app::file::text(&stat, 1 << 12).ok().flatten().unwrap_or_default();
            stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
        };
        while !is_stopped() {
            assert!(Instant::now() < until, "it was not stopped");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Whether it has not ended.
    pub fn goes_on(&mut self) -> bool {
        self.0.try_wait().expect("a process").is_none()
    }

    /// How it ends by itself.
    #[track_caller]
    pub fn end(&mut self) -> ExitStatus {
        let until = Instant::now() + LONG;
        loop {
            if let Some(status) = self.0.try_wait().expect("a process") {
                return status;
            }
            assert!(Instant::now() < until, "it goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = channel();
    std::thread::spawn(move || {
        BufReader::new(from).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
    });
    lines
}
