#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a load needs of servers: processor time, wire, sessions, connections and memory, and which of them runs
out first; and what registrations need of etcd. Prints the first table of scale.md; `scale.py --etcd` the one of
etcd, `scale.py --constants` what it reckons with. Where each constant was measured stands beside it."""

from __future__ import annotations

import dataclasses
import math
import sys


@dataclasses.dataclass(frozen=True)
class Constant:
    value: float
    unit: str
    what: str
    said: str  # where it was measured, word for word
    where: str = "tests/bench/README.md"


# Of rows that travel alone what is not the row's is the message's.
MESSAGE = Constant(10.3, "us", "a message of a session, without its rows", "| 1 | 10,792 ns |")
ROW = Constant(0.114, "us", "a row, beside what the core takes for it", "| 4096 | 524 ns |")
PAIR = Constant(1.048, "us", "a pair of hulls of 64 vertices, near", "| server, 1024 rows a message | 589 | 821 | 1,162 |")
ARM = Constant(3.0, "us", "a configuration of an arm among obstacles", "One of 14,000 configurations of a Panda")
MOVE = Constant(6.7, "us", "a move of a player through a level", "the move of a player takes 6 to 7 us in the mean")
SESSION = Constant(29e3, "bytes", "an idle session", "29 kB a session")
BEGIN = Constant(21e6, "bytes", "a server without anything", "21 MB to begin with")
VERTEX = Constant(200, "bytes", "a vertex of a registered hull", "200 bytes a vertex")

# 31 MB of which 21 are there to begin with, for 2,000 of them.
CONNECTION = Constant(
    5e3,
    "bytes",
    "a connection without a call",
    "2,000 connections without a call took 31 MB",
    "server/guide/cut_connections.md",
)
# Of etcd. The simulation counts what it sends; the time is of the disk on which it was measured.
EVENT = Constant(5.85e3, "bytes", "what etcd sends each replica of a hull of 64 vertices", "kBytesOfEvent = 5.85e3", "tests/fleet/simulation.cc")
COMMIT = Constant(0.6, "ms", "a put of etcd with fsync", "a put with fsync took 0.6 ms here", "docker/scale.md")
LOOK = Constant(1.0, "reads/s", "of etcd by a replica that is asked nothing", "kQuestionInterval{1000}", "server/storage/shared_registry.cc")

# One replica: what docker/kubernetes/overlays/fleet asks for, and how much of it is used before there must be more.
CORES = 4
MEMORY = 4 * 2**30 / 2  # bytes, the other half is for messages on their way
WIRE = 10e9 / 8  # bytes a second, the network's
SESSIONS = 1024  # max_sessions
CONNECTIONS = 4096  # max_connections
USED = 0.7


@dataclasses.dataclass(frozen=True)
class Load:
    name: str
    sessions: int
    messages: float  # a second, of each session
    rows: int  # of a message
    core: Constant  # of a row
    bytes_in: int  # of a row
    bytes_out: int


# A pose is 56 bytes, a displacement 24; a reply's row has a state and what was asked for.
LOADS = (
    Load("10 robots, each plans: 200 messages of 50 configurations of 7 links", 10, 200, 50, ARM, 392, 17),
    Load("1,000 robots, one in five plans like that", 1000, 40, 50, ARM, 392, 17),
    Load("1,000 robots watch 21 pairs, 100 times a second", 1000, 100, 21, PAIR, 112, 25),
    Load("200 players of one match, 60 ticks a second", 1, 60, 200, MOVE, 80, 65),
    Load("100,000 players in matches of 200", 500, 60, 200, MOVE, 80, 65),
    Load("100,000 players, each with a session of his own", 100_000, 60, 1, MOVE, 80, 65),
    Load("100,000 devices that ask of one pair a second", 100_000, 1, 1, PAIR, 112, 25),
)


@dataclasses.dataclass(frozen=True)
class Need:
    cores: float
    gigabits: float
    connections: int  # of each replica, as each client has one to every replica
    replicas: dict[str, int]  # by what may run out

    @property
    def binding(self) -> str:
        return max(self.replicas, key=lambda what: self.replicas[what])

    @property
    def needs_balancers(self) -> bool:
        """More replicas take no connection away."""
        return self.connections > USED * CONNECTIONS


def need(load: Load) -> Need:
    messages = load.sessions * load.messages
    cores = messages * (MESSAGE.value + load.rows * (ROW.value + load.core.value)) * 1e-6
    # Frames and tags: some 60 bytes a message each way.
    wire = messages * (120 + load.rows * (load.bytes_in + load.bytes_out))
    # Beyond what a replica takes balancers have the connections.
    connections = min(load.sessions, CONNECTIONS) * CONNECTION.value
    memory = load.sessions * SESSION.value / (MEMORY - BEGIN.value - connections)
    return Need(
        cores,
        wire * 8e-9,
        load.sessions,
        {
            "processors": math.ceil(cores / (USED * CORES)),
            "network": math.ceil(wire / (USED * WIRE)),
            "sessions": math.ceil(load.sessions / (USED * SESSIONS)),
            "memory": math.ceil(memory / USED),
        },
    )


def table() -> str:
    lines = [
        "| load | rows/s | processors | Gbit/s | sessions | connections of each replica | replicas | what binds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for load in LOADS:
        needed = need(load)
        rows = load.sessions * load.messages * load.rows
        replicas = needed.replicas[needed.binding]
        connections = "balancers" if needed.needs_balancers else f"{needed.connections:,}"
        lines.append(
            f"| {load.name} | {rows:,.0f} | {needed.cores:.1f} | {needed.gigabits:.2f} | "
            f"{load.sessions:,} | {connections} | {replicas} | {needed.binding} |"
        )
    return "\n".join(lines) + "\n"


# Registrations a second, each a call and a commit of its own, and replicas.
REGISTRATIONS = ((1, 3), (100, 3), (100, 20), (1000, 20))


@dataclasses.dataclass(frozen=True)
class EtcdNeed:
    busy: float  # of the time, with commits one after another
    megabytes: float  # a second that etcd sends
    reads: float  # a second, of replicas that are asked for no names


def etcd_need(registrations: float, replicas: int) -> EtcdNeed:
    return EtcdNeed(
        registrations * COMMIT.value * 1e-3,
        registrations * replicas * EVENT.value * 1e-6,
        replicas * LOOK.value,
    )


def etcd_table() -> str:
    lines = [
        "| hulls registered a second | replicas | etcd busy with commits | etcd sends | reads without a question |",
        "|---|---|---|---|---|",
    ]
    for registrations, replicas in REGISTRATIONS:
        needed = etcd_need(registrations, replicas)
        lines.append(
            f"| {registrations:,} | {replicas} | {needed.busy:.2%} | {needed.megabytes:.2f} MB/s | {needed.reads:.0f}/s |"
        )
    return "\n".join(lines) + "\n"


def constants() -> str:
    lines = ["| constant | |", "|---|---|"]
    for constant in (MESSAGE, ROW, PAIR, ARM, MOVE, SESSION, BEGIN, VERTEX, CONNECTION, EVENT, COMMIT, LOOK):
        lines.append(f"| {constant.what} | {constant.value:,.16g} {constant.unit} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    asked = sys.argv[1:]
    print(constants() if "--constants" in asked else etcd_table() if "--etcd" in asked else table(), end="")
