#!/usr/bin/env python3
"""What `loopx top` costs with 200 lanes, and how long it takes from a change to the screen.

    bench/top.py [BINARY] [--seconds N] [--rate R] [--size COLUMNSxROWS ...]

A made-up store: 20 goals with 10 lanes each, drawn in a pseudo terminal of 80x24 and then of 200x60. At first nothing
happens; then, R times a second (10), a todo that stands in the first rows gets another title. The clock runs from the
write of the log, as the file system tells it, to the bytes of that title on the terminal. Titles that follow one another
have no letter in common, so that each is drawn whole. Prints the latency, and the share of a core that `top` takes.
Exits 1 if a title is missing. Needs Linux, python3 and the built binary (release).
"""

import argparse
import fcntl
import os
import pty
import random
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

from scene import binary

GOALS, LANES = 20, 10
LETTERS = ("ABCDEFGHIJKLM", "NOPQRSTUVWXYZ")
TICKS = os.sysconf("SC_CLK_TCK")


class Home:
    """A made-up store."""

    def __init__(self, program, room):
        self.program, self.log = program, room / "loopx/loopx.db-wal"
        (room / "home").mkdir()
        self.env = {"PATH": os.environ["PATH"], "HOME": str(room / "home"), "LOOPX_HOME": str(room / "loopx"), "TERM": "xterm-256color"}
        for goal in range(GOALS):
            name = f"goal-{goal:02}"
            self.run("goal", "add", name, "--objective", f"part {goal}", "--proof", "none")
            for lane in range(LANES):
                self.run("agent", "add", f"agent-{lane}", "--goal", name)
            for todo in range(3):
                said = self.run("todo", "add", f"piece {todo} of part {goal}", "--goal", name, "--priority", f"p{todo}")
                if (goal, todo) == (0, 0):
                    self.todo = said.split()[1]

    def run(self, *args):
        return subprocess.run([self.program, *args], env=self.env, check=True, capture_output=True, text=True).stdout

    def rename_by(self, letters):
        """Gives the todo a title of such letters. The title, and when it was written, in seconds."""
        while True:
            word = "".join(random.choices(letters, k=10))
            try:
                self.run("todo", "edit", self.todo, "--title", word, "--goal", "goal-00")
                return word, self.log.stat().st_mtime
            except subprocess.CalledProcessError:
                # Some such words look like a text in disguise, and are refused.
                continue


class Top:
    """`loopx top` in a pseudo terminal, and what it draws, with the time of each piece."""

    def __init__(self, home, columns, rows):
        self.drawn, self.pieces, self.lock = "", [], threading.Lock()
        self.bytes = 0
        controller, device = pty.openpty()
        fcntl.ioctl(device, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen([home.program, "top"], env=home.env, stdin=device, stdout=device, stderr=device,
                                        start_new_session=True)
        os.close(device)
        self.controller = controller
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            try:
                piece = os.read(self.controller, 1 << 16)
            except OSError:
                return
            at = time.time()
            with self.lock:
                self.bytes += len(piece)
                self.drawn = (self.drawn + piece.decode(errors="replace"))[-(1 << 16):]
                self.pieces = [(at, self.drawn), *self.pieces[:200]]

    def shows(self, word, seconds=2):
        """When this was drawn, in seconds, or none."""
        until = time.time() + seconds
        while time.time() < until:
            with self.lock:
                with_it = [at for at, drawn in self.pieces if word in drawn]
            if with_it:
                return min(with_it)
            time.sleep(0.001)
        return None

    def taken(self):
        """The processor time it took, in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def end(self):
        os.write(self.controller, b"q")
        self.process.wait(10)


def quantile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


def measured(home, columns, rows, seconds, rate):
    top = Top(home, columns, rows)
    if top.shows("goal-00", 30) is None:
        sys.exit("nothing was drawn")
    time.sleep(2)
    before, begun = top.taken(), time.time()
    time.sleep(seconds)
    idle = (top.taken() - before) / (time.time() - begun)
    took, missing = [], 0
    before, begun, sent = top.taken(), time.time(), top.bytes
    for change in range(int(seconds * rate)):
        time.sleep(max(0, begun + change / rate - time.time()))
        word, written = home.rename_by(LETTERS[change % 2])
        shown = top.shows(word)
        if shown is None:
            missing += 1
        else:
            took.append(shown - written)
    length = time.time() - begun
    busy, sent = (top.taken() - before) / length, (top.bytes - sent) / length
    print(f"{columns}x{rows}, {GOALS * LANES} lanes   {len(took) / length:.1f} changes/s: p50 {quantile(took, 0.5):.0f}, p95 {quantile(took, 0.95):.0f}, "
          f"max {quantile(took, 1):.0f} ms to the screen, {missing} missing; {busy * 100:.1f} % of a core ({idle * 100:.2f} % idle), "
          f"{sent / 1000:.1f} kB/s drawn, {top.memory():.0f} MB", flush=True)
    top.end()
    return missing == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rate", type=float, default=10)
    parser.add_argument("--size", action="append")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="loopx-top-") as folder:
        home = Home(binary(args.binary), Path(folder))
        sizes = [tuple(map(int, size.split("x"))) for size in args.size or ("80x24", "200x60")]
        return 0 if all([measured(home, *size, args.seconds, args.rate) for size in sizes]) else 1


if __name__ == "__main__":
    sys.exit(main())
