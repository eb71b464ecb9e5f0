//! The files of the configuration, read and judged: every error names the file, the line, the column and a way out.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use loopx_safety::io_words;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Key, Layer, Value};
use crate::app::similar::{did_you_mean, similar};
use crate::error::CliError;

/// The name of the user's file.
pub const USER_FILE: &str = "config.toml";

/// The name of a project's file.
pub const PROJECT_FILE: &str = ".loopx.toml";

/// The longest file that is read, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Which version of a file there is, told apart without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    file: (u64, u64),
    length: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// Of what lies there; none where nothing does.
    pub fn of(path: &Path) -> Option<Self> {
        let meta = fs::metadata(path).ok()?;
        Some(Self {
            file: (meta.dev(), meta.ino()),
            length: meta.len(),
            written: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        })
    }
}

/// The nearest project file in a folder or above it.
pub fn project_file(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(PROJECT_FILE)).find(|path| path.is_file())
}

/// A file's text; none where there is no file.
pub fn read(path: &Path, name: &str) -> Result<Option<String>, CliError> {
    let failed = |why: String| {
        CliError::usage(format!("failed to read {name}: {why}"))
            .hint(format!("mend or remove it; `loopx config path` says where {USER_FILE} is"))
    };
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => return Err(failed("it is no plain file".to_owned())),
        Ok(found) if found.len() > LONGEST => return Err(failed(format!("it is over {LONGEST} bytes long"))),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(io_words(error.kind()).to_owned())),
    }
    let mut text = String::new();
    fs::File::open(path)
        .and_then(|file| file.take(LONGEST).read_to_string(&mut text))
        .map_err(|error| failed(io_words(error.kind()).to_owned()))?;
    Ok(Some(text))
}

/// The settings of a file; the first that is wrong is the error.
pub fn parse(text: &str, name: &str, layer: Layer) -> Result<Vec<(Key, Value)>, CliError> {
    let (settings, faults) = judge(text, name, layer);
    faults.into_iter().next().map_or(Ok(settings), Err)
}

/// The settings of a file, and all that is wrong with it, in turn.
pub fn judge(text: &str, name: &str, layer: Layer) -> (Vec<(Key, Value)>, Vec<CliError>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let no_toml = |error: &toml::de::Error| {
            let place =
                error.span().map_or_else(String::new, |span| format!(" at {}", place(text, span.start)));
            let message = error.message().replace('\n', ", ");
            CliError::usage(format!("{name} is no TOML{place}: {message}")).hint(mend(name))
        };
        return (Vec::new(), errors.iter().map(no_toml).collect());
    }
    let (mut settings, mut faults) = (Vec::new(), Vec::new());
    let mut placed = Vec::new();
    for (section, value) in table.get_ref() {
        let (word, start) = (section.get_ref(), section.span().start);
        let begins =
            |key: &Key| key.name().strip_prefix(word.as_ref()).is_some_and(|rest| rest.starts_with('.'));
        let rows = value.get_ref().as_table().filter(|rows| !rows.is_empty() || Key::ALL.iter().any(begins));
        let Some(rows) = rows else {
            placed.push((start, word.clone().into_owned(), None));
            continue;
        };
        for (row, value) in rows {
            placed.push((row.span().start, format!("{word}.{}", row.get_ref()), Some(value)));
        }
    }
    placed.sort_by_key(|(start, ..)| *start);
    for (start, word, value) in placed {
        match value.map(|value| setting(text, name, layer, (start, &word), value)) {
            Some(Ok(setting)) => settings.push(setting),
            Some(Err(fault)) => faults.push(fault),
            None => faults.push(unknown(&word, name, &place(text, start))),
        }
    }
    (settings, faults)
}

/// One setting by its whole name, which stands at a byte.
fn setting(
    text: &str,
    name: &str,
    layer: Layer,
    (start, word): (usize, &str),
    value: &Spanned<DeValue<'_>>,
) -> Result<(Key, Value), CliError> {
    let at = place(text, start);
    let key = Key::parse(word).ok_or_else(|| unknown(word, name, &at))?;
    if layer == Layer::Project && !key.is_for_projects() {
        return Err(CliError::usage(format!("{name} may not set {word}, at {at}")).hint(format!(
            "a project's file may set display.*, scope.* and binding.*: move it to your own {USER_FILE}, \
             see `loopx config path`"
        )));
    }
    let place = place(text, value.span().start);
    of_toml(value.get_ref())
        .ok_or_else(|| "must be text or a list of texts".to_owned())
        .and_then(|value| key.check(&value).map(|()| (key, value)))
        .map_err(|why| CliError::usage(format!("{word} in {name} at {place}: {why}")).hint(mend(name)))
}

/// The way out, which has to work while the file is as it is.
fn mend(name: &str) -> String {
    format!("mend {name}: `loopx config edit` opens your own")
}

fn unknown(key: &str, name: &str, place: &str) -> CliError {
    // A row may stand outside of its section.
    let names = Key::ALL.map(Key::name);
    let meant = similar(key, names).or_else(|| {
        let row = |name: &str| name.split_once('.').is_some_and(|(_, row)| similar(key, [row]).is_some());
        names.into_iter().find(|name| row(name))
    });
    CliError::usage(format!("unknown key {key} in {name} at {place}")).hint(format!(
        "{}set it right or remove it from {name}: `loopx config edit` opens your own",
        meant.map(did_you_mean).unwrap_or_default()
    ))
}

fn of_toml(value: &DeValue<'_>) -> Option<Value> {
    if let Some(text) = value.as_str() {
        return Some(Value::Word(text.to_owned()));
    }
    let words = value.as_array()?.iter().map(|word| word.get_ref().as_str().map(str::to_owned));
    words.collect::<Option<Vec<_>>>().map(Value::Words)
}

/// A byte's place, as a person counts.
fn place(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}")
}
