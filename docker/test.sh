#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the image and tries it the way it is meant to be run: not root, nothing writable, no
# capabilities. Needs root, buildah, podman and runc (`./dev docker` sees to them). Where no registry can be
# reached a base image is made from Debian's packages. --twice: builds it a second time from nothing and
# sees whether its layers are the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck source=docker/containers.sh
source docker/containers.sh
scratch=$(mktemp -d)
container=clearance-test-$$
volume=clearance-test-$$

Cleanup() {
  podman rm -f "$container" >/dev/null 2>&1 || true
  podman volume rm -f "$volume" >/dev/null 2>&1 || true
  rm -rf -- "$scratch"
}
trap Cleanup EXIT

HaveBase() {
  podman image exists "$base" && return
  Say "fetching $base"
  timeout 60 podman pull -q "$base" 2>/dev/null && return
  echo '   no registry in reach: making a stand-in from Debian packages'
  local mirror
  mirror=$(awk '/^URIs:/ { print $2; exit } /^deb / { print $2; exit }' \
    /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null || true)
  mmdebstrap --quiet --variant=minbase bookworm "$scratch/base.tar" \
    "deb ${mirror:-http://deb.debian.org/debian} bookworm main"
  podman import -q "$scratch/base.tar" "$base" >/dev/null
}

# What the running container publishes for a port, as address:port.
Published() { podman port "$container" "$1/tcp" | head -n 1; }

AwaitHealthy() {
  local tries
  for ((tries = 0; tries < 50; ++tries)); do
    podman healthcheck run "$container" >/dev/null 2>&1 && return
    sleep 0.2
  done
  podman logs "$container" >&2
  Die 'the container did not become healthy'
}

# Build TAG OPTION…: every file and all history are of the time of the commit (or of
# SOURCE_DATE_EPOCH), so that the same can be built again.
Build() {
  local tag=$1 epoch options=()
  shift
  epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
  # npm's registry may be behind a proxy with a CA of its own.
  [[ -z ${NODE_EXTRA_CA_CERTS:-} ]] ||
    options=(--secret "id=registry-ca,src=$NODE_EXTRA_CA_CERTS")
  buildah bud --isolation chroot --network host --format docker --layers --timestamp "$epoch" "${options[@]}" "$@" \
    --build-arg "SOURCE_DATE_EPOCH=$epoch" --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)" \
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

Say 'looking at what is in it'
podman run --rm --entrypoint cat "$image" /usr/share/doc/clearance/sbom.spdx.json >"$scratch/sbom.json"
podman run --rm --entrypoint dpkg-query "$image" -W -f '${Package} ${Version}\n' >"$scratch/packages"
docker/check_sbom.py "$scratch/sbom.json" "$scratch/packages"
podman image inspect -f '{{range $key, $value := .Labels}}   {{$key}}={{$value}}{{"\n"}}{{end}}' "$image"

Say 'running it as nobody, read-only, without capabilities'
podman run -d --name "$container" --user 65532 --read-only --read-only-tmpfs=false --cap-drop=all \
  --security-opt=no-new-privileges -p 127.0.0.1::50051 -p 127.0.0.1::9464 "$image" >/dev/null
AwaitHealthy
echo '   healthy'

Say 'asking it from outside'
build/release/client/clearance --addr "$(Published 50051)" info
curl -fsS "http://$(Published 9464)/metrics" | grep '^clearance_build_info'
page=http://$(Published 9464)
curl -fsS "$page/" >"$scratch/index.html"
grep -q '<title>clearance</title>' "$scratch/index.html" || Die 'the page is another'
script=$(sed -nE 's/.*<script[^>]* src="\.?\/?([^"]+)".*/\1/p' "$scratch/index.html" | head -n 1)
echo "   the page, with a script of $(curl -fsS "$page/$script" | wc -c) bytes"

Say 'killing it with its shapes in a volume'
podman rm -f "$container" >/dev/null
RunWithVolume() {
  podman run -d --name "$container" --user 65532 --read-only --read-only-tmpfs=false --cap-drop=all \
    --security-opt=no-new-privileges -v "$volume:/data" -p 127.0.0.1::50051 "$image" \
    --data_dir=/data >/dev/null
  AwaitHealthy
}
RunWithVolume
build/release/client/clearance --addr "$(Published 50051)" register ball '{"sphere": {"radius": 1}}'
podman kill -s KILL "$container" >/dev/null
podman rm -f "$container" >/dev/null
RunWithVolume
build/release/client/clearance --addr "$(Published 50051)" get ball

Say 'stopping it'
podman stop -t 30 "$container" >/dev/null
status=$(podman inspect -f '{{.State.ExitCode}}' "$container")
[[ $status == 0 ]] || Die "it ended with status $status on SIGTERM"
echo '   SIGTERM: status 0'
