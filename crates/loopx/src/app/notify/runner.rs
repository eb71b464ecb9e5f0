//! Telling: programs that are run without a shell, one after another, each for a limited time.

use std::ffi::OsString;
use std::io::{ErrorKind, Write as _};
use std::ops::Range;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use loopx_safety::io_words;
use rustix::process::{Pid, Signal, kill_process_group};

/// How long a program may take.
const LIMIT: Duration = Duration::from_secs(10);

/// How often it is looked whether it has ended.
const STEP: Duration = Duration::from_millis(20);

/// A program that is to be run.
#[derive(Clone, Debug)]
pub struct Run {
    /// What it is called in words.
    pub name: &'static str,
    /// It and its arguments.
    pub words: Vec<OsString>,
    /// Variables beside those of this process.
    pub vars: Vec<(&'static str, String)>,
    /// What it is given to read.
    pub input: Vec<u8>,
    /// What it tells of, as its caller counts.
    pub of: Range<usize>,
}

/// How a run went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What the program is called in words.
    pub name: &'static str,
    /// What it told of, as its caller counts.
    pub of: Range<usize>,
    /// Why it failed, if it did.
    pub failure: Option<String>,
}

/// What is called when a run has ended.
pub type Wake = Box<dyn Fn() + Send>;

/// Runs programs on a thread of its own.
pub struct Runner {
    runs: Option<Sender<Run>>,
    endings: Receiver<Ended>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Runner {
    /// Begins with nothing to run.
    pub fn new(wake: Wake) -> Self {
        Self::within(LIMIT, wake)
    }

    fn within(limit: Duration, wake: Wake) -> Self {
        let (runs, todo) = channel::<Run>();
        let (say, endings) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            for run in todo {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let failure = match carry_out(&run, limit, &stopped) {
                    Ok(End::Itself) => None,
                    // What it told or did not tell is not known.
                    Ok(End::Stopped) => return,
                    Err(why) => Some(format!("{} {why}", run.name)),
                };
                let _ = say.send(Ended { name: run.name, of: run.of, failure });
                wake();
            }
        });
        Self { runs: Some(runs), endings, stop, thread: Some(thread) }
    }

    /// Has it run, after those before it.
    pub fn run(&self, run: Run) {
        if let Some(runs) = &self.runs {
            let _ = runs.send(run);
        }
    }

    /// How each went that has ended since the last call.
    pub fn ended(&self) -> impl Iterator<Item = Ended> {
        self.endings.try_iter()
    }

    /// Waits until all have ended.
    pub fn finish(&mut self) {
        self.runs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Runner {
    /// Ends what runs, and begins nothing more.
    pub fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.finish();
    }
}

impl Drop for Runner {
    /// Nothing that was started here goes on.
    fn drop(&mut self) {
        self.stop();
    }
}

/// How a program came to its end, if it did not fail.
enum End {
    /// By itself, and well.
    Itself,
    /// It was stopped.
    Stopped,
}

/// Runs it to its end, or to the end of its time. The failure completes a sentence that begins with its name.
fn carry_out(run: &Run, limit: Duration, stop: &AtomicBool) -> Result<End, String> {
    let Some((program, arguments)) = run.words.split_first() else { return Ok(End::Itself) };
    let mut child = Command::new(program)
        .args(arguments)
        .envs(run.vars.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // So that it can be ended with all that it starts, and no Ctrl-C meant for us reaches it.
        .process_group(0)
        .spawn()
        .map_err(|error| {
            if error.kind() == ErrorKind::NotFound {
                "did not start: there is no such program".to_owned()
            } else {
                format!("did not start: {}", io_words(error.kind()))
            }
        })?;
    if let Some(mut input) = child.stdin.take() {
        // One that reads nothing is none of our business, and is not waited for: its end ends this too.
        let document = run.input.clone();
        thread::spawn(move || {
            let _ = input.write_all(&document);
        });
    }
    let until = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(End::Itself),
            Ok(Some(status)) => {
                return Err(status.code().map_or_else(
                    || "was ended by a signal".to_owned(),
                    |code| format!("ended with exit code {code}"),
                ));
            }
            Ok(None) if stop.load(Ordering::Relaxed) => {
                end(&mut child);
                return Ok(End::Stopped);
            }
            Ok(None) if Instant::now() >= until => {
                end(&mut child);
                return Err(format!("took over {} s, and was ended", limit.as_secs()));
            }
            Ok(None) => thread::sleep(STEP),
            Err(error) => return Err(format!("was lost: {}", io_words(error.kind()))),
        }
    }
}

/// Ends a program and what it has started.
fn end(child: &mut Child) {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Run {
        let words = ["/bin/sh", "-c", script].map(OsString::from).to_vec();
        Run {
            name: "it",
            words,
            vars: vec![("WORD", "a b; $(c)".to_owned())],
            input: b"a document".to_vec(),
            of: 0..1,
        }
    }

    fn run(run: Run) -> Vec<Option<String>> {
        let mut runner = Runner::within(Duration::from_secs(1), Box::new(|| {}));
        runner.run(run);
        runner.finish();
        runner.ended().map(|ended| ended.failure).collect()
    }

    #[test]
    fn a_program_is_given_its_words_as_they_are() {
        let check = "test \"$(cat)\" = 'a document' && test \"$WORD\" = 'a b; $(c)'";
        assert_eq!(run(shell(check)), [None]);
        // One that reads nothing is no failure.
        assert_eq!(run(shell("exec <&-")), [None]);
    }

    #[test]
    fn a_failure_is_said() {
        assert_eq!(run(shell("exit 3")), [Some("it ended with exit code 3".to_owned())]);
        assert_eq!(run(shell("kill -9 $$")), [Some("it was ended by a signal".to_owned())]);
        let words = vec![OsString::from("/nowhere/at/all")];
        let failed = run(Run { words, ..shell("") });
        assert!(failed[0].as_ref().is_some_and(|why| why.starts_with("it did not start: ")), "{failed:?}");
    }

    #[test]
    fn one_that_hangs_is_ended_with_all_that_it_started() {
        let room = tempfile::tempdir().expect("a folder");
        let pid = room.path().join("pid");
        let script = format!("sleep 600 & echo $! > {}; wait", pid.display());
        let began = Instant::now();
        assert_eq!(run(shell(&script)), [Some("it took over 1 s, and was ended".to_owned())]);
        assert!(began.elapsed() < Duration::from_secs(30));
        let pid = crate::app::file::text(&pid, 64).expect("a file").expect("a file");
        let stat = format!("/proc/{}/stat", pid.trim());
        let is_gone = || {
            let stat = crate::app::file::text(stat.as_ref(), 4096).ok().flatten();
            stat.is_none_or(|stat| stat.contains(") Z "))
        };
        let until = Instant::now() + Duration::from_secs(30);
        while !is_gone() {
            assert!(Instant::now() < until, "it goes on");
            thread::sleep(STEP);
        }
    }

    #[test]
    fn one_that_reads_nothing_of_a_long_document_is_ended_too() {
        let long = Run { input: vec![b'x'; 1 << 20], ..shell("sleep 600") };
        assert_eq!(run(long), [Some("it took over 1 s, and was ended".to_owned())]);
    }

    #[test]
    fn who_stops_waits_for_nothing() {
        let mut runner = Runner::new(Box::new(|| {}));
        let began = Instant::now();
        runner.run(shell("sleep 600"));
        runner.run(shell("sleep 600"));
        runner.stop();
        assert!(began.elapsed() < LIMIT / 2, "{:?}", began.elapsed());
        assert_eq!(runner.ended().next(), None, "whether it told is not known");
    }
}
