#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# thin.sh ninja|ctest: passes on what matters of the output of that program, at once.
set -euo pipefail
options=()
# mawk alone waits until it has 4 KB of input.
[[ $(readlink -f "$(type -P awk)") != *mawk* ]] || options=(-W interactive)
exec awk "${options[@]}" -f "$(dirname "${BASH_SOURCE[0]}")/thin_$1.awk"
