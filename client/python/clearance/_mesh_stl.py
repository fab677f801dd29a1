# SPDX-License-Identifier: Apache-2.0
"""STL, text and binary: triangles, each with the coordinates of its corners."""

from __future__ import annotations

import numpy as np

from clearance._mesh_content import Content, Faces, as_points
from clearance._mesh_text import Fault, Line, lines, quoted

_HEAD = 84  # bytes, with the count of triangles
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


class _Text:
    """Statement by statement: what must stand next is what tells that a file was cut."""

    def __init__(self) -> None:
        self.points: list[list[float]] = []
        self.places: list[int] = []
        self.parts: list[int] = []
        self.names: list[str] = []
        self.wanted = "solid"
        self.corners = 0

    def take(self, line: Line) -> None:
        words = [word.lower() for word in line.words]
        if not self._is_wanted(words):
            raise line.fault(f"{quoted(line.words[0])} stands where '{self.wanted}' must stand")
        if self.wanted == "solid":
            self.names.append(b" ".join(line.words[1:]).decode("utf-8", "replace"))
            self.wanted = "endsolid"
        elif self.wanted == "endsolid":
            self.wanted = "solid" if words[0] == b"endsolid" else "outer loop"
        elif self.wanted == "outer loop":
            self.wanted, self.corners = "vertex", 0
            self.places.append(line.number)
            self.parts.append(len(self.names) - 1)
        elif self.wanted == "vertex":
            self._add_corner(line)
        else:
            self.wanted = "endfacet" if self.wanted == "endloop" else "endsolid"

    def _is_wanted(self, words: list[bytes]) -> bool:
        if self.wanted == "endsolid":
            return words[0] in (b"facet", b"endsolid")
        if self.wanted == "outer loop":
            return words == [b"outer", b"loop"]
        is_one_word = self.wanted in ("endloop", "endfacet")
        return words[0] == self.wanted.encode() and not (is_one_word and len(words) > 1)

    def _add_corner(self, line: Line) -> None:
        if len(line.words) != 4:
            raise line.fault(f"a vertex has {len(line.words) - 1} numbers: must be 3")
        self.points.append([line.real(word) for word in line.words[1:]])
        self.corners += 1
        if self.corners == 3:
            self.wanted = "endloop"

    def content(self, last: int) -> Content:
        if self.wanted != "solid":
            raise Fault(f"line {last}: the file ends where '{self.wanted}' must stand")
        points = as_points(self.points)
        faces = _in_threes(points, np.array(self.places, np.int64))
        faces.parts = np.array(self.parts, np.int64)
        faces.names = self.names
        return Content(points, faces)


def _in_threes(points: np.ndarray, places: np.ndarray) -> Faces:
    if not len(points):
        raise Fault("the file has no triangles")
    return Faces.uniform(np.arange(len(points)).reshape(-1, 3), places)


def _read_text(content: bytes) -> Content:
    reader, last = _Text(), 0
    for line in lines(content):
        last = line.number
        reader.take(line)
    return reader.content(last)


def _read_binary(content: bytes, count: int) -> Content:
    facets = np.frombuffer(content, _FACET, count, _HEAD)
    points = facets["corners"].reshape(-1, 3).astype(float)
    places = _HEAD + _FACET.itemsize * np.arange(count)
    is_bad = ~np.isfinite(points).reshape(-1, 9)
    if is_bad.any():
        facet, number = divmod(int(np.argmax(is_bad)), 9)
        place = places[facet] + 12 + 4 * number
        raise Fault(f"byte {place}: a coordinate must be a finite number")
    return Content(points, _in_threes(points, places))


def read_stl(content: bytes) -> Content:
    """Binary is what has the size that its count of triangles says, whatever its header says."""
    count = int(np.frombuffer(content, "<u4", 1, 80)[0]) if len(content) >= _HEAD else 0
    size = _HEAD + count * _FACET.itemsize
    if len(content) == size:
        return _read_binary(content, count)
    if b"\0" not in content:
        return _read_text(content)
    if len(content) < _HEAD:
        raise Fault(f"the file has {len(content)} bytes: a binary one has at least {_HEAD}")
    raise Fault(f"byte 80: {count} triangles are {size} bytes: the file has {len(content)}")
