# SPDX-License-Identifier: Apache-2.0
"""Shapes as small dataclasses, also from numpy arrays, meshes and mesh files.

Lengths are in metres, coordinates in the shape's frame. Every number must be finite and every
length >= 0: the server refuses anything else and names the field. A `swept_sphere_radius` rounds a
shape: the body is everything within that distance of it. Shapes are immutable. They are thread-safe
as long as the arrays they were made from do not change."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from clearance._convexity import hollow_of
from clearance.errors import HollowWarning, InvalidArgument, invalid
from clearance.meshes import Mesh, mesh_of_arrays, pieces_of, read_mesh
from clearance.poses import PosesLike

__all__ = [
    "Box",
    "ByDigest",
    "ByName",
    "Capsule",
    "Compound",
    "Cone",
    "ConvexShape",
    "Cylinder",
    "Ellipsoid",
    "Hull",
    "Piece",
    "Point",
    "Polygon",
    "Segment",
    "Shape",
    "ShapeInfo",
    "ShapeReference",
    "Sphere",
    "Triangle",
    "body_radius",
    "body_vertices",
]

_Vector = tuple[float, float, float]
_METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}
_DECOMPOSE = "decompose it first (for example with CoACD or V-HACD)"


@dataclass(frozen=True)
class Point:
    """The origin of the shape's frame; with a radius a ball.

    Attributes
    ----------
    swept_sphere_radius : float
        Spherical extension, metres.
    """

    swept_sphere_radius: float = 0.0


@dataclass(frozen=True)
class Segment:
    """All points between two ends, which may coincide.

    Attributes
    ----------
    a, b : tuple of float
        The ends, metres.
    swept_sphere_radius : float
        Spherical extension, metres.
    """

    a: _Vector
    b: _Vector
    swept_sphere_radius: float = 0.0


@dataclass(frozen=True)
class Triangle:
    """A flat triangle; collinear and coincident corners are allowed.

    Attributes
    ----------
    a, b, c : tuple of float
        The corners, metres.
    swept_sphere_radius : float
        Spherical extension, metres.
    """

    a: _Vector
    b: _Vector
    c: _Vector
    swept_sphere_radius: float = 0.0


@dataclass(frozen=True)
class Sphere:
    """A ball about the origin.

    Attributes
    ----------
    radius : float
        The radius, metres.
    """

    radius: float


@dataclass(frozen=True)
class Capsule:
    """All points within a radius of a segment of the z axis.

    Attributes
    ----------
    radius : float
        The radius, metres.
    half_length : float
        The segment is from z = -half_length to +half_length, metres.
    """

    radius: float
    half_length: float


@dataclass(frozen=True)
class Box:
    """A box about the origin, with its edges along the axes.

    Vertex i is at (i & 1 ? + : -, i & 2 ? + : -, i & 4 ? + : -) times the half extents.

    Attributes
    ----------
    half_extents : tuple of float
        Half the length of the edges along x, y and z, metres.
    swept_sphere_radius : float
        Spherical extension, metres.
    """

    half_extents: _Vector
    swept_sphere_radius: float = 0.0


@dataclass(frozen=True, eq=False)
class Hull:
    """The convex hull of points. Witnesses name them by their index here.

    Attributes
    ----------
    vertices : array_like
        Points (n, 3), metres.
    swept_sphere_radius : float
        Spherical extension, metres.
    adjacency_offsets, adjacency : array_like of int, optional
        The neighbours of each vertex along the hull's edges in compressed rows, (n + 1) and (m).
        The server verifies them.
    """

    vertices: np.ndarray
    swept_sphere_radius: float = 0.0
    adjacency_offsets: np.ndarray | None = None
    adjacency: np.ndarray | None = None

    def __init__(
        self,
        vertices: ArrayLike,
        swept_sphere_radius: float = 0.0,
        adjacency_offsets: ArrayLike | None = None,
        adjacency: ArrayLike | None = None,
    ) -> None:
        object.__setattr__(self, "vertices", _points(vertices, 3, "hull.vertices"))
        object.__setattr__(self, "swept_sphere_radius", swept_sphere_radius)
        for name, indices in (("adjacency_offsets", adjacency_offsets), ("adjacency", adjacency)):
            array = None if indices is None else np.asarray(indices, "<u4")
            object.__setattr__(self, name, array)

    @staticmethod
    def from_mesh(
        mesh: Any,
        swept_sphere_radius: float = 0.0,
        scale: ArrayLike = 1.0,
        *,
        concave: str | None = None,
    ) -> Hull:
        """Makes the hull of a mesh of another library, such as a trimesh.Trimesh.

        Parameters
        ----------
        mesh : object
            Anything with `vertices` (n, 3) and, optionally, `faces` (m, 3).
        swept_sphere_radius : float
            Spherical extension, metres.
        scale : array_like
            Factor of the coordinates, to metres: one number, or one for each axis. A negative one
            mirrors.
        concave : {"hull", None}
            Chooses the shape of a concave mesh. "hull": its convex hull, without a warning. None:
            the same, with a HollowWarning that tells both volumes and what to do.

        Returns
        -------
        Hull
            The hull.

        Raises
        ------
        InvalidArgument
            Arrays of another shape; another value of `concave`.
        """
        is_hull_meant = _is_hull_meant(concave)
        found = mesh_of_arrays(mesh.vertices, getattr(mesh, "faces", None), scale)
        if not is_hull_meant:
            _warn_if_concave(found, "mesh", "Compound.from_file takes a mesh file apart")
        return Hull(found.vertices, swept_sphere_radius)

    @staticmethod
    def from_file(
        path: str | Path,
        swept_sphere_radius: float = 0.0,
        scale: ArrayLike = 1.0,
        *,
        concave: str | None = None,
        units: str | None = None,
    ) -> Hull:
        """Makes the hull of an OBJ, STL, PLY or OFF file, as `meshes.read_mesh` reads it.

        Parameters
        ----------
        path : str or Path
            The file.
        swept_sphere_radius : float
            Spherical extension, metres.
        scale : array_like
            Factor of the coordinates, to metres: one number, or one for each axis. A negative one
            mirrors.
        concave : {"hull", None}
            Chooses the shape of a concave mesh. "hull": its convex hull, without a warning. None:
            the same, with a HollowWarning that tells both volumes and what to do.
        units : {"m", "cm", "mm", "in", None}
            Unit of the file's coordinates, in place of `scale`. None: metres.

        Returns
        -------
        Hull
            The hull.

        Raises
        ------
        InvalidArgument
            The content is not as its format says; another value of `concave` or `units`;
            `units` beside a `scale`.
        OSError
            The file cannot be read.
        """
        is_hull_meant = _is_hull_meant(concave)
        mesh = read_mesh(path, _factor(scale, units))
        if not is_hull_meant:
            _warn_if_concave(mesh, str(path), "Compound.from_file takes the mesh apart")
        return Hull(mesh.vertices, swept_sphere_radius)


@dataclass(frozen=True, eq=False)
class Polygon:
    """The flat convex hull of points of the plane z = 0.

    Attributes
    ----------
    vertices : array_like
        Points (n, 2), metres.
    swept_sphere_radius : float
        Spherical extension, metres.
    """

    vertices: np.ndarray
    swept_sphere_radius: float = 0.0

    def __init__(self, vertices: ArrayLike, swept_sphere_radius: float = 0.0) -> None:
        object.__setattr__(self, "vertices", _points(vertices, 2, "polygon.vertices"))
        object.__setattr__(self, "swept_sphere_radius", swept_sphere_radius)


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about the z axis.

    Attributes
    ----------
    radius : float
        The radius, metres.
    half_length : float
        It is from z = -half_length to +half_length, metres.
    swept_sphere_radius : float
        Spherical extension, metres.
    """

    radius: float
    half_length: float
    swept_sphere_radius: float = 0.0


