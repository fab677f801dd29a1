# SPDX-License-Identifier: Apache-2.0
"""Batches of questions about pairs of shapes, as dataclasses of arrays.

Poses are (…, 7), vectors (…, 3), slots and distances (…). Leading dimensions broadcast as in numpy,
and the answer has the broadcast shape. An array of one row travels once, however many rows it
stands for. None is the default of query.proto: the identity, slot 0 for A and 1 for B, no motion,
no limit. Slots are those of a session, or indices of a unary call's shapes. Units are metres,
radians and seconds, all in the world frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

from numpy.typing import ArrayLike


@dataclass(frozen=True)
class DistanceDetail:
    """Selects the columns of a distance."""

    distances: bool = True
    bounds: bool = True
    points: bool = False
    normals: bool = False
    relative_points: bool = False
    witnesses: bool = False
    iterations: bool = False
    tolerances: bool = False
    pieces: bool = False
    contacts: bool = False
    depth_proofs: bool = False


@dataclass(frozen=True)
class IntersectionDetail:
    """Selects the columns of an intersection besides the states."""

    bounds: bool = False
    iterations: bool = False


@dataclass(frozen=True)
class TimeOfCollisionDetail:
    """Selects the columns of a time of collision."""

    times: bool = True
    points: bool = False
    normals: bool = False
    iterations: bool = False
    distances: bool = False
    proofs: bool = False
    pieces: bool = False


# The columns of a distance that verify() needs.
PROOF = DistanceDetail(
    points=True,
    normals=True,
    relative_points=True,
    witnesses=True,
    tolerances=True,
    depth_proofs=True,
    pieces=True,
)


@dataclass(frozen=True, kw_only=True)
class PairRows:
    """The shapes and poses of a batch.

    `time_budget`: seconds from the message's arrival; rows that are not reached are UNDECIDED.
    `max_reply_bytes`: 0 means what the client may receive."""

    poses_a: ArrayLike | None = None
    poses_b: ArrayLike | None = None
    slots_a: ArrayLike | None = None
    slots_b: ArrayLike | None = None
    time_budget: float | None = None
    max_reply_bytes: int = 0


@dataclass(frozen=True, kw_only=True)
class DistanceBatch(PairRows):
    """Asks how far apart pairs are."""

    max_distances: ArrayLike | None = None
    tolerance: float = 0.0
    exact: bool = False
    warm_start: bool = False
    max_contact_separation: float | None = None
    detail: DistanceDetail = field(default_factory=DistanceDetail)


@dataclass(frozen=True, kw_only=True)
class IntersectionBatch(PairRows):
    """Asks whether pairs touch."""

    exact: bool = False
    detail: IntersectionDetail = field(default_factory=IntersectionDetail)


@dataclass(frozen=True, kw_only=True)
class TimeOfCollisionBatch(PairRows):
    """Asks when pairs first come within the target distance, in t from 0 to 1.

    Each motion is a displacement, a rotation vector and a pivot, or an end pose. With
    `ignore_initial_contact` bodies in contact at t = 0 may leave: the answer is about the time from
    t_leave on."""

    displacements_a: ArrayLike | None = None
    displacements_b: ArrayLike | None = None
    rotations_a: ArrayLike | None = None
    rotations_b: ArrayLike | None = None
    pivots_a: ArrayLike | None = None
    pivots_b: ArrayLike | None = None
    end_poses_a: ArrayLike | None = None
    end_poses_b: ArrayLike | None = None
    target_distances: ArrayLike | None = None
    ignore_initial_contact: bool = False
    detail: TimeOfCollisionDetail = field(default_factory=TimeOfCollisionDetail)


Batch = Union[DistanceBatch, IntersectionBatch, TimeOfCollisionBatch]
