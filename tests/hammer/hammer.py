#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Injects faults of every kind, or of one, and prints a table of what was found.

usage: hammer.py [--short] [KIND] [FLAG…]        FLAG: of the program of KIND

A kind that finds something does not stop the others. The output of each is in build/hammer/KIND.log,
the table in build/hammer/results.txt.
"""

from __future__ import annotations

import dataclasses
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import runner  # noqa: E402

PROGRAMS = runner.ROOT / "build/verify/tests/hammer"
OUTPUT = runner.ROOT / "build/hammer"

# Times are judged in the full form only, which needs a machine to itself.
READY = ["--ready_within=1s", "--slowest_ready_within=1s"]


@dataclasses.dataclass
class Kind:
    program: str
    short: list[str]
    full: list[str]


def whole_server(kind: str, short: int, full: int) -> Kind:
    flags = [f"--kind={kind}"]
    return Kind("store_hammer", [*flags, f"--cycles={short}"], [*flags, *READY, f"--cycles={full}"])


def attacks(*flags: str) -> Kind:
    return Kind("attack", ["--seconds=3", *flags], ["--seconds=60", "--max_p99_ratio=3", *flags])


def faults(program: str, short: int, full: int) -> Kind:
    return Kind(program, [f"--faults={short}"], [*READY, f"--faults={full}"])


KINDS = {
    "store": Kind("store_faults", ["--stride=20", "--losses=1"], []),
    "allocation": Kind("allocation_faults", ["--rounds=20"], ["--rounds=200"]),
    "kill": Kind("store_hammer", ["--cycles=60"], [*READY, "--cycles=1000"]),
    "stop": whole_server("stop", 3, 20),
    "descriptors": whole_server("descriptors", 3, 20),
    "memory": whole_server("memory", 5, 100),
    "disk": whole_server("disk", 3, 20),
    "network": faults("network_faults", 100, 1000),
    "packets": faults("packet_faults", 14, 150),
    "mutated": Kind("mutated_requests", ["--requests=20000"], ["--requests=1000000"]),
    "attack": attacks(),
    "proxy": attacks("--behind=haproxy", "--of_proxies"),
    "soak": Kind("wire_soak", ["--seconds=20"], ["--seconds=1800", "--max_slope=4096"]),
    # A minute and a half for each fault.
    "vanished": faults("vanished_peers", 1, 3),
}
# These judge memory and answers beside attacks; how long a restart took is no part of it.
NEVER_RESTARTED = ("attack", "proxy")


@dataclasses.dataclass
class Result:
    kind: str
    verdict: str
    faults: int = 0
    wrong: int = 0
    lost: int = 0
    slowest_ready_ms: int = 0

    def row(self) -> str:
        counts = f"{self.faults:8} {self.wrong:8} {self.lost:8}"
        return f"{self.kind:14} {counts} {f'{self.slowest_ready_ms} ms':>15}  {self.verdict}"


def hammer(name: str, is_short: bool, flags: list[str]) -> Result:
    runner.say(f"hammering: {name}")
    kind, path = KINDS[name], OUTPUT / f"{name}.log"
    command = [str(PROGRAMS / kind.program), *(kind.short if is_short else kind.full), *flags]
    with path.open("w") as log:
        status = runner.run(command, stdout=log).returncode
    result = Result(name, {0: "well", runner.SKIPPED: "skipped"}.get(status, "FOUND"))
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith("RESULT "):
            counts = map(int, line.split()[2:])
            result.faults, result.wrong, result.lost, result.slowest_ready_ms = counts
        else:
            print(line)
    return result


def table_of(results: list[Result]) -> str:
    columns = f"{'faults':>8} {'wrong':>8} {'lost':>8} {'slowest ready':>15}"
    together = Result("together", f"(slowest ready without {' and '.join(NEVER_RESTARTED)})")
    for result in results:
        together.faults += result.faults
        together.wrong += result.wrong
        together.lost += result.lost
        if result.kind not in NEVER_RESTARTED:
            together.slowest_ready_ms = max(together.slowest_ready_ms, result.slowest_ready_ms)
    rows = [result.row() for result in [*results, together]]
    return "\n".join([f"{'kind':14} {columns}", *rows]) + "\n"


def parse():
    parser = runner.Parser(__doc__)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("kind", nargs="?")
    arguments, arguments.flags = parser.parse_known_args()
    if arguments.kind:
        runner.check("kind of fault", [arguments.kind], KINDS)
        arguments.kinds = [arguments.kind]
    else:
        arguments.kinds = [name for name in KINDS if name != "vanished" or not arguments.short]
    return arguments


def main() -> int:
    arguments = parse()
    if arguments.targets:
        print("verify", *sorted({KINDS[name].program for name in arguments.kinds}))
        return 0
    OUTPUT.mkdir(parents=True, exist_ok=True)
    results = [hammer(name, arguments.short, arguments.flags) for name in arguments.kinds]
    table = table_of(results)
    (OUTPUT / "results.txt").write_text(table)
    runner.say("results, also in build/hammer/results.txt")
    print(table, end="")
    found = [result.kind for result in results if result.verdict == "FOUND"]
    if found:
        runner.fail(f"found something: {' '.join(found)} (build/hammer/KIND.log)")
    return runner.SKIPPED if all(result.verdict == "skipped" for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
