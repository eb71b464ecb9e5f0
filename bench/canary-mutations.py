#!/usr/bin/env python3
"""Mutations that prove that the canary test and `loopx check` can fail.

    bench/canary-mutations.py [NAME…]

Copies the tree, takes one mutation at a time into the copy, each of which lets the folder of a session out at one place,
builds it, and runs over it the canary test, and the mutated program's own `check` on what it put out over a made-up home.
Both must fail for each mutation, and neither without one. Prints a table and exits 1 if one is not as it should be.
All mutations share one target folder, `CARGO_TARGET_DIR` or one beside the copy: some twenty minutes on two cores.
Needs python3, git, cargo and what the tests need. NAMEs choose mutations.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scene import ROOT, Home, recording, restamped

SESSION = "codex/0.171.0_interrupted.jsonl"
ABSENT = "ses_" + "0" * 26
LEAK = "came out:"

PLANE = "crates/loopx/src/app/plane.rs"
OVERVIEW = "crates/loopx/src/app/overview.rs"
VIEW = "crates/loopx/src/cli/view.rs"
SESSIONS = "crates/loopx/src/cli/sessions.rs"
TEXT = "crates/loopx-safety/src/text.rs"
PRIVATE = "crates/loopx-safety/src/private.rs"

SEEN = "            let origin = seen.private.expose();\n"
FOLDER = SEEN + "            let cwd = origin.cwd.clone();\n"
# Takes a session's folder to where any other line can reach it.
CARRY = [
    (OVERVIEW, "/// Goals and sessions at one instant.\n",
     "/// A folder.\npub static SAID: std::sync::Mutex<String> = std::sync::Mutex::new(String::new());\n\n"
     "/// It.\npub fn said() -> String {\n    SAID.lock().map(|said| said.clone()).unwrap_or_default()\n}\n\n"
     "/// Goals and sessions at one instant.\n"),
    (PLANE, SEEN, FOLDER +
     "            if let (Some(cwd), Ok(mut said)) = (&cwd, crate::app::overview::SAID.lock()) {\n"
     "                *said = cwd.to_string_lossy().into_owned();\n            }\n"),
]
DECIDED = "        outgoing::screened(first_screen(inputs), || first_screen(&unsafe_output(inputs)), screen)\n"
TITLE = "    session: &'a SessionFacts,\n}"
MADE = "agent_id, session: &view.facts }"


def decided(line):
    """The decision, and a line on it after its last screening."""
    return [*CARRY, (OVERVIEW, DECIDED,
            "    let mut decision = outgoing::screened(first_screen(inputs), || first_screen(&unsafe_output(inputs)), "
            f"screen)?;\n    if !said().is_empty() {{\n        {line}\n    }}\n    Ok(decision)\n")]


def unscreened(field):
    """A field of the first screen that is read as if its checksum had been compared."""
    return decided(
        "let text = serde_json::Value::String(said());\n"
        f"        if let Ok(text) = loopx_safety::text::stored::proved(|| serde_json::from_value(text)) {{\n"
        f"            decision.projection.first_screen.{field} = text;\n        }}")


def titled(title):
    """Sessions as JSON with a title."""
    return [*CARRY, (VIEW, TITLE, "    session: &'a SessionFacts,\n    title: String,\n}"),
            (VIEW, MADE, f"agent_id, session: &view.facts, title: {title} }}")]


MUTATIONS = {
    "next_action holds it, unscreened": unscreened("next_action"),
    "latest_validation holds it, unscreened": unscreened("latest_validation"),
    "the screen is off for next_action": [
        *decided('if let Ok(text) = format!("go on in {}", said()).parse() {\n'
                 "            decision.projection.first_screen.next_action = text;\n        }"),
        (TEXT, "        screen(text, T::KIND, MAX)?;\n        Ok(Self::screened(text.into()))",
         '        if !text.starts_with("go on in ") {\n            screen(text, T::KIND, MAX)?;\n        }\n'
         "        Ok(Self::screened(text.into()))"),
    ],
    "a session's title": titled("crate::app::overview::said()"),
    "a Debug that is serialized": [
        (OVERVIEW, CARRY[0][1], CARRY[0][2]),
        (PLANE, SEEN, SEEN +
         "            if let Ok(mut said) = crate::app::overview::SAID.lock() {\n"
         '                *said = format!("{:?}", seen.private);\n            }\n'),
        (PRIVATE, "impl<T> fmt::Debug for Private<T>", "impl<T: fmt::Debug> fmt::Debug for Private<T>"),
        (PRIVATE, 'f.write_str("Private(..)")', "fmt::Debug::fmt(&self.0, f)"),
        *titled("crate::app::overview::said()")[2:],
    ],
    "an error's message": [
        *CARRY,
        (SESSIONS, 'format!("no session {text} is seen on this machine")',
         'format!("no session {text} is seen on this machine, but one in {}", crate::app::overview::said())'),
    ],
    "a line of a log, on stderr": [
        (PLANE, SEEN, FOLDER + '            eprintln!("read a session in {cwd:?}");\n'),
    ],
    "a file of its own": [
        (PLANE, SEEN, FOLDER +
         '            let home = std::env::var_os("LOOPX_HOME").map(std::path::PathBuf::from);\n'
         '            if let Some(home) = home.filter(|home| home.is_dir()) {\n'
         '                let _ = std::fs::write(home.join("last.log"), format!("{cwd:?}"));\n            }\n'),
    ],
}


def copied(to):
    """The tree as it stands, without what is ignored."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)


