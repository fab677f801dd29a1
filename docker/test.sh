#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the image and tries it the way it is meant to be run: not root, nothing writable, no
# capabilities. Needs root, buildah, podman and runc (`./dev docker` sees to them). Images and
# layers live in a store of their own, so that nothing of yours is touched and the next run is fast.
# Where no registry can be reached a base image is made from Debian's packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly base=docker.io/library/debian:bookworm-slim
readonly image=localhost/clearance:test
readonly store=${CLEARANCE_CONTAINER_STORE:-/var/tmp/clearance-containers}
scratch=$(mktemp -d)
container=clearance-test-$$
volume=clearance-test-$$

Cleanup() {
  podman rm -f "$container" >/dev/null 2>&1 || true
  podman volume rm -f "$volume" >/dev/null 2>&1 || true
  rm -rf -- "$scratch"
}
trap Cleanup EXIT

Say() { printf '\n== docker: %s  [%d s]\n' "$1" "$SECONDS"; }

Die() {
  printf 'docker/test.sh: %s\n' "$1" >&2
  exit 1
}

# runc and cgroupfs also work where cgroups are hybrid and there is no systemd.
Configure() {
  cat >"$scratch/storage.conf" <<TEXT
[storage]
driver = "overlay"
graphroot = "$store/graph"
runroot = "$store/run"
TEXT
  cat >"$scratch/containers.conf" <<TEXT
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
TEXT
  export CONTAINERS_STORAGE_CONF=$scratch/storage.conf CONTAINERS_CONF=$scratch/containers.conf
}

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

Configure
HaveBase

Say 'building the image'
buildah bud --isolation chroot --network host --format docker --layers -t "$image" \
  -f docker/Dockerfile . >"$scratch/build.log" 2>&1 || {
  tail -n 40 "$scratch/build.log" >&2
  Die 'the image does not build'
}
podman image ls --format '   {{.Repository}}:{{.Tag}}  {{.Size}}' "$image"

Say 'running it as nobody, read-only, without capabilities'
podman run -d --name "$container" --user 65532 --read-only --read-only-tmpfs=false --cap-drop=all \
  --security-opt=no-new-privileges -p 127.0.0.1::50051 -p 127.0.0.1::9464 "$image" >/dev/null
AwaitHealthy
echo '   healthy'

Say 'asking it from outside'
build/release/client/clearance --addr "$(Published 50051)" info
curl -fsS "http://$(Published 9464)/metrics" | grep '^clearance_build_info'

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
