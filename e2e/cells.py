"""The cells: what is played, and what the screen and the plan say that LoopX has to say then."""

import os
import time

from mock import Step

CLAUDE, CODEX = "claude_code", "codex"
DONE = "All of it is done"


def running(stage, moment):
    """Why `unknown` is allowed where a turn goes on, if it is."""
    runtime = stage.runtime
    if stage.with_hooks() or runtime.registry:
        return None
    if runtime.name == CLAUDE:
        return "§15 Claude no registry: open tool" if moment == "tool" else "§3.4: running only if live"
    if moment == "tool":
        return "§15 Codex: open tool call"
    return None if runtime.new else "§15 Codex: no writer's lock before 0.14x, so no liveness"


def ending(stage):
    """Why `unknown` is allowed where a turn is over, if it is."""
    blind = stage.runtime.name == CLAUDE and not stage.runtime.registry and not stage.with_hooks()
    return "§3.4: a last answer without a stop reason" if blind else None


def prompting(stage):
    """Why `unknown` is allowed where permission is asked for, if it is."""
    runtime = stage.runtime
    if stage.with_hooks() or runtime.registry:
        return None
    return "§15 Claude no registry: permission never" if runtime.name == CLAUDE else "§15 Codex: approvals"


def done(stage):
    """A turn that ends."""
    stage.plan.scenes["done"] = [Step(DONE, wait=3)]
    stage.start()
    at = stage.say("done")
    began = stage.busy(at)
    stage.expect("answering", "running", began, 2.0, allowed=running(stage, "model"), party=("agent",))
    ended = stage.quiet(DONE, at)
    stage.expect("over", "idle", ended, 3.0, allowed=ending(stage))


def tool(stage):
    """A tool that runs for twenty seconds."""
    stage.plan.scenes["tool"] = [Step("", [stage.runtime.tool("./work 20")]), Step(DONE)]
    stage.start()
    at = stage.say("tool")
    stage.busy(at)
    began = stage.at_work(at)
    stage.expect("tool running", "running", began, 18.0, allowed=running(stage, "tool"), party=("agent",))
    ended = stage.quiet(DONE, at)
    stage.expect("over", "idle", ended, 2.0, allowed=ending(stage))


def ask(stage, seconds=6):
    """Up to a permission prompt; returns when it was up."""
    stage.plan.scenes["ask"] = [Step("", [stage.runtime.asking(f"./ask {seconds}")]), Step(DONE)]
    stage.start()
    at = stage.say("ask")
    return stage.pane.wait(stage.runtime.PROMPT, 20, at)


def permission(stage):
    """A permission prompt that stays up."""
    up = ask(stage)
    stage.expect("prompt up", "waiting_permission", up, 9.0, allowed=prompting(stage), party=("user",))


def approved(stage):
    """A permission prompt, answered with yes."""
    up = ask(stage)
    stage.expect("prompt up", "waiting_permission", up, 3.0, allowed=prompting(stage), party=("user",))
    pressed = stage.pane.keys("Enter")
    gone = stage.pane.wait(r"\./ask", 10, pressed, without=stage.runtime.PROMPT)
    stage.expect("approved, tool running", "running", gone, 4.5, allowed=running(stage, "tool"), party=("agent",))
    ended = stage.quiet(DONE, gone)
    stage.expect("over", "idle", ended, 2.0, allowed=ending(stage))


def refused(stage):
    """A permission prompt, answered with no."""
    up = ask(stage)
    stage.expect("prompt up", "waiting_permission", up, 3.0, allowed=prompting(stage), party=("user",))
    # The last answer is the one that says no; 2.0.x wants a text there, and takes Esc for no.
    keys = ["Escape"] if stage.runtime.name == CLAUDE and not stage.runtime.new else ["Up", "Enter"]
    if stage.runtime.name == CODEX:
        keys = ["Down", "Down", "Enter"]
    pressed = time.time()
    for key in keys:
        stage.pane.keys(key)
        stage.nap(0.15)
    gone = stage.pane.wait(stage.runtime.READY, 10, pressed, without=f"{stage.runtime.PROMPT}|{stage.runtime.BUSY}")
    stage.expect("refused", "interrupted", gone, 4.0)


def question(stage):
    """A question that stays up, then is answered."""
    stage.plan.scenes["question"] = [Step("", [stage.runtime.question()]), Step(DONE, wait=3)]
    stage.start()
    at = stage.say("question")
    stage.needs("question", stage.runtime.question()[0])
    up = stage.pane.wait(stage.runtime.ASKS, 20, at)
    stage.expect("question up", "waiting_answer", up, 5.0, party=("user",))
    pressed = stage.pane.keys("Enter")
    gone = stage.pane.wait(stage.runtime.BUSY, 10, pressed, without=stage.runtime.ASKS)
    stage.expect("answered", "running", gone, 2.0, allowed=running(stage, "model"), party=("agent",))
    ended = stage.quiet(DONE, gone)
    stage.expect("over", "idle", ended, 2.0, allowed=ending(stage))


