//! The floors of `ARCHITECTURE.md`, held: each rule is a pure function over text, run here over the project itself
//! and over a small made-up offender, so that no rule can pass by seeing nothing.

mod fields;
mod project;
pub(crate) mod projected;
mod system_words;
mod tokens;

use std::collections::BTreeSet;

use project::{
    Source, dependencies, dependencies_of, exists, manifest, manifest_at, manifests, page, pages, read,
    relative, root, rust_files, source, sources,
};
use tokens::{paths, test_names, tokens};

/// Every crate, its floor, and the crates it may name. Picture, page and table change together.
const FLOORS: &[(&str, u8, &[&str])] = &[
    ("loopx", 5, &["loopx-safety", "loopx-contract", "loopx-core", "loopx-runtimes", "loopx-store"]),
    ("loopx-store", 4, &["loopx-safety", "loopx-contract", "loopx-core"]),
    ("loopx-core", 3, &["loopx-safety", "loopx-contract"]),
    ("loopx-runtimes", 3, &["loopx-safety", "loopx-contract"]),
    ("loopx-contract", 2, &["loopx-safety"]),
    ("loopx-safety", 1, &[]),
];

/// The doors of the binary. `main.rs` alone knows more than one.
const DOORS: &[&str] = &["cli", "tui", "web", "mcp", "showcase"];

/// What the pure floor never reaches for.
const IMPURE: &[&[&str]] = &[
    &["std", "env"],
    &["std", "fs"],
    &["std", "io", "stderr"],
    &["std", "io", "stdin"],
    &["std", "io", "stdout"],
    &["std", "net"],
    &["std", "os"],
    &["std", "process"],
    &["std", "thread"],
    &["std", "time", "Instant"],
    &["std", "time", "SystemTime"],
    &["jiff", "Timestamp", "now"],
    &["jiff", "Zoned", "now"],
    &["Timestamp", "now"],
    &["Zoned", "now"],
];

/// Crates that do I/O, ask for the time or draw randomness: not for the pure floor, nor for the contract.
const IMPURE_CRATES: &[&str] =
    &["etcetera", "getrandom", "notify", "rand", "rusqlite", "rustix", "tempfile", "tokio"];

/// The longest file, in lines, that needs no reason.
const LONGEST: usize = 600;

/// Longer files, each with the reason.
const LONG_FOR_A_REASON: &[(&str, &str)] = &[];

/// The longest `AGENTS.md`, in lines.
const LONGEST_AGENTS_PAGE: usize = 100;

// ---- the rules, over the project itself

#[test]
fn arrows_run_down_only() {
    let mut faults = Vec::new();
    for (name, manifest) in manifests() {
        faults.extend(arrows_in_manifest(&name, &manifest));
    }
    for source in sources() {
        faults.extend(arrows_in_source(&source));
    }
    none(&faults);
}

#[test]
fn the_allowed_arrows_themselves_run_down() {
    for (name, floor, may) in FLOORS {
        for other in *may {
            assert!(
                floor_of(other).is_some_and(|below| below < *floor),
                "{name} → {other} does not run down"
            );
        }
    }
}

#[test]
fn the_page_shows_the_floors_of_the_table() {
    none(&floors_on_page(&page("ARCHITECTURE.md")));
}

#[test]
fn doors_know_no_other_door() {
    none(&sources().iter().flat_map(doors).collect::<Vec<_>>());
}

#[test]
fn the_core_is_pure() {
    let core: Vec<_> = sources().into_iter().filter(|source| source.of("loopx-core")).collect();
    assert!(core.len() > 5, "the core was not found");
    none(&core.iter().flat_map(impure).collect::<Vec<_>>());
    for (name, manifest) in manifests() {
        if ["loopx-core", "loopx-contract"].contains(&name.as_str()) {
            none(&impure_crates(&name, &manifest));
        }
    }
}

#[test]
fn nobody_prints_outside_ui() {
    none(&sources().iter().flat_map(prints).collect::<Vec<_>>());
}

#[test]
fn unsafe_code_is_forbidden_everywhere() {
    let mut faults = unsafe_in_workspace(&manifest_at(&root().join("Cargo.toml")));
    for (name, manifest) in manifests() {
        faults.extend(unsafe_in_crate(&name, &manifest));
    }
    none(&faults);
}

