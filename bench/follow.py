#!/usr/bin/env python3
"""How long it takes from an event on disk to the changed line of `loopx follow --jsonl`, and what waiting costs.

    bench/follow.py [BINARY] [--files N] [--events N] [--idle SECONDS]

A made-up home: N session files of each runtime, old ones, and one goal with a lane of each, bound to a folder each.
Each event is one write to a session of that folder: a question comes up, or its turn ends. The clock starts before the
write and stops when the line is read; each event changes the first screen, so each has to have its line. Between two
events lies a random time. Then nothing happens, and what that costs is counted: processor time, bytes read, memory.
Exits 1 if a line is missing or a bar is missed. Needs Linux, python3 and the built binary (release).
"""

import argparse
import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
from datetime import datetime, timezone
from pathlib import Path

from scene import Room, binary

PAUSES = (0.15, 0.6)
OLD = time.time() - 60 * 86400


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")[:-4] + "Z"


class Codex:
    """A session of Codex whose turns begin, ask and end."""

    runtime = "codex_cli_tui"

    def __init__(self, home, cwd, number):
        self.cwd, self.turn = cwd, 0
        self.id = f"01a229a5-924c-7440-b3e2-{number:012}"
        day = home / "sessions/2026/11/29"
        day.mkdir(parents=True, exist_ok=True)
        self.file = day / f"rollout-2026-11-29T12-00-00-{self.id}.jsonl"

    def line(self, kind, payload):
        return json.dumps({"timestamp": now(), "type": kind, "payload": payload}) + "\n"

    def begin(self):
        meta = {"id": self.id, "timestamp": now(), "cwd": str(self.cwd), "originator": "codex-tui", "cli_version": "0.171.0", "source": "cli"}
        return self.line("session_meta", meta)

    def events(self):
        turn = {"turn_id": f"turn-{self.turn}"}
        call = {"type": "function_call", "name": "request_user_input", "arguments": "{}", "call_id": f"call-{self.turn}"}
        self.turn += 1
        yield self.line("event_msg", {"type": "task_started", **turn}) + self.line("response_item", call)
        yield self.line("event_msg", {"type": "task_complete", "error": None, **turn})


