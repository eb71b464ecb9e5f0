//! The difference that a change makes, a line each. What is ours is shown as it is written; lines of the user's are
//! screened: settings hold credentials, and agents read what is printed.

use loopx_safety::{PrivateWords, PublicText, TierKind, screen_with};
use similar::{ChangeTag, TextDiff};

use crate::app::hooks::{Change, Program};
use crate::cli::Context;
use crate::error::CliError;
use crate::ui::Tone;

/// How many lines are shown around what changes.
const AROUND: usize = 2;

/// Stands for our own words while the rest of a line is screened.
const OURS: char = '\u{e000}';

/// Shows it.
pub(super) fn show(context: &mut Context, change: &Change) -> Result<(), CliError> {
    // With --json, the document alone is data.
    if !change.changes() || context.json() {
        return Ok(());
    }
    let words = context.words_of_all(TierKind::Local)?;
    let program = Program::of(&context.env)?;
    let home = context.env.home().and_then(|home| home.to_str()).map(str::to_owned);
    let view = View { words, program, home };
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
    words: PrivateWords,
    program: Program,
    home: Option<String>,
}

impl View {
    /// A line as it may be shown: our own words as they are, the rest as far as the screen lets it through.
    fn line(&self, line: &str) -> String {
        let mut ours: Vec<String> = self.ours();
        ours.sort_by_key(|text| std::cmp::Reverse(text.len()));
        let mut rest = line.replace(OURS, "");
        let mut shown = Vec::new();
        for text in ours.iter().filter(|text| line.contains(text.as_str())) {
            if let Some(at) = rest.find(text.as_str()) {
                rest.replace_range(at..at + text.len(), &OURS.to_string());
                shown.push((at, self.short(text)));
            }
        }
        shown.sort_by_key(|(at, _)| *at);
        let mut shown = shown.into_iter().map(|(_, text)| text);
        let indent = rest.len() - rest.trim_start().len();
        let (indent, body) = rest.split_at(indent);
        let parts: Vec<String> = body.split(OURS).map(|part| self.screened(part)).collect();
        let mut out = indent.to_owned();
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                out += &shown.next().unwrap_or_default();
            }
            out += part;
        }
        out
    }

    /// Our own words as they stand in a file.
    fn ours(&self) -> Vec<String> {
        let (before, behind) = self.program.around();
        let runtimes = loopx_runtimes::Runtime::ALL.map(|runtime| self.program.hook(runtime));
        let all = runtimes.into_iter().chain([self.program.line(), before, behind.to_owned()]);
        let notify = [self.program.notify(), self.program.notify_around()].concat();
        let quoted = |text: String| {
            let text = serde_json::to_string(&text).unwrap_or_default();
            text.get(1..text.len().saturating_sub(1)).unwrap_or_default().to_owned()
        };
        let words = notify.into_iter().filter(|word| word.len() > 8);
        // TOML may take other quotes, between which nothing is escaped.
        words.clone().chain(all.chain(words).map(quoted)).collect()
    }

    /// A text of ours, with folders by their usual names.
    fn short(&self, text: &str) -> String {
        let text = match self.program.home() {
            Some(folder) => text.replace(folder, "$LOOPX_HOME"),
            None => text.to_owned(),
        };
        match &self.home {
            Some(home) if home.len() > 1 => text.replace(home.as_str(), "~"),
            Some(_) | None => text,
        }
    }

    fn screened(&self, part: &str) -> String {
        if part.trim().is_empty() || screen_with(part.trim(), TierKind::Local, usize::MAX, &self.words).is_ok() {
            return part.to_owned();
        }
        match PublicText::<loopx_safety::Local>::redacted(part.trim(), &self.words) {
            Ok(redacted) => redacted.text.as_str().to_owned(),
            Err(_) => "[not shown]".to_owned(),
        }
    }
}
