//! The one place that prints: data on stdout, words on stderr, everything escaped on the way.

mod frame;
mod guard;
mod keys;
mod progress;

use std::borrow::Cow;
use std::io::{self, ErrorKind as IoKind, IsTerminal as _, Write};

use clap::error::ContextValue;
use loopx_safety::io_words;
use schemars::JsonSchema;
use serde::Serialize;

use crate::env::Env;
use crate::error::{CliError, ErrorKind};

pub use frame::Weight;
pub use guard::guarded;
pub use keys::{Keys, give_keys_back};
pub use progress::Progress;

/// What begins a tone, and what ends each. Nothing else that moves a terminal gets out.
const TONES: [&str; 6] = ["\u{1b}[1;31m", "\u{1b}[33m", "\u{1b}[32m", "\u{1b}[2m", "\u{1b}[1m", "\u{1b}[0m"];

/// Moves to the upper left corner.
const HOME: &str = "\u{1b}[H";
/// Clears the rest of a line and ends it.
const TO_LINE_END: &str = "\u{1b}[K\r\n";
/// Clears the rest of the terminal.
const TO_END: &str = "\u{1b}[J";

/// Long lines are cut at the edge, or go on in the next line again.
const CUT: &str = "\u{1b}[?7l";
const WRAP: &str = "\u{1b}[?7h";

/// How to show state in words and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Needs a person.
    Alert,
    /// Needs a look.
    Warn,
    /// Goes on.
    Good,
    /// Less important.
    Dim,
    /// A heading.
    Bold,
}

/// Whether to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal that can, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

const ERROR: &str = "loopx_error_v0";

/// An error as a document.
#[derive(Serialize, JsonSchema)]
pub struct ErrorDocument<'a> {
    #[schemars(extend("const" = ERROR))]
    schema_version: &'static str,
    error: Fault<'a>,
}

/// What went wrong, as JSON.
#[derive(Serialize, JsonSchema)]
struct Fault<'a> {
    /// As an exit code says it.
    #[schemars(extend("enum" = ["internal", "usage", "not_found", "conflict", "refused"]))]
    kind: &'static str,
    /// The cause.
    message: &'a str,
    /// The way out.
    hint: Option<&'a str>,
}

impl<'a> ErrorDocument<'a> {
    /// The document of an error.
    pub fn of(error: &'a CliError) -> Self {
        let hint = error.hint.as_deref();
        let error = Fault { kind: error.kind.word(), message: &error.message, hint };
        Self { schema_version: ERROR, error }
    }
}

/// Where data and words go.
pub struct Out {
    /// Data.
    pub data: Box<dyn Write>,
    /// Words beside the data.
    pub words: Box<dyn Write>,
    /// Whether the data goes to a terminal.
    pub is_terminal: bool,
}

impl Out {
    /// The process's own stdout and stderr.
    pub fn of_process() -> Self {
        Self {
            data: Box::new(io::stdout()),
            words: Box::new(io::stderr()),
            is_terminal: io::stdout().is_terminal(),
        }
    }
}

/// One JSON document as it goes out, at any door: one line, its end included.
pub fn document(value: &impl Serialize) -> Result<String, CliError> {
    written(serde_json::to_string(value))
}

fn written(text: serde_json::Result<String>) -> Result<String, CliError> {
    let text = text.map_err(|error| CliError::internal(format!("failed to write JSON: {error}")))?;
    Ok(format!("{}\n", loopx_safety::escape_json(&text)))
}

/// The door to the terminal.
pub struct Ui {
    out: Out,
    color: bool,
    closed: bool,
    failed: bool,
    /// The lines of a screen that is being drawn, and how much the next one matters.
    drawn: Option<Vec<frame::Line>>,
    weight: Weight,
}

impl Ui {
    /// A door without colour; [`Ui::colored`] decides on it.
    pub fn new(out: Out) -> Self {
        Self { out, color: false, closed: false, failed: false, drawn: None, weight: Weight::default() }
    }

