#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Queries a second of the Python package beside the C++ client.

Both run in one run, in turns, against the same server: 64-vertex hulls in near pairs, points and
normals in the reply, 4096 rows a message. The server has one core and both clients have another, so
that neither rate depends on the placing of threads.

    client_rate.py SERVER CLIENT_RATE [--rounds N] [--messages N] [--least SHARE]

Every answer of either client must have the same bits. Ends with status 1 if they differ or if the
Python package has less than SHARE of the C++ client's rate. Needs `clearance` to be importable.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import clearance
from clearance import poses

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration/python"))
from server import Server  # noqa: E402

POINTS = 64
ROWS = 4096
IN_FLIGHT = 8
COLUMNS = ("distances", "points_a", "points_b", "normals")


def questions() -> tuple[np.ndarray, np.ndarray]:
    """Returns two hulls of points of a ball of radius 0.5, and poses that leave a few per cent
    between."""
    random = np.random.default_rng(1)
    hulls = random.normal(size=(2, POINTS, 3))
    hulls *= 0.5 / np.linalg.norm(hulls, axis=-1, keepdims=True)
    directions, quaternions = random.normal(size=(ROWS, 3)), random.normal(size=(ROWS, 4))
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    quaternions /= np.linalg.norm(quaternions, axis=-1, keepdims=True)
    return hulls, poses.pose(directions * random.uniform(1.0, 1.1, (ROWS, 1)), quaternions)


def python_rate(address: str, hulls: np.ndarray, where: np.ndarray, messages: int):
    detail = (
        clearance.DistanceDetail.DEFAULT
        | clearance.DistanceDetail.POINTS
        | clearance.DistanceDetail.NORMALS
    )
    batch = clearance.batches.DistanceBatch(poses_b=where, detail=detail)
    with clearance.connect(address) as client, client.open_session(reopen=False) as session:
        for slot, hull in enumerate(hulls):
            session.open(slot, clearance.Hull(hull))
        expected = session.ask(batch)
        start = time.perf_counter()
        for answer in session.ask_all((batch for _ in range(messages)), window=IN_FLIGHT):
            for name in COLUMNS:
                if not np.array_equal(getattr(answer, name), getattr(expected, name)):
                    sys.exit("client_rate: answers differ")
        seconds = time.perf_counter() - start
    return messages * ROWS / seconds, b"".join(getattr(expected, n).tobytes() for n in COLUMNS)


def start_apart(program: str) -> Server:
    """Starts a server on the first core; this process, and what it starts later, has the second."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        print("one core alone: nobody is pinned")
        return Server(command=[program])
    # A process that is started has the cores of the one that starts it, and so has each of its threads.
    os.sched_setaffinity(0, {cores[0]})
    server = Server(command=[program])
    os.sched_setaffinity(0, {cores[1]})
    print(f"clients pinned: the server to core {cores[0]}, both clients to core {cores[1]}")
    return server


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server")
    parser.add_argument("client_rate")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--least", type=float, default=0.6)
    arguments = parser.parse_args()
    server = start_apart(arguments.server)
    try:
        with tempfile.TemporaryDirectory() as folder:
            return measure(server.address, pathlib.Path(folder), arguments)
    finally:
        server.end()


def measure(address: str, folder: pathlib.Path, arguments: argparse.Namespace) -> int:
    hulls, where = questions()
    question, answer = folder / "question", folder / "answer"
    question.write_bytes(hulls.tobytes() + where.tobytes())
    numbers = [str(n) for n in (POINTS, arguments.messages, IN_FLIGHT)]
    rates: dict[str, list[float]] = {"C++": [], "Python": []}
    for _ in range(arguments.rounds):
        command = [arguments.client_rate, address, str(question), str(answer), *numbers]
        rates["C++"].append(float(subprocess.run(command, capture_output=True, check=True).stdout))
        rate, columns = python_rate(address, hulls, where, arguments.messages)
        rates["Python"].append(rate)
        if columns != answer.read_bytes():
            sys.exit("client_rate: the clients' answers differ")
    distances = np.frombuffer(columns, count=ROWS)
    print(f"{ROWS} rows, {np.mean((distances > 0) & (distances < 0.2)):.0%} within 0.2 m apart")
    for name, found in rates.items():
        print(
            f"{name:8} {statistics.median(found):12,.0f} queries/s  ({min(found):,.0f} to {max(found):,.0f})"
        )
    share = statistics.median(rates["Python"]) / statistics.median(rates["C++"])
    print(f"Python has {share:.0%} of the C++ client's rate")
    return 0 if share >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
