# SPDX-License-Identifier: Apache-2.0
"""Polygon File Format (PLY), text and binary of either byte order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

import numpy as np

from clearance._mesh_content import FEWEST_CORNERS, Content, FaceList, Faces, too_few_corners
from clearance._mesh_text import Fault, Line, lines, quoted

_TYPES = {
    **dict.fromkeys((b"char", b"int8"), "i1"),
    **dict.fromkeys((b"uchar", b"uint8"), "u1"),
    **dict.fromkeys((b"short", b"int16"), "i2"),
    **dict.fromkeys((b"ushort", b"uint16"), "u2"),
    **dict.fromkeys((b"int", b"int32"), "i4"),
    **dict.fromkeys((b"uint", b"uint32"), "u4"),
    **dict.fromkeys((b"float", b"float32"), "f4"),
    **dict.fromkeys((b"double", b"float64"), "f8"),
}
_ORDERS = {b"binary_little_endian": "<", b"binary_big_endian": ">"}
_INDICES = (b"vertex_indices", b"vertex_index")
_LONGEST_HEADER = 65_536  # bytes


@dataclass
class _Property:
    name: bytes
    kind: str
    count_kind: str = ""  # of a list

    @property
    def least(self) -> int:
        """The fewest bytes of it."""
        return np.dtype(self.count_kind or self.kind).itemsize


@dataclass
class _Element:
    name: bytes
    count: int
    line: int
    properties: list[_Property] = field(default_factory=list)

    def place(self, *names: bytes) -> int:
        """Returns the place of the property of one of these names, -1 of none."""
        return next((i for i, p in enumerate(self.properties) if p.name in names), -1)


@dataclass
class _Header:
    format: bytes
    elements: list[_Element]
    body: int  # byte where it begins
    last_line: int


class _HeaderReader:
    def __init__(self) -> None:
        self.format = b""
        self.elements: list[_Element] = []

    def take(self, line: Line) -> None:
        word = line.words[0]
        if word == b"format":
            self._set_format(line)
        elif word == b"element":
            self._add_element(line)
        elif word == b"property":
            self._add_property(line)
        elif word not in (b"comment", b"obj_info"):
            raise line.fault(f"{quoted(word)} is not a statement of the header")

    def _set_format(self, line: Line) -> None:
        formats = (b"ascii", *_ORDERS)
        if len(line.words) != 3 or line.words[1] not in formats or line.words[2] != b"1.0":
            raise line.fault(
                "the format must be ascii, binary_little_endian or binary_big_endian, and 1.0"
            )
        if self.format:
            raise line.fault("a second format")
        self.format = line.words[1]

    def _add_element(self, line: Line) -> None:
        if len(line.words) != 3:
            raise line.fault("an element must have a name and a count")
        name, count = line.words[1], line.whole(line.words[2])
        if count < 0:
            raise line.fault(f"{quoted(line.words[2])} must be a count")
        if name == b"tristrips":
            raise line.fault("tristrips are not read: save the mesh with faces")
        if any(element.name == name for element in self.elements):
            raise line.fault(f"a second element {quoted(name)}")
        self.elements.append(_Element(name, count, line.number))

    def _add_property(self, line: Line) -> None:
        words = line.words[1:]
        is_list = len(words) == 4 and words[0] == b"list"
        if len(words) != 2 and not is_list or not self.elements:
            raise line.fault("a property must have a type and a name, and belong to an element")
        *kinds, name = words[1:] if is_list else words
        for kind in kinds:
            if kind not in _TYPES:
                raise line.fault(f"{quoted(kind)} must be a type such as float, uchar or int32")
        if is_list and _TYPES[kinds[0]][0] == "f":
            raise line.fault("the count of a list must be of a whole number's type")
        element = self.elements[-1]
        if element.place(name) >= 0:
            raise line.fault(f"a second property {quoted(name)}")
        count_kind = _TYPES[kinds[0]] if is_list else ""
        element.properties.append(_Property(name, _TYPES[kinds[-1]], count_kind))


def _read_header(content: bytes) -> _Header:
    line_end = _line_end(content)
    reader, at = _HeaderReader(), len(b"ply") + len(line_end)
    number = 1
    while True:
        end = content.find(line_end, at, at + _LONGEST_HEADER)
        number += 1
        if end < 0 or end + len(line_end) > _LONGEST_HEADER:
            raise Fault(f"line {number}: the header must end with end_header")
        words = content[at:end].split()
        at = end + len(line_end)
        if words == [b"end_header"]:
            break
        if words:
            reader.take(Line(number, words, True))
    if not reader.format:
        raise Fault(f"line {number}: the header has no format")
    return _Header(reader.format, reader.elements, at, number)


def _line_end(content: bytes) -> bytes:
    """Returns how the first line ends, and so all of the header.

    Data may begin with the byte of a line end."""
    for end in (b"\r\n", b"\n", b"\r"):
        if content.startswith(b"ply" + end):
            return end
    raise Fault("line 1: the file must begin with ply")


def _check(header: _Header) -> tuple[_Element, _Element | None]:
    """The elements of points and faces."""
    found = {element.name: element for element in header.elements}
    vertex, face = found.get(b"vertex"), found.get(b"face")
    place = f"line {header.last_line}"
    if vertex is None:
        raise Fault(f"{place}: the header has no element vertex")
    for element in header.elements:
        if element.count and not element.properties:
            raise Fault(f"line {element.line}: an element must have properties")
    for axis in (b"x", b"y", b"z"):
        at = vertex.place(axis)
        if at < 0 or vertex.properties[at].count_kind:
            raise Fault(f"{place}: the element vertex has no property {axis.decode()}")
    if face is None:
        return vertex, None
    at = face.place(*_INDICES)
    if at < 0 or not face.properties[at].count_kind or face.properties[at].kind[0] == "f":
        raise Fault(f"{place}: the element face has no list vertex_indices of whole numbers")
    return vertex, face


class _TextBody:
    """A line for each item."""

    word = "line"

    def __init__(self, content: bytes, header: _Header) -> None:
        self._lines = lines(content[header.body :])
        self._before = header.last_line
        self.last = header.last_line

    def _next(self, element: _Element, i: int) -> Line:
        line = next(self._lines, None)
        if line is None:
            item = f"item {i} of {element.count} of {quoted(element.name)}"
            raise Fault(f"line {self.last}: the file ends where {item} must stand")
        self.last = self._before + line.number
        return Line(self.last, line.words, line.is_whole)

    def _split(self, line: Line, element: _Element) -> list[list[bytes]]:
        """The words of each property."""
        found, at = [], 0
        for one in element.properties:
            count = 1
            if one.count_kind and at < len(line.words):
                count = line.whole(line.words[at])
                at += 1
                if not 0 <= count <= len(line.words):
                    count = len(line.words)
            found.append(line.words[at : at + count])
            at += count
        if at != len(line.words):
            raise line.fault(f"{len(line.words)} words: the header declares {at}")
        return found

    def skip(self, element: _Element) -> None:
        for i in range(element.count):
            self._split(self._next(element, i), element)

    def points(self, element: _Element) -> np.ndarray:
        at = [element.place(axis) for axis in (b"x", b"y", b"z")]
        rows = []
        for i in range(element.count):
            line = self._next(element, i)
            words = self._split(line, element)
            rows.append([line.real(words[k][0]) for k in at])
            line.require_whole()
        return np.array(rows, float).reshape(-1, 3)

    def faces(self, element: _Element, point_count: int) -> Faces:
        at = element.place(*_INDICES)
        listed = FaceList()
        for i in range(element.count):
            line = self._next(element, i)
            words = self._split(line, element)
            indices = [line.whole(word) for word in words[at]]
            if at == len(words) - 1 and indices:
                line.require_whole_index(indices[-1], point_count)
            listed.add(indices, line.number)
        return listed.faces()

    def require_end(self) -> None:
        for line in self._lines:
            number = self._before + line.number
            raise Fault(f"line {number}: the file goes on behind the last item that it announces")


class _BinaryBody:
    """Numbers without any space between them."""

    word = "byte"

    def __init__(self, content: bytes, header: _Header) -> None:
        self._content = content
        self._order = _ORDERS[header.format]
        self._at = header.body

    def _require(self, size: int, element: _Element) -> None:
        left = len(self._content) - self._at
        if size > left:
            items = f"{element.count} items of {quoted(element.name)}"
            raise Fault(f"byte {self._at}: {items} do not fit into the {left} bytes that are left")

    def _require_least(self, element: _Element) -> None:
        self._require(element.count * sum(p.least for p in element.properties), element)

    def _rows(self, element: _Element, lengths: dict[bytes, int]) -> np.ndarray | None:
        """The items at once, if each of their lists has the length that is given."""
        fields: list[tuple] = []
        for i, one in enumerate(element.properties):
            if one.count_kind:
                fields.append((f"count{i}", self._order + one.count_kind))
                fields.append((f"{i}", self._order + one.kind, (lengths[one.name],)))
            else:
                fields.append((f"{i}", self._order + one.kind))
        dtype = np.dtype(fields)
        if element.count * dtype.itemsize > len(self._content) - self._at:
            return None
        rows = np.frombuffer(self._content, dtype, element.count, self._at)
        for i, one in enumerate(element.properties):
            if one.count_kind and (rows[f"count{i}"] != lengths[one.name]).any():
                return None
        return rows

    def _number(self, kind: str, element: _Element) -> int:
        dtype = np.dtype(self._order + kind)
        self._require(dtype.itemsize, element)
        number = np.frombuffer(self._content, dtype, 1, self._at)[0]
        self._at += dtype.itemsize
        return int(number)

    def _item(self, element: _Element, each: Callable[[int, np.ndarray], None]) -> None:
        """One after another: `each` takes the place of a list and its numbers."""
        for i, one in enumerate(element.properties):
            if not one.count_kind:
                size = np.dtype(one.kind).itemsize
                self._require(size, element)
                self._at += size
                continue
            place = self._at
            count = self._number(one.count_kind, element)
            if count < 0:
                raise Fault(f"byte {place}: a list has {count} numbers")
            dtype = np.dtype(self._order + one.kind)
            self._require(count * dtype.itemsize, element)
            each(i, np.frombuffer(self._content, dtype, count, self._at))
            self._at += count * dtype.itemsize

    def skip(self, element: _Element) -> None:
        self._require_least(element)
        if not any(one.count_kind for one in element.properties):
            self._at += element.count * sum(p.least for p in element.properties)
            return
        for _ in range(element.count):
            self._item(element, lambda i, numbers: None)

    def points(self, element: _Element) -> np.ndarray:
        if any(one.count_kind for one in element.properties):
            raise Fault(f"line {element.line}: a list of the element vertex is not read in binary")
        self._require_least(element)
        rows = self._rows(element, {})
        assert rows is not None
        at = [element.place(axis) for axis in (b"x", b"y", b"z")]
        points = np.stack([rows[f"{k}"].astype(float) for k in at], axis=-1)
        is_bad = ~np.isfinite(points).all(axis=1)
        if is_bad.any():
            place = self._at + int(np.argmax(is_bad)) * rows.dtype.itemsize
            raise Fault(f"byte {place}: a coordinate of a point must be a finite number")
        self._at += rows.nbytes
        return points

    def faces(self, element: _Element, point_count: int) -> Faces:
        del point_count
        self._require_least(element)
        lists = [one.name for one in element.properties if one.count_kind]
        at = element.place(*_INDICES)
        if len(lists) == 1 and element.count and (uniform := self._uniform(element, at)):
            return uniform
        return self._mixed(element, at)

    def _uniform(self, element: _Element, at: int) -> Faces | None:
        """If every face has as many corners as the first."""
        lead = sum(np.dtype(p.kind).itemsize for p in element.properties[:at])
        place = self._at
        self._at += lead
        width = self._number(element.properties[at].count_kind, element)
        self._at = place
        if width < FEWEST_CORNERS or width > len(self._content):
            return None
        rows = self._rows(element, {element.properties[at].name: width})
        if rows is None:
            return None
        self._at += rows.nbytes
        places = place + rows.dtype.itemsize * np.arange(element.count)
        return Faces.uniform(rows[f"{at}"].astype(np.int64), places)

    def _mixed(self, element: _Element, at: int) -> Faces:
        corners: list[np.ndarray] = [np.empty(0, np.int64)]
        places = []
        for _ in range(element.count):
            places.append(self._at)
            self._item(
                element,
                lambda i, numbers: corners.append(numbers.astype(np.int64)) if i == at else None,
            )
            if len(corners[-1]) < FEWEST_CORNERS:
                raise too_few_corners(f"byte {places[-1]}", len(corners[-1]))
        counts = np.array([len(c) for c in corners[1:]], np.int64)
        parts = np.zeros(len(counts), np.int64)
        return Faces(np.concatenate(corners), counts, np.array(places, np.int64), parts, [""])

    def require_end(self) -> None:
        left = len(self._content) - self._at
        if left:
            raise Fault(f"byte {self._at}: {left} bytes are left behind the last item")


def read_ply(content: bytes) -> Content:
    header = _read_header(content)
    vertex, face = _check(header)
    body: _TextBody | _BinaryBody
    if header.format == b"ascii":
        body = _TextBody(content, header)
    else:
        body = _BinaryBody(content, header)
    points = np.empty((0, 3))
    faces = FaceList().faces()
    for element in header.elements:
        if element is vertex:
            points = body.points(element)
        elif element is face:
            faces = body.faces(element, vertex.count)
        else:
            body.skip(element)
    body.require_end()
    faces.require_points(len(points), word=body.word, first=0)
    return Content(points, faces)