def plan(stage):
    """A plan that waits for its approval."""
    runtime = stage.runtime
    if runtime.name == CLAUDE:
        stage.plan.scenes["plan"] = [Step("", [("ExitPlanMode", {"plan": "1. Look.\n2. Do."})]), Step(DONE)]
        stage.start("--permission-mode", "plan")
    else:
        text = "<proposed_plan>\n# Plan\n\n1. Look.\n2. Do.\n</proposed_plan>"
        stage.plan.scenes["plan"] = [Step(text)]
        stage.start()
        stage.pane.type("/plan")
        stage.nap(1.0)
    at = stage.say("plan")
    if runtime.name == CLAUDE:
        stage.needs("plan", "ExitPlanMode")
    up = stage.pane.wait(runtime.PLAN, 20, at)
    # Codex has ended the turn when it offers to carry the plan out.
    states = "waiting_answer" if runtime.name == CLAUDE else ("waiting_answer", "idle")
    stage.expect("plan up", states, up, 5.0)


def esc(stage):
    """Esc while a tool runs, and Esc while the model answers."""
    runtime = stage.runtime
    stage.plan.scenes["tool"] = [Step("", [runtime.tool("./work 30")]), Step(DONE)]
    # Claude Code takes a prompt back that has no answer yet; Codex hears no Esc while it prints one.
    lines = "word word word word word\n\n" * 40
    stage.plan.scenes["talk"] = [Step(lines, drip=20) if runtime.name == CLAUDE else Step(lines, wait=20)]
    stage.start()
    at = stage.say("tool")
    began = stage.at_work(at)
    stage.expect("tool running", "running", began, 3.0, allowed=running(stage, "tool"))
    pressed = stage.pane.keys("Escape")
    gone = stage.pane.wait(runtime.INTERRUPTED, 10, pressed, without=runtime.BUSY)
    stage.expect("stopped in the tool", "interrupted", gone, 4.0)
    at = stage.say("talk")
    began = stage.busy(at)
    # 2.0.x shows an answer when it is whole.
    stage.expect("answering", "running", began, 4.0, allowed=running(stage, "model"))
    pressed = stage.pane.keys("Escape")
    gone = stage.pane.wait(rf"(?s)\[talk\].*({runtime.INTERRUPTED})", 10, pressed, without=runtime.BUSY)
    stage.expect("stopped in the answer", "interrupted", gone, 4.0)


def limit(stage):
    """An answer of 429."""
    stage.plan.scenes["limit"] = [Step(status=429, wait=1)]
    stage.start()
    at = stage.say("limit")
    up = stage.pane.wait(stage.runtime.LIMIT, 30, at, without=stage.runtime.BUSY)
    stage.expect("limit reached", "rate_limited", up, 4.0)


def compaction(stage):
    """A talk that is compacted."""
    stage.plan.scenes["done"] = [Step(DONE)]
    stage.plan.summary = Step("A summary of all that was said.", wait=4)
    stage.start()
    stage.turn("done", DONE)
    stage.nap(0.5)
    at = stage.say("done")
    stage.pane.wait(rf"(?s){DONE}.*{DONE}", 20, at, without=stage.runtime.BUSY)
    stage.nap(1.0)
    at = stage.pane.type("/compact")
    began = stage.pane.wait(stage.runtime.COMPACTING, 15, at)
    blind = stage.runtime.name == CLAUDE and not stage.runtime.registry and not stage.with_hooks()
    unseen = "nothing is written before it is over" if blind else None
    stage.expect("compacting", "running", began, 2.5, allowed=running(stage, "model"), unseen=unseen)
    ended = stage.pane.wait(stage.runtime.COMPACTED, 30, at, without=stage.runtime.BUSY)
    stage.expect("compacted", "idle", ended, 3.0)


def session_id(stage):
    """The runtime's own id of the newest session."""
    folder = stage.runtime.folder(stage)
    pattern = "projects/*/*.jsonl" if stage.runtime.name == CLAUDE else "sessions/*/*/*/*.jsonl"
    found = [path for path in folder.glob(pattern) if not path.name.startswith("agent-")]
    return max(found, key=lambda path: path.stat().st_mtime).stem[-36:]


def begin_again(stage, fork):
    """Ends the runtime and begins it again on the same session."""
    native = session_id(stage)
    stage.leave("/exit" if stage.runtime.name == CLAUDE else "/quit")
    stage.pane.close()
    if stage.runtime.name == CLAUDE:
        stage.start("--resume", native, *(["--fork-session"] if fork else []))
    else:
        stage.start("fork" if fork else "resume", native)
    return time.time()


def gone_states(stage):
    """What may be said of a session whose program was left in order."""
    # Codex hands its sessions to a server that goes on, and older ones tell of no end.
    if stage.with_hooks() and stage.runtime.name == CLAUDE:
        return ("ended",)
    return ("ended", "idle")


