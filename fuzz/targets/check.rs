//! Any text may stand where a command is expected.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopx_runtimes::testing::check;

fuzz_target!(|line: &str| {
    let _ = check(line);
    // What is said in quotes is no command.
    if !line.contains('\'') {
        assert_eq!(check(&format!("echo '{line}'")), None);
    }
});
