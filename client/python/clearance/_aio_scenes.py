# SPDX-License-Identifier: Apache-2.0
"""The scenes of a server for asyncio (`aio.Scenes`)."""

from __future__ import annotations

import asyncio
import weakref
from typing import Any, AsyncIterator, Awaitable, Protocol, TypeVar

import grpc

from clearance import _scene_client as threads
from clearance import _scene_operations as ops
from clearance._connection import ClientOptions, ProcessGuard, metadata
from clearance._fields import asks_about, documented_as
from clearance._operations import Operation
from clearance._scene_batches import (
    CheckBatch,
    MinimumDistanceBatch,
    NearestBatch,
    OverlapBatch,
    RayBatch,
    SceneRows,
    SceneSetting,
    SweepBatch,
)
from clearance._scene_content import FoundScene, SceneChange, SceneInfo, SceneNews
from clearance._scene_results import (
    CheckResult,
    MinimumDistanceResult,
    NearestResult,
    OverlapResult,
    SweepResult,
)
from clearance._watch import METHOD, WatchState
from clearance.errors import Cancelled, ClearanceError, NotFound, SessionEnded, from_aio_error

T = TypeVar("T")


class _Run(Protocol):
    def __call__(self, operation: Operation[T], timeout: float | None) -> Awaitable[T]:
        ...


@documented_as(threads.Scenes)
class Scenes:
    """The asyncio form of clearance.scenes.Scenes, made by `Client.scenes`.

    Only `watch` does not wait."""

    def __init__(
        self, channel: grpc.aio.Channel, guard: ProcessGuard, options: ClientOptions, run: _Run
    ) -> None:
        self._channel = channel
        self._guard = guard
        self._options = options
        self._run = run
        self._watches: weakref.WeakSet[SceneWatch] = weakref.WeakSet()

    async def create(
        self,
        name: str,
        content: SceneChange | None = None,
        *,
        ttl: float | None = None,
        replace: bool = False,
        timeout: float | None = None,
    ) -> SceneInfo:
        content = content or SceneChange()
        operation = ops.create(name, content, ttl)
        if replace:
            try:
                found = await self.get(name, include_content=True, timeout=timeout)
            except NotFound:
                return await self._run(operation, timeout)
            replaced = await self._run(ops.replacement(found, content), timeout)
            if found.info.ttl == ttl:
                return replaced
            await self.delete(name, missing_ok=True, timeout=timeout)
        return await self._run(operation, timeout)

    async def get(
        self,
        name: str,
        *,
        revision: int = 0,
        min_revision: int = 0,
        include_content: bool = False,
        timeout: float | None = None,
    ) -> FoundScene:
        pages = ops.Pages(name, revision, min_revision, include_content)
        while await self._run(pages.next(), timeout):
            pass
        return pages.found()

    async def list(self, prefix: str = "", *, timeout: float | None = None) -> list[SceneInfo]:
        scenes: list[SceneInfo] = []
        token = ""
        while True:
            page, token = await self._run(ops.list_page(prefix, token), timeout)
            scenes += page
            if not token:
                return scenes

    async def update(
        self, name: str, change: SceneChange, *, etag: str = "", timeout: float | None = None
    ) -> SceneInfo:
        return await self._run(ops.update(name, change, etag), timeout)

    async def fork(
        self,
        name: str,
        source: str,
        *,
        source_revision: int = 0,
        ttl: float | None = None,
        timeout: float | None = None,
    ) -> SceneInfo:
        return await self._run(ops.fork(name, source, source_revision, ttl), timeout)

    async def delete(
        self, name: str, *, etag: str = "", missing_ok: bool = False, timeout: float | None = None
    ) -> None:
        try:
            await self._run(ops.delete(name, etag), timeout)
        except NotFound:
            if not missing_ok:
                raise

    def watch(
        self, name: str, *, from_revision: int = 0, etag: str = "", reopen_within: float = 30.0
    ) -> SceneWatch:
        self._guard.check()
        state = WatchState(name, from_revision, etag, reopen_within)
        watch = SceneWatch(self._channel, self._guard, self._options, state)
        self._watches.add(watch)
        return watch

    async def ask(
        self, setting: SceneSetting, batch: SceneRows[T], *, timeout: float | None = None
    ) -> T:
        operation = ops.query(setting, batch, self._options.max_receive_bytes)
        return await self._run(operation, timeout)

    @asks_about(CheckBatch)
    async def check(self, setting: SceneSetting, batch: CheckBatch) -> CheckResult:
        return await self.ask(setting, batch)

    @asks_about(MinimumDistanceBatch)
    async def minimum_distance(
        self, setting: SceneSetting, batch: MinimumDistanceBatch
    ) -> MinimumDistanceResult:
        return await self.ask(setting, batch)

    @asks_about(NearestBatch)
    async def nearest(self, setting: SceneSetting, batch: NearestBatch) -> NearestResult:
        return await self.ask(setting, batch)

    @asks_about(OverlapBatch)
    async def overlap(self, setting: SceneSetting, batch: OverlapBatch) -> OverlapResult:
        return await self.ask(setting, batch)

    @asks_about(SweepBatch)
    async def sweep(self, setting: SceneSetting, batch: SweepBatch) -> SweepResult:
        return await self.ask(setting, batch)

    @asks_about(RayBatch)
    async def ray(self, setting: SceneSetting, batch: RayBatch) -> SweepResult:
        return await self.ask(setting, batch)

    def _end_watches(self, why: ClearanceError) -> None:
        for watch in list(self._watches):
            watch._end(why)