#[test]
fn files_stay_small() {
    let sources = sources();
    none(&sources.iter().flat_map(|source| too_long(source, LONG_FOR_A_REASON)).collect::<Vec<_>>());
    for (path, _) in LONG_FOR_A_REASON {
        let still =
            sources.iter().any(|source| source.path == *path && source.text.lines().count() > LONGEST);
        assert!(still, "{path} needs no reason any more");
    }
}

#[test]
fn every_crate_has_at_most_one_test_binary() {
    for (name, _, _) in FLOORS {
        let files = rust_files(&root().join("crates").join(name).join("tests"));
        let inside: Vec<_> = files.iter().map(|file| relative(file)).collect();
        none(&test_binaries(name, &inside));
    }
}

#[test]
fn every_invariant_names_a_test() {
    let page = page("ARCHITECTURE.md");
    assert!(invariants(&page).len() > 5, "the invariants were not found");
    let mut tests = BTreeSet::new();
    for (name, _, _) in FLOORS {
        for file in rust_files(&root().join("crates").join(name)) {
            tests.extend(test_names(&tokens(&read(&file))));
        }
    }
    none(&unheld(&page, &tests));
}

#[test]
fn the_agents_page_is_short() {
    none(&agents_page(&page("AGENTS.md")));
}

#[test]
fn pages_point_at_files_that_exist() {
    let pages = pages();
    assert!(pages.len() > 5, "the pages were not found");
    none(&pages.iter().flat_map(|path| dead_links(path, &page(path), exists)).collect::<Vec<_>>());
}

// ---- the rules, over offenders

#[test]
fn a_manifest_that_points_up_or_sideways_is_seen() {
    let up = manifest("[dependencies]\nloopx-store.workspace = true\n");
    assert_eq!(arrows_in_manifest("loopx-core", &up), ["loopx-core must not depend on loopx-store"]);
    let sideways = manifest("[dev-dependencies]\nloopx-core = { path = \"../loopx-core\" }\n");
    assert_eq!(
        arrows_in_manifest("loopx-runtimes", &sideways),
        ["loopx-runtimes must not depend on loopx-core"]
    );
    let renamed =
        manifest("[target.'cfg(unix)'.dependencies]\nx = { package = \"loopx-runtimes\", path = \"x\" }\n");
    assert_eq!(
        arrows_in_manifest("loopx-store", &renamed),
        ["loopx-store must not depend on loopx-runtimes"]
    );
    let down = manifest("[dependencies]\nloopx-core.workspace = true\nserde.workspace = true\n");
    assert!(arrows_in_manifest("loopx-store", &down).is_empty());
    assert_eq!(arrows_in_manifest("loopx-attic", &down), ["loopx-attic stands on no floor"]);
}

#[test]
fn a_source_that_points_up_or_sideways_is_seen() {
    let sideways =
        source("crates/loopx-runtimes/src/lib.rs", "/* loopx_store */\nuse loopx_core::todo::Todo;\n");
    assert_eq!(arrows_in_source(&sideways), ["crates/loopx-runtimes/src/lib.rs:2 names loopx-core"]);
    let spoken =
        source("crates/loopx-core/src/lib.rs", "//! over loopx_store\nconst S: &str = r#\"loopx_store\"#;");
    assert!(arrows_in_source(&spoken).is_empty());
}

#[test]
fn a_page_without_a_floor_is_seen() {
    let faults =
        floors_on_page("| 3 | `loopx-store` | the log |\n| 1 | `loopx-safety` | what may be said |\n");
    assert!(faults.contains(&"loopx-store is on floor 4, the page says 3".to_owned()), "{faults:?}");
    assert!(faults.contains(&"loopx-core is missing from the page".to_owned()), "{faults:?}");
    assert!(!faults.iter().any(|fault| fault.contains("safety")), "{faults:?}");
}

#[test]
fn a_door_that_opens_another_is_seen() {
    for (path, text) in [
        ("crates/loopx/src/cli/next.rs", "use crate::tui::Screen;"),
        ("crates/loopx/src/cli/next.rs", "fn f() { super::super::tui::run() }"),
        ("crates/loopx/src/cli.rs", "use super::{ui, tui::Screen};"),
        ("crates/loopx/src/cli.rs", "mod tests { use super::super::tui; }"),
        ("crates/loopx/src/cli.rs", "use crate::*;"),
        ("crates/loopx/src/app/mod.rs", "fn f() -> loopx::tui::Screen { loop {} }"),
    ] {
        assert_eq!(doors(&source(path, text)).len(), 1, "{path}: {text}");
    }
    for (path, text) in [
        ("crates/loopx/src/main.rs", "mod cli; mod tui; fn main() { crate::tui::run() }"),
        (
            "crates/loopx/src/cli/next.rs",
            "use super::tui; use crate::{app::ControlPlane, cli::args, ui::Ui};",
        ),
        ("crates/loopx/src/tui.rs", "use crate::tui::screen; // crate::cli\n"),
    ] {
        assert!(doors(&source(path, text)).is_empty(), "{path}: {text}");
    }
}

