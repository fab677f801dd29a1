# SPDX-License-Identifier: Apache-2.0
"""Answers as dataclasses of arrays.

The leading axes of every column are the batch's broadcast shape. Points and normals have three
numbers in the last axis. A column that was not asked for is None. If a row's state gives a column
no meaning, distances hold NaN, bounds -inf and +inf, and other columns 0. Arrays may be read-only.

Rows of variable length (witnesses, contacts, proofs) are flat: row i, in C order, has the items k
with offsets[i] <= k < offsets[i + 1]. query.proto is the reference of every column."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import ClassVar, Union

import numpy as np
from numpy.typing import ArrayLike

from clearance._fields import Documented
from clearance.errors import ErrorDetail, RefusedRows
from clearance.shapes import ShapeInfo

__all__ = [
    "AnswerBase",
    "BoundedRows",
    "Contacts",
    "DepthProofs",
    "DistanceResult",
    "IntersectionResult",
    "MotionProofs",
    "MotionState",
    "PairDistance",
    "RowFlag",
    "Rows",
    "State",
    "TimeOfCollisionResult",
    "UndecidedReason",
    "Witnesses",
    "largest_displacement",
]

_Column = Union[np.ndarray, None]


class State(IntEnum):
    """States what is proved about a pair.

    Arrays of states hold these numbers: `states == State.SEPARATED`.

    Attributes
    ----------
    UNSPECIFIED : int
        A state that this package does not know.
    SEPARATED : int
        The lower bound is above 0.
    TOUCHING : int
        Both bounds are within the tolerance of 0.
    PENETRATING : int
        The upper bound is below 0.
    BEYOND : int
        Farther apart than max_distances.
    UNDECIDED : int
        None of these could be proved; the bounds hold. Never treat it as free.
    REFUSED : int
        The row was refused: see `errors` of the answer.
    """

    UNSPECIFIED = 0
    SEPARATED = 1
    TOUCHING = 2
    PENETRATING = 3
    BEYOND = 4
    UNDECIDED = 5
    REFUSED = 6


class MotionState(IntEnum):
    """States what is proved about a pair during a motion.

    Attributes
    ----------
    UNSPECIFIED : int
        A state that this package does not know.
    FREE : int
        Farther apart than the target distance at every time.
    HIT : int
        Farther apart before t_free, within the target distance at t_hit.
    INITIALLY_OVERLAPPING : int
        Within the target distance at the start.
    UNDECIDED : int
        Free before t_free, unknown after. Never treat it as free.
    REFUSED : int
        The row was refused: see `errors` of the answer.
    """

    UNSPECIFIED = 0
    FREE = 1
    HIT = 2
    INITIALLY_OVERLAPPING = 3
    UNDECIDED = 4
    REFUSED = 5


class UndecidedReason(IntEnum):
    """States why a row is UNDECIDED.

    Attributes
    ----------
    UNSPECIFIED : int
        A reason that this package does not know.
    BUDGET : int
        The time budget, the call's deadline or its cancellation came first.
    ITERATIONS : int
        The server's limit of iterations was reached.
    PRECISION : int
        Rounding leaves 0 within the bounds.
    WORK : int
        The row would take more steps than the server allows. Ask for less in one row.
    """

    UNSPECIFIED = 0
    BUDGET = 1
    ITERATIONS = 2
    PRECISION = 3
    WORK = 4


class RowFlag(IntFlag):
    """Flags of a row of a DistanceResult: `flags & RowFlag.PIECEWISE != 0`.

    Attributes
    ----------
    NORMAL_NOT_UNIQUE : int
        Several normals are possible; the choice is deterministic.
    PIECEWISE : int
        A compound is PENETRATING. The distance is that of its deepest pair of pieces; to separate
        the whole may take a longer translation.
    """

    NORMAL_NOT_UNIQUE = 1
    PIECEWISE = 2


@dataclass(frozen=True, eq=False)
class Witnesses:
    """Vertices and weights of the final simplices: enough to prove an answer again.

    Attributes
    ----------
    offsets : numpy.ndarray
        Rows + 1 numbers: row i has the items k with offsets[i] <= k < offsets[i + 1].
    vertices_a, vertices_b : numpy.ndarray
        Indices (n,) of vertices of A and B; 4294967295 for a shape without vertices.
    weights : numpy.ndarray
        Weights (n,), which sum to 1 a row; 0 if the cores overlap.
    """

    offsets: np.ndarray
    vertices_a: np.ndarray
    vertices_b: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, eq=False)
class Contacts:
    """Corners of the areas in which faces meet.

    Attributes
    ----------
    offsets : numpy.ndarray
        Rows + 1 numbers: row i has the items k with offsets[i] <= k < offsets[i + 1].
    points_a, points_b : numpy.ndarray
        Points (n, 3) on the surfaces of A and B, metres, world frame.
    distances : numpy.ndarray
        Signed distances (n,) along the row's normal, metres.
    features_a, features_b : numpy.ndarray
        Names (n, 2) of the features that meet: equal indices name a vertex, ascending ones an edge,
        descending ones a face.
    truncated : numpy.ndarray
        Whether a row has more points than these (rows,).
    """

    offsets: np.ndarray
    points_a: np.ndarray
    points_b: np.ndarray
    distances: np.ndarray
    features_a: np.ndarray
    features_b: np.ndarray
    truncated: np.ndarray


@dataclass(frozen=True, eq=False)
class DepthProofs:
    """Closed surfaces of triangles around the origin, which prove depths.

    Attributes
    ----------
    offsets : numpy.ndarray
        Rows + 1 numbers: row i has the corners k with offsets[i] <= k < offsets[i + 1].
    vertices_a, vertices_b : numpy.ndarray
        Indices (n,) of vertices of A and B: a corner is their difference.
    facet_offsets : numpy.ndarray
        Rows + 1 numbers, in the same form, of facets.
    facets : numpy.ndarray
        Triangles (m, 3): indices of the row's own corners.
    truncated : numpy.ndarray
        Whether a row's surface is left out because it is too large (rows,).
    """

    offsets: np.ndarray
    vertices_a: np.ndarray
    vertices_b: np.ndarray
    facet_offsets: np.ndarray
    facets: np.ndarray
    truncated: np.ndarray


def _no_pieces() -> np.ndarray:
    return np.empty(0, np.uint32)


@dataclass(frozen=True, eq=False)
class MotionProofs:
    """Intervals of time in which the gap along a normal exceeds the target distance.

    Attributes
    ----------
    offsets : numpy.ndarray
        Rows + 1 numbers: row i has the items k with offsets[i] <= k < offsets[i + 1].
    t_begin, t_end : numpy.ndarray
        Times (n,) from 0 to 1.
    normals : numpy.ndarray
        Unit vectors (n, 3) from A to B, world axes.
    truncated : numpy.ndarray
        Whether a row needs more intervals than these (rows,).
    pieces_a, pieces_b : numpy.ndarray
        Pieces (n,) of compounds; empty unless asked for.
    """

    offsets: np.ndarray
    t_begin: np.ndarray
    t_end: np.ndarray
    normals: np.ndarray
    truncated: np.ndarray
    pieces_a: np.ndarray = field(default_factory=_no_pieces)
    pieces_b: np.ndarray = field(default_factory=_no_pieces)


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerBase(Documented):
    """Base of all answers. A row's index counts in C order.

    Attributes
    ----------
    shape : tuple of int
        The broadcast shape of the batch.
    errors : tuple of ErrorDetail
        The refused rows.
    undecided : dict of int to UndecidedReason
        The undecided rows.
    """

    # The enum of `states`, or of `verdicts`.
    STATE: ClassVar[type[IntEnum]] = State

    shape: tuple[int, ...]
    errors: tuple[ErrorDetail, ...] = ()
    undecided: dict[int, UndecidedReason] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    def raise_for_refused(self) -> None:
        """Raises an error if a row was refused.

        Raises
        ------
        RefusedRows
            It has all refused rows.
        """
        if self.errors:
            raise RefusedRows(self.errors, len(self))

    def named_states(self) -> np.ndarray:
        """Returns the rows' states (of checks and overlaps: verdicts) as members of their enum.

        Returns
        -------
        numpy.ndarray
            Members (…) of State, MotionState or Verdict, dtype object.
        """
        numbers = np.asarray(getattr(self, "states" if hasattr(self, "states") else "verdicts"))
        named = np.empty(numbers.size, object)
        known = self.STATE.__members__.values()
        named[:] = [self.STATE(n) if n in known else self.STATE(0) for n in numbers.ravel()]
        return named.reshape(numbers.shape)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows(AnswerBase):
    """Base of the answers about pairs of shapes.

    Attributes
    ----------
    states : numpy.ndarray
        Numbers (…) of State or MotionState.
    iterations : numpy.ndarray or None
        Iterations (…) of the solver.
    """

    states: np.ndarray
    iterations: _Column = None


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundedRows(Rows):
    """Rows with proved bounds.

    Attributes
    ----------
    lower_bounds, upper_bounds : numpy.ndarray or None
        Bounds (…) of the signed distance, metres.
    """

    lower_bounds: _Column = None
    upper_bounds: _Column = None

    def proved_free(self, margin: ArrayLike = 0.0) -> np.ndarray:
        """Returns for each row whether the pair is proved farther apart than `margin`.

        That is: SEPARATED or BEYOND, and the lower bound exceeds the margin. It is never true for
        UNDECIDED or REFUSED rows, nor for a margin that is NaN. Without a column of bounds only
        SEPARATED with margin 0 counts.

        Parameters
        ----------
        margin : array_like
            Metres; broadcasts. A negative margin counts as 0.

        Returns
        -------
        numpy.ndarray
            Booleans (…).
        """
        return proved_apart(self.states, self.lower_bounds, margin)


@dataclass(frozen=True, eq=False, kw_only=True)
class DistanceResult(BoundedRows):
    """Answers of a DistanceBatch.

    Attributes
    ----------
    distances : numpy.ndarray or None
        Signed distances (…), metres; a negative one is minus the depth. NaN if the state has none.
    points_a, points_b : numpy.ndarray or None
        Closest points (…, 3) of the surfaces of A and B, or the deepest ones, metres, world frame.
    normals : numpy.ndarray or None
        Unit normals (…, 3) from A to B, world axes.
    relative_points_a, relative_points_b : numpy.ndarray or None
        The same points minus A's origin (…, 3), metres, world axes.
    tolerances : numpy.ndarray or None
        Tolerances (…) of the states, metres.
    flags : numpy.ndarray or None
        Sums (…) of RowFlag; they come with normals and with pieces.
    pieces_a, pieces_b : numpy.ndarray or None
        Pieces (…) of compounds that the row is about.
    witnesses : Witnesses or None
        Proofs of the bounds.
    contacts : Contacts or None
        Contacts.
    depth_proofs : DepthProofs or None
        Proofs of depths.
    """

    distances: _Column = None
    points_a: _Column = None
    points_b: _Column = None
    normals: _Column = None
    relative_points_a: _Column = None
    relative_points_b: _Column = None
    tolerances: _Column = None
    flags: _Column = None
    pieces_a: _Column = None
    pieces_b: _Column = None
    witnesses: Witnesses | None = None
    contacts: Contacts | None = None
    depth_proofs: DepthProofs | None = None

    def free_motion_radius(self) -> np.ndarray:
        """Returns for each row how far the bodies may move until they may touch or part.

        While the displacements of both bodies sum to less than this, a pair that is apart
        (SEPARATED, BEYOND) stays apart, and one that overlaps (PENETRATING) keeps overlapping. So a
        positive radius alone does not mean that the row is free: `proved_free` tells that. It is
        the lower bound of the former, minus the upper bound of the latter, and 0 for other rows or
        without a column of bounds.

        Returns
        -------
        numpy.ndarray
            Metres (…).
        """
        if self.lower_bounds is None or self.upper_bounds is None:
            return np.zeros(self.shape)
        is_apart = (self.states == State.SEPARATED) | (self.states == State.BEYOND)
        is_inside = self.states == State.PENETRATING
        radius = np.where(is_apart, self.lower_bounds, np.where(is_inside, -self.upper_bounds, 0))
        return np.maximum(radius, 0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class IntersectionResult(BoundedRows):
    """Answers of an IntersectionBatch."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TimeOfCollisionResult(Rows):
    """Answers of a TimeOfCollisionBatch.

    Attributes
    ----------
    t_free : numpy.ndarray or None
        Times (…) before which the pair is proved free.
    t_hit : numpy.ndarray or None
        Times (…) at which the pair is within the target distance, of HIT rows.
    t_leave : numpy.ndarray or None
        Times (…) from which on the answer holds, of rows with an ignored initial contact.
    distances : numpy.ndarray or None
        Signed distances (…) at t_hit, metres; NaN if the state has none.
    points_a, points_b : numpy.ndarray or None
        Closest points (…, 3) of the surfaces of A and B, or the deepest ones, metres, world frame.
    normals : numpy.ndarray or None
        Unit normals (…, 3) from A to B, world axes.
    pieces_a, pieces_b : numpy.ndarray or None
        Pieces (…) of compounds that meet.
    proofs : MotionProofs or None
        Proofs that the rows are free before t_free.
    """

    STATE = MotionState

    t_free: _Column = None
    t_hit: _Column = None
    t_leave: _Column = None
    distances: _Column = None
    points_a: _Column = None
    points_b: _Column = None
    normals: _Column = None
    pieces_a: _Column = None
    pieces_b: _Column = None
    proofs: MotionProofs | None = None

    def proved_free(self) -> np.ndarray:
        """Returns for each row whether it is FREE: apart during the whole motion.

        With ignore_initial_contact that holds from t_leave on; before it the bodies may touch.

        Returns
        -------
        numpy.ndarray
            Booleans (…).
        """
        return self.states == MotionState.FREE


