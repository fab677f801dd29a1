# SPDX-License-Identifier: Apache-2.0
"""Contents and changes of scenes, as dataclasses of columns.

A scene has many bodies, each a registered shape with a pose, and rules of which pairs matter. A
revision never changes; an update makes the next one. Each column of a request is None (the default
of scene.proto), one row that stands for all, or a row for each id. Columns of answers are arrays
with a row for each id. Units are metres; poses are those of `poses`. proto/clearance/v1/scene.proto
is the reference of every column.

>>> with clearance.connect(address) as client:
...     info = client.register("scenes/crate", clearance.Box((0.5, 0.5, 0.5)))
...     row = clearance.poses.pose([[0, 0, 0], [2, 0, 0]])
...     bodies = clearance.SceneBodies(ids=[1, 2], shapes=["scenes/crate"], poses=row)
...     cell = client.scenes.create("scenes/cell", clearance.SceneChange(bodies=bodies))
...     away = clearance.ScenePoses(ids=[2], poses=clearance.poses.pose([9, 0, 0]))
...     change = clearance.SceneChange(poses=away)
...     moved = client.scenes.update("scenes/cell", change, etag=cell.etag)
...     found = client.scenes.get("scenes/cell", include_content=True)
...     client.scenes.delete("scenes/cell")
>>> moved.revision, moved.body_count
(2, 2)
>>> found.content.bodies.poses[:, 0]
array([0., 9.])"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Sequence, Union

from numpy.typing import ArrayLike

from clearance.shapes import ByDigest, ByName

# A registered shape; a bare str is a name.
ShapeKey = Union[ByName, ByDigest, str]


class PairRuleKind(IntEnum):
    """Kinds of rules of a pair."""

    MAY_TOUCH = 1  # it is never asked about
    MARGIN = 2  # it counts as touching within this margin, in place of the sum of its bodies'


class SceneEnd(IntEnum):
    """States why a scene ended."""

    DELETED = 1
    EXPIRED = 2


@dataclass(frozen=True, eq=False, kw_only=True)
class SceneBodies:
    """Bodies with numbers that the caller chooses.

    Two bodies make a pair only if the mask of each has a group of the other. A pair counts as
    touching within the sum of both margins.

    Number query bodies apart from the scene's bodies. A query body with the id of a body of the
    scene is refused, unless a rule of that id with itself says that it is the same body.

    Attributes
    ----------
    ids : array_like
        One number a body.
    shapes : sequence of ByName, ByDigest or str
        Registered shapes; a str is a name. Empty for a session's query bodies.
    shape_slots : array_like
        Index of each body's shape in `shapes`; required if there are several. For a session's query
        bodies: the session's slots, 0 by default.
    poses : array_like
        Poses (n, 7) in the world.
    groups, masks : array_like
        Groups of the body, and groups that it may meet, a bit each.
    margins : array_like
        Metres.
    """

    ids: ArrayLike = ()
    shapes: Sequence[ShapeKey] = ()
    shape_slots: ArrayLike | None = None
    poses: ArrayLike | None = None
    groups: ArrayLike | None = None
    masks: ArrayLike | None = None
    margins: ArrayLike | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ScenePoses:
    """New poses of bodies, one for each."""

    ids: ArrayLike = ()
    poses: ArrayLike = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class ScenePairRules:
    """Rules of pairs of bodies; the order within a pair does not matter.

    `kinds` (PairRuleKind) is MAY_TOUCH by default. `margins` (metres) need the kind MARGIN."""

    bodies_a: ArrayLike = ()
    bodies_b: ArrayLike = ()
    kinds: ArrayLike | None = None
    margins: ArrayLike | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class SceneChange:
    """A change of a scene, all of it or nothing.

    It applies in this order: removed bodies, added or replaced bodies, moved bodies, removed rules,
    added rules."""

    removed_bodies: ArrayLike = ()
    bodies: SceneBodies = field(default_factory=SceneBodies)
    poses: ScenePoses = field(default_factory=ScenePoses)
    removed_rules: ScenePairRules = field(default_factory=ScenePairRules)
    rules: ScenePairRules = field(default_factory=ScenePairRules)


@dataclass(frozen=True)
class SceneInfo:
    """Facts about one revision of a scene.

    `etag` differs between any two revisions, and between any two scenes that ever had the name.
    `ttl` is in seconds; None: the scene is kept until it is deleted."""

    name: str
    revision: int
    etag: str
    body_count: int
    rule_count: int
    oldest_revision: int
    bytes: int
    ttl: float | None


@dataclass(frozen=True, eq=False)
class FoundScene:
    """A scene and its content as a change of an empty one, or None if not asked for."""

    info: SceneInfo
    content: SceneChange | None


@dataclass(frozen=True, eq=False)
class SceneNews:
    """One message of a watch.

    `scene` is the revision that it leads to; for the end, the last one that was told. `change`,
    applied to revision `base_revision`, gives `scene`; its shapes are named by digest. With
    `is_reload` no change leads there: get the scene at this revision, or at the newest if this one
    is gone, and skip news up to that one. The last news has an `end`."""

    scene: SceneInfo
    base_revision: int
    change: SceneChange
    is_reload: bool
    end: SceneEnd | None


@dataclass(frozen=True)
class OpenScene:
    """Puts a revision of a scene into a slot; later changes of the scene do not affect it.

    `revision` 0: the newest; `min_revision`: this one or a later one."""

    scene_slot: int
    name: str
    revision: int = 0
    min_revision: int = 0


@dataclass(frozen=True)
class OpenedScene:
    """A scene slot's content."""

    scene_slot: int
    scene: SceneInfo


@dataclass(frozen=True)
class CloseScene:
    """Frees a scene slot."""

    scene_slot: int


@dataclass(frozen=True)
class ClosedScene:
    """A scene slot that is free again."""

    scene_slot: int


@dataclass(frozen=True, eq=False)
class ChangeBodies:
    """Attaches, detaches, moves and regroups the session's query bodies, and changes their rules.

    `reset`: starts without bodies and rules."""

    change: SceneChange
    reset: bool = False


@dataclass(frozen=True)
class ChangedBodies:
    """Numbers of query bodies and rules after a change."""

    body_count: int
    rule_count: int
