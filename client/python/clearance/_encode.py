# SPDX-License-Identifier: Apache-2.0
"""Converts shapes and batches to messages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Iterator

import numpy as np

from clearance import shapes as s
from clearance._kinds import KINDS, REAL, UNSIGNED, Column, Kind
from clearance.batches import BatchRows
from clearance.errors import invalid
from clearance.poses import as_poses

# Bytes of a message beside its columns stay below this: options, detail, tag and headers.
_ENVELOPE_BYTES = 512
_MAX_COUNT = 2**32 - 1
_MAX_SECONDS = 315_576_000_000  # what google.protobuf.Duration allows


@dataclass(frozen=True)
class Layout:
    """The columns of a batch in the form of the wire: (1, width) or (count, width). `bodies` is the
    number of query bodies in their rows, None if no column tells it."""

    shape: tuple[int, ...]
    count: int
    bodies: int | None
    columns: dict[str, np.ndarray]

    @staticmethod
    def of(batch: BatchRows[Any]) -> Layout:
        """Broadcasts as numpy does; an InvalidArgument names the column that does not fit."""
        kind = KINDS[type(batch)]
        given = {}
        for name, column in kind.columns.items():
            value = getattr(batch, name)
            if value is not None:
                given[name] = array_of(name, value, column)
        bodies = _join_bodies(given, kind.columns)
        shape = _broadcast({name: array.shape[:-1] for name, array in given.items()})
        count = math.prod(shape)
        if not 1 <= count <= _MAX_COUNT:
            field = f"{kind.rows}.count" if kind.rows else "count"
            raise invalid(field, count, f"at least 1 and at most {_MAX_COUNT}")
        return Layout(shape, count, bodies, {n: _rows(a, shape) for n, a in given.items()})

    def pieces(self, max_rows: int, max_bytes: int) -> Iterator[tuple[int, int]]:
        """Yields the first row and the number of rows of each message within the limits."""
        per_row = sum(a[0].nbytes for a in self.columns.values() if len(a) > 1)
        shared = _ENVELOPE_BYTES + sum(a.nbytes for a in self.columns.values() if len(a) == 1)
        rows = min(max_rows, self.count)
        if per_row:
            rows = min(rows, max(max_bytes - shared, 0) // per_row)
        rows = max(rows, 1)
        for first in range(0, self.count, rows):
            yield first, min(rows, self.count - first)


def _join_bodies(given: dict[str, np.ndarray], columns: dict[str, Column]) -> int | None:
    """Puts the numbers of all bodies of a row into the last axis. Returns the number of bodies."""
    axes = {n: array.shape[-2:-1] for n, array in given.items() if columns[n].has_bodies}
    if not axes:
        return None
    (bodies,) = _broadcast(axes)
    for name in axes:
        *lead, own, width = given[name].shape
        if not own:
            raise invalid(name, "no body", "of at least one body")
        joined = np.broadcast_to(given[name], (*lead, bodies, width))
        given[name] = joined.reshape(*lead, bodies * width)  # -1 would fail if there are no rows
    return bodies


def _broadcast(shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        text = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise invalid("columns", text, "shapes that broadcast together") from None


def array_of(name: str, value: Any, column: Column) -> np.ndarray:
    """Returns an array with the numbers of a row in the last axis; for columns with bodies, the
    axis before it is that of the bodies."""
    if column.numbers == UNSIGNED:
        return unsigned(name, value)[..., None]
    array = real(name, as_poses(value, name) if column.width == 7 else value)
    if column.width == 1:
        return array[..., None]
    axes = 2 if column.has_bodies else 1
    if array.ndim < axes or array.shape[-1] != column.width:
        limit = f"of shape (..., {'bodies, ' * column.has_bodies}{column.width})"
        raise invalid(name, f"an array of shape {array.shape}", limit)
    return array


def unsigned(name: str, value: Any) -> np.ndarray:
    """Returns an array of 32-bit numbers; nothing is cut off."""
    array = np.asarray(value)
    if not array.size and array.dtype.kind == "f":  # numpy's type of an empty list
        return array.astype(UNSIGNED)
    if array.dtype.kind not in "iu":
        raise invalid(name, array.dtype, "integers")
    if array.size and (array.min() < 0 or array.max() > _MAX_COUNT):
        found = array.min() if array.min() < 0 else array.max()
        raise invalid(name, found, f"at least 0 and at most {_MAX_COUNT}")
    return array.astype(UNSIGNED)


def real(name: str, value: Any) -> np.ndarray:
    """Returns an array of doubles."""
    try:
        return np.asarray(value, REAL)
    except (TypeError, ValueError):
        raise invalid(name, value, "numbers") from None


def _rows(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    width = array.shape[-1]
    if array.size == width:
        return np.ascontiguousarray(array.reshape(1, width))
    return np.ascontiguousarray(np.broadcast_to(array, (*shape, width)).reshape(-1, width))


def fill_batch(
    batch: BatchRows[Any],
    layout: Layout,
    rows: tuple[int, int],
    max_reply_bytes: int,
    message: Any,
) -> None:
    """Puts the rows `first, count` of a batch into its message."""
    first, count = rows
    kind = KINDS[type(batch)]
    counted = getattr(message, kind.rows) if kind.rows else message
    counted.count = count
    for name, array in layout.columns.items():
        raw = (array if len(array) == 1 else array[first : first + count]).tobytes()
        setattr(counted if kind.columns[name].is_counted else message, name, raw)
    message.options.max_reply_bytes = batch.max_reply_bytes or max_reply_bytes
    if batch.time_budget is not None:
        set_duration("time_budget", batch.time_budget, message.options.time_budget)
    for name, is_counted in kind.settings:
        value = getattr(batch, name)
        if value is not None:
            setattr(counted if is_counted else message, name, value)
    if kind.detail is not None:
        _fill_detail(batch, kind, message.detail)


def _fill_detail(batch: Any, kind: Kind, message: Any) -> None:
    if not isinstance(batch.detail, kind.detail):
        raise invalid("detail", repr(batch.detail), f"flags of {kind.detail.__name__}")
    message.SetInParent()
    wanted = int(batch.detail)
    for name, bit in kind.flags:
        if wanted & bit:
            setattr(message, name, True)


def set_duration(name: str, seconds: float, message: Any) -> None:
    """Converts seconds to a google.protobuf.Duration."""
    if math.isnan(seconds):
        raise invalid(name, seconds, "a number of seconds")
    nanos = round(max(-_MAX_SECONDS, min(_MAX_SECONDS, seconds)) * 1e9)
    whole = int(nanos / 1_000_000_000)
    message.seconds, message.nanos = whole, nanos - whole * 1_000_000_000


def fill_shape(shape: s.Shape, message: Any) -> None:
    """Puts a shape into a message clearance.v1.Shape."""
    match shape:
        case s.Point():
            message.point.SetInParent()
        case s.Sphere():
            message.sphere.radius = shape.radius
        case s.Segment():
            _fill_vectors(message.segment, a=shape.a, b=shape.b)
        case s.Triangle():
            _fill_vectors(message.triangle, a=shape.a, b=shape.b, c=shape.c)
        case s.Capsule():
            message.capsule.radius, message.capsule.half_length = shape.radius, shape.half_length
        case s.Box():
            _fill_vectors(message.box, half_extents=shape.half_extents)
        case s.Hull():
            message.hull.vertices = shape.vertices.tobytes()
            if shape.adjacency_offsets is not None and shape.adjacency is not None:
                message.hull.adjacency_offsets = shape.adjacency_offsets.tobytes()
                message.hull.adjacency = shape.adjacency.tobytes()
        case s.Polygon():
            message.polygon.vertices = shape.vertices.tobytes()
        case s.Cylinder() | s.Cone():
            round_body = message.cylinder if isinstance(shape, s.Cylinder) else message.cone
            round_body.radius, round_body.half_length = shape.radius, shape.half_length
        case s.Ellipsoid():
            _fill_vectors(message.ellipsoid, semi_axes=shape.semi_axes)
        case s.Compound():
            message.compound.SetInParent()
            for piece in shape.pieces:
                part = message.compound.pieces.add()
                fill_shape(piece.shape, part.shape)
                part.pose = array_of("pose", piece.pose, Column(7)).tobytes()
        case _:
            raise invalid("shape", type(shape).__name__, "one of the shapes of clearance.shapes")
    message.swept_sphere_radius = _extension(shape)


def _extension(shape: s.Shape) -> float:
    match shape:
        case s.Sphere() | s.Capsule() | s.Compound():
            return 0.0
    return shape.swept_sphere_radius


def _fill_vectors(message: Any, **vectors: Any) -> None:
    getattr(message, next(iter(vectors))).SetInParent()
    for name, vector in vectors.items():
        target = getattr(message, name)
        target.SetInParent()
        target.x, target.y, target.z = (float(number) for number in vector)


def fill_reference(reference: s.ShapeReference, message: Any) -> None:
    """Puts a reference into a message clearance.v1.ShapeReference."""
    match reference:
        case str():
            message.name = reference
        case s.ByName():
            message.name = reference.name
        case s.ByDigest():
            message.digest = reference.digest
        case _:
            fill_shape(reference, message.inline_shape)
