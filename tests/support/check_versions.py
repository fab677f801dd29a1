#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a file names another version of this project than CMakeLists.txt does."""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
THE_VERSION = re.compile(r"^project\(clearance VERSION (\S+)", re.MULTILINE)
NAMED = re.compile(
    r"""\bclearance(?:-server|-dev)?[-_:/@\ ]v?(\d+\.\d+\.\d+)  # an image, a wheel, a package
      | ^ARG\ VERSION=(\S+)
      | ^\s*newTag:\ (\S+)
    """,
    re.VERBOSE | re.MULTILINE,
)
NEWEST_IN_CHANGELOG = re.compile(r"^## (\d+\.\d+\.\d+)", re.MULTILINE)
MAJOR = re.compile(r"^_MAJOR_VERSION = (\d+)$", re.MULTILINE)
# Not ours, built, of earlier releases, or naming a made-up version.
LEFT_OUT = {
    ".git",
    "build",
    "node_modules",
    "tests/fuzz",
    "tests/integration/operations/test_sbom.sh",
    "tests/integration/upgrade",
}
# Each must name it; else a pattern above no longer finds its target.
NAMING = {
    "docker/Dockerfile",
    "docker/compose.yaml",
    "docker/compose.fleet.yaml",
    "docker/kubernetes/overlays/fleet/kustomization.yaml",
    "docker/kubernetes/overlays/single/kustomization.yaml",
}


def texts():
    """Yields the path from the root and the text of every file that is UTF-8."""
    for folder, folders, names in os.walk(ROOT):
        inside = pathlib.Path(folder).relative_to(ROOT)
        folders[:] = [f for f in folders if f not in LEFT_OUT and str(inside / f) not in LEFT_OUT]
        for path in (inside / name for name in names):
            if str(path) in LEFT_OUT:
                continue
            try:
                yield str(path), (ROOT / path).read_text()
            except (UnicodeDecodeError, FileNotFoundError):
                continue


def versions_in(text):
    """Yields the number of the line and the version of each place that names one."""
    for found in NAMED.finditer(text):
        yield text.count("\n", 0, found.end()) + 1, next(filter(None, found.groups()))


def main():
    version = THE_VERSION.search((ROOT / "CMakeLists.txt").read_text())[1]
    faults, naming, places = [], set(), 0
    for path, text in texts():
        for line, named in versions_in(text):
            naming.add(path)
            places += 1
            if named != version:
                faults.append(f"{path}:{line}: names version {named}; CMakeLists.txt has {version}")
        for major in MAJOR.findall(text):
            if major != version.split(".")[0]:
                faults.append(f"{path}: major version {major}; CMakeLists.txt has {version}")
    newest = NEWEST_IN_CHANGELOG.search((ROOT / "CHANGELOG.md").read_text())
    if not newest or newest[1] != version:
        faults.append(f"CHANGELOG.md: does not begin with {version}, the version of CMakeLists.txt")
    faults += [f"{path}: names no version; it must name {version}" for path in NAMING - naming]
    print("\n".join(faults + [f"version {version}: {places} places looked at"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
