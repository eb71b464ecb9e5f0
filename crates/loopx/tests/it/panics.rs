//! What is said when the program itself breaks: the place, never what was at hand.

use std::process::Command;

use loopx::env::Env;

/// Set for the run that is to break.
const WORDS: &str = "LOOPX_TEST_PANIC";

/// Breaks, where it is asked to: the place where a panic is reported is the whole process's.
fn break_if_asked() {
    let env = Env::of_process();
    let Some(words) = env.var(WORDS) else { return };
    let code = loopx::ui::guarded(|| {
        let broke = std::thread::scope(|threads| threads.spawn(|| panic!("{words}")).join());
        assert!(broke.is_err());
        panic!("{words} {words:?}")
    });
    std::process::exit(code.into());
}

/// Runs itself in a process of its own, which breaks.
#[test]
fn a_panic_names_its_place_and_nothing_that_was_at_hand() {
    break_if_asked();
    let words = "\u{1b}[2J seven quiet apples \u{202e}";
    let run = |backtrace: &str| {
        Command::new(std::env::current_exe().expect("this test"))
            .args([
                "--exact",
                "panics::a_panic_names_its_place_and_nothing_that_was_at_hand",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(WORDS, words)
            .env("RUST_BACKTRACE", backtrace)
            .output()
            .expect("a run")
    };
    for backtrace in ["0", "1", "full"] {
        let ran = run(backtrace);
        assert_eq!(ran.status.code(), Some(1), "{ran:?}");
        let said = String::from_utf8(ran.stderr).expect("text");
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 4, "{said}");
        for two in lines.chunks(2) {
            let place = two[0].strip_prefix("error: loopx broke at crates/loopx/tests/it/panics.rs:");
            assert!(place.is_some_and(|line| line.parse::<u32>().is_ok()), "{said}");
            assert!(two[1].starts_with("hint: "), "{said}");
        }
        let data = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(!(data + &said).contains("seven quiet"), "{said}");
    }
}

#[test]
fn the_program_is_guarded() {
    let main = include_str!("../../src/main.rs");
    assert!(main.contains("ui::guarded(||"), "{main}");
}
