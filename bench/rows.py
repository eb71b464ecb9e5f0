#!/usr/bin/env python3
"""Reaches every row of the decision by the command line, and its nearest neighbour, one fact away.

    bench/rows.py [BINARY]

Prints for each way to a row what `loopx next` says there and, after a `~`, one fact away. Exits 1 if a row is not
the expected one, or if `next`, `project` and the exit code don't agree. Needs python3 and the built binary. Homes
are temporary; session files are the recordings of the repository.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

import ways_by_control  # noqa: F401
import ways_by_sessions  # noqa: F401
from scene import Home, binary
from way import CASES


def seen(home):
    """The lane's row and its line. Row 0: exit code, document and projection don't agree."""
    ran = home.run("next", "--json")
    if not ran.stdout:
        return 0, f"exit {ran.returncode}: {ran.stderr.strip()}"
    document = json.loads(ran.stdout)
    screen = document["projection"]["first_screen"]
    row = document["row_number"]
    projected = json.loads(home.run("project").stdout)
    agree = ran.returncode == document["exit"] and projected == document["projection"]
    if not agree or (ran.returncode == 0) != (row == 15):
        row = 0
    words = [
        f"{document['row_number']:>2} {document['row']:<12}",
        f"{screen['waiting_on']:<17}",
        f"{screen['gate_state']:<13}",
        f"{screen['quota_state']:<18}",
        f"exit {ran.returncode:<2}",
        screen["next_action"],
    ]
    return row, " ".join(words)


def walk(program, way):
    """What is to be printed of one way, and how much of it is wrong."""
    row, name, scene, then = way
    lines, wrong = [name], 0
    with Home(program) as home:
        home.goal()
        steps = scene(home)
        for expected, mark in ((row, " "), (then, "~")):
            next(steps, None)
            got, line = seen(home)
            fault = "" if got == expected else f"   WRONG: row {expected} was expected"
            wrong += bool(fault)
            lines.append(f"  {mark} {line}{fault}")
    return "\n".join(lines), wrong


def main():
    program = binary(*sys.argv[1:2])
    ways = sorted(CASES, key=lambda way: way[0])
    wrong = 0
    # Most of the time goes into waiting for the disk.
    with ThreadPoolExecutor(4) as pool:
        for said, faults in pool.map(walk, repeat(program), ways):
            print(said)
            wrong += faults
    rows = {row for row, *_ in ways}
    lacking = sorted(set(range(1, 22)) - rows)
    print(f"{len(ways)} ways to {len(rows)} rows, {wrong} wrong, rows without a way: {lacking or 'none'}")
    return 1 if wrong or lacking else 0


if __name__ == "__main__":
    sys.exit(main())
