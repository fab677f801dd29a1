#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# install.sh GROUP…: installs the Debian packages of these purposes that are missing (as root). If all
# are there it only looks at dpkg's database.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly -A packages=(
  [build]='g++ cmake ninja-build ccache mold ca-certificates curl
    libgrpc++-dev protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libabsl-dev libhwy-dev
    libssl-dev libsqlite3-dev libgmp-dev libboost-dev prometheus-cpp-dev nlohmann-json3-dev
    libcli11-dev'
  [test]='libgtest-dev libgmock-dev libqhull-dev openssl
    python3 python3-grpcio python3-protobuf python3-numpy python3-build python3-wheel
    python3-setuptools python3-venv python3-pip python3-matplotlib zsh fish'
  [bench]='libbenchmark-dev'
  [peers]='libbullet-dev libfcl-dev libccd-dev'
  [ompl]='libompl-dev libfcl-dev libqhull-dev'
  [lint]='git clang-format-14 clang-tidy-14 shellcheck npm mypy'
  [clang]='clang-14 lld-14 llvm-14 libclang-rt-14-dev'
  [golden]='qemu-user'
  [profile]='valgrind'
  [meshes]='assimp-testmodels'
  [page]='npm chromium'
  [reference]='python3-sphinx'
  [package]='dpkg-dev file mmdebstrap'
  [docker]='buildah podman runc mmdebstrap podman-compose netavark aardvark-dns iptables
    iproute2'
  # The packages of these start services or are large: installed only by `./dev install`.
  [prometheus]='prometheus'
  [proxy]='haproxy nginx-light'
  [etcd]='etcd-server etcd-client'
  [node]='npm'
  [kubernetes]='kubernetes-client npm python3-yaml')

Say() { printf '\n== %s  [%d s]\n' "$1" "$SECONDS"; }

# Die MESSAGE [STATUS]
Die() {
  printf 'install: %s\n' "$1" >&2
  exit "${2:-1}"
}

# A program that was not installed as its Debian package counts too.
IsPresent() {
  local program=$1
  [[ $1 != kubernetes-client ]] || program=kubectl
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]] ||
    command -v "$program" >/dev/null
}

# Install GROUP…
Install() {
  local group package missing=() log
  for group in "$@"; do
    for package in ${packages[$group]}; do
      IsPresent "$package" || missing+=("$package")
    done
  done
  ((${#missing[@]})) || return 0
  command -v apt-get >/dev/null || Die "no apt-get; install the equivalents of these Debian packages: ${missing[*]}"
  ((EUID == 0)) || Die "missing packages; as root: apt-get install --no-install-recommends ${missing[*]}"
  Say "installing from Debian: ${missing[*]}"
  log=$(mktemp)
  if ! AptInstall "$log" "${missing[@]}"; then
    tail -n 30 "$log" >&2
    Die "apt-get failed; the whole log is $log"
  fi
  rm -f "$log"
}

# AptInstall LOG PACKAGE…: quiet but for a line every hundred packages.
AptInstall() {
  local log=$1
  shift
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >>"$log" 2>&1 &&
    apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "$@" 2>&1 |
      tee -a "$log" | awk '/^Setting up/ && ++n % 100 == 0 { print "   " n " packages set up"; fflush() }'
}

# InstallNodePackages FOLDER: those of its lock file. Tests never ask the registry.
InstallNodePackages() {
  [[ ! $1/node_modules/.package-lock.json -nt $1/package-lock.json ]] || return 0
  Say "installing from npm: the packages of $1"
  npm --prefix "$1" ci --ignore-scripts --prefer-offline --loglevel=error --no-audit --no-fund
}

(($#)) || Die "name at least one group; groups: ${!packages[*]}" 2
for group in "$@"; do
  [[ -n ${packages[$group]:-} ]] || Die "unknown group '$group'; groups: ${!packages[*]}" 2
done

Install "$@"
[[ " $* " != *' node '* ]] || InstallNodePackages client/node
[[ " $* " != *' kubernetes '* ]] || InstallNodePackages tests/integration/kubernetes
