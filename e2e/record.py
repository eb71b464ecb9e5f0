#!/usr/bin/env python3
"""A hook that appends what it gets to a file: `record.py FILE [LAST-ARGUMENT]`."""

import json
import os
import sys
import time

at = time.time()
given = sys.argv[2] if len(sys.argv) > 2 else sys.stdin.buffer.read().decode("utf-8", "replace")
chain, pid = [], os.getppid()
while pid > 1 and len(chain) < 8:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            text = stat.read()
    except OSError:
        break
    chain.append([pid, text.partition("(")[2].rpartition(")")[0]])
    pid = int(text.rpartition(")")[2].split()[1])
try:
    said = json.loads(given)
except ValueError:
    said = given
line = json.dumps({"at": at, "argument": len(sys.argv) > 2, "chain": chain, "said": said}) + "\n"
with open(sys.argv[1], "a", encoding="utf-8") as file:
    file.write(line)
