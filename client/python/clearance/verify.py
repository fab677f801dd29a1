# SPDX-License-Identifier: Apache-2.0
"""Re-proves distances by themselves, in exact arithmetic, without any code of the server.

For two bodies with the difference B - A, a direction n and points of either body

    (min n.b - max n.a) / |n| - r_A - r_B  <=  distance  <=  |sum w (b - a)| / sum w - r_A - r_B,

and where a closed surface of points of the difference goes round the origin at a distance r,
distance <= -r - r_A - r_B. So two scans and one weighted sum are a proof, however the answer was
found. Every number is a `fractions.Fraction`; only square roots and the final comparison are rounded,
to 2**-100 of their size and outwards. It is for auditing, not for speed: about a millisecond for
each ten vertices.

>>> box, here, there = clearance.Box((1, 1, 1)), [0, 0, 0, 0, 0, 0, 1], [3, 0, 0, 0, 0, 0, 1]
>>> with clearance.connect(address) as client:
...     answer = client.distance([box, box], poses_b=there, detail=clearance.PROOF)
>>> verify(box, here, box, there, answer)
[]

Rows whose shapes have vertices can be verified: points, segments, triangles, spheres, capsules,
boxes, hulls and polygons, with their radii. Cylinders, cones, ellipsoids and compounds cannot
(NO_PROOF); the C++ library verifies the curved kinds too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import combinations
from typing import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from clearance.results import DistanceResult, State
from clearance.shapes import Shape, body_radius, body_vertices

_Vector = tuple[Fraction, Fraction, Fraction]

# The normal and the weights were rounded to doubles on their way here: of both bodies' sizes.
_ALLOWANCE = 64 * Fraction(1, 2**53)
_UNIT_SLACK = Fraction(1, 2**48)
_ROOT_BITS = 100
_MOST_WITNESSES = 12


class ViolationKind(Enum):
    """What is wrong with a row."""

    NO_PROOF = "claims nothing that can be proved, or lacks bounds, normals or witnesses"
    MALFORMED = "columns too short, numbers that are not finite, weights that are no weights"
    WITNESS_ID = "a vertex that the shape does not have"
    STATE = "the state contradicts its own bounds, or is not proved"
    LOWER_BOUND = "the supports along the normal do not prove it"
    UPPER_BOUND = "the witnesses do not prove it"
    NORMAL = "not of unit length"
    DISTANCE = "outside its bounds"
    POINT = "point_b is not point_a + distance * normal"


@dataclass(frozen=True)
class Violation:
    """One thing that is wrong with one row."""

    row: int
    kind: ViolationKind
    message: str


def verify(
    shape_a: Shape, pose_a: ArrayLike, shape_b: Shape, pose_b: ArrayLike, result: DistanceResult
) -> list[Violation]:
    """What is wrong with an answer about these two shapes: empty means that every row is proved.

    The poses are those of the question, (…, 7), and broadcast to the answer's shape. Ask with
    `detail=clearance.PROOF`. The state is proved strictly; a bound is accepted if it is proved to
    within 64 * 2**-53 of both bodies' sizes and the distance. Rows that are BEYOND, UNDECIDED or
    REFUSED claim nothing that can be proved."""
    poses = [
        np.broadcast_to(np.asarray(pose, float), result.shape + (7,)).reshape(-1, 7)
        for pose in (pose_a, pose_b)
    ]
    violations: list[Violation] = []
    for row in range(len(result)):
        try:
            _Row(shape_a, poses[0][row], shape_b, poses[1][row], result, row).check()
        except _Wrong as wrong:
            violations.append(Violation(row, wrong.kind, wrong.text))
    return violations


class _Wrong(Exception):
    def __init__(self, kind: ViolationKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text


def _require(holds: bool, kind: ViolationKind, text: str) -> None:
    if not holds:
        raise _Wrong(kind, text)


def _vector(numbers: Iterable[float]) -> _Vector:
    x, y, z = (Fraction(float(number)) for number in numbers)
    return (x, y, z)


def _dot(a: _Vector, b: _Vector) -> Fraction:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _minus(a: _Vector, b: _Vector) -> _Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _cross(a: _Vector, b: _Vector) -> _Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def _root(value: Fraction, up: bool) -> Fraction:
    """The square root, rounded down or up to _ROOT_BITS bits."""
    if value == 0:
        return Fraction(0)
    shift = _ROOT_BITS - (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scaled = value * Fraction(4) ** shift
    root = math.isqrt(math.floor(scaled)) + (1 if up else 0)
    return Fraction(root) / Fraction(2) ** shift


def _posed(points: np.ndarray, pose: np.ndarray, frame: np.ndarray) -> list[_Vector]:
    """Points of a body at a pose, in world axes from the frame's origin: exact, as a rotation by
    q / |q| needs the square of |q| only."""
    x, y, z, w = (Fraction(float(number)) for number in pose[3:])
    square = x * x + y * y + z * z + w * w
    origin = _minus(_vector(pose[:3]), _vector(frame[:3]))
    posed = []
    for point in points:
        v = _vector(point)
        axis = (x, y, z)
        once = _cross(axis, v)
        twice = _cross(axis, once)
        posed.append(
            tuple(origin[i] + v[i] + 2 * (w * once[i] + twice[i]) / square for i in range(3))
        )
    return posed  # type: ignore[return-value]


def _size(points: Sequence[_Vector], radius: Fraction) -> Fraction:
    """At least the radius of the body about the middle of its box."""
    low = [min(p[i] for p in points) for i in range(3)]
    high = [max(p[i] for p in points) for i in range(3)]
    middle = tuple((a + b) / 2 for a, b in zip(low, high))
    squares = (_dot(d, d) for d in (_minus(p, middle) for p in points))  # type: ignore[arg-type]
    return _root(max(squares), up=True) + radius


class _Row:
    def __init__(
        self,
        shape_a: Shape,
        pose_a: np.ndarray,
        shape_b: Shape,
        pose_b: np.ndarray,
        result: DistanceResult,
        row: int,
    ) -> None:
        self._result = result
        self._row = row
        self._state = State(int(result.states.ravel()[row]))
        self._require_proof(shape_a, shape_b)
        vertices_a, vertices_b = body_vertices(shape_a), body_vertices(shape_b)
        assert vertices_a is not None and vertices_b is not None
        self._a = _posed(vertices_a, pose_a, pose_a)
        self._b = _posed(vertices_b, pose_b, pose_a)
        radii = (Fraction(float(body_radius(shape))) for shape in (shape_a, shape_b))
        self._radius_a, self._radius_b = radii
        self._radii = self._radius_a + self._radius_b
        self._sizes = _size(self._a, self._radius_a) + _size(self._b, self._radius_b)
        self._lower = self._number("lower_bounds")
        self._upper = self._number("upper_bounds")
        farthest = max(abs(self._lower), abs(self._upper))
        self._allowance = _ALLOWANCE * (self._sizes + farthest)

    def _require_proof(self, shape_a: Shape, shape_b: Shape) -> None:
        kind = ViolationKind.NO_PROOF
        provable = (State.SEPARATED, State.TOUCHING, State.PENETRATING)
        _require(self._state in provable, kind, f"{self._state.name} comes without a proof")
        for shape in (shape_a, shape_b):
            name = type(shape).__name__
            _require(body_vertices(shape) is not None, kind, f"a {name} is not verified here")
        for name in ("lower_bounds", "upper_bounds", "normals", "witnesses"):
            has_it = getattr(self._result, name) is not None
            _require(has_it, kind, f"{name} were not asked for")

    def _number(self, name: str) -> Fraction:
        number = float(getattr(self._result, name).ravel()[self._row])
        _require(math.isfinite(number), ViolationKind.MALFORMED, f"{name} is {number}")
        return Fraction(number)

    def _triple(self, name: str) -> _Vector | None:
        column = getattr(self._result, name)
        if column is None:
            return None
        numbers = column.reshape(-1, 3)[self._row]
        _require(bool(np.isfinite(numbers).all()), ViolationKind.MALFORMED, f"{name} not finite")
        return _vector(numbers)

    def check(self) -> None:
        _require(self._lower <= self._upper, ViolationKind.STATE, "lower bound > upper bound")
        normal = self._triple("normals")
        assert normal is not None
        length = _root(_dot(normal, normal), up=True)
        _require(abs(length - 1) <= _UNIT_SLACK, ViolationKind.NORMAL, f"|n| = {float(length)}")
        self._normal = normal
        self._read_witnesses()
        gap = self._gap(normal)
        self._check_lower(gap)
        if self._state == State.PENETRATING:
            self._check_penetrating()
        else:
            self._check_apart(gap)
        self._check_distance()

    def _read_witnesses(self) -> None:
        all_rows = self._result.witnesses
        assert all_rows is not None
        first, last = (int(k) for k in all_rows.offsets[self._row : self._row + 2])
        is_well = 0 < last - first <= _MOST_WITNESSES and last <= len(all_rows.weights)
        _require(is_well, ViolationKind.MALFORMED, f"witnesses {first} to {last}")
        self._weights = [Fraction(float(w)) for w in all_rows.weights[first:last]]
        _require(min(self._weights) >= 0, ViolationKind.MALFORMED, "a weight < 0")
        self._differences = [
            self._difference(int(a), int(b))
            for a, b in zip(all_rows.vertices_a[first:last], all_rows.vertices_b[first:last])
        ]

    def _difference(self, a: int, b: int) -> _Vector:
        has_both = a < len(self._a) and b < len(self._b)
        _require(has_both, ViolationKind.WITNESS_ID, f"vertices {a} and {b}")
        return _minus(self._b[b], self._a[a])

    def _gap(self, normal: _Vector) -> Fraction:
        """No two points of the bodies are nearer along the normal, rounded down."""
        height = min(_dot(normal, b) for b in self._b) - max(_dot(normal, a) for a in self._a)
        return height / _root(_dot(normal, normal), up=height > 0) - self._radii

    def _check_lower(self, proved: Fraction) -> None:
        _require(
            proved >= self._lower - self._allowance,
            ViolationKind.LOWER_BOUND,
            f"{float(self._lower)}, but the normal proves {float(proved)} only",
        )
        _require(
            proved <= self._upper,
            ViolationKind.UPPER_BOUND,
            f"{float(self._upper)}, but the normal proves more: {float(proved)}",
        )

    def _check_upper(self, proved: Fraction) -> None:
        _require(
            proved <= self._upper + self._allowance,
            ViolationKind.UPPER_BOUND,
            f"{float(self._upper)}, but only {float(proved)} is proved",
        )
        _require(
            self._lower <= proved,
            ViolationKind.LOWER_BOUND,
            f"{float(self._lower)}, but less is proved: {float(proved)}",
        )

    def _weighted(self) -> Fraction:
        total = sum(self._weights, Fraction(0))
        _require(abs(total - 1) <= _UNIT_SLACK, ViolationKind.MALFORMED, "weights' sum is not 1")
        point = [
            sum((w * d[i] for w, d in zip(self._weights, self._differences)), Fraction(0)) / total
            for i in range(3)
        ]
        square = sum((x * x for x in point), Fraction(0))
        return _root(square, up=True) - self._radii

    def _check_apart(self, gap: Fraction) -> None:
        self._check_upper(self._weighted())
        if self._state == State.TOUCHING:
            is_touching = self._lower <= 0 <= self._upper
            if self._result.tolerances is not None:
                tolerance = self._number("tolerances")
                is_touching &= self._lower >= -tolerance and self._upper <= tolerance
            _require(is_touching, ViolationKind.STATE, "TOUCHING beyond the tolerance")
            return
        _require(self._lower > 0, ViolationKind.STATE, "SEPARATED with lower bound <= 0")
        # A gap at the size of the normal's own rounding needs the direction of the features.
        proved = gap > 0 or self._gap_of_features() > 0
        _require(proved, ViolationKind.STATE, "SEPARATED is not proved")

    def _gap_of_features(self) -> Fraction:
        """Along the exact vector from the origin to the plane, line or point of the witnesses."""
        first = self._differences[0]
        basis: list[_Vector] = []
        for difference in self._differences[1:]:
            fresh = _without(_minus(difference, first), basis)
            if any(fresh):
                basis.append(fresh)
        normal = _without(first, basis)
        return self._gap(normal) if any(normal) else Fraction(0)

    def _check_penetrating(self) -> None:
        _require(self._upper < 0, ViolationKind.STATE, "PENETRATING with upper bound >= 0")
        if sum(self._weights):
            proved = self._weighted()  # the radii overlap, the cores do not
            if proved < 0:
                self._check_upper(proved)
                return
        is_inside = _holds_origin(self._differences)
        _require(is_inside, ViolationKind.STATE, "the witnesses do not hold the origin inside")
        self._check_depth()

    def _check_depth(self) -> None:
        proofs = self._result.depth_proofs
        if proofs is None or proofs.truncated[self._row]:
            return
        first, last = (int(k) for k in proofs.offsets[self._row : self._row + 2])
        corners = [
            self._difference(int(a), int(b))
            for a, b in zip(proofs.vertices_a[first:last], proofs.vertices_b[first:last])
        ]
        first, last = (int(k) for k in proofs.facet_offsets[self._row : self._row + 2])
        facets = [tuple(int(k) for k in facet) for facet in proofs.facets[first:last]]
        if not facets:
            return
        is_known = all(k < len(corners) for facet in facets for k in facet)
        _require(is_known, ViolationKind.WITNESS_ID, "a triangle of no corner")
        # The surface is of differences A - B; these, B - A, are its mirror image.
        self._check_upper(-_radius_inside(corners, facets) - self._radii)

    def _check_distance(self) -> None:
        if self._result.distances is None:
            return
        distance = self._number("distances")
        is_inside = self._lower <= distance <= self._upper
        _require(is_inside, ViolationKind.DISTANCE, f"{float(distance)} outside of its bounds")
        for prefix in ("", "relative_"):
            a, b = self._triple(f"{prefix}points_a"), self._triple(f"{prefix}points_b")
            if a is None or b is None:
                continue
            off = [b[i] - a[i] - distance * self._normal[i] for i in range(3)]
            reach = sum(abs(x) for x in a) + sum(abs(x) for x in b)
            limit = self._allowance + _ALLOWANCE * reach
            is_there = sum(x * x for x in off) <= limit * limit
            _require(is_there, ViolationKind.POINT, f"{prefix}points are not that far apart")


def _without(vector: _Vector, basis: Sequence[_Vector]) -> _Vector:
    for e in basis:
        share = _dot(vector, e) / _dot(e, e)
        vector = (vector[0] - share * e[0], vector[1] - share * e[1], vector[2] - share * e[2])
    return vector


def _holds_origin(points: Sequence[_Vector]) -> bool:
    """Strictly inside their hull. If it is not, some plane through the origin has all points on one
    side, and can be turned until it goes through two of them."""
    has_plane = False
    for a, b in combinations(points, 2):
        normal = _cross(a, b)
        if not any(normal):
            continue
        has_plane = True
        heights = [_dot(normal, p) for p in points]
        if not min(heights) < 0 < max(heights):
            return False
    return has_plane


def _radius_inside(corners: Sequence[_Vector], facets: Sequence[tuple[int, ...]]) -> Fraction:
    """Radius of a ball about the origin inside the hull of the corners, rounded down: 0 unless the
    surface is closed and goes round the origin. Where the origin sees every triangle from its inner
    side, a closed surface goes round it; the planes are then no nearer than the surface's hull."""
    edges = {(f[i], f[(i + 1) % 3]) for f in facets for i in range(3)}
    is_closed = len(edges) == 3 * len(facets) and all((b, a) in edges for a, b in edges)
    if not is_closed:
        return Fraction(0)
    sides = set()
    nearest: Fraction | None = None
    for i, j, k in facets:
        a, b, c = corners[i], corners[j], corners[k]
        normal = _cross(_minus(b, a), _minus(c, a))
        if not any(normal):
            continue
        height = _dot(normal, a)
        sides.add(height > 0)
        if height == 0:
            return Fraction(0)
        distance = abs(height) / _root(_dot(normal, normal), up=True)
        nearest = distance if nearest is None else min(nearest, distance)
    return nearest if nearest is not None and len(sides) == 1 else Fraction(0)
