# SPDX-License-Identifier: Apache-2.0
"""Contents and changes of scenes, as dataclasses of columns.

Each column of a request is None (the default of scene.proto), one row that stands for all, or a row
for each id. Columns of answers are arrays with a row for each id. Units are metres."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Sequence, Union

from numpy.typing import ArrayLike

from clearance.poses import PosesLike
from clearance.shapes import ByDigest, ByName

__all__ = [
    "ChangeBodies",
    "ChangedBodies",
    "ClosedScene",
    "CloseScene",
    "FoundScene",
    "OpenedScene",
    "OpenScene",
    "PairRuleKind",
    "SceneBodies",
    "SceneChange",
    "SceneEnd",
    "SceneInfo",
    "SceneNews",
    "ScenePairRules",
    "ScenePoses",
]

# A registered shape; a bare str is a name.
ShapeKey = Union[ByName, ByDigest, str]


class PairRuleKind(IntEnum):
    """Kinds of rules of a pair.

    Attributes
    ----------
    MAY_TOUCH : int
        The pair is never asked about.
    MARGIN : int
        The pair counts as touching within this margin, in place of the sum of its bodies'.
    """

    MAY_TOUCH = 1
    MARGIN = 2


class SceneEnd(IntEnum):
    """States why a scene ended.

    Attributes
    ----------
    DELETED : int
        A caller deleted it.
    EXPIRED : int
        It was not updated for its ttl.
    """

    DELETED = 1
    EXPIRED = 2


@dataclass(frozen=True, eq=False, kw_only=True)
class SceneBodies:
    """Bodies with numbers that the caller chooses.

    Two bodies make a pair only if the mask of each has a group of the other. A pair counts as
    touching within the sum of both margins.

    Number query bodies apart from the scene's bodies. A question about a query body with the id of
    a body of the scene is refused, unless `same_as_scene` says that it is the same body.

    Attributes
    ----------
    ids : array_like of int
        Numbers (n,), one a body.
    shapes : sequence of ByName, ByDigest or str
        Registered shapes; a str is a name. Empty for a session's query bodies.
    shape_slots : array_like of int, optional
        Index (n,) of each body's shape in `shapes`; required if there are several. For a session's
        query bodies: the session's slots, 0 by default.
    poses : poses_like, optional
        Poses (n, 7) in the world. None: the identity.
    groups, masks : array_like of int, optional
        Groups (n,) of the body, and groups that it may meet, a bit each. None: group 1, and all.
    margins : array_like, optional
        Margins (n,), metres. None: 0.
    """

    ids: ArrayLike = ()
    shapes: Sequence[ShapeKey] = ()
    shape_slots: ArrayLike | None = None
    poses: PosesLike | None = None
    groups: ArrayLike | None = None
    masks: ArrayLike | None = None
    margins: ArrayLike | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ScenePoses:
    """New poses of bodies.

    Attributes
    ----------
    ids : array_like of int
        Numbers (n,) of the bodies.
    poses : poses_like
        Poses (n, 7) in the world, or one for all.
    """

    ids: ArrayLike = ()
    poses: PosesLike = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class ScenePairRules:
    """Rules of pairs of bodies; the order within a pair does not matter.

    Attributes
    ----------
    bodies_a, bodies_b : array_like of int
        Numbers (n,) of the bodies of each pair.
    kinds : array_like of int, optional
        Numbers (n,) of PairRuleKind. None: MAY_TOUCH.
    margins : array_like, optional
        Margins (n,), metres; they need the kind MARGIN.
    """

    bodies_a: ArrayLike = ()
    bodies_b: ArrayLike = ()
    kinds: ArrayLike | None = None
    margins: ArrayLike | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class SceneChange:
    """A change of a scene, all of it or nothing.

    It applies in the order of the attributes.

    Attributes
    ----------
    removed_bodies : array_like of int
        Numbers (n,) of bodies to remove.
    bodies : SceneBodies
        Bodies to add or replace.
    poses : ScenePoses
        Bodies to move.
    removed_rules : ScenePairRules
        Rules to remove; only their bodies count.
    rules : ScenePairRules
        Rules to add or replace.
    """

    removed_bodies: ArrayLike = ()
    bodies: SceneBodies = field(default_factory=SceneBodies)
    poses: ScenePoses = field(default_factory=ScenePoses)
    removed_rules: ScenePairRules = field(default_factory=ScenePairRules)
    rules: ScenePairRules = field(default_factory=ScenePairRules)


@dataclass(frozen=True)
class SceneInfo:
    """Facts about one revision of a scene.

    Attributes
    ----------
    name : str
        The scene's name.
    revision : int
        1 for a new scene; each change adds one.
    etag : str
        A text that differs between any two revisions, and between any two scenes that ever had the
        name.
    body_count, rule_count : int
        Numbers of bodies and rules.
    oldest_revision : int
        The oldest revision that can still be asked for.
    bytes : int
        Share of the scene and its old revisions in `Limits.max_scene_bytes`, about.
    ttl : float or None
        Seconds without an update after which the scene ends. None: it is kept until it is deleted.
    """

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
    """A scene.

    Attributes
    ----------
    info : SceneInfo
        Facts about the revision.
    content : SceneChange or None
        The content as a change of an empty scene. None: it was not asked for.
    """

    info: SceneInfo
    content: SceneChange | None


@dataclass(frozen=True, eq=False)
class SceneNews:
    """One message of a watch.

    Attributes
    ----------
    scene : SceneInfo
        The revision that it leads to; for the end, the last one that was told.
    base_revision : int
        The revision to which the change applies.
    change : SceneChange
        The change that gives `scene`. Its shapes are named by digest.
    is_reload : bool
        No change leads there: get the scene at this revision, or at the newest if this one is gone,
        and skip news up to that one.
    end : SceneEnd or None
        Why the scene ended; only the last news has it.
    """

    scene: SceneInfo
    base_revision: int
    change: SceneChange
    is_reload: bool
    end: SceneEnd | None


@dataclass(frozen=True)
class OpenScene:
    """Puts a revision of a scene into a slot; later changes of the scene do not affect it.

    Attributes
    ----------
    scene_slot : int
        The slot, from 0.
    name : str
        The scene's name.
    revision : int
        0: the newest.
    min_revision : int
        Opens only this revision or a later one.
    """

    scene_slot: int
    name: str
    revision: int = 0
    min_revision: int = 0


@dataclass(frozen=True)
class OpenedScene:
    """The content of a scene slot.

    Attributes
    ----------
    scene_slot : int
        The slot.
    scene : SceneInfo
        The revision that it holds.
    """

    scene_slot: int
    scene: SceneInfo


@dataclass(frozen=True)
class CloseScene:
    """Frees a scene slot.

    Attributes
    ----------
    scene_slot : int
        The slot.
    """

    scene_slot: int


@dataclass(frozen=True)
class ClosedScene:
    """A scene slot that is free again.

    Attributes
    ----------
    scene_slot : int
        The slot.
    """

    scene_slot: int


@dataclass(frozen=True, eq=False)
class ChangeBodies:
    """Attaches, detaches, moves and regroups the session's query bodies, and changes their rules.

    Attributes
    ----------
    change : SceneChange
        The bodies, poses and rules.
    reset : bool
        Starts without bodies and rules.
    same_as_scene : sequence of int
        Ids of query bodies that are the scene's bodies of the same ids.
    """

    change: SceneChange
    reset: bool = False
    same_as_scene: Sequence[int] = ()


@dataclass(frozen=True)
class ChangedBodies:
    """Numbers of query bodies and rules after a change.

    Attributes
    ----------
    body_count, rule_count : int
        The numbers.
    """

    body_count: int
    rule_count: int
