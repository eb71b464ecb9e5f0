//! `loopx man`: the manual pages, and the same in Markdown.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Command;
use clap_mangen::Man;
use loopx_safety::io_words;

use crate::cli::{Context, reference};
use crate::error::CliError;

/// Print the manual page of loopx; with --dir, write the pages of every verb.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  loopx man | man -l -
  loopx man --dir ~/.local/share/man/man1")]
pub struct Args {
    /// The folder to write all pages to.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print the reference of every verb as Markdown: docs/reference/cli.md is made from it.
    #[arg(long, hide = true, conflicts_with = "dir")]
    markdown: bool,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if args.markdown {
        context.ui.raw(reference::reference().as_bytes());
        return Ok(0);
    }
    let mut command = super::command();
    command.build();
    let Some(dir) = &args.dir else {
        context.ui.raw(&page(&command)?);
        return Ok(0);
    };
    let dir = context.env.cwd.as_deref().unwrap_or(Path::new("/")).join(dir);
    fs::create_dir_all(&dir).map_err(|error| failed("the folder", &error))?;
    let count = write(&command, &dir)?;
    context.ui.line(&format!("wrote {count} pages"));
    Ok(0)
}

fn failed(what: &str, error: &std::io::Error) -> CliError {
    CliError::internal(format!("failed to write {what}: {}", io_words(error.kind())))
        .hint("choose a folder that you may write to")
}

/// One page. What is in groups for the eye of a terminal is a list of verbs there.
fn page(command: &Command) -> Result<Vec<u8>, CliError> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page).map_err(|error| {
        CliError::internal(format!("failed to render a page: {}", io_words(error.kind())))
    })?;
    Ok(page)
}

/// Writes the page of a command and of all under it; how many that was.
fn write(command: &Command, dir: &Path) -> Result<usize, CliError> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let file = format!("{name}.1");
    fs::write(dir.join(&file), page(command)?).map_err(|error| failed(&file, &error))?;
    let mut count = 1;
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help") {
        count += write(verb, dir)?;
    }
    Ok(count)
}
