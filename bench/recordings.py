#!/usr/bin/env python3
"""What the program says of every recorded session of Codex ≥ 0.125 and Claude Code 2, against what it should say.

    bench/recordings.py FOLDER EXPECTED.tsv [BINARY] [--as-dated]

FOLDER holds codex/*.jsonl and claude-code/*.jsonl; the table has the columns file, runtime, file_state, live_state.
Each runs twice: with its liveness made real (a process that holds the writer's lock, or one that a registry entry
names) and from its file alone. Times are moved so that they end 30 seconds ago; with --as-dated the files alone
keep theirs, and what is too old to tell is `unknown`. Exits 1 if a state is not the expected one.
Needs python3 and the built binary.
"""

import argparse
import csv
import json
import re
import sys
from pathlib import Path

from scene import Home, binary, instants, now, restamped

IDLE = {"sessionId": "", "kind": "interactive", "version": "2.1.332", "status": "idle"}
STALE_AFTER = 600


def wanted(file):
    version = re.match(r"(\d+)\.(\d+)", file.name)
    if file.parent.name == "codex":
        return version and (int(version[1]), int(version[2])) >= (0, 125)
    return file.parent.name == "claude-code" and version and int(version[1]) >= 2


def registered(file, text):
    """The entry that stood beside the recording, else an idle one: the registry says idle once a turn is over."""
    beside = file.with_suffix(".session.json")
    session = re.search(r'"sessionId":"([0-9a-f-]{36})"', text)
    if beside.exists():
        return json.loads(beside.read_text())
    return IDLE | {"sessionId": session[1]} if session else None


def place(file, text):
    """Where Claude Code keeps such a file, below its project."""
    agent = re.search(r"agent-\w+", file.name)
    if not agent:
        return None
    return f"{{}}/subagents/{agent[0]}.jsonl" if "subagents" in file.name else f"{agent[0]}.jsonl"


def printed(program, file, live, as_dated):
    """What `loopx status` says of the only session there. What is no session has no process of its own."""
    original = file.read_text()
    text = original if as_dated and not live else restamped(original)
    with Home(program) as home:
        if file.parent.name == "codex":
            home.codex(text, live)
        else:
            home.claude(text, registered(file, text) if live else None, place(file, text))
        sessions = home.ok("status")["sessions"]
    if not sessions:
        return {"state": "none"}
    if len(sessions) > 1:
        return {"state": f"{len(sessions)} sessions"}
    return sessions[0]["session"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("expected", type=Path)
    parser.add_argument("binary", nargs="?")
    parser.add_argument("--as-dated", action="store_true")
    args = parser.parse_args()
    program = binary(args.binary)
    lines = [line for line in args.expected.read_text().splitlines() if not line.startswith("#")]
    wrong = count = 0
    print("file", "with", "expected", "printed", "tier", "liveness", "missing", "", sep="\t")
    for row in csv.DictReader(lines, delimiter="\t"):
        for file in filter(wanted, sorted(args.folder.glob(row["file"]))):
            for live in (True, False):
                expected = row["live_state" if live else "file_state"]
                # A subagent's file and what is no session are no sessions of their own.
                expected = "none" if expected in ("child", "not a session") else expected
                stamps = instants(file.read_text())
                old = args.as_dated and stamps and (now() - max(stamps)).total_seconds() > STALE_AFTER
                if old and not live and expected == "waiting_answer":
                    expected = "unknown"
                session = printed(program, file, live and expected != "none", args.as_dated)
                right = session["state"] == expected
                wrong += not right
                count += 1
                print(
                    file.name[:48],
                    "process" if live else "file",
                    expected,
                    session["state"],
                    session.get("tier", "–"),
                    session.get("liveness", "–"),
                    ", ".join(session.get("missing", [])) or "–",
                    "" if right else "WRONG",
                    sep="\t",
                )
    print(f"{count} states, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
