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

Scenes are opened in slots of their own, and the session may have bodies of its own (the links of an
arm, players), which are asked against them and each other, many configurations a message:

>>> with clearance.connect(address) as client, client.open_session() as session:
...     cell = client.scenes.create("lab/cell")
...     opened = session.open_scene(0, "lab/cell")
...     shapes = [session.open(slot, clearance.Sphere(0.5)) for slot in (0, 1)]
...     arm = clearance.SceneBodies(ids=[1, 2], shape_slots=[0, 1])
...     changed = session.change_bodies(clearance.SceneChange(bodies=arm))
...     where = clearance.poses.pose([[[0, 0, 0], [3, 0, 0]], [[0, 0, 0], [0.5, 0, 0]]])
...     session.check(poses=where).proved_free()  # configurations × bodies × 7
array([ True, False])

A session outlives its server. Where its stream ends with UNAVAILABLE (the server drains, restarts or
cannot be reached), or with CANCELLED though nobody here cancelled it, another one is opened
(elsewhere, where the address has several servers), the slots are opened again, by the digests and at
the revisions that the caller was told, its own bodies are attached again, and what was not answered is
repeated, in order: every message gets exactly one reply. A server of a list, or of a dns: name, that
lacks what a slot held is passed over. Any other status ends the session. It keeps the requests that are not answered, its
own bodies, and of each open slot its digest, or its content if it was sent inline. Work may be done
twice.