@dataclass(frozen=True, eq=False)
class PairDistance:
    """The answer about one pair of shapes.

    Attributes
    ----------
    state : State
        SEPARATED, TOUCHING, PENETRATING or UNDECIDED.
    intersects : bool
        False only if the shapes are proved apart.
    distance : float
        Signed distance, metres; NaN if UNDECIDED.
    lower_bound, upper_bound : float
        Bounds of the signed distance, metres.
    point_a, point_b : numpy.ndarray or None
        Closest or deepest points (3,) of the surfaces, metres, world frame; None if UNDECIDED.
    normal : numpy.ndarray or None
        Unit normal (3,) from A to B; None if UNDECIDED.
    undecided_reason : UndecidedReason
        The reason if UNDECIDED.
    revision : int
        The registry's revision at which the shapes were looked up.
    """

    state: State
    intersects: bool
    distance: float
    lower_bound: float
    upper_bound: float
    point_a: np.ndarray | None
    point_b: np.ndarray | None
    normal: np.ndarray | None
    undecided_reason: UndecidedReason
    revision: int


@dataclass(frozen=True)
class OpenedShape:
    """The content of a shape slot.

    Attributes
    ----------
    slot : int
        The slot.
    info : ShapeInfo
        Facts about the shape.
    revision : int
        The registry's revision at which it was looked up.
    """

    slot: int
    info: ShapeInfo
    revision: int


