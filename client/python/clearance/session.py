# SPDX-License-Identifier: Apache-2.0
"""A stream of questions of every kind over one table of shapes. Three ways to use it, which may be
mixed:

    one at a time    session.open(0, "crate"); session.ask(batch)
    many in flight   for answer in session.ask_all(batches): …
    by hand          session.send(batch, tag=1); session.send(batch, tag=2); session.next()

>>> with clearance.connect(address) as client, client.open_session() as session:
...     shapes = session.open(0, clearance.Sphere(0.25)), session.open(1, clearance.Point())
...     batches = [clearance.DistanceBatch(poses_b=clearance.poses.pose([x, 0, 0])) for x in (1, 2)]
...     [float(answer.distances) for answer in session.ask_all(batches)]
[0.75, 1.75]

A session outlives its server. Where its stream ends with UNAVAILABLE (the server drains, restarts or
cannot be reached), or with CANCELLED though nobody here cancelled it, another one is opened on the
same address, the slots are opened again, by the digests that the caller was told, and what was not
answered is repeated, in order: every message gets exactly one reply. Any other status ends the
session. It keeps the requests that are not answered, and of each open slot its digest, or its content
if it was sent inline. Work may be done twice.

Rows with warm_start begin cold behind a broken stream: the answers are the same. Not as in C++: a
request id and a traceparent are sent with sessions only (SessionOptions), and scenes have no client
here yet.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from types import TracebackType
from typing import Any, Iterable, Iterator, TypeVar, cast, overload

import grpc

from clearance._connection import ClientOptions, ProcessGuard, Reconnecting, SessionOptions
from clearance._operations import Limits
from clearance._session_log import CloseShape, OpenShape, Pending, Reply, SessionMessage
from clearance._session_state import METHOD, SessionState, answer_of, timed_out
from clearance.batches import Batch, DistanceBatch, IntersectionBatch, TimeOfCollisionBatch
from clearance.errors import ClearanceError, ProtocolError, from_call, request_id_of
from clearance.results import (
    DistanceResult,
    IntersectionResult,
    OpenedShape,
    Result,
    TimeOfCollisionResult,
)
from clearance.shapes import ShapeReference

BatchKind = TypeVar("BatchKind", DistanceBatch, IntersectionBatch, TimeOfCollisionBatch)


class Session:
    """Thread-safe: messages take the order in which they enter; each `ask` gets its own answer and
    `next` the others, in order. Batches beyond the server's limits are sent in pieces, and answers
    come back joined. `timeout` (seconds) bounds the waiting of one call, not the work: an answer
    that comes later is dropped. When the session has ended every waiting and every later call
    raises its error (SessionEnded after a good end).

    As a context manager it finishes at the end of the block, and is cancelled by an exception."""

    def __init__(
        self,
        channel: grpc.Channel,
        guard: ProcessGuard,
        client: ClientOptions,
        limits: Limits,
        options: SessionOptions,
    ) -> None:
        self._guard = guard
        self._method = channel.stream_stream(METHOD)
        self._reconnecting = Reconnecting(channel)
        self._state = SessionState(client, limits, options)
        self._changed = threading.Condition()
        self._call: Any = None
        self._thread = threading.Thread(target=self._run, name="clearance-session", daemon=True)
        self._thread.start()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.finish()
        else:
            self.cancel()

    def open(
        self,
        slot: int,
        shape: ShapeReference,
        *,
        min_revision: int = 0,
        timeout: float | None = None,
    ) -> OpenedShape:
        """Puts a shape into a slot of the caller's choice; a str is a registered name."""
        pending = self._enter(OpenShape(slot, shape, min_revision), 0, False)
        return cast(OpenedShape, self._await(pending, timeout))

    def close(self, slot: int, *, timeout: float | None = None) -> None:
        """Frees a slot."""
        self._await(self._enter(CloseShape(slot), 0, False), timeout)

    @overload
    def ask(self, batch: DistanceBatch, *, timeout: float | None = None) -> DistanceResult:
        ...

    @overload
    def ask(self, batch: IntersectionBatch, *, timeout: float | None = None) -> IntersectionResult:
        ...

    @overload
    def ask(
        self, batch: TimeOfCollisionBatch, *, timeout: float | None = None
    ) -> TimeOfCollisionResult:
        ...

    def ask(self, batch: Batch, *, timeout: float | None = None) -> Result:
        """Sends a batch and waits for its answer."""
        return cast(Result, self._await(self._enter(batch, 0, False), timeout))

    def distance(self, **columns: Any) -> DistanceResult:
        """`ask` with a DistanceBatch of these columns."""
        return self.ask(DistanceBatch(**columns))

    def intersection(self, **columns: Any) -> IntersectionResult:
        """`ask` with an IntersectionBatch of these columns."""
        return self.ask(IntersectionBatch(**columns))

    def time_of_collision(self, **columns: Any) -> TimeOfCollisionResult:
        """`ask` with a TimeOfCollisionBatch of these columns."""
        return self.ask(TimeOfCollisionBatch(**columns))

    def ask_all(self, batches: Iterable[Batch], *, window: int = 4) -> Iterator[Result]:
        """The answers of the batches in their order, with up to `window` of them on their way while
        the caller works on one."""
        pending: deque[Pending] = deque()
        for batch in batches:
            pending.append(self._enter(batch, 0, False))
            if len(pending) >= window:
                yield cast(Result, self._await(pending.popleft(), None))
        while pending:
            yield cast(Result, self._await(pending.popleft(), None))

    def send(self, message: SessionMessage, tag: int = 0) -> None:
        """Sends without waiting for the answer; blocks only while many messages are not yet with
        the transport. `tag` comes back in the Reply."""
        self._enter(message, tag, True)

    def next(self, *, timeout: float | None = None) -> Reply:
        """The answer to the earliest `send` that was not taken yet; waits for it.
        FailedPrecondition if nothing is owed."""
        self._guard.check()
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            while True:
                reply = self._state.take_owed()
                if reply is not None:
                    return reply
                if self._state.has_ended:
                    raise self._state.end_error()
                if not self._wait(deadline):
                    raise timed_out(timeout)

    def finish(self) -> None:
        """Says that nothing more will be sent, waits until every answer has arrived (`next` still
        hands them out) and raises what the session ended with, if that is not OK."""
        self._guard.check()
        with self._changed:
            self._state.is_finishing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._state.has_ended)
            if self._state.final_error is not None:
                raise self._state.final_error

    def cancel(self) -> None:
        """Gives up: every waiting call raises Cancelled."""
        self._guard.check()
        with self._changed:
            self._state.is_cancelled = True
            if self._call is not None:
                self._call.cancel()
            self._changed.notify_all()

    def _wait(self, deadline: float | None) -> bool:
        """Until something changes; False if the time is over. Requires: the lock."""
        if deadline is None:
            self._changed.wait()
            return True
        left = deadline - time.monotonic()
        if left > 0:
            self._changed.wait(left)
        return left > 0

    def _enter(self, message: SessionMessage, tag: int, is_owed: bool) -> Pending:
        self._guard.check()
        with self._changed:
            self._state.check_open()
            self._changed.wait_for(lambda: self._state.has_room() or self._state.has_ended)
            self._state.check_open()
            pending = self._state.enter(message, tag, is_owed)
            self._changed.notify_all()
            return pending

    def _await(self, pending: Pending, timeout: float | None) -> Any:
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            while pending.reply is None:
                if self._state.has_ended:
                    raise self._state.end_error()
                if not self._wait(deadline):
                    raise timed_out(timeout)
        return answer_of(pending)

    # What follows runs in threads of the session: _messages in gRPC's, the others in its own.

    def _run(self) -> None:
        error: ClearanceError | None = ProtocolError("the session's thread ended")
        try:
            while True:
                error = self._serve_stream()
                with self._changed:
                    self._state.stream = self._call = None
                    self._changed.notify_all()
                    if not self._await_reopening(error):
                        return
        finally:
            self._reconnecting.stop()
            with self._changed:
                self._state.stream = None
                self._state.end(error)
                self._changed.notify_all()

    def _serve_stream(self) -> ClearanceError | None:
        with self._changed:
            stream = self._state.start_stream()
            try:
                call = self._call = self._method(
                    self._messages(stream),
                    timeout=self._state.time_left(),
                    metadata=self._state.metadata,
                )
            except ValueError:  # gRPC's word for a channel that is no more
                return ClearanceError("the client was closed")
            if self._state.is_cancelled:
                call.cancel()
        try:
            self._read(call)
        except ClearanceError as error:
            call.cancel()
            return error
        except grpc.RpcError:
            request_id = request_id_of(call.initial_metadata())
            return from_call(call.code(), call.details(), call.trailing_metadata(), request_id)
        except Exception as error:  # what nobody foresaw must not leave the callers waiting
            call.cancel()
            return ProtocolError(f"an answer cannot be read: {error!r}")
        return None

    def _read(self, call: Any) -> None:
        request_id = ""
        for raw in call:
            request_id = request_id or request_id_of(call.initial_metadata())
            with self._changed:
                if self._state.deliver(raw, request_id):
                    self._changed.notify_all()

    def _messages(self, stream: object) -> Iterator[bytes]:
        state = self._state

        def is_due() -> bool:
            return state.stream is not stream or state.log.unwritten > 0 or state.is_finishing

        while True:
            with self._changed:
                self._changed.wait_for(is_due)
                if state.stream is not stream or not state.log.unwritten:
                    return
                raw = state.log.take_unwritten()
                self._changed.notify_all()
            yield raw

    def _await_reopening(self, error: ClearanceError | None) -> bool:
        state = self._state
        if not state.may_go_on(error):
            return False
        # A session that is owed nothing is not missed by anyone until it is asked again.
        self._changed.wait_for(state.is_missed, state.time_left())
        if state.is_cancelled or (state.is_finishing and state.log.is_settled):
            return False
        self._reconnecting.start()
        wait = state.backoff.after_failure()
        if wait is None:
            return False
        self._changed.wait_for(lambda: state.is_cancelled, wait)
        return not state.is_cancelled and state.time_left() != 0.0
