# SPDX-License-Identifier: Apache-2.0
"""Searches directions that prove two bodies separated, or overlapping no deeper than a bound.

The results of floating point prove nothing. `_proof_bodies.gap` along such a direction does, and
the exact point of two polytopes that comes with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any, Callable

import numpy as np

from clearance._proof_bodies import (
    Body,
    PointBody,
    Vector,
    minus,
    nearest_of_plane,
    plus,
    times,
    vector,
)

# Limit on the steps of the search for the nearest point. For polytopes it ends long before.
_MOST_STEPS = 200
# Limit on the facets of the difference of overlapping hulls that are tried, counting all that
# vertices could span; and the number tried at once.
_MOST_FACETS = 500_000
_FACETS_AT_ONCE = 16_384


@dataclass(frozen=True)
class Findings:
    """Directions from A to B, of any length but 0, and, if one is known, a point that is certainly
    in B - A: the bodies' cores are at most that far apart."""

    directions: list[Vector] = field(default_factory=list)
    point: Vector | None = None


def look(a: Body, b: Body) -> Findings:
    """Searches for directions. Finds nothing if numbers are too large or too small for floating
    point."""
    try:
        found = _look_at_polytopes(a, b) if _are_polytopes(a, b) else _look_at_any(a, b)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):
        return Findings()
    return Findings([way for way in found.directions if any(way)], found.point)


def _are_polytopes(a: Body, b: Body) -> bool:
    return isinstance(a, PointBody) and isinstance(b, PointBody)


def _look_at_any(a: Body, b: Body) -> Findings:
    support_a, support_b = _support_of(a), _support_of(b)
    nearest = _nearest(lambda way: (None, support_b(way) - support_a(-way)))
    return Findings() if nearest is None else Findings([vector(nearest.point)])


def _support_of(body: Body) -> Callable[[np.ndarray], np.ndarray]:
    if not isinstance(body, PointBody):
        return body.support
    points = np.array([[float(x) for x in point] for point in body.points])
    return lambda way: points[(points @ way).argmax()]


def _look_at_polytopes(a: Any, b: Any) -> Findings:
    exponent = max(_exponent(x) for body in (a, b) for point in body.points for x in point)
    points_a, points_b = (_floats(body.points, exponent) for body in (a, b))

    def support(way: np.ndarray) -> tuple[tuple[int, int], np.ndarray]:
        i, j = int((points_a @ -way).argmax()), int((points_b @ way).argmax())
        return (i, j), points_b[j] - points_a[i]

    nearest = _nearest(support)
    if nearest is None:
        facet = _shallowest_facet(points_a, points_b)
        return Findings() if facet is None else Findings([vector(facet)])
    corners = [minus(b.points[j], a.points[i]) for i, j in nearest.keys]
    total = sum((Fraction(w) for w in nearest.weights), Fraction(0))
    point: Vector = (Fraction(0), Fraction(0), Fraction(0))
    for weight, corner in zip(nearest.weights, corners):
        point = plus(point, times(Fraction(weight) / total, corner))
    # If features all but touch, floating point gives a poor direction.
    return Findings([vector(nearest.point), nearest_of_plane(corners)], point)


def _exponent(x: Fraction) -> int:
    return x.numerator.bit_length() - x.denominator.bit_length() if x else -(10**6)


def _floats(points: list[Vector], exponent: int) -> np.ndarray:
    """Returns the points in units of 2**exponent."""
    unit = Fraction(2) ** -exponent
    return np.array([[float(x * unit) for x in point] for point in points])


@dataclass
class _Nearest:
    """A point as the weighted sum of corners with these names and weights >= 0."""

    keys: list[Any]
    weights: list[float]
    point: np.ndarray


def _nearest(support: Callable[[np.ndarray], tuple[Any, np.ndarray]]) -> _Nearest | None:
    """Returns the point of a body that is nearest to the origin; None if that is the origin. The
    method is P. Wolfe, "Finding the nearest point in a polytope", 1976, with supports in place of a
    list."""
    key, corner = support(np.array([1.0, 0, 0]))
    keys, points, weights = [key], [corner], np.ones(1)
    point = corner
    for _ in range(_MOST_STEPS):
        size = max(float(np.abs(points).max()), 1e-300)
        distance = float(np.linalg.norm(point))
        if not distance > 1e-14 * size:
            return None
        key, corner = support(-point)
        is_known = any((corner == known).all() for known in points)
        if is_known or point @ point - point @ corner <= 1e-16 * size * distance:
            break
        kept, points, weights = _nearest_simplex([*points, corner], np.append(weights, 0.0))
        keys = [key for key, is_kept in zip([*keys, key], kept) if is_kept]
        point = weights @ np.array(points)
    return _Nearest(keys, weights.tolist(), point)


def _nearest_simplex(
    points: list[np.ndarray], weights: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """Returns which corners have the hull's point nearest to the origin, these corners, and their
    weights. It starts from the weights of a point that the last corner is below."""
    kept = np.ones(len(points), bool)
    while True:
        first, others = points[0], np.array(points[1:]).reshape(-1, 3) - points[0]
        shares = np.linalg.lstsq(others.T, -first, rcond=None)[0]
        wanted = np.append(1 - shares.sum(), shares)
        if len(points) == 1 or wanted.min() > 0:
            return kept, points, wanted
        falling = wanted <= 0
        step = (weights[falling] / np.maximum(weights - wanted, 1e-300)[falling]).min()
        weights = weights + min(step, 1.0) * (wanted - weights)
        stays = weights > 0
        stays[np.flatnonzero(falling)[weights[falling].argmin()]] = False
        kept[np.flatnonzero(kept)[~stays]] = False
        points = [point for point, is_kept in zip(points, stays) if is_kept]
        weights = weights[stays] / weights[stays].sum()


def _shallowest_facet(a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """Returns the normal along which overlapping hulls come apart soonest; None if there could be
    too many facets. Every facet of B - A is spanned by a face of one, or by an edge of either."""
    edges_a, edges_b = _edges(a), _edges(b)
    faces = len(edges_a) * len(a) + len(edges_b) * len(b)
    if faces + len(edges_a) * len(edges_b) > _MOST_FACETS:
        return None
    normals = [np.cross(edges_a[:, None], edges_b[None]).reshape(-1, 3)]
    for points in (a, b):
        triples = np.array(list(combinations(range(len(points)), 3)), int).reshape(-1, 3)
        p, q, r = (points[triples[:, k]] for k in range(3))
        normals.append(np.cross(q - p, r - p))
    one_way = np.concatenate(normals)
    lengths = np.linalg.norm(one_way, axis=1)
    one_way = one_way[lengths > 0] / lengths[lengths > 0][:, None]
    best: tuple[float, np.ndarray | None] = (-np.inf, None)
    for first in range(0, len(one_way), _FACETS_AT_ONCE):
        some = one_way[first : first + _FACETS_AT_ONCE]
        for ways in (some, -some):
            gaps = (ways @ b.T).min(axis=1) - (ways @ a.T).max(axis=1)
            if gaps.max() > best[0]:
                best = (float(gaps.max()), ways[gaps.argmax()])
    return best[1]


def _edges(points: np.ndarray) -> np.ndarray:
    pairs = np.array(list(combinations(range(len(points)), 2)), int).reshape(-1, 2)
    return points[pairs[:, 1]] - points[pairs[:, 0]]
