#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test_sbom.sh BUILD: docker/sbom.sh tells all Debian packages of this machine, what the page is bundled with and
# what the server of this build was compiled with, and the same bytes each time.
set -euo pipefail
readonly build=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

Sbom() { docker/sbom.sh 1.2.3 86400 client/page/package-lock.json "$@"; }

docker/compiled_in.sh "$build" clearance-server >"$scratch/compiled"
Sbom "$scratch/compiled" >"$scratch/sbom.json"
Sbom "$scratch/compiled" | cmp "$scratch/sbom.json"
dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' | sed -n 's/^installed //p' >"$scratch/packages"
docker/check_sbom.py "$scratch/sbom.json" "$scratch/packages" | tee "$scratch/said"
grep -q ', and clearance 1.2.3, three [0-9.]*$' "$scratch/said"
grep -q '"created": "1970-01-02T00:00:00Z"' "$scratch/sbom.json"

# A package that is not in it is missed.
echo 'nobody 1' >>"$scratch/packages"
if docker/check_sbom.py "$scratch/sbom.json" "$scratch/packages" 2>/dev/null; then
  echo 'check_sbom.py misses nothing' >&2
  exit 1
fi

# Nor is one whose headers are compiled in.
Sbom >"$scratch/without.json"
if docker/check_sbom.py "$scratch/without.json" /dev/null 2>/dev/null; then
  echo 'check_sbom.py misses nothing that is compiled in' >&2
  exit 1
fi
