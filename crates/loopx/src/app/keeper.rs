//! The thread that looks, for screens that stay: it alone has the sessions, and publishes what it finds.

use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use jiff::tz::TimeZone;

use crate::app::ControlPlane;
use crate::app::board::Board;
use crate::app::live::{End, Live, Turn};
use crate::clock::Clock;
use crate::env::Env;
use crate::error::CliError;

/// How often a loop that nothing ends is asked whether to go on.
const STEP: Duration = Duration::from_mins(1);

/// The thread, from outside.
pub struct Keeper {
    end: End,
    thread: JoinHandle<Result<(), CliError>>,
}

impl Keeper {
    /// Starts it, and waits until it has looked once. Each look is published, the first one before this returns, or
    /// why it failed; `publish` is dropped when it ends. `last` is what is to be done before a second signal kills.
    pub fn start(
        env: &Env,
        zone: TimeZone,
        last: fn(),
        publish: impl FnMut(Result<Board, CliError>) + Send + 'static,
    ) -> Result<Self, CliError> {
        let env = env.clone();
        let (ready, started) = mpsc::sync_channel(1);
        let thread = thread::spawn(move || keep(&env, &zone, publish, last, &ready));
        match started.recv() {
            Ok(end) => Ok(Self { end, thread }),
            Err(_) => Err(joined(thread).err().unwrap_or_else(|| CliError::internal("failed to look"))),
        }
    }

    /// Ends it.
    pub fn end(self) -> Result<(), CliError> {
        self.end.end();
        joined(self.thread)
    }
}

fn joined(thread: JoinHandle<Result<(), CliError>>) -> Result<(), CliError> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn keep(
    env: &Env,
    zone: &TimeZone,
    mut publish: impl FnMut(Result<Board, CliError>),
    last: fn(),
    ready: &mpsc::SyncSender<End>,
) -> Result<(), CliError> {
    let mut plane = ControlPlane::open(env)?;
    let mut live = Live::new(&mut plane);
    if env.is_of_process() {
        live.end().on_signals(&env.proc, last);
    }
    let mut is_first = true;
    loop {
        live.begin(&mut plane);
        let now = Clock.now();
        let looked = plane.world(now, None).map_err(CliError::from).and_then(|(world, seen)| {
            live.looked(&seen);
            Board::of(world, &seen, zone.clone())
        });
        match looked {
            // A later one may pass: another process writes, a disk is full.
            Err(error) if is_first => return Err(error),
            looked => publish(looked),
        }
        if std::mem::take(&mut is_first) && ready.send(live.end()).is_err() {
            return Ok(());
        }
        if live.wait(&mut plane, now, None, STEP, &|| false) == Turn::End {
            return Ok(());
        }
    }
}
