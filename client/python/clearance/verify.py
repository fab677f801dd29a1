# SPDX-License-Identifier: Apache-2.0
"""Proofs of distances in exact arithmetic, without any code of the server.

For two bodies with the difference B - A, a direction n and points of either body::

    (min n.b - max n.a) / |n| - r_A - r_B  <=  distance  <=  |sum w (b - a)| / sum w - r_A - r_B.

If a closed surface of points of the difference encloses the origin at a distance r, then distance
<= -r - r_A - r_B. So two scans and one weighted sum are a proof, however the answer was found. For
a cylinder, a cone or an ellipsoid the scan is a closed form, and the answer's point replaces the
weighted sum after it is shown to lie in the core. Every number is a `fractions.Fraction`. Only
square roots and the final comparison are rounded, outwards, to 2**-100 of their size. This is for
auditing: it takes about a millisecond for each ten vertices.

>>> box, here, there = clearance.Box((1, 1, 1)), [0, 0, 0, 0, 0, 0, 1], [3, 0, 0, 0, 0, 0, 1]
>>> with clearance.connect(address) as client:
...     answer = client.distance([box, box], poses_b=there, detail=clearance.DistanceDetail.PROOF)
>>> verify(box, here, box, there, answer)
[]

For a compound the answer's proof is about the pieces that it names. Directions that are searched
here prove that no other two pieces are nearer, or overlap deeper.

NO_PROOF means that the core of a cylinder, a cone or an ellipsoid overlaps another core, or that no
such direction was found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from itertools import combinations
from typing import Sequence

import numpy as np

from clearance import _proof_bodies as bodies
from clearance._proof_bodies import (
    Vector,
    cross,
    dot,
    length,
    minus,
    nearest_of_plane,
    root,
    times,
    vector,
)
from clearance._scene_results import NearestPairs
from clearance._separation import look
from clearance.poses import PosesLike, as_poses
from clearance.results import DistanceResult, State
from clearance.shapes import Shape

__all__ = ["Violation", "ViolationKind", "verify", "verify_separation"]

# The normal and the weights were rounded to doubles on their way here; relative to both bodies'
# sizes.
_ALLOWANCE = 64 * Fraction(1, 2**53)
# The direction of a smooth body's nearest point has only the root of the distance's accuracy;
# relative to the sizes and places.
_CURVED_DIRECTION = Fraction(1, 10**9)
_UNIT_SLACK = Fraction(1, 2**48)
_MOST_WITNESSES = 12
_NO_VERTEX = 2**32 - 1  # the index for a shape without vertices


class ViolationKind(IntEnum):
    """Kinds of faults of a row.

    Attributes
    ----------
    NO_PROOF : int
        Claims nothing that can be proved, or lacks bounds, normals or witnesses.
    MALFORMED : int
        Columns too short, numbers that are not finite, invalid weights.
    WITNESS_ID : int
        A vertex that the shape does not have.
    STATE : int
        The state contradicts its own bounds, or is not proved.
    LOWER_BOUND : int
        The supports along the normal do not prove it.
    UPPER_BOUND : int
        The witnesses do not prove it.
    NORMAL : int
        Not of unit length.
    DISTANCE : int
        Outside its bounds.
    POINT : int
        point_b is not point_a + distance * normal.
    """

    NO_PROOF = 1
    MALFORMED = 2
    WITNESS_ID = 3
    STATE = 4
    LOWER_BOUND = 5
    UPPER_BOUND = 6
    NORMAL = 7
    DISTANCE = 8
    POINT = 9


@dataclass(frozen=True)
class Violation:
    """One fault of one row.

    Attributes
    ----------
    row : int
        The row, in C order.
    kind : ViolationKind
        The kind.
    message : str
        Text for people.
    """

    row: int
    kind: ViolationKind
    message: str


def verify(
    shape_a: Shape, pose_a: PosesLike, shape_b: Shape, pose_b: PosesLike, result: DistanceResult
) -> list[Violation]:
    """Proves an answer about two shapes.

    States are proved strictly. A bound is accepted if it is proved to within 64 * 2**-53 of both
    bodies' sizes and the distance. The upper bound of overlapping cores needs depth proofs; without
    them only its sign is proved. Rows that are BEYOND, UNDECIDED or REFUSED claim nothing that can
    be proved.

    Parameters
    ----------
    shape_a, shape_b : Shape
        The shapes.
    pose_a, pose_b : poses_like
        The poses (…, 7) of the question; they broadcast.
    result : DistanceResult
        The answer, asked for with `detail=DistanceDetail.PROOF`.

    Returns
    -------
    list of Violation
        The faults; empty: every row is proved.
    """
    poses = [
        np.broadcast_to(as_poses(pose), result.shape + (7,)).reshape(-1, 7)
        for pose in (pose_a, pose_b)
    ]
    violations: list[Violation] = []
    for row in range(len(result)):
        try:
            _Row(shape_a, poses[0][row], shape_b, poses[1][row], result, row).check()
        except _Wrong as wrong:
            violations.append(Violation(row, wrong.kind, wrong.text))
    return violations


def verify_separation(
    shape_a: Shape,
    pose_a: PosesLike,
    shape_b: Shape,
    pose_b: PosesLike,
    pairs: NearestPairs,
    index: int,
) -> list[Violation]:
    """Proves one pair of a list.

    It proves that no two points of these shapes at these poses are nearer than the lower bound.
    Only SEPARATED pairs are proved. If distances are present, they must lie within the bounds, and
    the points must be that far apart along the normal. It does not check that the points belong to
    the shapes: `verify` does.

    Parameters
    ----------
    shape_a, shape_b : Shape
        The shapes; A is the query body's.
    pose_a, pose_b : poses_like
        Their poses (7,).
    pairs : NearestPairs
        The pairs of a NearestResult, asked for with bounds and normals.
    index : int
        The pair.

    Returns
    -------
    list of Violation
        The faults, with the index as their row; empty: the pair is proved.
    """
    poses = [as_poses(pose).reshape(7) for pose in (pose_a, pose_b)]
    try:
        _check_separation((shape_a, poses[0]), (shape_b, poses[1]), pairs, index)
    except _Wrong as wrong:
        return [Violation(index, wrong.kind, wrong.text)]
    return []


def _check_separation(
    posed_a: tuple[Shape, np.ndarray],
    posed_b: tuple[Shape, np.ndarray],
    pairs: NearestPairs,
    index: int,
) -> None:
    kinds = ViolationKind
    state = State(int(pairs.states[index]))
    _require(state == State.SEPARATED, kinds.NO_PROOF, f"{state.name} comes without a proof")
    if pairs.lower_bounds is None or pairs.normals is None:
        raise _Wrong(kinds.NO_PROOF, "bounds and normals were not asked for")
    bound = _finite_number(pairs.lower_bounds, index, "lower_bounds")
    _require(bound > 0, kinds.STATE, f"SEPARATED with lower bound {float(bound)}")
    normal = _finite_triple(pairs.normals, index, "normals")
    _require_unit(normal)
    pieces = _PiecePairs(posed_a, posed_b)
    allowance = Fraction(0)
    for pair in pieces.all():
        allowance = max(allowance, pieces.allowance(pair, bound))
        pieces.check_apart(pair, _Claim(normal, bound, kinds.LOWER_BOUND))
    if pairs.distances is None:
        return
    distance = _finite_number(pairs.distances, index, "distances")
    is_inside = bound <= distance
    if pairs.upper_bounds is not None:
        is_inside &= distance <= _finite_number(pairs.upper_bounds, index, "upper_bounds")
    _require(is_inside, kinds.DISTANCE, f"{float(distance)} outside of its bounds")
    if pairs.points_a is None or pairs.points_b is None:
        return
    start = _finite_triple(pairs.points_a, index, "points_a")
    end = _finite_triple(pairs.points_b, index, "points_b")
    off = minus(minus(end, start), times(distance, normal))
    reach = length(start) + length(end) + length(vector(posed_a[1][:3]))
    is_there = length(off) <= allowance + _ALLOWANCE * reach
    _require(is_there, kinds.POINT, "the points are not the distance apart along the normal")


class _Wrong(Exception):
    def __init__(self, kind: ViolationKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text


def _require(holds: bool, kind: ViolationKind, text: str) -> None:
    if not holds:
        raise _Wrong(kind, text)


class _PiecePairs:
    """The convex pieces of two shapes at their poses, from A's origin.

    A shape that is not a compound has one piece."""

    def __init__(
        self, posed_a: tuple[Shape, np.ndarray], posed_b: tuple[Shape, np.ndarray]
    ) -> None:
        frame = posed_a[1]
        self._a, self._b = (
            [bodies.body_of(*posed, frame, i) for i in range(bodies.piece_count(posed[0]))]
            for posed in (posed_a, posed_b)
        )

    def all(self) -> list[tuple[int, int]]:
        return [(i, j) for i in range(len(self._a)) for j in range(len(self._b))]

    def bodies_of(self, pair: tuple[int, int]) -> tuple[bodies.Body, bodies.Body]:
        return self._a[pair[0]], self._b[pair[1]]

    def has(self, pair: tuple[int, int]) -> bool:
        return pair[0] < len(self._a) and pair[1] < len(self._b)

    def allowance(self, pair: tuple[int, int], farthest: Fraction) -> Fraction:
        a, b = self.bodies_of(pair)
        return _ALLOWANCE * (a.size + b.size + farthest)

    def check_apart(self, pair: tuple[int, int], claim: _Claim) -> None:
        """Proves that the pieces are separated by the bound.

        It uses the normal or, if that may not be theirs, a direction that it searches."""
        a, b = self.bodies_of(pair)
        enough = claim.bound - self.allowance(pair, abs(claim.bound))
        widest = bodies.gap(a, b, claim.normal)
        if widest > 0 and widest >= enough:
            return
        text = f"{float(claim.bound)}, but of pieces {pair} only {float(widest)} is proved"
        if len(self.all()) == 1:
            raise _Wrong(claim.kind, text)
        found = look(a, b)
        for direction in found.directions:
            widest = max(widest, bodies.gap(a, b, direction))
            if widest > 0 and widest >= enough:
                return
        if found.point is not None and length(found.point) - a.radius - b.radius < enough:
            raise _Wrong(ViolationKind.LOWER_BOUND, text)
        raise _Wrong(ViolationKind.NO_PROOF, text)

    def check_no_deeper(self, pair: tuple[int, int], claim: _Claim) -> None:
        """Proves that the pieces overlap no deeper than the bound, if they do."""
        a, b = self.bodies_of(pair)
        enough = claim.bound - self.allowance(pair, abs(claim.bound))
        if bodies.gap(a, b, claim.normal) >= enough:
            return
        is_proved = any(bodies.gap(a, b, way) >= enough for way in look(a, b).directions)
        text = f"{float(claim.bound)} is not proved of the pieces {pair}"
        _require(is_proved, ViolationKind.NO_PROOF, text)


@dataclass(frozen=True)
class _Claim:
    """The claim that no two points are nearer than the bound.

    The normal proves it for the pieces that it belongs to; `kind` is the fault if it does not."""

    normal: Vector
    bound: Fraction
    kind: ViolationKind


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
        self._require_proof()
        self._pieces = _PiecePairs((shape_a, pose_a), (shape_b, pose_b))
        self._named = self._named_pieces()
        self._a, self._b = self._pieces.bodies_of(self._named)
        self._is_curved = any(isinstance(x, bodies.CurvedBody) for x in (self._a, self._b))
        self._radii = self._a.radius + self._b.radius
        self._sizes = self._a.size + self._b.size
        self._lower = self._number("lower_bounds")
        self._upper = self._number("upper_bounds")
        farthest = max(abs(self._lower), abs(self._upper))
        self._allowance = _ALLOWANCE * (self._sizes + farthest)

    def _require_proof(self) -> None:
        kind = ViolationKind.NO_PROOF
        provable = (State.SEPARATED, State.TOUCHING, State.PENETRATING)
        _require(self._state in provable, kind, f"{self._state.name} comes without a proof")
        for name in ("lower_bounds", "upper_bounds", "normals", "witnesses"):
            has_it = getattr(self._result, name) is not None
            _require(has_it, kind, f"{name} were not asked for")

    def _named_pieces(self) -> tuple[int, int]:
        """Returns the pieces that the row is about."""
        if len(self._pieces.all()) == 1:
            return 0, 0
        pieces_a, pieces_b = self._result.pieces_a, self._result.pieces_b
        if pieces_a is None or pieces_b is None:
            raise _Wrong(ViolationKind.NO_PROOF, "pieces were not asked for")
        a, b = (int(_at(column.ravel(), self._row, "pieces")) for column in (pieces_a, pieces_b))
        pair = a, b
        _require(self._pieces.has(pair), ViolationKind.WITNESS_ID, f"pieces {pair}")
        return pair

    def _number(self, name: str) -> Fraction:
        return _finite_number(getattr(self._result, name).ravel(), self._row, name)

    def _triple(self, name: str) -> Vector | None:
        column = getattr(self._result, name)
        if column is None:
            return None
        return _finite_triple(column.reshape(-1, 3), self._row, name)

    def check(self) -> None:
        _require(self._lower <= self._upper, ViolationKind.STATE, "lower bound > upper bound")
        normal = self._triple("normals")
        assert normal is not None
        _require_unit(normal)
        self._normal = normal
        self._read_witnesses()
        gap = bodies.gap(self._a, self._b, normal)
        self._check_lower(gap)
        self._check_other_pieces()
        if self._state == State.PENETRATING:
            self._check_penetrating()
        else:
            self._check_apart(gap)
        self._check_distance()

    def _read_witnesses(self) -> None:
        all_rows = self._result.witnesses
        assert all_rows is not None
        ids = (all_rows.vertices_a, all_rows.vertices_b)
        held = min(len(all_rows.weights), *map(len, ids))
        first, last = self._items(all_rows.offsets, held, "witnesses")
        is_well = 0 < last - first <= _MOST_WITNESSES
        _require(is_well, ViolationKind.MALFORMED, f"witnesses {first} to {last}")
        weights = all_rows.weights[first:last]
        is_well = bool(np.isfinite(weights).all()) and min(weights) >= 0
        _require(is_well, ViolationKind.MALFORMED, "a weight < 0, or not finite")
        self._weights = [Fraction(float(w)) for w in weights]
        self._vertices = [(int(a), int(b)) for a, b in zip(*(column[first:last] for column in ids))]
        for a, b in self._vertices:
            self._require_vertices(a, b)

    def _items(self, offsets: np.ndarray, held: int, name: str) -> tuple[int, int]:
        """Returns the first index and the end of the row's items; the columns hold `held`."""
        has_row = self._row + 1 < len(offsets)
        _require(has_row, ViolationKind.MALFORMED, f"no offsets of {name}")
        first, last = (int(k) for k in offsets[self._row : self._row + 2])
        is_well = 0 <= first <= last <= held
        _require(is_well, ViolationKind.MALFORMED, f"{name} {first} to {last} of {held}")
        return first, last

    def _require_vertices(self, a: int, b: int) -> None:
        has_both = _has_vertex(self._a, a) and _has_vertex(self._b, b)
        _require(has_both, ViolationKind.WITNESS_ID, f"vertices {a} and {b}")

    def _difference(self, a: int, b: int) -> Vector:
        """Returns the difference of two vertices. Requires: neither body is curved."""
        self._require_vertices(a, b)
        assert isinstance(self._a, bodies.PointBody) and isinstance(self._b, bodies.PointBody)
        return minus(self._b.points[b], self._a.points[a])

    def _differences(self) -> list[Vector]:
        return [self._difference(a, b) for a, b in self._vertices]

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

    def _check_other_pieces(self) -> None:
        """Checks that no others are nearer than the bound or, for separated bodies, overlap."""
        claim = _Claim(self._normal, self._lower, ViolationKind.LOWER_BOUND)
        for pair in self._pieces.all():
            if pair == self._named:
                continue
            if self._state == State.SEPARATED:
                self._pieces.check_apart(pair, claim)
            else:
                self._pieces.check_no_deeper(pair, claim)

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
        """Returns an upper bound on the distance, by a point of either body."""
        total = sum(self._weights, Fraction(0))
        _require(abs(total - 1) <= _UNIT_SLACK, ViolationKind.MALFORMED, "weights' sum is not 1")
        ids_a, ids_b = zip(*self._vertices)
        a, excess_a = self._point(self._a, ids_a, "relative_points_a", self._a.radius)
        b, excess_b = self._point(self._b, ids_b, "relative_points_b", -self._b.radius)
        return length(minus(b, a)) + excess_a + excess_b - self._radii

    def _point(
        self, body: bodies.Body, ids: Sequence[int], name: str, radius: Fraction
    ) -> tuple[Vector, Fraction]:
        """Returns a point that lies within the second of the core.

        The weights give it. For a curved core it is the answer's point, moved back along the
        normal."""
        if isinstance(body, bodies.PointBody):
            total = sum(self._weights, Fraction(0))
            x, y, z = (
                sum((w * body.points[k][i] for w, k in zip(self._weights, ids)), Fraction(0))
                / total
                for i in range(3)
            )
            return (x, y, z), Fraction(0)
        given = self._triple(name)
        if given is None:
            raise _Wrong(ViolationKind.NO_PROOF, f"{name} were not asked for")
        point = minus(given, times(radius, self._normal))
        excess = body.excess(point)
        is_there = excess <= self._allowance + _ALLOWANCE * length(point)
        _require(is_there, ViolationKind.POINT, f"{name} is {float(excess)} m outside of its shape")
        return point, excess

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
        if gap <= 0 and self._is_curved:
            raise _Wrong(ViolationKind.NO_PROOF, "the gap is lost in the normal's rounding")
        # A gap at the size of the normal's own rounding needs the direction of the features.
        proved = gap > 0 or self._gap_of_features() > 0
        _require(proved, ViolationKind.STATE, "SEPARATED is not proved")

    def _gap_of_features(self) -> Fraction:
        """Returns the gap along the exact vector from the origin to the features of the witnesses.

        The features are a plane, a line or a point."""
        normal = nearest_of_plane(self._differences())
        return bodies.gap(self._a, self._b, normal) if any(normal) else Fraction(0)

    def _check_penetrating(self) -> None:
        _require(self._upper < 0, ViolationKind.STATE, "PENETRATING with upper bound >= 0")
        if sum(self._weights):
            proved = self._weighted()  # the radii overlap, the cores do not
            if proved < 0:
                self._check_upper(proved)
                return
        if self._is_curved:
            raise _Wrong(
                ViolationKind.NO_PROOF, "the overlap of curved cores comes without a proof"
            )
        is_inside = _holds_origin(self._differences())
        _require(is_inside, ViolationKind.STATE, "the witnesses do not hold the origin inside")
        self._check_depth()

    def _check_depth(self) -> None:
        proofs = self._result.depth_proofs
        if proofs is None or proofs.truncated[self._row : self._row + 1].any():
            return
        ids = (proofs.vertices_a, proofs.vertices_b)
        first, last = self._items(proofs.offsets, min(map(len, ids)), "corners")
        corners = [
            self._difference(int(a), int(b))
            for a, b in zip(*(column[first:last] for column in ids))
        ]
        first, last = self._items(proofs.facet_offsets, len(proofs.facets), "facets")
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
            if self._is_curved:
                limit += _CURVED_DIRECTION * (self._sizes + reach)
            is_there = sum(x * x for x in off) <= limit * limit
            _require(is_there, ViolationKind.POINT, f"{prefix}points are not that far apart")


