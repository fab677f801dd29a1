#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks arguments for ctest, which itself ignores what it does not know.

usage: ctest_arguments.py [ARGUMENT…]

Exits with status 2 and one line if an argument is neither a flag of ctest nor the value of one.
"""

import re
import subprocess
import sys

import runner

# Flags whose value is in the next argument.
WITH_VALUE = re.compile(
    r"-(R|E|L|LE|I|FA|FS|FC|j|D)|--(tests-regex|exclude-regex|label-regex|label-exclude|tests-information|parallel|"
    r"timeout|repeat|stop-time|test-load|schedule-random-seed|output-junit|output-log|test-output-size-(passed|failed))"
)


def flags_of_ctest() -> set[str]:
    text = subprocess.run(["ctest", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    listed = (line for line in text.splitlines() if line.startswith("  -"))
    return {flag for line in listed for flag in re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", line.split("  =")[0])}


def main(arguments: list[str]) -> None:
    known = flags_of_ctest() if arguments else set()
    is_value = False
    for argument in arguments:
        if not is_value and not argument.startswith("-"):
            runner.fail(f"unexpected argument '{argument}'; did you mean '-R {argument}'?", 2)
        if not is_value and argument.split("=")[0] not in known:
            runner.fail(f"unknown flag '{argument}'; ctest --help lists them, and --verify must be the first", 2)
        is_value = not is_value and WITH_VALUE.fullmatch(argument) is not None


if __name__ == "__main__":
    main(sys.argv[1:])
