"""One run of one cell: folders of its own, the stand-in, the runtime in its pane, and LoopX looked at all the while."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from mock import Plan, Server
from runtimes import RUNTIMES
from term import Late, Pane, alive, end, strays

CLEAN = ("PATH", "LANG")


class NotThere(Exception):
    """The runtime has no such thing in this version."""


@dataclass
class Sample:
    """What LoopX said once."""

    began: float
    ended: float
    verb: str
    sessions: list = field(default_factory=list)
    lane: dict | None = None
    failed: str | None = None


@dataclass
class Moment:
    """What LoopX is expected to say from one instant until another."""

    name: str
    states: tuple
    since: float
    until: float
    session: int
    allowed: str | None
    party: tuple | None
    liveness: tuple | None = None
    unseen: str | None = None


class Watcher:
    """Asks `loopx` over and over."""

    def __init__(self, stage, pause):
        self.stage, self.pause = stage, pause
        self.samples = []
        self.handles = []
        self.going = True
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        turn = 0
        while self.going:
            turn += 1
            self.samples.append(self.ask("status" if turn % 3 == 0 else "sessions"))
            time.sleep(self.pause)

    def ask(self, verb):
        """Asks once."""
        began = time.time()
        done = self.stage.run_loopx(verb, "--json")
        sample = Sample(began, time.time(), verb)
        try:
            said = json.loads(done.stdout)
        except ValueError:
            sample.failed = done.stderr.strip() or f"exit {done.returncode}"
            return sample
        for one in said.get("sessions", []):
            facts = one["session"]
            if facts["session_id"] not in self.handles:
                self.handles.append(facts["session_id"])
            sample.sessions.append({"waiting_on": one["waiting_on"], **facts})
        for goal in said.get("goals", []):
            for lane in goal["lanes"]:
                sample.lane = {"row": lane["row"], "exit": lane["exit"]}
                sample.lane["waiting_on"] = lane["projection"]["first_screen"]["waiting_on"]
        return sample

    def stop(self):
        """Stops asking."""
        self.going = False
        if self.thread.is_alive():
            self.thread.join(10)


class Stage:
    """The place a cell is played at."""

    def __init__(self, root, runtime, version, program, loopx, hooks, record=False, pause=0.04):
        self.root, self.program, self.loopx = root, program, loopx
        self.hooks, self.record = hooks, record
        self.runtime = RUNTIMES[runtime](version)
        self.home, self.project = root / "home", root / "project"
        self.temporary, self.loopx_home = root / "t", root / "loopx"
        # A socket's path has to be short.
        self.sockets = Path(tempfile.mkdtemp(prefix="e2e-"))
        self.pane, self.scene = None, None
        self.panes = 0
        self.pids = set()
        self.plan = Plan()
        self.mock = Server(self.plan)
        self.moments, self.notes, self.actions = [], [], []
        self.watcher = Watcher(self, pause)
        shutil.rmtree(root, ignore_errors=True)
        for folder in (self.home, self.project, self.temporary):
            folder.mkdir(parents=True)
        # Else the runtimes look for a project further up.
        subprocess.run(["git", "init", "-q", str(self.project)], check=True, stdout=subprocess.DEVNULL)
        for name in ("work", "ask"):
            script = self.project / name
            script.write_text("#!/bin/sh\nsleep \"$1\"\necho finished\n", encoding="utf-8")
            script.chmod(0o755)
        self.runtime.set_up(self)
        self.environment = self.runtime.environment(self)
        if loopx is not None:
            self.set_up_loopx()

    # LoopX

    def run_loopx(self, *arguments):
        """Runs LoopX as its user would, beside the runtime."""
        environment = {name: os.environ[name] for name in CLEAN if name in os.environ}
        for name in ("HOME", "LOOPX_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "TZ"):
            if name in self.environment:
                environment[name] = self.environment[name]
        return subprocess.run([str(self.loopx), *arguments], cwd=self.project, env=environment, capture_output=True,
                              text=True, check=False, stdin=subprocess.DEVNULL)

    def set_up_loopx(self):
        """A goal of the cell's own, with one lane and one todo, bound to the project's folder."""
        lane = self.runtime.lane
        kind = "claude_code" if self.runtime.name == "claude_code" else "codex_cli_tui"
        steps = [
            ["init", "--proof", "none", "--objective", "Play the cell", "-a", lane, "--runtime", kind],
            ["todo", "add", "Play it", "-a", lane],
        ]
        if self.hooks == "install":
            install = ["hooks", "install", self.runtime.name, "--runtime-version", self.runtime.version]
            steps.append([*install, "--confirm", "change settings"])
        for step in steps:
            done = self.run_loopx(*step)
            if done.returncode:
                raise Late(f"loopx {step[0]}: {done.stderr.strip()}")

    def with_hooks(self):
        """Whether LoopX gets events."""
        return self.hooks in ("loopx", "install")

    # The runtime

    def start(self, *more):
        """Begins the runtime and waits until it takes input."""
        self.panes += 1
        self.pane = Pane(self.sockets / str(self.panes), self.project, self.environment,
                         self.runtime.command(self, *more), self.actions)
        if self.loopx is not None and not self.watcher.thread.is_alive():
            self.watcher.thread.start()
        self.runtime.ready(self)
        self.pids.update(self.pane.pids())

    def say(self, scene):
        """Gives a prompt that names a scene; returns when. Enter is pressed again where the program took no notice."""
        self.scene = scene
        at = self.pane.type(f"please do [{scene}]")
        for _ in range(3):
            until = time.time() + 2.5
            while time.time() < until:
                if (self.plan.last(scene) or 0) >= at:
                    return at
                time.sleep(0.02)
            if re.search(self.runtime.BUSY, self.pane.text()):
                break
            at = self.pane.keys("Enter")
        return at

    def busy(self, since, timeout=15):
        """When the pane showed a turn going on and the model was asked: 2.0.x shows it before its hooks have run."""
        shown = self.pane.wait(self.runtime.BUSY, timeout, since)
        until = time.time() + timeout
        while (self.plan.last(self.scene) or 0) < since:
            if time.time() > until:
                raise Late(f"the model was not asked within {timeout} s")
            time.sleep(0.01)
        return max(shown, self.plan.last(self.scene))

    def quiet(self, text, since, timeout=40):
        """When the pane first showed the text, and no turn going on."""
        return self.pane.wait(text, timeout, since, without=self.runtime.BUSY)

    def at_work(self, since, timeout=15):
        """When the pane first showed the tool `./work` at work."""
        return self.pane.wait(self.runtime.AT_WORK, timeout, since)

    def needs(self, scene, tool):
        """Whether the program offered the model that tool, which a scene calls."""
        until = time.time() + 15
        while time.time() < until:
            offered = self.plan.offered(scene)
            if offered is not None:
                # Claude Code keeps some back until they are searched for, and takes calls of them all the same.
                if tool not in offered and "ToolSearch" not in offered:
                    raise NotThere(f"{self.runtime.name} {self.runtime.version} has no {tool}")
                return
            time.sleep(0.02)

    def turn(self, scene, text, timeout=40):
        """A whole turn; returns when it was over."""
        return self.quiet(text, self.say(scene), timeout)

    def leave(self, *keys_or_line):
        """Lets the runtime end by itself; returns when it had."""
        self.pids.update(self.pane.pids())
        for line in keys_or_line or ("/exit",):
            self.pane.type(line)
        until = time.time() + 20
        while time.time() < until:
            if self.pane.dead():
                return time.time()
            time.sleep(0.02)
        raise Late("the runtime did not end")

    def nap(self, seconds):
        """Lets time pass."""
        time.sleep(seconds)

    def note(self, text):
        """Keeps a word for the report."""
        self.notes.append(text)

    # What is expected

    def expect(self, name, states, since, hold, session=0, allowed=None, party=None, liveness=None,
               unseen=None):
        """Lets `hold` seconds pass, during which LoopX has to say one of these states of that session."""
        self.nap(hold)
        states = (states,) if isinstance(states, str) else tuple(states)
        moment = Moment(name, states, since, time.time(), session, allowed, party, liveness, unseen)
        self.moments.append(moment)
        return moment

    def remove(self, wholly):
        """Takes the run's folders away, or only the copy of itself that Codex makes there."""
        shutil.rmtree(self.root if wholly else self.root / "codex" / "packages", ignore_errors=True)

    def close(self):
        """Ends all that was begun here; returns what outlived it."""
        self.watcher.stop()
        if self.pane is not None:
            self.pids.update(self.pane.pids())
            self.pane.close()
        self.mock.close()
        end(self.pids)
        # Whatever moved away from the pane still has this run's folder in its environment.
        end(strays(self.root))
        shutil.rmtree(self.sockets, ignore_errors=True)
        return [pid for pid in self.pids if alive(pid)] + strays(self.root)
