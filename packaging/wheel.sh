#!/usr/bin/env bash
# The wheel that travels: every instruction set, linked by zig against a libc as old as manylinux has it. About ten minutes on two cores.
#   packaging/wheel.sh [--target x86_64-unknown-linux-gnu] [--out FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
venv="$target/packaging-venv"
[ -x "$venv/bin/maturin" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet "maturin>=1.9,<2" "ziglang>=0.13"; }
# a folder of its own: other builds of this target need not wait for it
PATH="$venv/bin:$PATH" CARGO_TARGET_DIR="$target/travels" maturin build --release --locked --zig --compatibility manylinux_2_28 --features all-lanes \
    --manifest-path python/Cargo.toml --out "$target/wheels" "$@"
