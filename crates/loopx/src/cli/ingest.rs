//! `loopx ingest`: what a worker of the user's own says of its session, one JSON object a line. It writes one file in
//! LoopX's data folder, never the log.

mod follow;
mod lines;
mod tally;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal as _, Read as _, StdinLock};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId};
use loopx_runtimes::worker::{Intake, Lane, Setting, Spool};
use loopx_safety::{TierKind, io_words};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FileType;

use crate::app::home::{install_key, make_folder};
use crate::app::lanes::missing;
use crate::app::sources;
use crate::app::words::OwnWords;
use crate::cli::{Context, bound};
use crate::clock::Clock;
use crate::error::CliError;
use crate::ui::Ui;
use lines::Lines;
use tally::Tally;

/// How much is read at once, in bytes.
const CHUNK: usize = 256 << 10;

/// What comes in quick succession is appended together: at the latest after so long, and not again for so long a rest.
const TOGETHER: Duration = Duration::from_millis(50);
const REST: Duration = Duration::from_millis(5);

/// Take in what a worker of yours says of its session: one JSON object a line, on stdin, in a file, or in one that is
/// followed.
///
/// A line names `runtime_id` (`custom_worker` or a word of yours), `session_id` (any short name) and `state`; all else
/// may be left out. It counts at once. What is wrong with a line is said on stderr by its number and field, never its text;
/// the other lines are taken. Unknown keys are dropped and counted. Exit code 7 if a line was refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ./worker.sh | loopx ingest
  loopx ingest --follow worker.jsonl --goal handbook --agent builder
  loopx ingest --check worker.jsonl
The shape: `loopx schema worker-facts`. `--goal` and `--agent`, in full, hold for lines that name no goal.")]
pub struct Args {
    /// The file, or `-` for stdin.
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// Follow a file until Ctrl-C: from its start, or from where the last time ended. It may come later, be cut short
    /// or be replaced, and may be a named pipe.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    follow: Option<PathBuf>,
    /// Judge the lines only: take none.
    #[arg(long, conflicts_with = "follow")]
    check: bool,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let home = context.home()?;
    let words = OwnWords::read(&context.env, &home)?.with(TierKind::Local, &BTreeMap::new());
    let (key, sources) = (install_key(&home.data)?, sources::of(&context.env));
    let followed = match &args.follow {
        Some(path) => Some(bound::cwd(context)?.join(path)),
        None => None,
    };
    let input = match (&followed, args.file == Path::new("-")) {
        (Some(_), _) => None,
        (None, true) => Some(Input::stdin()?),
        (None, false) => Some(Input::file(&bound::cwd(context)?.join(&args.file))?),
    };
    let setting = Setting {
        goal: named(context.named_goal(), context.env.var("LOOPX_GOAL"), GoalId::parse)?,
        agent: match context.named_agent()? {
            Some(agent) => Some(agent),
            None => named(None, context.env.var("LOOPX_AGENT"), AgentId::parse)?,
        },
        // A file that is followed may be anybody's.
        cwd: context.env.cwd.clone().filter(|_| input.is_some()),
        reader: input.as_ref().filter(|input| input.is_stream).map(|_| context.env.pid),
    };
    make_folder(&home.data).map_err(|error| {
        CliError::internal(format!("failed to make the data folder: {}", io_words(error.kind())))
            .hint("run `loopx doctor`")
    })?;
    let intake = Intake::new(&Spool::of(&home.data), &sources, &key, &words, setting);
    let data = home.data.clone();
    let json = context.json();
    let mut taking = Taking {
        intake,
        data,
        clock: context.clock,
        ui: &mut context.ui,
        tally: Tally::new(args.check),
        waits: None,
    };
    match (input, &followed) {
        (Some(input), _) => taking.all(input)?,
        (None, Some(path)) => follow::run(path, &home.data, &key, &mut taking)?,
        (None, None) => {}
    }
    let Taking { intake, tally, waits, ui, .. } = taking;
    if let Some(error) = waits {
        return Err(unwritten(&error));
    }
    tally.show(&intake, ui, json)
}

/// A goal or agent that holds for all lines: the flag, else the variable.
fn named<T>(
    flag: Option<&str>,
    variable: Option<&str>,
    parse: fn(&str) -> Result<T, loopx_contract::IdError>,
) -> Result<Option<T>, CliError> {
    Ok(flag.or(variable).map(parse).transpose()?)
}

fn unwritten(error: &io::Error) -> CliError {
    let message = format!("failed to append to workers.jsonl in the data folder: {}", io_words(error.kind()));
    CliError::internal(message).hint("it must be a file of yours on a disk with room: run `loopx doctor`")
}

