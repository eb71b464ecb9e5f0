"""A made-up home for the scripts beside this file: the program, session files of the runtimes, processes that live.

Needs python3 and the built binary, nothing else. Every process is one that it started, and is ended by its id.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORDINGS = ROOT / "crates/loopx-runtimes/tests/recordings"
THREAD = "01a229a5-924c-7440-b3e2-411a8a756bc4"
INSTANT = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
HOLD = """
import fcntl, sys, time
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print(flush=True)
time.sleep(600)
"""


def now():
    return datetime.now(timezone.utc)


def binary(argument=None):
    """The program: the argument, else the newest one that cargo built here."""
    if argument:
        return Path(argument).resolve()
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [path for kind in ("debug", "release") if (path := target / kind / "loopx").exists()]
    if not built:
        sys.exit("no binary: build it with `cargo build -p loopx`, or name one")
    return max(built, key=lambda path: path.stat().st_mtime)


def recording(name):
    return (RECORDINGS / name).read_text()


def instants(text):
    return [datetime.fromisoformat(at) for at in INSTANT.findall(text)]


def restamped(text, seconds=30):
    """The text with its last instant so many seconds ago and the others as far from it as they were."""
    stamps = instants(text)
    if not stamps:
        return text
    shift = now() - timedelta(seconds=seconds) - max(stamps)
    return INSTANT.sub(lambda at: stamp(datetime.fromisoformat(at[0]) + shift), text)


def stamp(at):
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


class Room:
    """A temporary home with the program alone: the goal `bench`, lanes of it, each bound to a folder of its own."""

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name).resolve()
        self.codex_home, self.claude_home = self.root / "codex", self.root / "claude"
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(self.root), "LOOPX_HOME": str(self.root / "own"), "TZ": "UTC",
            "CODEX_HOME": str(self.codex_home), "CLAUDE_CONFIG_DIR": str(self.claude_home),
        }

    def __enter__(self):
        self.run("goal", "add", "bench", "--objective", "measure it", "--proof", "none")
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def run(self, *words):
        """Runs the program, which must succeed."""
        subprocess.run([self.program, *words], env=self.env, check=True, stdout=subprocess.DEVNULL, cwd=self.root)

    def lane(self, name, runtime):
        """A lane of the goal, and the folder that it is bound to."""
        folder = self.root / f"work-{name}"
        folder.mkdir()
        self.run("agent", "add", name, "--runtime", runtime, "--goal", "bench")
        self.run("bind", str(folder), "--goal", "bench", "--agent", name)
        return folder


class Home:
    """A temporary home with its program, projects and runtimes."""

    def __init__(self, program):
        self.program = program
        self.root = Path(tempfile.mkdtemp(prefix="loopx-"))
        self.project = self.root / "home/project"
        self.project.mkdir(parents=True)
        self.store = self.root / "loopx"
        self.codex_home = self.root / "home/.codex"
        self.claude_home = self.root / "home/.claude"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root / "home"),
            "LOOPX_HOME": str(self.store),
            "CODEX_HOME": str(self.codex_home),
            "CLAUDE_CONFIG_DIR": str(self.claude_home),
        }
        self.processes = []
        self.as_user = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        shutil.rmtree(self.root)

    def run(self, *args, env=None, **more):
        """Runs the program in the project's folder, without a terminal."""
        more.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(
            [*self.as_user, self.program, *args],
            env=self.env | (env or {}),
            cwd=self.project,
            capture_output=True,
            text=True,
            timeout=60,
            **more,
        )

    def without_root(self):
        """Goes on as a user who may not open everything; false where there is no way to."""
        if os.geteuid():
            return True
        if not shutil.which("setpriv"):
            return False
        nobody = 65534
        for path in [self.root, *self.root.rglob("*")]:
            os.chown(path, nobody, nobody, follow_symlinks=False)
        self.as_user = ["setpriv", f"--reuid={nobody}", f"--regid={nobody}", "--clear-groups"]
        return True

    def ok(self, *args):
        """The receipt of a command that must succeed."""
        ran = self.run(*args, "--json")
        if ran.returncode:
            raise RuntimeError(f"{' '.join(args)}: exit {ran.returncode}: {ran.stderr}")
        return json.loads(ran.stdout)

    def id(self, *args):
        return self.ok(*args)["id"]

    def goal(self, proof="none"):
        """The goal `pilot` with a lane for each runtime, bound to the project's folder."""
        self.env |= {"LOOPX_GOAL": "pilot", "LOOPX_AGENT": "codex"}
        self.ok("init", "pilot", "--objective", "ship the pilot", "--proof", proof,
                "--agent", "codex", "--runtime", "codex_cli_tui", "--agent", "claude", "--runtime", "claude_code")

    def codex(self, text, live=True, thread=None):
        """A Codex session in the project's folder; a live one has a process that holds its writer's lock."""
        first = re.search(r'"id":"([0-9a-f-]{36})"', text.split("\n", 1)[0])
        thread = thread or (first[1] if first else THREAD)
        day = self.codex_home / "sessions/2026/11/29"
        day.mkdir(parents=True, exist_ok=True)
        file = day / f"rollout-2026-11-29T12-00-00-{thread}.jsonl"
        file.write_text(self.here(text))
        if live:
            locks = self.codex_home / "thread-writer-locks"
            locks.mkdir(exist_ok=True)
            self.start([sys.executable, "-c", HOLD, locks / f"{thread}.lock"]).stdout.readline()
        return file

    def claude(self, text, entry=None, place=None):
        """A Claude Code session in the project's folder; with a registry entry, a process that the entry names."""
        session = re.search(r'"sessionId":"([0-9a-f-]{36})"', text)
        session = session[1] if session else "88a73867-150f-4f26-a74c-8cf20a491c54"
        file = self.claude_home / "projects/-home-ann-atlas" / (place or "{}.jsonl").format(session)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self.here(text))
        if entry:
            self.register(entry)
        return file

    def register(self, entry):
        """A registry entry whose process lives, on this machine and in this namespace, as of 20 seconds ago."""
        pid = self.start(["sleep", "600"]).pid
        stat = Path(f"/proc/{pid}/stat").read_text()
        machine = Path("/etc/machine-id")
        machine = machine.read_text().strip() if machine.exists() else ""
        at = int((time.time() - 20) * 1000)
        entry = entry | {
            "pid": pid,
            "procStart": stat[stat.rindex(")") + 2 :].split()[19],
            "pidDomain": f"linux:{machine}:{os.readlink('/proc/self/ns/pid')}",
            "cwd": str(self.project),
            "updatedAt": at,
            "statusUpdatedAt": at,
        }
        folder = self.claude_home / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{pid}.json").write_text(json.dumps(entry))

    def here(self, text):
        return text.replace('"cwd":"/home/ann/atlas"', f'"cwd":"{self.project}"')

    def start(self, command):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def end(self):
        """Ends the processes that it started."""
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes.clear()

    def files(self):
        """Every file of the store with its bytes, but for what a reader may touch."""
        own = self.store.rglob("*") if self.store.exists() else []
        return {path.name: path.read_bytes() for path in own if path.is_file() and not path.name.endswith("-shm")}
