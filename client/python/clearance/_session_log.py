# SPDX-License-Identifier: Apache-2.0
"""What a session has to say again when its stream breaks: which shape each of its slots holds, and
the messages that are not answered. It takes and gives bytes and knows neither threads nor asyncio.

On a new stream the slots come first. Each is opened by the digest that the caller was told, whatever
its name means by now; an inline shape is sent as it was; a slot whose opening was refused is refused
again. Then the messages follow in their order, those pieces of them that have no answer yet.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Union

from google.protobuf.message import DecodeError

from clearance import _decode, _schema
from clearance._encode import KINDS, Layout, fill_batch, fill_reference
from clearance._operations import Limits
from clearance.batches import Batch
from clearance.errors import (
    ClearanceError,
    FailedPrecondition,
    ProtocolError,
    Unavailable,
    from_status,
)
from clearance.results import Answer, ClosedShape, OpenedShape
from clearance.shapes import ShapeReference


@dataclass(frozen=True)
class OpenShape:
    """Put a shape into a slot, with the registry at min_revision or a later one."""

    slot: int
    shape: ShapeReference
    min_revision: int = 0


@dataclass(frozen=True)
class CloseShape:
    """Free a slot."""

    slot: int


SessionMessage = Union[OpenShape, CloseShape, Batch]


@dataclass(frozen=True)
class Reply:
    """The answer to one message. Where `error` is not None the whole message was refused, `answer`
    is None, and the session goes on."""

    tag: int
    answer: Answer | None
    error: ClearanceError | None = None


@dataclass(eq=False)
class Pending:
    """A caller's message on its way to its reply."""

    tag: int
    message: SessionMessage
    pieces_left: int
    collector: _decode.RowCollector | None = None
    opened: Any = None
    error: ClearanceError | None = None
    reply: Reply | None = None


@dataclass(eq=False)
class _Request:
    """One message on the wire; without `pending` it opens a slot again, of which nobody is told."""

    tag: int
    raw: bytes
    pending: Pending | None
    slot: int = 0
    first: int = 0
    count: int = 0
    parts: list[Any] = field(default_factory=list)


@dataclass
class _Slot:
    raw: bytes
    tag: int
    digest: str = ""
    is_refused: bool = False


