//! The program that a command runs behind its wrappers, and what it checks.

use std::borrow::Cow;

use loopx_contract::CheckLabel;

use super::modes::{Modes, Wants};
use super::tool::{Call, Tool};
use super::tools::TOOLS;
use super::word::Word;

/// Shells, which are given a line.
const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "dash", "ash", "ksh"];

/// How many programs may stand before the one that counts: `sudo`, `env`, `timeout`, …
const MOST_WRAPPERS: u8 = 16;

/// What a command is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sense<'a> {
    /// No check.
    Nothing,
    /// A check.
    Check(CheckLabel),
    /// A shell with a line, and the modes that it begins in.
    Line(Cow<'a, str>, Modes),
}

/// What the words of one command are.
pub(super) fn sense<'a>(words: &[Word<'a>]) -> Sense<'a> {
    let mut words = words;
    for _ in 0..MOST_WRAPPERS {
        let assigned = words.iter().take_while(|word| word.assigns()).count();
        let Some((first, rest)) = words.get(assigned..).and_then(<[_]>::split_first) else {
            return Sense::Nothing;
        };
        let text = first.text();
        let name = program(&text);
        if SHELLS.contains(&name) {
            return shell(rest);
        }
        let Some(tool) = tool(name) else { return Sense::Nothing };
        match tool.call(rest) {
            Call::Nothing => return Sense::Nothing,
            Call::Check(label) => return Sense::Check(label),
            Call::Command(command) => words = command,
        }
    }
    Sense::Nothing
}

fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.binary_search_by(|tool| tool.name.cmp(name)).ok().and_then(|at| TOOLS.get(at))
}

/// A program's name: without its folder, its version and the endings of some systems.
fn program(text: &str) -> &str {
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = match name.find('@') {
        None | Some(0) => name,
        Some(at) => name.get(..at).unwrap_or_default(),
    };
    let name = [".exe", ".cmd", ".bat", ".js", ".mjs"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name);
    match name.strip_prefix("python") {
        Some(version) if version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => "python",
        Some(_) | None => alias(name),
    }
}

/// Other names of programs in the table.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("bazelisk", "bazel"),
    ("bunx", "npx"),
    ("cross", "cargo"),
    ("doas", "sudo"),
    ("dotenvx", "dotenv"),
    ("gmake", "make"),
    ("gradlew", "gradle"),
    ("gtimeout", "timeout"),
    ("inv", "invoke"),
    ("mamba", "conda"),
    ("micromamba", "conda"),
    ("mvnd", "mvn"),
    ("mvnw", "mvn"),
    ("ninja-build", "ninja"),
    ("nuxi", "nuxt"),
    ("pipx", "npx"),
    ("pnpx", "npx"),
    ("py", "python"),
    ("py.test", "pytest"),
    ("pypy3", "python"),
    ("rtx", "mise"),
    ("uvx", "npx"),
];

/// The name in the table of a program that has several.
fn alias(name: &str) -> &str {
    ALIASES.iter().find(|(other, _)| *other == name).map_or(name, |(_, name)| *name)
}

/// A shell's line, if it is given one: `bash -lc '…'`.
fn shell<'a>(words: &[Word<'a>]) -> Sense<'a> {
    let (mut modes, mut given) = (Modes::default(), false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text();
        if matches!(text.as_ref(), "--rcfile" | "--init-file") {
            words.next();
        } else if text.starts_with(['-', '+']) {
            given |= !text.starts_with("--") && text.contains('c');
            if modes.option(&text) == Wants::Name
                && let Some(name) = words.next()
            {
                modes.named(&name.text(), text.starts_with('-'));
            }
        } else {
            return if given { Sense::Line(text, modes) } else { Sense::Nothing };
        }
    }
    Sense::Nothing
}
