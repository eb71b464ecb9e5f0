#!/usr/bin/env python3
"""What the page costs: the first screen of 200 lanes, its JSON under load, and many browsers that follow the changes.

    bench/page.py [BINARY] [--clients N] [--seconds S] [--rate R]

A made-up store: 20 goals with 10 lanes each. The first screen and its JSON are asked for again and again over one
connection; with the packages of `browser/` (`npm ci` there) and Chromium the first screen is opened there; with `wrk` on
the path the JSON is asked for over 64, once alone and once while a writer commits. Then N clients follow the stream of
changes while gates come and go, R a second; each has to end on the same place in the changes and to have been told of every
lane that began to wait on a person. Exits 1 if one was not. Needs Linux, python3 and the built binary (release).
"""

import argparse
import asyncio
import http.client
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from scene import binary

GOALS, LANES = 20, 10
BROWSER = Path(__file__).resolve().parent.parent / "browser"
# How long a gate stands, in seconds.
STAND = 1
ASKED = re.compile(rb"may piece (\d+) go out")


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


def under_load(served, *headers):
    if not shutil.which("wrk"):
        return "wrk is not here"
    ran = subprocess.run(["wrk", "-t2", "-c64", "-d10s", "--latency", "-H", f"Host: {served.host}", "-H",
                          f"Cookie: {served.cookie}", *(word for header in headers for word in ("-H", header)), f"http://127.0.0.1:{served.port}/api/v0/status"],
                         capture_output=True, text=True).stdout
    lines = [line.split() for line in ran.splitlines()]
    pick = {line[0]: line[1] for line in lines if len(line) == 2}
    bad = [" ".join(line) for line in lines if line and line[0] in ("Non-2xx", "Socket")]
    return f"{pick.get('Requests/sec:')}/s, p50 {pick.get('50%')}, p99 {pick.get('99%')}, {bad or 'none failed'}"


def content(served, visits=20):
    """When the content of the first screen is painted in Chromium: in a tab that is there, a new one, and a new profile."""
    if not (BROWSER / "node_modules").is_dir():
        return "the packages of `browser/` are not here"
    said = []
    for each in ("same", "tab", "profile"):
        visit = ["node", "content.mjs", f"http://{served.host}/", served.cookie, str(visits), each]
        out = subprocess.run(visit, cwd=BROWSER, check=True, capture_output=True, text=True).stdout
        painted = [at / 1000 for at in json.loads(out)]
        said.append(f"{each} p50 {quantile(painted, 0.5):.0f}, max {quantile(painted, 1):.0f} ms")
    return ", ".join(said)


class Writer:
    """Commits, so many a second, each from a process of its own."""

    def __init__(self, served, rate):
        self.served, self.rate, self.done, self.over = served, rate, 0, threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(number,)) for number in range(4)]

    def write(self, number):
        clock = time.perf_counter() + number / self.rate
        while not self.over.is_set():
            goal = f"goal-{(self.done + number) % GOALS:02}"
            self.served.run("todo", "add", f"more {number} {self.done}", "--goal", goal)
            self.done += 1
            clock += len(self.threads) / self.rate
            self.over.wait(max(0, clock - time.perf_counter()))

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()


def statements(served, seconds=3):
    """How often the server calls the system on a file of the store, while its JSON is asked for and nothing is written."""
    if not shutil.which("strace"):
        return "strace is not here"
    files = [flag for file in (served.room / "loopx").rglob("*.db*") for flag in ("-P", str(file))]
    trace = subprocess.Popen(["strace", "-f", "-c", "-o", served.room / "calls", *files, "-p", str(served.process.pid)],
                             stderr=subprocess.PIPE)
    trace.stderr.readline()
    answers, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        assert served.ask("/api/v0/status")[0] == 200
        answers += 1
    trace.terminate()
    trace.wait()
    total = [line.split() for line in (served.room / "calls").read_text().splitlines() if line.endswith(" total")]
    calls = total[0][-2] if total else 0
    return f"{answers} answers, {calls} calls on {len(files) // 2} files of the store"


class Client(asyncio.Protocol):
    """One browser: the place it is at, which asks it was told of, and when."""

    def __init__(self, request, connected, told):
        self.request, self.connected, self.told = request, connected, told
        self.at, self.begins, self.resets, self.closed, self.asks, self.rest = None, 0, 0, False, set(), b""

    def connection_made(self, transport):
        transport.write(self.request)
        self.transport = transport
        self.connected.release()

    def data_received(self, data):
        now, data = time.perf_counter(), self.rest + data
        # An event ends in an empty line.
        end = data.rfind(b"\n\n") + 2
        if end < 2:
            self.rest = data
            return
        data, self.rest = data[:end], data[end:]
        place = data.rfind(b"id: ")
        if place >= 0:
            self.at = data[place + 4:data.index(b"\n", place)]
        self.begins += data.count(b"event: begins\n")
        self.resets += data.count(b"event: reset\n")
        for ask in ASKED.findall(data):
            if ask not in self.asks:
                self.asks.add(ask)
                self.told(int(ask), now)

    def connection_lost(self, _):
        self.closed = True