def fork(stage):
    """A session that is forked."""
    stage.plan.scenes["done"] = [Step(DONE, wait=2)]
    stage.plan.scenes["more"] = [Step("Forked and done", wait=3)]
    stage.start()
    stage.turn("done", DONE)
    begin_again(stage, fork=True)
    at = stage.say("more")
    began = stage.busy(at)
    stage.expect("fork answering", "running", began, 2.0, session=1, allowed=running(stage, "model"))
    ended = stage.quiet("Forked and done", at)
    stage.expect("fork over", "idle", ended, 3.0, session=1, allowed=ending(stage))
    stage.expect("first one", ("idle", "ended"), began, 0)


def resume(stage):
    """A session that is taken up again."""
    stage.plan.scenes["done"] = [Step(DONE, wait=2)]
    stage.plan.scenes["more"] = [Step("Taken up and done", wait=3)]
    stage.start()
    stage.turn("done", DONE)
    at = begin_again(stage, fork=False)
    stage.expect("taken up", "idle" if stage.runtime.registry else ("idle", "ended"), at, 2.0)
    at = stage.say("more")
    began = stage.busy(at)
    stage.expect("answering", "running", began, 2.0, allowed=running(stage, "model"))
    ended = stage.quiet("Taken up and done", at)
    stage.expect("over", "idle", ended, 3.0, allowed=ending(stage))


def background(stage):
    """A subagent that goes on after the turn."""
    runtime = stage.runtime
    stage.plan.scenes["sub"] = [Step("", [runtime.tool("./work 10")]), Step("The sub is done")]
    if runtime.name == CLAUDE:
        given = {"description": "Do it", "prompt": "please do [sub]", "subagent_type": "general-purpose"}
        call = ("Agent" if runtime.new else "Task", given | {"run_in_background": True})
    else:
        name = "multi_agent_v1__spawn_agent" if runtime.new else "spawn_agent"
        call = (name, {"message": "please do [sub]"})
    stage.plan.scenes["spawn"] = [Step("", [call]), Step("It was begun")]
    stage.start()
    at = stage.say("spawn")
    stage.needs("spawn", call[0].partition("__")[0])
    ended = stage.quiet("It was begun", at)
    # What the agent itself is at is as open as its parent's own calls would be.
    allowed = running(stage, "tool") if runtime.name == CODEX else None
    stage.expect("agent at work", "background", ended, 6.0, allowed=allowed)
    stage.nap(12.0)


def clear(stage):
    """A talk that is cleared."""
    stage.plan.scenes["done"] = [Step(DONE)]
    stage.plan.scenes["more"] = [Step("Fresh and done", wait=3)]
    stage.start()
    stage.turn("done", DONE)
    stage.nap(1.0)
    at = stage.pane.type("/clear")
    cleared = stage.pane.wait(stage.runtime.READY, 10, at + 0.3, without=DONE)
    stage.expect("old one", gone_states(stage), cleared, 3.0)
    at = stage.say("more")
    began = stage.busy(at)
    stage.expect("new one answering", "running", began, 2.0, session=1, allowed=running(stage, "model"))
    ended = stage.quiet("Fresh and done", at)
    stage.expect("new one over", "idle", ended, 2.0, session=1, allowed=ending(stage))
    stage.expect("old one later", gone_states(stage), began, 0)


def kill(stage):
    """kill -9 while a tool runs."""
    stage.plan.scenes["tool"] = [Step("", [stage.runtime.tool("./work 60")]), Step(DONE)]
    stage.start()
    at = stage.say("tool")
    began = stage.at_work(at)
    stage.expect("tool running", "running", began, 2.0, allowed=running(stage, "tool"))
    for pid in stage.pane.pids():
        try:
            os.kill(pid, 9)
        except OSError:
            pass
    killed = time.time()
    while not stage.pane.dead():
        time.sleep(0.02)
    proved = stage.with_hooks() or stage.runtime.registry or (stage.runtime.name == CODEX and stage.runtime.new)
    stage.expect("killed", "unknown", killed, 4.0, liveness=("dead",) if proved else ("dead", "unproved"))


def leaving(stage):
    """A runtime that is left in order."""
    stage.plan.scenes["done"] = [Step(DONE)]
    stage.start()
    stage.turn("done", DONE)
    stage.nap(1.0)
    left = stage.leave("/exit" if stage.runtime.name == CLAUDE else "/quit")
    stage.expect("left", gone_states(stage), left, 3.0)


CELLS = {
    "done": done,
    "tool": tool,
    "permission": permission,
    "approved": approved,
    "refused": refused,
    "question": question,
    "plan": plan,
    "esc": esc,
    "limit": limit,
    "compaction": compaction,
    "fork": fork,
    "resume": resume,
    "background": background,
    "clear": clear,
    "kill": kill,
    "exit": leaving,
}