class SessionLog:
    """Thread-compatible."""

    def __init__(self, limits: Limits, max_send_bytes: int, max_receive_bytes: int) -> None:
        self._limits = limits
        self._max_bytes = min(limits.max_request_bytes, max_send_bytes)
        self._max_reply_bytes = max_receive_bytes
        self._requests: deque[_Request] = deque()
        self._written = 0  # of _requests, from the front
        self._unanswered = 0
        self._next_tag = 1
        self._slots: dict[int, _Slot] = {}

    @property
    def is_settled(self) -> bool:
        """Whether every message is answered."""
        return self._unanswered == 0

    @property
    def unwritten(self) -> int:
        return len(self._requests) - self._written

    def enter(self, message: SessionMessage, tag: int) -> Pending:
        """Puts a message at the end, in pieces within the server's limits."""
        if isinstance(message, (OpenShape, CloseShape)):
            pending = Pending(tag, message, 1)
            self._push(_slot_request(message), pending, slot=message.slot)
        else:
            pending = self._enter_batch(message, tag)
        self._unanswered += 1
        return pending

    def _enter_batch(self, batch: Batch, tag: int) -> Pending:
        kind = KINDS[type(batch)]
        layout = Layout.of(batch)
        pieces = list(layout.pieces(self._limits.max_batch_rows, self._max_bytes))
        collector = _decode.RowCollector(kind, layout.shape)
        pending = Pending(tag, batch, len(pieces), collector)
        for first, count in pieces:
            request = _schema.SessionRequest()
            proto = getattr(request, kind)
            fill_batch(batch, layout, (first, count), self._max_reply_bytes, proto)
            self._push(request, pending, first=first, count=count)
        return pending

    def _push(
        self, request: Any, pending: Pending, *, slot: int = 0, first: int = 0, count: int = 0
    ) -> None:
        request.tag = self._next_tag
        self._next_tag += 1
        raw = request.SerializeToString()
        self._requests.append(_Request(request.tag, raw, pending, slot, first, count))

    def take_unwritten(self) -> bytes:
        """The next message for the stream. Requires: unwritten."""
        self._written += 1
        return self._requests[self._written - 1].raw

    def restart(self) -> None:
        """For a new stream: nothing is written, and the slots come before what is not answered."""
        while self._requests and self._requests[0].pending is None:
            self._requests.popleft()
        if self._requests:
            self._requests[0].parts.clear()
        for number, slot in reversed(self._slots.items()):
            self._requests.appendleft(_Request(slot.tag, slot.raw, None, slot=number))
        self._written = 0

    def deliver(self, raw: bytes, request_id: str) -> bool:
        """Takes what the server says. True if with it a whole message is answered. Raises where the
        stream cannot go on: Unavailable if another one might."""
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
            return False
        if response.status.code:
            request.pending.error = request.pending.error or from_status(
                response.status, request_id
            )
        elif not self._take(request, request.pending, response):
            return False
        self._pop()
        return self._complete(request, request.pending)

    def _pop(self) -> None:
        self._requests.popleft()
        self._written -= 1

    def _take(self, request: _Request, pending: Pending, response: Any) -> bool:
        """False while more parts are to come."""
        kind = response.WhichOneof("kind")
        if kind != _kind_of(pending.message):
            raise ProtocolError(f"the server answered with {kind}")
        answer = getattr(response, kind)
        if pending.collector is None:
            pending.opened = answer
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

    def _complete(self, request: _Request, pending: Pending) -> bool:
        pending.pieces_left -= 1
        if pending.pieces_left:
            return False
        answer = None if pending.error else _answer(pending)
        pending.reply = Reply(pending.tag, answer, pending.error)
        pending.collector = None
        self._unanswered -= 1
        self._remember(request, pending)
        return True

    def _remember(self, request: _Request, pending: Pending) -> None:
        message = pending.message
        if isinstance(message, CloseShape):
            self._slots.pop(message.slot, None)
        if not isinstance(message, OpenShape):
            return
        # As a new one it goes to the end of the dictionary's order.
        self._slots.pop(message.slot, None)
        again = _schema.SessionRequest(tag=request.tag)
        again.open.slot = message.slot
        if pending.error:
            # Without a reference it is refused for certain, and so the slot stays refused.
            self._slots[message.slot] = _Slot(
                again.SerializeToString(), request.tag, is_refused=True
            )
            return
        digest = pending.opened.shape.digest
        sent = _schema.SessionRequest.FromString(request.raw)
        if sent.open.shape.HasField("inline_shape"):
            again.open.shape.CopyFrom(sent.open.shape)
        else:
            again.open.shape.digest = digest
        self._slots[message.slot] = _Slot(again.SerializeToString(), request.tag, digest)

    def _check_reopened(self, request: _Request, response: Any) -> None:
        slot = self._slots[request.slot]
        if slot.is_refused:
            return
        what = f"slot {request.slot} held {slot.digest}"
        if response.status.code:
            refusal = from_status(response.status)
            is_temporary = isinstance(refusal, (Unavailable, FailedPrecondition))
            if is_temporary or (refusal.detail and refusal.detail.retry_after is not None):
                raise Unavailable(f"{what}, which cannot be opened again yet: {refusal}")
            raise FailedPrecondition(
                f"the stream broke and {what}, which cannot be opened again: {refusal}"
            )
        if response.open.shape.digest != slot.digest:
            raise FailedPrecondition(
                f"the stream broke and {what}, for which the server now opens "
                f"{response.open.shape.digest}"
            )


def _slot_request(message: OpenShape | CloseShape) -> Any:
    request = _schema.SessionRequest()
    if isinstance(message, CloseShape):
        request.close.slot = message.slot
    else:
        request.open.slot = message.slot
        request.open.min_revision = message.min_revision
        fill_reference(message.shape, request.open.shape)
    return request


def _kind_of(message: SessionMessage) -> str:
    if isinstance(message, OpenShape):
        return "open"
    return "close" if isinstance(message, CloseShape) else KINDS[type(message)]


def _answer(pending: Pending) -> Answer:
    if isinstance(pending.message, OpenShape):
        info = _decode.shape_info(pending.opened.shape)
        return OpenedShape(pending.opened.slot, info, pending.opened.revision)
    if isinstance(pending.message, CloseShape):
        return ClosedShape(pending.opened.slot)
    assert pending.collector is not None
    return pending.collector.result()