#[test]
fn an_impure_core_is_seen() {
    for text in [
        "use std::fs;",
        "use std::{collections::BTreeMap, time::{Duration, Instant}};",
        "use std::time::SystemTime as Clock;",
        "use std::time;",
        "use std as s;",
        "use ::std::io::*;",
        "fn f() { std::env::var(\"HOME\"); }",
        "fn f() { let now = jiff::Timestamp::now(); }",
        "use jiff::Timestamp; fn f() { Timestamp::now(); }",
        "async fn f() {}",
    ] {
        assert_eq!(impure(&source("crates/loopx-core/src/lib.rs", text)).len(), 1, "{text}");
    }
    let pure =
        "use std::time::Duration; use std::collections::*; /// std::fs\nfn f<'a>(c: &'a char) { '\"'; }";
    assert!(impure(&source("crates/loopx-core/src/lib.rs", pure)).is_empty());
    let rows = manifest("[dependencies]\nrusqlite.workspace = true\n");
    assert_eq!(impure_crates("loopx-core", &rows), ["loopx-core must not depend on rusqlite"]);
}

#[test]
fn a_print_outside_ui_is_seen() {
    let text = "// println!()\nfn f() { println!(\"{}\", 'x'); eprint ! (\"y\"); }";
    assert_eq!(prints(&source("crates/loopx/src/cli/next.rs", text)).len(), 2);
    assert_eq!(
        prints(&source("crates/loopx-store/src/lib.rs", "use std::io::{self, Write, stderr};")).len(),
        1
    );
    assert!(prints(&source("crates/loopx/src/ui/table.rs", text)).is_empty());
    assert!(prints(&source("crates/loopx/src/ui.rs", text)).is_empty());
    assert_eq!(prints(&source("crates/loopx/src/uibis.rs", text)).len(), 2);
}

#[test]
fn a_manifest_that_lets_unsafe_in_is_seen() {
    let lax = manifest("[workspace.lints.rust]\nunsafe_code = \"deny\"\n");
    assert_eq!(unsafe_in_workspace(&lax), ["the workspace does not forbid unsafe code"]);
    assert_eq!(
        unsafe_in_crate("loopx-core", &manifest("[package]\n")),
        ["loopx-core leaves the shared lints"]
    );
    assert!(unsafe_in_crate("loopx-core", &manifest("[lints]\nworkspace = true\n")).is_empty());
}

#[test]
fn a_file_that_grew_is_seen() {
    let long = source("crates/loopx/src/app.rs", &"\n".repeat(LONGEST + 1));
    assert_eq!(too_long(&long, &[]), ["crates/loopx/src/app.rs has 601 lines, more than 600"]);
    assert!(too_long(&long, &[("crates/loopx/src/app.rs", "one table")]).is_empty());
    assert!(too_long(&source("crates/loopx/src/app.rs", &"\n".repeat(LONGEST)), &[]).is_empty());
}

#[test]
fn a_second_test_binary_is_seen() {
    let inside = |file: &str| format!("crates/loopx/tests/{file}");
    assert!(test_binaries("loopx", &[inside("it/main.rs"), inside("it/cli.rs")]).is_empty());
    assert_eq!(test_binaries("loopx", &[inside("it/main.rs"), inside("cli.rs")]).len(), 1);
    assert_eq!(test_binaries("loopx", &[inside("it/main.rs"), inside("e2e/main.rs")]).len(), 1);
}

#[test]
fn an_invariant_without_a_test_is_seen() {
    let tests = BTreeSet::from_iter(test_names(&tokens("#[test]\n#[ignore]\nfn held() {} fn helper() {}")));
    let page =
        "Architecture invariant: a\nholds. Held by `held`.\n\n<!-- Architecture invariant: later. -->\n";
    assert!(unheld(page, &tests).is_empty());
    assert_eq!(unheld("**Architecture invariant:** a `b` holds.\n", &tests).len(), 1);
    assert_eq!(unheld("Architecture invariant: a. Held by `held` and `helper`.\n", &tests).len(), 1);
}

