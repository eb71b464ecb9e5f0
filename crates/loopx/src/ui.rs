//! The one place that prints: data on stdout, words on stderr, everything escaped on the way.

use std::io::{self, ErrorKind as IoKind, IsTerminal as _, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::env::Env;
use crate::error::CliError;

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

/// The door to the terminal.
#[derive(Debug)]
pub struct Ui {
    color: bool,
    closed: bool,
}

impl Ui {
    /// Decides on colour.
    pub fn new(env: &Env, choice: ColorChoice) -> Self {
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                env.var_os("NO_COLOR").is_none() && env.var("TERM") != Some("dumb") && io::stdout().is_terminal()
            }
        };
        Self { color, closed: false }
    }

    /// Words in a tone; plain where colour is off.
    pub fn tone(&self, tone: Tone, text: &str) -> String {
        let text = loopx_safety::escape(text);
        if !self.color {
            return text.into();
        }
        let code = match tone {
            Tone::Alert => "1;31",
            Tone::Warn => "33",
            Tone::Good => "32",
            Tone::Dim => "2",
            Tone::Bold => "1",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// Foreign words, made safe for one line.
    #[expect(clippy::unused_self, reason = "what is written goes through the door")]
    pub fn plain(&self, text: &str) -> String {
        loopx_safety::escape(text).into()
    }

    /// One line of data whose foreign parts went through [`Ui::tone`] or [`loopx_safety::escape`].
    pub fn line(&mut self, text: &str) {
        self.write(text.as_bytes());
        self.write(b"\n");
    }

    /// Data as it is, for formats of their own: completions, man pages, exports.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.write(bytes);
    }

    /// One JSON document.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        let mut text = serde_json::to_vec_pretty(value)
            .map_err(|error| CliError::internal(format!("failed to write JSON: {error}")))?;
        text.push(b'\n');
        self.write(&text);
        Ok(())
    }

    /// One JSON line of a stream.
    pub fn json_line(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        let mut text = serde_json::to_vec(value)
            .map_err(|error| CliError::internal(format!("failed to write JSON: {error}")))?;
        text.push(b'\n');
        self.write(&text);
        Ok(())
    }

    /// Words beside the data.
    pub fn note(&mut self, text: &str) {
        let line = format!("{}\n", loopx_safety::escape(text));
        let _ = io::stderr().write_all(line.as_bytes());
    }

    /// An error with its way out.
    pub fn error(&mut self, error: &CliError) {
        let mut text = format!("error: {}\n", loopx_safety::escape(&error.message));
        if let Some(hint) = &error.hint {
            text += &format!("hint: {}\n", loopx_safety::escape(hint));
        }
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// What clap has to say: help and version are data, the rest is an error of usage.
    pub fn usage(&mut self, error: &clap::Error) -> ExitCode {
        let _ = error.print();
        if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
    }

    /// An error and its exit code; with `json`, on stdout as a document too.
    pub fn fail(&mut self, error: &CliError, json: bool) -> ExitCode {
        if json {
            let document = serde_json::json!({
                "schema_version": "loopx_error_v0",
                "error": { "kind": error.kind.word(), "message": error.message, "hint": error.hint },
            });
            let _ = self.json(&document);
        }
        self.error(error);
        ExitCode::from(error.kind.exit())
    }

    /// A closed pipe is the reader's choice and no error.
    fn write(&mut self, bytes: &[u8]) {
        if self.closed {
            return;
        }
        let mut out = io::stdout().lock();
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
            self.closed = true;
            if error.kind() != IoKind::BrokenPipe {
                self.error(&CliError::internal(format!("failed to write to stdout: {}", error.kind())));
            }
        }
    }
}
