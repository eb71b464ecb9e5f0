//! The command line as a page: `docs/reference/cli.md` is made from the same words as `--help`.

use clap::{Arg, Command};

use super::groups::GROUPS;

const HEAD: &str = "\
# The command line

Made by `cargo run -p loopx -- man --markdown > docs/reference/cli.md`; a test fails if it is not up to date.

Data goes to stdout, words go to stderr. `--json` prints one document, with `schema_version` first. Ids may be given by
any unique start, or by how they end. Exit codes: see [exit-codes.md](exit-codes.md).
";

/// The whole page.
pub fn reference() -> String {
    let mut root = super::command();
    root.build();
    let mut page = HEAD.to_owned();
    page += "\n## Options of every verb\n\n";
    page += &options(root.get_arguments().filter(|arg| arg.is_global_set()));
    for (heading, verbs) in GROUPS {
        page += &format!("\n## {heading}\n");
        for name in *verbs {
            if let Some(verb) = root.find_subcommand(name) {
                section(verb, 3, &mut page);
            }
        }
    }
    page
}

fn section(command: &Command, depth: usize, page: &mut String) {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    *page += &format!("\n{} {name}\n\n", "#".repeat(depth));
    if let Some(about) = command.get_long_about().or_else(|| command.get_about()) {
        *page += &format!("{}\n\n", about.to_string().trim());
    }
    let verbs: Vec<&Command> =
        command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help").collect();
    let own = options(command.get_arguments().filter(|arg| !arg.is_global_set()));
    // One with verbs of its own may be run by itself, too.
    if verbs.is_empty() || !own.is_empty() {
        *page += &format!("```text\n{}\n```\n", usage(command));
        if !own.is_empty() {
            *page += &format!("\n{own}");
        }
    }
    if let Some(after) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        *page += &format!("\n```text\n{}\n```\n", after.to_string().trim_end());
    }
    for verb in verbs {
        section(verb, depth + 1, page);
    }
}

/// The usage on one line, without what every verb takes.
fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    // Where it is run with a verb, that verb's own section says how.
    let usage = usage.lines().filter(|line| !line.trim().is_empty() && !line.ends_with("<COMMAND>"));
    let usage = usage.collect::<Vec<_>>().join(" ");
    usage.trim_start_matches("Usage:").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn options<'a>(args: impl Iterator<Item = &'a Arg>) -> String {
    args.filter(|arg| !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version"))
        .map(option)
        .collect()
}

/// One argument on a line of a list.
fn option(arg: &Arg) -> String {
    let value = arg.get_value_names().map_or_else(String::new, |names| {
        names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    });
    let takes_value = arg.get_action().takes_values();
    let mut name = match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (None, Some(long)) => format!("--{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, None) => String::new(),
    };
    if takes_value {
        name += if name.is_empty() { "" } else { " " };
        name += &value;
    }
    let help = arg.get_long_help().or_else(|| arg.get_help()).map_or_else(String::new, ToString::to_string);
    let help: Vec<&str> = help.split_whitespace().collect();
    let help = help.join(" ");
    let mut line = format!("- `{name}`: {}", help.trim_end_matches('.'));
    line += ".";
    let words: Vec<String> =
        arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    if takes_value && !words.is_empty() {
        line += &format!(" One of {}.", words.join(", "));
    }
    let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if takes_value && !default.is_empty() {
        line += &format!(" Default: {}.", default.join(" "));
    }
    line + "\n"
}