Rows with warm_start begin cold behind a broken stream: the answers are the same. Not as in C++: a
request id and a traceparent are sent with sessions only (SessionOptions), and a question about a scene
is of scene slot 0 where it names none.
"""

from __future__ import annotations

import threading
from collections import deque
from types import TracebackType
from typing import Any, Iterable, Iterator, cast, overload

import grpc

from clearance._connection import ProcessGuard, Reconnecting, start_stream
from clearance._messages import Answer, CloseShape, OpenShape, SessionMessage, TrackMessage
from clearance._session_log import Pending, Reply
from clearance._session_state import METHOD, Deadline, SessionState, answer_of
from clearance.batches import Batch, DistanceBatch, IntersectionBatch, TimeOfCollisionBatch
from clearance.errors import ClearanceError, ProtocolError, from_rpc_error, request_id_of
from clearance.results import (
    DistanceResult,
    IntersectionResult,
    OpenedShape,
    Result,
    TimeOfCollisionResult,
)
from clearance.scene_batches import (
    CheckBatch,
    ClearanceBatch,
    MotionBatch,
    NearestBatch,
    OverlapBatch,
    RayBatch,
    SceneBatch,
)
from clearance.scene_results import (
    CheckResult,
    ClearanceResult,
    NearestResult,
    OverlapResult,
    SceneResult,
    SweepResult,
)
from clearance.scenes import (
    ChangeBodies,
    ChangedBodies,
    CloseScene,
    OpenedScene,
    OpenScene,
    SceneChange,
)
from clearance.shapes import ShapeReference


class Session:
    """Thread-safe: messages take the order in which they enter; each `ask` gets its own answer and
    `next` the others, in order. Batches beyond the server's limits are sent in pieces, and answers
    come back joined. `timeout` (seconds) bounds the waiting of one call, not the work: an answer
    that comes later is dropped. When the session has ended every waiting and every later call
    raises its error (SessionEnded after a good end).

    As a context manager it finishes at the end of the block, and is cancelled by an exception."""

    def __init__(self, channel: grpc.Channel, guard: ProcessGuard, state: SessionState) -> None:
        self._guard = guard
        self._method = channel.stream_stream(METHOD)
        self._reconnecting = Reconnecting(channel)
        self._state = state
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
        return cast(OpenedShape, self._ask(OpenShape(slot, shape, min_revision), timeout))

    def close(self, slot: int, *, timeout: float | None = None) -> None:
        """Frees a slot."""
        self._ask(CloseShape(slot), timeout)

    def open_scene(
        self,
        scene_slot: int,
        name: str,
        *,
        revision: int = 0,
        min_revision: int = 0,
        timeout: float | None = None,
    ) -> OpenedScene:
        """Holds a revision of a scene (0: the newest) in a slot, where it stays whatever becomes of
        the scene. To go over to another revision the slot is opened again."""
        message = OpenScene(scene_slot, name, revision, min_revision)
        return cast(OpenedScene, self._ask(message, timeout))

    def close_scene(self, scene_slot: int, *, timeout: float | None = None) -> None:
        """Lets go of a scene."""
        self._ask(CloseScene(scene_slot), timeout)

    def change_bodies(
        self, change: SceneChange, *, reset: bool = False, timeout: float | None = None
    ) -> ChangedBodies:
        """Attaches, detaches, moves and regroups own bodies, all of it or nothing; `reset`: begins
        with none. After a change that fails questions of own bodies are refused until one with
        `reset` succeeds."""
        return cast(ChangedBodies, self._ask(ChangeBodies(change, reset), timeout))

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

    @overload
    def ask(self, batch: CheckBatch, *, timeout: float | None = None) -> CheckResult:
        ...

    @overload
    def ask(self, batch: ClearanceBatch, *, timeout: float | None = None) -> ClearanceResult:
        ...

    @overload
    def ask(self, batch: NearestBatch, *, timeout: float | None = None) -> NearestResult:
        ...

    @overload
    def ask(self, batch: OverlapBatch, *, timeout: float | None = None) -> OverlapResult:
        ...

    @overload
    def ask(self, batch: MotionBatch | RayBatch, *, timeout: float | None = None) -> SweepResult:
        ...

    def ask(
        self, batch: Batch | SceneBatch, *, timeout: float | None = None
    ) -> Result | SceneResult:
        """Sends a batch and waits for its answer."""
        return cast(Result, self._ask(batch, timeout))

    def distance(self, **columns: Any) -> DistanceResult:
        """`ask` with a DistanceBatch of these columns."""
        return self.ask(DistanceBatch(**columns))

    def intersection(self, **columns: Any) -> IntersectionResult:
        """`ask` with an IntersectionBatch of these columns."""
        return self.ask(IntersectionBatch(**columns))

    def time_of_collision(self, **columns: Any) -> TimeOfCollisionResult:
        """`ask` with a TimeOfCollisionBatch of these columns."""
        return self.ask(TimeOfCollisionBatch(**columns))

    def check(self, **columns: Any) -> CheckResult:
        """`ask` with a CheckBatch of these columns."""
        return self.ask(CheckBatch(**columns))

    def clearance(self, **columns: Any) -> ClearanceResult:
        """`ask` with a ClearanceBatch of these columns."""
        return self.ask(ClearanceBatch(**columns))

    def nearest(self, **columns: Any) -> NearestResult:
        """`ask` with a NearestBatch of these columns."""
        return self.ask(NearestBatch(**columns))

    def overlap(self, **columns: Any) -> OverlapResult:
        """`ask` with an OverlapBatch of these columns."""
        return self.ask(OverlapBatch(**columns))

    def motion(self, **columns: Any) -> SweepResult:
        """Asks a MotionBatch of these columns: each body moves on its own screw.

        The links of an arm whose joints move go another way: `prove_joint_motions`."""
        return self.ask(MotionBatch(**columns))

    def ray(self, **columns: Any) -> SweepResult:
        """`ask` with a RayBatch of these columns."""
        return self.ask(RayBatch(**columns))

    def ask_all(self, batches: Iterable[Batch | SceneBatch], *, window: int = 4) -> Iterator[Any]:
        """The answers of the batches in their order, with up to `window` of them on their way while
        the caller works on one."""
        pending: deque[Pending] = deque()
        for_ever = Deadline(None)
        for batch in batches:
            pending.append(self._enter(batch, for_ever))
            if len(pending) >= window:
                yield self._await(pending.popleft(), for_ever)
        while pending:
            yield self._await(pending.popleft(), for_ever)

    def send(self, message: SessionMessage, tag: int = 0) -> None:
        """Sends without waiting for the answer; blocks only while many messages are not yet with
        the transport. `tag` comes back in the Reply."""
        self._enter(message, Deadline(None), tag, is_owed=True)

    def next(self, *, timeout: float | None = None) -> Reply:
        """The answer to the earliest `send` that was not taken yet; waits for it.
        FailedPrecondition if nothing is owed."""
        self._guard.check()
        deadline = Deadline(timeout)
        with self._changed:
            while True:
                reply = self._state.take_owed()
                if reply is not None:
                    return reply
                if self._state.has_ended:
                    raise self._state.end_error()
                if not self._wait(deadline):
                    raise deadline.no_answer()

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

    def _wait(self, deadline: Deadline) -> bool:
        """Until something changes; False if the time is over. Requires: the lock."""
        left = deadline.left()
        if left != 0.0:
            self._changed.wait(left)
        return left != 0.0

    def _enter(
        self,
        message: SessionMessage | TrackMessage,
        deadline: Deadline,
        tag: int = 0,
        is_owed: bool = False,
    ) -> Pending:
        self._guard.check()
        with self._changed:
            self._state.check_open()
            while not self._state.has_room() and not self._state.has_ended:
                if not self._wait(deadline):
                    raise deadline.no_room()
            self._state.check_open()
            pending = self._state.enter(message, tag, is_owed)
            self._changed.notify_all()
            return pending

    def _ask(self, message: SessionMessage | TrackMessage, timeout: float | None) -> Any:
        """Sends a message and waits for its answer."""
        deadline = Deadline(timeout)
        return self._await(self._enter(message, deadline), deadline)

    def _tell(self, message: SessionMessage | TrackMessage) -> Answer:
        """Sends a message of any kind and waits for its answer. Tracks are not begun again on
        another stream: `tracks` has sessions for them."""
        answer: Answer = self._ask(message, None)
        return answer

    def _await(self, pending: Pending, deadline: Deadline) -> Any:
        with self._changed:
            while pending.reply is None:
                if self._state.has_ended:
                    raise self._state.end_error()
                if not self._wait(deadline):
                    raise deadline.no_answer()
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
                call = self._call = start_stream(
                    lambda: self._method(
                        self._messages(stream),
                        timeout=self._state.time_left(),
                        metadata=self._state.metadata,
                    )
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
            return from_rpc_error(call)
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
        # A server that answered is there; and among several, a call before each stream could leave
        # every stream to the same one of two.
        if not state.is_answering:
            self._reconnecting.start()
        wait = state.backoff.after_failure()
        if wait is None:
            return False
        self._changed.wait_for(lambda: state.is_cancelled, wait)
        return not state.is_cancelled and state.time_left() != 0.0
