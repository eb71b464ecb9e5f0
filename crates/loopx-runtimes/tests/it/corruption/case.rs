//! One recording, what may be said of it, and what is said of it once it is damaged.

use std::cell::OnceCell;

use jiff::{SignedDuration, Timestamp};
use loopx_runtimes::Runtime;
use loopx_runtimes::testing::{Folding, Process, Says};

use super::damage::{excused, hit};
use super::made_up;
use crate::pieces::files;
use crate::scene::{after, text};

/// A recording of a session.
pub struct Case {
    pub name: String,
    pub runtime: Runtime,
    pub lines: Vec<Vec<u8>>,
    pub now: Timestamp,
    /// What is said of the intact file.
    pub intact: Said,
    processes: Vec<Process>,
    without: Vec<OnceCell<Said>>,
}

/// The state's word for every process that may stand beside the file, and the same after another turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub words: Vec<&'static str>,
    pub healed: Vec<&'static str>,
}

/// Every recording of a session and every made-up one: whole, and as it was after one of `every` lines.
pub fn cases(every: usize) -> Vec<Case> {
    let recorded = files().into_iter().map(|(runtime, path)| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = text(&path);
        (name, runtime, text.lines().map(|line| line.as_bytes().to_vec()).collect(), after(&text))
    });
    let made_up = [
        ("made up, Codex", Runtime::Codex, made_up::CODEX),
        ("made up, Claude Code", Runtime::ClaudeCode, made_up::CLAUDE),
        ("made up, old Claude Code", Runtime::ClaudeCode, made_up::OLD_CLAUDE),
    ];
    let made_up = made_up.into_iter().map(|(name, runtime, lines)| {
        let timed = lines.iter().enumerate().map(|(at, line)| {
            format!("{{\"timestamp\":\"2026-11-29T23:00:{at:02}Z\",\"type\":{line}").into_bytes()
        });
        let timed: Vec<_> = timed.collect();
        let now = after(&String::from_utf8_lossy(timed.last().unwrap()));
        (name.to_owned(), runtime, timed, now)
    });
    let mut cases = Vec::new();
    for (name, runtime, lines, now) in recorded.chain(made_up) {
        for upto in (1..=lines.len()).rev().step_by(every.max(1)) {
            cases.extend(Case::of(&name, runtime, &lines[..upto], now));
        }
    }
    cases
}

impl Case {
    fn of(name: &str, runtime: Runtime, lines: &[Vec<u8>], end: Timestamp) -> Option<Self> {
        let text = String::from_utf8_lossy(&joined(lines)).into_owned();
        let now = if text.contains("\"timestamp\":") { after(&text) } else { end };
        let newest = now - SignedDuration::from_mins(1);
        let mut processes = vec![Process::Unproved, Process::Alive, Process::Dead];
        if runtime == Runtime::ClaudeCode {
            for says in [Says::Works, Says::Rests, Says::Asks] {
                // Newer than every record, and older than the newest ones.
                for seconds in [5, -10] {
                    processes.push(Process::Says(says, newest + SignedDuration::from_secs(seconds)));
                }
            }
        }
        let mut case = Self {
            name: format!("{name} up to {}", lines.len()),
            runtime,
            without: lines.iter().map(|_| OnceCell::new()).collect(),
            lines: lines.to_vec(),
            now,
            intact: Said { words: Vec::new(), healed: Vec::new() },
            processes,
        };
        case.intact = case.said(&case.bytes());
        (!case.intact.words.contains(&NO_SESSION)).then_some(case)
    }

    /// The intact file.
    pub fn bytes(&self) -> Vec<u8> {
        joined(&self.lines)
    }

    /// The file with other lines in place of some.
    pub fn with(&self, at: usize, len: usize, lines: &[&[u8]]) -> Vec<u8> {
        let before = self.lines[..at].iter().map(Vec::as_slice);
        let after = self.lines[at + len..].iter().map(Vec::as_slice);
        joined(before.chain(lines.iter().copied()).chain(after))
    }

    /// What is said of the file without a line.
    pub fn without(&self, at: usize) -> &Said {
        self.without[at].get_or_init(|| self.said(&self.with(at, 1, &[])))
    }