@dataclass(frozen=True)
class ClosedShape:
    """A shape slot that is free again.

    Attributes
    ----------
    slot : int
        The slot.
    """

    slot: int


def proved_apart(states: np.ndarray, lower_bounds: _Column, margin: ArrayLike) -> np.ndarray:
    """Returns what BoundedRows.proved_free returns."""
    margin = np.asarray(margin, float)
    if lower_bounds is None:
        return (states == State.SEPARATED) & (margin <= 0)
    is_apart = (states == State.SEPARATED) | (states == State.BEYOND)
    return is_apart & (lower_bounds > 0) & (lower_bounds > margin)


def largest_displacement(
    translation: ArrayLike, rotation: ArrayLike = 0.0, bounding_radius: ArrayLike = 0.0
) -> np.ndarray:
    """Returns an upper bound on the displacement of every point of a body.

    Compare it with `free_motion_radius()` of an answer. All parameters broadcast.

    Parameters
    ----------
    translation : array_like
        Distance that the body's origin moved, metres.
    rotation : array_like
        Rotation about the origin, radians.
    bounding_radius : array_like
        Radius about the same origin (ShapeInfo), metres.

    Returns
    -------
    numpy.ndarray
        Metres (…).

    Examples
    --------
    >>> largest_displacement([0.1, 0.2], rotation=np.pi, bounding_radius=0.5).round(9)
    array([1.1, 1.2])
    """
    angle = np.minimum(np.abs(rotation), np.pi)
    turn = 2 * np.abs(bounding_radius) * np.sin(angle / 2)
    return (np.abs(translation) + turn) * (1 + 2.0**-50)
