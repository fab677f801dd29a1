# SPDX-License-Identifier: Apache-2.0
"""Shapes as small dataclasses, also from numpy arrays, meshes and mesh files.

Lengths are in metres, coordinates in the shape's frame. Every number must be finite and every
length >= 0: the server refuses anything else and names the field. `radius` is the spherical
extension: the body is everything within it of the kind. Shapes are immutable. They are thread-safe
as long as the arrays they were made from do not change."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from clearance._convexity import hollow_of
from clearance.errors import HollowWarning, invalid
from clearance.meshes import Mesh, mesh_of_arrays, pieces_of, read_mesh

_Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Point:
    """The origin of the shape's frame; with a radius a ball."""

    radius: float = 0.0


@dataclass(frozen=True)
class Segment:
    """All points between two ends, which may coincide."""

    a: _Vector
    b: _Vector
    radius: float = 0.0


@dataclass(frozen=True)
class Triangle:
    """A flat triangle; collinear and coincident corners are allowed."""

    a: _Vector
    b: _Vector
    c: _Vector
    radius: float = 0.0


@dataclass(frozen=True)
class Sphere:
    """A ball about the origin."""

    radius: float


@dataclass(frozen=True)
class Capsule:
    """All points within `radius` of the segment of the z axis from -half_length to +half_length."""

    radius: float
    half_length: float


@dataclass(frozen=True)
class Box:
    """Vertex i is at (i & 1 ? + : -, i & 2 ? + : -, i & 4 ? + : -) times the half extents."""

    half_extents: _Vector
    radius: float = 0.0


@dataclass(frozen=True, eq=False)
class Hull:
    """The convex hull of an (n, 3) array of points. Witnesses name them by their index here.

    `adjacency_offsets` and `adjacency` are optional: the neighbours of each vertex along the hull's
    edges in compressed rows, which the server verifies."""

    vertices: np.ndarray
    radius: float = 0.0
    adjacency_offsets: np.ndarray | None = None
    adjacency: np.ndarray | None = None

    def __init__(
        self,
        vertices: ArrayLike,
        radius: float = 0.0,
        adjacency_offsets: ArrayLike | None = None,
        adjacency: ArrayLike | None = None,
    ) -> None:
        object.__setattr__(self, "vertices", _points(vertices, 3, "hull.vertices"))
        object.__setattr__(self, "radius", radius)
        for name, indices in (("adjacency_offsets", adjacency_offsets), ("adjacency", adjacency)):
            array = None if indices is None else np.asarray(indices, "<u4")
            object.__setattr__(self, name, array)

    @staticmethod
    def from_mesh(
        mesh: Any, radius: float = 0.0, scale: ArrayLike = 1.0, *, accept_hollows: bool = False
    ) -> Hull:
        """Makes the hull of anything with `vertices` (n, 3) and, optionally, `faces` (m, 3).

        Such as a trimesh.Trimesh or an open3d-like object; warns as `from_file`."""
        found = mesh_of_arrays(mesh.vertices, getattr(mesh, "faces", None), scale)
        return _hull_of_mesh(found, radius, "" if accept_hollows else "mesh")

    @staticmethod
    def from_file(
        path: str | Path,
        radius: float = 0.0,
        scale: ArrayLike = 1.0,
        *,
        accept_hollows: bool = False,
    ) -> Hull:
        """Makes the hull of an OBJ, STL, PLY or OFF file, as `meshes.read_mesh` reads it.

        A `HollowWarning` says what the hull of a concave mesh fills, unless `accept_hollows`."""
        return _hull_of_mesh(read_mesh(path, scale), radius, "" if accept_hollows else str(path))


@dataclass(frozen=True, eq=False)
class Polygon:
    """The flat convex hull of an (n, 2) array of points of the plane z = 0."""

    vertices: np.ndarray
    radius: float = 0.0

    def __init__(self, vertices: ArrayLike, radius: float = 0.0) -> None:
        object.__setattr__(self, "vertices", _points(vertices, 2, "polygon.vertices"))
        object.__setattr__(self, "radius", radius)


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about the z axis, from z = -half_length to +half_length; `rounding` widens it."""

    radius: float
    half_length: float
    rounding: float = 0.0


@dataclass(frozen=True)
class Cone:
    """A cone about the z axis: base of `radius` at z = -half_length, apex at z = +half_length."""

    radius: float
    half_length: float
    rounding: float = 0.0


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid about the origin, with its axes along the frame's."""

    semi_axes: _Vector
    radius: float = 0.0