def receipt(text):
    return json.loads(text)["id"]


async def fan_out(served, clients, seconds, rate):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, clients + 200)), hard))
    cursor = served.ask("/")[2].decode().split('data-cursor="')[1].split('"')[0]
    request = f"GET /events?after={cursor} HTTP/1.1\r\nhost: {served.host}\r\ncookie: {served.cookie}\r\n\r\n".encode()
    connected, begun, late = asyncio.Semaphore(0), {}, []
    told = lambda ask, now: late.append(now - begun[ask])
    loop = asyncio.get_running_loop()
    # Some at a time: what a system lets wait for a server to take it is limited.
    followers = []
    for start in range(0, clients, 100):
        some = min(100, clients - start)
        for _ in range(some):
            followers.append((await loop.create_connection(lambda: Client(request, connected, told), "127.0.0.1", served.port))[1])
        for _ in range(some):
            await connected.acquire()
    asks, changes, open_gates, end = 0, 0, [], time.perf_counter() + seconds
    clock = time.perf_counter()
    while time.perf_counter() < end:
        if changes % 2 == 0 or len(open_gates) <= STAND * rate / 2:
            goal, lane = f"goal-{asks % GOALS:02}", f"agent-{asks // GOALS % LANES}"
            begun[asks] = time.perf_counter()
            open_gates.append((goal, lane, receipt(await called(served, "gate", "ask", f"may piece {asks} go out?", "--goal", goal, "--agent", lane, "--covers", lane))))
            asks += 1
        else:
            goal, lane, gate = open_gates.pop(0)
            await called(served, "gate", "withdraw", gate, "--goal", goal, "--agent", lane)
        changes += 1
        clock += 1 / rate
        await asyncio.sleep(max(0, clock - time.perf_counter()))
    await asyncio.sleep(5)
    return {
        "changes": changes, "asks": asks, "late": late,
        "places": {client.at for client in followers},
        "begins": {client.begins for client in followers},
        "asked": {len(client.asks) for client in followers},
        "lost": sum(client.closed for client in followers), "resets": sum(client.resets for client in followers),
    }


async def called(served, *args):
    process = await asyncio.create_subprocess_exec(served.program, *args, "--json", env=served.env,
                                                   stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
    out, _ = await process.communicate()
    assert process.returncode == 0, args
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?")
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=int, default=10)
    parser.add_argument("--commits", type=int, default=100)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="loopx-page-") as folder:
        served = Served(binary(args.binary), Path(folder))
        try:
            took, size = asked(served, "/", **{"accept-encoding": "gzip"})
            print(f"first screen, {GOALS * LANES} lanes      p50 {quantile(took, 0.5):.2f}, p99 {quantile(took, 0.99):.2f} ms, {size} bytes compressed", flush=True)
            print(f"  in Chromium                {content(served)}", flush=True)
            took, size = asked(served, "/api/v0/status")
            print(f"its JSON, one connection     p50 {quantile(took, 0.5):.2f}, p99 {quantile(took, 0.99):.2f} ms, {size} bytes", flush=True)
            print(f"its JSON, 64 connections     {under_load(served)}", flush=True)
            print(f"  compressed                 {under_load(served, 'Accept-Encoding: gzip')}", flush=True)
            print(f"  between commits            {statements(served)}", flush=True)
            with Writer(served, args.commits) as writer:
                began = time.perf_counter()
                loaded = under_load(served)
                rate = writer.done / (time.perf_counter() - began)
            print(f"  beside {rate:.0f} commits a second  {loaded}", flush=True)
            found = asyncio.run(fan_out(served, args.clients, args.seconds, args.rate))
            edges = {found["asks"]}
            right = len(found["places"]) == 1 and found["asked"] == found["begins"] == edges and not found["resets"] and not found["lost"]
            print(f"{args.clients} browsers, {found['changes']} changes in {args.seconds} s: {len(found['places'])} place at the end, "
                  f"told of {sorted(found['asked'])} of {found['asks']} waits, {found['resets']} resets, {found['lost']} cut off; "
                  f"from the start of the command to a browser p50 {quantile(found['late'], 0.5):.0f}, "
                  f"p99 {quantile(found['late'], 0.99):.0f} ms; {served.memory():.1f} MB at most")
            return 0 if right else 1
        finally:
            served.process.terminate()
            served.process.wait()


if __name__ == "__main__":
    sys.exit(main())