#[test]
fn a_long_agents_page_is_seen() {
    assert_eq!(agents_page(&"line\n".repeat(101)).len(), 1);
    assert!(agents_page(&"line\n".repeat(100)).is_empty());
}

#[test]
fn a_dead_link_is_seen() {
    let text = "[a](b.md#c) [d](../E.md)\n[f](https://example.org/g) [h](#i) `[j](k)` [l](m.md).";
    let dead = dead_links("docs/n.md", text, |path| path == "E.md" || path == "docs/b.md");
    assert_eq!(dead, ["docs/n.md points at docs/k", "docs/n.md points at docs/m.md"]);
}

// ---- the rules

fn floor_of(name: &str) -> Option<u8> {
    FLOORS.iter().find(|(other, _, _)| *other == name).map(|(_, floor, _)| *floor)
}

fn may_name(name: &str) -> Option<&'static [&'static str]> {
    FLOORS.iter().find(|(other, _, _)| *other == name).map(|(_, _, may)| *may)
}

fn arrows_in_manifest(name: &str, manifest: &toml::Table) -> Vec<String> {
    let Some(may) = may_name(name) else { return vec![format!("{name} stands on no floor")] };
    dependencies(manifest)
        .into_iter()
        // A crate's own tests may ask for its features.
        .filter(|other| other != name && other.starts_with("loopx") && !may.contains(&other.as_str()))
        .map(|other| format!("{name} must not depend on {other}"))
        .collect()
}

fn arrows_in_source(source: &Source) -> Vec<String> {
    let own = source.crate_name();
    let may = may_name(own).unwrap_or_default();
    let mut faults = Vec::new();
    for token in tokens(&source.text) {
        let other = token.text.replace('_', "-");
        if other != own
            && floor_of(&other).is_some()
            && token.text.contains('_')
            && !may.contains(&other.as_str())
        {
            faults.push(format!("{}:{} names {other}", source.path, token.line));
        }
    }
    faults
}

fn floors_on_page(page: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, floor, _) in FLOORS {
        let cell = format!("| `{name}` ");
        match page.lines().find(|line| line.starts_with("| ") && line.contains(&cell)) {
            None => faults.push(format!("{name} is missing from the page")),
            Some(line) => {
                let said = line.trim_start_matches("| ").split(' ').next().unwrap_or_default();
                if said != floor.to_string() {
                    faults.push(format!("{name} is on floor {floor}, the page says {said}"));
                }
            }
        }
    }
    faults
}

fn doors(source: &Source) -> Vec<String> {
    let Some(inside) = source.path.strip_prefix("crates/loopx/src/") else { return Vec::new() };
    let steps: Vec<&str> = inside.trim_end_matches(".rs").split('/').filter(|step| *step != "mod").collect();
    if matches!(steps[..], ["main" | "lib"]) {
        return Vec::new();
    }
    let mut faults = Vec::new();
    for path in paths(&tokens(&source.text)) {
        let ups = path.segments.iter().take_while(|segment| *segment == "super").count();
        let from_root = match path.segments.first().map(String::as_str) {
            Some("crate" | "loopx") => path.segments.get(1),
            Some("super") if ups == steps.len() + path.inline => path.segments.get(ups),
            _ => None,
        };
        let Some(target) = from_root else { continue };
        if target == "*" || (DOORS.contains(&target.as_str()) && target != steps[0]) {
            faults.push(format!("{}:{} names {}", source.path, path.line, path.segments.join("::")));
        }
    }
    faults
}

fn impure(source: &Source) -> Vec<String> {
    let tokens = tokens(&source.text);
    let mut faults: Vec<String> = paths(&tokens)
        .into_iter()
        .filter(|path| IMPURE.iter().any(|bad| path.reaches(bad)))
        .map(|path| format!("{}:{} names {}", source.path, path.line, path.segments.join("::")))
        .collect();
    let waits = tokens.iter().filter(|token| token.text == "async");
    faults.extend(waits.map(|token| format!("{}:{} is async", source.path, token.line)));
    faults
}

fn impure_crates(name: &str, manifest: &toml::Table) -> Vec<String> {
    dependencies_of(manifest.get("dependencies"))
        .into_iter()
        .filter(|other| IMPURE_CRATES.contains(&other.as_str()))
        .map(|other| format!("{name} must not depend on {other}"))
        .collect()
}

