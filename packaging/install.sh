#!/usr/bin/env bash
# A wheel, installed by pip into a fresh environment, does what it should: packaging/install.sh WHEEL
set -euo pipefail
wheel="$(realpath "$1")"
cd "$(dirname "$0")"
size=$(stat -c %s "$wheel")
echo "$(basename "$wheel"): $((size / 1024)) kB"
case "$wheel" in *manylinux*) most=15 ;; *) most=0 ;; esac # what is built for tests is not what travels
if [ "$most" -gt 0 ] && [ "$size" -gt $((most * 1024 * 1024)) ]; then
    echo "the wheel is larger than $most MB" >&2
    exit 1
fi
venv="$(mktemp -d)"
trap 'rm -rf "$venv"' EXIT
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check "$wheel"
cd "$venv" # not where the sources are
"$venv/bin/python" "$OLDPWD/smoke.py"
"$venv/bin/bellcrank" models >/dev/null
