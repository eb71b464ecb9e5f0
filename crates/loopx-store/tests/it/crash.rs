//! The crash proof: what was acknowledged stays, whatever happens to the process, the disk or the power, and what was
//! not is there wholly or not at all. `bench/crash.sh` runs the same tests longer.

mod disk;
mod faults;
mod injected;
mod kill;
mod log;
mod power;
mod purge;
mod races;
mod replay;
mod trace;
mod writer;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use loopx_core::ProofFloor;
use loopx_store::conformance::script::{Script, agent_add, goal_add};
use loopx_store::{SqliteStore, Store};

const ROLE: &str = "LOOPX_CRASH_ROLE";

/// A count that `bench/crash.sh` raises.
fn count(name: &str, or: usize) -> usize {
    std::env::var(name).map_or(or, |text| text.parse().unwrap())
}

/// Whether a tool can be run. Says so loudly if not: the test that wants it proves nothing then.
fn have(tool: &str) -> bool {
    let found = Command::new(tool).arg("-V").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("\n!!! SKIPPED: there is no {tool} here, so this test shows nothing !!!\n");
    }
    found
}

/// This test binary in a role, started by the program and arguments of `before` if there are any.
fn process<S: AsRef<OsStr>>(before: &[S], role: &str, base: &Path, number: usize, more: &str) -> Command {
    let me = std::env::current_exe().unwrap();
    let mut command = match before {
        [] => Command::new(&me),
        [program, arguments @ ..] => {
            let mut command = Command::new(program);
            command.args(arguments).arg(&me);
            command
        }
    };
    command
        .args(["--exact", "crash::another_process", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env("LOOPX_CRASH_BASE", base)
        .env("LOOPX_CRASH_NUMBER", number.to_string())
        .env("LOOPX_CRASH_MORE", more)
        .stdout(Stdio::piped());
    command
}

fn start(role: &str, base: &Path, number: usize, more: &str) -> Child {
    process::<&str>(&[], role, base, number, more).spawn().unwrap()
}

/// Not a test: what a process that one of these tests started does.
#[test]
fn another_process() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let base = std::env::var("LOOPX_CRASH_BASE").unwrap();
    let number = count("LOOPX_CRASH_NUMBER", 0);
    let more = std::env::var("LOOPX_CRASH_MORE").unwrap();
    let base = Path::new(&base);
    match role.as_str() {
        "writes" => writer::write(base, number, &more),
        "prepares" => prepare(&mut SqliteStore::open(base).unwrap(), &[writer::GOAL]),
        "restores" => {
            SqliteStore::open(base).unwrap().restore(Path::new(&more)).unwrap();
            crate::processes::say("restored");
        }
        "bears" => injected::bear(base, &more),
        "purges" => purge::purge(base, number),
        "fills" => faults::fill(base),
        "races" => races::race(base, number),
        other => panic!("{other}"),
    }
}

const LANES: usize = 8;

/// Goals with a lane for each writer.
fn prepare(store: &mut dyn Store, goals: &[&str]) {
    let mut script = Script::new(store);
    for goal in goals {
        script.done(&goal_add(goal, ProofFloor::None));
        for number in 0..LANES {
            script.done(&agent_add(goal, &writer::lane(number)));
        }
    }
}
