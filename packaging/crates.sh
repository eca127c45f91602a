#!/usr/bin/env bash
# Packs every crate as for a registry; what Cargo warns about is a fault. Nothing is compiled: that is what the tests do.
set -euo pipefail
cd "$(dirname "$0")/.."
told="$(cargo package --locked --workspace --no-verify --allow-dirty 2>&1)" || { echo "$told" >&2; exit 1; }
if grep -A6 "^warning" <<<"$told" >&2; then exit 1; fi
echo "$(grep -c "Packaged" <<<"$told") crates"
