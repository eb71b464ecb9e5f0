#!/usr/bin/env python3
"""What the program says of every session of a made history, against how each was made.

    bench/histories.py codex|claude_code FOLDER TRUTH.jsonl [BINARY] [--sessions N]

FOLDER is a home of the runtime; each line of the truth has `path` below it, `session`, and `end`, how the session was
left. The first N sessions are looked at one by one: state, missing facts, turns, tokens. What was spent is counted
here a second time, by another rule in another language: of Claude Code the last record of each (message, request), of
Codex the last total. Then `loopx usage --json` counts all of them at once, and its total has to be the sum.
Exits 1 if anything differs. Needs python3 and the built binary.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

STATES = {
    "end_turn": "idle",
    "interrupted": "interrupted",
    "api_error": "errored",
    "usage_limit": "rate_limited",
    "pending_tool": "unknown",
    "mid_tool_result": "unknown",
    # Months old and no process lives: whether it still waits can't be told.
    "ask_user": "unknown",
}
FIELDS = ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"]


def told(usage):
    """The tokens that a document tells of; of reasoning it says nothing where no runtime tells it apart."""
    return [usage[field] or 0 if field == FIELDS[-1] else usage[field] for field in FIELDS] if usage else [0, 0, 0, 0]


def tokens(runtime, path):
    """The tokens of one file: in, of these cached, out, of these reasoning."""
    last, total = {}, [0, 0, 0, 0]
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if runtime == "codex":
                info = record["payload"].get("info") if record["payload"].get("type") == "token_count" else None
                if info:
                    total = [info["total_token_usage"][field] for field in FIELDS]
            elif record["type"] == "assistant":
                message = record["message"]
                last[message["id"], record.get("requestId")] = message["usage"]
    for usage in last.values():
        cached = usage.get("cache_read_input_tokens", 0)
        sent = usage["input_tokens"] + usage.get("cache_creation_input_tokens", 0) + cached
        for at, count in enumerate([sent, cached, usage["output_tokens"], 0]):
            total[at] += count
    return total


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("runtime", choices=["codex", "claude_code"])
    parse.add_argument("folder", type=Path)
    parse.add_argument("truth", type=Path)
    parse.add_argument("binary", nargs="?", default="target/release/loopx")
    parse.add_argument("--sessions", type=int, default=1000)
    args = parse.parse_args()
    truth = [json.loads(line) for line in args.truth.open()]
    with tempfile.TemporaryDirectory() as home:
        env = {"PATH": os.environ["PATH"], "HOME": home, "LOOPX_HOME": f"{home}/loopx", "TZ": "UTC"}
        name = "CODEX_HOME" if args.runtime == "codex" else "CLAUDE_CONFIG_DIR"
        env[name] = str(args.folder)

        def loopx(*words):
            done = subprocess.run([args.binary, *words, "--json"], env=env, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{' '.join(words)}: {done.stderr}")
            return json.loads(done.stdout)

        def one(made):
            path = args.folder / made["path"]
            found = loopx("sessions", "inspect", str(path), "--runtime", args.runtime)
            facts = found.get("session") or found
            usage = facts.get("usage") or {}
            return made["end"], facts["state"], told(usage), tokens(args.runtime, path), made

        wrong, table = [], collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for end, state, said, counted, made in pool.map(one, truth[: args.sessions]):
                table[end, state] += 1
                if state != STATES[end] or said != counted:
                    wrong.append((made["session"], end, state, said, counted))
        for (end, state), count in sorted(table.items()):
            print(f"{args.runtime:<12} {end:<16} {state:<14} {count:>6}{'' if state == STATES[end] else '  WRONG'}")
        total = loopx("usage")["total"]
        said = told(total)
        sums = [0, 0, 0, 0]
        for made in truth:
            for at, count in enumerate(tokens(args.runtime, args.folder / made["path"])):
                sums[at] += count
        print(f"{args.runtime:<12} {len(truth)} sessions, tokens said {said}, counted {sums}")
        if said != sums:
            wrong.append(("all", said, sums))
    for what in wrong[:10]:
        print("wrong:", *what)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
