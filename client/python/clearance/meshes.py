# SPDX-License-Identifier: Apache-2.0
"""Points of mesh files, in full double precision: OBJ, STL, PLY and OFF, text and binary.

Only the points that faces use count, so that stray points of a file do not become part of a hull; a
file without faces is refused. Coordinates are taken as they are: scale them to metres.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np

from clearance.errors import ClearanceError, invalid

_PLY_TYPES = {
    "char": "i1",
    "int8": "i1",
    "uchar": "u1",
    "uint8": "u1",
    "short": "i2",
    "int16": "i2",
    "ushort": "u2",
    "uint16": "u2",
    "int": "i4",
    "int32": "i4",
    "uint": "u4",
    "uint32": "u4",
    "float": "f4",
    "float32": "f4",
    "double": "f8",
    "float64": "f8",
}


def read_points(path: str | Path) -> np.ndarray:
    """The (n, 3) points that the faces of a mesh file use, each once, in the file's order. An
    InvalidArgument names the file and what is wrong with it; OSError where it cannot be read."""
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise invalid(str(path), path.suffix, f"one of {', '.join(_READERS)}")
    content = path.read_bytes()
    try:
        points, used = reader(content)
        indices = np.unique(np.asarray(used, np.int64))
        if indices.size and (indices[0] < 0 or indices[-1] >= len(points)):
            raise ValueError("a face names a point that is not there")
        chosen = points[indices]
    except ClearanceError:
        raise
    except (ValueError, IndexError, KeyError, StopIteration, UnicodeDecodeError) as error:
        raise invalid(str(path), str(error), f"a {path.suffix.upper()[1:]} file") from error
    if not len(chosen):
        raise invalid(str(path), "no faces", "a mesh with faces")
    return chosen


def _lines(content: bytes) -> Iterator[list[str]]:
    for line in content.decode("utf-8", "replace").splitlines():
        words = line.split("#")[0].split()
        if words:
            yield words


def _read_obj(content: bytes) -> tuple[np.ndarray, list[int]]:
    points: list[list[float]] = []
    used: list[int] = []
    for word, *rest in _lines(content.replace(b"\\\n", b" ")):
        if word == "v":
            points.append([float(number) for number in rest[:3]])
        elif word == "f":
            for corner in rest:
                index = int(corner.split("/")[0])
                if index == 0:
                    raise ValueError("a face names point 0")
                used.append(index - 1 if index > 0 else len(points) + index)
    return _as_points(points), used


def _read_off(content: bytes) -> tuple[np.ndarray, list[int]]:
    words = (word for line in _lines(content) for word in line)
    head = next(words)
    if head != "OFF":
        raise ValueError(f"the file begins with {head[:16]}")
    point_count, face_count, _ = (int(next(words)) for _ in range(3))
    lines = [line for line in _lines(content)]
    body = lines[2:] if len(lines[0]) == 1 else lines[1:]
    points = [[float(number) for number in line[:3]] for line in body[:point_count]]
    faces = body[point_count : point_count + face_count]
    if len(points) < point_count or len(faces) < face_count:
        raise ValueError("the file ends too soon")
    return _as_points(points), [int(i) for face in faces for i in face[1 : 1 + int(face[0])]]


def _read_stl(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    facet = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    count = int(np.frombuffer(content, "<u4", 1, 80)[0]) if len(content) >= 84 else -1
    if len(content) == 84 + count * facet.itemsize:
        corners = np.frombuffer(content, facet, count, 84)["corners"].reshape(-1, 3)
        points = corners.astype(float)
    else:
        rows = [[float(x) for x in line[1:4]] for line in _lines(content) if line[0] == "vertex"]
        points = _as_points(rows)
    points = np.unique(points, axis=0)
    return points, np.arange(len(points))


def _read_ply(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    head, mark, body = content.partition(b"end_header")
    if not mark or not head.startswith(b"ply"):
        raise ValueError("the header is not one of PLY")
    body = body[body.index(b"\n") + 1 :]
    form = ""
    elements: list[tuple[str, int, list[list[str]]]] = []
    for words in _lines(head):
        if words[0] == "format":
            form = words[1]
        elif words[0] == "element":
            elements.append((words[1], int(words[2]), []))
        elif words[0] == "property":
            elements[-1][2].append(words[1:])
    reader: _TextPly | _BinaryPly
    reader = _TextPly(body) if form == "ascii" else _BinaryPly(body, form)
    found = {name: reader.read(count, properties) for name, count, properties in elements}
    vertices = found["vertex"]
    points = np.stack([np.asarray(vertices[axis], float) for axis in "xyz"], axis=-1)
    faces = found.get("face", {})
    return points, np.concatenate(
        [np.asarray(i) for i in faces.get("vertex_indices", faces.get("vertex_index", []))]
        or [np.empty(0)]
    )


class _TextPly:
    def __init__(self, body: bytes) -> None:
        self._words = iter(body.split())

    def number(self, _: str) -> float:
        return float(next(self._words))

    def numbers(self, count: int, _: str) -> np.ndarray:
        return np.array([float(next(self._words)) for _ in range(count)])

    def read(self, count: int, properties: list[list[str]]) -> dict[str, Any]:
        return _read_rows(self, count, properties)


class _BinaryPly:
    def __init__(self, body: bytes, form: str) -> None:
        orders = {"binary_little_endian": "<", "binary_big_endian": ">"}
        self._order = orders[form]
        self._body = body
        self._place = 0

    def number(self, kind: str) -> float:
        return self.numbers(1, kind)[0]

    def numbers(self, count: int, kind: str) -> np.ndarray:
        dtype = np.dtype(self._order + _PLY_TYPES[kind])
        numbers = np.frombuffer(self._body, dtype, count, self._place)
        self._place += count * dtype.itemsize
        return numbers

    def read(self, count: int, properties: list[list[str]]) -> dict[str, Any]:
        if any(kind[0] == "list" for kind in properties):
            return _read_rows(self, count, properties)
        dtype = np.dtype([(name, self._order + _PLY_TYPES[kind]) for kind, name in properties])
        rows = np.frombuffer(self._body, dtype, count, self._place)
        self._place += count * dtype.itemsize
        return {name: rows[name] for _, name in properties}


def _read_rows(
    reader: _TextPly | _BinaryPly, count: int, properties: list[list[str]]
) -> dict[str, Any]:
    found: dict[str, list] = {words[-1]: [] for words in properties}
    for _ in range(count):
        for words in properties:
            if words[0] == "list":
                length = int(reader.number(words[1]))
                found[words[-1]].append(reader.numbers(length, words[2]))
            else:
                found[words[-1]].append(reader.number(words[0]))
    return found


def _as_points(rows: list[list[float]]) -> np.ndarray:
    if any(len(row) != 3 for row in rows):
        raise ValueError("a point has not three coordinates")
    return np.array(rows, float).reshape(-1, 3)


_READERS: dict[str, Callable[[bytes], tuple]] = {
    ".obj": _read_obj,
    ".stl": _read_stl,
    ".ply": _read_ply,
    ".off": _read_off,
}
