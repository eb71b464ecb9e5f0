//! `loopx top`, in a terminal of its own.

use crate::person::Terminal;
use crate::started::Started;
use crate::world::World;

/// What the footer says once the screen is there.
const DRAWN: &str = "j k move";
/// Gives the terminal back.
const LEFT: &str = "\u{1b}[?1049l";

/// `loopx top` in a terminal of 24 lines of 80 columns.
pub struct Top {
    program: Started,
    terminal: Terminal,
}

impl Top {
    /// Shows it.
    pub fn of(world: &World) -> Self {
        Self::sized(world, 24, 80)
    }

    fn sized(world: &World, rows: u16, columns: u16) -> Self {
        let mut terminal = Terminal::of(rows, columns);
        let mut top = world.built(&["top"]);
        top.env("TERM", "xterm-256color").stdin(terminal.device()).stdout(terminal.device());
        let program = Started::of(&mut top);
        terminal.stands(DRAWN);
        Self { program, terminal }
    }

    /// Types these keys; the pane once this stands on it.
    #[track_caller]
    pub fn types(&mut self, keys: &str, stands: &str) -> String {
        self.terminal.types(keys);
        self.terminal.stands(stands)
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