/// Where lines come from, to an end.
struct Input {
    from: From,
    /// Whether a worker writes to it right now.
    is_stream: bool,
    /// When it was written last, where it is a file.
    written: Option<Timestamp>,
}

enum From {
    Stdin(StdinLock<'static>),
    File(File),
}

impl Input {
    fn stdin() -> Result<Self, CliError> {
        if io::stdin().is_terminal() {
            return Err(CliError::usage("nothing comes in: stdin is a terminal")
                .hint("pipe a worker's lines into it, or name their file"));
        }
        Ok(Self::of(From::Stdin(io::stdin().lock())))
    }

    fn file(path: &Path) -> Result<Self, CliError> {
        let file = File::open(path).map_err(|error| {
            let kind = error.kind();
            let failed = if kind == ErrorKind::NotFound { CliError::not_found } else { CliError::internal };
            failed(format!("failed to read the file: {}", io_words(kind)))
                .hint("name a file of lines, or `-` for stdin")
        })?;
        Ok(Self::of(From::File(file)))
    }

    fn of(from: From) -> Self {
        let (is_stream, written) = match &from {
            From::Stdin(stdin) => kind(stdin),
            From::File(file) => kind(file),
        };
        Self { from, is_stream, written }
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.from {
            From::Stdin(stdin) => stdin.read(buffer),
            From::File(file) => file.read(buffer),
        }
    }

    /// Whether there is more right now.
    fn has_more(&self) -> bool {
        let fd = match &self.from {
            From::Stdin(stdin) => stdin.as_fd(),
            From::File(file) => file.as_fd(),
        };
        let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }
}

/// Whether it is a pipe, and when it was written last where it is a file.
fn kind(of: impl AsFd) -> (bool, Option<Timestamp>) {
    let Ok(stat) = rustix::fs::fstat(of) else { return (false, None) };
    let kind = FileType::from_raw_mode(stat.st_mode);
    let written = Timestamp::new(stat.st_mtime, 0).ok();
    (matches!(kind, FileType::Fifo | FileType::Socket), written.filter(|_| kind == FileType::RegularFile))
}

/// Taking lines in, and what became of them.
struct Taking<'a> {
    intake: Intake<'a>,
    /// The data folder.
    data: PathBuf,
    clock: Clock,
    ui: &'a mut Ui,
    tally: Tally,
    /// Why what was taken could not be written yet.
    waits: Option<io::Error>,
}

impl Taking<'_> {
    /// All lines up to the end.
    fn all(&mut self, mut input: Input) -> Result<(), CliError> {
        let (mut lines, mut buffer) = (Lines::default(), vec![0; CHUNK]);
        let mut flushed = Instant::now();
        loop {
            let read = match input.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    return Err(CliError::internal(format!(
                        "failed to read the lines: {}",
                        io_words(error.kind())
                    ))
                    .hint("name a file of lines, or `-` for stdin"));
                }
            };
            self.take(buffer.get(..read).unwrap_or_default(), &mut lines, input.written);
            if flushed.elapsed() >= TOGETHER || !input.has_more() {
                self.flush();
                thread::sleep(REST);
                flushed = Instant::now();
            }
        }
        let (now, written) = (self.clock.now(), input.written);
        lines.end(|number, line| self.line(number, line, now, written));
        self.flush();
        Ok(())
    }

    /// The next bytes: each line that ends in them is judged.
    fn take(&mut self, bytes: &[u8], lines: &mut Lines, written: Option<Timestamp>) {
        let now = self.clock.now();
        lines.feed(bytes, |number, line| self.line(number, line, now, written));
    }

    fn line(&mut self, number: u64, line: &[u8], now: Timestamp, written: Option<Timestamp>) {
        match self.intake.line(line, now, written) {
            Ok(()) => {
                self.tally.taken();
                for lane in self.intake.lanes() {
                    self.unknown(&lane);
                }
            }
            Err(faults) => self.tally.refused(number, &faults, self.ui),
        }
    }

    /// Says so where a lane is not there: the line is taken, for it may come yet.
    fn unknown(&mut self, lane: &Lane) {
        if let Some((what, hint)) = missing(&self.data, lane) {
            self.ui.note(&format!("{what}: its sessions count for no lane until there is"));
            self.ui.note(&format!("hint: {hint}"));
        }
    }

    /// A worker is not to be stopped by a full disk: what can't be written waits.
    fn flush(&mut self) {
        if self.tally.checks_only() {
            return;
        }
        match self.intake.flush(self.clock.now()) {
            Ok(()) => self.waits = None,
            Err(error) => {
                if self.waits.is_none() {
                    self.ui.error(&unwritten(&error));
                }
                self.waits = Some(error);
            }
        }
    }
}
