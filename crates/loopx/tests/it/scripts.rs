//! The proofs in `bench/` that are quick enough to run each time.

use std::path::Path;
use std::process::Command;

/// Runs a script over the built program; it must find nothing wrong.
fn holds(script: &str, needs: &[&str]) {
    for tool in needs {
        if Command::new(tool).arg("--version").output().is_err() {
            eprintln!("SKIPPED {script}: there is no {tool}");
            return;
        }
    }
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench");
    let ran = Command::new("python3")
        .arg(bench.join(script))
        .arg(assert_cmd::cargo::cargo_bin!("loopx"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("python3");
    let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{script}:\n{said}");
}

#[test]
fn every_row_is_reached_by_the_command_line() {
    holds("rows.py", &["python3"]);
}

#[test]
fn read_verbs_touch_nothing_of_the_runtimes_and_a_receipt_is_synced() {
    holds("strace.py", &["python3", "strace"]);
}
