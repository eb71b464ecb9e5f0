#!/usr/bin/env python3
"""The measurements of bench/index.sh; see there."""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = int(os.environ.get("RUNS", "5"))
READ = re.compile(r"(?:read|pread64|readv|preadv)\(\d+<([^>]*)>.*= (\d+)$")


class Cost:
    """Wall and processor seconds and peak memory in MB of one process and its children."""

    def __init__(self, words, env):
        begun = time.perf_counter()
        pid = os.posix_spawnp(
            words[0],
            [str(word) for word in words],
            env,
            file_actions=[(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)],
        )
        _, status, used = os.wait4(pid, 0)
        self.wall = time.perf_counter() - begun
        self.cpu = used.ru_utime + used.ru_stime
        self.memory = used.ru_maxrss / 1024
        self.code = os.waitstatus_to_exitcode(status)


class Home:
    """A machine with one runtime's history on it, and LoopX's own folder."""

    def __init__(self, program, room, runtime, history):
        self.program, self.room, self.history = program, Path(room), history
        self.own = self.room / f"own-{runtime}"
        name = "CODEX_HOME" if runtime == "codex" else "CLAUDE_CONFIG_DIR"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.room),
            "LOOPX_HOME": str(self.own),
            "TZ": "UTC",
            name: str(history),
        }

    def anew(self):
        shutil.rmtree(self.own, ignore_errors=True)

    def cost(self, *words):
        cost = Cost([self.program, *words, "--json"], self.env)
        if cost.code:
            sys.exit(f"loopx {' '.join(words)} ended with {cost.code}")
        return cost

    def read(self, *words):
        """The bytes read from session files."""
        log = self.room / "strace"
        calls = "trace=read,pread64,readv,preadv,preadv2,mmap"
        subprocess.run(
            ["strace", "-f", "-y", "-o", log, "-e", calls, self.program, *words, "--json"],
            env=self.env,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        found = (READ.search(line) for line in log.read_text().splitlines())
        return sum(int(read[2]) for read in found if read and read[1].startswith(str(self.history)))


def row(what, bar, *figures):
    print(f"{what:<46} {bar:<34} {'  '.join(figures)}", flush=True)


def middle(costs, figure):
    return statistics.median(getattr(cost, figure) for cost in costs)


def figures(costs):
    return (
        f"wall {middle(costs, 'wall'):.3f} s",
        f"cpu {middle(costs, 'cpu'):.3f} s ({min(cost.cpu for cost in costs):.3f}–{max(cost.cpu for cost in costs):.3f})",
        f"{max(cost.memory for cost in costs):.1f} MB",
    )


def history(program, room, runtime, folder):
    home = Home(program, room, runtime, folder)
    home.cost("usage")
    first, whole = [], []
    for _ in range(RUNS):
        home.anew()
        first.append(home.cost("status"))
        home.anew()
        whole.append(home.cost("usage"))
    row(f"{runtime}: the first status ever", "<= 0.5 s wall, <= 64 MB", *figures(first))
    row(f"{runtime}: the whole index from nothing", "<= 1.0 CPU s, <= 64 MB", *figures(whole))
    for what, bar, words in [
        ("between sweeps", "p50 <= 15 ms, <= 32 MB", ["status"]),
        ("with a sweep", "p50 <= 50 ms, <= 32 MB", ["status", "--fresh"]),
        ("usage, nothing changed", "", ["usage"]),
    ]:
        costs = [home.cost(*words) for _ in range(RUNS * 12)]
        times = sorted(cost.wall * 1000 for cost in costs)
        p50, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
        row(
            f"{runtime}: {'status, nothing changed, ' if 'usage' not in what else ''}{what}",
            bar,
            f"p50 {p50:.1f} ms",
            f"p95 {p95:.1f} ms",
            f"{max(cost.memory for cost in costs):.1f} MB",
        )
    return home


def appended(program, room, runtime, folder):
    """One line more in a file that was written to just now, among 200 others."""
    copy = Path(room) / f"copy-{runtime}"
    files = sorted(Path(folder).rglob("*.jsonl"))
    for file in files[:: max(1, len(files) // 200)][:200]:
        to = copy / file.relative_to(folder)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, to)
    home = Home(program, room, f"{runtime}-copy" if runtime == "codex" else runtime, copy)
    home.env.pop("CODEX_HOME", None)
    home.env["CODEX_HOME" if runtime == "codex" else "CLAUDE_CONFIG_DIR"] = str(copy)
    home.own = Path(room) / f"own-copy-{runtime}"
    home.env["LOOPX_HOME"] = str(home.own)
    home.cost("usage")
    home.cost("status")
    grown = sorted(copy.rglob("*.jsonl"), key=lambda file: file.stat().st_size)[-1]
    with grown.open("rb") as end:
        end.seek(-(1 << 16), os.SEEK_END)
        line = end.read().decode(errors="replace").rstrip("\n").rsplit("\n", 1)[-1] + "\n"
    with grown.open("a", encoding="utf-8") as end:
        end.write(line)
    read = home.read("status")
    length = len(line.encode())
    row(f"{runtime}: one line appended, then status", "<= appended + 4096 B", f"{length} B appended", f"{read} B read")


def huge(program, room, runtime, folder):
    """All of a history in one file, and one line of 50 MB in it."""
    home = Path(room) / f"huge-{runtime}"
    name = "01a229a5-924c-7440-b3e2-411a8a756bc4.jsonl"
    place = home / (f"sessions/2026/11/29/rollout-2026-11-29T00-00-00-{name}" if runtime == "codex" else f"projects/-w/{name}")
    place.parent.mkdir(parents=True)
    # Piece by piece: what this process holds counts as the first memory of those that it starts.
    with place.open("wb") as into:
        for at, file in enumerate(sorted(Path(folder).rglob("*.jsonl"))):
            with file.open("rb") as source:
                shutil.copyfileobj(source, into, 1 << 16)
            if at == 100:
                into.write(b'{"timestamp":"2026-11-29T00:00:00Z","type":"attachment","x":"')
                for _ in range(50 << 4):
                    into.write(b"y" * (1 << 16))
                into.write(b'"}\n')
    size = place.stat().st_size / 1e9
    of = Home(program, room, runtime, home)
    of.own = Path(room) / f"own-huge-{runtime}"
    of.env["LOOPX_HOME"] = str(of.own)
    first, whole = of.cost("status"), of.cost("usage")
    row(f"{runtime}: a file of {size:.2f} GB, first status", "<= 64 MB", *figures([first]))
    row(f"{runtime}: the same, the whole of it", "<= 64 MB", *figures([whole]))
    shutil.rmtree(home)


def compare(program, room, runtime, folder, others):
    """Alternating runs of this program from nothing and of another one."""
    bins = Path(others).resolve() / "node_modules/.bin"
    home = Home(program, room, runtime, folder)
    path = f"{bins}:{os.environ['PATH']}"
    for name, words in [
        ("ccusage", [bins / "ccusage", *(["codex"] if runtime == "codex" else []), "daily", "--json", "--offline"]),
        ("tokscale", [bins / "tokscale", "--json", "--codex" if runtime == "codex" else "--claude"]),
    ]:
        if not Path(words[0]).exists():
            continue
        env = home.env | {"PATH": path, "HOME": str(Path(room) / "home")}
        # Some look below the home folder whatever the variables say.
        link = Path(room) / "home" / (".codex" if runtime == "codex" else ".claude")
        link.parent.mkdir(exist_ok=True)
        if not link.exists():
            link.symlink_to(Path(folder).resolve())
        ours, theirs = [], []
        for _ in range(max(3, RUNS // 2)):
            home.anew()
            ours.append(home.cost("usage"))
            theirs.append(Cost(words, env))
        if any(cost.code for cost in theirs):
            row(f"{runtime}: {name}", "", f"ended with {theirs[0].code}: not compared")
            continue
        ratios = [f"{middle(theirs, what) / middle(ours, what):.1f} x {what}" for what in ("cpu", "wall", "memory")]
        row(f"{runtime}: {name}", "", *figures(theirs), "= " + ", ".join(ratios))
        shutil.rmtree(Path(room) / "home/.cache", ignore_errors=True)
        shutil.rmtree(Path(room) / "home/.config", ignore_errors=True)


def main():
    program, claude, codex, *others = sys.argv[1:]
    program = str(Path(program).resolve())
    load = Path("/proc/loadavg").read_text().split()[:3]
    print(f"load at the start: {' '.join(load)}, {os.cpu_count()} cores; medians of {RUNS} runs")
    with tempfile.TemporaryDirectory() as room:
        for runtime, folder in [("claude", claude), ("codex", codex)]:
            history(program, room, runtime, Path(folder).resolve())
            appended(program, room, runtime, folder)
            huge(program, room, runtime, folder)
            for other in others:
                compare(program, room, runtime, folder, other)


if __name__ == "__main__":
    main()
