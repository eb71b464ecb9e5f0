//! Reading the project: its pages, manifests and sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::FLOORS;

/// One file of Rust, by its path from the root.
pub(super) struct Source {
    pub(super) path: String,
    pub(super) text: String,
}

impl Source {
    pub(super) fn crate_name(&self) -> &str {
        self.path.split('/').nth(1).unwrap_or_default()
    }

    pub(super) fn of(&self, name: &str) -> bool {
        self.crate_name() == name
    }
}

pub(super) fn source(path: &str, text: &str) -> Source {
    Source { path: path.to_owned(), text: text.to_owned() }
}

pub(super) fn manifest(text: &str) -> toml::Table {
    text.parse().expect("a manifest is TOML")
}

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates/loopx lies two folders down")
        .to_owned()
}

#[expect(clippy::disallowed_methods, reason = "the project's own files are small")]
pub(super) fn read(file: &Path) -> String {
    fs::read_to_string(file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
        .replace("\r\n", "\n")
}

pub(super) fn page(name: &str) -> String {
    read(&root().join(name))
}

pub(super) fn manifest_at(file: &Path) -> toml::Table {
    manifest(&read(file))
}

pub(super) fn relative(file: &Path) -> String {
    let inside = file.strip_prefix(root()).expect("a file of the project");
    inside.iter().map(|step| step.to_string_lossy()).collect::<Vec<_>>().join("/")
}

pub(super) fn manifests() -> Vec<(String, toml::Table)> {
    let found: Vec<_> = fs::read_dir(root().join("crates"))
        .expect("the crates")
        .map(|entry| entry.expect("a crate").path())
        .filter(|folder| folder.join("Cargo.toml").exists())
        .map(|folder| {
            let name = folder.file_name().expect("a named folder").to_string_lossy().into_owned();
            (name, manifest_at(&folder.join("Cargo.toml")))
        })
        .collect();
    assert_eq!(found.len(), FLOORS.len(), "every crate stands on a floor");
    found
}

pub(super) fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    for (name, _, _) in FLOORS {
        let files = rust_files(&root().join("crates").join(name).join("src"));
        assert!(!files.is_empty(), "{name} has no source");
        found.extend(files.iter().map(|file| Source { path: relative(file), text: read(file) }));
    }
    found
}

pub(super) fn exists(path: &str) -> bool {
    root().join(path).exists()
}

/// Every page of the project, by its path from the root.
pub(super) fn pages() -> Vec<String> {
    let top = fs::read_dir(root()).expect("the root").map(|entry| entry.expect("a readable root").path());
    let mut found: Vec<PathBuf> =
        top.filter(|path| path.extension().is_some_and(|end| end == "md") && path.is_file()).collect();
    found.extend(files(&root().join("docs"), "md"));
    found.iter().map(|file| relative(file)).collect()
}

/// Every file of Rust under a folder, in the order of their names; none where there is no folder.
pub(super) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files(folder, "rs")
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    all.sort();
    let mut found = Vec::new();
    for path in all {
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|end| end == ending) {
            found.push(path);
        }
    }
    found
}

/// Every dependency of a manifest by its package's name: for the program, its tests, its build and any target.
pub(super) fn dependencies(manifest: &toml::Table) -> BTreeSet<String> {
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let mut found = BTreeSet::new();
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    let tables = targets.into_iter().flat_map(toml::Table::values).filter_map(toml::Value::as_table);
    for table in tables.chain([manifest]) {
        found.extend(kinds.iter().flat_map(|kind| dependencies_of(table.get(*kind))));
    }
    found
}

pub(super) fn dependencies_of(table: Option<&toml::Value>) -> Vec<String> {
    let entries = table.and_then(toml::Value::as_table).into_iter().flatten();
    entries
        .map(|(key, value)| value.get("package").and_then(toml::Value::as_str).unwrap_or(key).to_owned())
        .collect()
}
