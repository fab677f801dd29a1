#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# package_test.sh [FOLDER]: installs the packages of build/packages in a bare Debian 12, tries them, upgrades
# to them from those of FOLDER, and removes them. Without a FOLDER with the packages of the release before, the
# upgrade is from the same programs packaged as version 0.0.9. Needs root; package.sh makes the packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck source=docker/containers.sh
source docker/containers.sh
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

compgen -G 'build/packages/*.deb' >/dev/null || Die 'no packages in build/packages; docker/package.sh makes them'
previous=${1:-$scratch/previous}
if (($# == 0)); then
  Say 'packaging the same programs as version 0.0.9'
  (cd build/package && cpack -D CPACK_PACKAGE_VERSION=0.0.9 -B "$previous") >"$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    Die 'cpack failed'
  }
fi
compgen -G "$previous/*.deb" >/dev/null || Die "no packages in $previous"

tests/support/bare_root.sh --worktree --mount build/packages=/packages --mount "$previous=/previous" \
  docker/packages/try_packages.sh docker/packages/try_service.sh
