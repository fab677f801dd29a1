#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# page.sh [--save]: builds the page into build/page and tries it in Chromium against the server of
# build/release. --save renews the picture of README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# Not --silent: an error must be visible.
npm --prefix client/page ci --loglevel=error --no-audit --no-fund
npm --prefix client/page run --silent build -- --logLevel warn
CLEARANCE_CHROMIUM=$(command -v chromium) ||
  { echo 'page: chromium is not installed (Debian package chromium)' >&2; exit 1; }
export CLEARANCE_CHROMIUM
CLEARANCE_SERVER=$PWD/build/release/server/clearance-server CLEARANCE_CLI=$PWD/build/release/client/clearance \
  CLEARANCE_PAGE=$PWD/build/page CLEARANCE_PICTURE=$PWD/build/page.png \
  node --test client/page/test/
if [[ ${1:-} == --save ]]; then
  cp build/page.png client/page/page.png
  echo 'saved as client/page/page.png'
fi
