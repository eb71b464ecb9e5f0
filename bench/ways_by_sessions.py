"""Ways to rows 5, 7, 8, 12, 13 and 15: recordings, re-stamped, with processes that live or have ended."""

import json
import re
import time

from scene import now, recording, restamped, stamp
from way import case, spend, todo

PENDING = "codex/0.171.0_pending_exec_approval.jsonl"
LIMITED = "codex/0.171.0_usage_limit.jsonl"
IDLE = "codex/0.171.0_rollout-2026-11-29T23-33-06-01a229a7-b5a0-7773-8786-c04609a44213.jsonl"


def entry(name):
    return json.loads(recording(f"claude-code/{name}.session.json"))


def claude(home, name, registered=None):
    home.env["LOOPX_AGENT"] = "claude"
    home.claude(restamped(recording(f"claude-code/{name}.jsonl")), entry(registered) if registered else None)


def codex(home, name, seconds=30, live=True):
    return home.codex(restamped(recording(name), seconds), live)


def written(file, *records):
    """Adds lines to a session file, dated now."""
    with file.open("a") as lines:
        for record in records:
            lines.write(json.dumps({"timestamp": stamp(now())} | record) + "\n")


# 5: a prompt is up.


@case(5, "Claude Code: permission prompt, by its registry", 15)
def scene(home):
    todo(home)
    claude(home, "2.1.332_pending_permission", "2.1.332_pending_permission")
    yield
    home.end()


@case(5, "Claude Code: question, by its registry", 15)
def scene(home):
    todo(home)
    claude(home, "2.1.332_pending_ask", "2.1.332_pending_ask")
    yield
    home.end()


@case(5, "Claude Code: question, by the transcript alone", 8)
def scene(home):
    todo(home)
    claude(home, "2.1.332_pending_ask")
    yield
    # It is 11 minutes old: nothing proves that somebody still asks.
    home.claude(restamped(recording("claude-code/2.1.332_pending_ask.jsonl"), 660))


@case(5, "Codex: question, the writer's lock held", 7)
def scene(home):
    todo(home)
    question = {"type": "function_call", "name": "request_user_input", "arguments": "{}", "call_id": "question"}
    file = codex(home, PENDING)
    text = file.read_text()
    call = re.search(r'"call_id":"([^"]+)"', text[text.rindex('"type":"function_call"') :])[1]
    output = {"type": "function_call_output", "output": "ok"}
    written(file, {"type": "response_item", "payload": output | {"call_id": call}})
    written(file, {"type": "response_item", "payload": question})
    yield
    written(file, {"type": "response_item", "payload": output | {"call_id": "question"}})


# 7: a session is at work.


@case(7, "Claude Code: busy, by its registry", 15)
def scene(home):
    todo(home)
    claude(home, "2.1.332_running_tool", "2.1.332_running_tool")
    yield
    home.end()


@case(7, "Codex: an open turn, the writer's lock held", 15)
def scene(home):
    todo(home)
    file = codex(home, IDLE)
    written(file, {"type": "event_msg", "payload": {"type": "task_started", "turn_id": "next"}})
    yield
    written(file, {"type": "event_msg", "payload": {"type": "task_complete", "turn_id": "next"}})


@case(7, "Codex: the same with the limit used up", 14)
def scene(home):
    todo(home)
    home.ok("quota", "set", "--turns", "1")
    spend(home, 1)
    file = codex(home, IDLE)
    written(file, {"type": "event_msg", "payload": {"type": "task_started", "turn_id": "next"}})
    yield
    home.end()


@case(7, "Codex: the same without anything to do", 21)
def scene(home):
    file = codex(home, IDLE)
    written(file, {"type": "event_msg", "payload": {"type": "task_started", "turn_id": "next"}})
    yield
    home.end()


# 8: nobody can tell.


@case(8, "Codex: an open call, the writer's lock held", 15)
def scene(home):
    todo(home)
    codex(home, PENDING)
    yield
    home.end()


@case(8, "Claude Code: an open call, no registry entry", 7)
def scene(home):
    todo(home)
    claude(home, "2.1.332_running_tool")
    yield
    home.register(entry("2.1.332_running_tool"))


@case(8, "Claude Code 1: an open call, no registry then", 15)
def scene(home):
    todo(home)
    claude(home, "pending_permission_v1")
    yield
    home.claude(restamped(recording("claude-code/pending_permission_v1.jsonl"), 960))


# 12 and 13: the newest session failed or ran into a limit.


@case(12, "Codex: died mid-turn with this lane's claim", 15)
def scene(home):
    draw = todo(home)
    token = home.ok("todo", "claim", draw)["token"]
    codex(home, PENDING)
    home.end()
    yield
    home.ok("todo", "release", draw, "--token", str(token))


@case(12, "Claude Code: died mid-turn with this lane's claim", 7)
def scene(home):
    home.env["LOOPX_AGENT"] = "claude"
    home.ok("todo", "claim", todo(home))
    claude(home, "2.1.332_running_tool", "2.1.332_running_tool")
    home.end()
    yield
    home.register(entry("2.1.332_running_tool"))


@case(12, "Codex: errored; a later run dismisses", 15)
def scene(home):
    todo(home)
    home.codex(restamped(recording(LIMITED).replace("usage_limit_exceeded", "internal_server_error")))
    yield
    home.ok("run", "record", "--kind", "no_progress", "--summary", "seen")


@case(13, "Codex: limit seen, reset unknown", 15)
def scene(home):
    todo(home)
    codex(home, LIMITED, live=False)
    yield
    codex(home, LIMITED, seconds=960, live=False)


@case(13, "Codex: the window exhausted, reset ahead", 15)
def scene(home):
    todo(home)
    text = recording("codex/0.171.0_interrupted.jsonl")
    line = next(line for line in reversed(text.splitlines()) if '"rate_limits"' in line)
    record = json.loads(line)
    window = {"used_percent": 100.0, "window_minutes": 300, "resets_at": int(time.time()) + 3600}
    record["payload"]["rate_limits"] |= {"primary": window}
    file = codex(home, "codex/0.171.0_interrupted.jsonl")
    written(file, {key: record[key] for key in ("type", "payload")})
    yield
    window["used_percent"] = 99.0
    written(file, {key: record[key] for key in ("type", "payload")})


@case(13, "Claude Code: limit seen, its process alive", 15)
def scene(home):
    todo(home)
    idle = entry("2.1.332_running_tool") | {"status": "idle"}
    home.env["LOOPX_AGENT"] = "claude"
    file = home.claude(restamped(recording("claude-code/2.1.332_ratelimited.jsonl")), idle)
    yield
    file.unlink()
    home.end()


# 15: a turn may start.


@case(15, "a todo, Codex idle", 7)
def scene(home):
    todo(home)
    file = codex(home, IDLE)
    yield
    written(file, {"type": "event_msg", "payload": {"type": "task_started", "turn_id": "next"}})
