#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check.sh PROGRAM BLOCKS [OPTION…]: runs golden_digest and holds its lines against the first BLOCKS of digests and the
# last line, that of scenes.
# GOLDEN_RUNNER may hold a command to run it under, such as an emulator.
set -euo pipefail
program=$1 blocks=$2
shift 2
read -r -a runner <<<"${GOLDEN_RUNNER:-}"
digests=$(dirname "${BASH_SOURCE[0]}")/digests
answers=$("${runner[@]}" "$program" --blocks "$blocks" "$@") ||
  { echo "golden: cannot run ${runner[*]} $program" >&2; exit 1; }
[[ $(head -n "$blocks" "$digests" && tail -n 1 "$digests") == "$answers" ]] ||
  { echo "golden: the answers' bits differ from digests" >&2; exit 1; }
echo "golden: $blocks blocks of 10000 cases and the scenes have the same bits"
