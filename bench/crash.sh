#!/usr/bin/env bash
# The crash proof of the store, in full: 200 rounds of kill -9, thousands of replayed power losses, full and read-only
# disks, every failing call, races, and 8 writers at once. `cargo test -p loopx-store` runs a short version of it.
# Wants strace; as root also the tests that mount a small disk. Takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

# Fast enough to commit a thousand times a second, without the wait for a release build.
optimised=(
  --config 'profile.dev.opt-level=1'
  --config 'profile.dev.package."*".opt-level=3'
  --config 'profile.dev.debug=0'
)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "load: $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) cores"
cargo build -q "${optimised[@]}" -p loopx-store --example store_bench --features testing --message-format=json \
  | grep -o '"executable":"[^"]*store_bench[^"]*"' | cut -d'"' -f4 >"$folder/bench"

LOOPX_KILLS=${LOOPX_KILLS:-200} LOOPX_CUTS=${LOOPX_CUTS:-500} LOOPX_TURNS=${LOOPX_TURNS:-40} \
  LOOPX_RESTORE_CUTS=${LOOPX_RESTORE_CUTS:-200} LOOPX_FAULT_STEP=${LOOPX_FAULT_STEP:-5} LOOPX_RACES=${LOOPX_RACES:-50} \
  cargo test -q "${optimised[@]}" -p loopx-store --test it crash:: -- --nocapture --test-threads=1 \
  | grep --line-buffered -E '^[.]*(kill|power|restore|failing|races|[0-9]+ (commands|acknowledged)|test result)|SKIPPED|panicked|FAILED'

echo "load: $(cut -d' ' -f1-3 /proc/loadavg)"
"$(cat "$folder/bench")" writers "$folder/base" 8 "${LOOPX_SECONDS:-5}"
