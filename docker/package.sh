#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds what is given to others, in a clean checkout too, and lays it into build/packages: the packages for
# Debian 12, the Python wheel, and the image as an archive that `docker load` takes. Needs Debian's packages
# for building and testing (`./dev package` sees to them). --no-image: without the image.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck source=docker/containers.sh
source docker/containers.sh
readonly packages=build/packages
version=$(sed -nE 's/^project\(clearance VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
[[ $# == 0 || $* == --no-image ]] || { echo "package.sh: unknown arguments '$*'; there is --no-image" >&2; exit 2; }

# Quietly COMMAND…: shows what it says only if it fails.
Quietly() {
  "$@" >"$scratch/log" 2>&1 || {
    tail -n 40 "$scratch/log" >&2
    Die "failed: $*"
  }
}

# Why there can be no image here, if so.
NoImage() {
  if ((EUID != 0)); then
    echo 'needs root'
  elif ! unshare --mount true 2>/dev/null; then
    echo 'needs mount namespaces'
  else
    { tests/support/optional_programs.py with buildah podman -- true || true; } | sed 's/^SKIPPED: //'
  fi
}

SOURCE_DATE_EPOCH=$(Epoch)
export SOURCE_DATE_EPOCH
Say 'building the programs'
Quietly cmake --preset package
cmake --build --preset package -j "$(nproc)"

Say 'making the packages'
rm -rf build/package/packages "$packages"
mkdir -p "$packages"
(cd build/package && Quietly cpack)
cp build/package/packages/*.deb build/package/python/clearance-*.whl "$packages"

reason=$(NoImage)
if [[ ${1:-} == --no-image ]]; then
  echo '   without the image'
elif [[ -n $reason ]]; then
  Say 'the image'
  echo "SKIPPED: $reason"
else
  docker/build.sh
  Configure "$scratch"
  named=docker.io/library/clearance:$version
  podman tag "$image" "$named"
  Quietly podman save --format docker-archive -o "$packages/clearance-image.tar" "$named"
fi
Say "$packages"
stat -c '   %n  %s bytes' "$packages"/*
