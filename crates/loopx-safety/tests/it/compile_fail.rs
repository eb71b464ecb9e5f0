//! What must not compile, and what beside it must.
//!
//! Each file holds one crossing that is forbidden, on a line that ends in `// neighbour: ` and the same line as it may
//! be. So a file fails for the crossing alone: with its neighbour in the line's place it compiles.

use std::fs;
use std::path::{Path, PathBuf};

/// Where a line says what may stand in its place.
const MARK: &str = " // neighbour: ";

#[test]
fn private_values_and_tiers_are_kept_by_the_compiler() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
}

#[test]
fn every_forbidden_line_has_a_neighbour_that_compiles() {
    let files = files();
    assert!(files.len() > 5, "the files were not found");
    let mut whole = "#![allow(unused)]\n".to_owned();
    let mut calls = String::new();
    for (file, text) in &files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let other = text.lines().map(neighbour).collect::<Vec<_>>().join("\n");
        whole += &format!("mod {name} {{\n{}\n}}\n", other.replace("fn main()", "pub fn main()"));
        calls += &format!("    {name}::main();\n");
    }
    whole += &format!("fn main() {{\n{calls}}}\n");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(concat!(env!("CARGO_PKG_NAME"), "-neighbours.rs"));
    fs::write(&file, whole).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    trybuild::TestCases::new().pass(&file);
}

#[test]
fn the_compiler_refuses_the_forbidden_line_and_no_other() {
    for (file, text) in files() {
        let marked: Vec<usize> =
            text.lines().enumerate().filter(|(_, line)| line.contains(MARK)).map(|(at, _)| at + 1).collect();
        let [line] = marked[..] else { panic!("{}: one line is forbidden", file.display()) };
        let said = read(&file.with_extension("stderr"));
        let lines: Vec<&str> = said.lines().collect();
        let errors = lines.windows(2).filter(|two| two[0].starts_with("error"));
        let elsewhere: Vec<_> =
            errors.clone().filter(|two| !two[1].contains(&format!(".rs:{line}:"))).collect();
        assert!(errors.count() > 0 && elsewhere.is_empty(), "{}: {elsewhere:?}", file.display());
    }
}

/// The line as it may be.
fn neighbour(line: &str) -> String {
    let Some((forbidden, instead)) = line.split_once(MARK) else { return line.to_owned() };
    let depth = forbidden.len() - forbidden.trim_start().len();
    format!("{}{instead}", " ".repeat(depth))
}

fn files() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile_fail");
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "rs"));
    found.sort();
    found
        .into_iter()
        .map(|path| {
            let text = read(&path);
            (path, text)
        })
        .collect()
}

#[expect(clippy::disallowed_methods, reason = "the project's own files are small")]
fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
