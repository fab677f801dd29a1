# SPDX-License-Identifier: Apache-2.0
"""Converts scenes between their dataclasses and the wire. No loop here runs once a body."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from clearance import _scene_content as c
from clearance._columns import columns
from clearance._encode import real, unsigned
from clearance._kinds import REAL
from clearance.errors import ProtocolError, invalid
from clearance.poses import IDENTITY, as_poses
from clearance.shapes import ByDigest, ByName

ALL_GROUPS = 2**32 - 1


def _ids(name: str, value: Any) -> np.ndarray:
    array = unsigned(name, value)
    if array.ndim != 1:
        raise invalid(name, f"an array of shape {array.shape}", "of shape (n,)")
    return array


def _column(name: str, array: np.ndarray, lead: tuple[int, ...]) -> bytes:
    """Returns the bytes of one row, or of as many as `lead` says."""
    if array.shape not in (lead, lead[1:], (1, *lead[1:])):
        found = f"an array of shape {array.shape}"
        raise invalid(name, found, f"of shape {lead}, or one row")
    return array.tobytes()


def fill_bodies(bodies: c.SceneBodies, message: Any) -> None:
    """Puts bodies into a message clearance.v1.BodyColumns."""
    ids = _ids("bodies.ids", bodies.ids)
    message.count = len(ids)
    message.ids = ids.tobytes()
    for key in bodies.shapes:
        _fill_key(key, message.shapes.add())
    for name in ("shape_slots", "groups", "masks"):
        value = getattr(bodies, name)
        if value is not None:
            path = f"bodies.{name}"
            setattr(message, name, _column(path, unsigned(path, value), (len(ids),)))
    if bodies.poses is not None:
        poses = real("bodies.poses", as_poses(bodies.poses, "bodies.poses"))
        message.poses = _column("bodies.poses", poses, (len(ids), 7))
    if bodies.margins is not None:
        margins = real("bodies.margins", bodies.margins)
        message.margins = _column("bodies.margins", margins, (len(ids),))


def _fill_key(key: c.ShapeKey, message: Any) -> None:
    if isinstance(key, ByDigest):
        message.digest = key.digest
    elif isinstance(key, (ByName, str)):
        message.name = key if isinstance(key, str) else key.name
    else:
        raise invalid("bodies.shapes", type(key).__name__, "registered shapes, by name or digest")


def fill_rules(name: str, rules: c.ScenePairRules, message: Any) -> None:
    """Puts rules into a message clearance.v1.PairRuleColumns."""
    ids = [_ids(f"{name}.{column}", getattr(rules, column)) for column in ("bodies_a", "bodies_b")]
    if len(ids[0]) != len(ids[1]):
        raise invalid(f"{name}.bodies_b", len(ids[1]), f"as many as bodies_a: {len(ids[0])}")
    message.count = len(ids[0])
    message.bodies_a, message.bodies_b = ids[0].tobytes(), ids[1].tobytes()
    if rules.kinds is not None:
        kinds = unsigned(f"{name}.kinds", rules.kinds)
        if kinds.size and kinds.max() >= 0x80:  # each is one byte as a varint
            raise invalid(f"{name}.kinds", kinds.max(), "a PairRuleKind")
        message.kinds = _column(f"{name}.kinds", kinds.astype(np.uint8), (len(ids[0]),))
    if rules.margins is not None:
        margins = real(f"{name}.margins", rules.margins)
        message.margins = _column(f"{name}.margins", margins, (len(ids[0]),))


def fill_change(change: c.SceneChange, message: Any) -> None:
    """Puts a change into a message clearance.v1.SceneChange."""
    message.removed_bodies = _ids("removed_bodies", change.removed_bodies).tobytes()
    fill_bodies(change.bodies, message.bodies)
    moved = _ids("poses.ids", change.poses.ids)
    message.poses.count = len(moved)
    message.poses.ids = moved.tobytes()
    if len(moved):  # one pose applies to all
        places, lead = real("poses.poses", as_poses(change.poses.poses, "poses.poses")), (
            len(moved),
            7,
        )
        whole = np.broadcast_to(places, lead) if places.shape in ((7,), (1, 7)) else places
        message.poses.poses = _column("poses.poses", whole, lead)
    elif np.asarray(change.poses.poses, object).size:
        raise invalid("poses.ids", 0, "one for each pose")
    fill_rules("removed_rules", change.removed_rules, message.removed_rules)
    fill_rules("rules", change.rules, message.rules)


def fill_query_bodies(bodies: c.SceneBodies, message: Any) -> None:
    """Does the same as fill_bodies, for query bodies, whose shapes are in slots."""
    if bodies.shapes:
        limit = "empty: query bodies name slots of shapes"
        raise invalid("bodies.shapes", len(bodies.shapes), limit)
    fill_bodies(bodies, message)


def fill_open_scene(scene: c.OpenScene, message: Any) -> None:
    """Puts the opening of a scene into a message clearance.v1.OpenScene."""
    message.scene_slot, message.name = scene.scene_slot, scene.name
    message.revision, message.min_revision = scene.revision, scene.min_revision


def seconds(duration: Any) -> float:
    """Converts a google.protobuf.Duration."""
    return float(duration.seconds + duration.nanos * 1e-9)


def scene_info(message: Any) -> c.SceneInfo:
    """Converts a message clearance.v1.SceneInfo."""
    return c.SceneInfo(
        message.name,
        message.revision,
        message.etag,
        message.body_count,
        message.rule_count,
        message.oldest_revision,
        message.bytes,
        seconds(message.ttl) if message.HasField("ttl") else None,
    )


def rows_of(own: dict[str, np.ndarray], name: str, lead: tuple[int, ...], default: Any) -> Any:
    """Returns a column of a message with a row for each item: its own, the one that applies to all,
    or the default. Raises ProtocolError if the column fits neither."""
    dtype = REAL if isinstance(default, (float, np.ndarray)) else "<u4"
    column = own.get(name, np.asarray(default, dtype))
    width = lead[1:]
    try:
        return np.broadcast_to(column.reshape(-1, *width), lead)
    except ValueError:
        raise ProtocolError(f"the column {name} has {column.size} numbers") from None


def _shape_key(message: Any) -> c.ShapeKey:
    match message.WhichOneof("reference"):
        case "name":
            return ByName(message.name)
        case "digest":
            return ByDigest(message.digest)
    raise ProtocolError("a scene's shapes are registered ones, by name or digest")


def _bodies(message: Any) -> c.SceneBodies:
    own, lead = columns(message), (message.count,)
    return c.SceneBodies(
        ids=rows_of(own, "ids", lead, ()),
        shapes=tuple(_shape_key(shape) for shape in message.shapes),
        shape_slots=rows_of(own, "shape_slots", lead, 0),
        poses=rows_of(own, "poses", (*lead, 7), IDENTITY),
        groups=rows_of(own, "groups", lead, 1),
        masks=rows_of(own, "masks", lead, ALL_GROUPS),
        margins=rows_of(own, "margins", lead, 0.0),
    )


def _rules(message: Any) -> c.ScenePairRules:
    own, lead = columns(message), (message.count,)
    return c.ScenePairRules(
        bodies_a=rows_of(own, "bodies_a", lead, ()),
        bodies_b=rows_of(own, "bodies_b", lead, ()),
        kinds=rows_of(own, "kinds", lead, int(c.PairRuleKind.MAY_TOUCH)),
        margins=rows_of(own, "margins", lead, 0.0),
    )


def scene_change(message: Any) -> c.SceneChange:
    """Converts a message clearance.v1.SceneChange."""
    moved, count = columns(message.poses), message.poses.count
    return c.SceneChange(
        removed_bodies=columns(message).get("removed_bodies", np.empty(0, "<u4")),
        bodies=_bodies(message.bodies),
        poses=c.ScenePoses(
            ids=rows_of(moved, "ids", (count,), ()),
            poses=rows_of(moved, "poses", (count, 7), IDENTITY),
        ),
        removed_rules=_rules(message.removed_rules),
        rules=_rules(message.rules),
    )


def joined_content(pages: Sequence[Any]) -> c.SceneChange:
    """Joins messages clearance.v1.SceneChange, each a page of one scene. The slots of each page
    refer to that page's table of shapes."""
    changes = [scene_change(page) for page in pages]
    bodies = [change.bodies for change in changes]
    rules = [change.rules for change in changes]
    first_shapes = np.cumsum([0] + [len(part.shapes) for part in bodies[:-1]], dtype="<u4")
    slots = [np.asarray(p.shape_slots) + first for p, first in zip(bodies, first_shapes)]
    return c.SceneChange(
        bodies=c.SceneBodies(
            shapes=tuple(shape for part in bodies for shape in part.shapes),
            shape_slots=np.concatenate(slots),
            **_joined(bodies, ("ids", "poses", "groups", "masks", "margins")),
        ),
        rules=c.ScenePairRules(**_joined(rules, ("bodies_a", "bodies_b", "kinds", "margins"))),
    )


def _joined(parts: Sequence[Any], names: tuple[str, ...]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
