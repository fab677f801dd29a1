#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets and prints how many executions each had.

usage: fuzz.py [SECONDS | --short | --full] [TARGET…]

SECONDS   each target for so long (default 60), from the seeds and all inputs found before
--short   each target 5,000 times: the same executions each time
--full    a hundred million executions of all targets together; called again with the same build it
          goes on where it was stopped

A target that finds something does not stop the others. What it found is in build/fuzz/NAME-*.
"""

from __future__ import annotations

import collections
import concurrent.futures
import dataclasses
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import runner  # noqa: E402

BUILD = runner.ROOT / "build"
OUTPUT = BUILD / "fuzz"
BOOKS = OUTPUT / "full"
SHORT_RUNS = 5_000

# Executions in the full form. In a second of processor time parsers make 5,000 (transfer_file_fuzz) to
# 55,000 (token_file_fuzz), targets that solve, serve or have files 450 (session_sequence_fuzz) to 3,700.
FULL_RUNS = 100_000_000
SHARES = collections.defaultdict(
    lambda: 300_000,
    token_file_fuzz=32_000_000,
    stored_body_fuzz=22_000_000,
    object_count_fuzz=20_000_000,
    policy_fuzz=12_000_000,
    mesh_file_fuzz=10_000_000,
    scene_change_fuzz=4_000_000,
    etcd_value_fuzz=2_000_000,
    call_text_fuzz=2_000_000,
    session_request_fuzz=1_000_000,
    hull_fuzz=1_000_000,
    depth_fuzz=1_000_000,
    time_of_collision_fuzz=1_000_000,
    session_sequence_fuzz=400_000,
    unary_request_fuzz=200_000,
    store_file_fuzz=200_000,
    config_fuzz=100_000,
)


@dataclasses.dataclass
class Outcome:
    name: str
    has_found: bool = False
    executions: int = 0
    said: list[str] = dataclasses.field(default_factory=list)

    def add(self, status: int, log: pathlib.Path) -> None:
        """Takes in one process of the target by what it wrote."""
        text = log.read_text(errors="replace")
        self.has_found |= status != 0
        self.executions += sum(map(int, re.findall(r"^stat::number_of_executed_units: *(\d+)", text, re.MULTILINE)))
        self.said += [line for line in text.splitlines() if not re.match(r'#|"|INFO|stat::|Done', line)]


class Fuzzer:
    """Runs targets of one build tree; logs and passing corpora are in `scratch`."""

    def __init__(self, preset: str, scratch: pathlib.Path) -> None:
        self._folder = BUILD / preset / "tests/fuzz"
        self._scratch = scratch
        self._environment = os.environ | {"ASAN_SYMBOLIZER_PATH": "/usr/bin/llvm-symbolizer-14"}

    def for_seconds(self, name: str, seconds: int) -> Outcome:
        runner.say(f"fuzzing {name} for {seconds} s")
        corpus = OUTPUT / "corpus" / name
        corpus.mkdir(parents=True, exist_ok=True)
        outcome = Outcome(name)
        self._on_all_cores(outcome, corpus, f"-max_total_time={seconds}")
        return outcome

    def again(self, name: str) -> Outcome:
        corpus = pathlib.Path(tempfile.mkdtemp(dir=self._scratch))
        # Addresses that are compared become parts of inputs, so they are kept the same if that is allowed.
        still = ["setarch", "--addr-no-randomize"]
        if subprocess.run([*still, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            still = []
        outcome = Outcome(name)
        process, log = self._start(name, corpus, "-seed=1", f"-runs={SHORT_RUNS}", before=still)
        outcome.add(process.wait(), log)
        return outcome

    def in_full(self, name: str) -> Outcome:
        """In rounds, each of which is entered in the target's book once it is through."""
        book = Book(name, self._folder / name)
        outcome = Outcome(name, has_found=book.has_found)
        if book.has_found:
            outcome.said.append(f"{name}: found before, with the same build")
        while book.left > 0 and not outcome.has_found:
            runner.say(f"fuzzing {name}: {book.next_round} of the {book.left} executions that are left")
            part = Outcome(name)
            with tempfile.TemporaryDirectory(dir=self._scratch) as corpus:
                runs = -(-book.next_round // (os.cpu_count() or 1))
                self._on_all_cores(part, pathlib.Path(corpus), f"-runs={runs}")
            book.enter(part)
            outcome.has_found, outcome.said = part.has_found, part.said
        outcome.executions = book.executed
        return outcome

    def _on_all_cores(self, outcome: Outcome, corpus: pathlib.Path, *options: str) -> None:
        """One process a processor; they share the inputs that they find."""
        cores = range(os.cpu_count() or 1)
        for process, log in [self._start(outcome.name, corpus, "-reload=10", *options) for _ in cores]:
            outcome.add(process.wait(), log)

    def _start(
        self, name: str, corpus: pathlib.Path, *options: str, before: list[str] | None = None
    ) -> tuple[subprocess.Popen[bytes], pathlib.Path]:
        # Without entropic scheduling, whose bookkeeping would cost three quarters of the time.
        command = [*(before or []), str(self._folder / name), "-entropic=0", "-timeout=60", "-rss_limit_mb=4096"]
        command += ["-print_final_stats=1", *options, f"-artifact_prefix={OUTPUT / name}-"]
        command += [str(corpus), str(runner.ROOT / "tests/fuzz/seeds" / name)]
        handle, path = tempfile.mkstemp(prefix=f"{name}.", dir=self._scratch)
        with os.fdopen(handle, "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=self._environment)
        return process, pathlib.Path(path)


class Book:
    """What a target was fuzzed with in the full form: a line `BUILD EXECUTIONS [found]` for each round."""

    def __init__(self, name: str, program: pathlib.Path) -> None:
        self._path = BOOKS / name
        self._build = hashlib.sha256(program.read_bytes()).hexdigest()[:16]
        self._share = SHARES[name]
        # A corpus that grows tends to inputs that are slow: a time of collision takes twice as long after
        # 30,000 executions, ten times after 100,000.
        self._round = 20_000 if name == "time_of_collision_fuzz" else max(self._share // 10, 100_000)
        BOOKS.mkdir(parents=True, exist_ok=True)
        self._path.touch()

    def _lines(self) -> list[list[str]]:
        lines = [line.split() for line in self._path.read_text().splitlines()]
        return [line for line in lines if line[0] == self._build]

    @property
    def has_found(self) -> bool:
        return any(line[2:] == ["found"] for line in self._lines())

    @property
    def executed(self) -> int:
        return sum(int(line[1]) for line in self._lines())

    @property
    def left(self) -> int:
        return self._share - self.executed

    @property
    def next_round(self) -> int:
        return min(self._round, self.left)

    def enter(self, part: Outcome) -> None:
        with self._path.open("a") as book:
            book.write(f"{self._build} {part.executions}{' found' if part.has_found else ''}\n")


def all_targets() -> list[str]:
    text = (runner.ROOT / "tests/fuzz/CMakeLists.txt").read_text()
    return re.findall(r"^clearance_fuzz\((\w+) ", text, re.MULTILINE)


def parse():
    parser = runner.Parser(__doc__)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--short", action="store_true")
    length.add_argument("--full", action="store_true")
    parser.add_argument("names", nargs="*", metavar="[SECONDS] TARGET")
    arguments = parser.parse_args()
    arguments.seconds = 60
    if arguments.names and arguments.names[0].isdecimal():
        if arguments.short or arguments.full:
            parser.error(f"SECONDS ({arguments.names[0]}) cannot be given with --short or --full")
        arguments.seconds = int(arguments.names.pop(0))
    runner.check("fuzz target", arguments.names, all_targets())
    arguments.names = arguments.names or all_targets()
    return arguments


def fuzz(arguments, fuzzer: Fuzzer) -> list[Outcome]:
    if arguments.short:
        runner.say(f"fuzzing each target {SHORT_RUNS} times, from the seeds and the same random numbers")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(fuzzer.again, arguments.names))
    if arguments.full:
        return [fuzzer.in_full(name) for name in arguments.names]
    return [fuzzer.for_seconds(name, arguments.seconds) for name in arguments.names]


def print_table(outcomes: list[Outcome]) -> None:
    runner.say("executions")
    for outcome in outcomes:
        verdict = "FOUND SOMETHING" if outcome.has_found else "nothing found"
        print(f"{outcome.name:28} {outcome.executions:12}  {verdict}")
    print(f"{'together':28} {sum(outcome.executions for outcome in outcomes):12}")


def is_whole(outcomes: list[Outcome]) -> bool:
    """Whether each target had its share and, if these are all targets, their shares are enough."""
    is_enough = len(outcomes) < len(all_targets()) or sum(SHARES[o.name] for o in outcomes) >= FULL_RUNS
    return is_enough and all(outcome.executions >= SHARES[outcome.name] for outcome in outcomes)


def main() -> None:
    arguments = parse()
    # The short form takes what the sanitizers' tests are built with; the others need speed.
    preset = "asan-ubsan" if arguments.short else "fuzz"
    if arguments.targets:
        print(preset, *arguments.names)
        return
    OUTPUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        outcomes = fuzz(arguments, Fuzzer(preset, pathlib.Path(scratch)))
    found = [outcome for outcome in outcomes if outcome.has_found]
    for outcome in found:
        print("\n".join(outcome.said))
    print_table(outcomes)
    if found:
        names = " ".join(outcome.name for outcome in found)
        runner.fail(f"found something in: {names} (inputs: build/fuzz/NAME-crash-… and the like)")
    if arguments.full and not is_whole(outcomes):
        runner.fail("fewer executions than the shares of the targets")


if __name__ == "__main__":
    main()
