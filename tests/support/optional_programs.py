#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Programs and Python modules that tests use if they are installed: those of optional_programs.txt.

optional_programs.py with NAME… -- COMMAND…   runs COMMAND if all of them are installed; otherwise
                                              says which is not and exits with status 77
optional_programs.py without COMMAND…         runs COMMAND as if none of the list were installed
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Iterator

TABLE = pathlib.Path(__file__).with_name("optional_programs.txt")
MODULE = "python3:"
SKIPPED = 77  # the exit status, as ctest knows it


def packages() -> dict[str, str]:
    """Returns Debian's package of each program."""
    lines = (line.split() for line in TABLE.read_text().splitlines())
    return {words[0]: words[1] for words in lines if words and not words[0].startswith("#")}


def is_installed(name: str) -> bool:
    if not name.startswith(MODULE):
        return shutil.which(name) is not None
    try:
        return importlib.util.find_spec(name.removeprefix(MODULE)) is not None
    except ModuleNotFoundError:  # not even the package that it is in
        return False


def missing_reason(*names: str) -> str:
    """Returns why these cannot be used, for the first that is missing; "" if all are installed.

    Raises KeyError if the list does not have one of them.
    """
    known = packages()
    for name in names:
        package = known[name]
        if not is_installed(name):
            return f"{name} is not installed (Debian package {package})"
    return ""


def skip(reason: str) -> None:
    """Ends the script as one that is skipped."""
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(SKIPPED)


def require(*names: str) -> None:
    """Ends the script as one that is skipped if one of them is missing."""
    if reason := missing_reason(*names):
        skip(reason)


def require_in(test: unittest.TestCase, *names: str) -> None:
    """Skips this test if one of them is missing."""
    if reason := missing_reason(*names):
        test.skipTest(f"SKIPPED: {reason}")


def hide_programs(folder: pathlib.Path) -> None:
    """Fills the folder with links to all programs of the PATH that are not on the list."""
    hidden = packages()
    for place in map(pathlib.Path, os.environ["PATH"].split(":")):
        for program in place.iterdir() if place.is_dir() else ():
            link = folder / program.name
            if program.name not in hidden and not link.is_symlink():
                link.symlink_to(program)


HIDING = """
import sys

class Hidden:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden)
"""


def hide_modules(folder: pathlib.Path) -> None:
    """Makes the folder a user's base of Python, in which the modules of the list cannot be
    found."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "lib" / version / "site-packages"
    site.mkdir(parents=True)
    names = {name.removeprefix(MODULE) for name in packages() if name.startswith(MODULE)}
    (site / "usercustomize.py").write_text(HIDING.format(names=names))


@contextlib.contextmanager
def hidden() -> Iterator[dict[str, str]]:
    """Yields an environment for commands in which nothing of the list is installed."""
    with tempfile.TemporaryDirectory() as path:
        programs, modules = pathlib.Path(path, "programs"), pathlib.Path(path, "modules")
        programs.mkdir()
        hide_programs(programs)
        hide_modules(modules)
        yield os.environ | {"PATH": str(programs), "PYTHONUSERBASE": str(modules)}


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["with"] and "--" in arguments[1:-1]:
        split = arguments.index("--")
        require(*arguments[1:split])
        os.execvp(arguments[split + 1], arguments[split + 1 :])
    if arguments[:1] == ["without"] and len(arguments) > 1:
        with hidden() as environment:
            return subprocess.run(arguments[1:], env=environment).returncode
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
