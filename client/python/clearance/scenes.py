# SPDX-License-Identifier: Apache-2.0
"""Scenes: many bodies, each a registered shape that stands somewhere, and rules of which pairs of
them matter. What a scene is at one revision never changes; an update makes the next one.

Contents and changes are dataclasses of columns. Each column of a request is None (the default of
scene.proto), one row that stands for all, or a row for each id; those of answers are arrays with a
row for each id. Metres; poses as `poses` has them. proto/clearance/v1/scene.proto is the reference
of every column.

>>> with clearance.connect(address) as client:
...     info = client.register("scenes/crate", clearance.Box((0.5, 0.5, 0.5)))
...     row = clearance.poses.pose([[0, 0, 0], [2, 0, 0]])
...     bodies = clearance.SceneBodies(ids=[1, 2], shapes=["scenes/crate"], poses=row)
...     cell = client.scenes.create("scenes/cell", clearance.SceneChange(bodies=bodies))
...     away = clearance.ScenePoses(ids=[2], poses=clearance.poses.pose([9, 0, 0]))
...     moved = client.scenes.update("scenes/cell", clearance.SceneChange(poses=away), etag=cell.etag)
...     found = client.scenes.get("scenes/cell", include_content=True)
...     client.scenes.delete("scenes/cell")
>>> moved.revision, moved.body_count
(2, 2)
>>> found.content.bodies.poses[:, 0]
array([0., 9.])
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Sequence, Union

from numpy.typing import ArrayLike

from clearance.shapes import ByDigest, ByName

# A registered shape; a bare str is a name.
ShapeKey = Union[ByName, ByDigest, str]


class PairRuleKind(IntEnum):
    """What a rule says of its pair."""

    MAY_TOUCH = 1  # it is never asked about
    MARGIN = 2  # it counts as touching within this margin, in place of the sum of its bodies'


class SceneEnd(IntEnum):
    """Why a scene is no more."""

    DELETED = 1
    EXPIRED = 2


@dataclass(frozen=True, eq=False, kw_only=True)
class SceneBodies:
    """Bodies by the caller's own numbers. `shape_slots` are indices of `shapes`, one for each
    body if there are several shapes; of a session's own bodies, where `shapes` must be empty, they
    are the session's slots, 0 without. Two bodies make a pair only
    where the mask of each has a group of the other; it counts as touching within the sum of both
    margins, metres. Number own bodies apart from the scene's: a question of an own body with the id
    of a body of the scene is refused, unless a rule of the id with itself says that it is that
    body."""

    ids: ArrayLike = ()
    shapes: Sequence[ShapeKey] = ()
    shape_slots: ArrayLike | None = None
    poses: ArrayLike | None = None
    groups: ArrayLike | None = None
    masks: ArrayLike | None = None
    margins: ArrayLike | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ScenePoses:
    """Bodies that move, and where to: a pose for each."""

    ids: ArrayLike = ()
    poses: ArrayLike = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class ScenePairRules:
    """What is said of pairs of bodies, whatever the order within a pair. `kinds` (PairRuleKind) is
    MAY_TOUCH where it is None; `margins` are metres."""

    bodies_a: ArrayLike = ()
    bodies_b: ArrayLike = ()
    kinds: ArrayLike | None = None
    margins: ArrayLike | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class SceneChange:
    """All of it happens or nothing does, in this order: bodies that go; that come or are replaced
    whole; that move; rules that go; that are said from now on."""

    removed_bodies: ArrayLike = ()
    bodies: SceneBodies = field(default_factory=SceneBodies)
    poses: ScenePoses = field(default_factory=ScenePoses)
    removed_rules: ScenePairRules = field(default_factory=ScenePairRules)
    rules: ScenePairRules = field(default_factory=ScenePairRules)


@dataclass(frozen=True)
class SceneInfo:
    """What the server knows of a scene, as of one revision. `etag` differs between any two
    revisions, and between any two scenes that ever had the name. `ttl`, seconds; None: it is kept
    until it is deleted."""

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
    """`content`, as a change of an empty scene, is None where it was not asked for."""

    info: SceneInfo
    content: SceneChange | None


@dataclass(frozen=True, eq=False)
class SceneNews:
    """What a watch tells. `scene` is as of the revision that this leads to; of an end, as it was at
    last told. Applied to revision `base_revision`, `change` gives `scene`; its shapes are named by
    digest. With `is_reload` no change leads there: get the scene at this revision or, where that is
    no longer held, the newest, and pass over news up to there. `end` is of the last news.
    """

    scene: SceneInfo
    base_revision: int
    change: SceneChange
    is_reload: bool
    end: SceneEnd | None


@dataclass(frozen=True)
class OpenScene:
    """Put a revision of a scene into a slot, where it stays whatever becomes of the scene.
    `revision` 0: the newest; `min_revision`: this one or a later one."""

    scene_slot: int
    name: str
    revision: int = 0
    min_revision: int = 0


@dataclass(frozen=True)
class OpenedScene:
    """What a scene's slot holds now."""

    scene_slot: int
    scene: SceneInfo


@dataclass(frozen=True)
class CloseScene:
    """Let go of a scene."""

    scene_slot: int


@dataclass(frozen=True)
class ClosedScene:
    """A scene's slot that is free again."""

    scene_slot: int


@dataclass(frozen=True, eq=False)
class ChangeBodies:
    """Attach, detach, move and regroup the session's own bodies, and say which of them may touch.
    `reset`: begin with no bodies and no rules."""

    change: SceneChange
    reset: bool = False


@dataclass(frozen=True)
class ChangedBodies:
    """How many own bodies and rules there are now."""

    body_count: int
    rule_count: int