@documented_as(threads.SceneWatch)
class SceneWatch:
    """The asyncio form of clearance.scenes.SceneWatch, made by `Scenes.watch`.

    One task waits at a time. Only `cancel` does not wait. A task that is cancelled while it waits,
    as by asyncio.wait_for, may wait again: no news are lost."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        guard: ProcessGuard,
        options: ClientOptions,
        state: WatchState,
    ) -> None:
        self._method = channel.unary_stream(METHOD)
        self._guard = guard
        self._metadata = metadata(options.token)
        self._state = state
        self._cancelled = asyncio.Event()
        self._call: Any = None

    async def __aenter__(self) -> SceneWatch:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cancel()

    async def __aiter__(self) -> AsyncIterator[SceneNews]:
        while True:
            try:
                yield await self.next()
            except SessionEnded:
                return

    async def next(self) -> SceneNews:
        self._guard.check()
        while self._state.end is None:
            news = await self._read()
            if news is not None:
                return news
        raise self._state.end

    def cancel(self) -> None:
        self._state.is_cancelled = True
        if self._call is not None:
            self._call.cancel()
        self._cancelled.set()

    def _end(self, why: ClearanceError) -> None:
        """Cancels with this error for `next`."""
        if not self._state.is_cancelled:
            self._state.why_cancelled = why
            self.cancel()

    async def _read(self) -> SceneNews | None:
        error: ClearanceError | None = None
        try:
            if not self._state.is_cancelled or self._call is not None:
                raw = await self._message()
                if raw is not grpc.aio.EOF:
                    return self._state.take(raw)
        except grpc.aio.AioRpcError as failure:
            error = from_aio_error(failure)
        except grpc.aio.UsageError:  # gRPC's word for a channel that is no more
            error = ClearanceError("the client was closed")
        except ClearanceError as unreadable:
            self._call.cancel()
            error = unreadable
        self._call = None
        wait = self._state.after_failure(error)
        if wait is not None:
            try:
                await asyncio.wait_for(self._cancelled.wait(), wait)
            except asyncio.TimeoutError:
                pass
        return None

    async def _message(self) -> Any:
        """Returns the next message.

        A separate task reads it. A CancelledError here is therefore one of the task that asks,
        never the one that gRPC raises for a cancelled call."""
        reading = asyncio.ensure_future(self._open().read())
        reading.add_done_callback(_take_note)
        try:
            await asyncio.wait([reading])
        except asyncio.CancelledError:
            # The next call begins where the last news ended.
            self._call.cancel()
            self._call = None
            reading.cancel()
            raise
        if reading.cancelled():
            raise Cancelled("the call was cancelled")
        return reading.result()

    def _open(self) -> Any:
        if self._call is None:
            self._call = self._method(self._state.request(), metadata=self._metadata)
        return self._call


def _take_note(done: asyncio.Future[Any]) -> None:
    """Keeps asyncio from reporting an error for which no task waits any more."""
    if not done.cancelled():
        done.exception()
