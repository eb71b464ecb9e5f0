//! `loopx top`, in a terminal of its own.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use rustix::termios::{Winsize, tcsetwinsize};

use crate::person::terminal;
use crate::world::World;

/// What the footer says once the screen is there.
const DRAWN: &str = "j k move";

/// Shows it in 24 lines of 80 columns, types these keys, the last of which ends it, and gives what was drawn: before
/// each key, and at the end.
pub fn panes(world: &World, keys: &[u8]) -> Vec<String> {
    let (tty, controller, held) = terminal();
    let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&controller, size).expect("a size");
    let end = || Stdio::from(File::options().read(true).write(true).open(&tty).expect("the terminal"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_loopx"))
        .arg("top")
        .env_clear()
        .envs(&world.env.vars)
        .env("TERM", "xterm-256color")
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .expect("the program");
    let mut controller = File::from(controller);
    let mut panes = Vec::new();
    let mut bytes = vec![0; 1 << 16];
    let mut drawn = String::new();
    while !drawn.contains(DRAWN) {
        let count = controller.read(&mut bytes).expect("what is drawn");
        drawn += &String::from_utf8_lossy(&bytes[..count]);
    }
    panes.push(std::mem::take(&mut drawn));
    for key in keys {
        controller.write_all(&[*key]).expect("typed");
        // Every key changes something on the screen, if only for a moment; the last one gives the terminal back.
        let count = controller.read(&mut bytes).expect("what is drawn");
        panes.push(String::from_utf8_lossy(&bytes[..count]).into_owned());
    }
    let status = child.wait().expect("its end");
    rustix::fs::fcntl_setfl(&controller, rustix::fs::OFlags::NONBLOCK).expect("a flag");
    let mut rest = Vec::new();
    let _nothing_more = controller.read_to_end(&mut rest);
    panes.push(String::from_utf8_lossy(&rest).into_owned());
    drop(held);
    assert!(status.success(), "{status} {panes:?}");
    panes
}

fn two_goals() -> World {
    let world = World::new();
    for goal in ["pilot", "second"] {
        world.run(&["goal", "add", goal, "--objective", "ship it", "--proof", "none"]).ok();
        world.run(&["agent", "add", "codex", "--goal", goal]).ok();
    }
    world.run(&["gate", "ask", "may it go out?", "--goal", "second"]).ok();
    world
}

#[test]
fn whoever_needs_somebody_comes_first() {
    let panes = panes(&two_goals(), b"q");
    let first = &panes.concat();
    assert!(first.contains("1 lane waits on you") && !first.contains("Nothing waits on you"), "{first}");
    let at = |text: &str| first.find(text).unwrap_or_else(|| panic!("no {text} in {first}"));
    assert!(at("second / codex") < at("pilot / codex"), "{first}");
    // The terminal is given back as it was.
    assert!(panes.concat().contains("\u{1b}[?1049l"), "{panes:?}");
}

#[test]
fn a_colour_that_is_not_wanted_is_not_drawn() {
    let plain = panes(&two_goals().with("NO_COLOR", "1"), b"q").concat();
    assert!(!plain.contains("\u{1b}[31m") && !plain.contains("[38;5;1m"), "{plain:?}");
    let colored = panes(&two_goals(), b"q").concat();
    assert!(colored.contains("38;5;1") || colored.contains("[31m"), "{colored:?}");
}

#[test]
fn it_needs_a_terminal() {
    World::new().run(&["top"]).fails(2, "needs a terminal");
    World::new().run_shown(&["top", "--json"]).fails(2, "draws no JSON");
}

#[test]
fn a_filter_made_it_say_that_nothing_waits() {
    let drawn = panes(&two_goals(), b"/pilot\rq").concat();
    assert!(drawn.contains("1 lane waits on you") && !drawn.contains("Nothing waits on you"), "{drawn}");
}

#[test]
fn a_lane_that_no_session_is_at_was_counted_at_work() {
    let world = two_goals();
    world.run(&["todo", "add", "tidy up", "--goal", "pilot"]).ok();
    let drawn = panes(&world, b"q").concat();
    assert!(drawn.contains("1 ready") && !drawn.contains("at work"), "{drawn}");
}
