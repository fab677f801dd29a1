#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation check of the core: does a test notice when an operator or a constant is changed?

usage: mutate.py [--count N] [--seed S] [--files GLOB ...]

Works on a copy of the sources under build/mutation. Each mutant changes one token of one file, is compiled, and the
tests of the core are run until one fails. Where none does, the golden digests tell whether any answer's bits have
changed: printed as BITS ONLY if so, as ALIVE if not, with its place. (Much of what is alive is no fault: another road
to the same answer is taken, or a bound is wider than it needs to be.) A mutant that does not compile is not counted.
Exits with 1 if fewer than --floor percent were noticed, the digests among the tests.
"""

import argparse
import collections
import glob
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

FILES = [
    "core/narrow/simplex.h",
    "core/narrow/gjk.cc",
    "core/narrow/core_distance.cc",
    "core/narrow/origin_certificate.cc",
    "core/narrow/closest_features.cc",
    "core/narrow/penetration.cc",
    "core/narrow/expanding_polytope.cc",
]
TARGETS = ["core_narrow_test", "core_query_test", "depth_property_test", "distance_property_test",
           "intersection_property_test", "regression_property_test", "warm_start_property_test", "golden_digest"]
GOLDEN_BLOCKS = "8"
# Each token and what it becomes. Spaces keep templates, includes and pointers out.
CHANGES = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" < ", " > "), (r" > ", " < "), (r" == ", " != "), (r" != ", " == "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "),
    (r" && ", " || "), (r" \|\| ", " && "), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"\b0\b", "1"), (r"\b1\b", "2"), (r"\b2\b", "3"), (r"\bfmin\b", "fmax"), (r"\bfmax\b", "fmin"),
    (r"return false;", "return true;"), (r"return true;", "return false;"),
    (r"(?<=[(= ])-(?=[A-Za-z(])", "+"),
]


def code_lines(text):
    """Numbers and texts of lines that hold statements; without comments, includes and templates' heads."""
    for number, line in enumerate(text.split("\n")):
        bare = line.split("//")[0]
        if not bare.strip() or bare.lstrip().startswith(("#", "template", "extern", "namespace", "using")):
            continue
        yield number, bare


def mutants_of(path, text):
    for number, bare in code_lines(text):
        for pattern, replacement in CHANGES:
            for match in re.finditer(pattern, bare):
                yield path, number, match.start(), match.end(), replacement


def run(command, directory, timeout=600):
    # A session of its own, so that what hangs can be ended with all its children.
    process = subprocess.Popen(command, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        return process.wait(timeout) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


def build(copy):
    return run(["cmake", "--build", "build/release", "-j", str(os.cpu_count()), "--target", *TARGETS], copy)


def tests_pass(copy, timeout):
    os.environ["CLEARANCE_EFFORT"] = "0.2"
    os.environ.setdefault("CLEARANCE_SEED", "1")
    return run(["ctest", "--test-dir", "build/release", "-j", str(os.cpu_count()), "--stop-on-failure",
                "-R", "^(core.narrow|core.query|Property)", "-E", "ellipsoids|NOT_BUILT"], copy, timeout)


def bits_are_equal(copy, timeout):
    return run(["tests/golden/check.sh", "build/release/tests/golden/golden_digest", GOLDEN_BLOCKS,
                "--threads", str(os.cpu_count())], copy, timeout)


def apply(text, mutant):
    _, number, start, end, replacement = mutant
    lines = text.split("\n")
    lines[number] = lines[number][:start] + replacement + lines[number][end:]
    return "\n".join(lines)


def describe(mutant, text):
    path, number, start, end, replacement = mutant
    line = text.split("\n")[number]
    return f"{path}:{number + 1}: {line.strip()}   [{line[start:end].strip()} -> {replacement.strip()}]"


def prepare(root):
    # The copies are new files: an object of an earlier run's last mutant may be newer than the original.
    copy = os.path.join(root, "build", "mutation")
    os.makedirs(copy, exist_ok=True)
    for name in ["core", "proto", "server", "client", "tests", "docker", "CMakeLists.txt", "CMakePresets.json"]:
        source, target = os.path.join(root, name), os.path.join(copy, name)
        if os.path.isdir(source):
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target, copy_function=shutil.copy)
        else:
            shutil.copy(source, target)
    if not run(["cmake", "--preset", "release"], copy) or not build(copy):
        sys.exit("mutate: the unchanged copy does not build")
    start = time.monotonic()
    if not tests_pass(copy, 600) or not bits_are_equal(copy, 600):
        sys.exit("mutate: the unchanged copy does not pass its tests")
    return copy, 60 + 4 * (time.monotonic() - start)  # what takes longer hangs


def verdict_of(copy, timeout):
    if not build(copy):
        return "not compiled"
    if not tests_pass(copy, timeout):
        return "noticed"
    return "ALIVE" if bits_are_equal(copy, timeout) else "BITS ONLY"


def judge(copy, timeout, mutant, text):
    path = os.path.join(copy, mutant[0])
    with open(path, "w", encoding="utf-8") as file:
        file.write(apply(text, mutant))
    verdict = verdict_of(copy, timeout)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return verdict


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--floor", type=float, default=0)
    parser.add_argument("--files", nargs="*", default=FILES)
    arguments = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    files = [name for pattern in arguments.files for name in glob.glob(pattern, root_dir=root)]
    texts = {name: open(os.path.join(root, name), encoding="utf-8").read() for name in files}
    mutants = [mutant for name in files for mutant in mutants_of(name, texts[name])]
    chosen = random.Random(arguments.seed).sample(mutants, min(arguments.count, len(mutants)))
    copy, timeout = prepare(root)
    count = collections.Counter()
    for mutant in chosen:
        verdict = judge(copy, timeout, mutant, texts[mutant[0]])
        count[verdict] += 1
        if verdict in ("ALIVE", "BITS ONLY"):
            print(verdict, describe(mutant, texts[mutant[0]]), flush=True)
    counted = max(sum(count.values()) - count["not compiled"], 1)
    score = 100 * (counted - count["ALIVE"]) / counted
    print(f"{count['noticed']} of {counted} mutants noticed, {count['BITS ONLY']} more by the golden digests alone, "
          f"{count['ALIVE']} alive: {score:.0f} %; seed {arguments.seed}, {len(mutants)} possible")
    sys.exit(score < arguments.floor)


if __name__ == "__main__":
    main()
