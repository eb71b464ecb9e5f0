//! `loopx status --watch`: the screen stays, and each change is on it at once.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use loopx_core::first_screen::instant;
use loopx_runtimes::{Scope, Watch, Woken};

use super::{Args, Looked, look, show};
use crate::cli::{Context, index};
use crate::error::CliError;
use crate::ui::Tone;

/// How long the screen stands at most while nothing happens: ages grow, leases end.
const AT_MOST: Duration = Duration::from_secs(15);

/// How often it is looked whether the terminal has another size.
const SIZE: Duration = Duration::from_millis(500);

/// What comes in quick succession is shown together: a look is followed by a rest of so many times what it took.
const REST: u32 = 4;
const SHORTEST_REST: Duration = Duration::from_millis(10);
const LONGEST_REST: Duration = Duration::from_millis(500);

/// Shows it until the terminal goes away, or somebody ends it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if context.json() || !context.ui.is_terminal() {
        return Err(CliError::usage("`--watch` needs a terminal to draw on, and draws no JSON")
            .hint("leave it out: `loopx status --json` says how things are now"));
    }
    let mut watch = context.plane()?.watch();
    if !watch.is_told() {
        context.ui.note("the system does not tell of every change here: looking every two seconds");
    }
    let mut scope = Scope::Hot;
    context.ui.clear();
    loop {
        let began = Instant::now();
        context.plane()?.look_as_far_as(scope);
        match look(args, context) {
            Ok(looked) => {
                watch.living(looked.processes());
                draw(context, &looked);
                index::go_on(context)?;
            }
            // It may pass: another process writes, a disk is full.
            Err(error) => context.ui.frame(rows(), |ui| ui.error(&error)),
        }
        if !context.ui.is_open() {
            return Ok(0);
        }
        thread::sleep((began.elapsed() * REST).clamp(SHORTEST_REST, LONGEST_REST));
        scope = wait(&mut watch);
    }
}

/// Waits until the screen may have to be another one; how far the next look goes.
fn wait(watch: &mut Watch) -> Scope {
    let (size, until) = (size(), Instant::now() + AT_MOST);
    let step = if watch.is_told() { SIZE } else { AT_MOST };
    loop {
        match watch.wait(step) {
            Woken::Appeared => return Scope::Fresh,
            Woken::Changed => return Scope::Hot,
            Woken::Elapsed if Instant::now() >= until || self::size() != size => return Scope::Hot,
            Woken::Elapsed => {}
        }
    }
}

fn draw(context: &mut Context, looked: &Looked) {
    let clock = format!("{}  Ctrl-C ends it", instant(looked.overview.now));
    context.ui.frame(rows(), |ui| {
        let clock = ui.tone(Tone::Dim, &clock);
        ui.line(&clock);
        show(ui, &looked.overview, looked.in_full, looked.seen.as_ref());
    });
}

/// How many lines the terminal has.
fn rows() -> usize {
    const USUAL: usize = 24;
    // Some terminals don't know how large they are, and say 0.
    size().filter(|(rows, _)| *rows > 0).map_or(USUAL, |(rows, _)| rows.into())
}

/// The lines and columns of the terminal.
fn size() -> Option<(u16, u16)> {
    rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| (size.ws_row, size.ws_col))
}
