//! The built program as a door: its own streams, with every variable that asks for logs, and readers that go away.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::doors::Output;
use super::home::Home;
use super::verbs::files;

/// What is run: what reads sessions, what reads LoopX's own, what fails, what completes.
const LINES: &[&[&str]] = &[
    &[],
    &["status"],
    &["status", "--json"],
    &["sessions", "list", "--all"],
    &["sessions", "list", "--all", "--json"],
    &["sessions", "show", "nowhere"],
    &["usage", "--by", "session"],
    &["bind", "--list"],
    &["doctor"],
    &["log", "--all", "--jsonl"],
    &["export"],
    &["check", "--text", "."],
    &["check", "projection.json"],
    &["config", "path"],
    &["uninstall"],
    &["init"],
    &["--version"],
    &["help", "sessions"],
    &["-h"],
    &["nonsense"],
];

/// What asks a program to say more.
const MORE: &[(&str, &str)] = &[
    ("RUST_LOG", "trace"),
    ("RUST_BACKTRACE", "full"),
    ("LOOPX_LOG", "trace"),
    ("DEBUG", "1"),
    ("CLICOLOR_FORCE", "1"),
];

/// All that the built program says, and the files that it leaves.
pub fn outputs(home: &Home) -> Vec<Output> {
    let mut outputs = Vec::new();
    for line in LINES {
        let name = line.join(" ");
        let mut full = Command::new(env!("CARGO_BIN_EXE_loopx"));
        let full = command(&mut full, home, line);
        let ran = full.output().expect("the program");
        outputs.push(Output::new(format!("the program, `{name}`, stdout"), ran.stdout));
        outputs.push(Output::new(format!("the program, `{name}`, stderr"), ran.stderr));
        outputs.push(Output::new(format!("the program, `{name}`, to a full disk"), filled(home, line)));
        outputs.push(Output::new(format!("the program, `{name}`, to one who leaves"), left(home, line)));
    }
    let own = files(&home.world.path("loopx")).into_iter().filter(|(name, _)| name != "private_terms");
    outputs.extend(own.flat_map(|(name, bytes)| Output::named_file(&name, bytes)));
    outputs
}

fn command<'c>(command: &'c mut Command, home: &Home, line: &[&str]) -> &'c mut Command {
    command.args(line).current_dir(&home.project).env_clear().envs(&home.world.env.vars);
    command.envs(MORE.iter().copied()).stdin(Stdio::null())
}

/// Its words where its data has no place.
fn filled(home: &Home, line: &[&str]) -> Vec<u8> {
    let full = File::options().write(true).open(Path::new("/dev/full")).expect("a full disk");
    let mut program = Command::new(env!("CARGO_BIN_EXE_loopx"));
    command(&mut program, home, line).stdout(full).output().expect("the program").stderr
}

/// Its words where its reader takes one byte and goes.
fn left(home: &Home, line: &[&str]) -> Vec<u8> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_loopx"));
    let program = command(&mut program, home, line).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().expect("the program");
    let _taken = child.stdout.take().expect("its data").read(&mut [0]);
    let mut words = Vec::new();
    child.stderr.take().expect("its words").read_to_end(&mut words).expect("its words");
    child.wait().expect("its end");
    words
}
