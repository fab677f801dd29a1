# SPDX-License-Identifier: Apache-2.0
"""Batches of questions about scenes, as dataclasses of arrays.

A row is one configuration: a pose of every query body, in the order of their ids. Leading
dimensions broadcast as in numpy, and so does the axis of the bodies; the answer has the broadcast
shape. Overlaps and rays have no axis of bodies. Units are metres, radians and seconds, all in the
world frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Sequence, TypeVar

from numpy.typing import ArrayLike

from clearance._scene_content import OpenScene, SceneBodies, ScenePairRules
from clearance._scene_results import (
    CheckResult,
    MinimumDistanceResult,
    NearestResult,
    OverlapResult,
    SweepResult,
)
from clearance.batches import BatchRows
from clearance.poses import PosesLike
from clearance.shapes import ShapeReference

__all__ = [
    "CheckBatch",
    "CheckDetail",
    "ConfigurationRows",
    "MinimumDistanceBatch",
    "MinimumDistanceDetail",
    "NearestBatch",
    "NearestDetail",
    "OverlapBatch",
    "PairScope",
    "RayBatch",
    "SceneRows",
    "SceneSetting",
    "SweepBatch",
    "SweepDetail",
]

R_co = TypeVar("R_co", covariant=True)


class PairScope(IntEnum):
    """Selects the pairs of a question.

    Attributes
    ----------
    SCENE_AND_SELF : int
        Both of the following.
    SCENE : int
        Query bodies against those of the scene.
    SELF : int
        Query bodies against each other.
    """

    SCENE_AND_SELF = 0
    SCENE = 1
    SELF = 2


class CheckDetail(IntFlag):
    """Selects the columns of a check besides the verdicts.

    Attributes
    ----------
    PAIRS : int
        The first pair with the row's verdict.
    BOUNDS : int
        Bounds of that pair's distance.
    FREE_RADII : int
        How far all points may move. It needs a search for the nearest bodies.
    DEFAULT : int
        Verdicts alone.
    """

    PAIRS = 1
    BOUNDS = 2
    FREE_RADII = 4
    DEFAULT = 0


class MinimumDistanceDetail(IntFlag):
    """Selects the columns of a minimum distance besides the states.

    Attributes
    ----------
    DISTANCES : int
        Signed distance of the nearest pair.
    BOUNDS : int
        Bounds of all pairs' distances.
    PAIRS : int
        The nearest pair.
    POINTS : int
        Closest points of that pair.
    NORMALS : int
        Unit normal of that pair.
    FREE_RADII : int
        How far all points may move.
    DEFAULT : int
        DISTANCES and BOUNDS.
    """

    DISTANCES = 1
    BOUNDS = 2
    PAIRS = 4
    POINTS = 8
    NORMALS = 16
    FREE_RADII = 32
    DEFAULT = DISTANCES | BOUNDS


class NearestDetail(IntFlag):
    """Selects the columns of the nearest pairs besides their ids and states.

    Attributes
    ----------
    DISTANCES : int
        Signed distances.
    BOUNDS : int
        Proved bounds of the distances.
    POINTS : int
        Closest points of both surfaces, or the deepest ones.
    NORMALS : int
        Unit normals from the query body to the other one.
    DEFAULT : int
        DISTANCES and BOUNDS.
    """

    DISTANCES = 1
    BOUNDS = 2
    POINTS = 4
    NORMALS = 8
    DEFAULT = DISTANCES | BOUNDS


class SweepDetail(IntFlag):
    """Selects the columns of a sweep or a ray besides the states.

    Attributes
    ----------
    TIMES : int
        Times t_free, t_hit and t_leave.
    PAIRS : int
        The pair of the first contact.
    POINTS : int
        Closest points at t_hit.
    NORMALS : int
        Unit normals at t_hit.
    DISTANCES : int
        Signed distances at t_hit.
    DEFAULT : int
        TIMES.
    """

    TIMES = 1
    PAIRS = 2
    POINTS = 4
    NORMALS = 8
    DISTANCES = 16
    DEFAULT = TIMES


@dataclass(frozen=True, kw_only=True)
class SceneRows(BatchRows[R_co]):
    """Base of the batches about scenes.

    Attributes
    ----------
    scene_slot : int or None
        The slot in which a session opened the scene; a call opens its scene there. None: query
        bodies are asked against each other only; overlaps and rays need a scene.
    """

    scene_slot: int | None = 0


@dataclass(frozen=True, kw_only=True)
class ConfigurationRows(SceneRows[R_co]):
    """Base of the batches about query bodies.

    Attributes
    ----------
    poses : poses_like, optional
        Poses (…, bodies, 7) of the query bodies in the world, in the order of their ids. None: the
        poses at which they were attached.
    pair_scope : PairScope
        The pairs that are asked about.
    """

    poses: PosesLike | None = None
    pair_scope: PairScope = PairScope.SCENE_AND_SELF


@dataclass(frozen=True, kw_only=True)
class CheckBatch(ConfigurationRows[CheckResult]):
    """Asks whether anything touches. It stops at the first such pair.

    Attributes
    ----------
    max_pairs : int
        Above 0: `pairs` has up to this many pairs a row that are not free, by ids.
    detail : CheckDetail
        The wanted columns.
    """

    max_pairs: int = 0
    detail: CheckDetail = CheckDetail.DEFAULT


@dataclass(frozen=True, kw_only=True)
class MinimumDistanceBatch(ConfigurationRows[MinimumDistanceResult]):
    """Asks for the smallest distance. Margins are ignored.

    Attributes
    ----------
    max_distances : array_like, optional
        Largest distances of interest (…), metres, at least 0. None: no limit.
    tolerance : float
        Width of the bracket at which the search may stop, metres.
    exact : bool
        Decides contact with exact arithmetic if rounding leaves it open.
    detail : MinimumDistanceDetail
        The wanted columns.
    """

    max_distances: ArrayLike | None = None
    tolerance: float = 0.0
    exact: bool = False
    detail: MinimumDistanceDetail = MinimumDistanceDetail.DEFAULT


@dataclass(frozen=True, kw_only=True)
class NearestBatch(ConfigurationRows[NearestResult]):
    """Asks for the nearest pairs of each row. Margins are ignored.

    Attributes
    ----------
    max_pairs : int
        The largest number of pairs a row.
    max_distances : array_like, optional
        Largest distances of interest (…), metres, at least 0. None: no limit.
    tolerance : float
        Width of the bracket at which the search may stop, metres.
    exact : bool
        Decides contact with exact arithmetic if rounding leaves it open.
    detail : NearestDetail
        The wanted columns.
    """

    max_pairs: int = 1
    max_distances: ArrayLike | None = None
    tolerance: float = 0.0
    exact: bool = False
    detail: NearestDetail = NearestDetail.DEFAULT


@dataclass(frozen=True, kw_only=True)
class SweepBatch(ConfigurationRows[SweepResult]):
    """Asks when query bodies first touch, each on its own screw from t = 0 to 1.

    The scene is at rest, and the poses are those at t = 0. The links of an arm whose joints move
    take another path: use `joint_motion.prove_joint_motions` for them.

    Attributes
    ----------
    displacements : array_like, optional
        Whole displacements (…, bodies, 3), metres, world axes. None: 0.
    rotations : array_like, optional
        Rotation vectors (…, bodies, 3) about the bodies' origins, radians, world axes. None: 0.
    end_poses : poses_like, optional
        Poses (…, bodies, 7) at t = 1, in place of the two above.
    ignore_initial_contact : bool
        Lets bodies leave that are in contact at t = 0. The answer is then about the time from
        t_leave on.
    max_pairs : int
        Above 0: `pairs` has up to this many pairs a row that are not free during the whole motion.
    detail : SweepDetail
        The wanted columns.
    """

    displacements: ArrayLike | None = None
    rotations: ArrayLike | None = None
    end_poses: PosesLike | None = None
    ignore_initial_contact: bool = False
    max_pairs: int = 0
    detail: SweepDetail = SweepDetail.DEFAULT


@dataclass(frozen=True, kw_only=True)
class OverlapBatch(SceneRows[OverlapResult]):
    """Asks which bodies of a scene touch a shape.

    Attributes
    ----------
    shape_slots : array_like of int, optional
        Shapes (…): slots of a session, or indices of a call's shapes. None: 0.
    poses : poses_like, optional
        Poses (…, 7) of the shapes in the world. None: the identity.
    margins : array_like, optional
        Margins (…) of the shapes, metres. None: 0.
    groups, masks : array_like of int, optional
        Groups (…) of the shapes, and groups that they may meet, a bit each. None: group 1, and all.
    max_pairs : int
        Above 0: `pairs` has up to this many touching bodies a row, by ids. 0: verdicts only.
    bounds : bool
        Also returns bounds of each pair's distance.
    """

    shape_slots: ArrayLike | None = None
    poses: PosesLike | None = None
    margins: ArrayLike | None = None
    groups: ArrayLike | None = None
    masks: ArrayLike | None = None
    max_pairs: int = 0
    bounds: bool = False


@dataclass(frozen=True, kw_only=True)
class RayBatch(SceneRows[SweepResult]):
    """Asks what a moving point, or a moving ball, hits.

    Attributes
    ----------
    origins : array_like, optional
        Starts (…, 3), metres, world frame. None: the origin.
    displacements : array_like, optional
        Whole displacements (…, 3), metres, world axes. None: 0.
    radii : array_like, optional
        Radii (…) of balls in place of points, metres. None: 0.
    groups, masks : array_like of int, optional
        Groups (…) of the rays, and groups that they may meet, a bit each. None: group 1, and all.
    any : bool
        Takes any hit instead of the first one.
    max_pairs : int
        Above 0: `pairs` has up to this many pairs a row that are not free during the whole motion.
    detail : SweepDetail
        The wanted columns.
    """

    origins: ArrayLike | None = None
    displacements: ArrayLike | None = None
    radii: ArrayLike | None = None
    groups: ArrayLike | None = None
    masks: ArrayLike | None = None
    any: bool = False
    max_pairs: int = 0
    detail: SweepDetail = SweepDetail.DEFAULT


@dataclass(frozen=True, eq=False, kw_only=True)
class SceneSetting:
    """The subject of one call: a scene, shapes, query bodies and rules.

    Number query bodies apart from the scene's bodies. A question about a query body with the id of
    a body of the scene is refused, unless `same_as_scene` says that it is the same body.

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
    same_as_scene : sequence of int
        Ids of query bodies that are the scene's bodies of the same ids.
    min_revision : int
        The registry's revision, at least.
    """

    scene: OpenScene | str | None = None
    shapes: Sequence[ShapeReference] = ()
    bodies: SceneBodies = field(default_factory=SceneBodies)
    rules: ScenePairRules = field(default_factory=ScenePairRules)
    same_as_scene: Sequence[int] = ()
    min_revision: int = 0
