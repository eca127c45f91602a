#!/usr/bin/env bash
# Every check of the project, from a fresh clone: format, lint, documentation, tests. Stops at the first failure.
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; }

missing=0
need() { # command, how to get it
    if ! command -v "$1" >/dev/null 2>&1; then
        echo "missing: $1 ($2)" >&2
        missing=1
    fi
}
need cargo "install Rust 1.95 or newer with rustup"
need cc "Debian/Ubuntu: apt-get install build-essential"
need python3 "Python 3.9 or newer"
[ "$missing" -eq 0 ] || exit 1

for component in rustfmt clippy; do
    if ! cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1; then
        echo "missing: $component (rustup component add $component)" >&2
        exit 1
    fi
done

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
mkdir -p "$target"
log="$target/test-log.txt" # what tests say, for the list of those that did not run
export BELLCRANK_SKIPPED="$target/test-skipped.txt" # the same of Python
: >"$log"
: >"$BELLCRANK_SKIPPED"
export BELLCRANK_PYTHON="$target/python-venv/bin/python" # build scripts look there for what results are compared with
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 # everything is built once: keep time and disk small
export INSTA_UPDATE=no # a changed text is a failure, never a new snapshot

# Lists the tests that did not run, and why. Where robots and recordings are at hand (a folder `shared` beside the repository),
# continuous integration has all that the tests need, and none may be left out.
list_ignored() {
    local ignored skipped apart
    ignored=$(sed -nE 's/^test (.*) \.\.\. ignored,? ?(.*)$/  \1: \2/p' "$log" | sort -u)
    skipped=$(sed 's/^/  /' "$BELLCRANK_SKIPPED" | sort -u)
    apart=$(sed -nE 's/^SKIPPED: (.*)$/  \1/p' "$log" | sort -u)
    printf '\nignored in Rust: %s\n%s\n' "$(grep -c . <<<"$ignored" || true)" "$ignored"
    printf 'skipped in Python: %s\n%s\n' "$(grep -c . <<<"$skipped" || true)" "$skipped"
    printf 'without a browser: %s\n%s\n' "$(grep -c . <<<"$apart" || true)" "$apart"
    if [ "${CI:-}" = true ] && [ -d ../shared ] && [ -n "$ignored" ]; then
        echo "everything that the ignored tests need should be here: they must run" >&2
        return 1
    fi
}

step "Python, and what results are compared with"
python/environment.sh
step "format"
cargo fmt --all --check
step "lint"
cargo clippy --locked --workspace --all-targets --quiet -- -D warnings
step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --quiet
step "tests"
cargo test --locked --workspace 2>&1 | tee -a "$log"
step "figures in the documentation"
python3 -m unittest discover -s benches/peers
python3 benches/peers/run.py --check
step "crates, packed as for a registry"
packaging/crates.sh
step "examples in Rust"
for example in crates/bellcrank/examples/[0-9]*.rs; do
    echo "$example"
    # built with the tests: asked for alone, Cargo would choose other features for shared dependencies and compile all again
    "$target/debug/examples/$(basename "$example" .rs)"
done
step "speed of lanes (optimised build)"
cargo test --locked --release -p bellcrank-math --test lanes_are_fast -- --nocapture 2>&1 | tee -a "$log"
cargo test --locked --release -p bellcrank-tree --test laws lanes_are_fast -- --nocapture 2>&1 | tee -a "$log"
step "the main job"
cargo run --locked --release --quiet -- demo --headless
features=control,import,kinematics,learn,render,view # those of the command line: nothing is compiled again
step "piles and contact curves (optimised build)"
cargo run --locked --release --quiet -p bellcrank --no-default-features --features "$features" --example pile_drop
cargo run --locked --release --quiet -p bellcrank --no-default-features --features "$features" --example contact_curves
step "the viewer in a browser"
BELLCRANK="$target/release/bellcrank" crates/bellcrank-view/web/test.sh 2>&1 | tee -a "$log"
step "the gallery's commands"
python3 docs/site/gallery.py "$target/release/bellcrank" "$target/gallery"
step "the Python package"
# built together with the tests above, for the same reason
cargo build --locked --workspace --all-targets
BELLCRANK_PYTHON_LIBRARY="$target/debug/lib_native.so" python/test.sh
step "a wheel, installed in a fresh environment; the sources of one"
packaging/pack.sh "$target/debug/lib_native.so" "$target/wheel-of-tests"
packaging/install.sh "$target"/wheel-of-tests/*.whl
"$target/python-venv/bin/maturin" sdist --manifest-path python/Cargo.toml --out "$target/sdist"
step "the site, and its links"
docs/site.sh
step "spoilt bytes, the same on every machine"
timeout 300 "$target/debug/bellcrank-fuzz" 20000x
if [ -n "${BELLCRANK_ALL_LANES:-}" ]; then
    step "the same bits in other instruction sets" # builds of their own, minutes each
    crates/bellcrank-sim/tests/lanes.sh 2>&1 | tee -a "$log"
fi
step "a short soak"
timeout 300 "$target/python-venv/bin/python" benches/soak.py --world-steps 100000
if command -v cargo-deny >/dev/null 2>&1; then
    step "licences, bans and sources of dependencies"
    cargo fetch --locked --quiet # also what only other systems need
    cargo deny --offline --locked check licenses bans sources
else
    echo "not checked: licences and sources of dependencies (cargo-deny is not installed)"
fi

list_ignored
printf '\nall checks that ran passed\n'
