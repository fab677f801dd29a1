# SPDX-License-Identifier: Apache-2.0
"""Answers about scenes as dataclasses of arrays, in the form of `results`.

The leading axes of every column are the batch's broadcast shape. A column that was not asked for is
None. Lists of pairs are flat: row i, in C order, has the items k with offsets[i] <= k < offsets[i +
1] (`of_row`). A is the query body (0 for a ray and for an overlap's shape), B the other one;
`is_self` says whether B is a query body too. scene_query.proto is the reference of every column."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, Union

import numpy as np
from numpy.typing import ArrayLike

from clearance._fields import Documented
from clearance.results import (
    AnswerBase,
    MotionState,
    proved_apart,
)

__all__ = [
    "CheckResult",
    "MinimumDistanceResult",
    "NearestPairs",
    "NearestResult",
    "OverlapResult",
    "PairList",
    "SceneRowsResult",
    "SweepPairs",
    "SweepResult",
    "Verdict",
    "VerdictPairs",
]

_Column = Union[np.ndarray, None]


class Verdict(IntEnum):
    """States what is proved about a configuration, or about a pair of it.

    Arrays of verdicts hold these numbers: `verdicts == Verdict.FREE`.

    Attributes
    ----------
    UNSPECIFIED : int
        A verdict that this package does not know.
    FREE : int
        Every pair is proved farther apart than its margin.
    TOUCHING : int
        A pair is within its margin, or overlaps.
    UNDECIDED : int
        Neither could be proved. Never treat it as free.
    REFUSED : int
        The row was refused: see `errors` of the answer.
    """

    UNSPECIFIED = 0
    FREE = 1
    TOUCHING = 2
    UNDECIDED = 3
    REFUSED = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class PairList(Documented):
    """Pairs, row after row. A is the query body, B the other one.

    Attributes
    ----------
    offsets : numpy.ndarray
        Rows + 1 numbers: row i has the items k with offsets[i] <= k < offsets[i + 1].
    bodies_a, bodies_b : numpy.ndarray
        Ids (n,) of the bodies; 0 for a ray and for an overlap's shape.
    is_self : numpy.ndarray
        Whether B is a query body too (n,).
    """

    offsets: np.ndarray
    bodies_a: np.ndarray
    bodies_b: np.ndarray
    is_self: np.ndarray

    def __len__(self) -> int:
        return len(self.bodies_a)

    def of_row(self, row: int) -> slice:
        """Returns the slice of a row's pairs in the other columns.

        Parameters
        ----------
        row : int
            The row, in C order.

        Returns
        -------
        slice
            The indices of the pairs.

        Raises
        ------
        IndexError
            There is no such row.
        """
        if not 0 <= row < len(self.offsets) - 1:
            raise IndexError(f"row {row} of {len(self.offsets) - 1}")
        return slice(int(self.offsets[row]), int(self.offsets[row + 1]))


@dataclass(frozen=True, eq=False, kw_only=True)
class VerdictPairs(PairList):
    """Pairs that are not free.

    Attributes
    ----------
    verdicts : numpy.ndarray
        Numbers (n,) of Verdict: TOUCHING or UNDECIDED.
    truncated : numpy.ndarray
        Whether there are or may be more pairs (rows,).
    lower_bounds, upper_bounds : numpy.ndarray or None
        Bounds (n,) of the signed distance, metres.
    """

    verdicts: np.ndarray
    truncated: np.ndarray
    lower_bounds: _Column = None
    upper_bounds: _Column = None


@dataclass(frozen=True, eq=False, kw_only=True)
class NearestPairs(PairList):
    """The nearest pairs of each row, by their upper bounds.

    Attributes
    ----------
    states : numpy.ndarray
        Numbers (n,) of State.
    distances : numpy.ndarray or None
        Signed distances (n,), metres.
    lower_bounds, upper_bounds : numpy.ndarray or None
        Bounds (n,) of the signed distance, metres.
    points_a, points_b : numpy.ndarray or None
        Closest points (n, 3) of both surfaces, metres, world frame.
    normals : numpy.ndarray or None
        Unit normals (n, 3) from A to B, world axes.
    """

    states: np.ndarray
    distances: _Column = None
    lower_bounds: _Column = None
    upper_bounds: _Column = None
    points_a: _Column = None
    points_b: _Column = None
    normals: _Column = None


@dataclass(frozen=True, eq=False, kw_only=True)
class SweepPairs(PairList):
    """Pairs that are not free during the motion.

    Attributes
    ----------
    states : numpy.ndarray
        Numbers (n,) of MotionState.
    truncated : numpy.ndarray
        Whether there are or may be more pairs (rows,).
    t_free : numpy.ndarray or None
        Times (n,) before which everything is proved free.
    t_hit : numpy.ndarray or None
        Times (n,) of the first contact, of HIT rows.
    t_leave : numpy.ndarray or None
        Times (n,) from which on the answer holds, of an ignored initial contact.
    distances : numpy.ndarray or None
        Signed distances (n,) at t_hit, metres.
    points_a, points_b : numpy.ndarray or None
        Closest points (n, 3) of both surfaces, metres, world frame.
    normals : numpy.ndarray or None
        Unit normals (n, 3) from A to B, world axes.
    """

    states: np.ndarray
    truncated: np.ndarray
    t_free: _Column = None
    t_hit: _Column = None
    t_leave: _Column = None
    distances: _Column = None
    points_a: _Column = None
    points_b: _Column = None
    normals: _Column = None


@dataclass(frozen=True, eq=False, kw_only=True)
class SceneRowsResult(AnswerBase):
    """Base of the answers about scenes.

    Attributes
    ----------
    scene_revision : int
        Revision of the scene; 0 without one.
    """

    scene_revision: int = 0


class _MovableRows:
    """Adds what rows with `free_radii` tell about query bodies that move."""

    free_radii: _Column

    def proved_free(self) -> np.ndarray:
        """Returns for each row whether it is proved that nothing touches.

        Returns
        -------
        numpy.ndarray
            Booleans (…).
        """
        raise NotImplementedError

    def free_motion_radius(self) -> np.ndarray:
        """Returns for each row how far every point of every query body may move.

        The row stays free. It is 0 for a row that is not free, and if free radii were not asked for
        (`FREE_RADII` of the detail).

        Returns
        -------
        numpy.ndarray
            Metres (…).
        """
        is_free = self.proved_free()
        if self.free_radii is None:
            return np.zeros(is_free.shape)
        return np.where(is_free & (self.free_radii > 0), self.free_radii, 0.0)  # NaN is no radius

    def still_free(self, moved: ArrayLike) -> np.ndarray:
        """Returns for each row whether it is still free after the query bodies moved.

        Parameters
        ----------
        moved : array_like
            Metres (…, bodies): see `results.largest_displacement`.

        Returns
        -------
        numpy.ndarray
            Booleans (…).
        """
        distances = np.asarray(moved, float)
        # A NaN is never below a radius. If there are no bodies, none has moved.
        return self.proved_free() & (distances < self.free_motion_radius()[..., None]).all(-1)


class _VerdictRows:
    """Adds what rows with `verdicts` prove."""

    STATE: ClassVar[type[IntEnum]] = Verdict

    verdicts: np.ndarray

    def proved_free(self) -> np.ndarray:
        """Returns for each row whether it is proved that nothing touches.

        It is never true for UNDECIDED or REFUSED rows.

        Returns
        -------
        numpy.ndarray
            Booleans (…).
        """
        return self.verdicts == Verdict.FREE


@dataclass(frozen=True, eq=False, kw_only=True)
class CheckResult(_VerdictRows, _MovableRows, SceneRowsResult):
    """Answers of a CheckBatch.

    Attributes
    ----------
    verdicts : numpy.ndarray
        Numbers (…) of Verdict. The columns below are about the first pair that is not free.
    bodies_a, bodies_b : numpy.ndarray or None
        Ids (…) of that pair: the query body and the other one.
    is_self : numpy.ndarray or None
        Whether the other one is a query body too (…).
    lower_bounds, upper_bounds : numpy.ndarray or None
        Bounds (…) of the signed distance, metres.
    free_radii : numpy.ndarray or None
        Metres (…) that every point of every query body may move, of FREE rows.
    pairs : VerdictPairs or None
        Pairs that are not free; with `max_pairs`.
    """

    verdicts: np.ndarray
    bodies_a: _Column = None
    bodies_b: _Column = None
    is_self: _Column = None
    lower_bounds: _Column = None
    upper_bounds: _Column = None
    free_radii: _Column = None
    pairs: VerdictPairs | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class MinimumDistanceResult(_MovableRows, SceneRowsResult):
    """Answers of a MinimumDistanceBatch. Columns are about the nearest pair.

    Attributes
    ----------
    states : numpy.ndarray
        Numbers (…) of State.
    distances : numpy.ndarray or None
        Signed distances (…), metres; NaN if the state has none.
    lower_bounds : numpy.ndarray or None
        Lower bounds (…) of every pair's signed distance, metres.
    upper_bounds : numpy.ndarray or None
        Upper bounds (…) of the nearest pair's signed distance, metres.
    bodies_a, bodies_b : numpy.ndarray or None
        Ids (…) of that pair: the query body and the other one.
    is_self : numpy.ndarray or None
        Whether the other one is a query body too (…).
    points_a, points_b : numpy.ndarray or None
        Closest points (…, 3) of both surfaces, metres, world frame.
    normals : numpy.ndarray or None
        Unit normals (…, 3) from A to B, world axes.
    free_radii : numpy.ndarray or None
        Metres (…) that every point of every query body may move before anything can touch.
    """

    states: np.ndarray
    distances: _Column = None
    lower_bounds: _Column = None
    upper_bounds: _Column = None
    bodies_a: _Column = None
    bodies_b: _Column = None
    is_self: _Column = None
    points_a: _Column = None
    points_b: _Column = None
    normals: _Column = None
    free_radii: _Column = None

    def proved_free(self, margin: ArrayLike = 0.0) -> np.ndarray:
        """Returns for each row whether all pairs are proved farther apart than `margin`.

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
class NearestResult(SceneRowsResult):
    """Answers of a NearestBatch.

    Attributes
    ----------
    states : numpy.ndarray
        Numbers (…) of State, each of the row's first pair.
    pairs : NearestPairs
        The pairs.
    """

    states: np.ndarray
    pairs: NearestPairs


