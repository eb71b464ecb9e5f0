#!/usr/bin/env python3
"""What the page costs: the first screen of 200 lanes, its JSON under load, and many browsers that follow the changes.

    bench/page.py [BINARY] [--clients N] [--seconds S] [--rate R]

A made-up store: 20 goals with 10 lanes each. The first screen and its JSON are asked for again and again over one
connection; with `wrk` on the path the JSON is asked for over 64. Then N clients follow the stream of changes while todos
and gates come and go, R a second; each has to end on the same place in the changes and to have been told of every lane
that began to wait on a person. Exits 1 if one was not. Needs Linux, python3 and the built binary (release).
"""

import argparse
import asyncio
import http.client
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scene import binary

GOALS, LANES = 20, 10


class Served:
    """A server over a made-up store."""

    def __init__(self, program, room):
        self.program, self.room = program, room
        (room / "home").mkdir()
        self.env = {"PATH": os.environ["PATH"], "HOME": str(room / "home"), "LOOPX_HOME": str(room / "loopx")}
        for goal in range(GOALS):
            self.run("goal", "add", f"goal-{goal:02}", "--objective", f"part {goal}", "--proof", "none")
            for lane in range(LANES):
                self.run("agent", "add", f"agent-{lane}", "--goal", f"goal-{goal:02}")
            for todo in range(3):
                self.run("todo", "add", f"piece {todo} of part {goal}", "--goal", f"goal-{goal:02}")
        self.process = subprocess.Popen([program, "serve", "--port", "0"], env=self.env, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = self.process.stdout.readline().strip().removeprefix("http://")
        self.host, path = address.split("/", 1)
        self.port = int(self.host.split(":")[1])
        answer = self.ask("/" + path)
        self.cookie = answer[1]["set-cookie"].split(";")[0]

    def run(self, *args):
        subprocess.run([self.program, *args], env=self.env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, path, connection=None, **headers):
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port)
        headers = {"host": self.host, **({"cookie": self.cookie} if hasattr(self, "cookie") else {}), **headers}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def memory(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024


def quantile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


def asked(served, path, times=500, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", served.port)
    took, size = [], 0
    for _ in range(times):
        began = time.perf_counter()
        status, _, body = served.ask(path, connection, **headers)
        took.append(time.perf_counter() - began)
        assert status == 200, status
        size = len(body)
    return took, size


def under_load(served):
    if not shutil.which("wrk"):
        return "wrk is not here"
    ran = subprocess.run(["wrk", "-t2", "-c64", "-d10s", "--latency", "-H", f"Host: {served.host}", "-H",
                          f"Cookie: {served.cookie}", f"http://127.0.0.1:{served.port}/api/v0/status"],
                         capture_output=True, text=True).stdout
    lines = [line.split() for line in ran.splitlines()]
    pick = {line[0]: line[1] for line in lines if len(line) == 2}
    bad = [" ".join(line) for line in lines if line and line[0] in ("Non-2xx", "Socket")]
    return f"{pick.get('Requests/sec:')}/s, p50 {pick.get('50%')}, p99 {pick.get('99%')}, {bad or 'none failed'}"


class Client:
    """One browser: the place it is at, and how often it was told that a lane began to wait on a person."""

    def __init__(self):
        self.at, self.begins, self.resets = None, 0, 0
        self.heard = {}

    async def follow(self, served, cursor, started):
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(f"GET /events?after={cursor} HTTP/1.1\r\nhost: {served.host}\r\ncookie: {served.cookie}\r\n\r\n".encode())
        await writer.drain()
        started.release()
        while line := await reader.readline():
            if line.startswith(b"id: "):
                self.at = line[4:].strip()
                self.heard.setdefault(self.at, time.perf_counter())
            elif line.startswith(b"event: begins"):
                self.begins += 1
            elif line.startswith(b"event: reset"):
                self.resets += 1


async def fan_out(served, clients, seconds, rate):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, clients + 200)), hard))
    page = served.ask("/")[2].decode()
    cursor = page.split('data-cursor="')[1].split('"')[0]
    all_clients, started = [Client() for _ in range(clients)], asyncio.Semaphore(0)
    tasks = [asyncio.create_task(client.follow(served, cursor, started)) for client in all_clients]
    for _ in tasks:
        await started.acquire()
    asks, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        began = time.perf_counter()
        goal = f"goal-{asks % GOALS:02}"
        verb = ("gate", "ask", f"may it go out, {asks}?") if asks < GOALS else ("todo", "add", f"more {asks}", "--priority", "p0")
        process = await asyncio.create_subprocess_exec(served.program, *verb, "--goal", goal, env=served.env,
                                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        await process.wait()
        asks += 1
        await asyncio.sleep(max(0, 1 / rate - (time.perf_counter() - began)))
    await asyncio.sleep(3)
    for task in tasks:
        task.cancel()
    spread = []
    for at in set().union(*(client.heard for client in all_clients)):
        times = [client.heard[at] for client in all_clients if at in client.heard]
        spread.append(max(times) - min(times))
    return {
        "changes": asks,
        "places": {client.at for client in all_clients},
        "begins": {client.begins for client in all_clients},
        "resets": sum(client.resets for client in all_clients),
        "spread": spread,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?")
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="loopx-page-") as folder:
        served = Served(binary(args.binary), Path(folder))
        try:
            took, size = asked(served, "/", **{"accept-encoding": "gzip"})
            print(f"first screen, {GOALS * LANES} lanes      p50 {quantile(took, 0.5):.2f}, p99 {quantile(took, 0.99):.2f} ms, {size} bytes compressed", flush=True)
            took, size = asked(served, "/api/v0/status")
            print(f"its JSON, one connection     p50 {quantile(took, 0.5):.2f}, p99 {quantile(took, 0.99):.2f} ms, {size} bytes", flush=True)
            print(f"its JSON, 64 connections     {under_load(served)}", flush=True)
            found = asyncio.run(fan_out(served, args.clients, args.seconds, args.rate))
            right = len(found["places"]) == 1 and found["begins"] == {GOALS * LANES} and not found["resets"]
            print(f"{args.clients} browsers, {found['changes']} changes in {args.seconds} s: {len(found['places'])} places at the end, "
                  f"told of waits {sorted(found['begins'])} (of {GOALS * LANES}), {found['resets']} resets, first to last browser "
                  f"p50 {quantile(found['spread'], 0.5):.0f}, p99 {quantile(found['spread'], 0.99):.0f} ms; "
                  f"{served.memory():.1f} MB at most")
            return 0 if right else 1
        finally:
            served.process.terminate()
            served.process.wait()


if __name__ == "__main__":
    sys.exit(main())