    /// What is said of a file, and what is said of it after another turn.
    pub fn said(&self, file: &[u8]) -> Said {
        let mut folding = Folding::of(self.runtime, file);
        let words = self.words(&folding);
        folding.grow(&[file, &self.turn()].concat());
        Said { words, healed: self.words(&folding) }
    }

    /// The state's word for every process.
    pub fn words(&self, folding: &Folding) -> Vec<&'static str> {
        let word = |process| match (folding.facts(process, None, self.now), process) {
            (Some(facts), _) => facts.state.word(),
            (None, Process::Says(says, _)) => by_itself(says),
            (None, Process::Unproved | Process::Alive | Process::Dead) => NO_SESSION,
        };
        self.processes.iter().map(|process| word(*process)).collect()
    }

    /// A complete turn, a second after the newest record.
    pub fn turn(&self) -> Vec<u8> {
        let at = self.now - SignedDuration::from_secs(59);
        let lines: &[&str] = match self.runtime {
            Runtime::Codex => &[
                r#""event_msg","payload":{"type":"task_started","turn_id":"another"}}"#,
                r#""response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"on"}]}}"#,
                r#""response_item","payload":{"type":"message","role":"assistant","content":[]}}"#,
                r#""event_msg","payload":{"type":"task_complete","turn_id":"another","last_agent_message":"done"}}"#,
            ],
            Runtime::ClaudeCode => &[
                r#""user","uuid":"a1","sessionId":"s","origin":{"kind":"human"},"promptSource":"typed","message":{"role":"user","content":"on"}}"#,
                r#""assistant","uuid":"a2","sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"}}"#,
                r#""system","uuid":"a3","sessionId":"s","subtype":"turn_duration"}"#,
            ],
        };
        joined(lines.iter().map(|line| format!("{{\"timestamp\":\"{at}\",\"type\":{line}")))
    }

    /// What is wrong with what is said: a state that nothing intact gives, or that another turn doesn't heal. Some lines
    /// may have been hit.
    pub fn wrong(&self, said: &Said, may: &[&Said], hits: &[Hit<'_>]) -> Vec<String> {
        let hit = |path: &str| hits.iter().any(|hit| hit.paths.iter().any(|found| found.starts_with(path)));
        let excused: Vec<&str> = hits
            .iter()
            .flat_map(|hit| hit.paths.iter().flat_map(|path| excused(self.runtime, hit.line, path)))
            .copied()
            .collect();
        let mut wrong = Vec::new();
        for (at, process) in self.processes.iter().enumerate() {
            let intact = || may.iter().copied().chain([&self.intact]);
            let got = said.words[at];
            let mut good: Vec<_> =
                intact().map(|said| said.words[at]).chain(excused.iter().copied()).collect();
            if let (Process::Says(says, _), true) = (process, hit("/timestamp")) {
                // By its instant a record is set against what the process says: either may stand.
                good.extend([by_itself(*says), said.words[0], said.words[1]]);
            }
            if !matches!(got, "unknown" | NO_SESSION) && !good.contains(&got) {
                wrong.push(format!("{process:?}: {got} instead of {good:?}"));
            }
            let (got, right) = (said.healed[at], self.intact.healed[at]);
            // That a thread isn't the runtime's own is told by one word alone.
            let hidden = got == NO_SESSION && hit("/payload/thread_source");
            if got != right && !hidden && !may.iter().any(|said| said.healed[at] == got) {
                wrong.push(format!("{process:?}: after another turn, {got} instead of {right}"));
            }
        }
        wrong
    }

    /// The fields that are others in one line now.
    pub fn hit<'l>(&'l self, at: usize, damaged: &[u8]) -> Hit<'l> {
        Hit { line: &self.lines[at], paths: hit(&self.lines[at], damaged) }
    }
}

/// A line of which fields were hit.
pub struct Hit<'l> {
    line: &'l [u8],
    paths: Vec<String>,
}

/// What a process says that is a session by itself.
fn by_itself(says: Says) -> &'static str {
    match says {
        Says::Works => "running",
        Says::Rests => "idle",
        Says::Asks => "waiting_permission",
    }
}

/// In place of a state: the file is no session's.
pub const NO_SESSION: &str = "-";

/// Lines as a file.
pub fn joined<L: AsRef<[u8]>>(lines: impl IntoIterator<Item = L>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        bytes.extend(line.as_ref());
        bytes.push(b'\n');
    }
    bytes
}
