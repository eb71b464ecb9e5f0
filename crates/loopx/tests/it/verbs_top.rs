//! `loopx top`, in a terminal of its own.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use loopx_core::ProofFloor;
use loopx_core::testing::Seeded;
use rustix::process::Signal;

use crate::person::Terminal;
use crate::stage::{gate, goal, lane, todo, two_lanes};
use crate::started::Started;
use crate::world::World;

/// Stands before what is selected, once it was looked.
const SELECTED: &str = "›";
/// What stands below the lanes where one of them is selected.
const DRAWN: &str = "boundary";
/// Takes the terminal.
const TAKEN: &str = "\u{1b}[?1049h";
/// Gives the terminal back.
const LEFT: &str = "\u{1b}[?1049l";

/// `loopx top` in a terminal of 24 lines of 80 columns.
pub struct Top {
    program: Started,
    terminal: Terminal,
    /// Its folder is there as long as it is.
    _world: World,
}

impl Top {
    /// Shows it.
    pub fn of(world: &World) -> Self {
        let mut top = Self::sized(world, 24, 80);
        top.stands(SELECTED);
        top
    }

    /// The same, in a terminal of another size.
    pub fn sized(world: &World, rows: u16, columns: u16) -> Self {
        let mut top = world.built(&["top"]);
        // What it does to its own group is no matter of these tests.
        top.process_group(0);
        Self::started(world, top, Terminal::of(rows, columns))
    }

