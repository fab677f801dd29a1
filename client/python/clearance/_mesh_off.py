# SPDX-License-Identifier: Apache-2.0
"""Object File Format: counts, points and polygons, a line each."""

from __future__ import annotations

from typing import Iterator

from clearance._mesh_content import Content, FaceList, as_points
from clearance._mesh_text import Fault, Line, quoted, statements

# With colours (C), normals (N) and texture coordinates (ST) behind the coordinates of each point.
_HEADS = (b"OFF", b"COFF", b"NOFF", b"CNOFF", b"STOFF", b"STCOFF", b"STNOFF", b"STCNOFF")
_MOST_NUMBERS_OF_A_POINT = 12


class _Lines:
    """Lines, one after another, of a file that may end too soon."""

    def __init__(self, content: bytes) -> None:
        self._lines = statements(content, frozenset())
        self.last = 0

    def next(self, wanted: str) -> Line:
        line = next(self._lines, None)
        if line is None:
            raise Fault(f"line {self.last}: the file ends where {wanted} must stand")
        self.last = line.number
        return line

    def require_end(self) -> None:
        for line in self._lines:
            raise line.fault("the file goes on behind the last of the faces that it announces")


def _read_counts(lines: _Lines) -> tuple[int, int]:
    head = lines.next("OFF")
    if head.words[0] not in _HEADS:
        raise head.fault(f"{quoted(head.words[0])} must be OFF")
    words = head.words[1:]
    line = head
    if not words:
        line = lines.next("the counts")
        words = line.words
    if len(words) != 3:
        raise line.fault(f"{len(words)} counts: must be 3, of points, faces and edges")
    points, faces, _ = (_count(line, word) for word in words)
    return points, faces


def _count(line: Line, word: bytes) -> int:
    number = line.whole(word)
    if number < 0:
        raise line.fault(f"{quoted(word)} must be a count")
    return number


def _read_point(line: Line) -> list[float]:
    numbers = len(line.words)
    if not 3 <= numbers <= _MOST_NUMBERS_OF_A_POINT:
        raise line.fault(f"a point has {numbers} numbers: must be 3 to {_MOST_NUMBERS_OF_A_POINT}")
    values = [line.real(word) for word in line.words]
    line.require_whole()
    return values[:3]


def _read_face(line: Line, point_count: int) -> list[int]:
    corners = _count(line, line.words[0])
    if len(line.words) < 1 + corners:
        raise line.fault(f"a face of {corners} corners names {len(line.words) - 1}")
    indices = [line.whole(word) for word in line.words[1 : 1 + corners]]
    for word in line.words[1 + corners :]:
        line.real(word)
    if len(line.words) == 1 + corners and indices:
        line.require_whole_index(indices[-1], point_count)
    return indices


def read_off(content: bytes) -> Content:
    lines = _Lines(content)
    point_count, face_count = _read_counts(lines)
    points: list[list[float]] = []
    while len(points) < point_count:
        points.append(_read_point(lines.next(f"point {len(points)} of {point_count}")))
    listed = FaceList()
    while len(listed.counts) < face_count:
        line = lines.next(f"face {len(listed.counts)} of {face_count}")
        listed.add(_read_face(line, point_count), line.number)
    lines.require_end()
    faces = listed.faces()
    faces.require_points(point_count, word="line", first=0)
    return Content(as_points(points), faces)
