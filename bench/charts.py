#!/usr/bin/env python3
"""What charts cost over a log of many events, and what they cost the first screen.

    bench/charts.py [BINARY] [--bench STORE_BENCH] [--events N]

A made-up store: one goal with four lanes and N events (default 100,000) in the last seven days, which change whom the lanes
wait on again and again; made by `store_bench week` (cargo build --release -p loopx-store --example store_bench --features
testing). The page of charts is asked for while nothing is known, then again and again; after each time the first screen is
asked for too. Prints the times, the bytes and the memory. Exits 1 if the first screen waits for the charts. Needs Linux,
python3 and the built binary (release).
"""

import argparse
import gzip
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from page import Served
from scene import binary


class Busy(Served):
    """A server over one busy goal."""

    def run(self, *args):
        pass


def memory(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return {line.split(":")[0]: int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith(("VmRSS", "VmHWM"))}


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("binary", nargs="?")
    parse.add_argument("--bench")
    parse.add_argument("--events", type=int, default=100_000)
    args = parse.parse_args()
    program = binary(args.binary)
    bench = args.bench or Path(program).parent / "examples/store_bench"
    with tempfile.TemporaryDirectory() as room:
        room = Path(room)
        (room / "loopx").mkdir(mode=0o700)
        subprocess.run([bench, "week", room / "loopx", str(args.events), str(int(time.time()))], check=True)
        served = Busy(program, room)
        try:
            sys.exit(measure(served))
        finally:
            served.process.kill()


def measure(served):
    def timed(path):
        begun = time.perf_counter()
        status, _, body = served.ask(path)
        assert status == 200, (path, status)
        return (time.perf_counter() - begun) * 1000, len(body), len(gzip.compress(body))

    first = [timed("/")[0] for _ in range(20)]
    print(f"first screen: p50 {statistics.median(first):.1f} ms; {memory(served.process)} MB")
    during = []
    done = threading.Event()

    def look():
        while not done.is_set():
            during.append(timed("/")[0])
            time.sleep(0.01)

    beside = threading.Thread(target=look)
    beside.start()
    for name, path in [("first", "/charts?reach=week"), ("again", "/charts?reach=week"), ("a day", "/charts")]:
        took, size, packed = timed(path)
        print(f"charts, {name}: {took:.0f} ms, {size / 1000:.0f} kB, {packed / 1000:.0f} kB compressed")
    took, size, _ = timed("/goals/busy")
    print(f"the goal's page: {took:.0f} ms, {size / 1000:.0f} kB")
    again = [timed("/charts?reach=week")[0] for _ in range(20)]
    print(f"charts, again: p50 {statistics.median(again):.1f} ms")
    done.set()
    beside.join()
    print(f"first screen meanwhile: p50 {statistics.median(during):.1f} ms, at most {max(during):.1f} ms; {memory(served.process)} MB")
    return 1 if max(during) > 500 else 0


if __name__ == "__main__":
    main()
