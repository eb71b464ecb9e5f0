//! `loopx status --watch`: each change is on the screen without being asked for.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

use loopx::app::serving::Doors;
use loopx::ui::Out;
use loopx_core::ProofFloor;
use rustix::process::Signal;
use rustix::termios::{LocalModes, tcgetattr};

use crate::made::Turn;
use crate::person::Terminal;
use crate::stage::{gate, goal, todo, two_lanes};
use crate::started::Started;
use crate::verbs_notify::all_told;
use crate::world::World;

/// Once a frame shows this, that is done.
type Step = (&'static str, Box<dyn FnMut()>);

/// A screen that acts on what it shows, and is closed after the last step.
struct Steps {
    left: VecDeque<Step>,
    frames: Rc<RefCell<Vec<String>>>,
    begun: Instant,
}

impl Write for Steps {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let frame = String::from_utf8_lossy(bytes).into_owned();
        assert!(
            self.begun.elapsed() < Duration::from_mins(1),
            "waits for {:?}: {frame}",
            self.left.front().map(|s| s.0)
        );
        let is_shown = self.left.front().is_some_and(|(wanted, _)| frame.contains(wanted));
        self.frames.borrow_mut().push(frame);
        if is_shown && let Some((_, mut act)) = self.left.pop_front() {
            act();
        }
        if self.left.is_empty() { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Watches until the last step is done; gives the frames.
fn watch(world: &World, args: &[&str], steps: Vec<Step>) -> Vec<String> {
    let frames = Rc::new(RefCell::new(Vec::new()));
    let terminal = Steps { left: steps.into(), frames: frames.clone(), begun: Instant::now() };
    let out = Out { data: Box::new(terminal), words: Box::new(io::sink()), is_terminal: true };
    let args = ["loopx", "status", "--watch"].iter().chain(args).map(Into::into).collect();
    assert_eq!(loopx::cli::main(&world.env, args, out, Doors::default()), 0);
    frames.take()
}

/// The first screen that is watched.
pub fn watched(world: &World) -> String {
    watch(world, &[], vec![("", Box::new(|| ())), ("", Box::new(|| ()))]).concat()
}

#[test]
fn a_change_waited_for_the_next_status() {
    let world = two_lanes(ProofFloor::None);
    let (adds, asks, ends) = (world.clone(), world.clone(), world.clone());
    let frames = watch(
        &world,
        &[],
        vec![
            (
                "add a todo or close the goal",
                Box::new(move || drop(adds.run(&["todo", "add", "tidy up"]).ok())),
            ),
            // A runtime's folder appears with the first session in it.
            (
                "advance tidy up",
                Box::new(move || drop(asks.codex(1, &asks.project("made-up"), Turn::Asks, 0))),
            ),
            ("1 session waiting on you", Box::new(move || drop(ends.run(&["goal", "pause", "pilot"]).ok()))),
            ("resume the goal", Box::new(|| ())),
        ],
    );
    assert!(frames.iter().skip(1).all(|frame| frame.contains("\u{1b}[H") && frame.ends_with("\u{1b}[?7h")));
}

#[test]
fn what_a_worker_tells_is_on_the_screen_at_once() {
    let world = two_lanes(ProofFloor::None);
    let tells = |state: &str| {
        let (world, file) = (world.clone(), world.path(&format!("work/{state}.jsonl")));
        let line = format!(r#"{{"runtime_id":"custom_worker","session_id":"one","state":"{state}"}}"#);
        std::fs::write(&file, line).expect("a file");
        move || drop(world.run(&["ingest", file.to_str().expect("text")]).ok())
    };
    let began = Instant::now();
    watch(
        &world,
        &[],
        vec![
            ("add a todo or close the goal", Box::new(tells("waiting_answer"))),
            ("1 session waiting on you", Box::new(tells("idle"))),
            ("add a todo or close the goal", Box::new(|| ())),
        ],
    );
    // Sooner than by looking from time to time.
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn over_ssh_the_bell_rings_once_for_what_begins_to_wait() {
    let world = two_lanes(ProofFloor::None).with("SSH_CONNECTION", "made up");
    let (asks, adds) = (world.clone(), world.clone());
    let frames = watch(
        &world,
        &["--notify"],
        vec![
            ("add a todo", Box::new(move || drop(asks.run(&["gate", "ask", "may it be published?"]).ok()))),
            ("\u{7}", Box::new(move || drop(adds.run(&["goal", "pause", "pilot"]).ok()))),
            ("resume the goal", Box::new(|| ())),
        ],
    );
    assert_eq!(frames.concat().matches('\u{7}').count(), 1);
}

#[test]
fn the_bell_could_not_be_had_without_ssh() {
    let world = two_lanes(ProofFloor::None);
    let asks = world.clone();
    std::fs::create_dir_all(world.path("loopx")).expect("a folder");
    std::fs::write(world.path("loopx/config.toml"), "[notify]\nbell = \"always\"\n").expect("a file");
    let ask = move || drop(asks.run(&["gate", "ask", "may it be published?"]).ok());
    watch(
        &world,
        &["--notify"],
        vec![("add a todo", Box::new(ask)), ("\u{7}", Box::new(|| ())), ("", Box::new(|| ()))],
    );
}

#[test]
fn a_command_that_failed_is_on_the_screen_soon() {
    let world = two_lanes(ProofFloor::None);
    let asks = world.clone();
    std::fs::create_dir_all(world.path("loopx")).expect("a folder");
    std::fs::write(world.path("loopx/config.toml"), "[notify]\ncommand = [\"/nowhere/at/all\"]\n")
        .expect("a file");
    let ask = move || drop(asks.run(&["gate", "ask", "may it be published?"]).ok());
    let began = Instant::now();
    watch(
        &world,
        &["--notify"],
        vec![("add a todo", Box::new(ask)), ("did not start: there is no such program", Box::new(|| ()))],
    );
    // Sooner than by looking from time to time.
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn where_nothing_can_tell_the_screen_says_so_and_stays() {
    let world = two_lanes(ProofFloor::None);
    watch(&world, &["--notify"], vec![("nothing here can tell", Box::new(|| ())), ("", Box::new(|| ()))]);
}

#[test]
fn more_than_fits_is_counted() {
    let world = two_lanes(ProofFloor::None);
    for number in 0..40 {
        goal(&world, &format!("goal-{number}"), ProofFloor::None);
    }
    let frames = watch(&world, &[], vec![("more lines", Box::new(|| ()))]);
    let lines = frames.last().expect("a frame").matches("\r\n").count();
    assert!(lines < 60, "{lines}");
}

#[test]
fn without_a_terminal_it_has_nowhere_to_draw() {
    let world = two_lanes(ProofFloor::None);
    world.run(&["status", "--watch"]).fails(2, "`--watch` needs a terminal");
    let ran = world.run_shown(&["status", "--watch", "--json"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn keys_were_shown_in_the_screen_and_q_did_not_end_it() {
    for signal in [None, Some(Signal::TERM), Some(Signal::INT)] {
        let world = two_lanes(ProofFloor::None);
        let mut terminal = Terminal::new();
        let device = terminal.device();
        let local_modes = || tcgetattr(&device).expect("its modes").local_modes;
        let before = local_modes();
        let mut watch = world.built(&["status", "--watch"]);
        let mut watch = Started::of(watch.stdin(terminal.device()).stdout(terminal.device()));
        terminal.until("q ends it");
        assert!(!local_modes().intersects(LocalModes::ECHO | LocalModes::ICANON));
        terminal.types("xyz");
        world.run(&["todo", "add", "tidy up"]).ok();
        terminal.until("advance tidy up");
        assert!(!terminal.shown().contains("xyz"), "{}", terminal.shown());
        match signal {
            None => terminal.types("q"),
            Some(signal) => watch.signal(signal),
        }
        assert!(watch.end().success(), "{signal:?}");
        assert_eq!(local_modes(), before, "{signal:?}");
    }
}

#[test]
fn a_question_longer_than_the_screen_is_wide_was_cut() {
    let world = two_lanes(ProofFloor::None);
    let question = "may the new index be published on Friday although two of its tables are not measured yet, and who \
                    tells its readers?";
    gate(&world, &[question]);
    let screen = watched(&world).replace("\u{1b}[K\r\n             ", " ");
    assert!(screen.contains(question), "{screen}");
}

#[test]
fn a_lane_with_nothing_to_do_read_as_at_work() {
    let world = two_lanes(ProofFloor::None);
    todo(&world, &["build it"]);
    world.run(&["next", "--claim"]).ok();
    // The contract's word stays; a person reads what the row says.
    let bob = world.json(&["why", "--agent", "bob"]);
    assert_eq!(
        (&bob["row"], &bob["projection"]["first_screen"]["waiting_on"]),
        (&"peers".into(), &"agent".into())
    );
    for verb in [
        &["status", "--agent", "bob"][..],
        &["status", "pilot", "--agent", "bob"],
        &["follow", "--once", "--agent", "bob"],
    ] {
        let shown = world.run(verb).ok().out;
        assert!(
            shown.contains("– idle") && !shown.contains("agent  ") && !shown.contains("at work"),
            "{shown}"
        );
    }
    let shown = world.run(&["status"]).ok().out;
    assert!(shown.contains("▷ ready") && shown.contains("other lanes: 1 idle"), "{shown}");
}

#[test]
fn times_of_a_screen_stood_in_utc_beside_local_ones() {
    let world = two_lanes(ProofFloor::None).with("TZ", "Asia/Tokyo");
    todo(&world, &["build it"]);
    world.run(&["next", "--claim"]).ok();
    for verb in [
        &["status", "--agent", "bob"][..],
        &["why", "--agent", "bob"],
        &["follow", "--once", "--agent", "bob"],
    ] {
        let shown = world.run(verb).ok().out;
        assert!(
            shown.contains("lease ends 20") && shown.contains("+09:00") && !shown.contains('Z'),
            "{shown}"
        );
    }
    let project = world.run(&["project", "--agent", "bob"]).ok().out;
    assert!(project.contains('Z') && !project.contains("+09:00"), "{project}");
}

#[test]
fn a_notification_gave_one_instant_in_utc_and_one_in_local_time() {
    let world = two_lanes(ProofFloor::None).with("TZ", "Asia/Tokyo");
    let project = world.project("made-up");
    world.run(&["bind", project.to_str().expect("text"), "--goal", "pilot", "--agent", "ann"]).ok();
    world.codex(1, &project, Turn::Asks, 0);
    let told = all_told(&world);
    let (_, told) = told.iter().find(|(what, _)| *what == "what a command is told").expect("it");
    let told = String::from_utf8_lossy(told);
    let (document, sentence) = told.trim().split_once('\t').expect("two");
    assert!(document.contains("Z\"") && !document.contains("+09:00"), "{document}");
    assert!(sentence.contains("open since 20") && sentence.contains("+09:00"), "{sentence}");
}
