#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of one kind of measurement; each judges its answers.

usage: measure.py bench | peers | scenes [--short | --save]
       measure.py instructions | supports

--short   seconds; judges the answers only
--save    keeps the figures under tests/bench/results, and draws their plot
"""

from __future__ import annotations

import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import runner  # noqa: E402
import with_server  # noqa: E402

BUILD = runner.ROOT / "build/bench"
PROGRAMS = BUILD / "tests/bench"
RESULTS = runner.ROOT / "tests/bench/results"
DATA = pathlib.Path(os.environ.get("CLEARANCE_DATA", runner.ROOT / "../shared/data"))
PYTHON = "/usr/bin/python3"  # Debian's, because its packages of gRPC and numpy are those of this interpreter

TARGETS = {
    "bench": ["clearance_bench"],
    "peers": ["peer_bench", "headline_bench"],
    "scenes": ["scene_bench", "scene_service_bench", "world_bench", "arm_service_bench", "arm_motion_bench"]
    + ["game_authority", "clearance-server"],
    "instructions": ["core_cell"],
    "supports": ["support_count"],
}


class Run:
    """One call of this program: its flags, and where the figures go before they are saved."""

    def __init__(self, is_short: bool, is_saved: bool, scratch: str) -> None:
        self.is_short, self.is_saved = is_short, is_saved
        self.scratch = pathlib.Path(scratch)

    def csv(self, name: str) -> pathlib.Path:
        return self.scratch / f"{name}.csv"

    def program(self, title: str, path: str, name: str) -> None:
        """A program that writes the figures `name`, and knows --short."""
        runner.say(title)
        short = ["--short"] if self.is_short else []
        call([PROGRAMS / path, *short, f"--csv={self.csv(name)}"])

    def save(self, name: str, parts: Sequence[str]) -> None:
        """Joins the figures `parts`, which have the same head, under tests/bench/results."""
        join([self.csv(part) for part in parts], RESULTS / f"{name}.csv")
        runner.say(f"saved as tests/bench/results/{name}.csv")


def call(command: Sequence[str | pathlib.Path], **settings) -> str:
    """Returns what was captured of its output; ends everything if the command fails."""
    run = runner.run(command, **settings)
    if run.returncode != 0:
        runner.fail(f"{command[0]} ended with status {run.returncode}")
    return run.stdout


def write(path: pathlib.Path, command: Sequence[str | pathlib.Path]) -> None:
    path.write_text(call(command, stdout=subprocess.PIPE, text=True))
    runner.say(f"saved as {path.relative_to(runner.ROOT)}")


def join(parts: Sequence[pathlib.Path], whole: pathlib.Path) -> None:
    texts = [part.read_text().splitlines(keepends=True) for part in parts]
    whole.write_text("".join(texts[0] + [line for text in texts[1:] for line in text[1:]]))


def plot(program: str, name: str) -> None:
    write(RESULTS / f"{name}.svg", [runner.ROOT / "tests/bench" / program, RESULTS / f"{name}.csv"])


def machine() -> str:
    """The processor and the number of cores, as a file name."""
    told = subprocess.run(["lscpu"], capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"})
    model = re.search(r"^Model name: *(.*)", told.stdout, re.MULTILINE)
    name = re.sub(r"[^a-z0-9]+", "-", (model[1] if model else "unknown").lower()).strip("-")
    return f"{name}-{os.cpu_count()}-cores"


def bench(run: Run) -> None:
    run.program("the core, one thread", "core_bench", "core")
    run.program("scenes, one thread", "scene_bench", "scene")
    runner.say("the time between two looks at a deadline")
    call([PROGRAMS / "look_interval", *(["--questions=2", "--vertices=4096"] if run.is_short else [])])
    run.program("the server, beside a server that only moves the bytes", "load_bench", "load")
    runner.say("the server's memory")
    call([PROGRAMS / "memory_bench", f"--csv={run.csv('memory')}"])
    run.program("the store", "store_bench", "store")
    runner.say("the Python package beside the C++ client")
    short = ["--rounds=1", "--messages=2", "--least=0"] if run.is_short else []
    programs = [BUILD / "server/clearance-server", PROGRAMS / "client_rate"]
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "python/package")}
    call([PYTHON, runner.ROOT / "tests/bench/client_rate.py", *programs, *short], env=environment)
    if run.is_saved:
        run.save(machine(), ["core", "scene", "load", "memory", "store"])


def peers(run: Run) -> None:
    run.program("the core beside other libraries, one thread", "peers/peer_bench", "peers")
    run.program("the server beside Bullet in the client's process", "peers/headline_bench", "headline")
    if run.is_saved:
        run.save(f"{machine()}-peers", ["peers", "headline"])
        plot("plot_peers.py", f"{machine()}-peers")


def scenes(run: Run) -> None:
    run.program("scenes from 100 to 100,000 bodies", "scene_bench", "scenes")
    run.program("a scene of 100,000 bodies at a server", "scene_service_bench", "scene_service")
    run.program("worlds beside other libraries", "peers/world_bench", "worlds")
    beside = "an arm over the network beside FCL in the process"
    run.program(f"{beside}: configurations", "peers/arm_service_bench", "arm_service")
    run.program(f"{beside}: motions", "peers/arm_motion_bench", "arm_motions")
    runner.say("players of a game: the server on one core, the client on another")
    move_players(run)
    if not run.is_saved:
        return
    for name in ("scenes", "scene_service", "worlds", "arm_service", "arm_motions", "players"):
        # A measurement that was skipped has written nothing.
        if run.csv(name).exists() and run.csv(name).stat().st_size > 0:
            run.save(name, [name])
    plot("plot_scene_growth.py", "scenes")


def move_players(run: Run) -> None:
    """Moves players through each level that is there. game_authority fails if a verdict is not that
    of the reference."""
    client_core = "1" if (os.cpu_count() or 1) > 1 else "0"
    found = []
    server = ["taskset", "-c", "0", str(BUILD / "server/clearance-server")]
    with with_server.serving([*server, "--polling_threads=1", "--worker_threads=1"]) as game:
        for level in ("map_lq_e1m7", "map_lqdm9", "map_oa_dm2"):
            if not (DATA / level).is_dir():
                print(f"   SKIPPED: no data sets in ../shared/data ({DATA / level})")
                continue
            found.append(run.csv(level))
            call(
                ["taskset", "-c", client_core, BUILD / "client/game_authority", f"--address={game.address}"]
                + [f"--level={DATA / level}", "--baseline", f"--server_pid={game.pid}"]
                + [f"--csv={found[-1]}", f"--ticks={60 if run.is_short else 600}"]
            )
    if found:
        join(found, run.csv("players"))
        print_players(run.csv("players"))


def print_players(path: pathlib.Path) -> None:
    """Prints the promised figures: 12,000 moves a second, and 99 of 100 ticks answered within 5
    ms."""
    levels: dict[str, dict[str, float]] = {}
    with path.open() as file:
        for row in csv.DictReader(file):
            levels.setdefault(row["name"], {})[row["metric"]] = float(row["median"])
    heads = ("moves/s", "p50 ms", "p99 ms", "under 5 ms", "p99 / no bodies", "server core", "judged")
    widths = (9, 8, 8, 12, 15, 12, 10)
    print(f"\n{'level':16} " + " ".join(f"{head:>{width}}" for head, width in zip(heads, widths)))
    for level, values in levels.items():
        rate, p99 = values["moves_per_second"], values["moves_p99_ms"]
        cells = (
            f"{rate:.0f}",
            f"{values['moves_p50_ms']:.2f}",
            f"{p99:.2f}",
            "yes" if p99 < 5 else "no",
            f"{p99 / values['moves_in_empty_scene_p99_ms']:.1f}",
            f"{rate * values['server_cpu_us_per_move'] / 1e4:.0f} %",
            f"{100 * values['moves_with_reference'] / values['moves_asked']:.0f} %",
        )
        print(f"{level.split('/')[1]:16} " + " ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths)))


def instructions() -> None:
    call([runner.ROOT / "tests/bench/count_instructions.py", PROGRAMS / "core_cell"])


def supports() -> None:
    """Always the same numbers and the same picture: dot products are counted, not timed."""
    write(RESULTS / "support_count.csv", [PROGRAMS / "support_count"])
    plot("plot_support_count.py", "support_count")


MEASURED = {"bench": bench, "peers": peers, "scenes": scenes}
COUNTED = {"instructions": instructions, "supports": supports}


def parse():
    parser = runner.Parser(__doc__)
    parser.add_argument("word", choices=[*MEASURED, *COUNTED])
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--short", action="store_true")
    length.add_argument("--save", action="store_true")
    arguments = parser.parse_args()
    if arguments.word in COUNTED and (arguments.short or arguments.save):
        parser.error(f"{arguments.word} takes no flags")
    return arguments


def main() -> None:
    arguments = parse()
    if arguments.targets:
        print("bench", *TARGETS[arguments.word])
    elif arguments.word in COUNTED:
        COUNTED[arguments.word]()
    else:
        with tempfile.TemporaryDirectory() as scratch:
            MEASURED[arguments.word](Run(arguments.short, arguments.save, scratch))


if __name__ == "__main__":
    main()
