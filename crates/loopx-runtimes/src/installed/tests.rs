use std::fs;
use std::os::unix::fs::symlink;

use super::*;

struct Machine {
    folder: tempfile::TempDir,
    sources: Sources,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = Sources::from_env(Some(&folder.path().join("home")), |_| None);
        Self { folder, sources }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(&path, text).expect("a file");
        path
    }

    fn link(&self, name: &str, to: &Path) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        symlink(to, path).expect("a link");
    }

    fn found(&self, runtime: Runtime) -> Option<(String, FoundBy)> {
        let path = std::env::join_paths(["none", "bin", "other"].map(|name| self.folder.path().join(name)));
        let found = installed(runtime, &self.sources, Some(&path.expect("a path")))?;
        Some((found.version.to_string(), found.found_by))
    }
}

fn said(version: &str, by: FoundBy) -> (String, FoundBy) {
    (version.to_owned(), by)
}

#[test]
fn a_version_is_three_numbers_and_what_is_behind_them_is_dropped() {
    for (text, version) in [
        ("2.1.332", Some("2.1.332")),
        ("0.171.0-alpha.2", Some("0.171.0")),
        ("1.0.128 (Claude Code)", Some("1.0.128")),
        ("2.1", None),
        ("2.1.x", None),
        ("v2.1.3", None),
        ("2.1-a.3", None),
        ("4294967296.0.0", None),
        ("", None),
    ] {
        let parsed = text.parse::<Version>().map(|version| version.to_string()).ok();
        assert_eq!(parsed.as_deref(), version, "{text}");
    }
    assert!(Version::new(2, 1, 9) < Version::new(2, 1, 10));
}

#[test]
fn a_package_says_the_version_of_its_program() {
    let machine = Machine::new();
    let package = "lib/node_modules/@anthropic-ai/claude-code";
    machine.file(
        &format!("{package}/package.json"),
        r#"{"name":"@anthropic-ai/claude-code","version":"2.0.76","bin":{"claude":"cli.js"}}"#,
    );
    let program = machine.file(&format!("{package}/cli.js"), "");
    machine.link("bin/claude", &program);
    assert_eq!(machine.found(Runtime::ClaudeCode), Some(said("2.0.76", FoundBy::Package)));
    assert_eq!(machine.found(Runtime::Codex), None);
}

#[test]
fn a_manifest_of_another_package_says_nothing() {
    let machine = Machine::new();
    machine.file("bin/package.json", r#"{"name":"mine","version":"9.9.9"}"#);
    machine.file("bin/claude", "");
    assert_eq!(machine.found(Runtime::ClaudeCode), None);
    machine.file("bin/package.json", r#"{"name":"@anthropic-ai/claude-codex","version":"9.9.9"}"#);
    assert_eq!(machine.found(Runtime::ClaudeCode), None);
}

#[test]
fn a_program_may_be_called_by_its_version() {
    for (file, version) in [
        ("home/.local/share/claude/versions/2.1.332", Some("2.1.332")),
        ("Caskroom/claude-code/2.1.332/claude", Some("2.1.332")),
        ("store/abc-claude-code-2.1.332/bin/claude", Some("2.1.332")),
        // The version of something else.
        ("installs/nodejs/20.11.0/bin/claude", None),
        ("versions/20.11.0/bin/claude", None),
        ("store/abc-nodejs-20.11.0/bin/claude", None),
    ] {
        let machine = Machine::new();
        let program = machine.file(file, "");
        machine.link("bin/claude", &program);
        let expected = version.map(|version| said(version, FoundBy::Name));
        assert_eq!(machine.found(Runtime::ClaudeCode), expected, "{file}");
    }
    let machine = Machine::new();
    let program = machine.file("Cellar/codex/0.171.0/bin/codex-x86_64", "");
    machine.link("other/codex", &program);
    assert_eq!(machine.found(Runtime::Codex), Some(said("0.171.0", FoundBy::Name)));
}

#[test]
fn claude_codes_own_folder_may_hold_its_package() {
    let machine = Machine::new();
    machine.file(
        "home/.claude/local/node_modules/@anthropic-ai/claude-code/package.json",
        r#"{"name":"@anthropic-ai/claude-code","version":"1.0.128"}"#,
    );
    assert_eq!(machine.found(Runtime::ClaudeCode), Some(said("1.0.128", FoundBy::Package)));
}

#[test]
fn else_the_newest_session_says_it() {
    let machine = Machine::new();
    let id = "88a73867-150f-4f26-a74c-8cf20a491c54";
    machine.file(
        &format!("home/.claude/projects/-w/{id}.jsonl"),
        "{\"version\":\"2.1.1\"}\nno record\n{\"version\":\"2.1.2\"}\n{\"type\":\"tag\"}\n",
    );
    machine.file(
        &format!("home/.codex/sessions/2026/11/29/rollout-2026-11-29T00-00-00-{id}.jsonl"),
        "{\"type\":\"session_meta\",\"payload\":{\"cli_version\":\"0.125.0\"}}\n{\"payload\":{\"cli_version\":\"9.9.9\"}}\n",
    );
    assert_eq!(machine.found(Runtime::ClaudeCode), Some(said("2.1.2", FoundBy::Session)));
    assert_eq!(machine.found(Runtime::Codex), Some(said("0.125.0", FoundBy::Session)));
}

#[test]
fn a_pipe_in_the_place_of_a_manifest_is_not_waited_for() {
    let machine = Machine::new();
    machine.file("bin/claude", "");
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    let pipe = machine.folder.path().join("bin/package.json");
    rustix::fs::mknodat(rustix::fs::CWD, pipe, kind, mode, 0).expect("a pipe");
    assert_eq!(machine.found(Runtime::ClaudeCode), None);
}
