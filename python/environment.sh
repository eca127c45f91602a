#!/usr/bin/env bash
# The virtual environment of all tests, under the target folder: what the Python package needs, and the packages that results are
# compared with (MuJoCo, Pinocchio, JAX, ONNX Runtime), and Ray. Where these cannot be had, tests that need them are ignored and listed.
#   BELLCRANK_PYTHON_EXTRAS="torch"   installs more packages, whose tests are skipped otherwise
set -euo pipefail
cd "$(dirname "$0")"

venv="$(realpath -m "${CARGO_TARGET_DIR:-../target}")/python-venv"
if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    rm -rf "$venv"
    if ! python3 -m venv "$venv"; then
        echo "missing: the module venv of python3 (Debian/Ubuntu: apt-get install python3-venv)" >&2
        exit 1
    fi
fi
install() { "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; }
# shellcheck disable=SC2086 # extras are words
install "maturin>=1.9,<2" wheel numpy pytest mypy ruff "gymnasium>=1.0" "websockets>=13" matplotlib mcap nbclient ipykernel "mkdocs>=1.6,<2" "pdoc>=15" ${BELLCRANK_PYTHON_EXTRAS:-}
for package in mujoco pin jax onnxruntime aiohttp "ray[data,tune]" rerun-sdk; do
    # one by one: not all of them exist for every processor and every Python
    install "$package" || echo "not installed: $package; the tests that need it are ignored" >&2
done
