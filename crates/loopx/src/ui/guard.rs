//! What is said when LoopX itself breaks: where, and nothing else. What was at hand may be a session's words.

use std::any::Any;
use std::io::{self, Write as _};
use std::panic::{self, AssertUnwindSafe, Location, PanicHookInfo};
use std::path::Path;

use crate::error::ErrorKind;

/// Runs the program: if it breaks, a fixed sentence and the place in our source go out, and its code is 1.
///
/// The words of a panic may hold whatever was worked on, so they are dropped, and with them the backtrace.
pub fn guarded(run: impl FnOnce() -> u8) -> u8 {
    panic::set_hook(Box::new(say));
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|said: Box<dyn Any + Send>| {
        // What it holds may panic when it is dropped.
        std::mem::forget(said);
        ErrorKind::Internal.exit()
    })
}

fn say(info: &PanicHookInfo<'_>) {
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), place);
    let text = format!(
        "error: loopx broke at {place}\nhint: report it with this line; `loopx doctor` looks at the store\n"
    );
    // Nobody can be told that words could not be written.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// The file by its path in its package, never where that was built, and the line.
fn place(location: &Location<'_>) -> String {
    format!("{}:{}", in_package(location.file()), location.line())
}

fn in_package(file: &str) -> String {
    let path = Path::new(file);
    if path.is_relative() {
        return loopx_safety::escape(file).into_owned();
    }
    let steps: Vec<_> = path.iter().map(|step| step.to_string_lossy()).collect();
    // From the package's own folder, which stands before the last `src`.
    let src = steps.iter().rposition(|step| step == "src").unwrap_or(steps.len());
    let from = src.saturating_sub(1).max(1).min(steps.len().saturating_sub(1));
    loopx_safety::escape(&steps[from..].join("/")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_says_nothing_of_where_it_was_built() {
        let root = format!("{}somebody", "/home/");
        for (file, shown) in [
            ("crates/loopx/src/ui.rs".to_owned(), "crates/loopx/src/ui.rs"),
            (
                format!("{root}/.cargo/registry/src/index-1/clap-4.5.0/src/error/mod.rs"),
                "clap-4.5.0/src/error/mod.rs",
            ),
            ("/rustc/0123/library/core/src/num/mod.rs".to_owned(), "core/src/num/mod.rs"),
            (format!("{root}/odd.rs"), "odd.rs"),
            ("/src/odd.rs".to_owned(), "src/odd.rs"),
        ] {
            assert_eq!(in_package(&file), shown);
        }
    }
}
