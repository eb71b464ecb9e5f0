//! LoopX's own files as a door: each of them in turn holds what a session said, whole or from the middle on, or is no
//! file; and the program is asked for all that it can still do.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::doors::Output;
use super::home::Home;
use super::verbs::{files, split};
use crate::made::read;
use crate::world::World;

/// What is asked for.
const LINES: &[&str] = &[
    "",
    "--help",
    "status",
    "status --fresh",
    "sessions list --all",
    "next --goal atlas --agent codex",
    "why --goal atlas --agent claude",
    "bind --list",
    "goal pause atlas",
    "log --all",
    "export",
    "backup again.db",
    "restore kept.db",
    "authority status",
    "authority lock",
    "config list --origin",
    "purge --id todo_x --goal atlas",
    "init elsewhere",
    "uninstall",
    "doctor",
    "doctor --rebuild",
];

/// How a file is spoiled.
#[derive(Clone, Copy)]
enum How {
    Replaced,
    /// What it held, to its middle, and then the other.
    Half,
    /// A text of the form it has, in which every string is private.
    Likewise,
    AFolder,
}

impl How {
    const ALL: [Self; 4] = [Self::Replaced, Self::Half, Self::Likewise, Self::AFolder];

    const fn word(self) -> &'static str {
        match self {
            Self::Replaced => "is a session's",
            Self::Half => "is a session's from its middle on",
            Self::Likewise => "has private words for its values",
            Self::AFolder => "is a folder",
        }
    }

    /// Puts something else in a file's place.
    fn spoil(self, path: &Path, own: &[u8], said: &[u8]) {
        let half = &own[..own.len() / 2];
        match self {
            Self::Replaced => fs::write(path, said).expect("a file"),
            Self::Half => fs::write(path, [half, said].concat()).expect("a file"),
            Self::Likewise => fs::write(path, likewise(own, said)).expect("a file"),
            Self::AFolder => {
                fs::remove_file(path).expect("a file");
                fs::create_dir(path).expect("a folder");
            }
        }
    }
}

/// The same text with private words in place of every value that stands in quotes after a colon or an equals sign;
/// what is no text, with the other behind it.
fn likewise(own: &[u8], said: &[u8]) -> Vec<u8> {
    let word = String::from_utf8_lossy(said).split('"').max_by_key(|part| part.len()).map(str::to_owned);
    let (Ok(text), Some(word)) = (std::str::from_utf8(own), word) else { return [own, said].concat() };
    let mut parts: Vec<String> = text.split('"').map(str::to_owned).collect();
    for at in (1..parts.len()).step_by(2) {
        if parts[at - 1].trim_end().ends_with([':', '=']) {
            parts[at].clone_from(&word);
        }
    }
    parts.join("\"").into_bytes()
}

/// All that comes out over spoiled files, each mended after it.
pub fn outputs(home: &Home) -> Vec<Output> {
    let world = &home.world;
    prepare(world);
    let said = read(&home.files[0]);
    let own = world.path("loopx");
    let mut outputs = Vec::new();
    let names: Vec<PathBuf> =
        files(&own).into_keys().map(PathBuf::from).filter(|name| !is_apart(name)).collect();
    assert!(names.len() > 4, "{names:?}");
    let kept = files(&own);
    for name in names {
        for how in How::ALL {
            let held = read(&own.join(&name));
            how.spoil(&own.join(&name), &held, &said);
            for line in LINES {
                run(world, &format!("`{line}`, where {} {}", name.display(), how.word()), line, &mut outputs);
            }
            fs::remove_dir_all(&own).expect("a folder");
            for (name, bytes) in &kept {
                let path = own.join(name);
                fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
                fs::write(&path, bytes).expect("a file");
                fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("a mode");
            }
            fs::set_permissions(&own, fs::Permissions::from_mode(0o700)).expect("a mode");
        }
    }
    outputs
}

/// Whether a file belongs to the sample, which has a folder of its own.
fn is_apart(name: &Path) -> bool {
    name.components().count() > 1
}

/// Makes one file of every kind.
fn prepare(world: &World) {
    world.run(&["init", "atlas", "--objective", "find the way"]).ok();
    world.run(&["status"]).ok();
    world.run(&["backup", "kept.db"]).ok();
    fs::write(world.path("loopx/config.toml"), "[display]\ntime = \"utc\"\n").expect("a file");
    let (new, same, words) = ("new passphrase: ", "the same again: ", "seven quiet apples");
    world.typing(&[(new, words), (same, words)], &["authority", "lock"]).0.ok();
}

fn run(world: &World, name: &str, line: &str, outputs: &mut Vec<Output>) {
    let args = split(line);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    for args in [args.clone(), [&args[..], &["--json"]].concat()] {
        let ran = world.run(&args);
        let json = if args.contains(&"--json") { " --json" } else { "" };
        outputs.push(Output::new(format!("{name}{json}, stdout"), ran.out));
        outputs.push(Output::new(format!("{name}{json}, stderr"), ran.err));
    }
}
