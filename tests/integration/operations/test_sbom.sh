#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docker/sbom.sh tells all Debian packages of this machine and what the page is bundled with, and the same
# bytes each time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

docker/sbom.sh 1.2.3 86400 client/page/package-lock.json >"$scratch/sbom.json"
docker/sbom.sh 1.2.3 86400 client/page/package-lock.json | cmp "$scratch/sbom.json"
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
