//! `loopx status --watch`: the screen stays, and each change is on it at once.

use std::io;
use std::time::Duration;

use super::{Args, Looked, look, show};
use crate::app::live::{Live, Turn, UNTOLD};
use crate::app::placing::Only;
use crate::cli::telling::Teller;
use crate::cli::{Context, list};
use crate::error::CliError;
use crate::ui::{Keys, Tone, Weight, give_keys_back};

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
    let mut keys = None;
    if context.env.is_of_process() {
        let end = live.end();
        end.on_signals(&context.env.proc, give_keys_back);
        keys = Keys::take(move || end.end());
    }
    let ends = if keys.is_some() { "q ends it" } else { "Ctrl-C ends it" };
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
                draw(context, &looked, ends, deaf.into_iter().chain(teller.complaints()));
            }
            // It may pass: another process writes, a disk is full.
            Err(error) => {
                teller.settle(now);
                draw_error(context, &error);
            }
        }
        let resized = || self::size() != size || keys.as_ref().is_some_and(Keys::is_resumed);
        let due = teller.due();
        if !context.ui.is_open() || live.wait(context.plane()?, now, due, SIZE, &resized) == Turn::End {
            return Ok(0);
        }
    }
}

fn draw(context: &mut Context, looked: &Looked, ends: &str, complaints: impl Iterator<Item = String>) {
    let zone = list::zone(context);
    let clock = format!("{}  {ends}", list::local(looked.overview.now, &zone));
    let (rows, columns) = room();
    context.ui.frame(rows, columns, |ui| {
        ui.weigh(Weight::Head);
        let clock = ui.tone(Tone::Dim, &clock);
        ui.line(&clock);
        for complaint in complaints {
            ui.note(&complaint);
        }
        ui.weigh(Weight::Usual);
        show(ui, &looked.overview, looked.only.is_some(), looked.seen.as_deref(), &zone);
    });
}

fn draw_error(context: &mut Context, error: &CliError) {
    let (rows, columns) = room();
    context.ui.frame(rows, columns, |ui| ui.error(error));
}

/// How many lines and columns there are to draw on.
fn room() -> (usize, usize) {
    const USUAL: (usize, usize) = (24, 80);
    let (rows, columns) = size().unwrap_or_default();
    // Some terminals don't know how large they are, and say 0.
    let known = |size: u16, usual: usize| if size > 0 { size.into() } else { usual };
    (known(rows, USUAL.0), known(columns, USUAL.1))
}

/// The lines and columns of the terminal.
fn size() -> Option<(u16, u16)> {
    rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| (size.ws_row, size.ws_col))
}
