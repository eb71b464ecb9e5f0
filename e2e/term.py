"""A terminal of its own for one program: tmux on a socket of its own, watched through `capture-pane`."""

import os
import re
import subprocess
import threading
import time

WIDTH, HEIGHT = 130, 45


class Late(Exception):
    """The pane did not show what was waited for."""


class Pane:
    """One program in one tmux server."""

    def __init__(self, socket, folder, environment, command, pressed):
        self.socket = str(socket)
        self.environment = environment
        self.clean = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": environment["HOME"], "LANG": "C.UTF-8"}
        self.clean["TERM"] = "xterm-256color"
        self.pressed = pressed  # when keys were
        self.shown = []  # (when first seen, text), newest last
        self.seen = threading.Condition()
        self.going = True
        pairs = [f"{name}={value}" for name, value in environment.items()]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-s", "pane", "-x", str(WIDTH), "-y", str(HEIGHT),
                  "-c", str(folder), "env", "-i", *pairs, *command)
        self.tmux("set-option", "-g", "escape-time", "0", check=False)
        self.tmux("set-option", "-g", "remain-on-exit", "on", check=False)
        self.watcher = threading.Thread(target=self.watch, daemon=True)
        self.watcher.start()

    def tmux(self, *arguments, check=True):
        """Runs one tmux command on the pane's own server."""
        done = subprocess.run(["tmux", "-S", self.socket, *arguments], env=self.clean, capture_output=True,
                              text=True, check=False)
        if check and done.returncode:
            raise Late(f"tmux {arguments[0]}: {done.stderr.strip()}")
        return done.stdout

    def watch(self):
        """Looks at the pane some thirty times a second and keeps each screen with the moment it was first seen."""
        while self.going:
            before = time.time()
            text = self.tmux("capture-pane", "-p", "-t", "pane", check=False).rstrip()
            if not self.shown or self.shown[-1][1] != text:
                with self.seen:
                    self.shown.append((before, text))
                    self.seen.notify_all()
            time.sleep(0.025)

    def text(self):
        """What stands there."""
        return self.shown[-1][1] if self.shown else ""

    def wait(self, pattern, timeout=20.0, since=0.0, without=None):
        """Waits until a screen since then matches, and nothing in it `without`; returns when it was first seen."""
        wanted, unwanted = re.compile(pattern, re.M), re.compile(without, re.M) if without else None
        until = time.time() + timeout
        looked = 0
        with self.seen:
            while True:
                for index in range(looked, len(self.shown)):
                    at, text = self.shown[index]
                    after = self.shown[index + 1][0] if index + 1 < len(self.shown) else time.time()
                    if after >= since and wanted.search(text) and not (unwanted and unwanted.search(text)):
                        return max(at, since)
                looked = max(0, len(self.shown) - 1)
                left = until - time.time()
                if left <= 0:
                    raise Late(f"no {pattern!r} within {timeout:.0f} s")
                self.seen.wait(min(left, 0.5))

    def keys(self, *names):
        """Presses keys; returns when."""
        at = time.time()
        self.pressed.append(at)
        self.tmux("send-keys", "-t", "pane", *names)
        return at

    def type(self, text, enter=True):
        """Types a line; returns when Enter was pressed."""
        self.tmux("send-keys", "-t", "pane", "-l", text)
        time.sleep(0.35)
        return self.keys("Enter") if enter else time.time()

    def pids(self):
        """The pane's process and all that it began."""
        first = self.tmux("list-panes", "-t", "pane", "-F", "#{pane_pid}", check=False).split()
        return family([int(pid) for pid in first])

    def dead(self):
        """Whether its program has ended."""
        return self.tmux("list-panes", "-t", "pane", "-F", "#{pane_dead}", check=False).strip() != "0"

    def close(self):
        """Ends the program, all it began and the server."""
        pids = self.pids()
        self.going = False
        self.watcher.join(2)
        self.tmux("kill-server", check=False)
        end(pids)


def family(roots):
    """These processes and what they began, by /proc."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                    parent = int(stat.read().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            children.setdefault(parent, []).append(int(name))
    found, left = [], list(roots)
    while left:
        pid = left.pop()
        found.append(pid)
        left.extend(children.get(pid, []))
    return found


def end(pids):
    """Ends processes: asked first, then made to."""
    for signal, patience in ((15, 1.0), (9, 1.0)):
        left = [pid for pid in pids if alive(pid)]
        for pid in left:
            try:
                os.kill(pid, signal)
            except OSError:
                pass
        until = time.time() + patience
        while left and time.time() < until:
            time.sleep(0.05)
            left = [pid for pid in left if alive(pid)]
        if not left:
            return


def alive(pid):
    """Whether a process is there and no zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def strays(root):
    """The processes that were begun with this folder in their environment."""
    mark = f"={root}/".encode()
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/environ", "rb") as environment:
                    if mark in environment.read() and alive(int(name)):
                        found.append(int(name))
            except OSError:
                continue
    return found
