# SPDX-License-Identifier: Apache-2.0
"""Streams of questions of every kind over one table of shapes.

There are three ways to use a session, which may be mixed:

    one at a time    session.open(0, "crate"); session.ask(batch)
    many in flight   for answer in session.ask_all(batches): …
    by hand          session.send(batch, tag=1); session.send(batch, tag=2); session.next()

>>> with clearance.connect(address) as client, client.open_session() as session:
...     shapes = session.open(0, clearance.Sphere(0.25)), session.open(1, clearance.Point())
...     where = [clearance.poses.pose([x, 0, 0]) for x in (1, 2)]
...     batches = [clearance.batches.DistanceBatch(poses_b=pose) for pose in where]
...     [float(answer.distances) for answer in session.ask_all(batches)]
[0.75, 1.75]

Scenes have separate slots. The session may have query bodies (the links of an arm, or players).
They are asked against a scene and each other, many configurations a message:

>>> with clearance.connect(address) as client, client.open_session() as session:
...     cell = client.scenes.create("lab/cell")
...     opened = session.open_scene(0, "lab/cell")
...     shapes = [session.open(slot, clearance.Sphere(0.5)) for slot in (0, 1)]
...     arm = clearance.SceneBodies(ids=[1, 2], shape_slots=[0, 1])
...     changed = session.change_bodies(clearance.SceneChange(bodies=arm))
...     where = clearance.poses.pose([[[0, 0, 0], [3, 0, 0]], [[0, 0, 0], [0.5, 0, 0]]])
...     session.check(poses=where).proved_free()  # configurations × bodies × 7
array([ True, False])

A session outlives its server. If its stream ends with UNAVAILABLE, or with CANCELLED though it was
not cancelled here, another stream is opened, elsewhere if the address has several servers. Slots
are opened again, by the digests and at the revisions that the caller was told. Query bodies are
attached again, and unanswered messages are repeated in order. Every message gets exactly one reply.
A server of a list or a dns: name that lacks a shape or scene of a slot is passed over. Any other
status ends the session.

For this the session keeps unanswered requests, query bodies, and for each open slot its digest or
inline content. Work may be done twice. Rows with warm_start begin cold on a new stream; the answers
are the same. Two things differ from C++: request ids and traceparents are sent with sessions only
(SessionOptions), and the default scene slot of a question is 0."""

from __future__ import annotations

import threading
from collections import deque
from types import TracebackType
from typing import Any, Iterable, Iterator, Sequence, TypeVar, cast

import grpc

from clearance._connection import ProcessGuard, Reconnecting, SessionOptions, start_stream
from clearance._fields import asks
from clearance._messages import Answer, CloseShape, OpenShape, SessionMessage, TrackMessage
from clearance._scene_batches import (
    CheckBatch,
    MinimumDistanceBatch,
    NearestBatch,
    OverlapBatch,
    RayBatch,
    SweepBatch,
)
from clearance._scene_content import (
    ChangeBodies,
    ChangedBodies,
    CloseScene,
    OpenedScene,
    OpenScene,
    SceneChange,
)
from clearance._scene_results import (
    CheckResult,
    MinimumDistanceResult,
    NearestResult,
    OverlapResult,
    SweepResult,
)
from clearance._session_log import Pending, Reply
from clearance._session_state import METHOD, Deadline, SessionState, answer_of
from clearance.batches import BatchRows, DistanceBatch, IntersectionBatch, TimeOfCollisionBatch
from clearance.errors import ClearanceError, ProtocolError, from_rpc_error, request_id_of
from clearance.results import (
    ClosedShape,
    DistanceResult,
    IntersectionResult,
    OpenedShape,
    TimeOfCollisionResult,
)
from clearance.shapes import ShapeReference

__all__ = [
    "ClosedShape",
    "CloseShape",
    "OpenedShape",
    "OpenShape",
    "Reply",
    "Session",
    "SessionOptions",
]

T = TypeVar("T")


