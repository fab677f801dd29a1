# SPDX-License-Identifier: Apache-2.0
"""Shared by the programs behind the words of ./dev: arguments, messages, paths.

Each of these programs also takes --targets: it then only prints what it needs built, one line of
`PRESET TARGET…` per build tree.
"""

from __future__ import annotations

import argparse
import difflib
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from typing import NoReturn

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # the exit status
_START = time.monotonic()


def say(text: str) -> None:
    print(f"\n== {text}  [{time.monotonic() - _START:.0f} s]", flush=True)


def fail(message: str, status: int = 1) -> NoReturn:
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(status)


def run(command: Sequence[str | pathlib.Path], **settings) -> subprocess.CompletedProcess:
    """subprocess.run(), which ends with one line if the program cannot be started."""
    try:
        return subprocess.run(command, **settings)
    except OSError as error:
        fail(f"cannot start {command[0]}: {error.strerror}; ./dev builds it first")


def check(what: str, given: Iterable[str], allowed: Iterable[str]) -> None:
    """Ends with status 2 and one line if something was given that is not allowed."""
    names = list(allowed)
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"allowed: {', '.join(names)}"
            fail(f"unknown {what} '{name}'; {hint}", 2)


class Parser(argparse.ArgumentParser):
    def __init__(self, description: str | None) -> None:
        form = argparse.RawDescriptionHelpFormatter
        super().__init__(description=description, formatter_class=form, allow_abbrev=False)
        self.add_argument("--targets", action="store_true", help="only print what must be built")

    def error(self, message: str) -> NoReturn:
        fail(message, 2)