@dataclass(frozen=True)
class Piece:
    """A piece of a compound and its pose in the compound's frame (7 numbers)."""

    shape: ConvexShape
    pose: Sequence[float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Compound:
    """Convex pieces that move as one body: their union."""

    pieces: Sequence[Piece] = field(default_factory=tuple)

    @staticmethod
    def from_file(
        path: str | Path,
        radius: float = 0.0,
        scale: ArrayLike = 1.0,
        *,
        accept_hollows: bool = False,
    ) -> Compound:
        """Makes a compound of the hulls of the parts of a mesh file.

        Its objects, groups or solids; if it has only one, the surfaces that share no point. A
        `HollowWarning` names each part that is concave, unless `accept_hollows`."""
        mesh = read_mesh(path, scale)
        if not mesh.parts:
            return Compound((Piece(Hull(mesh.vertices, radius)),))
        pieces = []
        for part in pieces_of(mesh):
            found = mesh_of_arrays(mesh.vertices, part.triangles)
            name = "" if accept_hollows else f"{path}: {part.name}"
            pieces.append(Piece(_hull_of_mesh(found, radius, name)))
        return Compound(tuple(pieces))


ConvexShape = Union[
    Point,
    Segment,
    Triangle,
    Sphere,
    Capsule,
    Box,
    Hull,
    Polygon,
    Cylinder,
    Cone,
    Ellipsoid,
]
Shape = Union[ConvexShape, Compound]


@dataclass(frozen=True)
class ByName:
    """A registered shape by its name."""

    name: str


@dataclass(frozen=True)
class ByDigest:
    """A registered shape by its content: `v1-sha256-…`."""

    digest: str


# Names a shape: a registered one (a bare str is a name), or one that lives in this call or session
# alone.
ShapeReference = Union[ByName, ByDigest, str, Shape]


@dataclass(frozen=True)
class ShapeInfo:
    """Facts about a shape; shape.proto explains each field.

    Lengths are in metres, `volume` in cubic metres. `bounding_radius` is about the origin of the
    shape's frame."""

    name: str
    digest: str
    point_count: int
    vertex_count: int
    duplicate_count: int
    dimension: int
    radius: float
    bounding_radius: float
    volume: float
    revision: int
    piece_count: int


def _hull_of_mesh(mesh: Mesh, radius: float, name: str) -> Hull:
    """Returns the hull, and warns of what it fills unless the name is empty."""
    hollow = hollow_of(mesh.vertices, mesh.triangles) if name else None
    if hollow:
        advice = (
            "queries see the hull: take Compound.from_file or convex pieces, or pass"
            " accept_hollows=True if the hull is meant"
        )
        warnings.warn(f"{name}: {hollow}; {advice}", HollowWarning, stacklevel=3)
    return Hull(mesh.vertices, radius)


def _points(points: ArrayLike, width: int, name: str) -> np.ndarray:
    array = np.ascontiguousarray(points, "<f8")
    if array.ndim != 2 or array.shape[1] != width:
        raise invalid(name, f"an array of shape {array.shape}", f"an array of shape (n, {width})")
    return array


def body_vertices(shape: Shape) -> np.ndarray | None:
    """Returns the (n, 3) points whose hull, extended by `body_radius`, is the shape.

    Their indices are those of witnesses. None for a compound, a cylinder, a cone or an ellipsoid,
    unless its lengths leave a segment or a ball."""
    match shape:
        case Hull():
            return shape.vertices
        case Polygon():
            return np.hstack((shape.vertices, np.zeros((len(shape.vertices), 1))))
        case Box():
            signs = [[1 if i & bit else -1 for bit in (1, 2, 4)] for i in range(8)]
            return np.array(signs, float) * np.asarray(shape.half_extents, float)
        case Segment():
            return np.array([shape.a, shape.b], float)
        case Triangle():
            return np.array([shape.a, shape.b, shape.c], float)
        case Point() | Sphere():
            return np.zeros((1, 3))
        case Capsule():
            return _axis(shape.half_length)
        case Cylinder() | Cone():
            return _axis(shape.half_length) if shape.radius == 0 else None
        case Ellipsoid():
            return np.zeros((1, 3)) if _is_ball(shape) else None
    return None


def body_radius(shape: Shape) -> float:
    """Returns the total radius of the spherical extension, metres."""
    match shape:
        case Cylinder() | Cone():
            return shape.rounding
        case Ellipsoid():
            return shape.radius + (shape.semi_axes[0] if _is_ball(shape) else 0.0)
        case Compound():
            return 0.0
    return shape.radius


def _axis(half_length: float) -> np.ndarray:
    return np.array([[0, 0, -half_length], [0, 0, half_length]], float)


def _is_ball(shape: Ellipsoid) -> bool:
    x, y, z = shape.semi_axes
    return x == y == z
