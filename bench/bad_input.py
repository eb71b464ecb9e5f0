#!/usr/bin/env python3
"""Bad input of every kind, given to the program by its command line and its homes.

    bench/bad_input.py [BINARY]

Session files that are garbage, torn, binary or huge, timed and with the memory they took; files that are odd, or
vanish while they are read; arguments that are wrong; surroundings that lack something; and an agent that tries to
take its own decisions. Prints a line for each and exits 1 if one is not as it should be. Makes 1 GB of temporary
files, one at a time. Seconds count for a release build; a debug build has five times as many.
Needs python3, script, setsid, bash, GNU time and the built binary.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
import time

from scene import THREAD, Home, binary, recording, restamped

ASKS = "claude-code/2.1.332_pending_ask.jsonl"
DONE = "codex/0.171.0_interrupted.jsonl"
GIGABYTE = 1 << 30
MEGABYTES = 64
SECONDS = 1.0
wrong = 0


def told(name, right, said):
    global wrong
    wrong += not right
    print(f"  {name:<52} {said}{'' if right else '   WRONG'}")


def measured(home, *args):
    """The program's exit code, seconds, megabytes and output."""
    # By `time`: what this process took before it started the program would be counted as the program's.
    figures = home.root / "figures"
    ran = subprocess.run(
        ["/usr/bin/time", "--quiet", "-f", "%e %M", "-o", figures, home.program, *args],
        env=home.env, cwd=home.project, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    seconds, kilobytes = figures.read_text().split()
    return ran.returncode, float(seconds), int(kilobytes) / 1024, ran.stdout


# Session files.


def garbage(file):
    file.write_text("{{{ no json\n" * 1000)


def binary_bytes(file):
    file.write_bytes(os.urandom(1 << 20))


def torn(file):
    data = file.read_bytes()
    file.write_bytes(data[: len(data) - 40])


def sparse(file):
    with file.open("r+b") as data:
        data.truncate(GIGABYTE)


def gigabyte(filler):
    """Adds valid lines of a known type until there is a gigabyte."""

    def add(file):
        line = b'{"type":"event_msg","payload":{"type":"agent_reasoning","text":"' + b"x" * filler + b'"}}\n'
        block = line * max(1, (8 << 20) // len(line))
        with file.open("ab") as data:
            while data.tell() < GIGABYTE:
                data.write(block)

    return add


def empty_lines(file):
    with file.open("ab") as data:
        for _ in range(GIGABYTE >> 23):
            data.write(b"\n" * (1 << 23))


def long_line(file):
    with file.open("ab") as data:
        data.write(b'{"type":"response_item","payload":{"type":"reasoning","content":"' + b"x" * (50 << 20) + b'"}}\n')


def unknown_type(file):
    with file.open("a") as data:
        data.write('{"timestamp":"2026-11-29T23:31:00.000Z","type":"new_thing","payload":{"a":1}}\n')


def no_file(_):
    pass


def files_of_every_kind(program):
    print("session files: the state that is said, seconds, megabytes")
    allowed = SECONDS if program.parent.name == "release" else 5 * SECONDS
    for name, change in [
        ("nothing wrong", no_file),
        ("garbage", garbage),
        ("binary", binary_bytes),
        ("the last line torn", torn),
        ("a valid line of an unknown type at the end", unknown_type),
        ("a line of 50 MB at the end", long_line),
        ("1 GB, sparse", sparse),
        ("1 GB of empty lines", empty_lines),
        ("1 GB of short lines", gigabyte(200)),
        ("1 GB of lines of 1 MB", gigabyte(1 << 20)),
    ]:
        for runtime in ("codex", "claude"):
            with Home(program) as home:
                text = restamped(recording(DONE if runtime == "codex" else ASKS))
                file = home.codex(text, live=False) if runtime == "codex" else home.claude(text)
                change(file)
                most = [0.0, 0.0]
                # The second look finds what the first one kept.
                for _ in range(2):
                    code, seconds, memory, out = measured(home, "status", "--json")
                    most = [max(most[0], seconds), max(most[1], memory)]
                sessions = json.loads(out)["sessions"] if code == 0 else []
                states = [one["session"]["state"] for one in sessions] or ["no session"]
                right = code == 0 and most[0] <= allowed and most[1] <= MEGABYTES
                told(f"{runtime}: {name}", right, f"{states[0]:<16} {most[0]:5.2f} s {most[1]:5.1f} MB")


def odd_files(program):
    print("odd files: doctor names them")
    with Home(program) as home:
        file = home.codex(restamped(recording(DONE)), live=False)
        odd = [file.with_name(file.name.replace(THREAD[9:13], f"000{n}")) for n in range(5)]
        odd[0].symlink_to("nowhere")
        odd[1].symlink_to(odd[2])
        odd[2].symlink_to(odd[1])
        os.mkfifo(odd[3])
        odd[4].mkdir()
        days = file.parent.parent
        (days / "30").symlink_to(home.codex_home / "sessions")
        (days / "28").mkdir()
        (days / "28" / file.name).write_text("")
        closed = home.without_root()
        (days / "28").chmod(0)
        ran = home.run("doctor")
        named = {}
        for line in ran.stdout.splitlines():
            if "skipped files" in line:
                count, kind = line.split()[2:4]
                named[kind] = int(count)
        # The loop is two links that can't be opened.
        expected = {"vanished": 1, "unreadable": 3 if closed else 2, "not_a_file": 2, "link": 1}
        told("dangling, loop, pipe, folder, link up, closed folder", named == expected, f"exit {ran.returncode} {named}")
        told("the sound one is still seen", len(home.ok("sessions")["sessions"]) == 1, "1 session")
        (days / "28").chmod(0o700)


def changing_files(program):
    """A file vanishes, comes back, is replaced and cut, again and again, while it is read."""
    print("a file that changes while it is read, for 3 seconds")
    with Home(program) as home:
        text = restamped(recording(DONE))
        file = home.codex(text, live=False)
        other = file.with_suffix(".tmp")
        stop = threading.Event()

        def change():
            while not stop.is_set():
                file.unlink(missing_ok=True)
                file.write_text(text[: len(text) // 2])
                other.write_text(text)
                other.rename(file)
                os.truncate(file, len(text) // 3)

        thread = threading.Thread(target=change)
        thread.start()
        codes, states = set(), set()
        until = time.monotonic() + 3
        while time.monotonic() < until:
            for verb in ("status", "doctor"):
                ran = home.run(verb, "--json")
                codes.add(ran.returncode)
                if verb == "status" and ran.returncode == 0:
                    states |= {one["session"]["state"] for one in json.loads(ran.stdout)["sessions"]}
        stop.set()
        thread.join()
        told("status and doctor", codes == {0}, f"exits {sorted(codes)}, states {sorted(states)}")


# Arguments and surroundings.


def one_line_and_a_hint(home, name, code, *args, env=None):
    """It must be refused in one line with a hint and leave the log as it was."""
    before = home.run("export").stdout
    ran = home.run(*args, env=env)
    lines = ran.stderr.strip().splitlines() or [""]
    shape = lines[0].startswith("error: ") and len(lines) == 2 and lines[1].startswith("hint: ")
    same = home.run("export").stdout == before
    right = ran.returncode == code and shape and same and not ran.stdout
    told(name, right, f"exit {ran.returncode} " + " | ".join(lines))


def arguments(program):
    print("arguments: one line, a hint, the exit code of the table, nothing written")
    with Home(program) as home:
        home.goal()
        draw = home.id("todo", "add", "draw the map")
        home.id("todo", "add", "ink the map")
        secret = "AKIA" + "IOSFODNN7EXAMPLE"
        for name, code, *args in [
            ("unknown todo", 3, "todo", "show", "todo_zzzz"),
            ("unknown goal", 3, "goal", "show", "other"),
            ("unknown agent", 3, "todo", "claim", draw, "--agent", "carl"),
            ("unknown gate", 3, "gate", "approve", "gate_zzzz"),
            ("unknown run", 3, "run", "show", "run_zzzz"),
            ("unknown session", 3, "sessions", "show", "ses_zzzz"),
            ("ambiguous start", 2, "todo", "show", draw[:8]),
            ("scope outside the project", 2, "goal", "scope", "--write", "../x"),
            ("absolute scope", 7, "goal", "scope", "--write", "/etc/*"),
            ("scope that is no glob", 2, "goal", "scope", "--write", "a[b"),
            ("negative spend", 2, "quota", "spend", "--turn-key", "k", "--turns", "-1"),
            ("spend that is no number", 2, "quota", "spend", "--turn-key", "k", "--minutes", "NaN"),
            ("unsafe text: a key", 7, "todo", "add", f"use {secret}"),
            ("unsafe text: a path", 7, "todo", "add", "look in /home/ann/atlas/notes.txt"),
            ("text of two lines", 7, "todo", "add", "one\ntwo"),
            ("text with an escape", 7, "todo", "add", "a\x1b[31mb"),
            ("text too long", 7, "todo", "add", "x" * 241),
            ("empty text", 7, "todo", "add", ""),
            ("bad goal id", 2, "goal", "add", "..", "--objective", "x"),
            ("goal id, another case", 4, "goal", "add", "PILOT", "--objective", "x"),
            ("import of nothing", 3, "import", "nowhere"),
            ("a token that is not its", 4, "todo", "release", draw, "--token", "99"),
        ]:
            one_line_and_a_hint(home, name, code, *args)


def told_by_the_parser(program):
    """What the parser of arguments refuses takes more lines; the last one is the hint."""
    print("arguments that the parser refuses")
    with Home(program) as home:
        home.goal()
        for line in ("todo defer x --until soon", "todo add", "tdo", "gate ask x --actor me"):
            ran = home.run(*line.split())
            lines = ran.stderr.strip().splitlines()
            right = ran.returncode == 2 and lines[0].startswith("error: ") and lines[-1].startswith("hint: ")
            told(line, right, f"exit {ran.returncode} {lines[0]} | {lines[-1]}")


def surroundings(program):
    print("surroundings")
    with Home(program) as home:
        ran = home.run("status")
        told("no sessions, no store", ran.returncode == 0, f"exit {ran.returncode} {ran.stdout.splitlines()[:1]}")
        told("… and no store is made", not (home.store / "loopx.db").exists(), "none")
        bare = {"PATH": os.environ["PATH"]}
        for args in (["status"], ["next"], ["goal", "list"], ["doctor"]):
            ran = subprocess.run([program, *args], env=bare, cwd=home.project, capture_output=True, text=True)
            lines = (ran.stdout + ran.stderr).strip().splitlines()[-3:]
            right = ran.returncode != 0 and any("hint: " in line or "way out: " in line for line in lines)
            told(f"no HOME: {args[0]}", right, f"exit {ran.returncode} " + " | ".join(lines))
    with Home(program) as home:
        home.goal()
        home.codex(restamped(recording(DONE)), live=False)
        for verb in ("status", "export", "log", "man"):
            shell = f'"$0" {verb} | true; echo "${{PIPESTATUS[0]}}"'
            ran = subprocess.run(["bash", "-c", shell, program], env=home.env, capture_output=True, text=True)
            told(f"closed pipe: {verb}", ran.stdout == "0\n" and not ran.stderr, f"exit {ran.stdout.strip()}")
        with open("/dev/full", "w") as full:
            ran = subprocess.run([program, "status"], env=home.env, stdout=full, stderr=subprocess.PIPE, text=True)
            told("full disk on stdout", ran.returncode == 1, f"exit {ran.returncode} {ran.stderr.strip()}")
        for args in (["todo", "add", b"\xff\xfe"], ["goal", "show", b"\xff"], [b"\xff"], ["import", b"\xff"]):
            ran = subprocess.run([program, *args], env=home.env, cwd=home.project, capture_output=True)
            lines = ran.stderr.decode(errors="replace").strip().splitlines()
            told(f"not UTF-8: {args[:-1]}", ran.returncode in (2, 3), f"exit {ran.returncode} {lines[:1]}")
        named = os.fsencode(home.root) + b"/home/\xff"
        os.mkdir(named)
        ran = subprocess.run([program, "status"], env=home.env, cwd=named, capture_output=True, text=True)
        told("a working folder that is not UTF-8", ran.returncode == 0, f"exit {ran.returncode}")
        ran = subprocess.run([program, "status"], env=home.env | {"CODEX_HOME": named}, cwd=named, capture_output=True)
        told("a runtime's home that is not UTF-8", ran.returncode == 0, f"exit {ran.returncode}")


# An agent that wants to decide for itself.


def an_agent_decides_nothing(program):
    print("an agent in its shell, on a goal with the default proof: refused with 7 and recorded")
    with Home(program) as home:
        home.goal(proof="terminal")
        gate = home.id("gate", "ask", "may it be printed?")
        paper = home.id("todo", "add", "sign the paper", "--audience", "user", "--blocking")
        draw = home.id("todo", "add", "draw the map", "--blocked-by", gate, "--blocked-by", paper)
        (home.project / "edited.jsonl").write_text(home.run("export").stdout.replace("draw the map", "draw a fish"))
        shell = home.root / "claude"
        shutil.copy("/bin/bash", shell)
        inside = home.env | {"CLAUDECODE": "1"}
        decisions = [f"gate approve {gate}", f"gate withdraw {gate} --agent claude", f"todo done {paper}",
                     f"todo unblock {draw} {gate}", f"todo unblock {draw} {paper}", "import edited.jsonl",
                     "goal edit --objective mine", "quota set --turns none", "agent edit codex --grant root"]  # fmt: skip
        ways = {
            "by itself": (["bash", "-c", "{}"], inside),
            "script": (["script", "-qec", "{}", "/dev/null"], inside),
            "setsid": (["setsid", "-w", "bash", "-c", "{}"], inside),
            "script in a process named claude": ([shell, "-c", "script -qec '{}' /dev/null; exit $?"], home.env),
            "setsid in a process named claude": ([shell, "-c", "setsid -w {}; exit $?"], home.env),
            "without its variables and terminal": (["setsid", "-w", "bash", "-c", "{}"], home.env),
        }
        for decision in decisions:
            for way, (command, env) in ways.items():
                before = refusals(home)
                call = f"{program} {decision}"
                ran = subprocess.run(
                    [str(part).replace("{}", call) for part in command],
                    env=env, cwd=home.project, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20,
                )  # fmt: skip
                said = (ran.stdout + ran.stderr).strip().splitlines() or [""]
                recorded = refusals(home) - before
                right = ran.returncode == 7 and recorded == 1
                name = f"{' '.join(decision.split()[:2])}, {way}"
                told(name, right, f"exit {ran.returncode}, {recorded} recorded: {said[0].strip()}")
        standing = home.ok("gate", "show", gate)["gate"]["standing"]
        blocked = home.ok("todo", "show", draw)["todo"]["blocked_by"]
        told("the gate and what waits for it", standing == "requested" and len(blocked) == 2, standing)


def refusals(home):
    return home.run("log", "--limit", "1000").stdout.count("refused")


def main():
    program = binary(*sys.argv[1:2])
    parts = [files_of_every_kind, odd_files, changing_files, arguments, told_by_the_parser, surroundings]
    for part in [*parts, an_agent_decides_nothing]:
        part(program)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
