# SPDX-License-Identifier: Apache-2.0
"""Mesh files, read strictly: OBJ, STL, PLY and OFF, text and binary.

A file is read as its format says, or refused with the line or byte and the reason. The C++ client
and the command line (clearance/mesh.h) read the same points bit for bit, and refuse the same files
in the same words. Coordinates are taken as they are, in full double precision: scale them to
metres.

A mesh has the points that its faces use; a mesh without faces has all points of the file. Equal
points are one. They keep the file's order. The parts are the objects of an OBJ file, or its groups
if it has no objects, or the solids of an STL file in text; any other file is one part.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np
from numpy.typing import ArrayLike

from clearance._convexity import enclosure_of, surfaces_of
from clearance._mesh_content import FEWEST_CORNERS, Content, Faces
from clearance._mesh_obj import read_obj
from clearance._mesh_off import read_off
from clearance._mesh_ply import read_ply
from clearance._mesh_stl import read_stl
from clearance._mesh_text import Fault, quoted
from clearance.errors import InvalidArgument, invalid

__all__ = ["Mesh", "MeshPart", "mesh_of_arrays", "parse_mesh", "pieces_of", "read_mesh"]

_READERS = {".obj": read_obj, ".stl": read_stl, ".ply": read_ply, ".off": read_off}
_LARGEST_FILE = 1 << 30  # bytes


@dataclass(frozen=True, eq=False)
class MeshPart:
    """A named part of a mesh.

    Attributes
    ----------
    name : str
        The name.
    triangles : numpy.ndarray
        Indices (n, 3) of points of the mesh.
    """

    name: str
    triangles: np.ndarray


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh.

    Attributes
    ----------
    vertices : numpy.ndarray
        Points (n, 3), metres.
    parts : tuple of MeshPart
        The parts; none: a cloud of points.
    """

    vertices: np.ndarray
    parts: tuple[MeshPart, ...]

    @property
    def triangles(self) -> np.ndarray:
        """The triangles of all parts, (n, 3)."""
        return np.concatenate([np.empty((0, 3), np.int64), *(p.triangles for p in self.parts)])


def read_mesh(path: str | Path, scale: ArrayLike = 1.0) -> Mesh:
    """Returns the mesh of a file.

    Parameters
    ----------
    path : str or Path
        An .obj, .stl, .ply or .off file.
    scale : array_like
        Factor of the coordinates, to metres: one number, or one for each axis. A negative one
        mirrors.

    Returns
    -------
    Mesh
        The mesh.

    Raises
    ------
    InvalidArgument
        The content is not as its format says; the message says where.
    OSError
        The file cannot be read.
    """
    path = Path(path)
    try:
        _reader_of(path.suffix)
        if path.exists() and not path.is_file():
            raise Fault("it is not a regular file")
        size = path.stat().st_size
        if size > _LARGEST_FILE:
            raise Fault(f"the file has {size} bytes: must be at most {_LARGEST_FILE}")
        return _parse(path.read_bytes(), path.suffix, scale)
    except Fault as fault:
        raise InvalidArgument(f"{path}: {fault}") from None


def parse_mesh(content: bytes, extension: str, scale: ArrayLike = 1.0) -> Mesh:
    """Returns the mesh of the content of a file.

    Parameters
    ----------
    content : bytes
        The content.
    extension : str
        The format: ".obj", ".stl", ".ply" or ".off".
    scale : array_like
        As for `read_mesh`.

    Returns
    -------
    Mesh
        The mesh.

    Raises
    ------
    InvalidArgument
        The content is not as its format says; the message says where.
    """
    try:
        return _parse(content, extension, scale)
    except Fault as fault:
        raise InvalidArgument(str(fault)) from None


def _parse(content: bytes, extension: str, scale: ArrayLike) -> Mesh:
    read = _reader_of(extension)
    factors = _factors(scale)
    return _as_mesh(read(content), factors)


def _reader_of(extension: str) -> Callable[[bytes], Content]:
    reader = _READERS.get(extension.lower())
    if reader is None:
        raise Fault(
            f"{quoted(extension.encode())} is not read: must be .obj, .stl, .ply or .off; convert"
            " the file, with its units and axes applied"
        )
    return reader


