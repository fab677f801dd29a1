#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the branches of core/ that no test takes against the list of those that none can.

usage: untaken.py EXPORT EXCEPTIONS

EXPORT is what `llvm-cov export` wrote. Each condition in the sources has two sides, true and false; a template's
instances count together, and what is settled by the compiler (sizeof, if constexpr) or written by it (= default) has none. Prints
every side that was never taken and that EXCEPTIONS does not name, and every exception that is not needed any more;
exits with 1 if there is one of either. EXCEPTIONS has one line for each:

    FILE | CONDITION | true or false | why no test takes it
"""

import collections
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def name_of(path):
    return os.path.relpath(os.path.normpath(path), ROOT)


def text_of(lines, place):
    """The source of a condition, its white space made single; parts of macros stand for nothing longer."""
    first_line, first_column, last_line, last_column = place
    taken = lines[first_line - 1:last_line]
    taken[-1] = taken[-1][:last_column - 1]
    taken[0] = taken[0][first_column - 1:]
    return " ".join(" ".join(taken).split())


def sides_of(file):
    """(condition, side, place) of every side of every condition, and how often each was taken."""
    with open(os.path.join(ROOT, name_of(file["filename"])), encoding="utf-8") as source:
        lines = source.read().split("\n")
    counts = collections.Counter()
    for branch in file["branches"]:
        place = tuple(branch[:4])
        text = text_of(lines, place)
        line = lines[place[0] - 1]
        if "sizeof" in text or "= default" in line or "if constexpr" in line:
            continue
        counts[text, "true", place] += branch[4]
        counts[text, "false", place] += branch[5]
    return counts


def exceptions_of(path):
    exceptions = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.strip() or line.startswith("#"):
                continue
            parts = [part.strip() for part in line.split(" | ")]
            if len(parts) != 4 or parts[2] not in ("true", "false") or not parts[3]:
                sys.exit(f"{path}: not FILE | CONDITION | SIDE | REASON: {line.strip()}")
            exceptions[tuple(parts[:3])] = parts[3]
    return exceptions


def main():
    with open(sys.argv[1], encoding="utf-8") as export:
        files = json.load(export)["data"][0]["files"]
    exceptions = exceptions_of(sys.argv[2])
    needed, faults, total = set(), [], 0
    for file in sorted(files, key=lambda file: name_of(file["filename"])):
        name = name_of(file["filename"])
        counts = sides_of(file)
        total += len(counts)
        for (text, side, place), count in sorted(counts.items(), key=lambda item: item[0][2]):
            if count > 0:
                continue
            if (name, text, side) in exceptions:
                needed.add((name, text, side))
            else:
                faults.append(f"never {side}: {name}:{place[0]}: {text}")
    faults += [f"not needed: {' | '.join(exception)}" for exception in exceptions if exception not in needed]
    print("\n".join(faults))
    print(f"{total} sides of conditions; {len(needed)} exceptions; {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
