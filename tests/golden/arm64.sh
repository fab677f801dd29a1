#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# arm64.sh [BLOCKS]: whether answers have the same bits on arm64. Builds golden_digest for it,
# emulates it, and compares BLOCKS blocks of digests (default 2) and that of scenes. Exits with 77
# if no root for such builds can be made here, and says why.
set -euo pipefail
blocks=${1:-2}
[[ $blocks =~ ^[1-9][0-9]*$ ]] || { echo "arm64.sh: invalid BLOCKS '$blocks': must be a number from 1 on" >&2; exit 2; }
# shellcheck disable=SC2016  # the shell in that root expands them
"$(dirname "${BASH_SOURCE[0]}")/../../docker/arm64.sh" \
  'cmake --preset release -B /build/golden -DCMAKE_TOOLCHAIN_FILE=docker/arm64.cmake -DCLEARANCE_TEST_OPTIONS=-O2 >/dev/null' \
  'cmake --build /build/golden -j "$(nproc)" --target golden_digest' \
  "GOLDEN_RUNNER=qemu-aarch64 tests/golden/check.sh /build/golden/tests/golden/golden_digest $blocks"
