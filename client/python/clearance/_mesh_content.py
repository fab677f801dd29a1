# SPDX-License-Identifier: Apache-2.0
"""The content of mesh files: points, and faces that name them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from clearance._mesh_text import Fault

FEWEST_CORNERS = 3


@dataclass
class Faces:
    """Polygons, one after another. `places` are the lines or bytes where they begin."""

    corners: np.ndarray  # points, by their place in the file
    counts: np.ndarray  # corners of each face
    places: np.ndarray
    parts: np.ndarray  # of each face, its part's place among the names
    names: list[str]

    @staticmethod
    def uniform(corners: np.ndarray, places: np.ndarray) -> Faces:
        """Makes faces of one part, with as many corners as each row has."""
        count, width = corners.shape
        return Faces(
            corners.reshape(-1), np.full(count, width), places, np.zeros(count, np.int64), [""]
        )

    def require_points(self, count: int, *, word: str, first: int) -> None:
        """A Fault names the first face of a point that is not there. Points count from `first`."""
        is_outside = (self.corners < 0) | (self.corners >= count)
        if not is_outside.any():
            return
        bad = int(np.argmax(is_outside))
        face = int(np.searchsorted(np.cumsum(self.counts), bad, "right"))
        named = int(self.corners[bad]) + first
        raise no_such_point(f"{word} {self.places[face]}", named, count, first)

    def triangles(self) -> tuple[np.ndarray, np.ndarray]:
        """The (n, 3) fans of the faces from their first corners, and the part of each."""
        begins = np.cumsum(self.counts) - self.counts
        fans = self.counts - 2
        face = np.repeat(np.arange(len(self.counts)), fans)
        step = np.arange(len(face)) - np.repeat(np.cumsum(fans) - fans, fans)
        second = begins[face] + step + 1
        corners = self.corners[np.stack([begins[face], second, second + 1], axis=-1)]
        return corners.reshape(-1, 3), self.parts[face]


@dataclass
class FaceList:
    """Faces as a text has them, line by line."""

    corners: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    def add(self, corners: list[int], place: int) -> None:
        if len(corners) < FEWEST_CORNERS:
            raise too_few_corners(f"line {place}", len(corners))
        self.corners += corners
        self.counts.append(len(corners))
        self.places.append(place)

    def faces(self) -> Faces:
        corners, counts, places = (
            np.array(column, np.int64) for column in (self.corners, self.counts, self.places)
        )
        return Faces(corners, counts, places, np.zeros(len(counts), np.int64), [""])


@dataclass
class Content:
    """Points (n, 3) and faces of one file."""

    points: np.ndarray
    faces: Faces


def no_such_point(place: str, named: int, count: int, first: int) -> Fault:
    there = f"there are {count}, counted from {first}"
    return Fault(f"{place}: a face names point {named}: {there}")


def too_few_corners(place: str, count: int) -> Fault:
    return Fault(f"{place}: a face has {count} corners: must be at least {FEWEST_CORNERS}")


def as_points(rows: list[list[float]]) -> np.ndarray:
    return np.array(rows, float).reshape(-1, 3)
