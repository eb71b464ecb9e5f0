//! The difference that a change makes, a line each. What is ours is shown as it is written. Of what is the user's, only
//! marks, numbers and the runtimes' own names are: settings hold credentials, and agents read what is printed.

use loopx_runtimes::hooks::names;
use similar::{ChangeTag, TextDiff};

use crate::app::hooks::{Change, Program, Role};
use crate::cli::Context;
use crate::error::CliError;
use crate::ui::Tone;

/// How many lines are shown around what changes.
const AROUND: usize = 1;

/// Stands for a text of the user's.
const HIDDEN: &str = "…";

/// Names that stand in every such file.
const NAMES: [&str; 11] = [
    "hooks",
    "matcher",
    "type",
    "command",
    "timeout",
    "statusLine",
    "padding",
    "notify",
    "true",
    "false",
    "null",
];

/// Shows it.
pub(super) fn show(context: &mut Context, change: &Change) -> Result<(), CliError> {
    // With --json, the document alone is data.
    if !change.changes() || context.json() {
        return Ok(());
    }
    let view = View::of(context, change.role)?;
    let name = change.role.words();
    let (was, is) = match (change.makes(), change.removes()) {
        (true, _) => ("no file", name),
        (false, true) => (name, "no file"),
        (false, false) => (name, name),
    };
    let head = [format!("--- {was}"), format!("+++ {is}")];
    for line in head {
        let line = context.ui.tone(Tone::Bold, &line);
        context.ui.line(&line);
    }
    let after = if change.removes() { "" } else { change.after() };
    let diff = TextDiff::from_lines(change.before(), after);
    for hunk in diff.unified_diff().context_radius(AROUND).iter_hunks() {
        let head = context.ui.tone(Tone::Dim, &hunk.header().to_string());
        context.ui.line(&head);
        for line in hunk.iter_changes() {
            let text = line.value().trim_end_matches(['\n', '\r']);
            let (sign, tone) = match line.tag() {
                ChangeTag::Equal => (' ', None),
                ChangeTag::Delete => ('-', Some(Tone::Alert)),
                ChangeTag::Insert => ('+', Some(Tone::Good)),
            };
            let text = format!("{sign}{}", view.line(text));
            let text = match tone {
                Some(tone) => context.ui.tone(tone, &text),
                None => context.ui.plain(&text),
            };
            context.ui.line(&text);
        }
    }
    Ok(())
}

/// How lines are shown.
struct View {
    /// Names that are the runtime's, and nobody's.
    names: Vec<&'static str>,
    /// Texts of ours as they stand between quotes.
    ours: Vec<String>,
    /// What stands of ours around a text of the user's.
    around: (String, String),
    /// What folders are called instead: longest first.
    folders: Vec<(String, &'static str)>,
    quotes: &'static [char],
}

impl View {
    fn of(context: &Context, role: Role) -> Result<Self, CliError> {
        let program = Program::of(&context.env)?;
        let home = context.env.home().and_then(|home| home.to_str()).filter(|home| home.len() > 1);
        let mut folders: Vec<_> =
            program.home().map(|home| (home.to_owned(), "$LOOPX_HOME")).into_iter().collect();
        folders.extend(home.map(|home| (home.to_owned(), "~")));
        let (ours, quotes): (_, &[char]) = match role {
            Role::ClaudeSettings | Role::CodexHooks => (program.texts(role.runtime()), &['"']),
            Role::CodexConfig => ([program.notify(), program.notify_around()].concat(), &['"', '\'']),
        };
        let (before, behind) = program.around();
        let around = (escaped(&before), escaped(behind));
        let escaped: Vec<String> = ours.iter().map(|text| escaped(text)).collect();
        let names = NAMES.into_iter().chain(names(role.runtime())).collect();
        Ok(Self { names, ours: [ours, escaped].concat(), around, folders, quotes })
    }

    /// A line as it may be shown: what is ours as it is, of the rest names and marks.
    fn line(&self, line: &str) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some(open) = rest.find(self.quotes) {
            let quote = rest[open..].chars().next().unwrap_or('"');
            out += &self.plain(&rest[..open]);
            rest = &rest[open + 1..];
            let end = end_of_quoted(rest, quote);
            let (text, behind) = rest.split_at(end);
            rest = behind.strip_prefix(quote).unwrap_or(behind);
            let text =
                if rest.trim_start().starts_with([':', '=']) { self.plain(text) } else { self.value(text) };
            out += &format!("{quote}{text}{quote}");
        }
        out + &self.plain(rest)
    }

    fn value(&self, text: &str) -> String {
        let (before, behind) = &self.around;
        if self.ours.iter().any(|ours| ours == text) {
            self.short(text)
        } else if text.starts_with(before) && text.ends_with(behind) {
            format!("{}{HIDDEN}{behind}", self.short(before))
        } else if text.is_empty() {
            String::new()
        } else {
            HIDDEN.to_owned()
        }
    }

    /// A text of ours, with folders by their usual names.
    fn short(&self, text: &str) -> String {
        self.folders.iter().fold(text.to_owned(), |text, (folder, name)| text.replace(folder, name))
    }

    /// Marks, numbers and names of the runtime's as they are.
    fn plain(&self, text: &str) -> String {
        let mut words =
            text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        let is_known = |word: &str| self.names.contains(&word) || word.parse::<u32>().is_ok();
        if words.all(is_known) {
            return text.to_owned();
        }
        let (indent, end) = (text.len() - text.trim_start().len(), text.trim_end().len());
        format!("{}{HIDDEN}{}", &text[..indent], &text[end..])
    }
}

/// Where a quoted text ends.
fn end_of_quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            c if c == quote => return at,
            _ => {}
        }
    }
    text.len()
}

/// A text as it stands between the quotes of JSON.
fn escaped(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap_or_default();
    text.get(1..text.len().saturating_sub(1)).unwrap_or_default().to_owned()
}
