# SPDX-License-Identifier: Apache-2.0
"""The messages of a session that are not batches, and the answers to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, TypeGuard, Union

from clearance import _decode
from clearance import _scene_content as scenes
from clearance import _tracks
from clearance._encode import fill_reference, real, unsigned
from clearance._kinds import KINDS
from clearance._scene_convert import fill_change, fill_open_scene, fill_query_bodies, scene_info
from clearance.batches import BatchRows
from clearance.errors import invalid
from clearance.poses import as_poses
from clearance.results import AnswerBase, ClosedShape, OpenedShape
from clearance.shapes import ShapeReference


@dataclass(frozen=True)
class OpenShape:
    """Puts a shape into a slot.

    Attributes
    ----------
    slot : int
        The slot, from 0.
    shape : ShapeReference
        A shape, ByName or ByDigest; a str is a registered name.
    min_revision : int
        Opens only with the registry at this revision or a later one.
    """

    slot: int
    shape: ShapeReference
    min_revision: int = 0


@dataclass(frozen=True)
class CloseShape:
    """Frees a shape slot.

    Attributes
    ----------
    slot : int
        The slot.
    """

    slot: int


SessionMessage = Union[
    OpenShape,
    CloseShape,
    scenes.OpenScene,
    scenes.CloseScene,
    scenes.ChangeBodies,
    BatchRows[Any],
]

# Not for callers: a track ends with its stream.
TrackMessage = Union[_tracks.OpenTrack, _tracks.PublishTick, _tracks.RewindTrack]
Answer = Union[
    AnswerBase,
    OpenedShape,
    ClosedShape,
    scenes.OpenedScene,
    scenes.ClosedScene,
    scenes.ChangedBodies,
    _tracks.OpenedTrack,
    _tracks.PublishedTick,
    _tracks.Rewound,
]


@dataclass(frozen=True, eq=False)
class _Single:
    """A kind of such messages: `name` is the field of the session's message and of its reply."""

    name: str
    fill: Callable[[Any, Any], None]
    answer: Callable[[Any], Any]


def _fill_open(message: OpenShape, proto: Any) -> None:
    proto.slot, proto.min_revision = message.slot, message.min_revision
    fill_reference(message.shape, proto.shape)


def _opened(proto: Any) -> OpenedShape:
    return OpenedShape(proto.slot, _decode.shape_info(proto.info), proto.revision)


def _fill_close(message: CloseShape, proto: Any) -> None:
    proto.slot = message.slot


def _fill_close_scene(message: scenes.CloseScene, proto: Any) -> None:
    proto.scene_slot = message.scene_slot


def _fill_change_bodies(message: scenes.ChangeBodies, proto: Any) -> None:
    proto.reset = message.reset
    fill_change(message.change, proto.change)
    fill_query_bodies(message.change.bodies, proto.change.bodies)
    proto.same_as_scene = unsigned("same_as_scene", message.same_as_scene).tobytes()


def _fill_open_track(message: _tracks.OpenTrack, proto: Any) -> None:
    proto.name = message.name


def _fill_publish_tick(message: _tracks.PublishTick, proto: Any) -> None:
    proto.tick = message.tick
    if message.poses is not None:
        poses = real("poses", as_poses(message.poses))
        if poses.ndim != 2:
            raise invalid("poses", f"an array of shape {poses.shape}", "of shape (bodies, 7)")
        proto.poses = poses.tobytes()


def _fill_rewind_track(message: _tracks.RewindTrack, proto: Any) -> None:
    proto.scene_slot = message.scene_slot
    if message.base_scene_slot is not None:
        proto.base_scene_slot = message.base_scene_slot
    proto.track, proto.tick, proto.fraction = (message.track, message.tick, message.fraction)
    left_out = unsigned("left_out_bodies", message.left_out_bodies)
    proto.left_out_bodies = left_out.tobytes()


def _rewound(proto: Any) -> _tracks.Rewound:
    return _tracks.Rewound(
        proto.tick,
        proto.fraction,
        _decode.known(_tracks.TrackClamp, proto.clamp),
        proto.earlier_tick,
        proto.later_tick,
        proto.weight,
        proto.oldest_tick,
        proto.newest_tick,
        proto.body_count,
        proto.scene_revision,
    )


_SINGLES: dict[type, _Single] = {
    OpenShape: _Single("open", _fill_open, _opened),
    CloseShape: _Single("close", _fill_close, lambda proto: ClosedShape(proto.slot)),
    scenes.OpenScene: _Single(
        "open_scene",
        fill_open_scene,
        lambda proto: scenes.OpenedScene(proto.scene_slot, scene_info(proto.scene)),
    ),
    scenes.CloseScene: _Single(
        "close_scene", _fill_close_scene, lambda proto: scenes.ClosedScene(proto.scene_slot)
    ),
    scenes.ChangeBodies: _Single(
        "change_bodies",
        _fill_change_bodies,
        lambda proto: scenes.ChangedBodies(proto.body_count, proto.rule_count),
    ),
    _tracks.OpenTrack: _Single(
        "open_track", _fill_open_track, lambda proto: _tracks.OpenedTrack(proto.name)
    ),
    _tracks.PublishTick: _Single(
        "publish_tick",
        _fill_publish_tick,
        lambda proto: _tracks.PublishedTick(proto.tick, proto.oldest_tick, proto.body_count),
    ),
    _tracks.RewindTrack: _Single("rewind_track", _fill_rewind_track, _rewound),
}


def is_batch(message: SessionMessage | TrackMessage) -> TypeGuard[BatchRows[Any]]:
    return type(message) in KINDS


def kind_of(message: Any) -> str:
    """Returns the field of the session's message, and of its reply."""
    return (KINDS.get(type(message)) or _SINGLES[type(message)]).name


def fill_single(message: Any, request: Any) -> None:
    """Puts a message that is not a batch into a session's message."""
    single = _SINGLES[type(message)]
    proto = getattr(request, single.name)
    proto.SetInParent()
    single.fill(message, proto)


def answer_of_single(message: Any, proto: Any) -> Answer:
    """Returns the answer in the reply's field."""
    answer: Answer = _SINGLES[type(message)].answer(proto)
    return answer