@dataclass(frozen=True)
class Cone:
    """A cone about the z axis.

    Attributes
    ----------
    radius : float
        The radius of its base, metres.
    half_length : float
        The base is at z = -half_length, the apex at z = +half_length, metres.
    swept_sphere_radius : float
        Spherical extension, metres.
    """

    radius: float
    half_length: float
    swept_sphere_radius: float = 0.0


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid about the origin, with its axes along the frame's.

    Attributes
    ----------
    semi_axes : tuple of float
        Half the length of its axes along x, y and z, metres.
    swept_sphere_radius : float
        Spherical extension, metres.
    """

    semi_axes: _Vector
    swept_sphere_radius: float = 0.0


@dataclass(frozen=True)
class Piece:
    """A piece of a compound.

    Attributes
    ----------
    shape : ConvexShape
        Any shape except a compound.
    pose : poses_like
        The pose (7,) in the compound's frame.
    """

    shape: ConvexShape
    pose: PosesLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Compound:
    """Convex pieces that move as one body: their union.

    Attributes
    ----------
    pieces : sequence of Piece
        The pieces.
    """

    pieces: Sequence[Piece] = field(default_factory=tuple)

    @staticmethod
    def from_file(
        path: str | Path,
        swept_sphere_radius: float = 0.0,
        scale: ArrayLike = 1.0,
        *,
        concave: str | None = None,
        units: str | None = None,
    ) -> Compound:
        """Makes a compound of the hulls of the parts of a mesh file.

        The parts are its objects, groups or solids. If it has only one, they are the surfaces that
        share no point.

        Parameters
        ----------
        path : str or Path
            The file.
        swept_sphere_radius : float
            Spherical extension, metres.
        scale : array_like
            Factor of the coordinates, to metres: one number, or one for each axis. A negative one
            mirrors.
        concave : {"hull", None}
            Chooses the shape of a concave part. "hull": its convex hull, without a warning. None:
            the same, with a HollowWarning that tells both volumes and what to do.
        units : {"m", "cm", "mm", "in", None}
            Unit of the file's coordinates, in place of `scale`. None: metres.

        Returns
        -------
        Compound
            The compound.

        Raises
        ------
        InvalidArgument
            The content is not as its format says; another value of `concave` or `units`;
            `units` beside a `scale`.
        OSError
            The file cannot be read.
        """
        is_hull_meant = _is_hull_meant(concave)
        mesh = read_mesh(path, _factor(scale, units))
        if not mesh.parts:
            return Compound((Piece(Hull(mesh.vertices, swept_sphere_radius)),))
        pieces = []
        for part in pieces_of(mesh):
            found = mesh_of_arrays(mesh.vertices, part.triangles)
            if not is_hull_meant:
                _warn_if_concave(found, f"{path}: {part.name}", "split the part")
            pieces.append(Piece(Hull(found.vertices, swept_sphere_radius)))
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
    """A registered shape by its name.

    Attributes
    ----------
    name : str
        The name.
    """

    name: str


@dataclass(frozen=True)
class ByDigest:
    """A registered shape by its content.

    Attributes
    ----------
    digest : str
        `v1-sha256-…`, as ShapeInfo has it.
    """

    digest: str


# Names a shape: a registered one (a bare str is a name), or one that lives in this call or session
# alone.
ShapeReference = Union[ByName, ByDigest, str, Shape]


@dataclass(frozen=True)
class ShapeInfo:
    """Facts about a shape.

    Attributes
    ----------
    name : str
        The registered name; empty for an inline shape.
    digest : str
        `v1-sha256-` and 64 hexadecimal digits of the content: the same on every server.
    point_count : int
        Points as given, those of all pieces of a compound. 0 for a cylinder, a cone or an
        ellipsoid.
    vertex_count : int
        Points that are vertices of the hull, or could not be excluded.
    duplicate_count : int
        Points that repeat an earlier one exactly.
    dimension : int
        Dimension without the radius: 0 a point, 1 a segment, 2 flat, 3 solid.
    swept_sphere_radius : float
        Total radius of the spherical extension, metres; 0 for a compound.
    bounding_radius : float
        Radius of a ball about the origin of the shape's frame that contains it, metres.
    volume : float
        Volume without the radius, cubic metres. A compound sums its pieces.
    revision : int
        The registry's revision at which the name got this content; 0 for an inline shape.
    piece_count : int
        Convex pieces: 1 except for a compound.
    """

    name: str
    digest: str
    point_count: int
    vertex_count: int
    duplicate_count: int
    dimension: int
    swept_sphere_radius: float
    bounding_radius: float
    volume: float
    revision: int
    piece_count: int


def _factor(scale: ArrayLike, units: str | None) -> ArrayLike:
    """Returns the factor of a file's coordinates, to metres."""
    if units is None:
        return scale
    if units not in _METRES:
        raise invalid("units", repr(units), 'None, "m", "cm", "mm" or "in"')
    if np.any(np.asarray(scale) != 1):
        raise invalid("units", repr(units), "None if `scale` is given: multiply the factors")
    return _METRES[units]


