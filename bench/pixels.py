#!/usr/bin/env python3
"""How long it takes from an event on disk to the pixels of the page that shows it.

    bench/pixels.py [BINARY] [--files N] [--events N]

The made-up home of `bench/follow.py`: N old session files of each runtime, a lane of each. Chromium has the first screen
open. Each event is one write to a session: a question comes up, or its turn ends, so that the lane waits on another one.
The clock starts before the write and stops when the frame after the one that shows it begins. Exits 1 if an event was not
drawn or the bar is missed. Needs Linux, python3, node, the packages of `browser/` (`npm ci` there), Chromium, and the
built binary (release).
"""

import argparse
import json
import queue
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

from follow import PAUSES, Claude, Codex, append, history, share, shares
from scene import Room, binary

BROWSER = Path(__file__).resolve().parent.parent / "browser"


def lines(process):
    read = queue.Queue()
    threading.Thread(target=lambda: [read.put(json.loads(line)) for line in process.stdout], daemon=True).start()
    return read


def quiet(drawn):
    try:
        while True:
            drawn.get(timeout=3)
    except queue.Empty:
        pass


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("binary", nargs="?")
    parse.add_argument("--files", type=int, default=10000)
    parse.add_argument("--events", type=int, default=300)
    args = parse.parse_args()
    with Room(binary(args.binary)) as room:
        history(room.root, args.files)
        sessions = []
        for number, (kind, base) in enumerate(((Codex, room.codex_home), (Claude, room.claude_home))):
            session = kind(base, room.lane(f"lane-{number}", kind.runtime), 999_999 + number)
            append(session.file, session.begin())
            sessions.append(session)
        room.run("usage")
        server = subprocess.Popen([room.program, "serve", "--port", "0"], env=room.env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        browser = None
        try:
            address = server.stdout.readline().strip()
            browser = subprocess.Popen(["node", "pixels.mjs", address], cwd=BROWSER, stdout=subprocess.PIPE, text=True)
            drawn = lines(browser)
            drawn.get(timeout=60)
            quiet(drawn)
            times, missed, dice = [], 0, random.Random(7)
            while len(times) + missed < args.events:
                at = dice.randrange(2)
                for text in sessions[at].events():
                    time.sleep(dice.uniform(*PAUSES))
                    begun = time.time()
                    append(sessions[at].file, text)
                    try:
                        line = drawn.get(timeout=5)
                    except queue.Empty:
                        missed += 1
                        continue
                    if not line["lane"].endswith(f"lane-{at}"):
                        sys.exit(f"another lane was drawn: {line}")
                    times.append(line["at"] - begun * 1000)
            print(f"event on disk to pixels, {args.files} files of each runtime: {shares(times)}, {missed} missed")
            return 0 if not missed and share(times, 0.95) <= 200 else 1
        finally:
            for process in filter(None, (browser, server)):
                process.terminate()
                process.wait(20)


if __name__ == "__main__":
    sys.exit(main())
