# SPDX-License-Identifier: Apache-2.0
"""A session's query bodies and rules, updated by each answered change, to attach them on a new
stream. No loop here runs once a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from clearance import _schema
from clearance._columns import columns
from clearance._scene_content import PairRuleKind
from clearance._scene_convert import ALL_GROUPS, rows_of
from clearance.poses import IDENTITY

_BODY = np.dtype(
    [
        ("id", "<u4"),
        ("shape", "<u4"),  # index of QueryBodies._shapes
        ("pose", "<f8", 7),
        ("group", "<u4"),
        ("mask", "<u4"),
        ("margin", "<f8"),
    ]
)
# `pair` is the lesser id in the upper half and the greater one in the lower.
_RULE = np.dtype([("pair", "<u8"), ("kind", "u1"), ("margin", "<f8")])


@dataclass(frozen=True)
class HeldShape:
    """A shape in the form in which it is opened again, in any slot, and the digest of its
    content."""

    raw: bytes
    digest: str


@dataclass(frozen=True)
class Attachment:
    """A change, and the shape that slot 0 must hold before it; None: no shape is needed."""

    shape: HeldShape | None
    change: Any


class QueryBodies:
    """Thread-compatible."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self._bodies = np.empty(0, _BODY)
        self._rules = np.empty(0, _RULE)
        self._shapes: list[HeldShape] = []
        self._is_in_doubt = False

    def __len__(self) -> int:
        return len(self._bodies)

    @property
    def is_in_doubt(self) -> bool:
        return self._is_in_doubt

    def apply(self, request: Any, shape_in: Callable[[int], HeldShape]) -> None:
        """Applies a change (clearance.v1.ChangeBodies) that the server made. `shape_in` must return
        the shape that a slot held at that time."""
        if request.reset:
            self._reset()
        change = request.change
        removed = columns(change).get("removed_bodies", ())
        self._bodies = self._bodies[~np.isin(self._bodies["id"], removed)]
        self._put(change.bodies, shape_in)
        self._move(change.poses)
        gone = _rules(change.removed_rules)["pair"]
        kept = self._rules[~np.isin(self._rules["pair"], gone)]
        same = _same_as_scene(columns(request).get("same_as_scene", ()))
        rules = np.concatenate((kept, _rules(change.rules), same))
        self._rules = _last_of_each(rules, "pair")

    def doubt(self) -> None:
        """Notes that the server refused a change: questions of query bodies are refused until a
        change with `reset` succeeds."""
        self._is_in_doubt = True

    def _put(self, message: Any, shape_in: Callable[[int], HeldShape]) -> None:
        own, lead = columns(message), (message.count,)
        came = np.zeros(message.count, _BODY)
        came["id"] = rows_of(own, "ids", lead, ())
        slots, places = np.unique(rows_of(own, "shape_slots", lead, 0), return_inverse=True)
        came["shape"] = places + len(self._shapes)
        came["pose"] = rows_of(own, "poses", (*lead, 7), IDENTITY)
        came["group"] = rows_of(own, "groups", lead, 1)
        came["mask"] = rows_of(own, "masks", lead, ALL_GROUPS)
        came["margin"] = rows_of(own, "margins", lead, 0.0)
        self._shapes += [shape_in(int(slot)) for slot in slots]
        self._bodies = _last_of_each(np.concatenate((self._bodies, came)), "id")
        self._join_shapes()

    def _join_shapes(self) -> None:
        """Keeps only shapes that a body has, each once."""
        used, places = np.unique(self._bodies["shape"], return_inverse=True)
        by_digest: dict[str, HeldShape] = {}
        for index in used:
            by_digest.setdefault(self._shapes[index].digest, self._shapes[index])
        order = {digest: i for i, digest in enumerate(by_digest)}
        joined = np.array([order[self._shapes[index].digest] for index in used], "<u4")
        self._bodies["shape"] = joined[places]
        self._shapes = list(by_digest.values())

    def _move(self, message: Any) -> None:
        own, lead = columns(message), (message.count,)
        moved = np.zeros(message.count, _BODY)
        moved["id"] = rows_of(own, "ids", lead, ())
        moved["pose"] = rows_of(own, "poses", (*lead, 7), IDENTITY)
        moved = _last_of_each(moved, "id")
        moved = moved[np.isin(moved["id"], self._bodies["id"])]
        self._bodies["pose"][np.searchsorted(self._bodies["id"], moved["id"])] = moved["pose"]

    def attachments(self) -> list[Attachment]:
        """Returns the changes that give a new session the same bodies, in this order. If the bodies
        are in doubt: one change that is refused for certain."""
        if self._is_in_doubt:
            refused = _schema.message("ChangeBodies")(reset=True)
            refused.change.removed_bodies = np.zeros(1, "<u4").tobytes()  # there is no such body
            return [Attachment(None, refused)]
        found = []
        for index, shape in enumerate(self._shapes):
            change = _schema.message("ChangeBodies")()
            _fill_bodies(self._bodies[self._bodies["shape"] == index], change.change.bodies)
            found.append(Attachment(shape, change))
        if len(self._rules):
            if not found:
                found.append(Attachment(None, _schema.message("ChangeBodies")()))
            _fill_rules(self._rules, found[-1].change.change.rules)
        return found


def _last_of_each(rows: np.ndarray, key: str) -> np.ndarray:
    """Returns the rows in the order of the keys; of several rows with one key, the last."""
    _, places = np.unique(rows[key][::-1], return_index=True)
    return rows[::-1][places]


def _rules(message: Any) -> np.ndarray:
    own, lead = columns(message), (message.count,)
    ids = np.stack([rows_of(own, name, lead, ()) for name in ("bodies_a", "bodies_b")])
    found = np.zeros(message.count, _RULE)
    found["pair"] = (ids.min(0).astype("<u8") << np.uint64(32)) | ids.max(0)
    found["kind"] = rows_of(own, "kinds", lead, int(PairRuleKind.MAY_TOUCH))
    found["margin"] = rows_of(own, "margins", lead, 0.0)
    return found


def _same_as_scene(ids: Any) -> np.ndarray:
    """Returns the rules of the ids with themselves."""
    found = np.zeros(len(ids), _RULE)
    found["pair"] = (np.asarray(ids, "<u8") << np.uint64(32)) | np.asarray(ids, "<u8")
    found["kind"] = int(PairRuleKind.MAY_TOUCH)
    return found


def _fill_bodies(bodies: np.ndarray, message: Any) -> None:
    message.count = len(bodies)
    message.ids = bodies["id"].tobytes()
    message.poses = bodies["pose"].tobytes()
    message.groups = bodies["group"].tobytes()
    message.masks = bodies["mask"].tobytes()
    message.margins = bodies["margin"].tobytes()


def _fill_rules(rules: np.ndarray, message: Any) -> None:
    message.count = len(rules)
    message.bodies_a = (rules["pair"] >> np.uint64(32)).astype("<u4").tobytes()
    message.bodies_b = (rules["pair"] & np.uint64(0xFFFFFFFF)).astype("<u4").tobytes()
    message.kinds = rules["kind"].tobytes()
    message.margins = rules["margin"].tobytes()
