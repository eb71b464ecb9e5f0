//! What is given to somebody who has typed little: a folder that nobody has named, and a shell that asks what may follow.

use super::doors::Output;
use super::home::Home;
use super::verbs::{files, verbs};
use crate::world::Ran;

/// The verbs over a folder whose goal nobody has named.
const FRESH: &[&[&str]] = &[
    &["status"],
    &["init"],
    &["init"],
    &["status"],
    &["todo", "add", "draw the coast"],
    &["next", "--agent", "codex"],
    &["project", "--agent", "codex"],
    &["goal", "list"],
    &["goal", "show"],
    &["bind", "--list"],
    &["log", "--all"],
    &["sessions", "list", "--all"],
    &["usage", "--by", "goal"],
    &["export"],
    &["doctor"],
    &["uninstall"],
];

/// `init` where no goal is named, in a folder with a private name; its files, in the usual places of the home.
pub fn unnamed(home: &Home) -> Vec<Output> {
    let world = home.world.in_folder(&home.project).without("LOOPX_HOME");
    let mut outputs = Vec::new();
    for line in FRESH {
        for json in [&[][..], &["--json"]] {
            let ran = world.run(&[line, json].concat());
            assert!(line[0] != "init" || ran.code == 0, "{}", ran.err);
            keep(&mut outputs, &[line, json].concat().join(" "), ran);
        }
    }
    let user = std::path::PathBuf::from(world.env.var_os("HOME").expect("a home"));
    for place in [".local/share/loopx", ".config/loopx"] {
        if user.join(place).is_dir() {
            for (name, bytes) in files(&user.join(place)) {
                outputs.extend(Output::named_file(&name, bytes));
            }
        }
    }
    assert!(outputs.iter().any(|output| output.name == "the file loopx.db"));
    outputs
}

fn keep(outputs: &mut Vec<Output>, line: &str, ran: Ran) {
    outputs.push(Output::new(format!("`{line}` in a folder without a goal, stdout"), ran.out));
    outputs.push(Output::new(format!("`{line}` in a folder without a goal, stderr"), ran.err));
}

/// What shells are told that may follow each verb, and each of its options.
pub fn completed(home: &Home) -> Vec<Output> {
    home.world.run(&["init", "atlas", "--agent", "codex"]).ok();
    home.world.run(&["todo", "add", "draw the coast", "--goal", "atlas"]).ok();
    // A path is completed to what lies in the folder that the caller stands in, as by any shell: here, nothing.
    let empty = home.world.path("work");
    let mut outputs = Vec::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let world = home.world.in_folder(&empty).with("LOOPX_COMPLETE", shell).with("_CLAP_IFS", "\n");
        for verb in verbs(&loopx::cli::command()) {
            let verb: Vec<&str> = verb.split(' ').collect();
            for more in [&[""][..], &["--"], &["--goal", ""], &["--agent", ""], &["--goal", "atlas", ""]]
                .into_iter()
                // The shells differ in how it is written down only.
                .take(if shell == "bash" { 5 } else { 1 })
            {
                let words = [&["--", "loopx"], &verb[..], more].concat();
                let world = world.with("_CLAP_COMPLETE_INDEX", (words.len() - 2).to_string());
                let ran = world.run(&words);
                let name = format!("{shell} completes `{} {}`", verb.join(" "), more.join(" "));
                outputs.push(Output::new(name, ran.out + &ran.err));
            }
        }
    }
    let told = |word: &str| outputs.iter().filter(|output| contains(&output.bytes, word)).count();
    assert!(told("atlas") > 20 && told("--goal") > 20, "{} and {}", told("atlas"), told("--goal"));
    outputs
}

fn contains(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|part| part == word.as_bytes())
}
