# SPDX-License-Identifier: Apache-2.0
"""The oracle of the tests: the distance and the depth of two hulls of a few points, by brute force.

It shares no idea with the server: no iterations, no support mapping. The differences b - a of all
vertices span the Minkowski difference. If the hulls are apart, its point nearest to the origin is
the projection of the origin onto the affine hull of one, two or three of them. The distance is the
least length of all such projections that lie within their simplex. If the hulls overlap, the depth
is the least distance of the origin from a plane through three of them that has all others on one
side.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np


def signed_distance(a: np.ndarray, b: np.ndarray) -> float:
    """Returns the distance of the hulls of the rows of `a` and `b`, in one frame. Negative: minus
    the depth."""
    differences = (b[:, None, :] - a[None, :, :]).reshape(-1, 3)
    depth = _depth(differences)
    return -depth if depth > 0 else _distance(differences)


def _simplices(points: np.ndarray, size: int) -> np.ndarray:
    return points[np.array(list(combinations(range(len(points)), size)))]


def _distance(points: np.ndarray) -> float:
    best = np.linalg.norm(points, axis=1).min()
    for size in (2, 3):
        simplices = _simplices(points, size)
        first, edges = simplices[:, 0], simplices[:, 1:] - simplices[:, :1]
        gram = edges @ np.swapaxes(edges, 1, 2)
        is_proper = np.linalg.det(gram) > 1e-12 * np.trace(gram, axis1=1, axis2=2) ** (size - 1)
        first, edges, gram = first[is_proper], edges[is_proper], gram[is_proper]
        right = -(edges @ first[:, :, None])
        weights = np.linalg.solve(gram, right)[:, :, 0]
        is_inside = (weights >= 0).all(1) & (weights.sum(1) <= 1)
        nearest = first + np.einsum("ik,ikd->id", weights, edges)
        if is_inside.any():
            best = min(best, np.linalg.norm(nearest[is_inside], axis=1).min())
    return float(best)


def _depth(points: np.ndarray) -> float:
    """Returns the depth; not positive unless the origin is inside."""
    triangles = _simplices(points, 3)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    is_proper = lengths > 1e-12
    normals = normals[is_proper] / lengths[is_proper, None]
    offsets = np.einsum("id,id->i", normals, triangles[is_proper, 0])
    heights = normals @ points.T - offsets[:, None]
    best = np.inf
    for sign in (1, -1):
        is_face = (sign * heights <= 1e-9).all(1)
        if is_face.any():
            best = min(best, (sign * offsets[is_face]).min())
    return float(best)
