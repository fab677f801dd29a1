# SPDX-License-Identifier: Apache-2.0
"""Reads the same bytes by the Python client and by the C++ client."""

from __future__ import annotations

import io
import os
import resource
import subprocess
import warnings
from dataclasses import dataclass
from typing import Callable

import clearance
import numpy as np
from clearance import meshes
from clearance._convexity import hollow_of

MESH_READER = os.environ["CLEARANCE_MESH_READER"]


@dataclass(frozen=True)
class Sample:
    """A mesh file: a name for messages, its extension and its bytes."""

    name: str
    extension: str
    content: bytes


@dataclass(frozen=True)
class Reading:
    """A client's reading: a reason for its refusal, or points and triangles, bit for bit."""

    refusal: str = ""
    points: bytes = b""
    triangles: tuple[bytes, ...] = ()  # of each part
    warning: str = ""

    @property
    def vertices(self) -> np.ndarray:
        return np.frombuffer(self.points).reshape(-1, 3)

    @property
    def radius(self) -> float:
        return float(np.linalg.norm(self.vertices, axis=1).max())


def read_in_python(sample: Sample) -> Reading:
    try:
        mesh = meshes.parse_mesh(sample.content, sample.extension)
    except clearance.errors.InvalidArgument as error:
        return Reading(refusal=error.message)
    triangles = tuple(part.triangles.astype("<u4").tobytes() for part in mesh.parts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # numpy's, of what is not finite
        warning = hollow_of(mesh.vertices, mesh.triangles) or ""
    return Reading("", mesh.vertices.tobytes(), triangles, warning)


def read_in_cpp(samples: list[Sample], most_memory: int | None = None) -> list[Reading]:
    """Reads the samples in one process, which has no more memory than so many bytes."""
    told = b"".join(
        f"{s.extension} {len(s.content)}\n".encode() + s.content for s in samples
    )

    def limit() -> None:
        if most_memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (most_memory, most_memory))

    run = subprocess.run([MESH_READER], input=told, capture_output=True, preexec_fn=limit)
    if run.returncode != 0:
        raise AssertionError(f"the reader ended with {run.returncode}: {run.stderr!r}")
    answers = io.BytesIO(run.stdout)
    return [_take_reading(answers) for _ in samples]


def _take_reading(answers: io.BytesIO) -> Reading:
    word, _, rest = answers.readline().decode().rstrip("\n").partition(" ")
    if word == "refused":
        answers.readline()
        return Reading(refusal=rest)
    assert word == "mesh", word
    points, parts = map(int, rest.split())
    found = answers.read(24 * points)
    triangles = tuple(_take_part(answers.readline, answers.read) for _ in range(parts))
    return Reading("", found, triangles, answers.readline().decode().rstrip("\n"))


def _take_part(readline: Callable[[], bytes], read: Callable[[int], bytes]) -> bytes:
    word, count = readline().split()
    assert word == b"part", word
    return read(12 * int(count))
