#!/usr/bin/env python3
"""Watches the system calls of every read verb and of one command that writes.

    bench/strace.py [BINARY]

A read verb must open nothing below the runtimes' folders for writing, and create, rename, remove, change and lock
nothing there. A command that writes must have synced the write-ahead log between its last write to it and the
receipt on stdout. Prints a line for each; exits 1 if one does not hold. Needs strace, python3 and the built binary.
"""

import json
import re
import shlex
import subprocess
import sys

from scene import Home, binary, recording, restamped

CALLS = (
    "openat,open,creat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,mknod,mknodat,flock,fcntl,"
    "truncate,ftruncate,chmod,fchmod,fchmodat,chown,fchown,fchownat,utimensat,link,linkat,symlink,symlinkat,"
    "setxattr,fsetxattr,write,pwrite64,fallocate"
)
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")
LOCKS = re.compile(r"LOCK_SH|LOCK_EX|F_SETLK|F_OFD_SETLK|F_SETLEASE")


def trace(home, calls, args):
    """The calls that the program made, one a line, each descriptor with its path."""
    log = home.root / "strace"
    ran = subprocess.run(
        ["strace", "-f", "-y", "-s", "64", "-o", log, "-e", f"trace={calls}", home.program, *args],
        env=home.env,
        cwd=home.project,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    return ran, log.read_text().splitlines()


def touches(line):
    """Whether a call may leave something behind, or make another process wait."""
    call = re.match(r"(?:\d+\s+)?(\w+)\(", line)
    if not call:
        return False
    match call[1]:
        case "open" | "openat":
            return bool(WRITES.search(line))
        case "flock" | "fcntl":
            return bool(LOCKS.search(line))
        case _:
            return True


def scene(home):
    """A goal with one of each thing, and sessions of both runtimes, live and not; their ids."""
    home.goal()
    todo = home.id("todo", "add", "draw the map")
    gate = home.id("gate", "ask", "may it be printed?", "--covers", todo)
    claimed = home.id("todo", "add", "draw the coast")
    home.ok("todo", "claim", claimed)
    handoff = home.id("handoff", "offer", claimed, "--to", "claude", "--next-action", "ink it")
    run = home.id("run", "record", "--kind", "progress", "--summary", "drawn")
    home.ok("reward", "give", run, "good", "--reason", "neat")
    home.ok("quota", "set", "--turns", "9")
    home.codex(restamped(recording("codex/0.171.0_pending_exec_approval.jsonl")))
    other = "01a229a5-924c-7440-b3e2-000000000002"
    home.codex(restamped(recording("codex/0.171.0_interrupted.jsonl")), live=False, thread=other)
    name = "claude-code/2.1.332_pending_permission"
    home.claude(restamped(recording(f"{name}.jsonl")), json.loads(recording(f"{name}.session.json")))
    (home.root / "projection.json").write_text(home.run("project").stdout)
    session = home.ok("sessions")["sessions"][0]["session"]["session_id"]
    return {"todo": todo, "gate": gate, "handoff": handoff, "run": run, "session": session}


def read_verbs(home, ids):
    file = next((home.codex_home / "sessions").rglob("*.jsonl"))
    verbs = [
        "status", "status pilot", "next", "why", "project", "sessions", "sessions list",
        f"sessions show {ids['session']}", f"sessions inspect {file} --runtime codex", "goal list", "goal show pilot",
        "goal authority list", "agent list", "bind --list", "todo list", f"todo show {ids['todo']}", "gate list",
        f"gate show {ids['gate']}", "quota show", "run list", f"run show {ids['run']}", "reward list",
        "handoff show", f"handoff show {ids['handoff']}", "log", "log --all", "doctor", "config list",
        f"check {home.root / 'projection.json'}", "schema projection", "export",
    ]  # fmt: skip
    return [shlex.split(f"{verb} {json_too}") for verb in verbs for json_too in ("", "--json")]


def reads_touch_nothing(home, ids):
    wrong = 0
    theirs = [str(home.codex_home), str(home.claude_home)]
    for args in read_verbs(home, ids):
        ran, calls = trace(home, CALLS, args)
        said = " ".join(args).replace(str(home.root), "…")[:58]
        there = [line for line in calls if any(folder in line for folder in theirs)]
        faults = [line for line in there if touches(line)]
        refused = ran.returncode in (1, 2, 4, 7) and "error" in ran.stderr
        wrong += bool(faults) or refused
        print(f"{said:<60} exit {ran.returncode:<2} {len(there):>3} opened there, {len(faults)} touched")
        for line in faults + [ran.stderr.strip()] * refused:
            print(f"    WRONG: {line}")
    return wrong


def receipt_comes_after_the_sync(home):
    ran, calls = trace(home, "write,pwrite64,fsync,fdatasync", ["todo", "add", "print the map"])
    kinds = {
        "wal": r"\bp?write(64)?\(\d+<[^>]*-wal>",
        "sync": r"\bf(data)?sync\(\d+<[^>]*-wal>",
        "receipt": r"\bwrite\(1<",
    }
    places = {kind: [n for n, line in enumerate(calls) if re.search(what, line)] for kind, what in kinds.items()}
    print("\ntodo add")
    if ran.returncode or not all(places.values()):
        print("    WRONG: not all of them were seen")
        return 1
    written, receipt = places["wal"][-1], places["receipt"][0]
    synced = [n for n in places["sync"] if written < n < receipt]
    for n in (written, *synced, receipt):
        print(f"    {calls[n][:110]}")
    if not synced:
        print("    WRONG: the receipt came before the sync")
    return 0 if synced else 1


def main():
    with Home(binary(*sys.argv[1:2])) as home:
        wrong = reads_touch_nothing(home, scene(home)) + receipt_comes_after_the_sync(home)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
