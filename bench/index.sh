#!/usr/bin/env bash
# Prints the table of the index's speed and memory: `bench/index.sh CLAUDE_HOME CODEX_HOME [FOLDER]`.
#
# The two homes are histories of those runtimes, about 1.1 GB in 10,000 files each for the bars. FOLDER is one where
# `npm install ccusage tokscale bun` was run: what is installed there is timed beside, alternating, and the ratio of
# the medians printed. Builds the release binary; everything else happens in a folder of its own. Needs python3 and
# strace. Pages should be warm: the first row of each history reads it once before. RUNS sets how often (5).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo build --release --locked -q -p loopx --bin loopx
exec python3 bench/index.py "${CARGO_TARGET_DIR:-target}/release/loopx" "$@"
