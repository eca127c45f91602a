#!/usr/bin/env bash
# The stored digests (digests.txt) in every instruction set that can be had: a changed bit in any of them fails. `cargo test` alone judges the
# widest lanes of this processor and the scalar. Each set is a build of its own, some minutes on two cores, under target/lanes.
#   lanes.sh              AVX2 where this processor has it, NEON where its compiler and QEMU are installed
#   lanes.sh avx2         one of avx2, avx512, neon
# NEON on other processors: rustup target add aarch64-unknown-linux-gnu; apt-get install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross
set -euo pipefail
cd "$(dirname "$0")/../../.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/lanes" CARGO_INCREMENTAL=0
arm=aarch64-unknown-linux-gnu

digests() { # instruction set, more words for Cargo
    printf 'digests in %s\n' "$1"
    BELLCRANK_LANES="$1" cargo test --locked "${@:2}" -p bellcrank-sim --test laws -- same_bits
}
has_neon() {
    [ -d "$(rustc --print target-libdir --target $arm)" ] && command -v qemu-aarch64 aarch64-linux-gnu-gcc >/dev/null
}
x86() {
    if grep -q "\b$1\b" /proc/cpuinfo 2>/dev/null; then digests "$2"; else echo "not judged: $2, which this processor lacks"; fi
}
neon() {
    if [ "$(uname -m)" = aarch64 ]; then
        digests neon
    elif has_neon; then
        export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
        export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
        # an emulated processor is a hundred times slower: a few small models by every method, and every operation of its lanes
        export BELLCRANK_DIGESTS_OF="${BELLCRANK_DIGESTS_OF:-pendulum,four_bar,box,cartpole}"
        digests neon --target "$arm"
        cargo test --locked --target "$arm" -p bellcrank-math --test lanes_agree
    else
        echo "not judged: NEON (this script's head says what it needs)"
    fi
}
sets=("$@")
[ $# -gt 0 ] || sets=(avx2 neon)
for set in "${sets[@]}"; do
    case "$set" in
    avx2) x86 avx2 avx2 ;;
    avx512) x86 avx512vl avx512 ;;
    neon) neon ;;
    *) echo "no such instruction set: $set" >&2 && exit 2 ;;
    esac
done
