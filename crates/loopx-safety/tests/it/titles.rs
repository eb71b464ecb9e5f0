//! Titles as teams write them: what the screen refuses of them nobody could use.

use std::fs;
use std::path::{Path, PathBuf};

use loopx_safety::{Class, TierKind, screen};

/// Todo titles in ten languages.
const TITLES: &str = include_str!("titles.txt");
/// How many of our own titles there are at least: fewer would mean that they were not found.
const OWN: usize = 600;

fn refused<'t>(titles: impl Iterator<Item = &'t str>) -> Vec<(Class, &'t str)> {
    titles.filter_map(|title| Some((screen(title, TierKind::Local, 240).err()?.class, title))).collect()
}

#[test]
fn titles_in_many_languages_pass() {
    assert_eq!(TITLES.lines().count(), 300);
    assert_eq!(refused(TITLES.lines()), []);
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if entry.is_dir() && name != "target" && !name.starts_with('.') {
            files(&entry, found);
        } else if entry.extension().is_some_and(|end| end == "md" || end == "rs") {
            found.push(entry);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "it is ours, and short")]
fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// The headings of a page, and the names of tests in words.
fn titles(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let heading = |line: &&str| line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
    let mut titles: Vec<String> = lines
        .iter()
        .copied()
        .filter(heading)
        .map(|line| line.trim_start_matches('#').trim().to_owned())
        .collect();
    for pair in lines.windows(2) {
        if let ("#[test]", Some(name)) = (pair[0].trim(), pair[1].trim().strip_prefix("fn ")) {
            titles.extend(name.split('(').next().map(|name| name.replace('_', " ")));
        }
    }
    titles
}

#[test]
fn our_own_titles_pass() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for part in ["docs", "crates"] {
        files(&root.join(part), &mut found);
    }
    found.extend(
        ["README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|page| root.join(page)),
    );
    let titles: Vec<String> = found.iter().flat_map(|path| titles(&text(path))).collect();
    assert!(titles.len() > OWN, "{}", titles.len());
    assert_eq!(refused(titles.iter().map(String::as_str)), []);
}
