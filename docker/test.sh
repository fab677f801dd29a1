#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the image (with the options of build.sh) and tries it the way it is meant to be run: not root, nothing
# writable, no capabilities. Needs root, buildah, podman and runc (`./dev docker` sees to them).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck source=docker/containers.sh
source docker/containers.sh
Require buildah podman runc
scratch=$(mktemp -d)
container=clearance-test-$$
volume=clearance-test-$$

Cleanup() {
  podman rm -f "$container" >/dev/null 2>&1 || true
  podman volume rm -f "$volume" >/dev/null 2>&1 || true
  rm -rf -- "$scratch"
}
trap Cleanup EXIT

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

docker/build.sh "$@"
Configure "$scratch"

Say 'looking at what is in it'
podman run --rm --entrypoint cat "$image" /usr/share/doc/clearance/sbom.spdx.json >"$scratch/sbom.json"
podman run --rm --entrypoint dpkg-query "$image" -W -f '${Package} ${Version}\n' >"$scratch/packages"
docker/check_sbom.py "$scratch/sbom.json" "$scratch/packages"
# HasLabel NAME VALUE
HasLabel() {
  local found
  found=$(podman image inspect -f "{{index .Labels \"org.opencontainers.image.$1\"}}" "$image")
  [[ $found == "$2" ]] || Die "the label $1 is \"$found\" and should be \"$2\""
}
HasLabel created "$(Rfc3339 "$(Epoch)")"
HasLabel revision "$(git rev-parse HEAD)"
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
