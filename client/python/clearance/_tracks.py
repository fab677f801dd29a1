# SPDX-License-Identifier: Apache-2.0
"""The common part of the writers and readers of tracks of threads and of asyncio."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from clearance.scene_batches import (
    Among,
    CheckBatch,
    CheckDetail,
    MotionBatch,
    RayBatch,
    SceneBatch,
    SweepDetail,
)
from clearance.scenes import SceneChange

# Slots of scenes of a reader's session: the scene as it is, and as it was with the track's bodies.
SCENE_SLOT = 0
REWOUND_SLOT = 1

_HITS = SweepDetail(pairs=True, points=True, normals=True)

Question = TypeVar("Question", bound=SceneBatch)


class TrackClamp(IntEnum):
    """The relation of the time that was asked for to the time that was used."""

    UNSPECIFIED = 0
    NONE = 1
    TO_OLDEST = 2  # the time lay before the oldest tick that was held, which was used
    TO_NEWEST = 3  # after the newest: nothing is extrapolated


@dataclass(frozen=True)
class PublishedTick:
    """The answer to PublishTick. `oldest_tick` can still be asked for."""

    tick: int
    oldest_tick: int
    body_count: int


@dataclass(frozen=True)
class Rewound:
    """The values that were used: the time, the ticks on both sides of it and the weight of the
    later one. `body_count` is of the track; `scene_revision` of the scene into which it was put, 0
    without one."""

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
    """Begins a track of the session's own bodies."""

    name: str


@dataclass(frozen=True)
class OpenedTrack:
    """A track that has no tick yet."""

    name: str


@dataclass(frozen=True, eq=False)
class PublishTick:
    """Adds a tick. `poses` None: the poses at which the bodies were attached."""

    tick: int
    poses: ArrayLike | None = None


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


def rays(columns: dict[str, Any]) -> RayBatch:
    wanted: dict[str, Any] = {"detail": _HITS, **columns}
    return of_the_past(RayBatch(**wanted))


def check(columns: dict[str, Any]) -> CheckBatch:
    wanted: dict[str, Any] = {"among": Among.SCENE, "detail": CheckDetail(pairs=True), **columns}
    return of_the_past(CheckBatch(**wanted))


def sweep(columns: dict[str, Any]) -> MotionBatch:
    wanted: dict[str, Any] = {"among": Among.SCENE, "detail": _HITS, **columns}
    return of_the_past(MotionBatch(**wanted))
