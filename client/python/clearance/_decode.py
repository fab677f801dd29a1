# SPDX-License-Identifier: Apache-2.0
"""Messages as shapes and results."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from clearance import results as r
from clearance import shapes as s
from clearance._columns import append, columns
from clearance.errors import ErrorDetail, ProtocolError, detail_from

_RAGGED = {
    "witnesses": r.Witnesses,
    "contacts": r.Contacts,
    "depth_proofs": r.DepthProofs,
    "proofs": r.MotionProofs,
}
# Of columns without an item: numbers an item where it is not one, and those that are real.
_EMPTY_WIDTHS = {
    "points_a": 3,
    "points_b": 3,
    "normals": 3,
    "features_a": 2,
    "features_b": 2,
    "facets": 3,
}
_REAL = {"points_a", "points_b", "normals", "distances", "weights", "t_begin", "t_end"}
_RESULTS: dict[str, Any] = {
    "distance": r.DistanceResult,
    "intersection": r.IntersectionResult,
    "time_of_collision": r.TimeOfCollisionResult,
}


class RowCollector:
    """Joins the parts and pieces of one batch's answer. Thread-compatible."""

    def __init__(self, kind: str, shape: tuple[int, ...]) -> None:
        self._kind = kind
        self._shape = shape
        self._columns: dict[str, np.ndarray] = {}
        self._ragged: dict[str, dict[str, np.ndarray]] = {}
        self._errors: list[ErrorDetail] = []
        self._undecided: dict[int, r.UndecidedReason] = {}

    def add(self, part: Any, first: int) -> None:
        """The next rows; `first` is the row of the batch at which the part's piece begins."""
        known = _RESULTS[self._kind].__dataclass_fields__
        # A newer server may have columns of which this package does not know how wide they are.
        own = {name: column for name, column in columns(part).items() if name in known}
        for name, column in own.items():
            if len(column) != part.count:
                raise ProtocolError(f"the column {name} has {len(column)} of {part.count} rows")
        self._columns = append(self._columns, own) if self._columns else own
        for name in _RAGGED:
            if name in part.DESCRIPTOR.fields_by_name and part.HasField(name):
                self._add_ragged(name, columns(getattr(part, name)), part.count)
        self._errors += [_at(detail_from(error), first) for error in part.errors]
        for row in part.undecided:
            self._undecided[row.index + first] = _known(r.UndecidedReason, row.reason)

    def _add_ragged(self, name: str, own: dict[str, np.ndarray], count: int) -> None:
        for key, column in own.items():
            if key.endswith("offsets") and len(column) != count + 1:
                raise ProtocolError(f"the column {name}.{key} has {len(column)} rows")
        self._ragged[name] = append(self._ragged.get(name, {}), own)

    def result(self) -> r.Result:
        """Of all rows."""
        kind = _RESULTS[self._kind]
        values: dict[str, Any] = {}
        for name, column in self._columns.items():
            values[name] = column.reshape(self._shape + column.shape[1:])
        for name, own in self._ragged.items():
            values[name] = _make_ragged(_RAGGED[name], own)
        if "states" not in values:
            raise ProtocolError("an answer came without states")
        return kind(
            shape=self._shape, errors=tuple(self._errors), undecided=self._undecided, **values
        )


def _at(error: ErrorDetail, first: int) -> ErrorDetail:
    if first == 0:
        return error
    return ErrorDetail(
        error.index + first,
        error.code,
        error.field,
        error.value,
        error.limit,
        error.message,
        error.retry_after,
    )


def _make_ragged(kind: Any, own: dict[str, np.ndarray]) -> Any:
    values = {}
    for item in fields(kind):
        width = _EMPTY_WIDTHS.get(item.name)
        dtype = float if item.name in _REAL else np.uint32
        empty = np.empty((0, width) if width else 0, dtype)
        values[item.name] = own.get(item.name, empty)
    return kind(**values)


def _known(kind: Any, number: int) -> Any:
    return kind(number) if number in kind.__members__.values() else kind(0)


def shape_info(message: Any) -> s.ShapeInfo:
    """From a message clearance.v1.ShapeInfo."""
    return s.ShapeInfo(**{item.name: getattr(message, item.name) for item in fields(s.ShapeInfo)})


def shape(message: Any) -> s.Shape:
    """From a message clearance.v1.Shape."""
    kind = message.WhichOneof("kind")
    body = getattr(message, kind) if kind else None
    match kind:
        case "point":
            return s.Point(message.radius)
        case "segment":
            return s.Segment(_vector(body.a), _vector(body.b), message.radius)
        case "triangle":
            return s.Triangle(_vector(body.a), _vector(body.b), _vector(body.c), message.radius)
        case "sphere":
            return s.Sphere(body.radius + message.radius)
        case "capsule":
            return s.Capsule(body.radius + message.radius, body.half_length)
        case "box":
            return s.Box(_vector(body.half_extents), message.radius)
        case "hull":
            own = columns(body)
            return s.Hull(
                own["vertices"].reshape(-1, 3),
                message.radius,
                own.get("adjacency_offsets"),
                own.get("adjacency"),
            )
        case "polygon":
            return s.Polygon(columns(body)["vertices"].reshape(-1, 2), message.radius)
        case "cylinder":
            return s.Cylinder(body.radius, body.half_length, message.radius)
        case "cone":
            return s.Cone(body.radius, body.half_length, message.radius)
        case "ellipsoid":
            return s.Ellipsoid(_vector(body.semi_axes), message.radius)
        case "compound":
            return s.Compound(tuple(_piece(piece) for piece in body.pieces))
    raise ProtocolError("a shape of a kind that this package does not know")


def _piece(message: Any) -> s.Piece:
    pose = columns(message).get("pose")
    found = shape(message.shape)
    if isinstance(found, s.Compound):
        raise ProtocolError("a piece of a compound is a compound")
    return s.Piece(found) if pose is None else s.Piece(found, tuple(pose.tolist()))


def _vector(message: Any) -> tuple[float, float, float]:
    return (message.x, message.y, message.z)
