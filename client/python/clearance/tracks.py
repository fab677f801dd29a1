# SPDX-License-Identifier: Apache-2.0
"""Tracks: a game server publishes where its players stand, tick by tick, and whoever judges a shot
asks what it met at a time of the past. proto/clearance/v1/track.proto says how bodies stand between
two ticks and what every call may answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from numpy.typing import ArrayLike


class TrackClamp(IntEnum):
    """How a time that was asked for became the one that was used."""

    UNSPECIFIED = 0
    NONE = 1
    TO_OLDEST = 2  # the time lay before the oldest tick that was held, which was used
    TO_NEWEST = 3  # after the newest: nothing is extrapolated


@dataclass(frozen=True)
class PublishedTick:
    """`oldest_tick` can still be asked for."""

    tick: int
    oldest_tick: int
    body_count: int


@dataclass(frozen=True)
class Rewound:
    """What was used: the time, the ticks on both sides of it and the weight of the later one.
    `body_count` is of the track; `scene_revision` of the scene in which it was put, 0 without one.
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
    """Begin a track of the session's own bodies."""

    name: str


@dataclass(frozen=True, eq=False)
class PublishTick:
    """Add a tick. `poses` None: where the bodies were attached."""

    tick: int
    poses: ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class RewindTrack:
    """Make the scene that stood there at a past time, in a slot."""

    scene_slot: int
    base_scene_slot: int | None
    track: str
    tick: int
    fraction: float = 0.0
    left_out_bodies: ArrayLike = ()