def _factors(scale: ArrayLike) -> np.ndarray:
    factors = np.asarray(scale, float)
    if factors.shape not in ((), (3,)) or not np.isfinite(factors).all() or not factors.all():
        raise Fault(f"the scale is {scale!r}: must be a finite number other than 0, or three")
    return factors


def mesh_of_arrays(points: ArrayLike, faces: ArrayLike | None, scale: ArrayLike = 1.0) -> Mesh:
    """Returns the mesh of points and faces.

    Parameters
    ----------
    points : array_like
        Points (n, 3).
    faces : array_like of int or None
        Faces (m, k) of k corners each. None: a cloud of points.
    scale : array_like
        As for `read_mesh`.

    Returns
    -------
    Mesh
        The mesh.

    Raises
    ------
    InvalidArgument
        Arrays of another shape, or a face of a point that does not exist.
    """
    vertices = np.asarray(points, float)
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise invalid("vertices", f"an array of shape {vertices.shape}", "an array of shape (n, 3)")
    corners = np.empty((0, 3), np.int64) if faces is None else np.asarray(faces, np.int64)
    if not corners.size:
        corners = np.empty((0, 3), np.int64)
    if corners.ndim != 2 or corners.shape[1] < FEWEST_CORNERS:
        raise invalid("faces", f"an array of shape {corners.shape}", "an array of shape (m, 3)")
    listed = Faces.uniform(corners, np.arange(len(corners)))
    try:
        listed.require_points(len(vertices), word="face", first=0)
        return _as_mesh(Content(vertices, listed), _factors(scale))
    except Fault as fault:
        raise InvalidArgument(str(fault)) from None


def pieces_of(mesh: Mesh) -> list[MeshPart]:
    """Returns the parts of a mesh that has several, and of any other its separate surfaces.

    Parameters
    ----------
    mesh : Mesh
        The mesh.

    Returns
    -------
    list of MeshPart
        The parts.

    Raises
    ------
    InvalidArgument
        The parts are patches of one closed surface: their hulls would leave out its inside.
    """
    if len(mesh.parts) == 1:
        part = mesh.parts[0]
        numbers = surfaces_of(len(mesh.vertices), part.triangles)
        count = int(numbers.max()) + 1
        return [MeshPart(f"surface {i}", part.triangles[numbers == i]) for i in range(count)]
    whole = enclosure_of(mesh.vertices, mesh.triangles)
    if whole.is_closed.all():
        for part in mesh.parts:
            if not enclosure_of(mesh.vertices, part.triangles).is_closed.all():
                raise InvalidArgument(
                    f"part '{part.name}' is a patch of a closed surface: its hull would leave out"
                    " what the surface encloses; take the hull of the mesh, or split it into closed"
                    " parts"
                )
    return list(mesh.parts)


def _as_mesh(content: Content, factors: np.ndarray) -> Mesh:
    faces = content.faces
    used = np.unique(faces.corners) if len(faces.counts) else np.arange(len(content.points))
    if not len(used):
        raise Fault("the file has no points")
    welded, index_of_used = _weld(content.points[used])
    vertices = welded * factors
    is_bad = ~np.isfinite(vertices).all(axis=1)
    if is_bad.any():
        raise Fault(f"point {int(np.argmax(is_bad))} is not finite once it is scaled")
    index_of = np.zeros(len(content.points), np.int64)
    index_of[used] = index_of_used
    return Mesh(vertices, _as_parts(faces, index_of))


def _weld(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the points, each once, in their order, and the index of each in that list."""
    points = np.ascontiguousarray(points + 0.0)  # which makes -0 a 0
    keys = points.view([("", np.void, points.dtype.itemsize * 3)]).reshape(-1)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return points[first[order]], rank[inverse.reshape(-1)]


def _as_parts(faces: Faces, index_of: np.ndarray) -> tuple[MeshPart, ...]:
    triangles, parts = faces.triangles()
    triangles = index_of[triangles]
    return tuple(
        MeshPart(name, triangles[parts == i])
        for i, name in enumerate(faces.names)
        if (parts == i).any()
    )