    /// The same, where the terminal is the one that controls it: a code is shown and typed back there.
    fn controlled(world: &World) -> Self {
        let of_top = world.built(&["top"]);
        let mut top = Command::new("setsid");
        top.args(["--ctty", "--wait"]).arg(of_top.get_program()).args(of_top.get_args());
        top.env_clear().current_dir(world.path("work"));
        top.envs(of_top.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Self::started(world, top, Terminal::of(24, 80))
    }

    fn started(world: &World, mut top: Command, mut terminal: Terminal) -> Self {
        top.env("TERM", "xterm-256color").env("PATH", "/usr/bin:/bin");
        top.stdin(terminal.device()).stdout(terminal.device()).stderr(Stdio::null());
        let program = Started::of(&mut top);
        terminal.until(TAKEN);
        Self { program, terminal, _world: world.clone() }
    }

    /// The pane once this stands on it.
    #[track_caller]
    pub fn stands(&mut self, wanted: &str) -> String {
        self.terminal.stands(wanted)
    }

    /// Types these keys; the pane once this stands on it.
    #[track_caller]
    pub fn types(&mut self, keys: &str, stands: &str) -> String {
        self.terminal.types(keys);
        self.terminal.stands(stands)
    }

    /// Types these keys; reads until this does not stand on it any more.
    #[track_caller]
    fn leaves(&mut self, keys: &str, gone: &str) {
        self.terminal.types(keys);
        while self.pane().contains(gone) {
            assert!(self.terminal.reads(), "{gone} stays on\n{}", self.pane());
        }
    }

    /// Types these keys; what is shown from the prompt before on, once this is shown anew.
    #[track_caller]
    fn prompts(&mut self, keys: &str, prompt: &str) -> String {
        self.terminal.types(keys);
        self.terminal.until(prompt).to_owned()
    }

    /// What stands on it.
    pub fn pane(&self) -> String {
        self.terminal.pane()
    }

    /// Ends it; all that was drawn.
    #[track_caller]
    pub fn left(mut self) -> String {
        self.terminal.types("q");
        self.terminal.until(LEFT);
        assert!(self.program.end().success());
        self.terminal.rest();
        self.terminal.shown().to_owned()
    }
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
    let top = Top::of(&two_goals());
    let first = top.pane();
    assert!(first.contains("1 lane waits on you") && !first.contains("Nothing waits on you"), "{first}");
    let at = |text: &str| first.find(text).unwrap_or_else(|| panic!("no {text} in {first}"));
    assert!(at("second / codex") < at("pilot / codex"), "{first}");
    // The terminal is given back as it was.
    assert!(top.left().contains(LEFT), "{first:?}");
}

#[test]
fn a_decision_for_two_lanes_was_counted_as_two() {
    let world = two_goals();
    world.run(&["agent", "add", "zoe", "--goal", "second"]).ok();
    let mut top = Top::of(&world);
    let first = top.stands("the same as above");
    assert!(first.contains("1 thing in 2 lanes waits on you"), "{first}");
    assert_eq!(first.matches("may it go out?").count(), 2, "beside the row and in what is selected: {first}");
}

/// Which lane stands where, how and with what, whatever its age; the first one is selected.
fn lanes(top: &mut Top) -> Vec<String> {
    top.terminal.types("g");
    let words = |line: &str| line.replace(SELECTED, " ").replace(|sign: char| sign.is_ascii_digit(), "");
    let pane = top.pane();
    let list = pane.lines().take_while(|line| !line.contains('─'));
    list.map(|line| words(line).split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_top_that_stays_shows_what_one_that_is_opened_now_does() {
    const GOALS: [&str; 4] = ["north", "east", "south", "west"];
    const AGENTS: [&str; 3] = ["ann", "bob", "cyd"];
    let world = World::new();
    for goal in GOALS {
        world.run(&["goal", "add", goal, "--objective", "ship it", "--proof", "none"]).ok();
        for agent in AGENTS {
            world.run(&["agent", "add", agent, "--goal", goal]).ok();
        }
    }
    let sized = || {
        let mut top = Top::sized(&world, 40, 100);
        top.stands(SELECTED);
        top
    };
    let (mut stays, mut random) = (sized(), Seeded::new(11));
    for letter in 'a'..='n' {
        let title = format!("may part {letter} go out");
        let (goal, agent) = (random.pick(&GOALS).expect("one"), random.pick(&AGENTS).expect("one"));
        let changes: [&[&str]; 6] = [
            &["gate", "ask", &title, "--goal", goal],
            &["gate", "ask", &title, "--goal", goal, "--agent", agent],
            &["todo", "add", &title, "--goal", goal],
            &["agent", "pause", agent, "--goal", goal],
            &["goal", "pause", goal],
            &["goal", "resume", goal],
        ];
        world.run(random.pick(&changes).expect("a change"));
        let mut opened = sized();
        let deadline = Instant::now() + Duration::from_secs(20);
        while lanes(&mut stays) != lanes(&mut opened) {
            assert!(Instant::now() < deadline, "{letter}\n{}\n{}", stays.pane(), opened.pane());
            stays.terminal.reads();
        }
    }
}

#[test]
fn a_colour_that_is_not_wanted_is_not_drawn() {
    let plain = Top::of(&two_goals().with("NO_COLOR", "1")).left();
    assert!(!plain.contains("\u{1b}[31m") && !plain.contains("[38;5;1m"), "{plain:?}");
    let colored = Top::of(&two_goals()).left();
    assert!(colored.contains("38;5;1") || colored.contains("[31m"), "{colored:?}");
}

#[test]
fn it_needs_a_terminal() {
    World::new().run(&["top"]).fails(2, "needs a terminal");
    World::new().run_shown(&["top", "--json"]).fails(2, "draws no JSON");
}

#[test]
fn a_filter_made_it_say_that_nothing_waits() {
    let mut top = Top::of(&two_goals());
    top.types("/pilot", "/pilot");
    let drawn = top.types("\r", "pilot / codex");
    assert!(drawn.contains("1 lane waits on you") && !drawn.contains("Nothing waits on you"), "{drawn}");
}

#[test]
fn a_lane_that_no_session_is_at_was_counted_at_work() {
    let world = two_goals();
    world.run(&["todo", "add", "tidy up", "--goal", "pilot"]).ok();
    let drawn = Top::of(&world).pane();
    assert!(drawn.contains("1 ready") && !drawn.contains("at work"), "{drawn}");
}

#[test]
fn the_lanes_are_headed_by_whom_they_wait_on() {
    let pane = Top::of(&two_goals()).pane();
    let at = |text: &str| pane.find(text).unwrap_or_else(|| panic!("no {text} in {pane}"));
    assert!(at("Waiting on you 1") < at("second / codex"), "{pane}");
    assert!(at("Waiting on nobody 1") < at("pilot / codex"), "{pane}");
    // What is selected is told without colour too.
    assert!(pane.contains("›● you"), "{pane}");
}

#[test]
fn prompts_in_no_lane_were_only_counted() {
    let world = two_goals();
    let told = world.path("work/told.jsonl");
    let line = r#"{"runtime_id":"custom_worker","session_id":"one","state":"waiting_answer"}"#;
    std::fs::write(&told, line).expect("a file");
    world.run(&["ingest", told.to_str().expect("a path")]).ok();
    let mut top = Top::of(&world);
    let pane = top.pane();
    assert!(pane.contains("Prompts in no lane 1") && pane.contains("a question is up"), "{pane}");
    // The next that waits after the lane is the prompt; it has a view of its own, and nothing can be done with it.
    top.types("n", "›● you        custom_worker");
    let full = top.types("\r", "All lanes › ses");
    assert!(full.contains("waiting_answer") && full.contains("`loopx bind` gives it one"), "{full}");
    top.types("a", "answer it in its session");
}

#[test]
fn a_goal_and_why_a_lane_waits_are_a_key_away() {
    let world = two_goals();
    todo(&world, &["tidy up", "--goal", "second"]);
    let mut top = Top::of(&world);
    let goal = top.types("\r", "Quota and pause");
    for part in
        ["All lanes › second", "ship it", "Lanes 1", "Gates 1", "may it go out?", "Todos 1", "tidy up"]
    {
        assert!(goal.contains(part), "no {part} in {goal}");
    }
    let why = top.types("w", "because of");
    assert!(why.contains("row         6 held") && why.contains("Why"), "{why}");
    // Back, step by step; the last step stays.
    top.types("\u{7f}", "Todos 1");
    top.types("h", "Waiting on nobody");
    top.types("\u{7f}", "Waiting on nobody");
    top.left();
}

#[test]
fn any_lane_is_some_of_its_letters_away() {
    let mut top = Top::of(&two_goals());
    top.types(":", "go to a goal or lane (4)");
    top.types("plt", "(2)");
    let pane = top.types("\r", "All lanes › pilot");
    assert!(pane.contains("Lanes 1"), "{pane}");
    top.types("\u{10}", "go to a goal or lane");
    let pane = top.types("sec cod\r", "All lanes › pilot › second / codex");
    assert!(pane.contains("Why"), "{pane}");
    // From anywhere to what waits.
    let pane = top.types("n", "›● you");
    assert!(pane.contains("Waiting on nobody"), "{pane}");
}

#[test]
fn what_is_done_is_shown_first_recorded_once_and_taken_back() {
    let world = two_goals();
    let mut top = Top::of(&world);
    top.types("t", "what is to be done");
    let shown = top.types("write it down\r\r\r", "What is recorded then");
    assert!(shown.contains("todo_added") && shown.contains("write it down"), "{shown}");
    assert!(!world.run(&["todo", "list", "--goal", "second"]).ok().out.contains("write it down"));
    let done = top.types("y", "at revision");
    assert!(done.contains("at revision") && done.contains("todo_added"), "{done}");
    assert!(world.run(&["todo", "list", "--goal", "second"]).ok().out.contains("write it down"));
    top.types("u", "todo_dropped");
    top.types("\r", "at revision");
    assert!(!world.run(&["todo", "list", "--goal", "second"]).ok().out.contains("write it down"));
}

#[test]
fn what_was_typed_is_not_lost_where_it_is_refused() {
    let world = two_goals();
    let mut top = Top::of(&world);
    top.types("t", "what is to be done");
    let refused = top.types("see /home/somebody/notes\r\r\r", "title refused");
    assert!(refused.contains("see /home/somebody/notes"), "{refused}");
}

#[test]
fn a_gate_is_decided_on_the_screen_where_its_goal_asks_for_no_proof() {
    let world = two_goals();
    let mut top = Top::of(&world);
    top.types("a", "approve gate");
    let shown = top.types("y", "gate_approved");
    assert!(shown.contains("asked by") && shown.contains("covers the whole goal"), "{shown}");
    top.types("y", "proof none");
    assert!(world.run(&["gate", "list", "--all", "--goal", "second"]).ok().out.contains("approved"));
    let pane = top.types(" ", "Nothing waits on you");
    assert!(!pane.contains("Waiting on you"), "{pane}");
}

#[test]
fn a_decision_was_recorded_on_what_was_changed_since() {
    let world = two_goals();
    let asked = gate(&world, &["and this?", "--goal", "second"]);
    let mut top = Top::of(&world);
    top.types("\r", "Gates 2");
    top.types("n", "›● requested");
    let shown = top.types("ay", "gate_approved");
    let id = shown.split("approve ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a gate");
    world.run(&["gate", "reject", id, "--goal", "second"]).ok();
    top.types("y", "nothing was recorded");
    assert!(asked.starts_with("gate_"));
}

#[test]
fn a_code_is_shown_and_typed_back_outside_the_screen() {
    let world = World::new();
    goal(&world, "pilot", ProofFloor::Terminal);
    lane(&world, "pilot", "codex", None);
    gate(&world, &["may it go out?", "--goal", "pilot"]);
    let gates = || world.run(&["gate", "list", "--all", "--goal", "pilot"]).ok().out;
    let mut top = Top::controlled(&world);
    top.stands(DRAWN);
    let confirms = |top: &mut Top| {
        top.types("a", "approve gate");
        top.types("y", "It takes a code");
        // What was asked before stands there still.
        top.prompts("y", "to leave it:")
    };
    // Whoever runs these tests in an agent's session has no person to show.
    top.types("a", "approve gate");
    if top.types("y", "on goal pilot").contains("agent's session") {
        eprintln!("SKIPPED: this runs in an agent's session; `.ci/run` from a shell of your own plays it");
        return;
    }
    top.leaves("\u{1b}", "on goal pilot");
    let asked = confirms(&mut top);
    assert!(asked.contains("goal pilot: approve gate") && !top.pane().contains("Waiting on you"), "{asked}");
    top.types("nonsense\r", "the code was not typed back");
    assert!(gates().contains("requested"));
    top.types(" ", DRAWN);
    let asked = confirms(&mut top);
    let code =
        asked.rsplit("type ").next().and_then(|rest| rest.split(' ').next()).expect("a code").to_owned();
    top.types(&format!("{code}\r"), "proof terminal");
    assert!(gates().contains("approved"));
    // Keys are keys again.
    top.types(" ", "Nothing waits on you");
    top.left();
}

#[test]
fn no_terminal_is_too_small_and_no_character_too_wide() {
    let world = two_lanes(ProofFloor::None);
    todo(&world, &[&"界".repeat(240)]);
    gate(&world, &[&"広い道".repeat(60)]);
    for (rows, columns) in [(1, 1), (2, 5), (5, 20), (3, 200), (60, 4), (24, 80), (60, 200)] {
        let mut top = Top::sized(&world, rows, columns);
        for keys in [
            "j", "?", "\u{1b}", ":", "x", "\u{1b}", "a", "\r", "\u{1b}", "\r", "G", "w", "/", "界", "\r", "h",
        ] {
            top.types(keys, "");
        }
        assert!(top.program.goes_on(), "{rows} rows of {columns}");
        top.types("\u{3}", "");
        assert!(top.program.end().success(), "{rows} rows of {columns}");
    }
    let pane = Top::sized(&world, 24, 80).stands("広い道");
    assert!(pane.contains("広い道広い道") && pane.contains('…'), "{pane}");
}

#[test]
fn another_size_is_drawn_for() {
    let mut top = Top::of(&two_goals());
    top.terminal.resize(40, 140);
    top.program.signal(Signal::WINCH);
    // In a wide terminal the lane in full stands beside the lanes.
    let beside = |pane: &str| {
        pane.lines().any(|line| line.contains("Waiting on you 1") && line.contains("second / codex"))
    };
    let mut pane = top.stands("t todo");
    while !beside(&pane) {
        assert!(top.terminal.reads(), "{pane}");
        pane = top.pane();
    }
    top.left();
}

#[test]
fn it_stops_and_goes_on_with_the_terminal_as_it_was_between() {
    for typed in [true, false] {
        let mut top = Top::of(&two_goals());
        if typed {
            top.terminal.types("\u{1a}");
        } else {
            top.program.signal(Signal::TSTP);
        }
        top.terminal.until(LEFT);
        top.program.is_stopped();
        top.program.signal(Signal::CONT);
        top.terminal.until(TAKEN);
        top.types("?", "the row before");
        top.types("x", DRAWN);
        top.left();
    }
}

#[test]
fn whatever_ends_it_gives_the_terminal_back() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let mut top = Top::of(&two_goals());
        top.program.signal(signal);
        top.terminal.until(LEFT);
        assert!(top.program.end().success(), "{signal:?}");
    }
}

#[test]
fn it_read_a_terminal_that_was_gone_over_and_over() {
    // No signal tells, as under `nohup`: it is not the terminal that controls it. Nor does a drawing: nothing ages.
    let Top { mut program, terminal, _world } = Top::of(&two_lanes(ProofFloor::None));
    drop(terminal);
    program.end();
}

#[test]
fn a_terminal_that_nobody_reads_did_not_let_it_end() {
    let mut top = Top::sized(&two_goals(), 60, 200);
    top.stands(DRAWN);
    top.terminal.fills("\u{c}");
    // Two that come at once are one.
    while top.program.goes_on() {
        top.program.signal(Signal::TERM);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // It is killed: it could not leave by itself.
    assert!(!top.program.end().success());
}

#[test]
fn the_mouse_is_the_terminals_until_it_is_asked_for() {
    let mut top = Top::of(&two_goals());
    assert!(!top.terminal.shown().contains("[?1000h"));
    top.types("m", "a click selects");
    assert!(top.terminal.shown().contains("[?1000h"));
    let pane = top.pane();
    let row = pane.lines().position(|line| line.contains("pilot / codex")).expect("a row") + 1;
    top.types(&format!("\u{1b}[<0;5;{row}M"), "›– nobody");
    top.types(&format!("\u{1b}[<0;5;{row}M"), "All lanes › pilot");
    top.types("hm", "the terminal's again");
    assert!(top.left().contains("[?1000l"));
}

#[test]
fn a_pasted_text_was_taken_for_keys() {
    let world = two_goals();
    let mut top = Top::of(&world);
    top.types("\u{1b}[200~tq\u{1b}[201~j", "›– nobody");
    top.types("t", "what is to be done");
    top.types("\u{1b}[200~write\rit\u{1b}[201~", "writeit");
    top.leaves("\u{1b}", "what is to be done");
    top.left();
}

#[test]
fn a_store_that_can_not_be_read_is_an_error_on_a_terminal_as_it_was() {
    let world = two_goals();
    std::fs::write(world.path("loopx/install.json"), "[]").expect("a file");
    let mut top = Top::sized(&world, 24, 80);
    top.terminal.until(LEFT);
    assert!(!top.program.end().success());
}
