#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of one query, cell by cell, under valgrind's callgrind, by stage.

count_instructions.py CORE_CELL: a table in Markdown. The numbers are always the same for the same
binary and processor (valgrind runs the AVX2 code, whatever the processor has).
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
import optional_programs  # noqa: E402

TOPICS = [
    ("distance", "far"), ("distance", "near"), ("distance", "coherent"), ("warm_distance", "coherent"),
    ("intersection", "far"), ("intersection", "near"), ("intersection", "shallow"), ("intersection", "deep"),
    ("depth", "shallow"), ("depth", "deep"), ("time_of_collision", "far"), ("time_of_collision", "near"),
]
SIZES = ["box", "16", "64", "256", "1024", "4096"]
# Stages by the functions with which they begin; none is called by another.
STAGES = {
    "placing": ["CenteredPair::CenteredPair(", "PosedPair::PosedPair(", "MotionStart::MotionStart(",
                "PlacementRows::Add(", "PlacementRows::Place(",
                "RelativeMotion::CoarseAt(", "RelativeMotion::FineAt(", "RelativeMotion::Swept("],
    "search": ["::ProjectBoxes(", "::GjkBatch(", "SearchFast(", "SearchPortals("],
    "features": ["FinishFromFeatures(", "AnswerFromFeatures(", "AnswerFromFacets("],
    "double-double": ["SolvePrecisely("],
    "depth": ["ComputePenetration<"],
}


def inclusive(path):
    """Returns the instructions of all, and of each function with all that it called."""
    listing = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--tree=none", "--threshold=100", path],
                             check=True, capture_output=True, text=True).stdout
    total = int(re.search(r"([\d,]+) \([ \d.]+%\)\s+PROGRAM TOTALS", listing)[1].replace(",", ""))
    counts = {}
    for line in listing.splitlines():
        match = re.match(r"\s*([\d,]+) \([ \d.]+%\)\s+\S*?:(.*?)( \[|$)", line)
        if match:
            counts[match[2]] = counts.get(match[2], 0) + int(match[1].replace(",", ""))
    return total, counts


def count(program, topic, size):
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "out")
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}", "--toggle-collect=*AskAll*",
             program, *topic, size], check=True, capture_output=True, text=True)
        queries = int(run.stdout.split()[0])
        total, counts = inclusive(path)
    shares = {stage: sum(n for name, n in counts.items() if any(begin in name for begin in begins)) / total
              for stage, begins in STAGES.items()}
    return total / queries, shares


def main():
    optional_programs.require("valgrind")
    program = sys.argv[1]
    cells = [(topic, size) for topic in TOPICS for size in SIZES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(cells, pool.map(lambda cell: count(program, *cell), cells)))
    print("| instructions a query | " + " | ".join(SIZES) + " |")
    print("|---" * (1 + len(SIZES)) + "|")
    for topic in TOPICS:
        totals = " | ".join(f"{results[topic, size][0]:,.0f}" for size in SIZES)
        print(f"| {topic[0].replace('_', ' ')}, {topic[1]} | {totals} |")
    print("\n| spent on | " + " | ".join(STAGES) + " | the rest |")
    print("|---" * (2 + len(STAGES)) + "|")
    for topic in TOPICS:
        shares = results[topic, "box"][1]
        rest = 1 - sum(shares.values())
        row = " | ".join(f"{shares[stage]:.0%}" for stage in STAGES)
        print(f"| {topic[0].replace('_', ' ')}, {topic[1]}, box | {row} | {rest:.0%} |")


if __name__ == "__main__":
    main()
