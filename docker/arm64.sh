#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# arm64.sh COMMAND…: runs each command in a Debian 12 that builds for arm64, with this project,
# read-only, as /src. Builds belong below /build, which is kept with the root in
# $CLEARANCE_ARM64_ROOT (default /var/tmp/clearance-arm64-root). cmake needs
# -DCMAKE_TOOLCHAIN_FILE=docker/arm64.cmake; qemu-aarch64 runs what was built. Exits with 77 if no
# such root can be made here, and says why.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What runs, then what is linked.
readonly packages=(g++-aarch64-linux-gnu cmake ninja-build ccache qemu-user dpkg-dev file python3
  protobuf-compiler protobuf-compiler-grpc nlohmann-json3-dev libcli11-dev
  lib{grpc++,protobuf,absl,hwy,ssl,sqlite3,gmp,boost,gtest,gmock,qhull}-dev:arm64
  prometheus-cpp-dev:arm64)

# Install: in that root, if these packages are not there yet.
Install() {
  local mark log=/var/log/clearance-arm64.log
  mark=/var/lib/clearance-arm64-$(cksum <<<"${packages[*]}" | cut -d' ' -f1)
  [[ ! -e $mark ]] || return 0
  dpkg --add-architecture arm64
  if ! { apt-get update && apt-get install -y --no-install-recommends "${packages[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo 'arm64.sh: apt-get failed' >&2
    return 1
  fi
  printf '%s\n' 'base_dir = /' 'hash_dir = false' 'compiler_check = content' 'sloppiness = locale' >/etc/ccache.conf
  touch "$mark"
}

case ${1:-} in
  '')
    echo 'arm64.sh: no command given: usage: docker/arm64.sh COMMAND…' >&2
    exit 2
    ;;
  --install) Install ;;
  *)
    root=${CLEARANCE_ARM64_ROOT:-/var/tmp/clearance-arm64-root}
    exec tests/support/bare_root.sh --keep "$root" --mount "$PWD=/src" 'docker/arm64.sh --install' "$@"
    ;;
esac
