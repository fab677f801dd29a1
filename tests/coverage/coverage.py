#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the sides of the conditions in core/ that no test of the core takes.

usage: coverage.py [REGEX]        REGEX: only the tests that ctest finds by this name

Fails if a side was never taken that is not in tests/coverage/exceptions.txt.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import runner  # noqa: E402

BUILD = runner.ROOT / "build/coverage"
COUNTS = BUILD / "counts"
TESTS_OF_CORE = r"^((?!cmake_)(?:core_[a-z]+|[a-z]+(?:_[a-z]+)*_property)_test): phony$"


def targets() -> list[str]:
    """The test programs of the core; the build tree must be configured."""
    command = ["ninja", "-C", str(BUILD), "-t", "targets", "all"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.findall(TESTS_OF_CORE, listing, re.MULTILINE)


def test(regex: str) -> None:
    shutil.rmtree(COUNTS, ignore_errors=True)
    log = BUILD.with_suffix(".log")
    command = ["ctest", "--test-dir", str(BUILD), "--parallel", str(os.cpu_count()), "--output-on-failure", "-R", regex]
    environment = {**os.environ, "LLVM_PROFILE_FILE": str(COUNTS / "%m.profraw")}
    with log.open("w") as file:
        status = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, env=environment).returncode
    if status != 0:
        print("\n".join(log.read_text().splitlines()[-50:]), file=sys.stderr)
        runner.fail(f"tests failed; the whole log is {log.relative_to(runner.ROOT)}")


def export() -> pathlib.Path:
    profile, path = COUNTS / "all.profdata", BUILD / "export.json"
    subprocess.run(["llvm-profdata-14", "merge", "-sparse", *COUNTS.glob("*.profraw"), "-o", profile], check=True)
    programs = [next(p for p in BUILD.glob(f"tests/**/{name}") if p.is_file()) for name in targets()]
    objects = [part for program in programs for part in ("-object", program)]
    command = ["llvm-cov-14", "export", *objects[1:], f"-instr-profile={profile}", "-format=text"]
    command += [f"-compilation-dir={BUILD}", "-ignore-filename-regex=/(tests|proto|client|server)/|^/usr/"]
    with path.open("w") as file, BUILD.joinpath("export.log").open("w") as log:
        subprocess.run(command, stdout=file, stderr=log, check=True)
    return path


def main() -> int:
    parser = runner.Parser(__doc__)
    parser.add_argument("regex", nargs="?", default="^(core|Property)")
    arguments = parser.parse_args()
    if arguments.targets:
        print("coverage", *targets())
        return 0
    runner.say("testing")
    test(arguments.regex)
    runner.say("sides of conditions in core/ that no test takes")
    untaken = [sys.executable, runner.ROOT / "tests/coverage/untaken.py", export()]
    return subprocess.run([*untaken, runner.ROOT / "tests/coverage/exceptions.txt"]).returncode


if __name__ == "__main__":
    sys.exit(main())
