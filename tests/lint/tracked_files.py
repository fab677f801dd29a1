# SPDX-License-Identifier: Apache-2.0
"""Lists the files of a source tree that its checks look at."""

import os
import pathlib
import subprocess

NOT_SOURCES = {".git", "build", "node_modules", "__pycache__"}
GIT = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")


def tracked_files(root: pathlib.Path) -> list[str]:
    """Returns the paths, relative to `root`, of all files that git tracks or would add.

    In a tree without git, such as an unpacked archive, these are all files outside of NOT_SOURCES.
    """
    if (root / ".git").exists():
        listed = subprocess.run(GIT, cwd=root, capture_output=True, text=True, check=True).stdout
        return sorted(name for name in set(listed.split("\0")) if name and (root / name).is_file())
    return sorted(_walk(root))


def _walk(root: pathlib.Path) -> list[str]:
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in NOT_SOURCES]
        found += [(pathlib.Path(folder) / name).relative_to(root).as_posix() for name in names]
    return found
