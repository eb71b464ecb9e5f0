#!/usr/bin/env python3
"""What `loopx follow` costs while one session's file grows by 50 MB a second, and whether it keeps up.

    bench/writer.py [BINARY] [--rate MB] [--seconds N]

A made-up home with one session of Claude Code, whose file is written to at that rate (default 50 MB a second for 20 s):
results of tools of 16 kB each, in a turn that is open. Every second a question comes up in the midst of it, and is
answered; the clock runs from that write to the changed line. Prints the rate that was written, the latency, processor time,
and the memory at the beginning and the end. Exits 1 if a line is missing, it takes over 0.1 of a core, or its memory grows
by more than 8 MB. Needs Linux, python3 and the built binary (release).
"""

import argparse
import json
import queue
import sys
import time
from pathlib import Path

from follow import Claude, Follower, append, row, shares
from scene import Room, binary

STEP = 0.01


def memory(follower):
    status = Path(f"/proc/{follower.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("binary", nargs="?")
    parse.add_argument("--rate", type=float, default=50)
    parse.add_argument("--seconds", type=int, default=20)
    args = parse.parse_args()
    with Room(binary(args.binary)) as room:
        session = Claude(room.claude_home, room.lane("lane", "claude_code"), 1)
        append(session.file, session.begin())
        follower = Follower(room)
        follower.quiet(2)
        out = session.file.open("ab", buffering=0)
        body = {"type": "tool_result", "tool_use_id": "toolu_none", "content": "made up " * 2048}
        block = session.line("user", {"role": "user", "content": [body]}).encode()
        times, missed, written = [], 0, 0
        first, begun, before = memory(follower), time.perf_counter(), follower.stat()
        pending, asked = iter(()), begun
        waits = None
        while (elapsed := time.perf_counter() - begun) < args.seconds or waits:
            due = args.rate * 1e6 * elapsed - written
            for _ in range(int(due // len(block))):
                written += out.write(block)
            if waits is None and time.perf_counter() - asked >= 0.5 and elapsed < args.seconds:
                text = next(pending, None)
                if text is None:
                    pending = session.events()
                    text = next(pending)
                asked = waits = time.perf_counter()
                written += out.write(text.encode())
            try:
                read, _ = follower.lines.get(timeout=STEP if waits else 0.001)
                if waits:
                    times.append((read - waits) * 1000)
                    waits = None
            except queue.Empty:
                if waits and time.perf_counter() - waits > 5:
                    missed, waits = missed + 1, None
        took = time.perf_counter() - begun
        after, last = follower.stat(), memory(follower)
        core = (after[0] - before[0]) / took
        row("written", f"{args.rate:.0f} MB a second", f"{written / took / 1e6:.1f} MB a second for {took:.0f} s")
        row("question on disk to line", "", f"{shares(times)}, {missed} missed" if times else "none")
        row("processor time", "<= 0.1 of a core", f"{core:.3f} of a core")
        row("memory", "flat", f"{first:.1f} MB, then {last:.1f} MB; {after[2]:.1f} MB at most")
        row("read", "", f"{(after[1] - before[1]) / 1e6:.0f} MB")
        follower.process.terminate()
        follower.process.wait(10)
        sys.exit(0 if times and not missed and core <= 0.1 and last - first <= 8 else "a bar is missed")


main()
