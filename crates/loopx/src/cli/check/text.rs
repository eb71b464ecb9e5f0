//! Any text that is to be published: every line and every name of every file is screened.

mod allow;
mod content;
mod finding;
mod lines;
mod look;
mod names;
mod piece;
mod report;
mod runs;
mod sarif;
mod search;
mod show;
mod utf16;
mod walk;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use loopx_safety::PrivateWords;

use allow::Allow;
use look::Looked;
use report::{Checked, Report};
use walk::{Ignored, Item, What};

use super::Args;
use crate::cli::Context;
use crate::error::CliError;
use crate::ui::Progress;

/// The most threads that look.
const MOST_THREADS: usize = 16;

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let base = context.env.cwd.clone().unwrap_or_default();
    let words = context.words_of_all(args.tier.kind())?;
    let allow = args.allow.as_deref().map(|file| Allow::read(&base, file)).transpose()?.unwrap_or_default();
    let ignored = if args.no_ignore { Ignored::LookedInto } else { Ignored::LeftOut };
    let items = walk::all(&base, &args.paths, ignored, &words)?;
    let looked = look_into(&items, &words, &allow);
    let checked = items.into_iter().zip(looked).map(|(item, looked)| Checked::new(item, looked)).collect();
    let report = Report { tier: words.tier(), checked, unused: allow.unused() };
    if context.json() {
        context.ui.json(&report.document())?;
    } else if args.sarif {
        context.ui.json(&sarif::document(&report))?;
    } else {
        show::show(&mut context.ui, &report, args.allow.as_deref());
    }
    Ok(if report.is_accepted() { 0 } else { 7 })
}

/// Looks into every item, on every core; what came of each, in their order.
fn look_into(items: &[Item], words: &PrivateWords, allow: &Allow) -> Vec<Looked> {
    let bytes = |item: &Item| if let What::File(bytes) = item.what { bytes } else { 0 };
    let total = items.iter().map(bytes).sum();
    let (next, done, progress) = (AtomicUsize::new(0), AtomicU64::new(0), Progress::begin());
    let work = || {
        let mut looked = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return looked };
            looked.push((at, look::into(item, words, allow)));
            let done = done.fetch_add(bytes(item), Ordering::Relaxed) + bytes(item);
            progress.show("screening", done, total);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let mut looked = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut looked = work();
        for other in others {
            match other.join() {
                Ok(more) => looked.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        looked
    });
    looked.sort_unstable_by_key(|(at, _)| *at);
    looked.into_iter().map(|(_, looked)| looked).collect()
}