class Claude:
    """A session of Claude Code whose turns ask and end."""

    runtime = "claude_code"

    def __init__(self, home, cwd, number):
        self.cwd, self.turn, self.parent = cwd, 0, None
        self.id = f"88a73867-150f-4f26-a74c-{number:012}"
        folder = home / "projects/-made-up"
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / f"{self.id}.jsonl"

    def line(self, kind, message, **more):
        uuid = f"u{time.monotonic_ns()}"
        record = {
            "parentUuid": self.parent, "isSidechain": False, "type": kind, "message": message, "uuid": uuid,
            "timestamp": now(), "userType": "external", "entrypoint": "cli", "cwd": str(self.cwd),
            "sessionId": self.id, "version": "2.1.332", "gitBranch": "main", **more,
        }
        self.parent = uuid
        return json.dumps(record) + "\n"

    def begin(self):
        return self.said("end_turn", {"type": "text", "text": "made up"})

    def said(self, stop, content):
        self.turn += 1
        message = {
            "id": f"msg_{self.turn}", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
            "content": [content], "stop_reason": stop, "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return self.line("assistant", message)

    def events(self):
        prompt = self.line("user", {"role": "user", "content": "made up"}, origin={"kind": "human"})
        use = {"type": "tool_use", "id": f"toolu_{self.turn}", "name": "AskUserQuestion", "input": {"questions": []}}
        yield prompt + self.said("tool_use", use)
        result = {"type": "tool_result", "tool_use_id": use["id"], "content": "made up"}
        yield self.line("user", {"role": "user", "content": [result]}) + self.said("end_turn", {"type": "text", "text": "made up"})


def append(file, text):
    with file.open("a") as out:
        out.write(text)


def history(room, files):
    """Old sessions, some forty to a folder."""
    for kind, base in ((Codex, room / "codex"), (Claude, room / "claude")):
        for number in range(files):
            made = kind(base, room / "elsewhere", number)
            file = made.file
            folder = f"sessions/2026/{1 + number // 1200 % 9:02}/{1 + number // 40 % 30:02}" if kind is Codex else f"projects/-made-up-{number // 40}"
            file = base / folder / file.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(made.begin() + "".join(made.events()))
            os.utime(file, (OLD, OLD))


class Follower:
    """The program, its lines as they come, and when each was read."""

    def __init__(self, room):
        self.process = subprocess.Popen([room.program, "follow", "--jsonl"], env=room.env, stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put((time.perf_counter(), json.loads(line)))

    def next(self, timeout=20):
        return self.lines.get(timeout=timeout)

    def quiet(self, seconds=1.0):
        """Reads on until nothing has come for a while."""
        while True:
            try:
                self.next(seconds)
            except queue.Empty:
                return

    def stat(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        ticks = int(fields[11]) + int(fields[12])
        read = dict(line.split(": ") for line in Path(f"/proc/{self.process.pid}/io").read_text().splitlines())
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
        return ticks / os.sysconf("SC_CLK_TCK"), int(read["rchar"]), peak / 1024


def share(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


def shares(times):
    parts = "  ".join(f"p{part} {share(times, part / 100):5.1f} ms" for part in (50, 95, 99))
    return f"{parts}  max {max(times):5.1f} ms  of {len(times)}"


def row(what, bar, figures):
    print(f"{what:<28} {bar:<26} {figures}", flush=True)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("binary", nargs="?")
    parse.add_argument("--files", type=int, default=10000)
    parse.add_argument("--events", type=int, default=300)
    parse.add_argument("--idle", type=float, default=60)
    args = parse.parse_args()
    with Room(binary(args.binary)) as room:
        history(room.root, args.files)
        sessions = []
        for number, (kind, base) in enumerate(((Codex, room.codex_home), (Claude, room.claude_home))):
            session = kind(base, room.lane(f"lane-{number}", kind.runtime), 999_999 + number)
            append(session.file, session.begin())
            sessions.append(session)
        room.run("usage")
        load = Path("/proc/loadavg").read_text().split()[:3]
        print(f"load at the start: {' '.join(load)}, {os.cpu_count()} cores; {args.files} files of each runtime", flush=True)
        follower = Follower(room)
        follower.quiet(3)
        times = {"codex": [], "claude_code": []}
        missed = 0
        dice = random.Random(7)
        while sum(map(len, times.values())) + missed < args.events:
            at = dice.randrange(2)
            for text in sessions[at].events():
                time.sleep(dice.uniform(*PAUSES))
                begun = time.perf_counter()
                append(sessions[at].file, text)
                try:
                    read, line = follower.next(5)
                except queue.Empty:
                    missed += 1
                    continue
                if line["agent_id"] != f"lane-{at}":
                    sys.exit(f"a line of another lane: {line}")
                times[("codex", "claude_code")[at]].append((read - begun) * 1000)
        every = [one for some in times.values() for one in some]
        row("event on disk to line, all", "p50 <= 20, p99 <= 100 ms", f"{shares(every)}, {missed} missed")
        for runtime, some in times.items():
            row(f"  {runtime}", "", shares(some))
        follower.quiet(3)
        before = follower.stat()
        time.sleep(args.idle)
        after = follower.stat()
        idle = (after[0] - before[0]) / args.idle * 100
        cost = f"{idle:.3f} % of a core, {after[1] - before[1]} bytes read in all, {after[2]:.1f} MB at most"
        row(f"idle for {args.idle:.0f} s", "<= 0.1 % of a core, 40 MB", cost)
        follower.process.terminate()
        code = follower.process.wait(10)
        held = share(every, 0.5) <= 20 and share(every, 0.99) <= 100 and idle <= 0.1 and after[2] <= 40
        sys.exit(0 if held and not missed and code == 0 else f"a bar is missed, {missed} lines are, or it ended with {code}")


if __name__ == "__main__":
    main()