def _is_hull_meant(concave: str | None) -> bool:
    if concave == "mesh":
        raise invalid("concave", concave, 'None or "hull": concave meshes are not supported yet')
    if concave not in (None, "hull"):
        limit = 'None or "hull"; Compound.from_file takes a mesh file apart'
        raise invalid("concave", repr(concave), limit)
    return concave == "hull"


def _warn_if_concave(mesh: Mesh, name: str, split: str) -> None:
    """Warns the caller's caller, in the command line's words, of what the hull of a mesh fills.

    `split` is the advice for a mesh of several parts or separate surfaces."""
    hollow = hollow_of(mesh.vertices, mesh.triangles)
    if hollow:
        advice = split if _has_pieces(mesh) else _DECOMPOSE
        text = (
            f"{name}: {hollow}; queries see the hull: {advice}, "
            'or concave="hull" says that the hull is meant'
        )
        warnings.warn(text, HollowWarning, stacklevel=3)


def _has_pieces(mesh: Mesh) -> bool:
    try:
        return len(pieces_of(mesh)) > 1
    except InvalidArgument:  # the parts are patches of one surface
        return False


def _points(points: ArrayLike, width: int, name: str) -> np.ndarray:
    array = np.ascontiguousarray(points, "<f8")
    if array.ndim != 2 or array.shape[1] != width:
        raise invalid(name, f"an array of shape {array.shape}", f"an array of shape (n, {width})")
    return array


def body_vertices(shape: Shape) -> np.ndarray | None:
    """Returns the points whose hull, extended by `body_radius`, is the shape.

    Their indices are those of witnesses.

    Parameters
    ----------
    shape : Shape
        The shape.

    Returns
    -------
    numpy.ndarray or None
        Points (n, 3), metres. None for a compound, a cylinder, a cone or an ellipsoid, unless its
        lengths leave a segment or a ball.
    """
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
    """Returns the total radius of the spherical extension.

    Parameters
    ----------
    shape : Shape
        The shape.

    Returns
    -------
    float
        Metres; 0 for a compound.
    """
    match shape:
        case Sphere() | Capsule():
            return shape.radius
        case Ellipsoid():
            return shape.swept_sphere_radius + (shape.semi_axes[0] if _is_ball(shape) else 0.0)
        case Compound():
            return 0.0
    return shape.swept_sphere_radius


def _axis(half_length: float) -> np.ndarray:
    return np.array([[0, 0, -half_length], [0, 0, half_length]], float)


def _is_ball(shape: Ellipsoid) -> bool:
    x, y, z = shape.semi_axes
    return x == y == z
