# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
#
# What the tests of this folder share: containers in a store of their own, so that nothing of yours is
# touched and the next run is fast. To be sourced, in the project's root.

readonly base=docker.io/library/debian:bookworm-slim
readonly image=localhost/clearance:test
readonly store=${CLEARANCE_CONTAINER_STORE:-/var/tmp/clearance-containers}

Say() { printf '\n== docker: %s  [%d s]\n' "$1" "$SECONDS"; }

Die() {
  printf '%s: %s\n' "$0" "$1" >&2
  exit 1
}

# RequireFreePorts PORT…: ends the script if a process listens at one of them, and names each.
RequireFreePorts() {
  local port listener holder taken=
  for port in "$@"; do
    while read -r listener holder; do
      [[ $holder =~ \"(.*)\",pid=([0-9]+) ]] && holder="${BASH_REMATCH[1]} (process ${BASH_REMATCH[2]})"
      taken+=$'\n'"  $listener: ${holder:-a process that ss does not name}"
    done < <(ss -Hltnp "sport = :$port" | awk '{ print $4, $6 }')
  done
  [[ -z $taken ]] || Die "ports $* must be free; in use:$taken"
}

# Require PROGRAM…: ends the script as one that is skipped if one of them is missing.
Require() { tests/support/optional_programs.py with "$@" -- true || exit; }

# The time that an image tells, in seconds: of the commit, or SOURCE_DATE_EPOCH.
Epoch() { echo "${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}"; }

# Rfc3339 SECONDS
Rfc3339() { date -u -d "@$1" +%Y-%m-%dT%H:%M:%SZ; }

# Configure FOLDER: settings in it. runc and cgroupfs also work where cgroups are hybrid and there is no
# systemd; of netavark's networks each container may be in several, and finds the others by name. Their
# addresses are not those that podman's own networks have.
Configure() {
  local folder=$1
  cat >"$folder/storage.conf" <<TEXT
[storage]
driver = "overlay"
graphroot = "$store/graph"
runroot = "$store/run"
TEXT
  cat >"$folder/containers.conf" <<TEXT
[containers]
default_ulimits = ["nofile=16384:16384", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
[network]
network_backend = "netavark"
network_config_dir = "$store/networks"
default_network = "clearance"
default_subnet = "10.91.0.0/16"
default_subnet_pools = [{"base" = "10.92.0.0/16", "size" = 24}]
TEXT
  mkdir -p "$store/networks"
  export CONTAINERS_STORAGE_CONF=$folder/storage.conf CONTAINERS_CONF=$folder/containers.conf
}
