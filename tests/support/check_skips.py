#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a test was skipped without a reason that is allowed and true.

usage: check_skips.py [--strict] TESTS.xml

TESTS.xml is the output of `ctest --output-junit`. Every skip prints `SKIPPED: REASON`. A reason is
allowed if it names a program of optional_programs.txt that is absent here, or if a line of
allowed_skips.txt is equal to it. With --strict no skip is allowed, whatever its reason.
"""

import argparse
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree

import optional_programs

HERE = pathlib.Path(__file__).parent
MISSING_PROGRAM = re.compile(r"(\S+) is not installed \(Debian package (\S+)\)")
REASON = re.compile(r"SKIPPED: ([^'\"\n]+)")
GOOGLE_TEST = re.compile(r"^\[ RUN {6}\] |^\[  SKIPPED \] (\S+) \(")
PYTHON_TEST = re.compile(r"^(?:(.*) \.\.\. )?skipped (['\"])(.*)\2$")
PYTHON_TOTAL = re.compile(r"^OK \(.*\bskipped=(\d+)", re.MULTILINE)


def lines_of(path):
    lines = (line.strip() for line in path.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def reason_in(text):
    found = REASON.search(text)
    return found.group(1).strip() if found else None


def skips_of_google_test(name, output):
    """The skipped cases of a GoogleTest program, each with the reason printed since it began."""
    since = []
    for line in output.splitlines():
        since.append(line)
        found = GOOGLE_TEST.match(line)
        if found and found.group(1):
            yield f"{name}: {found.group(1)}", reason_in("\n".join(since))
        if found:
            since = []


def skips_of_python(name, output):
    """The skipped tests of a unittest program; one without a reason if its total names more."""
    found = [match for match in map(PYTHON_TEST.match, output.splitlines()) if match]
    for match in found:
        yield f"{name}: {match.group(1) or 'a test'}", reason_in(match.group(3))
    if sum(map(int, PYTHON_TOTAL.findall(output))) > len(found):
        yield f"{name}: a test", None


def skips_of(case):
    """Yields the skipped tests of one test of ctest, each with its reason or None."""
    name = case.get("name")
    output = case.findtext("system-out") or ""
    inside = [*skips_of_google_test(name, output), *skips_of_python(name, output)]
    yield from inside
    if not inside and case.get("status") in ("notrun", "disabled"):
        yield name, reason_in(output)


def fault_of(reason, allowed, strict):
    """Says why a skip is not allowed, or returns None."""
    if reason is None:
        return "no reason given: print `SKIPPED: REASON`"
    if strict:
        return "nothing may be skipped here"
    missing = MISSING_PROGRAM.fullmatch(reason)
    if not missing:
        return None if reason in allowed else "tests/support/allowed_skips.txt does not allow this reason"
    program, package = missing.groups()
    if optional_programs.packages().get(program) != package:
        return "tests/support/optional_programs.txt does not list this program and package"
    return f"{program} is installed" if optional_programs.is_installed(program) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strict", action="store_true", help="allow no skip at all")
    parser.add_argument("results", type=pathlib.Path, help="what `ctest --output-junit` wrote")
    arguments = parser.parse_args()
    allowed = set(lines_of(HERE / "allowed_skips.txt"))
    cases = xml.etree.ElementTree.parse(arguments.results).iter("testcase")
    counts = collections.Counter()
    faults = []
    for name, reason in (skip for case in cases for skip in skips_of(case)):
        counts[reason] += 1
        fault = fault_of(reason, allowed, arguments.strict)
        if fault:
            faults.append(f"skipped: {name}: {reason}: {fault}")
    for reason, count in counts.most_common():
        print(f"   skipped: {count} x {reason}")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