    /// Decides on colour.
    #[must_use]
    pub fn colored(mut self, env: &Env, choice: ColorChoice) -> Self {
        self.color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                env.var_os("NO_COLOR").is_none() && env.var("TERM") != Some("dumb") && self.out.is_terminal
            }
        };
        self
    }

    /// Whether the data goes to a terminal.
    pub fn is_terminal(&self) -> bool {
        self.out.is_terminal
    }

    /// Whether colour is on.
    pub fn is_colored(&self) -> bool {
        self.color
    }

    /// Words in a tone; plain where colour is off.
    pub fn tone(&self, tone: Tone, text: &str) -> String {
        let text = loopx_safety::escape(text);
        if !self.color {
            return text.into();
        }
        let [alert, warn, good, dim, bold, end] = TONES;
        let begin = match tone {
            Tone::Alert => alert,
            Tone::Warn => warn,
            Tone::Good => good,
            Tone::Dim => dim,
            Tone::Bold => bold,
        };
        format!("{begin}{text}{end}")
    }

    /// Foreign words, made safe for one line.
    pub fn plain(&self, text: &str) -> String {
        loopx_safety::escape(text).into()
    }

    /// One line of data: what was not made by [`Ui::tone`] is shown, not obeyed.
    pub fn line(&mut self, text: &str) {
        let text = escape_but_tones(text, self.color);
        if let Some(drawn) = &mut self.drawn {
            drawn.push(frame::Line { weight: self.weight, text: text.into_owned() });
            return;
        }
        self.write(text.as_bytes());
        self.write(b"\n");
    }

    /// Clears the terminal.
    pub fn clear(&mut self) {
        self.write(format!("{HOME}{TO_END}").as_bytes());
    }

    /// Rings the terminal's bell.
    pub fn bell(&mut self) {
        if self.out.is_terminal {
            self.write(b"\x07");
        }
    }

    /// Whether somebody still reads.
    pub const fn is_open(&self) -> bool {
        !self.closed
    }

    /// How much the lines from here on matter on a screen that has no room for all.
    pub fn weigh(&mut self, weight: Weight) {
        self.weight = weight;
    }

    /// Draws the whole terminal anew: the lines and words of `draw` stand there alone, in as many rows each as there is
    /// room for.
    pub fn frame(&mut self, rows: usize, columns: usize, draw: impl FnOnce(&mut Self)) {
        self.drawn = Some(Vec::new());
        draw(self);
        self.weight = Weight::default();
        let lines = self.drawn.take().unwrap_or_default();
        let mut screen = format!("{CUT}{HOME}");
        // What stands in the last column would be cleared with the rest of its line.
        for row in frame::fit(&lines, rows, columns.saturating_sub(1)) {
            screen += &row;
            screen += TO_LINE_END;
        }
        screen += TO_END;
        screen += WRAP;
        self.write(screen.as_bytes());
    }

    /// Data as it is, for formats of their own: completions, man pages, exports.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.write(bytes);
    }

    /// One JSON document. On a terminal it is laid out to be read.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        let text = if self.out.is_terminal {
            written(serde_json::to_string_pretty(value))?
        } else {
            document(value)?
        };
        self.write(text.as_bytes());
        Ok(())
    }

    /// One JSON line of a stream.
    pub fn json_line(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        let text = document(value)?;
        self.write(text.as_bytes());
        Ok(())
    }

    /// Words beside the data.
    pub fn note(&mut self, text: &str) {
        let line = format!("{}\n", loopx_safety::escape(text));
        self.words(line.as_bytes());
    }

    /// An error with its way out.
    pub fn error(&mut self, error: &CliError) {
        let mut text = format!("error: {}\n", loopx_safety::escape(&error.message));
        if let Some(hint) = &error.hint {
            text += &format!("hint: {}\n", loopx_safety::escape(hint));
        }
        self.words(text.as_bytes());
    }

    /// What clap has to say: help and version are data, the rest is an error of usage.
    pub fn usage(&mut self, error: &clap::Error) -> u8 {
        let rendered = error.render();
        if error.use_stderr() {
            // It repeats what was typed: plain, and what can't be seen is shown, each line for itself.
            let mut text = rendered.to_string();
            for (_, value) in error.context() {
                if let ContextValue::String(typed) = value
                    && typed.contains('\n')
                {
                    text = text.replace(typed.as_str(), &loopx_safety::escape(typed));
                }
            }
            let text =
                text.replace("For more information, try '--help'.", "hint: see `--help` of this command");
            let lines: Vec<_> = text.lines().map(loopx_safety::escape).collect();
            self.words(format!("{}\n", lines.join("\n").trim_end()).as_bytes());
            return 2;
        }
        let text = if self.color { rendered.ansi().to_string() } else { rendered.to_string() };
        self.write(text.as_bytes());
        self.exit(0)
    }

    /// An error and its exit code; with `json`, on stdout as a document too.
    pub fn fail(&mut self, error: &CliError, json: bool) -> u8 {
        if json {
            let _ = self.json(&ErrorDocument::of(error));
        }
        self.error(error);
        error.kind.exit()
    }

    /// The exit code of a command that came to `code`: not 0, if its data could not be written.
    pub fn exit(&self, code: u8) -> u8 {
        if self.failed { ErrorKind::Internal.exit() } else { code }
    }

    /// Nobody can be told that words could not be written.
    fn words(&mut self, bytes: &[u8]) {
        if let Some(drawn) = &mut self.drawn {
            let text = String::from_utf8_lossy(bytes);
            drawn
                .extend(text.lines().map(|line| frame::Line { weight: Weight::Head, text: line.to_owned() }));
            return;
        }
        let _ = self.out.words.write_all(bytes);
    }

    /// A closed pipe is the reader's choice and no error.
    fn write(&mut self, bytes: &[u8]) {
        if self.closed {
            return;
        }
        let out = &mut self.out.data;
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
            self.closed = true;
            if error.kind() != IoKind::BrokenPipe {
                self.failed = true;
                self.error(&CliError::internal(format!(
                    "failed to write to stdout: {}",
                    io_words(error.kind())
                )));
            }
        }
    }
}

/// Makes a line safe; the tones stay where there is colour.
fn escape_but_tones(text: &str, color: bool) -> Cow<'_, str> {
    if !color || !text.contains('\u{1b}') {
        return loopx_safety::escape(text);
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while !rest.is_empty() {
        if let Some(tone) = TONES.into_iter().find(|tone| rest.starts_with(tone)) {
            out += tone;
            rest = &rest[tone.len()..];
        } else {
            // Past the first character, which begins no tone.
            let past = rest.chars().next().map_or(0, char::len_utf8);
            let end = rest[past..].find('\u{1b}').map_or(rest.len(), |at| at + past);
            out += &loopx_safety::escape(&rest[..end]);
            rest = &rest[end..];
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_lets_through_its_tones_alone() {
        let text = "\u{1b}[32mgood\u{1b}[0m \u{1b}[2J\u{1b}]8;;x\u{7}\u{9b}31m\ré\u{1b}";
        let plain = "\\u{1b}[32mgood\\u{1b}[0m ";
        let foreign = "\\u{1b}[2J\\u{1b}]8;;x\\u{7}\\u{9b}31m\\u{d}é\\u{1b}";
        assert_eq!(escape_but_tones(text, false), format!("{plain}{foreign}"));
        assert_eq!(escape_but_tones(text, true), format!("\u{1b}[32mgood\u{1b}[0m {foreign}"));
    }
}
