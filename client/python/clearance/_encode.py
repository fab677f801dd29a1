# SPDX-License-Identifier: Apache-2.0
"""Shapes and batches as messages."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Iterator

import numpy as np

from clearance import shapes as s
from clearance.batches import Batch, DistanceBatch, IntersectionBatch, TimeOfCollisionBatch
from clearance.errors import invalid

_PAIR_COLUMNS = {"slots_a": 1, "slots_b": 1, "poses_a": 7, "poses_b": 7}
_MOTION_COLUMNS = {
    "displacements_a": 3,
    "displacements_b": 3,
    "rotations_a": 3,
    "rotations_b": 3,
    "pivots_a": 3,
    "pivots_b": 3,
    "end_poses_a": 7,
    "end_poses_b": 7,
    "target_distances": 1,
}
_COLUMNS: dict[type, dict[str, int]] = {
    DistanceBatch: _PAIR_COLUMNS | {"max_distances": 1},
    IntersectionBatch: _PAIR_COLUMNS,
    TimeOfCollisionBatch: _PAIR_COLUMNS | _MOTION_COLUMNS,
}
# The field of a session's message, of its reply too.
KINDS: dict[type, str] = {
    DistanceBatch: "distance",
    IntersectionBatch: "intersection",
    TimeOfCollisionBatch: "time_of_collision",
}
_FLAGS = ("tolerance", "exact", "warm_start", "max_contact_separation", "ignore_initial_contact")

# Bytes of a message beside its columns stay below this: options, detail, tag and headers.
_ENVELOPE_BYTES = 512
_MAX_COUNT = 2**32 - 1
_MAX_SECONDS = 315_576_000_000  # what google.protobuf.Duration allows


@dataclass(frozen=True)
class Layout:
    """The columns of a batch as the wire takes them: (1, width) or (count, width)."""

    shape: tuple[int, ...]
    count: int
    columns: dict[str, np.ndarray]

    @staticmethod
    def of(batch: Batch) -> Layout:
        """Broadcasts as numpy does; an InvalidArgument names the column that does not fit."""
        widths = _COLUMNS[type(batch)]
        given = {}
        for name, width in widths.items():
            value = getattr(batch, name)
            if value is not None:
                given[name] = _column(name, value, width)
        leads = {name: array.shape[:-1] for name, array in given.items()}
        try:
            shape = np.broadcast_shapes(*leads.values())
        except ValueError:
            text = ", ".join(f"{name} {lead}" for name, lead in leads.items())
            raise invalid("columns", text, "shapes that broadcast together") from None
        count = math.prod(shape)
        if not 1 <= count <= _MAX_COUNT:
            raise invalid("pairs.count", count, f"at least 1 and at most {_MAX_COUNT}")
        return Layout(shape, count, {n: _rows(a, shape) for n, a in given.items()})

    def pieces(self, max_rows: int, max_bytes: int) -> Iterator[tuple[int, int]]:
        """First row and number of rows of each message that keeps to the limits."""
        per_row = sum(a[0].nbytes for a in self.columns.values() if len(a) > 1)
        shared = _ENVELOPE_BYTES + sum(a.nbytes for a in self.columns.values() if len(a) == 1)
        rows = min(max_rows, self.count)
        if per_row:
            rows = min(rows, max(max_bytes - shared, 0) // per_row)
        rows = max(rows, 1)
        for first in range(0, self.count, rows):
            yield first, min(rows, self.count - first)


def _column(name: str, value: Any, width: int) -> np.ndarray:
    if name.startswith("slots"):
        array = np.asarray(value)
        if array.dtype.kind not in "iu":
            raise invalid(name, array.dtype, "integers")
        if array.size and (array.min() < 0 or array.max() > _MAX_COUNT):
            raise invalid(name, array.min(), f"at least 0 and at most {_MAX_COUNT}")
        return array.astype("<u4")[..., None]
    try:
        array = np.asarray(value, "<f8")
    except (TypeError, ValueError):
        raise invalid(name, value, "numbers") from None
    if width == 1:
        return array[..., None]
    if array.ndim == 0 or array.shape[-1] != width:
        raise invalid(name, f"an array of shape {array.shape}", f"of shape (..., {width})")
    return array


def _rows(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    width = array.shape[-1]
    if array.size == width:
        return np.ascontiguousarray(array.reshape(1, width))
    return np.ascontiguousarray(np.broadcast_to(array, (*shape, width)).reshape(-1, width))


def fill_batch(
    batch: Batch, layout: Layout, rows: tuple[int, int], max_reply_bytes: int, message: Any
) -> None:
    """Puts the rows `first, count` of a batch into its message."""
    first, count = rows
    message.pairs.count = count
    for name, array in layout.columns.items():
        raw = (array if len(array) == 1 else array[first : first + count]).tobytes()
        setattr(message.pairs if name in _PAIR_COLUMNS else message, name, raw)
    message.options.max_reply_bytes = batch.max_reply_bytes or max_reply_bytes
    if batch.time_budget is not None:
        set_duration(batch.time_budget, message.options.time_budget)
    for name in _FLAGS:
        value = getattr(batch, name, None)
        if value is not None:
            setattr(message, name, value)
    message.detail.SetInParent()
    for item in fields(batch.detail):
        setattr(message.detail, item.name, getattr(batch.detail, item.name))


def set_duration(seconds: float, message: Any) -> None:
    """Into a google.protobuf.Duration."""
    if math.isnan(seconds):
        raise invalid("time_budget", seconds, "a number of seconds")
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
                part.pose = _column("pose", piece.pose, 7).tobytes()
        case _:
            raise invalid("shape", type(shape).__name__, "one of the shapes of clearance.shapes")
    message.radius = _extension(shape)


def _extension(shape: s.Shape) -> float:
    match shape:
        case s.Sphere() | s.Capsule() | s.Compound():
            return 0.0
        case s.Cylinder() | s.Cone():
            return shape.rounding
    return shape.radius


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
