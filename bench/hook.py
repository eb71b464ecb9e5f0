#!/usr/bin/env python3
"""How long a runtime waits for `loopx hook`: the whole process, from its start to its end.

    bench/hook.py [BINARY] [--runs N]

Each run is told an event of 4 kB on stdin, as `PreToolUse` is, in a data folder of its own. N (default 500) alone, one
after the other; then fifty at once, N of them in all. Prints p50, p99 and the longest, in ms, and how many events were
kept. Exits 1 if an event is missing, a run printed something or failed, or a bar is missed (alone: p50 5 ms, p99 10 ms;
fifty at once: p99 60 ms). Needs Linux, python3 and the built binary (release).
"""

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from scene import binary

AT_ONCE = 50
BARS = {"alone": (5.0, 10.0), "fifty at once": (None, 60.0)}


def event(number):
    return json.dumps({
        "session_id": f"88a73867-150f-4f26-a74c-{number % 20:012}", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_use_id": f"toolu_{number}", "tool_input": {"command": "x" * 4000},
    }).encode()


class Hook:
    """A run that is started beforehand but for what it is told, so that starting Python's own things is not counted."""

    def __init__(self, program, env, said):
        self.program, self.env, self.said = program, env, said

    def run(self, number):
        read, write = os.pipe()
        said = os.open(self.said, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        told = event(number)
        actions = [(os.POSIX_SPAWN_DUP2, read, 0), (os.POSIX_SPAWN_DUP2, said, 1), (os.POSIX_SPAWN_DUP2, said, 2),
                   (os.POSIX_SPAWN_CLOSE, write)]
        begun = time.perf_counter()
        pid = os.posix_spawn(self.program, [self.program, "hook", "claude_code", "--prompts"], self.env, file_actions=actions)
        os.write(write, told)
        os.close(write)
        _, status = os.waitpid(pid, 0)
        took = (time.perf_counter() - begun) * 1000
        os.close(read)
        os.close(said)
        return took, status


def fifty(hook, first):
    """Fifty processes at once; each is timed from its own start."""
    took, lock, ready = [], threading.Lock(), threading.Barrier(AT_ONCE)

    def one(number):
        ready.wait()
        result = hook.run(number)
        with lock:
            took.append(result)

    threads = [threading.Thread(target=one, args=(first + n,)) for n in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def row(name, runs):
    times = sorted(took for took, _ in runs)
    p50, p99 = times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.99))]
    print(f"{name:<16}{len(times):7}{p50:10.2f}{p99:10.2f}{times[-1]:10.2f}")
    half, most = BARS[name]
    return (half is None or p50 <= half) and p99 <= most and all(status == 0 for _, status in runs)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("binary", nargs="?")
    arguments.add_argument("--runs", type=int, default=500)
    options = arguments.parse_args()
    program = str(binary(options.binary))
    with tempfile.TemporaryDirectory() as folder:
        said = os.path.join(folder, "said")
        env = {"HOME": folder, "LOOPX_HOME": os.path.join(folder, "loopx"), "PATH": os.environ["PATH"]}
        hook = Hook(program, env, said)
        for number in range(20):
            hook.run(number)
        print(f"{'ms':<16}{'runs':>7}{'p50':>10}{'p99':>10}{'longest':>10}")
        well = row("alone", [hook.run(number) for number in range(options.runs)])
        rounds = max(1, options.runs // AT_ONCE)
        well &= row("fifty at once", [run for n in range(rounds) for run in fifty(hook, n * AT_ONCE)])
        kept = len((Path(folder) / "loopx/hooks.jsonl").read_bytes().splitlines())
        told = 20 + options.runs + rounds * AT_ONCE
        silent = os.path.getsize(said) == 0
        print(f"{kept} of {told} events kept; {'nothing' if silent else 'something'} was said")
    sys.exit(0 if well and kept == told and silent else 1)


main()
