#!/usr/bin/env bash
# Kernels through WebGPU on Mesa's Vulkan for the processor itself: no graphics processor is needed.
# Builds wgpu, which takes one to two minutes; so this is not part of test.sh.
set -euo pipefail
cd "$(dirname "$0")/../../.."

driver=$(ls /usr/share/vulkan/icd.d/lvp_icd*.json 2>/dev/null | head -1 || true)
if [ -z "$driver" ]; then
    echo "missing: Mesa's lavapipe (Debian/Ubuntu: apt-get install mesa-vulkan-drivers)" >&2
    exit 1
fi
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-/tmp}" VK_DRIVER_FILES="$driver" VK_ICD_FILENAMES="$driver"
cargo test -p bellcrank-gpu --features wgpu --test webgpu -- --nocapture "$@"