fn prints(source: &Source) -> Vec<String> {
    if source.path == "crates/loopx/src/ui.rs" || source.path.starts_with("crates/loopx/src/ui/") {
        return Vec::new();
    }
    let tokens = tokens(&source.text);
    let macros = ["print", "println", "eprint", "eprintln", "dbg"];
    let mut faults: Vec<String> = tokens
        .windows(2)
        .filter(|pair| macros.contains(&pair[0].text.as_str()) && pair[1].text == "!")
        .map(|pair| format!("{}:{} prints", source.path, pair[0].line))
        .collect();
    if !source.of("loopx") {
        let opened = paths(&tokens).into_iter().filter(|path| {
            matches!(path.words()[..], ["std", "io", "stdout" | "stderr"] | ["io", "stdout" | "stderr"])
        });
        faults.extend(opened.map(|path| format!("{}:{} opens a stream", source.path, path.line)));
    }
    faults
}

fn unsafe_in_workspace(manifest: &toml::Table) -> Vec<String> {
    let level = ["workspace", "lints", "rust", "unsafe_code"]
        .iter()
        .try_fold(&toml::Value::Table(manifest.clone()), |value, key| value.get(key))
        .and_then(|value| value.as_str().map(str::to_owned));
    if level.as_deref() == Some("forbid") {
        return Vec::new();
    }
    vec!["the workspace does not forbid unsafe code".to_owned()]
}

fn unsafe_in_crate(name: &str, manifest: &toml::Table) -> Vec<String> {
    let shared = manifest.get("lints").and_then(|lints| lints.get("workspace"));
    if shared.and_then(toml::Value::as_bool) == Some(true) {
        return Vec::new();
    }
    vec![format!("{name} leaves the shared lints")]
}

fn too_long(source: &Source, reasons: &[(&str, &str)]) -> Vec<String> {
    let lines = source.text.lines().count();
    if lines <= LONGEST || reasons.iter().any(|(path, _)| *path == source.path) {
        return Vec::new();
    }
    vec![format!("{} has {lines} lines, more than {LONGEST}", source.path)]
}

fn test_binaries(name: &str, files: &[String]) -> Vec<String> {
    let tests = format!("crates/{name}/tests/");
    files
        .iter()
        .filter_map(|file| file.strip_prefix(&tests))
        .filter(|file| !file.contains('/') || (file.ends_with("/main.rs") && *file != "it/main.rs"))
        .map(|file| format!("{tests}{file} is a second test binary: make it a module of it/main.rs"))
        .collect()
}

/// The paragraphs that state an invariant, comments left out.
fn invariants(page: &str) -> Vec<String> {
    let mut shown = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("<!--") {
        shown.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    shown.push_str(rest);
    shown.split("\n\n").filter(|part| part.contains("Architecture invariant:")).map(str::to_owned).collect()
}

fn unheld(page: &str, tests: &BTreeSet<String>) -> Vec<String> {
    let mut faults = Vec::new();
    for said in invariants(page) {
        let start: String = said.trim().chars().take(80).collect();
        let Some((_, held_by)) = said.split_once("Held by") else {
            faults.push(format!("names no test: {start}"));
            continue;
        };
        let names: Vec<&str> = held_by.split('`').skip(1).step_by(2).collect();
        if names.is_empty() {
            faults.push(format!("names no test: {start}"));
        }
        let missing = names.into_iter().filter(|name| !tests.contains(*name));
        faults.extend(missing.map(|name| format!("no such test: {name}")));
    }
    faults
}

fn agents_page(page: &str) -> Vec<String> {
    let lines = page.lines().count();
    if lines <= LONGEST_AGENTS_PAGE {
        return Vec::new();
    }
    vec![format!("AGENTS.md has {lines} lines, more than {LONGEST_AGENTS_PAGE}")]
}

/// The links of a page to files that are not there. `exists` is asked with a path from the root.
fn dead_links(path: &str, text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut dead = Vec::new();
    for part in text.split("](").skip(1) {
        let target = part.split([')', '#']).next().unwrap_or_default();
        if target.is_empty() || target.contains("://") {
            continue;
        }
        let mut steps: Vec<&str> = path.split('/').collect();
        steps.pop();
        for step in target.split('/') {
            if step == ".." {
                steps.pop();
            } else {
                steps.push(step);
            }
        }
        let target = steps.join("/");
        if !exists(&target) {
            dead.push(format!("{path} points at {target}"));
        }
    }
    dead
}

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}
