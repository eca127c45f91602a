#!/usr/bin/env bash
# Builds the site in target/site: the guides, and the reference of the Python package from its docstrings; checks every link.
# Needs python3 and the package itself in target/python-venv (python/test.sh puts it there). `--rust` adds the Rust reference.
set -euo pipefail
cd "$(dirname "$0")/.."

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
python="$target/python-venv/bin/python"
if ! "$python" -c "import bellcrank" 2>/dev/null; then
    echo "missing: the Python package in $target/python-venv (python/test.sh installs it)" >&2
    exit 1
fi
"$python" -m pip install --quiet --disable-pip-version-check "mkdocs>=1.6,<2" "pdoc>=15" Pygments

work="$target/site-work"
rm -rf "$work" "$target/site"
mkdir -p "$work/pages/python"
cp docs/site/mkdocs.yml "$work/"
# pages lie where they lie in the repository, so that links between them hold; what they point at comes along
git ls-files -z README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md 'LICENSE-*' 'docs/*.md' 'docs/images/*' examples notebooks \
    'crates/*/examples/*' 'benches/*.py' 'benches/*.md' 'benches/results/*' test.sh docs/site.sh 'crates/bellcrank-view/web/tests/profile.mjs' |
    xargs -0 cp --parents -t "$work/pages"
for folder in examples notebooks; do # a folder is a page that lists what is in it
    { echo "# ${folder^}"; echo; (cd "$work/pages/$folder" && printf -- '- [%s](%s)\n' $(find . -maxdepth 2 -type f -printf '%P %P\n' | sort)); } >"$work/$folder.md"
    mv "$work/$folder.md" "$work/pages/$folder/index.md"
done
"$python" docs/site/reference.py "$work/pages/python"
"$python" -m mkdocs --quiet build --strict --config-file "$work/mkdocs.yml"
mv "$work/out" "$target/site"
if [ "${1:-}" = --rust ]; then
    cargo doc --locked --workspace --no-deps --quiet
    cp -r "$target/doc" "$target/site/rust"
fi
"$python" docs/site/check_links.py "$target/site"
echo "$target/site/index.html"
