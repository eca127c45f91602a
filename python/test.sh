#!/usr/bin/env bash
# Everything about the Python package: builds and installs it into a virtual environment under the target folder,
# then lint, types, tests, examples. Needs python3 and Rust only.
#   BELLCRANK_PYTHON_PROFILE=release   builds what users get, and checks the wheel's size; otherwise the quick profile
#   BELLCRANK_PYTHON_LIBRARY=lib_native.so   takes a native part that is built already
#   BELLCRANK_PYTHON_EXTRAS="torch"   installs more packages, whose tests are skipped otherwise
#   BELLCRANK_SKIPPED=FILE   lists the tests that were skipped there, with their reasons
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n-- %s\n' "$*"; }

target="$(realpath -m "${CARGO_TARGET_DIR:-../target}")"
export CARGO_TARGET_DIR="$target" # shared with the workspace, so that nothing is compiled twice
venv="$target/python-venv"
profile="${BELLCRANK_PYTHON_PROFILE:-dev}"

step "virtual environment"
./environment.sh

if [ -n "${BELLCRANK_PYTHON_LIBRARY:-}" ]; then
    step "install with $BELLCRANK_PYTHON_LIBRARY"
    site="$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"
    "$venv/bin/python" -m pip uninstall --quiet --yes bellcrank 2>/dev/null
    rm -rf "$site/bellcrank"
    cp -r bellcrank "$site/bellcrank"
    cp "$BELLCRANK_PYTHON_LIBRARY" "$site/bellcrank/_native.abi3.so"
else
    step "build and install ($profile)"
    rm -rf "$target/wheels-python"
    "$venv/bin/maturin" build --quiet --locked --profile "$profile" --interpreter "$venv/bin/python" \
        --out "$target/wheels-python"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps \
        "$target"/wheels-python/*.whl
    size=$(stat -c %s "$target"/wheels-python/*.whl)
    echo "wheel: $((size / 1024)) kB"
    if [ "$profile" = release ] && [ "$size" -gt $((15 * 1024 * 1024)) ]; then
        echo "the wheel is larger than 15 MB" >&2
        exit 1
    fi
fi

step "lint"
"$venv/bin/ruff" check --config pyproject.toml . ../examples ../benches ../docs/site ../packaging
"$venv/bin/ruff" format --check --quiet --config pyproject.toml . ../examples ../benches ../docs/site ../packaging
step "types"
"$venv/bin/mypy" --config-file pyproject.toml -p bellcrank
"$venv/bin/mypy" --config-file pyproject.toml tests ../examples/*.py ../benches/*.py ../docs/site/*.py ../packaging/*.py
"$venv/bin/mypy" --config-file pyproject.toml ../examples/gradients/[a-z]*.py
step "tests"
"$venv/bin/pytest" tests # not `python -m pytest`: that would find the sources instead of what was installed
step "examples"
for example in ../examples/*.py; do
    echo "$example"
    "$venv/bin/python" "$example"
done
for example in ../examples/gradients/[a-z]*.py; do # what begins with _ is imported by the others
    echo "$example"
    "$venv/bin/python" "$example" --plot "$target/plots"
done
