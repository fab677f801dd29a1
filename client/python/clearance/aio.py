# SPDX-License-Identifier: Apache-2.0
"""The client and its sessions for asyncio: the same calls, awaited.

>>> async def ask() -> tuple[float, list[bool]]:
...     async with await connect(address) as client, client.open_session() as session:
...         await session.open(0, clearance.Box((0.2, 0.2, 0.1)))
...         await session.open(1, clearance.Sphere(0.05))
...         answer = await session.distance(poses_b=[1, 0, 0, 0, 0, 0, 1])
...         # A scene, and two balls in two configurations.
...         await client.scenes.create("aio/cell", ttl=60)
...         await session.open_scene(0, "aio/cell")
...         balls = clearance.SceneBodies(ids=[1, 2], shape_slots=1)
...         await session.change_bodies(clearance.SceneChange(bodies=balls))
...         where = clearance.poses.pose([[[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0.05, 0, 0]]])
...         check = await session.check(poses=where)
...         return float(answer.distances), check.proved_free().tolist()
>>> asyncio.run(ask())
(0.75, [True, False])

Everything belongs to the event loop that it was made in and is not thread-safe. `session` says how
sessions outlive their server.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from collections import deque
from types import TracebackType
from typing import Any, AsyncIterable, AsyncIterator, Callable, Iterable, Sequence, TypeVar, cast

import grpc
from numpy.typing import ArrayLike

from clearance import _operations as ops
from clearance import client as threads
from clearance._aio_scenes import Scenes, SceneWatch
from clearance._aio_tracks import TrackReader, TrackWriter
from clearance._connection import (
    Backoff,
    ClientOptions,
    ProcessGuard,
    SessionOptions,
    channel_arguments,
    check_token,
    check_version,
    credentials,
    is_worth_repeating,
    joined,
    metadata,
    to_target,
    unreachable,
)
from clearance._fields import asks, asks_about, configured, configured_at, documented_as
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
from clearance.batches import (
    BatchRows,
    DistanceBatch,
    IntersectionBatch,
    PairRows,
    TimeOfCollisionBatch,
)
from clearance.errors import (
    Cancelled,
    ClearanceError,
    DeadlineExceeded,
    NotFound,
    ProtocolError,
    Unavailable,
    from_aio_error,
    request_id_of,
)
from clearance.poses import PosesLike
from clearance.results import (
    DistanceResult,
    IntersectionResult,
    OpenedShape,
    PairDistance,
    TimeOfCollisionResult,
)
from clearance.shapes import ByDigest, ByName, Shape, ShapeInfo, ShapeReference

__all__ = [
    "Client",
    "Scenes",
    "SceneWatch",
    "Session",
    "TrackReader",
    "TrackWriter",
    "connect",
]

T = TypeVar("T")
_LARGEST_PAGE = 1000


@configured_at(ClientOptions)
async def connect(address: str | Sequence[str], options: ClientOptions) -> Client:
    address = joined(address)
    check_token(options, address)
    target = await asyncio.to_thread(to_target, address, options)
    arguments = channel_arguments(target, options)
    secure = credentials(options)
    if secure is None:
        channel = grpc.aio.insecure_channel(target.address, arguments)
    else:
        channel = grpc.aio.secure_channel(target.address, secure, arguments)
    client = Client(channel, options, target.may_be_several)
    try:
        await client._greet(address)
    except BaseException:
        await channel.close()
        raise
    return client


connect.__doc__ = threads.connect.__doc__


@documented_as(threads.Client)
class Client:
    """The asyncio form of clearance.Client, made by `connect`."""

    def __init__(
        self, channel: grpc.aio.Channel, options: ClientOptions, has_several_servers: bool
    ) -> None:
        self._channel = channel
        self._has_several_servers = has_several_servers
        self._options = options
        self._guard = ProcessGuard()
        self._limits = ops.Limits()
        self._scenes = Scenes(channel, self._guard, options, self._run)
        self._sessions: weakref.WeakSet[Session] = weakref.WeakSet()

    async def _greet(self, address: str) -> None:
        backoff = Backoff(self._options.wait)
        while True:
            try:
                info = await self._once(ops.server_info(), self._options.timeout)
                break
            except (Unavailable, DeadlineExceeded) as error:
                pause = backoff.after_failure()
                if pause is None:
                    raise unreachable(error, address) from None
                await asyncio.sleep(pause)
        self._guard.note_greeting()
        check_version(info.version)
        self._limits = info.limits

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection and cancels open calls, sessions and watches."""
        # gRPC itself does not find every call of its channel.
        closed = ClearanceError("the client was closed")
        self._scenes._end_watches(closed)
        await asyncio.gather(*(session._end(closed) for session in self._sessions))
        await self._channel.close()

    @property
    def limits(self) -> ops.Limits:
        """The limits of the server when the connection was made."""
        return self._limits

    @property
    def scenes(self) -> Scenes:
        """The server's scenes, and questions about them."""
        return self._scenes

    async def server_info(self, timeout: float | None = None) -> ops.ServerInfo:
        return await self._run(ops.server_info(), timeout)

    async def register(
        self,
        name: str,
        shape: Shape,
        *,
        replace: bool = False,
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> ops.Registration:
        return await self._run(ops.register(name, shape, replace, validate_only), timeout)

    async def register_hulls(
        self,
        names: Sequence[str],
        hulls: Sequence[ArrayLike],
        *,
        swept_sphere_radii: ArrayLike | None = None,
        replace: bool = False,
        timeout: float | None = None,
    ) -> ops.BatchRegistration:
        return await self._run(
            ops.register_hulls(names, hulls, swept_sphere_radii, replace), timeout
        )

    async def get(
        self,
        key: ByName | ByDigest | str,
        *,
        include_content: bool = False,
        timeout: float | None = None,
    ) -> ops.FoundShape:
        return await self._run(ops.get(key, include_content), timeout)

    async def list(self, prefix: str = "", *, timeout: float | None = None) -> list[ShapeInfo]:
        shapes: list[ShapeInfo] = []
        token = ""
        while True:
            page = await self._run(ops.list_page(prefix, _LARGEST_PAGE, token), timeout)
            shapes += page.shapes
            token = page.next_page_token
            if not token:
                return shapes

    async def delete(
        self,
        name: str,
        *,
        etag: str = "",
        missing_ok: bool = False,
        timeout: float | None = None,
    ) -> int:
        try:
            return await self._run(ops.delete(name, etag), timeout)
        except NotFound:
            if not missing_ok:
                raise
            return 0

    async def ask(
        self,
        shapes: Sequence[ShapeReference],
        batch: PairRows[T],
        *,
        min_revision: int = 0,
        timeout: float | None = None,
    ) -> T:
        operation = ops.query(shapes, batch, min_revision, self._options.max_receive_bytes)
        return await self._run(operation, timeout)

    async def pair_distance(
        self,
        shape_a: ShapeReference,
        pose_a: PosesLike,
        shape_b: ShapeReference,
        pose_b: PosesLike,
        *,
        timeout: float | None = None,
    ) -> PairDistance:
        operation = ops.pair_distance((shape_a, pose_a), (shape_b, pose_b))
        return await self._run(operation, timeout)

    @asks_about(DistanceBatch)
    async def distance(
        self, shapes: Sequence[ShapeReference], batch: DistanceBatch
    ) -> DistanceResult:
        return await self.ask(shapes, batch)

    @asks_about(IntersectionBatch)
    async def intersection(
        self, shapes: Sequence[ShapeReference], batch: IntersectionBatch
    ) -> IntersectionResult:
        return await self.ask(shapes, batch)

    @asks_about(TimeOfCollisionBatch)
    async def time_of_collision(
        self, shapes: Sequence[ShapeReference], batch: TimeOfCollisionBatch
    ) -> TimeOfCollisionResult:
        return await self.ask(shapes, batch)

    @configured(SessionOptions)
    def open_session(self, options: SessionOptions) -> Session:
        self._guard.check()
        state = SessionState(self._options, self._limits, options, self._has_several_servers)
        session = Session(self._channel, self._guard, state)
        self._sessions.add(session)
        return session

    async def _run(self, operation: ops.Operation[T], timeout: float | None) -> T:
        self._guard.check()
        timeout = self._options.timeout if timeout is None else timeout
        deadline = time.monotonic() + timeout
        backoff = Backoff(timeout)
        while True:
            try:
                left = max(deadline - time.monotonic(), 0.001)
                return await self._once(operation, left)
            except ClearanceError as error:
                may_repeat = operation.is_repeatable and self._options.retry
                if not may_repeat or not is_worth_repeating(error.code):
                    raise
                wait = backoff.after_failure()
                if wait is None:
                    raise
                await asyncio.sleep(wait)

    async def _once(self, operation: ops.Operation[T], timeout: float) -> T:
        method = self._channel.unary_unary(operation.path)
        try:
            raw = await method(
                operation.request,
                timeout=timeout,
                metadata=metadata(self._options.token),
            )
        except grpc.aio.AioRpcError as error:
            raise from_aio_error(error) from None
        return operation.parse(raw)


@documented_as(threads.Session)
class Session:
    """The asyncio form of clearance.Session, made by `Client.open_session`.

    Only `cancel` does not wait."""

    def __init__(self, channel: grpc.aio.Channel, guard: ProcessGuard, state: SessionState) -> None:
        self._guard = guard
        self._method = channel.stream_stream(METHOD)
        self._state = state
        self._waiters: set[asyncio.Future[None]] = set()
        self._call: Any = None
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            await self.finish()
        else:
            self.cancel()
            await asyncio.wait([self._task])

    async def open(
        self,
        slot: int,
        shape: ShapeReference,
        *,
        min_revision: int = 0,
        timeout: float | None = None,
    ) -> OpenedShape:
        return cast(OpenedShape, await self._ask(OpenShape(slot, shape, min_revision), timeout))

    async def close(self, slot: int, *, timeout: float | None = None) -> None:
        await self._ask(CloseShape(slot), timeout)

    async def open_scene(
        self,
        scene_slot: int,
        name: str,
        *,
        revision: int = 0,
        min_revision: int = 0,
        timeout: float | None = None,
    ) -> OpenedScene:
        message = OpenScene(scene_slot, name, revision, min_revision)
        return cast(OpenedScene, await self._ask(message, timeout))

    async def close_scene(self, scene_slot: int, *, timeout: float | None = None) -> None:
        await self._ask(CloseScene(scene_slot), timeout)

    async def change_bodies(
        self,
        change: SceneChange,
        *,
        reset: bool = False,
        same_as_scene: Sequence[int] = (),
        timeout: float | None = None,
    ) -> ChangedBodies:
        message = ChangeBodies(change, reset, same_as_scene)
        return cast(ChangedBodies, await self._ask(message, timeout))

    async def ask(self, batch: BatchRows[T], *, timeout: float | None = None) -> T:
        return cast(T, await self._ask(batch, timeout))

    @asks(DistanceBatch)
    async def distance(self, batch: DistanceBatch) -> DistanceResult:
        return await self.ask(batch)

    @asks(IntersectionBatch)
    async def intersection(self, batch: IntersectionBatch) -> IntersectionResult:
        return await self.ask(batch)

    @asks(TimeOfCollisionBatch)
    async def time_of_collision(self, batch: TimeOfCollisionBatch) -> TimeOfCollisionResult:
        return await self.ask(batch)

    @asks(CheckBatch)
    async def check(self, batch: CheckBatch) -> CheckResult:
        return await self.ask(batch)

    @asks(MinimumDistanceBatch)
    async def minimum_distance(self, batch: MinimumDistanceBatch) -> MinimumDistanceResult:
        return await self.ask(batch)

    @asks(NearestBatch)
    async def nearest(self, batch: NearestBatch) -> NearestResult:
        return await self.ask(batch)

    @asks(OverlapBatch)
    async def overlap(self, batch: OverlapBatch) -> OverlapResult:
        return await self.ask(batch)

    @asks(SweepBatch)
    async def sweep(self, batch: SweepBatch) -> SweepResult:
        return await self.ask(batch)

    @asks(RayBatch)
    async def ray(self, batch: RayBatch) -> SweepResult:
        return await self.ask(batch)

    async def ask_all(
        self,
        batches: Iterable[BatchRows[T]] | AsyncIterable[BatchRows[T]],
        *,
        window: int = 4,
    ) -> AsyncIterator[T]:
        pending: deque[Pending] = deque()
        for_ever = Deadline(None)
        async for batch in _each(batches):
            pending.append(await self._enter(batch, for_ever))
            if len(pending) >= window:
                yield await self._await(pending.popleft(), for_ever)
        while pending:
            yield await self._await(pending.popleft(), for_ever)

    async def send(self, message: SessionMessage, tag: int = 0) -> None:
        await self._enter(message, Deadline(None), tag, is_owed=True)

    async def next(self, *, timeout: float | None = None) -> Reply:
        self._guard.check()
        deadline = Deadline(timeout)
        while True:
            reply = self._state.take_owed()
            if reply is not None:
                return reply
            if self._state.has_ended:
                raise self._state.end_error()
            if not await self._wait(deadline):
                raise deadline.no_answer()

    async def finish(self) -> None:
        self._guard.check()
        self._state.is_finishing = True
        self._notify()
        await self._wait_for(lambda: self._state.has_ended)
        if self._state.final_error is not None:
            raise self._state.final_error

    def cancel(self) -> None:
        self._guard.check()
        self._state.is_cancelled = True
        if self._call is not None:
            self._call.cancel()
        self._notify()

    async def _end(self, why: ClearanceError) -> None:
        """Cancels with this error for waiting calls, and waits for the session's task."""
        if not self._state.has_ended:
            self._state.why_cancelled = why
            self.cancel()
        await asyncio.wait([self._task])

    def _notify(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()

    async def _wait(self, deadline: Deadline) -> bool:
        """Waits for a change; returns False if the time is over."""
        left = deadline.left()
        if left == 0.0:
            return False
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        try:
            await asyncio.wait([waiter], timeout=left)
        finally:
            self._waiters.discard(waiter)
        return True

    async def _wait_for(self, holds: Callable[[], bool], timeout: float | None = None) -> None:
        deadline = Deadline(timeout)
        while not holds() and await self._wait(deadline):
            pass

    async def _enter(
        self,
        message: SessionMessage | TrackMessage,
        deadline: Deadline,
        tag: int = 0,
        is_owed: bool = False,
    ) -> Pending:
        self._guard.check()
        self._state.check_open()
        while not self._state.has_room() and not self._state.has_ended:
            if not await self._wait(deadline):
                raise deadline.no_room()
        self._state.check_open()
        pending = self._state.enter(message, tag, is_owed)
        self._notify()
        return pending

    async def _ask(self, message: SessionMessage | TrackMessage, timeout: float | None) -> Any:
        deadline = Deadline(timeout)
        return await self._await(await self._enter(message, deadline), deadline)

    async def _tell(self, message: SessionMessage | TrackMessage) -> Answer:
        answer: Answer = await self._ask(message, None)
        return answer

    async def _await(self, pending: Pending, deadline: Deadline) -> Any:
        while pending.reply is None:
            if self._state.has_ended:
                raise self._state.end_error()
            if not await self._wait(deadline):
                raise deadline.no_answer()
        return answer_of(pending)

    async def _run(self) -> None:
        error: ClearanceError | None = Cancelled("the session's task was cancelled")
        try:
            while True:
                error = await self._serve_stream()
                self._state.stream = self._call = None
                self._notify()
                if not await self._await_reopening(error):
                    return
        finally:
            self._state.stream = None
            self._state.end(error)
            self._notify()

    async def _serve_stream(self) -> ClearanceError | None:
        stream = self._state.start_stream()
        call = self._call = self._method(
            self._messages(stream),
            timeout=self._state.time_left(),
            metadata=self._state.metadata,
        )
        if self._state.is_cancelled:
            call.cancel()
        try:
            request_id = ""
            async for raw in call:
                request_id = request_id or request_id_of(await call.initial_metadata())
                if self._state.deliver(raw, request_id):
                    self._notify()
        except ClearanceError as error:
            call.cancel()
            return error
        except grpc.aio.AioRpcError as error:
            return from_aio_error(error)
        except asyncio.CancelledError:
            # gRPC raises it of a call that was cancelled, asyncio of a task that was.
            if not self._state.is_cancelled:
                call.cancel()
                raise
            return Cancelled("the session was cancelled")
        except Exception as unforeseen:  # it must not leave the callers waiting
            call.cancel()
            return ProtocolError(f"an answer cannot be read: {unforeseen!r}")
        return None

    async def _messages(self, stream: object) -> AsyncIterator[bytes]:
        state = self._state
        while True:
            await self._wait_for(
                lambda: state.stream is not stream or state.log.unwritten > 0 or state.is_finishing
            )
            if state.stream is not stream or not state.log.unwritten:
                return
            raw = state.log.take_unwritten()
            self._notify()
            yield raw

    async def _await_reopening(self, error: ClearanceError | None) -> bool:
        state = self._state
        if not state.may_go_on(error):
            return False
        # A session that is owed nothing is not missed by anyone until it is asked again.
        await self._wait_for(state.is_missed, state.time_left())
        if state.is_cancelled or (state.is_finishing and state.log.is_settled):
            return False
        wait = state.backoff.after_failure()
        if wait is None:
            return False
        await self._wait_for(lambda: state.is_cancelled, wait)
        return not state.is_cancelled and state.time_left() != 0.0


async def _each(batches: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    if isinstance(batches, AsyncIterable):
        async for batch in batches:
            yield batch
    else:
        for batch in batches:
            yield batch
