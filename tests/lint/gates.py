#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rules of this project that no other tool knows: gates.py [FOLDER].

Prints each broken rule with the places that break it and what to do instead. Exits with 1 if there
is one. FOLDER is the root of the source tree; by default the one that this file is in.
"""

import argparse
import pathlib
import re
import sys
from dataclasses import dataclass
from typing import Callable, Iterator

from links import broken_links
from tracked_files import tracked_files

CPP = (".cc", ".h")

NEGATIVE_EXPONENT = re.compile(r"[0-9.]e-[0-9]|0x[0-9a-f]+p-[0-9]")
TOLERANCES = "core/math/tolerance.h"

THREADS = re.compile(
    r"\bthread_local\b|\bstd::(atomic|thread|jthread|mutex|call_once|async)\b"
    r"|<(atomic|thread|mutex|shared_mutex|condition_variable|future)>|absl/synchronization"
)
MAY_KNOW_THREADS = "core/broad/recycling_allocator.h"

TRANSPORT = re.compile(r"^#include (<grpcpp/|\"server/transport/)")
# The calls that clients make, to etcd and to the server itself, are gRPC's too.
MAY_KNOW_TRANSPORT = tuple(f"server/{folder}/" for folder in ("transport", "etcd", "page", "app"))

OPTIONAL_PART = re.compile(r"^#include \"server/(fence|etcd)/")

UNFINISHED = re.compile(r"\b(TO[D]O|FI[X]ME|XX[X])\b")

LICENCE = re.compile(r"^(//|#) SPDX-License-Identifier: Apache-2\.0$", re.MULTILINE)
LICENSED = CPP + (".proto", ".txt", ".sh", ".js", ".yml", ".yaml", ".py", ".cmake", ".toml")

MACHINE_PATH = re.compile(r"(?<![\w.*})-])/(work|root)/[\w./-]*")
# Paths inside of a container, not on a machine that the sources were written on.
PATHS_IN_CONTAINERS = ("/root/.cache/ccache",)


# Calls that skip a test, and what may follow: the text itself, or a constant with it.
SKIP_IN_CPP = re.compile(r"\bGTEST_SKIP\(\)(?!\s*<<\s*(\"SKIPPED: |(\w+::)*k[A-Z]\w*))")
SKIP_IN_PYTHON = re.compile(
    r"\b(skipTest|SkipTest|unittest\.skip(If|Unless)?)\((?![^\n]*SKIPPED: |\n[^\n]*SKIPPED: )"
)
SKIP_OF_PROGRAM = re.compile(r"\b(return|exit|_exit|_Exit)\b[ (]*77\b|\bkSkipped = 77\b")


class Tree:
    """The files of a source tree, each read at most once."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.paths = tracked_files(root)
        self._texts: dict[str, str] = {}

    def text(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_text(errors="replace")
        return self._texts[path]

    def lines(self, path: str) -> Iterator[tuple[int, str]]:
        return enumerate(self.text(path).splitlines(), start=1)

    def under(self, *folders: str, ending: tuple[str, ...] = ("",)) -> list[str]:
        starts = tuple(folder + "/" for folder in folders)
        return [path for path in self.paths if path.startswith(starts) and path.endswith(ending)]


@dataclass
class Rule:
    """What must hold, what to do where it does not, and the check, which yields one line a place."""

    wrong: str
    remedy: str
    check: Callable[[Tree], Iterator[str]]


def numbers(tree: Tree) -> Iterator[str]:
    for path in tree.under("core", ending=CPP):
        if path != TOLERANCES:
            for number, line in tree.lines(path):
                if NEGATIVE_EXPONENT.search(re.sub(r"// .*", "", line)):
                    yield f"{path}:{number}: {line.strip()}"


def threads(tree: Tree) -> Iterator[str]:
    for path in tree.under("core", ending=CPP):
        if path != MAY_KNOW_THREADS:
            for number, line in tree.lines(path):
                if THREADS.search(line):
                    yield f"{path}:{number}: {line.strip()}"


def transport(tree: Tree) -> Iterator[str]:
    for path in tree.under("server", ending=CPP):
        if not path.startswith(MAY_KNOW_TRANSPORT):
            for number, line in tree.lines(path):
                if TRANSPORT.search(line):
                    yield f"{path}:{number}: {line.strip()}"


def optional_parts(tree: Tree) -> Iterator[str]:
    for path in tree.under("server", ending=CPP):
        for number, line in tree.lines(path):
            found = OPTIONAL_PART.match(line)
            if found and not path.startswith((f"server/{found[1]}/", "server/app/")):
                yield f"{path}:{number}: {line.strip()}"


def unfinished_words(tree: Tree) -> Iterator[str]:
    for path in tree.under("core", "server", "client", "tests", "proto", "docker"):
        for number, line in tree.lines(path):
            if UNFINISHED.search(line):
                yield f"{path}:{number}: {line.strip()[:120]}"


def licences(tree: Tree) -> Iterator[str]:
    for path in tree.under(
        "core", "server", "client", "tests", "proto/clearance", "docker", ending=LICENSED
    ):
        if not LICENCE.search(tree.text(path)):
            yield path


def machine_paths(tree: Tree) -> Iterator[str]:
    for path in tree.paths:
        for number, line in tree.lines(path):
            for found in MACHINE_PATH.finditer(line):
                if found[0] not in PATHS_IN_CONTAINERS:
                    yield f"{path}:{number}: {found[0]}"


def skips(tree: Tree) -> Iterator[str]:
    for path in tree.paths:
        text = tree.text(path) if path.endswith(CPP + (".py", ".sh")) else ""
        pattern = SKIP_IN_PYTHON if path.endswith(".py") else SKIP_IN_CPP
        found = [*pattern.finditer(text)]
        if "SKIPPED: " not in text:
            found += SKIP_OF_PROGRAM.finditer(text)
        for call in found:
            line = text.count("\n", 0, call.start())
            yield f"{path}:{line + 1}: {text.splitlines()[line].strip()}"


def links(tree: Tree) -> Iterator[str]:
    yield from broken_links(tree.root, tree.paths)


RULES = (
    Rule(
        f"a number with a negative exponent in core/ outside of {TOLERANCES}",
        f"Such a number is a tolerance: name it in {TOLERANCES} and use the name. A mathematical constant may"
        " have all its hexadecimal digits (0x1.5bf0a8b145769p-2).",
        numbers,
    ),
    Rule(
        "something about threads in core/",
        "The thread sanitizer does not run the tests of the core, so it may not use threads, atomics or locks;"
        f" only {MAY_KNOW_THREADS} may. Move it to server/.",
        threads,
    ),
    Rule(
        "gRPC or server/transport in a folder of server/ that knows neither",
        f"Only {', '.join(MAY_KNOW_TRANSPORT)} may include them. Give the rest what it needs of them.",
        transport,
    ),
    Rule(
        "server/fence or server/etcd in a folder that a build without them has",
        "Only server/app may include them. The others know server/schedule/accept_loop.h and"
        " server/storage/shape_store.h.",
        optional_parts,
    ),
    Rule(
        "a word that marks unfinished work",
        "Finish it, or describe the limit in plain words.",
        unfinished_words,
    ),
    Rule(
        "a file without its licence line",
        "One line must be exactly '// SPDX-License-Identifier: Apache-2.0' (or with '#' for '//').",
        licences,
    ),
    Rule(
        "a path of a developer's machine",
        f"Write a path relative to the project. Allowed: {', '.join(PATHS_IN_CONTAINERS)} (in containers).",
        machine_paths,
    ),
    Rule(
        "a link in a page that leads nowhere",
        "Correct the path or the heading that it names.",
        links,
    ),
    Rule(
        "a test that is skipped without its reason",
        "Print 'SKIPPED: ' and the reason. For a program that is missing use"
        " tests/support/optional_program.h or optional_programs.py.",
        skips,
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Checks the rules of this project that no other tool knows."
    )
    default = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument(
        "folder", nargs="?", default=default, type=pathlib.Path, help="Root of the source tree."
    )
    tree = Tree(parser.parse_args().folder)
    if not tree.paths:
        print(f"gates: no files in {tree.root}: give the root of a source tree", file=sys.stderr)
        return 2
    broken = 0
    for rule in RULES:
        places = list(rule.check(tree))
        if places:
            broken += 1
            print(
                f"gates: {rule.wrong}:\n  " + "\n  ".join(places) + f"\n{rule.remedy}\n",
                file=sys.stderr,
            )
    print(f"gates: {len(RULES)} rules, {len(tree.paths)} files, {broken} rules broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
