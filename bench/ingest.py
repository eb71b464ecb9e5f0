#!/usr/bin/env python3
"""Shows how many lines a second `loopx ingest` takes in.

    ingest.py PROGRAM [LINES]

writes LINES lines (default 200000) into the program's stdin as fast as it reads them, in a data folder of its own: once
of one session, once of a hundred, once of two thousand, once line by line, and once with one line in ten refused. It
prints a row for each: lines, seconds, lines a second, how many times the bar of 10,000 that is, processor time, peak memory
and the length of the file that it leaves. Exits 1 if one is below the bar or a line was lost. Needs Linux and Python 3.9.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

BAR = 10_000
STATES = ["running", "waiting_answer", "idle", "running", "waiting_permission", "errored"]


def line(number, sessions, refused):
    said = {
        "runtime_id": "custom_worker",
        "session_id": f"job-{number % sessions}",
        "state": "busy" if refused and number % 10 == 0 else STATES[number % len(STATES)],
        "pid": os.getpid(),
        "goal_id": "handbook",
        "agent_id": "builder",
        "checks": [{"label": "test", "outcome": "passed", "exit_code": 0}],
        "usage": {"turns": number, "input_tokens": number * 100, "output_tokens": number},
    }
    return json.dumps(said) + "\n"


def run(program, what, lines, sessions=1, refused=False, singly=False):
    with tempfile.TemporaryDirectory() as folder:
        env = {"HOME": folder, "LOOPX_HOME": os.path.join(folder, "loopx"), "PATH": os.environ["PATH"]}
        said = os.path.join(folder, "lines")
        with open(said, "w") as out:
            out.writelines(line(number, sessions, refused) for number in range(lines))
        words = open(os.path.join(folder, "words"), "wb")
        begun = time.perf_counter()
        # Written as fast as it is read, or line by line.
        each = [sys.executable, "-c", "import os,sys\nfor line in open(sys.argv[1], 'rb'): os.write(1, line)", said]
        worker = subprocess.Popen(each if singly else ["cat", said], stdout=subprocess.PIPE)
        ingest = subprocess.Popen(
            [program, "ingest", "--json"], stdin=worker.stdout, stdout=subprocess.PIPE, stderr=words, env=env
        )
        worker.stdout.close()
        document = json.loads(ingest.stdout.read())
        _, _, usage = os.wait4(ingest.pid, 0)
        worker.wait()
        took = time.perf_counter() - begun
        length = os.path.getsize(os.path.join(folder, "loopx", "workers.jsonl"))
    rate = lines / took
    cpu = usage.ru_utime + usage.ru_stime
    print(
        f"{what:<24} {lines:8} lines {took:7.2f} s {rate:10.0f} a second  {rate / BAR:6.1f} x the bar"
        f"  cpu {cpu:6.2f} s {usage.ru_maxrss / 1024:6.1f} MB  file {length / 1024:7.0f} kB"
    )
    want = sum(1 for number in range(lines) if refused and number % 10 == 0)
    sound = document["taken"] == lines - want and document["refused"] == want
    if not sound:
        print(f"  taken {document['taken']}, refused {document['refused']}", file=sys.stderr)
    return sound and rate >= BAR


def main():
    program, *rest = sys.argv[1:]
    lines = int(rest[0]) if rest else 200_000
    shown = [
        run(program, "one session", lines),
        run(program, "a hundred sessions", lines, sessions=100),
        run(program, "two thousand sessions", lines, sessions=2000),
        run(program, "line by line", lines, sessions=100, singly=True),
        run(program, "one in ten refused", lines, sessions=100, refused=True),
    ]
    sys.exit(0 if all(shown) else 1)


main()
