"""Ways to rows by control state: the store, goals, gates, todos, limits."""

import sqlite3
import time
from datetime import timedelta

from scene import now, stamp
from way import as_agent, ask, case, spend, todo, user_todo

# 1: the store is not what it was. Each keeps a sound copy and puts it back.


def damaged(name, fault):
    @case(1, name, 15)
    def scene(home):
        todo(home)
        pages(home)
        sound = home.files()
        fault(home.store / "loopx.db")
        yield
        # What LoopX itself wrote meanwhile stays.
        for suffix in ("-wal", "-shm"):
            (home.store / f"loopx.db{suffix}").unlink(missing_ok=True)
        (home.store / "loopx.db").write_bytes(sound["loopx.db"])


def pages(home):
    """Brings what is in the write-ahead log into the store's own pages."""
    with sqlite3.connect(home.store / "loopx.db") as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


def flip(store):
    """One bit of the newest event's body."""
    data = bytearray(store.read_bytes())
    data[data.index(b"todo_added") if b"todo_added" in data else data.rindex(b"todo_")] ^= 1
    store.write_bytes(data)


def truncate(store):
    store.write_bytes(store.read_bytes()[: store.stat().st_size // 2])


def sql(statement):
    def fault(store):
        with sqlite3.connect(store) as connection:
            connection.execute(statement)
        connection.close()

    return fault


damaged("a bit flipped", flip)
damaged("truncated", truncate)
damaged("the newest event deleted", sql("DELETE FROM event WHERE place = (SELECT max(place) FROM event)"))
damaged("the whole log deleted", sql("DELETE FROM event"))
damaged("a row of what is kept ready changed", sql("UPDATE entity SET body = replace(body, 'open', 'done')"))
damaged("a table dropped", sql("DROP TABLE event"))
damaged("the file missing", lambda store: store.unlink())


@case(1, "an older copy put back", 15)
def scene(home):
    pages(home)
    older = (home.store / "loopx.db").read_bytes()
    todo(home)
    pages(home)
    newer = (home.store / "loopx.db").read_bytes()
    (home.store / "loopx.db").write_bytes(older)
    yield
    for suffix in ("-wal", "-shm"):
        (home.store / f"loopx.db{suffix}").unlink(missing_ok=True)
    (home.store / "loopx.db").write_bytes(newer)


@case(1, "a bit flipped in the write-ahead log", 15)
def scene(home):
    todo(home)
    log = home.store / "loopx.db-wal"
    sound = log.read_bytes()
    log.write_bytes(sound[:-100] + bytes([sound[-100] ^ 1]) + sound[-99:])
    yield
    (home.store / "loopx.db-shm").unlink(missing_ok=True)
    log.write_bytes(sound)


# 2 to 4: what is registered, closed or paused.


@case(2, "no such goal", 21)
def scene(home):
    home.env["LOOPX_GOAL"] = "other"
    yield
    home.env["LOOPX_GOAL"] = "pilot"


@case(2, "no such agent", 21)
def scene(home):
    home.env["LOOPX_AGENT"] = "carl"
    yield
    home.ok("agent", "add", "carl")


@case(2, "a goal without agents", 21)
def scene(home):
    home.env["LOOPX_GOAL"] = "bare"
    home.ok("goal", "add", "bare", "--objective", "nothing yet", "--proof", "none")
    yield
    home.ok("agent", "add", "codex")


for verb in ("done", "archive"):

    @case(3, f"goal {verb}", 15)
    def scene(home, verb=verb):
        todo(home)
        home.ok("goal", verb)
        yield
        home.ok("goal", "resume")


@case(4, "goal paused", 15)
def scene(home):
    todo(home)
    home.ok("goal", "pause")
    yield
    home.ok("goal", "resume")


@case(4, "agent paused", 15)
def scene(home):
    todo(home)
    home.ok("agent", "pause", "codex")
    yield
    home.ok("agent", "resume", "codex")


@case(4, "agent paused; another one is not", 15)
def scene(home):
    todo(home)
    home.ok("agent", "pause", "codex")
    yield
    home.env["LOOPX_AGENT"] = "claude"


# 6: somebody must decide or do something.


@case(6, "user gate", 15)
def scene(home):
    todo(home)
    gate = ask(home)
    yield
    home.ok("gate", "approve", gate)


@case(6, "controller gate", 15)
def scene(home):
    todo(home)
    gate = ask(home, "--actor", "controller")
    yield
    home.ok("gate", "withdraw", gate)


@case(6, "blocking user todo", 15)
def scene(home):
    todo(home)
    user = user_todo(home, "--blocking")
    yield
    home.ok("todo", "done", user)


@case(6, "user todo in a blocked_by", 15)
def scene(home):
    user = user_todo(home)
    todo(home, "draw the map", "--blocked-by", user)
    yield
    home.ok("todo", "done", user)


@case(6, "gate on this agent", 15)
def scene(home):
    todo(home)
    ask(home, "--covers", "codex")
    yield
    home.env["LOOPX_AGENT"] = "claude"


@case(6, "gate on the only todo", 15)
def scene(home):
    ask(home, "--covers", todo(home))
    yield
    todo(home, "draw the coast")


# 9 and 10: decided otherwise.


@case(9, "gate rejected", 15)
def scene(home):
    todo(home)
    gate = ask(home)
    home.ok("gate", "reject", gate)
    yield
    home.ok("gate", "cover", gate, "--covers", "claude")


@case(9, "gate on the todo rejected", 21)
def scene(home):
    draw = todo(home)
    home.ok("gate", "reject", ask(home, "--covers", draw), "--reason", "too dear")
    yield
    home.ok("todo", "drop", draw)


@case(10, "gate deferred until an instant", 6)
def scene(home):
    todo(home)
    home.ok("gate", "defer", ask(home), "--until", stamp(now() + timedelta(seconds=2)))
    yield
    time.sleep(2)


@case(10, "gate deferred until a condition", 6)
def scene(home):
    todo(home)
    gate = ask(home)
    home.ok("gate", "defer", gate, "--condition", "the proof is in")
    yield
    home.ok("gate", "met", gate)


# 11: fits nobody.


@case(11, "capability that nobody has", 15)
def scene(home):
    todo(home, "draw the map", "--needs", "gpu")
    yield
    home.ok("agent", "edit", "codex", "--grant", "gpu")


@case(11, "glob outside the write scope", 15)
def scene(home):
    todo(home, "draw the map", "--glob", "docs/map.md")
    yield
    home.ok("goal", "scope", "--write", "docs/**")


@case(11, "capability that a peer gets", 16)
def scene(home):
    todo(home, "draw the map", "--needs", "gpu")
    yield
    home.ok("agent", "edit", "claude", "--grant", "gpu")


# 14 and 15: the limit, and none.


@case(14, "goal's limit used up", 15)
def scene(home):
    todo(home)
    home.ok("quota", "set", "--turns", "2")
    spend(home, 2)
    yield
    home.ok("quota", "set", "--turns", "3")


@case(14, "agent's limit used up", 15)
def scene(home):
    todo(home)
    home.ok("quota", "set", "--tokens", "1000", "--agent", "codex")
    home.ok("quota", "spend", "--turn-key", "turn", "--tokens", "1000", "--agent", "codex")
    yield
    home.env["LOOPX_AGENT"] = "claude"


@case(14, "limit of 0 never frees", 15)
def scene(home):
    todo(home)
    home.ok("quota", "set", "--turns", "0")
    yield
    home.ok("quota", "set", "--turns", "none")


@case(15, "a todo, no session", 21)
def scene(home):
    draw = todo(home)
    yield
    home.ok("todo", "drop", draw)


@case(15, "a monitor that is due", 17)
def scene(home):
    draw = todo(home, "look at the tide", "--monitor-at", stamp(now() - timedelta(minutes=1)))
    yield
    home.ok("todo", "edit", draw, "--monitor-at", "1h")


@case(15, "beside a gate on other work", 6)
def scene(home):
    draw = todo(home)
    ask(home, "--covers", todo(home, "print the map"))
    yield
    home.ok("todo", "drop", draw)


@case(15, "an offered handoff", 16)
def scene(home):
    draw = todo(home)
    as_agent(home, "claude", "todo", "claim", draw)
    as_agent(home, "claude", "handoff", "offer", draw, "--to", "codex", "--next-action", "ink the coast")
    yield
    home.env["LOOPX_AGENT"] = "claude"


# 16: others are at it.


@case(16, "claimed by a peer", 15)
def scene(home):
    draw = todo(home)
    token = as_agent(home, "claude", "todo", "claim", draw)["token"]
    yield
    as_agent(home, "claude", "todo", "release", draw, "--token", str(token))


@case(16, "offered to a peer", 15)
def scene(home):
    draw = todo(home)
    home.ok("todo", "claim", draw)
    offer = home.id("handoff", "offer", draw, "--to", "claude", "--next-action", "ink the coast")
    yield
    as_agent(home, "claude", "handoff", "decline", offer)


@case(16, "fits a peer only", 15)
def scene(home):
    home.ok("agent", "edit", "claude", "--grant", "gpu")
    todo(home, "draw the map", "--needs", "gpu")
    yield
    home.ok("agent", "edit", "codex", "--grant", "gpu")


# 17: something outside must happen.


@case(17, "monitor not due", 15)
def scene(home):
    tide = todo(home, "look at the tide", "--monitor-at", "1h")
    yield
    home.ok("todo", "edit", tide, "--monitor-at", stamp(now() - timedelta(minutes=1)))


@case(17, "evidence lacking", 15)
def scene(home):
    draw = todo(home, "draw the map", "--evidence", "printer proof")
    yield
    home.ok("todo", "unblock", draw, "--evidence", "printer proof")


@case(17, "deferred until an instant", 15)
def scene(home):
    home.ok("todo", "defer", todo(home), "--until", stamp(now() + timedelta(seconds=2)))
    yield
    time.sleep(2)


@case(17, "a blocker run", 15)
def scene(home):
    draw = todo(home)
    run = home.id("run", "record", "--kind", "blocker", "--todo", draw, "--summary", "no ink")
    yield
    home.ok("run", "resolve", run)


# 18: in its own way.


@case(18, "cycle", 15)
def scene(home):
    draw, ink = todo(home), todo(home, "ink the map")
    home.ok("todo", "block", draw, ink)
    home.ok("todo", "block", ink, draw)
    yield
    home.ok("todo", "unblock", draw, ink)


@case(18, "blocked by a deferred todo", 15)
def scene(home):
    ink = todo(home, "ink the map")
    todo(home, "draw the map", "--blocked-by", ink)
    home.ok("todo", "defer", ink)
    yield
    home.ok("todo", "reopen", ink)


@case(18, "blocked by a deferred todo of which another waits", 15)
def scene(home):
    ink = todo(home, "ink the map")
    draw = todo(home, "draw the map", "--blocked-by", ink)
    todo(home, "print the map", "--blocked-by", draw)
    home.ok("todo", "defer", ink)
    yield
    home.ok("todo", "drop", ink)


# 19 to 21: nothing to run.


def finished(home, *args):
    draw = todo(home)
    token = home.ok("todo", "claim", draw)["token"]
    home.ok("todo", "done", draw, "--token", str(token), *args)
    return draw


@case(19, "no word on what follows", 15)
def scene(home):
    finished(home)
    yield
    todo(home, "ink the map")


@case(19, "the same with the limit used up", 21)
def scene(home):
    home.ok("quota", "set", "--turns", "1")
    finished(home, "--turn-key", "turn")
    yield
    home.env["LOOPX_AGENT"] = "claude"


@case(20, "non-blocking user todo", 21)
def scene(home):
    user = user_todo(home)
    yield
    home.ok("todo", "done", user)


@case(20, "non-blocking user todo that turns blocking", 6)
def scene(home):
    user = user_todo(home)
    yield
    home.ok("todo", "edit", user, "--blocking")


@case(21, "nothing there", 15)
def scene(home):
    yield
    todo(home)


@case(21, "all deferred", 15)
def scene(home):
    draw = todo(home)
    home.ok("todo", "defer", draw)
    yield
    home.ok("todo", "reopen", draw)


@case(21, "finished, and none is needed", 20)
def scene(home):
    finished(home, "--no-successor")
    yield
    user_todo(home)