def changed(tree, edits):
    """Takes the edits in; what the files held before."""
    before = {}
    for name, old, new in edits:
        file = tree / name
        text = file.read_text()
        before.setdefault(name, text)
        if text.count(old) != 1:
            sys.exit(f"{name}: {text.count(old)} times, not once: {old.strip()!r}: mend this mutation")
        file.write_text(text.replace(old, new))
    return before


def cargo(tree, target, *args):
    env = os.environ | {"CARGO_TARGET_DIR": str(target)}
    return subprocess.run(["cargo", *args], cwd=tree, env=env, capture_output=True, text=True)


def canary(tree, target):
    """Whether the canary test found a leak; a failure of any other kind ends the run."""
    ran = cargo(tree, target, "test", "-q", "-p", "loopx", "--locked", "--test", "it", "canary::no_string")
    if ran.returncode and LEAK not in ran.stdout + ran.stderr:
        sys.exit(f"the canary test failed for another reason:\n{ran.stdout[-3000:]}{ran.stderr[-3000:]}")
    return bool(ran.returncode)


def check(tree, target):
    """Whether `check` refuses what the program put out: its text and its own files line by line, its projection."""
    built = cargo(tree, target, "build", "-q", "-p", "loopx", "--locked")
    if built.returncode:
        sys.exit(f"it does not build:\n{built.stderr[-3000:]}")
    with Home(target / "debug/loopx") as home:
        home.goal()
        home.codex(restamped(recording(SESSION)), live=False)
        out = home.root / "out"
        out.mkdir()
        for at, line in enumerate((["status"], ["status", "--json"], ["next", "--json"], ["why"], ["project"],
                                   ["sessions", "list", "--all", "--json"], ["sessions", "show", ABSENT], ["doctor"])):
            ran = home.run(*line)
            (out / f"{at}-{line[0]}.txt").write_text(ran.stdout + ran.stderr)
        (out / "projection.json").write_text(home.run("project").stdout)
        for file in home.store.glob("*.log"):
            shutil.copy(file, out)
        codes = [home.run("check", "--text", str(out)).returncode,
                 home.run("check", str(out / "projection.json")).returncode]
    if not set(codes) <= {0, 7}:
        sys.exit(f"check came to {codes}")
    return 7 in codes


def main():
    every = {"none": [], **MUTATIONS}
    chosen = {name: edits for name, edits in every.items() if not sys.argv[1:] or name in sys.argv[1:]}
    if len(chosen) < len(sys.argv[1:]):
        sys.exit(f"the mutations are: {', '.join(every)}")
    word = {True: "failed", False: "passed"}
    right = True
    with tempfile.TemporaryDirectory(prefix="loopx-mutations-") as folder:
        tree = Path(folder) / "tree"
        target = Path(os.environ.get("CARGO_TARGET_DIR") or Path(folder) / "target")
        copied(tree)
        print(f"{'mutation':<42}{'canary test':<14}{'check':<10}seconds", flush=True)
        for name, edits in chosen.items():
            began = time.monotonic()
            before = changed(tree, edits)
            found = [canary(tree, target), check(tree, target)]
            for file, text in before.items():
                (tree / file).write_text(text)
            right &= found == [bool(edits)] * 2
            seconds = time.monotonic() - began
            print(f"{name:<42}{word[found[0]]:<14}{word[found[1]]:<10}{seconds:.0f}", flush=True)
    print("each is found by both" if right else "NOT AS IT SHOULD BE")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
