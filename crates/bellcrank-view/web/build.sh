#!/usr/bin/env bash
# Builds dist/page.html from src/. Needed only after a change of src/: the result is committed, `cargo build` needs no Node.
set -euo pipefail
cd "$(dirname "$0")"
[ -d node_modules ] || npm ci --ignore-scripts
node build.mjs
