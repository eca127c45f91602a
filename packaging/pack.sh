#!/usr/bin/env bash
# A wheel around a native part that is built already (the tests'), so that installing is tested without compiling again:
#   packaging/pack.sh lib_native.so OUT
set -euo pipefail
library="$(realpath "$1")"
out="$(realpath -m "$2")"
cd "$(dirname "$0")/.."
venv="$(realpath -m "${CARGO_TARGET_DIR:-target}")/python-venv"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
(cd python && "$venv/bin/maturin" pep517 write-dist-info --metadata-directory "$work" --interpreter "$venv/bin/python" >/dev/null)
cp -r python/bellcrank "$work/"
find "$work" -name __pycache__ -prune -exec rm -rf {} +
strip --strip-debug -o "$work/bellcrank/_native.abi3.so" "$library"
rm -rf "$out"
mkdir -p "$out"
"$venv/bin/wheel" pack "$work" --dest-dir "$out" >/dev/null
ls "$out"/*.whl
