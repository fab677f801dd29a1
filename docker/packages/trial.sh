# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the trials of the packages share, in a bare Debian 12. To be sourced.

log=$(mktemp)

Say() { printf '\n-- %s  [%d s]\n' "$1" "$SECONDS"; }

Die() {
  tail -n 30 "$log" >&2
  printf '%s: %s\n' "$0" "$1" >&2
  exit 1
}

Apt() { apt-get -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1 || Die "failed: apt-get $*"; }

# Expect WHAT COMMAND…: that the command ends with status 0.
Expect() {
  local what=$1
  shift
  "$@" >"$log" 2>&1 || Die "not so: $what ($*)"
  echo "   $what"
}

# ExpectSaid WHAT TEXT COMMAND…: and that what it says has the TEXT.
ExpectSaid() {
  Expect "$1" "${@:3}"
  grep -qF -- "$2" "$log" || Die "not so: $1 (${*:3} does not say \"$2\")"
}
