# SPDX-License-Identifier: Apache-2.0
"""Batches of questions about scenes, as dataclasses of arrays.

A row is one configuration: a pose of every query body, in the order of their ids. Poses are (…,
bodies, 7), displacements and rotations (…, bodies, 3), values of a configuration (…). Leading
dimensions broadcast as in numpy, and so does the axis of the bodies; the answer has the broadcast
shape. None is the default of scene_query.proto: the poses of the attached bodies, no motion, no
limit. Overlaps and rays have no axis of bodies. Units are metres, radians and seconds, all in the
world frame.

`scene_slot` is the slot in which a session opened the scene. A call of `client.scenes` opens its
scene in the slot that the batch names."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Sequence, Union

from numpy.typing import ArrayLike

from clearance.scenes import OpenScene, SceneBodies, ScenePairRules
from clearance.shapes import ShapeReference


class Among(IntEnum):
    """Selects the pairs of a question."""

    SCENE_AND_SELF = 0
    SCENE = 1  # own bodies against those of the scene
    SELF = 2  # own bodies against each other


@dataclass(frozen=True)
class CheckDetail:
    """Selects the columns of a check besides the verdicts.

    Free radii need a search for the nearest bodies."""

    pairs: bool = False
    bounds: bool = False
    free_radii: bool = False


@dataclass(frozen=True)
class ClearanceDetail:
    """Selects the columns of a clearance."""

    distances: bool = True
    bounds: bool = True
    pairs: bool = False
    points: bool = False
    normals: bool = False
    free_radii: bool = False


@dataclass(frozen=True)
class NearestDetail:
    """Selects the columns of the nearest pairs besides their ids and states."""

    distances: bool = True
    bounds: bool = True
    points: bool = False
    normals: bool = False


@dataclass(frozen=True)
class SweepDetail:
    """Selects the columns of a motion or a ray."""

    times: bool = True
    pairs: bool = False
    points: bool = False
    normals: bool = False
    distances: bool = False


@dataclass(frozen=True, kw_only=True)
class SceneRows:
    """Options of every batch about a scene.

    `time_budget`: seconds from the message's arrival; rows that are not reached are UNDECIDED.
    `max_reply_bytes`: 0 means what the client may receive."""

    time_budget: float | None = None
    max_reply_bytes: int = 0


@dataclass(frozen=True, kw_only=True)
class ConfigurationRows(SceneRows):
    """Poses of the query bodies. `scene_slot` None: they are asked against each other only."""

    poses: ArrayLike | None = None
    scene_slot: int | None = 0
    among: Among = Among.SCENE_AND_SELF


@dataclass(frozen=True, kw_only=True)
class CheckBatch(ConfigurationRows):
    """Asks whether anything touches. It stops at the first such pair.

    With `max_pairs` above 0, `pairs` has up to this many pairs a row that are not free, by ids."""

    max_pairs: int = 0
    detail: CheckDetail = field(default_factory=CheckDetail)


@dataclass(frozen=True, kw_only=True)
class ClearanceBatch(ConfigurationRows):
    """Asks for the smallest distance. Margins are ignored."""

    max_distances: ArrayLike | None = None
    tolerance: float = 0.0
    exact: bool = False
    detail: ClearanceDetail = field(default_factory=ClearanceDetail)


@dataclass(frozen=True, kw_only=True)
class NearestBatch(ConfigurationRows):
    """Asks for the `max_pairs` nearest pairs of each row. Margins are ignored."""

    max_pairs: int = 1
    max_distances: ArrayLike | None = None
    tolerance: float = 0.0
    exact: bool = False
    detail: NearestDetail = field(default_factory=NearestDetail)


@dataclass(frozen=True, kw_only=True)
class MotionBatch(ConfigurationRows):
    """Asks when query bodies first touch, each on its own screw from t = 0 to 1.

    The links of an arm whose joints move take another path: use `prove_joint_motions` for them. The
    scene is at rest. `poses` are those at t = 0. A motion is a displacement and a rotation vector,
    or an end pose. With `ignore_initial_contact` bodies in contact at t = 0 may leave: the answer
    is about the time from t_leave on. With `max_pairs`, `pairs` has the pairs that are not free
    during the whole motion."""

    displacements: ArrayLike | None = None
    rotations: ArrayLike | None = None
    end_poses: ArrayLike | None = None
    ignore_initial_contact: bool = False
    max_pairs: int = 0
    detail: SweepDetail = field(default_factory=SweepDetail)


@dataclass(frozen=True, kw_only=True)
class OverlapBatch(SceneRows):
    """Asks which bodies of a scene touch a shape.

    `shape_slots` are the session's slots, or indices of a call's shapes. `max_pairs` 0: only
    verdicts; `bounds` belong to the pairs."""

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
    """Asks what a moving point, or a ball with a radius, hits.

    `displacements` are the whole motion. `any`: takes any hit instead of the first one."""

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
    """The subject of one call: a scene, shapes, query bodies and rules.

    Number query bodies apart from the scene's bodies. A query body with the id of a body of the
    scene is refused, unless a rule of that id with itself says that it is the same body.

    Attributes
    ----------
    scene : OpenScene or str, optional
        The scene; a str is its name, at the newest revision. None: query bodies alone.
    shapes : sequence of ShapeReference
        The table of shape slots.
    bodies : SceneBodies
        Query bodies; `shape_slots` are indices of `shapes`.
    rules : ScenePairRules
        Rules of pairs with query bodies.
    min_revision : int
        The registry's revision, at least.
    """

    scene: OpenScene | str | None = None
    shapes: Sequence[ShapeReference] = ()
    bodies: SceneBodies = field(default_factory=SceneBodies)
    rules: ScenePairRules = field(default_factory=ScenePairRules)
    min_revision: int = 0
