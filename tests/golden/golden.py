#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the digests of a million answers across compilers, optimization levels and processors.

usage: golden.py [--short | --save]

--short   only the shipped build, as it is and without AVX2 and FMA: seconds
--save    renews tests/golden/digests by the shipped build first
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import runner  # noqa: E402

THREADS = ["--threads", str(os.cpu_count())]


@dataclasses.dataclass
class Case:
    title: str
    preset: str
    blocks: int
    options: list[str] = dataclasses.field(default_factory=list)
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    needs_fma: bool = False


WITHOUT_AVX2 = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX512F,-FMA,-FMA4"}
EMULATED = {"GOLDEN_RUNNER": "qemu-x86_64 -cpu Westmere"}
CASES = [
    Case("what is shipped", "release", 40, THREADS),
    Case("without AVX2, AVX-512 and FMA in the C library", "release", 4, environment=WITHOUT_AVX2),
    # The scenes alone take more than a minute there.
    Case("on an emulated Westmere", "release", 1, environment=EMULATED),
    Case("g++ -O0", "golden-gcc-o0", 4, THREADS),
    Case("clang -O2", "golden-clang", 40, [*THREADS, "--backwards"]),
    Case("g++ -O3 -march=x86-64-v3", "golden-gcc-v3", 10, THREADS, needs_fma=True),
    Case("clang -O3 -march=x86-64-v3", "golden-clang-v3", 10, THREADS, needs_fma=True),
]
SHORT_CASES = [dataclasses.replace(CASES[0], blocks=10), CASES[1]]


def has_fma() -> bool:
    return re.search(r"\bfma\b", pathlib.Path("/proc/cpuinfo").read_text()) is not None


def program_of(preset: str) -> str:
    return str(runner.ROOT / "build" / preset / "tests/golden/golden_digest")


def is_equal(case: Case) -> bool:
    runner.say(f"golden: {case.title}")
    command = [runner.ROOT / "tests/golden/check.sh", program_of(case.preset), str(case.blocks), *case.options]
    return runner.run(command, env={**os.environ, **case.environment}).returncode == 0


def save() -> None:
    digests = runner.ROOT / "tests/golden/digests"
    run = runner.run([program_of("release"), *THREADS], stdout=subprocess.PIPE, text=True, check=True)
    digests.write_text(run.stdout)
    runner.say("saved as tests/golden/digests")


def main() -> None:
    parser = runner.Parser(__doc__)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--short", action="store_true")
    form.add_argument("--save", action="store_true")
    arguments = parser.parse_args()
    cases = SHORT_CASES if arguments.short else CASES
    run = [case for case in cases if has_fma() or not case.needs_fma]
    if arguments.targets:
        for preset in dict.fromkeys(case.preset for case in run):
            print(preset, "golden_digest")
        return
    if arguments.save:
        save()
    wrong = [case.title for case in run if not is_equal(case)]
    for case in cases:
        if case not in run:
            print(f"   SKIPPED: {case.title}: this processor has no FMA")
    if wrong:
        runner.fail(f"other bits: {'; '.join(wrong)}")
    runner.say("golden: the same bits everywhere")


if __name__ == "__main__":
    main()
