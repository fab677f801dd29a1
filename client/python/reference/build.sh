#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# build.sh PACKAGE FOLDER: builds the reference of the Python package that is unpacked in PACKAGE,
# as HTML in FOLDER. A warning of Sphinx fails.
set -euo pipefail

package=$(realpath "$1")
folder=$2
export PYTHONPATH=$package SPHINX_APIDOC_OPTIONS=members,imported-members PYTHONDONTWRITEBYTECODE=1

rm -rf "$folder"
mkdir -p "$folder/source"
cp "$(dirname "${BASH_SOURCE[0]}")"/{conf.py,index.rst} "$folder/source/"
sphinx-apidoc -q --separate --module-first --no-toc -o "$folder/source/modules" \
  "$package/clearance" "$package/clearance/_[a-z]*"
sphinx-build -q -W --keep-going "$folder/source" "$folder/html"
echo "$folder/html/index.html"
