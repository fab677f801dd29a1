#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the image that the tests of this folder take. Needs root, buildah and podman (`./dev docker` sees to
# them). Where no registry can be reached a base image is made from Debian's packages. --twice: builds it a second
# time from nothing and sees whether its layers are the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck source=docker/containers.sh
source docker/containers.sh
Require buildah podman
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

HaveBase() {
  podman image exists "$base" && return
  Say "fetching $base"
  timeout 60 podman pull -q "$base" 2>/dev/null && return
  echo '   no registry in reach: making a stand-in from Debian packages'
  local stand_in
  stand_in=$(tests/support/bare_root.sh --base) || Die "no stand-in: $stand_in"
  podman import -q "$stand_in" "$base" >/dev/null
}

# Build TAG OPTION…: every file and all history are of the time of the commit (or of
# SOURCE_DATE_EPOCH), so that the same can be built again.
Build() {
  local tag=$1 epoch options=()
  shift
  epoch=$(Epoch)
  # npm's registry may be behind a proxy with a CA of its own.
  [[ -z ${NODE_EXTRA_CA_CERTS:-} ]] ||
    options=(--secret "id=registry-ca,src=$NODE_EXTRA_CA_CERTS")
  buildah bud --isolation chroot --network host --format docker --layers --timestamp "$epoch" "${options[@]}" "$@" \
    --build-arg "SOURCE_DATE_EPOCH=$epoch" --build-arg "CREATED=$(Rfc3339 "$epoch")" \
    --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)" \
    -t "$tag" -f docker/Dockerfile . >"$scratch/build.log" 2>&1 || {
    tail -n 40 "$scratch/build.log" >&2
    Die 'the image does not build'
  }
}

Configure "$scratch"
HaveBase

Say 'building the image'
# What this machine has compiled already is not compiled again: same sources, same compiler. In a step of
# its own, as a volume leaves its mount point in every stage.
if cache=$(ccache --get-config cache_dir 2>/dev/null) && [[ -d $cache ]]; then
  Build "$image-build" --target build --volume "$cache:/root/.cache/ccache"
fi
Build "$image"
podman image ls --format '   {{.Repository}}:{{.Tag}}  {{.Size}}' "$image"

if [[ ${1:-} == --twice ]]; then
  Say 'building it again, from nothing'
  Build "$image-again" --no-cache
  # Every file and its time. The images' own digests differ: into the configuration this version of buildah
  # writes a host name by chance, and the numbers of the images that it made on the way.
  for tag in "$image" "$image-again"; do podman image inspect -f '{{.RootFS.Layers}}' "$tag"; done >"$scratch/layers"
  [[ $(uniq "$scratch/layers" | wc -l) == 1 ]] || Die 'the second build has other layers'
  echo '   the same layers'
  podman rmi "$image-again" >/dev/null
fi
