# SPDX-License-Identifier: Apache-2.0
"""Answers as dataclasses of arrays.

The leading axes of every column are the batch's broadcast shape. Points and normals have three
numbers in the last axis. A column that was not asked for is None. If a row's state gives a column
no meaning, distances hold NaN and other columns 0. Arrays may be read-only.

Rows of variable length (witnesses, contacts, proofs) are flat: row i, in C order, has the items k
with offsets[i] <= k < offsets[i + 1]. query.proto is the reference of every column."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar, Union

import numpy as np
from numpy.typing import ArrayLike

from clearance.errors import ErrorDetail, RefusedRows
from clearance.shapes import ShapeInfo

_Column = Union[np.ndarray, None]


class State(IntEnum):
    """States what is proved about a pair."""

    UNSPECIFIED = 0
    SEPARATED = 1  # lower_bound > 0
    TOUCHING = 2  # lower_bound <= 0 <= upper_bound, within the tolerance
    PENETRATING = 3  # upper_bound < 0
    BEYOND = 4  # farther apart than max_distance
    UNDECIDED = 5  # never take it for free
    REFUSED = 6  # see `errors`


class MotionState(IntEnum):
    """States what is proved about a pair during a motion."""

    UNSPECIFIED = 0
    FREE = 1
    HIT = 2
    INITIALLY_OVERLAPPING = 3
    UNDECIDED = 4  # free in [0, t_free), not known after: never take it for free
    REFUSED = 5


class UndecidedReason(IntEnum):
    """States why a row is UNDECIDED."""

    UNSPECIFIED = 0
    BUDGET = 1
    ITERATIONS = 2
    PRECISION = 3
    WORK = 4


# The states whose rows have a distance.
MEASURED_STATES = (State.SEPARATED, State.TOUCHING, State.PENETRATING, State.UNDECIDED)
CONTACT_STATES = (MotionState.HIT, MotionState.INITIALLY_OVERLAPPING)
# The reasons for which nothing is known of an undecided row.
UNKNOWN_REASONS = (UndecidedReason.BUDGET, UndecidedReason.WORK)

# Bits of `flags`.
NORMAL_NOT_UNIQUE = 1
PIECEWISE = 2


@dataclass(frozen=True, eq=False)
class Witnesses:
    """Vertices and weights of the final simplices: enough to prove an answer again."""

    offsets: np.ndarray
    vertices_a: np.ndarray
    vertices_b: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, eq=False)
class Contacts:
    """Corners of the area in which faces meet: points (n, 3), features (n, 2)."""

    offsets: np.ndarray
    points_a: np.ndarray
    points_b: np.ndarray
    distances: np.ndarray
    features_a: np.ndarray
    features_b: np.ndarray
    truncated: np.ndarray


@dataclass(frozen=True, eq=False)
class DepthProofs:
    """Closed surfaces of triangles around the origin: facets (n, 3) of the row's own corners."""

    offsets: np.ndarray
    vertices_a: np.ndarray
    vertices_b: np.ndarray
    facet_offsets: np.ndarray
    facets: np.ndarray
    truncated: np.ndarray


@dataclass(frozen=True, eq=False)
class MotionProofs:
    """Intervals [t_begin, t_end] in which the gap along the normal (n, 3) exceeds the target."""

    offsets: np.ndarray
    t_begin: np.ndarray
    t_end: np.ndarray
    normals: np.ndarray
    truncated: np.ndarray
    pieces_a: np.ndarray
    pieces_b: np.ndarray


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerBase:
    """Base of all answers: the shape, and the refused and undecided rows by index in C order."""

    # The enum of `states`, or of `verdicts`, and the states whose rows have a distance.
    STATE: ClassVar[type[IntEnum]] = State
    MEASURED: ClassVar[tuple[IntEnum, ...]] = ()

    shape: tuple[int, ...]
    errors: tuple[ErrorDetail, ...] = ()
    undecided: dict[int, UndecidedReason] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    def raise_for_refused(self) -> None:
        """Raises RefusedRows if a row was refused."""
        if self.errors:
            raise RefusedRows(self.errors, len(self))

    def named_states(self) -> np.ndarray:
        """Returns the rows' states (of checks and overlaps: verdicts) as members of their enum."""
        numbers = np.asarray(getattr(self, "states" if hasattr(self, "states") else "verdicts"))
        named = np.empty(numbers.size, object)
        known = self.STATE.__members__.values()
        named[:] = [self.STATE(n) if n in known else self.STATE(0) for n in numbers.ravel()]
        return named.reshape(numbers.shape)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows(AnswerBase):
    """Base of the answers about pairs of shapes."""

    states: np.ndarray
    iterations: _Column = None


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundedRows(Rows):
    """Rows with lower_bounds <= signed distance <= upper_bounds, metres."""

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
        """
        return proved_apart(self.states, self.lower_bounds, margin)


@dataclass(frozen=True, eq=False, kw_only=True)
class DistanceResult(BoundedRows):
    """Answers of a DistanceBatch; distances are signed, normals point from A to B."""

    MEASURED = MEASURED_STATES

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
        """Returns, metres, for each row how far the bodies may move before its state can change.

        The state holds while the displacements of both bodies sum to less than this. It is the
        lower bound of a separated pair, minus the upper bound of a penetrating one, and 0 for other
        rows or without a column of bounds."""
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

    A pair is proved free before t_free, and within the target distance at t_hit of HIT rows."""

    STATE = MotionState
    MEASURED = CONTACT_STATES

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

        With ignore_initial_contact that holds from t_leave on; before it the bodies may touch."""
        return self.states == MotionState.FREE


Result = Union[DistanceResult, IntersectionResult, TimeOfCollisionResult]


@dataclass(frozen=True)
class OpenedShape:
    """A slot's content, and the registry's revision at which it was looked up."""

    slot: int
    shape: ShapeInfo
    revision: int


@dataclass(frozen=True)
class ClosedShape:
    """A slot that is free again."""

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
    """Returns an upper bound, metres, on the displacement of every point of a body.

    Compare it with free_motion_radius(). All parameters broadcast.

    Parameters
    ----------
    translation : array_like
        Distance that the body's origin moved, metres.
    rotation : array_like
        Rotation about the origin, radians.
    bounding_radius : array_like
        Radius about the same origin (ShapeInfo), metres.

    >>> largest_displacement([0.1, 0.2], rotation=np.pi, bounding_radius=0.5).round(9)
    array([1.1, 1.2])
    """
    angle = np.minimum(np.abs(rotation), np.pi)
    turn = 2 * np.abs(bounding_radius) * np.sin(angle / 2)
    return (np.abs(translation) + turn) * (1 + 2.0**-50)
