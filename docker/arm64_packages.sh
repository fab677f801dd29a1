#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the packages for Debian 12 on arm64 and lays them into build/packages-arm64: those of
# docker/package.sh, except python3-clearance, which is the same for every processor. Then starts
# the server in them under an emulator and asks it. Exits with 77 if this machine cannot build them,
# and says why.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly folder=build/packages-arm64

Clearance() { qemu-aarch64 /build/try/usr/bin/clearance --addr "127.0.0.1:$port" "$@"; }

# Try: in the root that builds for arm64.
Try() {
  local package server ports=/build/try/ports answer=''
  rm -rf /build/try
  for package in /build/package/packages/*_arm64.deb; do dpkg-deb -x "$package" /build/try; done
  qemu-aarch64 /build/try/usr/bin/clearance-server --listen=127.0.0.1:0 --http_listen=127.0.0.1:0 \
    --port_file=$ports &
  server=$!
  while [[ ! -s $ports ]]; do
    kill -0 "$server" || { echo 'arm64_packages.sh: the server did not start' >&2; return 1; }
    sleep 0.2
  done
  port=$(sed -E 's/.*"grpc_port": *([0-9]+).*/\1/' $ports)
  Clearance register ball '{"sphere": {"radius": 0.25}}'
  answer=$(Clearance distance ball ball --pose-b 1 0 0 0 0 0 1) || true
  echo "$answer"
  kill -TERM "$server"
  wait "$server" || { echo 'arm64_packages.sh: the server did not end with status 0' >&2; return 1; }
  [[ $answer =~ SEPARATED\ +0\.5\ +0\.5\ +0\.5$ ]] || { echo 'arm64_packages.sh: a wrong answer' >&2; return 1; }
}

if [[ ${1:-} == --try ]]; then
  Try
  exit
fi
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
# shellcheck disable=SC2016  # the shell in that root expands them
docker/arm64.sh \
  "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH cmake --preset package -B /build/package \
    -DCMAKE_TOOLCHAIN_FILE=docker/arm64.cmake -DCLEARANCE_BUILD_PYTHON=OFF >/dev/null" \
  'cmake --build /build/package -j "$(nproc)"' \
  "rm -rf /build/package/packages && cd /build/package &&
    DEB_HOST_ARCH=arm64 SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH cpack >/dev/null" \
  'docker/arm64_packages.sh --try'
rm -rf "$folder"
mkdir -p "$folder"
cp "${CLEARANCE_ARM64_ROOT:-/var/tmp/clearance-arm64-root}"/build/package/packages/*.deb "$folder"
stat -c '%n  %s bytes' "$folder"/*
