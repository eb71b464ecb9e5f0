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
row() { # what, bar, measured JSON
  python3 -c '
import json, sys
what, bar, measured = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
print(f"{what:<46} {bar:<26} p50 {measured[\"p50_ms\"]:>8} p95 {measured[\"p95_ms\"]:>8} p99 {measured[\"p99_ms\"]:>8} ms  {measured[\"peak_mb\"]:>6} MB  exit {measured[\"exit\"]}")
' "$@"
}

echo "load at the start: $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) cores"
large=$(clean env LOOPX_HOME="$room/large" python3 bench/measure.py one "$runs" -- "$loopx" status --json)
small=$(clean env LOOPX_HOME="$room/small" python3 bench/measure.py one "$runs" -- "$loopx" status --json)
row "status --json, $events events" "p50 <= 10 ms, <= 32 MB" "$large"
row "status --json, 10000 events" "large within 1.2 x of it" "$small"
python3 -c '
import json, sys
large, small = (json.loads(text)["p50_ms"] for text in sys.argv[1:])
print(f"{\"ratio large / small\":<46} {\"<= 1.2\":<26} {large / small:.2f}")
' "$large" "$small"
row "next" "p50 <= 10 ms" "$(clean env LOOPX_HOME="$room/large" python3 bench/measure.py one "$runs" -- "$loopx" next --goal goal-03 --agent left)"
row "todo add" "p50 <= 10 ms" "$(clean env LOOPX_HOME="$room/large" python3 bench/measure.py one "$runs" -- "$loopx" todo add "water bed {n}" --goal goal-03)"
row "gate ask" "p50 <= 10 ms" "$(clean env LOOPX_HOME="$room/large" python3 bench/measure.py one "$runs" -- "$loopx" gate ask "open gate {n}?" --goal goal-04)"
row "run record" "p50 <= 10 ms" "$(clean env LOOPX_HOME="$room/large" python3 bench/measure.py one "$runs" -- "$loopx" run record --kind progress --summary "step {n}" --goal goal-05 --agent left)"
row "quota spend" "p50 <= 10 ms" "$(clean env LOOPX_HOME="$room/large" python3 bench/measure.py one "$runs" -- "$loopx" quota spend --turn-key "k{n}" --turns 1 --goal goal-06 --agent left)"
row "todo add, 8 at once" "p50 <= 30, p99 <= 80 ms" "$(clean env LOOPX_HOME="$room/large" python3 bench/measure.py many $((runs * 5)) 8 -- "$loopx" todo add "dig {n}" --goal goal-07)"
echo "8 long-lived writers, >= 1000 durable commits/s, none lost, p99.9 <= 300 ms:"
"$bench" writers "$room/writers" 8 5
