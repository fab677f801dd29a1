# SPDX-License-Identifier: Apache-2.0
"""Batches of questions about scenes, as dataclasses of arrays.

A row is one configuration: where all own bodies stand, in the order of their ids. So poses are
(…, bodies, 7), displacements and rotations (…, bodies, 3), and what is said once a configuration
(…): what is before the axis of the bodies broadcasts as numpy does it, and the answer has the
broadcast shape; the axis of the bodies broadcasts too. None is the default of scene_query.proto:
where the bodies were attached, no motion, no limit. Rows of overlaps and rays have no axis of
bodies. Units are metres, radians and seconds; everything is in the world frame.

`scene_slot` is the slot in which a session opened the scene. A call of `client.scenes` opens its
scene in the slot that the batch names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Sequence, Union

from numpy.typing import ArrayLike

from clearance.scenes import OpenScene, SceneBodies, ScenePairRules
from clearance.shapes import ShapeReference


class Among(IntEnum):
    """Which pairs are asked about."""

    SCENE_AND_SELF = 0
    SCENE = 1  # own bodies against those of the scene
    SELF = 2  # own bodies against each other


@dataclass(frozen=True)
class CheckDetail:
    """The columns wanted of a check, beside the verdicts. Free radii cost a search for the nearest
    bodies."""

    pairs: bool = False
    bounds: bool = False
    free_radii: bool = False


@dataclass(frozen=True)
class ClearanceDetail:
    """The columns wanted of a clearance."""

    distances: bool = True
    bounds: bool = True
    pairs: bool = False
    points: bool = False
    normals: bool = False
    free_radii: bool = False


@dataclass(frozen=True)
class NearestDetail:
    """The columns wanted of the nearest pairs, beside their ids and states."""

    distances: bool = True
    bounds: bool = True
    points: bool = False
    normals: bool = False


@dataclass(frozen=True)
class SweepDetail:
    """The columns wanted of a motion or a ray."""

    times: bool = True
    pairs: bool = False
    points: bool = False
    normals: bool = False
    distances: bool = False


@dataclass(frozen=True, kw_only=True)
class SceneRows:
    """`time_budget`: seconds from the message's arrival; rows not reached come back UNDECIDED.
    `max_reply_bytes`: 0 is what the client is set to receive."""

    time_budget: float | None = None
    max_reply_bytes: int = 0


@dataclass(frozen=True, kw_only=True)
class ConfigurationRows(SceneRows):
    """Where the own bodies stand. `scene_slot` None: they are asked against each other alone."""

    poses: ArrayLike | None = None
    scene_slot: int | None = 0
    among: Among = Among.SCENE_AND_SELF


@dataclass(frozen=True, kw_only=True)
class CheckBatch(ConfigurationRows):
    """Does anything touch? Stops at the first pair that does, unless `max_pairs` is above 0: then
    all pairs that are not free, by ids, up to so many a row, come in `pairs`."""

    max_pairs: int = 0
    detail: CheckDetail = field(default_factory=CheckDetail)


@dataclass(frozen=True, kw_only=True)
class ClearanceBatch(ConfigurationRows):
    """How far apart is everything? Margins do not matter here."""

    max_distances: ArrayLike | None = None
    tolerance: float = 0.0
    exact: bool = False
    detail: ClearanceDetail = field(default_factory=ClearanceDetail)


@dataclass(frozen=True, kw_only=True)
class NearestBatch(ConfigurationRows):
    """Which pairs are the nearest, `max_pairs` of each row? Margins do not matter here."""

    max_pairs: int = 1
    max_distances: ArrayLike | None = None
    tolerance: float = 0.0
    exact: bool = False
    detail: NearestDetail = field(default_factory=NearestDetail)


@dataclass(frozen=True, kw_only=True)
class MotionBatch(ConfigurationRows):
    """Asks when own bodies first touch, each on its own screw from t = 0 to 1.

    The links of an arm whose joints move go another way: `prove_joint_motions`. The scene rests.
    `poses` are those at t = 0; a motion is a displacement and a rotation vector, or an end pose. With
    `ignore_initial_contact` bodies in contact at t = 0 may leave: the answer is of the time from
    t_leave on. With `max_pairs` every pair that is not free along the whole way comes in `pairs`.
    """

    displacements: ArrayLike | None = None
    rotations: ArrayLike | None = None
    end_poses: ArrayLike | None = None
    ignore_initial_contact: bool = False
    max_pairs: int = 0
    detail: SweepDetail = field(default_factory=SweepDetail)


@dataclass(frozen=True, kw_only=True)
class OverlapBatch(SceneRows):
    """What of a scene touches a shape that is no body? `shape_slots` are the session's slots, or
    indices of a call's shapes. `max_pairs` 0: verdicts alone; `bounds` are of the pairs.
    """

    scene_slot: int = 0
    shape_slots: ArrayLike | None = None
    poses: ArrayLike | None = None
    margins: ArrayLike | None = None
    groups: ArrayLike | None = None
    masks: ArrayLike | None = None
    max_pairs: int = 0
    bounds: bool = False


@dataclass(frozen=True, kw_only=True)
class RayBatch(SceneRows):
    """What is in the way of a point, or of a ball with a radius? `displacements` are the whole way.
    `any`: any hit will do, instead of the first one on the way."""

    scene_slot: int = 0
    origins: ArrayLike | None = None
    displacements: ArrayLike | None = None
    radii: ArrayLike | None = None
    groups: ArrayLike | None = None
    masks: ArrayLike | None = None
    any: bool = False
    max_pairs: int = 0
    detail: SweepDetail = field(default_factory=SweepDetail)


SceneBatch = Union[CheckBatch, ClearanceBatch, NearestBatch, OverlapBatch, MotionBatch, RayBatch]


@dataclass(frozen=True, eq=False, kw_only=True)
class SceneSetting:
    """What one call asks about: a scene (a str is its name, at the newest revision; None: own bodies
    alone), the shapes that slots refer to, the own bodies (their `shape_slots` are indices of
    `shapes`), and the rules that are said of pairs with them. Number the own bodies apart from the
    scene's: an own body with the id of a body of the scene is refused, unless a rule of the id with
    itself says that it is that body. `min_revision` is the registry's."""

    scene: OpenScene | str | None = None
    shapes: Sequence[ShapeReference] = ()
    bodies: SceneBodies = field(default_factory=SceneBodies)
    rules: ScenePairRules = field(default_factory=ScenePairRules)
    min_revision: int = 0
