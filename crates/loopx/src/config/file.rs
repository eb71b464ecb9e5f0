//! The files of the configuration, read and judged: every error names the file, the line, the column and a way out.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use loopx_safety::io_words;
use toml::de::{DeTable, DeValue};

use super::{Key, Layer, Value};
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

/// The settings of a file.
pub fn parse(text: &str, name: &str, layer: Layer) -> Result<Vec<(Key, Value)>, CliError> {
    let at = |offset: usize| place(text, offset);
    let table = DeTable::parse(text).map_err(|error| {
        let place = error.span().map_or_else(String::new, |span| format!(" at {}", at(span.start)));
        let message = error.message().replace('\n', ", ");
        CliError::usage(format!("{name} is no TOML{place}: {message}")).hint(mend(name))
    })?;
    let mut settings = Vec::new();
    for (section, value) in table.get_ref() {
        let DeValue::Table(rows) = value.get_ref() else {
            return Err(unknown(section.get_ref(), name, &at(section.span().start)));
        };
        if rows.is_empty()
            && !Key::ALL.iter().any(|key| key.name().starts_with(&format!("{}.", section.get_ref())))
        {
            return Err(unknown(section.get_ref(), name, &at(section.span().start)));
        }
        for (row, value) in rows {
            let word = format!("{}.{}", section.get_ref(), row.get_ref());
            let place = at(row.span().start);
            let Some(key) = Key::parse(&word) else { return Err(unknown(&word, name, &place)) };
            if layer == Layer::Project && !key.is_for_projects() {
                return Err(CliError::usage(format!("{name} may not set {word}, at {place}")).hint(format!(
                    "a project's file may set display.*, scope.* and binding.*: move it to your own {USER_FILE}, \
                     see `loopx config path`"
                )));
            }
            let place = at(value.span().start);
            let value = of_toml(value.get_ref())
                .ok_or_else(|| "must be text or a list of texts".to_owned())
                .and_then(|value| key.check(&value).map(|()| value))
                .map_err(|why| {
                    CliError::usage(format!("{word} in {name} at {place}: {why}")).hint(mend(name))
                })?;
            settings.push((key, value));
        }
    }
    Ok(settings)
}

/// The way out, which has to work while the file is as it is.
fn mend(name: &str) -> String {
    format!("mend {name}: `loopx config edit` opens your own")
}

fn unknown(key: &str, name: &str, place: &str) -> CliError {
    CliError::usage(format!("unknown key {key} in {name} at {place}"))
        .hint(format!("remove it from {name}: `loopx config edit` opens your own"))
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
