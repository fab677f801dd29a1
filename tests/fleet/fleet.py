#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Harms a fleet of three servers under load, then asks fleets of one, two and four by thousands of clients.

usage: fleet.py [--short] [FLAG…]        FLAG: of build/verify/tests/fleet/fleet
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import runner  # noqa: E402

PROGRAMS = runner.ROOT / "build/verify/tests/fleet"
# The cost of a query and the waits of callers are judged in the full form only, which needs a machine
# to itself.
SHORT = ["--kills=9", "--others=8", "--trials=1000", "--rounds=2", "--messages=60", "--most_ratio=100"]
SHORT += ["--longest_gap=200"]
SHORT_SIMULATION = ["--share=0.05", "--turns=1", "--most_ratio=100"]


def run(title: str, program: str, flags: list[str]) -> int:
    runner.say(title)
    return runner.run([str(PROGRAMS / program), *flags]).returncode


def main() -> int:
    parser = runner.Parser(__doc__)
    parser.add_argument("--short", action="store_true")
    arguments, flags = parser.parse_known_args()
    if arguments.targets:
        print("verify clearance-server fleet fleet_simulation")
        return 0
    short, short_simulation = (SHORT, SHORT_SIMULATION) if arguments.short else ([], [])
    statuses = [
        run("three servers on three members of etcd", "fleet", [*short, *flags]),
        run("thousands of clients of one, two and four servers", "fleet_simulation", short_simulation),
    ]
    if set(statuses) - {0, runner.SKIPPED}:
        return 1
    return max(statuses)


if __name__ == "__main__":
    sys.exit(main())
