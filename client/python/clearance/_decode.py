# SPDX-License-Identifier: Apache-2.0
"""Converts messages to shapes and results."""

from __future__ import annotations

import math
from dataclasses import MISSING, fields, replace
from typing import Any

import numpy as np

from clearance import results as r
from clearance import shapes as s
from clearance._columns import append, columns
from clearance._kinds import BY_NAME, RowList
from clearance.errors import ErrorDetail, ProtocolError, detail_from

# In lists: the column that has one value a row.
_OF_ROWS = "truncated"


class RowCollector:
    """Joins the parts and pieces of one batch's answer. Thread-compatible."""

    def __init__(self, kind: str, shape: tuple[int, ...]) -> None:
        self._kind = BY_NAME[kind]
        self._shape = shape
        self._columns: dict[str, np.ndarray] = {}
        self._ragged: dict[str, dict[str, np.ndarray]] = {}
        self._errors: list[ErrorDetail] = []
        self._undecided: dict[int, r.UndecidedReason] = {}
        self._scalars: dict[str, int] = {}

    def add(self, part: Any, first: int) -> None:
        """Adds the next rows; `first` is the row of the batch at which the part's piece begins."""
        wanted = self._kind.result.__dataclass_fields__
        # A newer server may have columns whose width this package does not know.
        own = {name: column for name, column in columns(part).items() if name in wanted}
        for name, column in own.items():
            if len(column) != part.count:
                raise ProtocolError(f"the column {name} has {len(column)} of {part.count} rows")
        self._columns = append(self._columns, own) if self._columns else own
        for name in self._kind.lists:
            if part.HasField(name):
                self._add_ragged(name, columns(getattr(part, name)), part.count)
        self._errors += [_at(detail_from(error), first) for error in part.errors]
        for row in part.undecided:
            self._undecided[row.index + first] = known(r.UndecidedReason, row.reason)
        if "scene_revision" in wanted:
            self._scalars["scene_revision"] = part.scene_revision

    def _add_ragged(self, name: str, own: dict[str, np.ndarray], count: int) -> None:
        known_names = self._kind.lists[name].kind.__dataclass_fields__
        own = {key: column for key, column in own.items() if key in known_names}
        for key, column in own.items():
            expected = _expected(key, own, count)
            if len(column) != expected:
                text = f"the column {name}.{key} has {len(column)} of {expected} items"
                raise ProtocolError(text)
        self._ragged[name] = append(self._ragged.get(name, {}), own)

    def result(self) -> Any:
        """Returns all rows, as the result of the kind."""
        kind = self._kind.result
        rows = math.prod(self._shape)
        values: dict[str, Any] = {}
        for name, column in self._columns.items():
            _require_all(name, len(column), rows)
            values[name] = column.reshape(self._shape + column.shape[1:])
        for name, own in self._ragged.items():
            values[name] = _make_ragged(name, self._kind.lists[name], own, rows)
        for item in fields(kind):
            if _is_required(item) and item.name not in ("shape", *values):
                raise ProtocolError(f"an answer came without {item.name}")
        return kind(
            shape=self._shape,
            errors=tuple(self._errors),
            undecided=self._undecided,
            **self._scalars,
            **values,
        )


def _is_required(item: Any) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def _expected(key: str, own: dict[str, np.ndarray], count: int) -> int:
    """Returns the expected length of one column of a ragged one."""
    if key.endswith("offsets"):
        return count + 1
    if key == _OF_ROWS:
        return count
    offsets = own.get("facet_offsets" if key == "facets" else "offsets")
    return 0 if offsets is None else int(offsets[-1])


def _require_all(name: str, found: int, expected: int) -> None:
    """Raises ProtocolError unless all parts of an answer had the column."""
    if found != expected:
        raise ProtocolError(f"the column {name} has {found} of {expected} rows")


def _at(error: ErrorDetail, first: int) -> ErrorDetail:
    if first == 0:
        return error
    return replace(error, index=error.index + first)


def _make_ragged(name: str, form: RowList, own: dict[str, np.ndarray], rows: int) -> Any:
    values: dict[str, Any] = {}
    for item in fields(form.kind):
        column = own.get(item.name)
        expected = _expected(item.name, own, rows)
        if column is None and expected and not _is_required(item):
            continue  # it was not asked for
        column = form.empty[item.name] if column is None else column
        _require_all(f"{name}.{item.name}", len(column), expected)
        values[item.name] = column
    return form.kind(**values)


def known(kind: Any, number: int) -> Any:
    """Returns a number as a member of an enum; UNSPECIFIED if only a newer server knows it."""
    return kind(number) if number in kind.__members__.values() else kind(0)


def shape_info(message: Any) -> s.ShapeInfo:
    """Converts a message clearance.v1.ShapeInfo."""
    return s.ShapeInfo(**{item.name: getattr(message, item.name) for item in fields(s.ShapeInfo)})


def shape(message: Any) -> s.Shape:
    """Converts a message clearance.v1.Shape."""
    kind = message.WhichOneof("kind")
    body = getattr(message, kind) if kind else None
    match kind:
        case "point":
            return s.Point(message.swept_sphere_radius)
        case "segment":
            return s.Segment(_vector(body.a), _vector(body.b), message.swept_sphere_radius)
        case "triangle":
            return s.Triangle(
                _vector(body.a), _vector(body.b), _vector(body.c), message.swept_sphere_radius
            )
        case "sphere":
            return s.Sphere(body.radius + message.swept_sphere_radius)
        case "capsule":
            return s.Capsule(body.radius + message.swept_sphere_radius, body.half_length)
        case "box":
            return s.Box(_vector(body.half_extents), message.swept_sphere_radius)
        case "hull":
            own = columns(body)
            return s.Hull(
                own["vertices"].reshape(-1, 3),
                message.swept_sphere_radius,
                own.get("adjacency_offsets"),
                own.get("adjacency"),
            )
        case "polygon":
            return s.Polygon(columns(body)["vertices"].reshape(-1, 2), message.swept_sphere_radius)
        case "cylinder":
            return s.Cylinder(body.radius, body.half_length, message.swept_sphere_radius)
        case "cone":
            return s.Cone(body.radius, body.half_length, message.swept_sphere_radius)
        case "ellipsoid":
            return s.Ellipsoid(_vector(body.semi_axes), message.swept_sphere_radius)
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
