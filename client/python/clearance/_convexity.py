# SPDX-License-Identifier: Apache-2.0
"""How far a mesh is from its convex hull, judged alike by the C++ client (clearance/mesh.h).

Source of the hull: Barber, Dobkin, Huhdanpaa, "The quickhull algorithm for convex hulls", 1996."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_CONVEX_SHARE = 0.999  # of the hull's volume
_DEEPEST = 1e-3  # of the largest extent, that a face of a convex open mesh lies inside of its hull
_MOST_HULL_POINTS = 1500
_MOST_FACES_JUDGED = 4096
_FLAT = 1e-9  # of the largest extent


@dataclass(frozen=True)
class Hull:
    """Points of a convex hull and its volume, a little less if not all points were looked at."""

    points: np.ndarray
    volume: float


class _Faces:
    """The faces of a growing hull, outward, and the points that lie outside of each."""

    def __init__(self, points: np.ndarray, simplex: list[int], least: float) -> None:
        self.points, self.least = points, least
        a, b, c, d = simplex
        self.corners = np.array([[a, b, c], [a, c, d], [a, d, b], [b, d, c]])
        if np.linalg.det(points[[b, c, d]] - points[a]) > 0:
            self.corners = self.corners[:, ::-1]
        self.normals, self.offsets = self._planes(self.corners)
        self.outside: list[np.ndarray] = []
        self.farthest: list[tuple[float, int]] = []
        self._divide(np.arange(len(points)), self.normals, self.offsets)

    def _planes(self, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a, b, c = (self.points[corners[:, i]] for i in range(3))
        normals = np.cross(b - a, c - a)
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
        return normals, (normals * a).sum(axis=1)

    def _divide(self, among: np.ndarray, normals: np.ndarray, offsets: np.ndarray) -> None:
        """Gives each point to the new face that it lies farthest outside of."""
        heights = self.points[among] @ normals.T - offsets
        best = heights.argmax(axis=1) if len(among) else np.empty(0, np.int64)
        height = heights[np.arange(len(among)), best]
        for i in range(len(normals)):
            mine = (best == i) & (height > self.least)
            self.outside.append(among[mine])
            top = height[mine].argmax() if mine.any() else -1
            self.farthest.append((height[mine][top], among[mine][top]) if top >= 0 else (0.0, -1))

    def grow(self) -> bool:
        """Takes the point that lies farthest outside. False: none does."""
        height, point = max(self.farthest)
        if height <= 0:
            return False
        seen = self.normals @ self.points[point] - self.offsets > 1e-5 * self.least
        corners = self.corners[seen]
        edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
        count = len(self.points)
        keys, reverse = edges @ [count, 1], edges @ [1, count]
        horizon = edges[~np.isin(keys, reverse)]
        added = np.column_stack([horizon, np.full(len(horizon), point)])
        normals, offsets = self._planes(added)
        orphans = np.concatenate([self.outside[i] for i in np.flatnonzero(seen)])
        kept = np.flatnonzero(~seen)
        self.outside = [self.outside[i] for i in kept]
        self.farthest = [self.farthest[i] for i in kept]
        self.corners = np.concatenate([self.corners[kept], added])
        self.normals = np.concatenate([self.normals[kept], normals])
        self.offsets = np.concatenate([self.offsets[kept], offsets])
        self._divide(orphans[orphans != point], normals, offsets)
        return True


def hull_of(points: np.ndarray) -> Hull | None:
    """None of points that lie in a plane."""
    simplex = _first_simplex(points)
    if simplex is None:
        return None
    faces = _Faces(points, simplex, 1e-7 * _extent(points))
    for _ in range(_MOST_HULL_POINTS):
        if not faces.grow():
            break
    a, b, c = (points[faces.corners[:, i]] - points[simplex[0]] for i in range(3))
    volume = (a * np.cross(b, c)).sum() / 6
    return Hull(points[np.unique(faces.corners)], float(volume))


def _extent(points: np.ndarray) -> float:
    return float(np.ptp(points, axis=0).max())


def _first_simplex(points: np.ndarray) -> list[int] | None:
    axis = np.ptp(points, axis=0).argmax()
    a, b = int(points[:, axis].argmin()), int(points[:, axis].argmax())
    from_a = points - points[a]
    across = np.linalg.norm(np.cross(from_a, from_a[b]), axis=1)
    c = int(across.argmax())
    heights = np.abs(from_a @ np.cross(from_a[b], from_a[c]))
    d = int(heights.argmax())
    extent = _extent(points)
    is_flat = across[c] <= _FLAT * extent**2 or heights[d] <= _FLAT * extent * across[c]
    return None if is_flat else [a, b, c, d]


@dataclass(frozen=True)
class Enclosure:
    """The volumes that the separate surfaces of a mesh enclose.

    Cubic metres; of a surface that is not closed, about what it would enclose."""

    volumes: np.ndarray
    is_closed: np.ndarray


def enclosure_of(vertices: np.ndarray, triangles: np.ndarray) -> Enclosure:
    """A surface is closed if every edge is there once in each direction."""
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    surface = surfaces_of(len(vertices), triangles)
    count = int(surface.max()) + 1 if len(surface) else 0
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    keys, reverse = edges @ [len(vertices), 1], edges @ [1, len(vertices)]
    _, inverse, times = np.unique(keys, return_inverse=True, return_counts=True)
    is_bad = (times[inverse.reshape(-1)] > 1) | ~np.isin(reverse, keys)
    is_closed = np.ones(count, bool)
    is_closed[np.tile(surface, 3)[is_bad]] = False
    # About a point of each surface, which an open one depends on.
    corners = vertices[triangles]
    weights = np.maximum(np.bincount(surface, minlength=count), 1)[:, None]
    sums = np.stack(
        [np.bincount(surface, corners.mean(axis=1)[:, i], minlength=count) for i in range(3)], -1
    )
    corners = corners - (sums / weights)[surface][:, None, :]
    six = (corners[:, 0] * np.cross(corners[:, 1], corners[:, 2])).sum(axis=1)
    return Enclosure(np.abs(np.bincount(surface, six, minlength=count)) / 6, is_closed)


def surfaces_of(vertex_count: int, triangles: np.ndarray) -> np.ndarray:
    """The number of the surface that each triangle belongs to: those that share points are one."""
    lowest = np.arange(vertex_count)
    while True:
        least = np.repeat(lowest[triangles].min(axis=1), 3)
        lower = lowest.copy()
        np.minimum.at(lower, triangles.ravel(), least)
        np.minimum.at(lower, lowest[triangles].ravel(), least)
        lower = lower[lower]
        if (lower == lowest).all():
            break
        lowest = lower
    return np.unique(lowest[triangles[:, 0]], return_inverse=True)[1].reshape(-1)


def hollow_of(vertices: np.ndarray, triangles: np.ndarray) -> str | None:
    """Describes the hollows that the convex hull of a mesh fills, in a sentence.

    None of a mesh that is convex, of a cloud, and of a flat one."""
    hull = hull_of(vertices) if len(triangles) else None
    if hull is None:
        return None
    enclosure = enclosure_of(vertices, triangles)
    if (enclosure.volumes[enclosure.is_closed] >= _CONVEX_SHARE * hull.volume).any():
        return None
    count = len(enclosure.volumes)
    if count == 1 and not enclosure.is_closed[0] and _lies_on(hull, vertices, triangles):
        return None
    volume = enclosure.volumes.sum()
    about = "" if enclosure.is_closed.all() else "about "
    what = "the mesh is not convex: it encloses" if count == 1 else (
        f"the mesh has {count} separate surfaces, which enclose"
    )
    is_less = 0 < volume < hull.volume
    times = f" ({hull.volume / volume:.2f} times as much)" if is_less else ""
    return f"{what} {about}{volume:.3g} m^3, its convex hull {hull.volume:.3g} m^3{times}"


def _lies_on(hull: Hull, vertices: np.ndarray, triangles: np.ndarray) -> bool:
    """Whether every triangle that is looked at lies on the hull's surface."""
    extent = _extent(vertices)
    looked_at = triangles[:: -(-len(triangles) // _MOST_FACES_JUDGED)]
    a, b, c = (vertices[looked_at[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    is_seen = lengths > 1e-6 * extent**2
    normals = normals[is_seen] / lengths[is_seen, None]
    heights = normals @ hull.points.T - (normals * a[is_seen]).sum(axis=1)[:, None]
    inside = np.minimum(heights.max(axis=1), -heights.min(axis=1))
    return bool((inside <= _DEEPEST * extent).all())
