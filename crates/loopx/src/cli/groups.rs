//! The verbs in groups, as `loopx --help` and the reference show them.

use clap::Command;

/// Each group's heading and its verbs, in the order they are shown.
pub const GROUPS: &[(&str, &[&str])] = &[
    ("Ask", &["status", "top", "serve", "follow", "statusline", "next", "why", "sessions", "usage"]),
    ("Set up", &["init", "goal", "agent", "bind", "unbind", "hooks"]),
    ("Work", &["todo", "run", "handoff", "quota"]),
    ("Decide", &["gate", "authority", "reward", "undo", "log"]),
    ("Exchange", &["project", "check", "schema", "ingest", "export", "import"]),
    ("Look after", &["doctor", "backup", "restore", "purge", "config", "uninstall"]),
    ("More", &["demo", "hook", "completions", "man"]),
];

/// Shows the verbs of a command in their groups.
pub fn grouped(command: Command) -> Command {
    let mut verbs = String::new();
    for (heading, names) in GROUPS {
        verbs += &format!("\n{heading}:\n");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map_or_else(String::new, ToString::to_string);
            // Only the first clause: the verb's own help has the rest.
            let short = about.split([':', ';', '(']).next().unwrap_or_default();
            let short = short.split(". ").next().unwrap_or_default().trim();
            verbs += &format!("  {name:<12} {short}\n");
        }
    }
    let verbs = verbs.replace(['{', '}'], "");
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{verbs}\nOptions:\n{{options}}{{after-help}}"
    ))
}