class Session:
    """A stream of questions to one server at a time, made by `Client.open_session`. Thread-safe.

    Messages take the order in which they enter. Each `ask` gets its own answer, and `next` gets the
    others in order. Batches above the server's limits are split, and their answers are joined.
    `timeout` (seconds) limits the waiting of one call, not the work: a later answer is dropped.
    After the session has ended, every call raises its error (SessionEnded after a good end).

    As a context manager it finishes at the end of the block. An exception cancels it."""

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
        """Puts a shape into a slot that the caller chooses.

        Parameters
        ----------
        slot : int
            The slot, from 0.
        shape : ShapeReference
            A shape, ByName or ByDigest; a str is a registered name.
        min_revision : int
            Opens only with the registry at this revision or a later one.
        timeout : float, optional
            Seconds to wait for the answer.

        Returns
        -------
        OpenedShape
            Facts about the shape.

        Raises
        ------
        NotFound
            No such shape is registered.
        """
        return cast(OpenedShape, self._ask(OpenShape(slot, shape, min_revision), timeout))

    def close(self, slot: int, *, timeout: float | None = None) -> None:
        """Frees a slot.

        Parameters
        ----------
        slot : int
            The slot.
        timeout : float, optional
            Seconds to wait for the answer.
        """
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
        """Holds a revision of a scene in a slot; later changes of the scene do not affect it.

        Parameters
        ----------
        scene_slot : int
            The slot, from 0. Open it again to move to another revision.
        name : str
            The scene's name.
        revision : int
            0: the newest.
        min_revision : int
            Opens only this revision or a later one.
        timeout : float, optional
            Seconds to wait for the answer.

        Returns
        -------
        OpenedScene
            The revision that the slot holds.
        """
        message = OpenScene(scene_slot, name, revision, min_revision)
        return cast(OpenedScene, self._ask(message, timeout))

    def close_scene(self, scene_slot: int, *, timeout: float | None = None) -> None:
        """Frees the slot of a scene.

        Parameters
        ----------
        scene_slot : int
            The slot.
        timeout : float, optional
            Seconds to wait for the answer.
        """
        self._ask(CloseScene(scene_slot), timeout)

    def change_bodies(
        self,
        change: SceneChange,
        *,
        reset: bool = False,
        same_as_scene: Sequence[int] = (),
        timeout: float | None = None,
    ) -> ChangedBodies:
        """Attaches, detaches, moves and regroups query bodies, all of it or nothing.

        If a change fails, questions about query bodies are refused until one with `reset` succeeds.

        Parameters
        ----------
        change : SceneChange
            The bodies, poses and rules.
        reset : bool
            Starts without bodies and rules.
        same_as_scene : sequence of int
            Ids of query bodies that are the scene's bodies of the same ids.
        timeout : float, optional
            Seconds to wait for the answer.

        Returns
        -------
        ChangedBodies
            The numbers of query bodies and rules.
        """
        return cast(ChangedBodies, self._ask(ChangeBodies(change, reset, same_as_scene), timeout))

    def ask(self, batch: BatchRows[T], *, timeout: float | None = None) -> T:
        """Sends a batch and waits for its answer.

        Parameters
        ----------
        batch : BatchRows
            A batch of any kind.
        timeout : float, optional
            Seconds to wait for the answer.

        Returns
        -------
        AnswerBase
            The result of the batch's kind, in its broadcast shape.
        """
        return cast(T, self._ask(batch, timeout))

    @asks(DistanceBatch)
    def distance(self, batch: DistanceBatch) -> DistanceResult:
        """Asks how far apart pairs of shapes are."""
        return self.ask(batch)

    @asks(IntersectionBatch)
    def intersection(self, batch: IntersectionBatch) -> IntersectionResult:
        """Asks whether pairs of shapes touch."""
        return self.ask(batch)

    @asks(TimeOfCollisionBatch)
    def time_of_collision(self, batch: TimeOfCollisionBatch) -> TimeOfCollisionResult:
        """Asks when moving pairs of shapes first meet, in t from 0 to 1."""
        return self.ask(batch)

    @asks(CheckBatch)
    def check(self, batch: CheckBatch) -> CheckResult:
        """Asks whether query bodies touch anything, one configuration a row."""
        return self.ask(batch)

    @asks(MinimumDistanceBatch)
    def minimum_distance(self, batch: MinimumDistanceBatch) -> MinimumDistanceResult:
        """Asks for the smallest distance of query bodies, one configuration a row."""
        return self.ask(batch)

    @asks(NearestBatch)
    def nearest(self, batch: NearestBatch) -> NearestResult:
        """Asks for the nearest pairs with query bodies, one configuration a row."""
        return self.ask(batch)

    @asks(OverlapBatch)
    def overlap(self, batch: OverlapBatch) -> OverlapResult:
        """Asks which bodies of a scene touch a shape."""
        return self.ask(batch)

    @asks(SweepBatch)
    def sweep(self, batch: SweepBatch) -> SweepResult:
        """Asks when query bodies first touch, each on its own screw from t = 0 to 1.

        The links of an arm whose joints move take another path: use
        `joint_motion.prove_joint_motions` for them.
        """
        return self.ask(batch)

    @asks(RayBatch)
    def ray(self, batch: RayBatch) -> SweepResult:
        """Asks what a moving point, or a moving ball, hits."""
        return self.ask(batch)

    def ask_all(self, batches: Iterable[BatchRows[T]], *, window: int = 4) -> Iterator[T]:
        """Yields the answers of the batches in their order.

        Parameters
        ----------
        batches : iterable
            Batches of any kinds.
        window : int
            Batches under way at once, while the caller works on an answer.

        Yields
        ------
        AnswerBase
            The result of each batch's kind.
        """
        pending: deque[Pending] = deque()
        for_ever = Deadline(None)
        for batch in batches:
            pending.append(self._enter(batch, for_ever))
            if len(pending) >= window:
                yield self._await(pending.popleft(), for_ever)
        while pending:
            yield self._await(pending.popleft(), for_ever)

    def send(self, message: SessionMessage, tag: int = 0) -> None:
        """Sends a message without waiting for the answer.

        It blocks only while many messages have not reached the transport. `next` returns the
        answer, with the `tag`.

        Parameters
        ----------
        message : BatchRows, OpenShape, CloseShape, OpenScene, CloseScene or ChangeBodies
            The message.
        tag : int
            Any number of the caller's.
        """
        self._enter(message, Deadline(None), tag, is_owed=True)

    def next(self, *, timeout: float | None = None) -> Reply:
        """Waits for the answer to the earliest `send` that was not taken yet, and returns it.

        Parameters
        ----------
        timeout : float, optional
            Seconds to wait.

        Returns
        -------
        Reply
            The answer and its tag.

        Raises
        ------
        FailedPrecondition
            Every answer was taken.
        DeadlineExceeded
            The `timeout` (seconds) is over.
        """
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
        """Ends the session after every answer has arrived; `next` still returns them.

        Raises
        ------
        ClearanceError
            The session did not end well.
        """
        self._guard.check()
        with self._changed:
            self._state.is_finishing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._state.has_ended)
            if self._state.final_error is not None:
                raise self._state.final_error

    def cancel(self) -> None:
        """Ends the session at once: every waiting call raises Cancelled."""
        self._guard.check()
        with self._changed:
            self._state.is_cancelled = True
            if self._call is not None:
                self._call.cancel()
            self._changed.notify_all()

    def _wait(self, deadline: Deadline) -> bool:
        """Waits until something changes; False if the time is over. Requires: the lock."""
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
        """Sends a message of any kind and waits for its answer.

        A new stream does not open tracks again: `tracks` has sessions for them."""
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

    # The methods below run in threads of the session: _messages in gRPC's, the others in its own.

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
            except ValueError:  # gRPC's error for a closed channel
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
        except Exception as error:  # an unforeseen error must not leave the callers waiting
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
        # If no answer is owed, a new stream can wait until the session is asked again.
        self._changed.wait_for(state.is_missed, state.time_left())
        if state.is_cancelled or (state.is_finishing and state.log.is_settled):
            return False
        # A server that answered is there. Among several servers, a call before each stream could
        # send every stream to the same one of two.
        if not state.is_answering:
            self._reconnecting.start()
        wait = state.backoff.after_failure()
        if wait is None:
            return False
        self._changed.wait_for(lambda: state.is_cancelled, wait)
        return not state.is_cancelled and state.time_left() != 0.0
