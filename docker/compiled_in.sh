#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# compiled_in.sh BUILD TARGET: the Debian packages whose headers or archives went into a target of a build of ninja's,
# as the compiler wrote down which files it read: lines of name, version and architecture. What a shared library
# brings at run time is not all that a program has of it: templates and inline functions are compiled in, and of
# libraries that are headers alone everything is.
set -euo pipefail

readonly build=$1 target=$2

Inputs() { ninja -C "$build" -t inputs "$target"; }

# Files of the system that the target was made of.
Files() {
  Inputs | grep '^/usr/.*\.a$' || true
  Inputs | grep '\.o$' | xargs ninja -C "$build" -t deps | sed -nE 's/^ +(\/usr\/.*)/\1/p'
}

# A file that no package has ends this.
# shellcheck disable=SC2016
Files | sort -u | xargs realpath | sort -u | xargs dpkg-query -S | sed -E 's/: \/.*//; s/, /\n/g' | LC_ALL=C sort -u |
  xargs dpkg-query -W -f='${Package}\t${Version}\t${Architecture}\n' | LC_ALL=C sort -u
