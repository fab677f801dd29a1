# SPDX-License-Identifier: Apache-2.0
"""Wavefront OBJ: points, polygons, and the objects or groups that they belong to."""

from __future__ import annotations

import re

import numpy as np

from clearance._mesh_content import Content, FaceList, as_points, no_such_point
from clearance._mesh_text import Line, quoted, statements

_NUMBERS = frozenset((b"v", b"vn", b"vt", b"vp", b"f", b"l", b"p"))
# Without a bearing on points and faces.
_IGNORED = frozenset(
    b"vn vt vp l p s usemtl mtllib usemap maplib mg lod bevel c_interp d_interp shadow_obj trace_obj".split()
)
_WIDTHS_OF_POINTS = (3, 4, 6, 7)  # x y z, weight, red green blue, alpha
_CORNER = re.compile(rb"(-?[0-9]{1,18})(?:/(?:-?[0-9]{1,18})?(?:/(?:-?[0-9]{1,18})?)?)?").fullmatch


class _Reader:
    def __init__(self) -> None:
        self.points: list[list[float]] = []
        self.faces = FaceList()
        self.owners: list[tuple[bytes, bytes]] = []  # object and group of each face
        self.object = self.group = b""

    def take(self, line: Line) -> None:
        word = line.words[0]
        if word == b"v":
            self._add_point(line)
        elif word == b"f":
            self._add_face(line)
        elif word == b"o":
            self.object = b" ".join(line.words[1:])
        elif word == b"g":
            self.group = b" ".join(line.words[1:])
        elif word not in _IGNORED:
            raise line.fault(f"{quoted(word)} is not a statement that is read")

    def _add_point(self, line: Line) -> None:
        numbers = line.words[1:]
        if len(numbers) not in _WIDTHS_OF_POINTS:
            raise line.fault(f"a point has {len(numbers)} numbers: must be 3, 4, 6 or 7")
        values = [line.real(number) for number in numbers]
        if len(numbers) == 4 and values[3] != 1:
            raise line.fault(f"a point has the weight {quoted(numbers[3])}: must be 1")
        line.require_whole()
        self.points.append(values[:3])

    def _add_face(self, line: Line) -> None:
        corners = [self._corner(line, word) for word in line.words[1:]]
        self.faces.add(corners, line.number)
        self.owners.append((self.object, self.group))
        if b"/" not in line.words[-1]:
            line.require_whole_index(int(line.words[-1]), len(self.points))

    def _corner(self, line: Line, word: bytes) -> int:
        match = _CORNER(word)
        if not match:
            raise line.fault(f"{quoted(word)} must be a corner: v, v/vt, v//vn or v/vt/vn")
        named, count = int(match[1]), len(self.points)
        if named == 0 or named < -count:
            raise no_such_point(f"line {line.number}", named, count, 1)
        return named - 1 if named > 0 else count + named

    def content(self) -> Content:
        faces = self.faces.faces()
        # Objects, and where there are none groups.
        has_objects = any(name for name, _ in self.owners)
        numbers: dict[bytes, int] = {}
        parts = [
            numbers.setdefault(owner[0] if has_objects else owner[1], len(numbers))
            for owner in self.owners
        ]
        faces.parts = np.array(parts, np.int64)
        faces.names = [name.decode("utf-8", "replace") for name in numbers]
        faces.require_points(len(self.points), word="line", first=1)
        return Content(as_points(self.points), faces)


def read_obj(content: bytes) -> Content:
    reader = _Reader()
    for line in statements(content, _NUMBERS):
        reader.take(line)
    return reader.content()
