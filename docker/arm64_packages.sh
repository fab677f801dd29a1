#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the packages for Debian 12 on arm64 and lays them into build/packages-arm64: those of
# docker/package.sh, except python3-clearance, which is the same for every processor. Then starts
# what is in them under an emulator. Exits with 77 if this machine cannot build them, and says why.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly folder=build/packages-arm64
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
# shellcheck disable=SC2016  # the shell in that root expands them
docker/arm64.sh \
  "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH cmake --preset package -B /build/package \
    -DCMAKE_TOOLCHAIN_FILE=docker/arm64.cmake -DCLEARANCE_BUILD_PYTHON=OFF >/dev/null" \
  'cmake --build /build/package -j "$(nproc)"' \
  "rm -rf /build/package/packages && cd /build/package &&
    DEB_HOST_ARCH=arm64 SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH cpack >/dev/null" \
  'rm -rf /build/try && for package in /build/package/packages/*.deb; do dpkg-deb -x $package /build/try; done
    qemu-aarch64 /build/try/usr/bin/clearance --version
    qemu-aarch64 /build/try/usr/bin/clearance-server --version'
rm -rf "$folder"
mkdir -p "$folder"
cp "${CLEARANCE_ARM64_ROOT:-/var/tmp/clearance-arm64-root}"/build/package/packages/*.deb "$folder"
stat -c '%n  %s bytes' "$folder"/*
