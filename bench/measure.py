#!/usr/bin/env python3
"""Times whole processes: wall time and peak memory of each run, as the operating system accounts them.

    measure.py WHAT BAR RUNS AT_ONCE -- COMMAND…

runs the command RUNS times, AT_ONCE at the same time, and prints one row: WHAT, BAR, then p50, p95 and p99 in
milliseconds, the median of the processor time, the largest peak memory in MB, and how many runs ended with which exit code. `{n}` in a word of the
command is the number of the run, so that each can be another command. Needs Linux and Python 3.9.
"""
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
        file_actions=[(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)],
    )
    return pid, begun


def run(command, runs, at_once):
    times, cpu, memory, codes, running, number = [], [], 0, {}, {}, 0
    while len(times) < runs:
        while number < runs and len(running) < at_once:
            pid, begun = start(command, number)
            running[pid] = begun
            number += 1
        pid, status, usage = os.wait3(0)
        times.append((time.perf_counter() - running.pop(pid)) * 1000)
        cpu.append((usage.ru_utime + usage.ru_stime) * 1000)
        memory = max(memory, usage.ru_maxrss)
        code = os.waitstatus_to_exitcode(status)
        codes[code] = codes.get(code, 0) + 1
    return sorted(times), sorted(cpu), memory / 1024, codes


def main():
    split = sys.argv.index("--")
    what, bar, runs, at_once = sys.argv[1:split]
    command = sys.argv[split + 1 :]
    for number in range(3):
        pid, _ = start(command, f"warm{number}")
        os.waitpid(pid, 0)
    times, cpu, megabytes, codes = run(command, int(runs), int(at_once))
    p50, p95, p99 = (times[min(len(times) - 1, int(len(times) * share))] for share in (0.5, 0.95, 0.99))
    ended = ", ".join(f"{count} x {code}" for code, count in sorted(codes.items()))
    print(f"{what:<34} {bar:<26} {p50:8.2f} {p95:8.2f} {p99:8.2f} ms  cpu {cpu[len(cpu) // 2]:6.2f} ms {megabytes:7.1f} MB  exit {ended}")


main()
