#!/usr/bin/env bash
# Browser tests: headless Chromium drives a recorded page and the live one. BELLCRANK names the binary (default: target/release).
set -euo pipefail
cd "$(dirname "$0")"
missing=""
command -v node >/dev/null 2>&1 || missing="node"
[ -n "${CHROMIUM:-}" ] || for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then CHROMIUM=$(command -v "$name"); break; fi
done
[ -n "${CHROMIUM:-}" ] || missing="$missing chromium"
if [ -n "$missing" ]; then
    echo "SKIPPED: the browser tests need$([ -n "$missing" ] && echo " $missing") (Debian/Ubuntu: apt-get install nodejs npm chromium)"
    exit 0
fi
export CHROMIUM
[ -d node_modules/playwright-core ] || npm ci --ignore-scripts
node --test --test-concurrency=1 tests/*.test.mjs