@dataclass(frozen=True, eq=False, kw_only=True)
class OverlapResult(_VerdictRows, SceneRowsResult):
    """Answers of an OverlapBatch.

    Attributes
    ----------
    verdicts : numpy.ndarray
        Numbers (…) of Verdict.
    pairs : VerdictPairs or None
        The touching bodies; with `max_pairs`.
    """

    verdicts: np.ndarray
    pairs: VerdictPairs | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class SweepResult(SceneRowsResult):
    """Answers of a SweepBatch or a RayBatch.

    Attributes
    ----------
    states : numpy.ndarray
        Numbers (…) of MotionState. The columns below are about the first contact.
    t_free : numpy.ndarray or None
        Times (…) before which everything is proved free.
    t_hit : numpy.ndarray or None
        Times (…) of the first contact, of HIT rows.
    t_leave : numpy.ndarray or None
        Times (…) from which on the answer holds, of an ignored initial contact.
    bodies_a, bodies_b : numpy.ndarray or None
        Ids (…) of that pair: the query body and the other one.
    is_self : numpy.ndarray or None
        Whether the other one is a query body too (…).
    points_a, points_b : numpy.ndarray or None
        Closest points (…, 3) of both surfaces, metres, world frame.
    normals : numpy.ndarray or None
        Unit normals (…, 3) from A to B, world axes.
    distances : numpy.ndarray or None
        Signed distances (…) at t_hit, metres; NaN if the state has none.
    pairs : SweepPairs or None
        Pairs that are not free; with `max_pairs`.
    """

    STATE = MotionState

    states: np.ndarray
    t_free: _Column = None
    t_hit: _Column = None
    t_leave: _Column = None
    bodies_a: _Column = None
    bodies_b: _Column = None
    is_self: _Column = None
    points_a: _Column = None
    points_b: _Column = None
    normals: _Column = None
    distances: _Column = None
    pairs: SweepPairs | None = None

    def proved_free(self) -> np.ndarray:
        """Returns for each row whether nothing is hit during the whole motion.

        With ignore_initial_contact that holds from t_leave on; before it the bodies may touch.

        Returns
        -------
        numpy.ndarray
            Booleans (…).
        """
        return self.states == MotionState.FREE
