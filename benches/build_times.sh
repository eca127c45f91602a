#!/usr/bin/env bash
# How long a newcomer waits: builds from nothing, and after an edit. Prints a table for docs/performance.md.
#
#     benches/build_times.sh            # builds; about ten minutes
#     benches/build_times.sh --tests    # ./test.sh in a fresh clone as well
set -euo pipefail
cd "$(dirname "$0")/.."
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
git clone --quiet . "$folder/bellcrank"
[ -d ../shared ] && ln -s "$(realpath ../shared)" "$folder/shared"
cd "$folder/bellcrank"
export CARGO_TARGET_DIR="$folder/bellcrank/target" CARGO_INCREMENTAL=

row() { # what, command...
    local what="$1" start end cpu
    shift
    start=$(date +%s.%N)
    cpu=$( { TIMEFORMAT='%U'; time "$@" >"$folder/log.txt" 2>&1; } 2>&1 ) || { cat "$folder/log.txt" >&2; exit 1; }
    end=$(date +%s.%N)
    printf '| %s | %.0f s | %.0f s |\n' "$what" "$(echo "$end - $start" | bc)" "$cpu"
}
touch_line() { printf '\n// %s\n' "$(date +%N)" >>"$1"; }

cargo fetch --quiet --locked
printf '%s, %s cores, load %s\n\n' "$(sed -nE 's/^model name\s*: //p' /proc/cpuinfo | head -1)" "$(nproc)" "$(cut -d' ' -f1 /proc/loadavg)"
printf '| what | time | of processors |\n|---|---|---|\n'
row '`cargo run --release -- demo --headless` from a fresh clone' cargo run --release --locked --quiet -- demo --headless
python3 -m venv "$folder/venv"
export PATH="$folder/venv/bin:$PATH" # pip looks for maturin there
pip install --quiet --upgrade pip maturin numpy
row '`pip install ./python` after that' pip install --no-build-isolation --no-deps ./python
touch_line python/src/lib.rs
row 'an edit in the binding → installed' pip install --no-build-isolation --no-deps --force-reinstall ./python
touch_line crates/bellcrank-cli/src/models.rs
row 'an edit in the command line → `bellcrank models`' cargo run --release --locked --quiet -- models
touch_line crates/bellcrank-sim/src/batch/mod.rs
row 'an edit in `Batch` → the same' cargo run --release --locked --quiet -- models
cargo test --locked --quiet -p bellcrank-sim --test laws -- free_fall >"$folder/log.txt" 2>&1
touch_line crates/bellcrank-step/src/step/mod.rs
row 'an edit in the step → one green test' cargo test --locked --quiet -p bellcrank-sim --test laws -- free_fall
if [ "${1:-}" = --tests ]; then
    rm -rf "$CARGO_TARGET_DIR"
    row '`./test.sh` in a fresh clone' ./test.sh
fi
