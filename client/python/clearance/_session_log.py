# SPDX-License-Identifier: Apache-2.0
"""The state that a session restores on a new stream.

It has the shape or scene of each slot, the query bodies, and the unanswered messages. It takes and
gives bytes, and knows neither threads nor asyncio.

On a new stream the query bodies come first, each attached with its shape through slot 0, about
which nothing has been asked yet. Then come the slots. A shape is opened by the digest that the
caller was told, whatever its name means now; an inline shape is sent again. A scene is opened at
the revision that the caller was told. A slot whose opening was refused is refused again. Then the
messages follow in their order, without the pieces that were answered."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from google.protobuf.message import DecodeError

from clearance import _decode, _schema
from clearance._connection import ClientOptions
from clearance._encode import Layout, fill_batch
from clearance._messages import (
    Answer,
    CloseShape,
    OpenShape,
    SessionMessage,
    TrackMessage,
    answer_of_single,
    fill_single,
    is_batch,
    kind_of,
)
from clearance._operations import Limits
from clearance._query_bodies import HeldShape, QueryBodies
from clearance._scene_content import ChangeBodies, CloseScene, OpenScene
from clearance.batches import BatchRows
from clearance.errors import (
    ClearanceError,
    FailedPrecondition,
    ProtocolError,
    Unavailable,
    from_status,
    invalid,
)


@dataclass(frozen=True)
class Reply:
    """The answer to one message.

    Attributes
    ----------
    tag : int
        The tag of the message.
    answer : AnswerBase, OpenedShape, ClosedShape, OpenedScene, ClosedScene, ChangedBodies or None
        The answer of the message's kind. None: the whole message was refused.
    error : ClearanceError or None
        Why it was refused. The session continues.
    """

    tag: int
    answer: Answer | None
    error: ClearanceError | None = None


class Progress(Enum):
    """The effect of a response. NOTHING: it restores the session, or more parts follow."""

    NOTHING = auto()
    PIECE = auto()
    MESSAGE = auto()


@dataclass(eq=False)
class Pending:
    """A caller's message on its way to its reply. `bodies` is the number of query bodies in the
    rows of its columns; None: no column tells it."""

    tag: int
    message: SessionMessage | TrackMessage
    pieces_left: int
    collector: _decode.RowCollector | None = None
    bodies: int | None = None
    told: Any = None
    error: ClearanceError | None = None
    reply: Reply | None = None


@dataclass(frozen=True)
class _Expectation:
    """The answer that a restoring message must have.

    `what` is for the error if it differs. `content`: the digest of a shape, the etag of a scene;
    empty: any. `is_refused`: any answer will do, because the message was refused before."""

    what: str = ""
    content: str = ""
    is_refused: bool = False


@dataclass(eq=False)
class _Request:
    """One message on the wire; without `pending` it restores, and no caller waits for it."""

    tag: int
    raw: bytes
    pending: Pending | None
    expectation: _Expectation = _Expectation()
    first: int = 0
    count: int = 0
    parts: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class _Slot:
    """One slot to open on a new stream."""

    request: Any
    expectation: _Expectation


class SessionLog:
    """Keeps the state of a session. Thread-compatible. With several servers, an item that one
    server no longer has is not lost: the next may have it."""

    def __init__(self, limits: Limits, client: ClientOptions, has_several_servers: bool) -> None:
        self._limits = limits
        self._not_here = Unavailable if has_several_servers else FailedPrecondition
        self._max_bytes = min(limits.max_request_bytes, client.max_send_bytes)
        self._max_reply_bytes = client.max_receive_bytes
        self._requests: deque[_Request] = deque()
        self._written = 0  # of _requests, from the front
        self._unanswered = 0
        self._next_tag = 1
        self._slots: dict[int, _Slot] = {}  # of shapes
        self._scene_slots: dict[int, _Slot] = {}
        self._own = QueryBodies()

    @property
    def is_settled(self) -> bool:
        """Whether every message is answered."""
        return self._unanswered == 0

    @property
    def unwritten(self) -> int:
        return len(self._requests) - self._written

    def enter(self, message: SessionMessage | TrackMessage, tag: int) -> Pending:
        """Puts a message at the end, in pieces within the server's limits."""
        if is_batch(message):
            pending = self._enter_batch(message, tag)
        else:
            pending = Pending(tag, message, 1)
            request = _schema.SessionRequest()
            fill_single(message, request)
            self._push(request, pending)
        self._unanswered += 1
        return pending

    def _enter_batch(self, batch: BatchRows[Any], tag: int) -> Pending:
        kind = kind_of(batch)
        layout = Layout.of(batch)
        pieces = list(layout.pieces(self._limits.max_batch_rows, self._max_bytes))
        collector = _decode.RowCollector(kind, layout.shape)
        pending = Pending(tag, batch, len(pieces), collector, layout.bodies)
        for first, count in pieces:
            request = _schema.SessionRequest()
            proto = getattr(request, kind)
            fill_batch(batch, layout, (first, count), self._max_reply_bytes, proto)
            self._push(request, pending, first, count)
        return pending

    def _push(self, request: Any, pending: Pending, first: int = 0, count: int = 0) -> None:
        request.tag = self._next_tag
        self._next_tag += 1
        raw = request.SerializeToString()
        self._requests.append(_Request(request.tag, raw, pending, first=first, count=count))

    def take_unwritten(self) -> bytes:
        """Returns the next message for the stream. Requires: unwritten."""
        self._written += 1
        return self._requests[self._written - 1].raw

    def restart(self) -> None:
        """Prepares a new stream: nothing is written, and the slots come before the unanswered
        messages."""
        while self._requests and self._requests[0].pending is None:
            self._requests.popleft()
        if self._requests:
            self._requests[0].parts.clear()
        again = self._query_bodies_again() + [*self._slots.values(), *self._scene_slots.values()]
        for slot in reversed(again):
            raw = slot.request.SerializeToString()
            said = _Request(slot.request.tag, raw, None, slot.expectation)
            self._requests.appendleft(said)
        self._written = 0

    def _query_bodies_again(self) -> list[_Slot]:
        """Returns messages that attach the query bodies again and restore slot 0."""
        again = []
        attachments = self._own.attachments()
        for attachment in attachments:
            if attachment.shape is not None:
                shape = attachment.shape
                opening = _schema.SessionRequest.FromString(shape.raw)
                opening.open.slot = 0
                expectation = _Expectation(f"query bodies had {shape.digest}", shape.digest)
                again.append(_Slot(opening, expectation))
            attaching = _schema.SessionRequest()
            attaching.change_bodies.CopyFrom(attachment.change)
            expectation = _Expectation("query bodies were attached", "", self._own.is_in_doubt)
            again.append(_Slot(attaching, expectation))
        if 0 not in self._slots and any(a.shape is not None for a in attachments):
            closing = _schema.SessionRequest()
            closing.close.slot = 0
            again.append(_Slot(closing, _Expectation("slot 0 was closed")))
        return again

    def deliver(self, raw: bytes, request_id: str) -> Progress:
        """Takes a response of the server. Raises if the stream cannot continue: Unavailable if
        another one might."""
        try:
            response = _schema.SessionResponse.FromString(raw)
        except DecodeError as error:
            raise ProtocolError(f"not a SessionResponse: {error}") from None
        if not self._written or self._requests[0].tag != response.tag:
            raise ProtocolError("the server answered what was not asked, or in another order")
        request = self._requests[0]
        if request.pending is None:
            self._check_reopened(request, response)
            self._pop()
            return Progress.NOTHING
        if response.status.code:
            request.pending.error = request.pending.error or from_status(
                response.status, request_id
            )
        elif not self._take(request, request.pending, response):
            return Progress.NOTHING
        self._pop()
        return self._complete(request, request.pending)

    def _pop(self) -> None:
        self._requests.popleft()
        self._written -= 1

    def _take(self, request: _Request, pending: Pending, response: Any) -> bool:
        """Takes a part of an answer. Returns False while more parts are to come."""
        kind = response.WhichOneof("kind")
        if kind != kind_of(pending.message):
            raise ProtocolError(f"the server answered with {kind}")
        answer = getattr(response, kind)
        if pending.collector is None:
            pending.told = answer
            return True
        held = sum(part.count for part in request.parts)
        if answer.first_row != held or answer.total_count != request.count:
            raise ProtocolError("the parts of an answer do not follow each other")
        request.parts.append(answer)
        if held + answer.count < request.count:
            return False
        if held + answer.count > request.count:
            raise ProtocolError("an answer has more rows than its question")
        for part in request.parts:
            pending.collector.add(part, request.first)
        return True

    def _complete(self, request: _Request, pending: Pending) -> Progress:
        pending.pieces_left -= 1
        if pending.pieces_left:
            return Progress.PIECE
        self._check_bodies(pending)
        answer = None if pending.error else _answer(pending)
        pending.reply = Reply(pending.tag, answer, pending.error)
        pending.collector = None
        self._unanswered -= 1
        self._remember(request, pending)
        return Progress.MESSAGE

    def _check_bodies(self, pending: Pending) -> None:
        """Refuses a message whose rows are of another number of bodies. With too few, a column may
        be as long as one row of all bodies, which would then apply to all rows."""
        if pending.error is None and pending.bodies not in (None, len(self._own)):
            pending.error = invalid(
                "configurations.poses",
                f"{pending.bodies} bodies",
                f"of {len(self._own)} query bodies",
            )

    def _remember(self, request: _Request, pending: Pending) -> None:
        match pending.message:
            case OpenShape():
                self._remember_shape(request, pending)
            case CloseShape(slot):
                self._slots.pop(slot, None)
            case OpenScene():
                self._remember_scene(pending)
            case CloseScene(slot):
                self._scene_slots.pop(slot, None)
            case ChangeBodies():
                self._remember_change(request, pending)

    def _remember_shape(self, request: _Request, pending: Pending) -> None:
        sent = _schema.SessionRequest.FromString(request.raw)
        slot = sent.open.slot
        again = _schema.SessionRequest(tag=request.tag)
        again.open.slot = slot
        # As a new one it goes to the end of the dictionary's order.
        self._slots.pop(slot, None)
        if pending.error:
            # Without a reference it is refused for certain, and so the slot stays refused.
            self._slots[slot] = _Slot(again, _Expectation(is_refused=True))
            return
        digest = pending.told.info.digest
        if sent.open.shape.HasField("inline_shape"):
            again.open.shape.CopyFrom(sent.open.shape)
        else:
            again.open.shape.digest = digest
        self._slots[slot] = _Slot(again, _Expectation(f"slot {slot} held {digest}", digest))

    def _remember_scene(self, pending: Pending) -> None:
        assert isinstance(pending.message, OpenScene)
        slot = pending.message.scene_slot
        again = _schema.SessionRequest()
        again.open_scene.scene_slot = slot
        self._scene_slots.pop(slot, None)
        if pending.error:
            # A scene without a name does not exist.
            self._scene_slots[slot] = _Slot(again, _Expectation(is_refused=True))
            return
        scene = pending.told.scene
        again.open_scene.name, again.open_scene.revision = scene.name, scene.revision
        what = f"scene slot {slot} held revision {scene.revision} of {scene.name}"
        self._scene_slots[slot] = _Slot(again, _Expectation(what, scene.etag))

    def _remember_change(self, request: _Request, pending: Pending) -> None:
        if pending.error:
            self._own.doubt()
            return

        def shape_in(slot: int) -> HeldShape:
            held = self._slots[slot]  # an open one, or the change would have been refused
            return HeldShape(held.request.SerializeToString(), held.expectation.content)

        self._own.apply(_schema.SessionRequest.FromString(request.raw).change_bodies, shape_in)

    def _check_reopened(self, request: _Request, response: Any) -> None:
        expected = request.expectation
        if expected.is_refused:
            return
        what = expected.what
        if response.status.code:
            refusal = from_status(response.status)
            is_temporary = isinstance(refusal, (Unavailable, FailedPrecondition))
            if refusal.detail and refusal.detail.retry_after is not None:
                is_temporary = True
            sent = _schema.SessionRequest.FromString(request.raw)
            # A revision that is not held never comes back.
            is_lost = sent.HasField("open_scene") and isinstance(refusal, FailedPrecondition)
            if is_temporary and not is_lost:
                raise Unavailable(f"{what}, which cannot be opened again yet: {refusal}")
            raise self._not_here(
                f"the stream broke and {what}, which cannot be opened again: {refusal}"
            )
        is_scene = response.HasField("open_scene")
        content = response.open_scene.scene.etag if is_scene else response.open.info.digest
        if expected.content not in ("", content):
            raise self._not_here(
                f"the stream broke and {what}, for which the server now opens {content}"
            )


def _answer(pending: Pending) -> Any:
    if pending.collector is not None:
        return pending.collector.result()
    return answer_of_single(pending.message, pending.told)
