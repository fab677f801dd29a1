# SPDX-License-Identifier: Apache-2.0
"""The common part of the writers and readers of tracks of threads and of asyncio."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from clearance._scene_batches import SceneRows, SweepDetail
from clearance._scene_content import SceneChange
from clearance.poses import PosesLike

# Slots of scenes of a reader's session: the scene as it is, and as it was with the track's bodies.
SCENE_SLOT = 0
REWOUND_SLOT = 1

HITS = SweepDetail.DEFAULT | SweepDetail.PAIRS | SweepDetail.POINTS | SweepDetail.NORMALS

Question = TypeVar("Question", bound=SceneRows[Any])


class TrackClamp(IntEnum):
    """States how the time that was asked for relates to the time that was used.

    Attributes
    ----------
    UNSPECIFIED : int
        A relation that this package does not know.
    NONE : int
        The time was used.
    TO_OLDEST : int
        The time lay before the oldest tick that was held, which was used.
    TO_NEWEST : int
        The time lay after the newest tick, which was used: nothing is extrapolated.
    """

    UNSPECIFIED = 0
    NONE = 1
    TO_OLDEST = 2
    TO_NEWEST = 3


@dataclass(frozen=True)
class PublishedTick:
    """The answer to a published tick.

    Attributes
    ----------
    tick : int
        The tick.
    oldest_tick : int
        The oldest tick that can still be asked for.
    body_count : int
        Number of bodies.
    """

    tick: int
    oldest_tick: int
    body_count: int


@dataclass(frozen=True)
class Rewound:
    """The values that a rewind used.

    Attributes
    ----------
    tick : int
        The tick of the time.
    fraction : float
        The part of a tick after it.
    clamp : TrackClamp
        Whether this is the time that was asked for.
    earlier_tick, later_tick : int
        The ticks on both sides of the time.
    weight : float
        The weight of the later one, from 0 to 1.
    oldest_tick, newest_tick : int
        The ticks that are held.
    body_count : int
        Number of the track's bodies.
    scene_revision : int
        Revision of the scene into which they were put; 0 without one.
    """

    tick: int
    fraction: float
    clamp: TrackClamp
    earlier_tick: int
    later_tick: int
    weight: float
    oldest_tick: int
    newest_tick: int
    body_count: int
    scene_revision: int


@dataclass(frozen=True)
class OpenTrack:
    """Begins a track of the session's query bodies."""

    name: str


@dataclass(frozen=True)
class OpenedTrack:
    """A track that has no tick yet."""

    name: str


@dataclass(frozen=True, eq=False)
class PublishTick:
    """Adds a tick. `poses` None: the poses at which the bodies were attached."""

    tick: int
    poses: PosesLike | None = None


@dataclass(frozen=True, eq=False)
class RewindTrack:
    """Puts the track's bodies, at their poses of a past time, into a slot.

    They are added to the scene of the base slot, or to an empty scene without one."""

    scene_slot: int
    base_scene_slot: int | None
    track: str
    tick: int
    fraction: float = 0.0
    left_out_bodies: ArrayLike = ()


def without_shapes(change: SceneChange) -> SceneChange:
    """Returns the change for a session in whose first slots the change's shapes have been
    opened."""
    return replace(change, bodies=replace(change.bodies, shapes=()))


def of_the_past(batch: Question) -> Question:
    """Returns the same question about the rewound scene."""
    return replace(batch, scene_slot=REWOUND_SLOT)
