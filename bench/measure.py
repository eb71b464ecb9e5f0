#!/usr/bin/env python3
"""Times whole processes: wall time and peak memory of each run, as the operating system accounts them.

    measure.py one  RUNS -- COMMAND…             one after another
    measure.py many RUNS AT_ONCE -- COMMAND…     so many at the same time, until RUNS are done

`{n}` in a word of the command is the number of the run, so that each can be another command. Needs Linux and
Python 3.9. Prints one JSON line: p50, p95, p99 and max in milliseconds, peak memory in MB, exit codes.
"""
import json
import os
import resource
import sys
import time


def start(command, number):
    words = [word.replace("{n}", str(number)) for word in command]
    begun = time.perf_counter()
    pid = os.posix_spawnp(
        words[0],
        words,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)],
    )
    return pid, begun


def run(command, runs, at_once):
    times, memory, codes, running, number = [], 0, {}, {}, 0
    while len(times) < runs:
        while number < runs and len(running) < at_once:
            pid, begun = start(command, number)
            running[pid] = begun
            number += 1
        pid, status, usage = os.wait3(0)
        times.append((time.perf_counter() - running.pop(pid)) * 1000)
        memory = max(memory, usage.ru_maxrss)
        code = os.waitstatus_to_exitcode(status)
        codes[code] = codes.get(code, 0) + 1
    times.sort()
    at = lambda share: round(times[min(len(times) - 1, int(len(times) * share))], 2)
    return {
        "runs": runs,
        "at_once": at_once,
        "p50_ms": at(0.5),
        "p95_ms": at(0.95),
        "p99_ms": at(0.99),
        "max_ms": round(times[-1], 2),
        "peak_mb": round(memory / 1024, 1),
        "exit": codes,
    }


def main():
    split = sys.argv.index("--")
    options, command = sys.argv[1:split], sys.argv[split + 1 :]
    at_once = int(options[2]) if options[0] == "many" else 1
    for number in range(3):
        pid, _ = start(command, f"warm{number}")
        os.waitpid(pid, 0)
    print(json.dumps(run(command, int(options[1]), at_once)))


main()
