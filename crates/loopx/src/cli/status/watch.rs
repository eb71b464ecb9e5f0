//! `loopx status --watch`: the screen stays, and each change is on it at once.

use std::io;
use std::time::Duration;

use loopx_core::first_screen::instant;

use super::{Args, Looked, look, show};
use crate::app::live::{Live, Turn, UNTOLD};
use crate::app::placing::Only;
use crate::cli::Context;
use crate::cli::telling::Teller;
use crate::error::CliError;
use crate::ui::Tone;

/// How often it is looked whether the terminal has another size.
const SIZE: Duration = Duration::from_millis(500);

/// Shows it until the terminal goes away, or somebody ends it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if context.json() || !context.ui.is_terminal() {
        return Err(CliError::usage("`--watch` needs a terminal to draw on, and draws no JSON").hint(
            "leave it out: `loopx status --json` says how things are now, `loopx follow --jsonl` each change",
        ));
    }
    let mut live = Live::new(context.plane()?);
    let mut teller = Teller::stays(context, args.notify, live.waker())?;
    if context.env.is_of_process() {
        live.end().on_signals(&context.env.proc);
    }
    context.ui.clear();
    loop {
        live.begin(context.plane()?);
        let (now, size) = (context.now(), size());
        match look(args, context) {
            Ok(looked) => {
                if let Some(seen) = &looked.seen {
                    live.looked(seen);
                }
                let only = Only { goal: looked.only.clone(), agent: context.named_agent()? };
                if teller.is_on(context)? {
                    teller.tell(context, &looked.overview, &only, now);
                }
                let deaf = (!live.is_told()).then(|| UNTOLD.to_owned());
                draw(context, &looked, deaf.into_iter().chain(teller.complaints()));
            }
            // It may pass: another process writes, a disk is full.
            Err(error) => {
                teller.settle(now);
                context.ui.frame(rows(), |ui| ui.error(&error));
            }
        }
        let resized = || self::size() != size;
        let due = teller.due();
        if !context.ui.is_open() || live.wait(context.plane()?, now, due, SIZE, &resized) == Turn::End {
            return Ok(0);
        }
    }
}

fn draw(context: &mut Context, looked: &Looked, complaints: impl Iterator<Item = String>) {
    let clock = format!("{}  Ctrl-C ends it", instant(looked.overview.now));
    context.ui.frame(rows(), |ui| {
        let clock = ui.tone(Tone::Dim, &clock);
        ui.line(&clock);
        for complaint in complaints {
            ui.note(&complaint);
        }
        show(ui, &looked.overview, looked.only.is_some(), looked.seen.as_ref());
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
