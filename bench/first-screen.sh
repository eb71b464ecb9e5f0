#!/usr/bin/env bash
# Prints the table of the first screen's speed and memory: `bench/first-screen.sh [EVENTS]` (1,000,000 by default).
#
# Builds the release binary and two made stores in a folder of its own: 20 goals, 10,000 todos of which 1,000 are open,
# once with EVENTS and once with 10,000 events in the log, and a home with ten recorded sessions. Needs python3.
# Times are those of whole processes; on a shared machine read the ratios and run it more than once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
events=${1:-1000000}
runs=${RUNS:-60}
target=${CARGO_TARGET_DIR:-target}

cargo build --release --locked -q -p loopx -p loopx-store --bins --example store_bench --features loopx-store/testing
loopx=$target/release/loopx
bench=$target/release/examples/store_bench
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

home=$room/home
mkdir -p "$home/.codex/sessions/2026/11/29" "$home/.claude/projects/-home-ann-atlas"
recordings=crates/loopx-runtimes/tests/recordings
number=10
place() { # folder, name's start, name's end, recordings
  local folder=$1 before=$2 after=$3
  shift 3
  for file in "$@"; do
    cp "$file" "$folder/$before$number$after.jsonl"
    number=$((number + 1))
  done
}
codex=("$recordings"/codex/0.1[247]*.jsonl)
claude=("$recordings"/claude-code/2.1.332_[cipr]*.jsonl)
place "$home/.codex/sessions/2026/11/29" rollout-2026-11-29T23-30-00-01a229a5-0000-7000-8000-0000000000 "" "${codex[@]:0:5}"
place "$home/.claude/projects/-home-ann-atlas" 88a73867-150f-4f26-a74c-8cf20a49 00 "${claude[@]:0:5}"
touch "$home"/.codex/sessions/2026/11/29/* "$home"/.claude/projects/-home-ann-atlas/*

"$bench" build "$room/large" "$events" >/dev/null
"$bench" build "$room/small" 10000 >/dev/null

clean() { env -i PATH="$PATH" HOME="$home" "$@"; }
measure() { # store, what, bar, runs, at once, words of the command
  local store=$1 what=$2 bar=$3 count=$4 at_once=$5
  shift 5
  clean LOOPX_HOME="$room/$store" python3 bench/measure.py "$what" "$bar" "$count" "$at_once" -- "$loopx" "$@"
}

echo "load at the start: $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) cores"
printf '%-34s %-26s %8s %8s %8s\n' work bar p50 p95 p99
large=$(measure large "status --json, $events events" "p50 <= 10 ms, <= 32 MB" "$runs" 1 status --json)
small=$(measure small "status --json, 10000 events" "" "$runs" 1 status --json)
printf '%s\n%s\n' "$large" "$small"
p50() { awk '{ for (i = 1; i <= NF; i++) if ($i == "ms" && $(i - 1) ~ /^[0-9.]+$/ && $(i - 3) ~ /^[0-9.]+$/) { print $(i - 3); exit } }'; }
awk -v large="$(p50 <<<"$large")" -v small="$(p50 <<<"$small")" \
  'BEGIN { printf "%-34s %-26s %8.2f\n", "ratio of the two", "<= 1.2", large / small }'
one="p50 <= 10 ms"
measure large next "$one" "$runs" 1 next --goal goal-03 --agent left
measure large "todo add" "$one" "$runs" 1 todo add "water bed {n}" --goal goal-03
measure large "gate ask" "$one" "$runs" 1 gate ask "open gate {n}?" --goal goal-04
measure large "run record" "$one" "$runs" 1 run record --kind progress --summary "step {n}" --goal goal-05 --agent left
measure large "quota spend" "$one" "$runs" 1 quota spend --turn-key "k{n}" --turns 1 --goal goal-06 --agent left
measure large "todo add, 8 at once" "p50 <= 30, p99 <= 80 ms" $((runs * 5)) 8 todo add "dig {n}" --goal goal-07
echo "8 long-lived writers, >= 1000 durable commits/s, none lost, p99.9 <= 300 ms:"
"$bench" writers "$room/writers" 8 5
