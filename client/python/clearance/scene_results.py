# SPDX-License-Identifier: Apache-2.0
"""Answers about scenes as dataclasses of arrays, in the form of `results`.

The leading axes of every column are the batch's broadcast shape. A column that was not asked for is
None. Lists of pairs are flat: row i, in C order, has the items k with offsets[i] <= k < offsets[i +
1] (`of_row`). A is the query body (0 for a ray and for an overlap's shape), B the other one;
`is_self` says whether B is a query body too. scene_query.proto is the reference of every column."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Union

import numpy as np
from numpy.typing import ArrayLike

from clearance.results import (
    CONTACT_STATES,
    MEASURED_STATES,
    AnswerBase,
    MotionState,
    proved_apart,
)

_Column = Union[np.ndarray, None]


class Verdict(IntEnum):
    """States what is proved about a configuration, or about a pair of it."""

    UNSPECIFIED = 0
    FREE = 1
    TOUCHING = 2
    UNDECIDED = 3  # never take it for free
    REFUSED = 4  # see `errors`


@dataclass(frozen=True, eq=False, kw_only=True)
class PairList:
    """Pairs, row after row."""

    offsets: np.ndarray
    bodies_a: np.ndarray
    bodies_b: np.ndarray
    is_self: np.ndarray

    def __len__(self) -> int:
        return len(self.bodies_a)

    def of_row(self, row: int) -> slice:
        """Returns the slice of a row's pairs in the other columns; rows count in C order."""
        if not 0 <= row < len(self.offsets) - 1:
            raise IndexError(f"row {row} of {len(self.offsets) - 1}")
        return slice(int(self.offsets[row]), int(self.offsets[row + 1]))


@dataclass(frozen=True, eq=False, kw_only=True)
class VerdictPairs(PairList):
    """Pairs that are not free. `truncated`, 1 a row: there are or may be more."""

    verdicts: np.ndarray
    truncated: np.ndarray
    lower_bounds: _Column = None
    upper_bounds: _Column = None


@dataclass(frozen=True, eq=False, kw_only=True)
class NearestPairs(PairList):
    """The nearest pairs of each row, by their upper bounds."""

    states: np.ndarray
    distances: _Column = None
    lower_bounds: _Column = None
    upper_bounds: _Column = None
    points_a: _Column = None
    points_b: _Column = None
    normals: _Column = None


@dataclass(frozen=True, eq=False, kw_only=True)
class SweepPairs(PairList):
    """Pairs that are not free during the motion. `truncated`, 1 a row: there are or may be more."""

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
    """Base of the answers about scenes: adds the revision of the scene (0: none)."""

    scene_revision: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class CheckResult(SceneRowsResult):
    """Answers of a CheckBatch; bodies and bounds are of the first pair that is not free."""

    STATE = Verdict

    verdicts: np.ndarray
    bodies_a: _Column = None
    bodies_b: _Column = None
    is_self: _Column = None
    lower_bounds: _Column = None
    upper_bounds: _Column = None
    free_radii: _Column = None
    pairs: VerdictPairs | None = None

    def proved_free(self) -> np.ndarray:
        """Returns for each row whether it is proved that nothing touches.

        It is never true for UNDECIDED or REFUSED rows."""
        return self.verdicts == Verdict.FREE

    def free_motion_radius(self) -> np.ndarray:
        """Returns, metres, for each row how far every point of every query body may move.

        The row stays free. It is 0 for a row that is not free, and if free radii were not asked for
        (`CheckDetail.free_radii`)."""
        return _radii(self.proved_free(), self.free_radii)

    def still_free(self, moved: ArrayLike) -> np.ndarray:
        """Returns for each row whether it is still free after the query bodies moved.

        Parameters
        ----------
        moved : array_like
            Metres, (…, bodies): see `largest_displacement`.
        """
        return _still_free(self.proved_free(), self.free_motion_radius(), moved)


@dataclass(frozen=True, eq=False, kw_only=True)
class ClearanceResult(SceneRowsResult):
    """Answers of a ClearanceBatch: lower_bounds hold for every pair, the rest is of the nearest."""

    MEASURED = MEASURED_STATES

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

        The margin is in metres and broadcasts, as in DistanceResult."""
        return proved_apart(self.states, self.lower_bounds, margin)

    def free_motion_radius(self) -> np.ndarray:
        """Returns the same as CheckResult.free_motion_radius."""
        return _radii(self.proved_free(), self.free_radii)

    def still_free(self, moved: ArrayLike) -> np.ndarray:
        """Returns the same as CheckResult.still_free."""
        return _still_free(self.proved_free(), self.free_motion_radius(), moved)


@dataclass(frozen=True, eq=False, kw_only=True)
class NearestResult(SceneRowsResult):
    """Answers of a NearestBatch; states are those of the rows' first pairs."""

    states: np.ndarray
    pairs: NearestPairs


@dataclass(frozen=True, eq=False, kw_only=True)
class OverlapResult(SceneRowsResult):
    """Answers of an OverlapBatch."""

    STATE = Verdict

    verdicts: np.ndarray
    pairs: VerdictPairs | None = None

    def proved_free(self) -> np.ndarray:
        """Returns for each row whether it is proved that nothing touches.

        It is never true for UNDECIDED or REFUSED rows."""
        return self.verdicts == Verdict.FREE


@dataclass(frozen=True, eq=False, kw_only=True)
class SweepResult(SceneRowsResult):
    """Answers of a MotionBatch or a RayBatch.

    Everything is proved free before t_free; the rest is of the first contact."""

    STATE = MotionState
    MEASURED = CONTACT_STATES

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

        With ignore_initial_contact that holds from t_leave on; before it the bodies may touch."""
        return self.states == MotionState.FREE


SceneResult = Union[CheckResult, ClearanceResult, NearestResult, OverlapResult, SweepResult]


def _radii(is_free: np.ndarray, radii: _Column) -> np.ndarray:
    if radii is None:
        return np.zeros(is_free.shape)
    return np.where(is_free & (radii > 0), radii, 0.0)  # NaN is no radius


def _still_free(is_free: np.ndarray, radii: np.ndarray, moved: ArrayLike) -> np.ndarray:
    distances = np.asarray(moved, float)
    # A NaN is never below a radius. If there are no bodies, none has moved.
    return is_free & (distances < radii[..., None]).all(-1)
