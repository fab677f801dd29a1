# SPDX-License-Identifier: Apache-2.0
"""Batches of questions about pairs of shapes, as dataclasses of arrays.

Poses are (…, 7) or anything else that `poses.as_poses` takes, vectors (…, 3), slots and distances
(…). Leading dimensions broadcast as in numpy, and the answer has the broadcast shape. An array of
one row travels once, however many rows it stands for. Units are metres, radians and seconds, all in
the world frame. query.proto is the reference of every column.

>>> detail = DistanceDetail.DEFAULT | DistanceDetail.POINTS
>>> batch = DistanceBatch(poses_b=clearance.poses.pose([[1, 0, 0], [2, 0, 0]]), detail=detail)
>>> with clearance.connect(address) as client:
...     answer = client.ask([clearance.Point(), clearance.Sphere(0.25)], batch)
>>> answer.points_b[:, 0]
array([0.75, 1.75])"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from typing import Generic, TypeVar

from numpy.typing import ArrayLike

from clearance._fields import Documented
from clearance.poses import PosesLike
from clearance.results import DistanceResult, IntersectionResult, TimeOfCollisionResult

__all__ = [
    "BatchRows",
    "DistanceBatch",
    "DistanceDetail",
    "IntersectionBatch",
    "IntersectionDetail",
    "PairRows",
    "TimeOfCollisionBatch",
    "TimeOfCollisionDetail",
]

R_co = TypeVar("R_co", covariant=True)


class DistanceDetail(IntFlag):
    """Selects the columns of a distance besides the states.

    Attributes
    ----------
    DISTANCES : int
        Signed distances.
    BOUNDS : int
        Proved bounds of the distances.
    POINTS : int
        Closest points of both surfaces, or the deepest ones.
    NORMALS : int
        Unit normals from A to B.
    RELATIVE_POINTS : int
        The same points relative to A's origin. They keep their digits far from the world's origin.
    WITNESSES : int
        Vertices and weights that prove the answer again.
    ITERATIONS : int
        Iterations of the solver.
    TOLERANCES : int
        Tolerance of each row's state.
    PIECES : int
        Pieces of compounds that the row is about.
    CONTACTS : int
        Corners of the area in which faces meet.
    DEPTH_PROOFS : int
        Proofs that each overlap is at least as deep as stated.
    DEFAULT : int
        DISTANCES and BOUNDS.
    PROOF : int
        The columns that `verify.verify` needs.
    """

    DISTANCES = 1
    BOUNDS = 2
    POINTS = 4
    NORMALS = 8
    RELATIVE_POINTS = 16
    WITNESSES = 32
    ITERATIONS = 64
    TOLERANCES = 128
    PIECES = 256
    CONTACTS = 512
    DEPTH_PROOFS = 1024
    DEFAULT = DISTANCES | BOUNDS
    PROOF = (
        DEFAULT
        | POINTS
        | NORMALS
        | RELATIVE_POINTS
        | WITNESSES
        | TOLERANCES
        | PIECES
        | DEPTH_PROOFS
    )


class IntersectionDetail(IntFlag):
    """Selects the columns of an intersection besides the states.

    Attributes
    ----------
    BOUNDS : int
        Bounds of the distance at the early exit.
    ITERATIONS : int
        Iterations of the solver.
    DEFAULT : int
        States alone.
    """

    BOUNDS = 1
    ITERATIONS = 2
    DEFAULT = 0


class TimeOfCollisionDetail(IntFlag):
    """Selects the columns of a time of collision besides the states.

    Attributes
    ----------
    TIMES : int
        Times t_free, t_hit and t_leave.
    POINTS : int
        Closest points at t_hit.
    NORMALS : int
        Unit normals from A to B at t_hit.
    ITERATIONS : int
        Iterations of the solver.
    DISTANCES : int
        Signed distances at t_hit.
    PROOFS : int
        Proofs that each row is free before t_free.
    PIECES : int
        Pieces of compounds that meet.
    DEFAULT : int
        TIMES.
    """

    TIMES = 1
    POINTS = 2
    NORMALS = 4
    ITERATIONS = 8
    DISTANCES = 16
    PROOFS = 32
    PIECES = 64
    DEFAULT = TIMES


@dataclass(frozen=True, kw_only=True)
class BatchRows(Documented, Generic[R_co]):
    """Base of all batches.

    Attributes
    ----------
    time_budget : float, optional
        Seconds from the message's arrival. Rows that are not reached are UNDECIDED.
    max_reply_bytes : int
        Largest reply message, bytes. 0: what the client may receive.
    """

    time_budget: float | None = None
    max_reply_bytes: int = 0


@dataclass(frozen=True, kw_only=True)
class PairRows(BatchRows[R_co]):
    """Base of the batches about pairs of shapes.

    Attributes
    ----------
    poses_a, poses_b : poses_like, optional
        Poses (…, 7) of A and B in the world. None: the identity.
    slots_a, slots_b : array_like of int, optional
        Shapes (…) of A and B: slots of a session, or indices of a call's shapes. None: 0 for A and
        1 for B.
    """

    poses_a: PosesLike | None = None
    poses_b: PosesLike | None = None
    slots_a: ArrayLike | None = None
    slots_b: ArrayLike | None = None


@dataclass(frozen=True, kw_only=True)
class DistanceBatch(PairRows[DistanceResult]):
    """Asks how far apart pairs are.

    Attributes
    ----------
    max_distances : array_like, optional
        Largest distances of interest (…), metres, at least 0. None: no limit.
    tolerance : float
        Width of the bracket at which the search may stop, metres. 0: as narrow as rounding allows.
    exact : bool
        Decides contact with exact arithmetic if rounding leaves it open.
    warm_start : bool
        Starts each row at the result of the same row of the last such batch of the session. Only
        the iterations depend on it.
    max_contact_separation : float, optional
        Largest separation of a contact's two points, metres. None: no limit.
    detail : DistanceDetail
        The wanted columns.
    """

    max_distances: ArrayLike | None = None
    tolerance: float = 0.0
    exact: bool = False
    warm_start: bool = False
    max_contact_separation: float | None = None
    detail: DistanceDetail = DistanceDetail.DEFAULT


@dataclass(frozen=True, kw_only=True)
class IntersectionBatch(PairRows[IntersectionResult]):
    """Asks whether pairs touch. It is cheaper than a distance.

    Attributes
    ----------
    exact : bool
        Decides contact with exact arithmetic if rounding leaves it open.
    detail : IntersectionDetail
        The wanted columns.
    """

    exact: bool = False
    detail: IntersectionDetail = IntersectionDetail.DEFAULT


@dataclass(frozen=True, kw_only=True)
class TimeOfCollisionBatch(PairRows[TimeOfCollisionResult]):
    """Asks when pairs first come within the target distance, in t from 0 to 1.

    The poses are those at t = 0. Each motion is a displacement, a rotation vector and a pivot, or
    an end pose.

    Attributes
    ----------
    displacements_a, displacements_b : array_like, optional
        Whole displacements (…, 3), metres, world axes. None: 0.
    rotations_a, rotations_b : array_like, optional
        Rotation vectors (…, 3), radians, world axes, at most 640 long. None: 0.
    pivots_a, pivots_b : array_like, optional
        Centres of the rotations (…, 3) at t = 0, metres, world frame. None: the shape's origin.
    end_poses_a, end_poses_b : poses_like, optional
        Poses (…, 7) at t = 1, in place of the three above.
    target_distances : array_like, optional
        Distances (…) at which to stop before contact, metres, at least 0. None: 0.
    ignore_initial_contact : bool
        Lets bodies leave that are in contact at t = 0. The answer is then about the time from
        t_leave on.
    detail : TimeOfCollisionDetail
        The wanted columns.
    """

    displacements_a: ArrayLike | None = None
    displacements_b: ArrayLike | None = None
    rotations_a: ArrayLike | None = None
    rotations_b: ArrayLike | None = None
    pivots_a: ArrayLike | None = None
    pivots_b: ArrayLike | None = None
    end_poses_a: PosesLike | None = None
    end_poses_b: PosesLike | None = None
    target_distances: ArrayLike | None = None
    ignore_initial_contact: bool = False
    detail: TimeOfCollisionDetail = TimeOfCollisionDetail.DEFAULT