def _has_vertex(body: bodies.Body, vertex: int) -> bool:
    if isinstance(body, bodies.CurvedBody):
        return vertex == _NO_VERTEX
    return vertex < len(body.points)


def _finite_number(column: np.ndarray, row: int, name: str) -> Fraction:
    number = float(_at(column, row, name))
    _require(math.isfinite(number), ViolationKind.MALFORMED, f"{name} is {number}")
    return Fraction(number)


def _finite_triple(column: np.ndarray, row: int, name: str) -> Vector:
    numbers = _at(column, row, name)
    _require(bool(np.isfinite(numbers).all()), ViolationKind.MALFORMED, f"{name} not finite")
    return vector(numbers)


def _at(column: np.ndarray, row: int, name: str) -> np.ndarray:
    _require(row < len(column), ViolationKind.MALFORMED, f"{name} has {len(column)} rows")
    found: np.ndarray = column[row]
    return found


def _require_unit(normal: Vector) -> None:
    found = length(normal)
    _require(abs(found - 1) <= _UNIT_SLACK, ViolationKind.NORMAL, f"|n| = {float(found)}")


def _holds_origin(points: Sequence[Vector]) -> bool:
    """Returns whether the origin is strictly inside the hull of the points.

    If it is not, a plane through the origin and two of the points has all points on one side."""
    has_plane = False
    for a, b in combinations(points, 2):
        normal = cross(a, b)
        if not any(normal):
            continue
        has_plane = True
        heights = [dot(normal, p) for p in points]
        if not min(heights) < 0 < max(heights):
            return False
    return has_plane


def _radius_inside(corners: Sequence[Vector], facets: Sequence[tuple[int, ...]]) -> Fraction:
    """Returns the radius of a ball about the origin inside the hull of the corners, rounded down.

    It is 0 unless the surface is closed and encloses the origin. If the origin sees every triangle
    from its inner side, a closed surface encloses it. The planes are then no nearer than the
    surface's hull."""
    edges = {(f[i], f[(i + 1) % 3]) for f in facets for i in range(3)}
    is_closed = len(edges) == 3 * len(facets) and all((b, a) in edges for a, b in edges)
    if not is_closed:
        return Fraction(0)
    sides = set()
    nearest: Fraction | None = None
    for i, j, k in facets:
        a, b, c = corners[i], corners[j], corners[k]
        normal = cross(minus(b, a), minus(c, a))
        if not any(normal):
            continue
        height = dot(normal, a)
        sides.add(height > 0)
        if height == 0:
            return Fraction(0)
        distance = abs(height) / root(dot(normal, normal), up=True)
        nearest = distance if nearest is None else min(nearest, distance)
    return nearest if nearest is not None and len(sides) == 1 else Fraction(0)
