# SPDX-License-Identifier: Apache-2.0
"""The scenes of a server, and questions about them one call at a time; `Client.scenes` is one. A
session asks many of them over scenes that it holds open (`session`).

>>> client = clearance.connect(address)
>>> crate = client.register("demo/crate", clearance.Box((0.5, 0.5, 0.5)))
>>> row = clearance.poses.pose([[0, 0, 0], [4, 0, 0]])
>>> bodies = clearance.SceneBodies(ids=[10, 11], shapes=["demo/crate"], poses=row)
>>> cell = client.scenes.create("demo/cell", clearance.SceneChange(bodies=bodies), ttl=60)
>>> gripper = clearance.SceneSetting(
...     scene="demo/cell", shapes=[clearance.Sphere(0.25)], bodies=clearance.SceneBodies(ids=[1])
... )
>>> where = clearance.poses.pose([[2, 0, 0], [3.5, 0, 0]])[:, None]  # configurations × bodies × 7
>>> answer = client.scenes.check(gripper, poses=where, max_pairs=9)
>>> answer.proved_free()
array([ True, False])
>>> answer.pairs.bodies_b[answer.pairs.of_row(1)]
array([11], dtype=uint32)
>>> client.close()
"""

from __future__ import annotations

import threading
from typing import Any, Iterator, Protocol, TypeVar, overload

import grpc

from clearance import _scene_operations as ops
from clearance._connection import (
    ClientOptions,
    ProcessGuard,
    Reconnecting,
    metadata,
    start_stream,
)
from clearance._operations import Operation
from clearance._watch import METHOD, WatchState
from clearance.errors import ClearanceError, NotFound, SessionEnded, from_rpc_error
from clearance.scene_batches import (
    CheckBatch,
    ClearanceBatch,
    MotionBatch,
    NearestBatch,
    OverlapBatch,
    RayBatch,
    SceneBatch,
    SceneSetting,
)
from clearance.scene_results import (
    CheckResult,
    ClearanceResult,
    NearestResult,
    OverlapResult,
    SceneResult,
    SweepResult,
)
from clearance.scenes import FoundScene, SceneChange, SceneInfo, SceneNews

T = TypeVar("T")


class _Run(Protocol):
    def __call__(self, operation: Operation[T], timeout: float | None) -> T:
        ...


class Scenes:
    """As thread-safe as its client, whose connection it uses; `timeout` is that of a client's calls.
    What changes a scene is never repeated by itself: after Unavailable it may be done or not.
    """

    def __init__(
        self, channel: grpc.Channel, guard: ProcessGuard, options: ClientOptions, run: _Run
    ) -> None:
        self._channel = channel
        self._guard = guard
        self._options = options
        self._run = run

    def create(
        self,
        name: str,
        content: SceneChange | None = None,
        *,
        ttl: float | None = None,
        replace: bool = False,
        timeout: float | None = None,
    ) -> SceneInfo:
        """Makes a scene of a change of an empty one. `ttl`, seconds: it lives in memory alone and
        goes once nobody has updated it for so long; None: it is kept until it is deleted.

        Raises AlreadyExists if there is a scene of this name, unless `replace`: its next revision
        then has this content and nothing else, and a content that is refused leaves it as it was.
        Raises Aborted if another client changed it meanwhile. A scene with another ttl is deleted
        and made again.
        """
        content = content or SceneChange()
        operation = ops.create(name, content, ttl)
        if replace:
            try:
                found = self.get(name, include_content=True, timeout=timeout)
            except NotFound:
                return self._run(operation, timeout)
            replaced = self._run(ops.replacement(found, content), timeout)
            if found.info.ttl == ttl:
                return replaced
            self.delete(name, missing_ok=True, timeout=timeout)
        return self._run(operation, timeout)

    def get(
        self,
        name: str,
        *,
        revision: int = 0,
        min_revision: int = 0,
        include_content: bool = False,
        timeout: float | None = None,
    ) -> FoundScene:
        """Shows a scene at the newest revision, at `revision`, or at `min_revision` or a later one;
        with its content all pages one after another, of one revision."""
        pages = ops.Pages(name, revision, min_revision, include_content)
        while self._run(pages.next(), timeout):
            pass
        return pages.found()

    def list(self, prefix: str = "", *, timeout: float | None = None) -> list[SceneInfo]:
        """Scenes by prefix of their names, in the order of the names, all pages one after another."""
        scenes: list[SceneInfo] = []
        token = ""
        while True:
            page, token = self._run(ops.list_page(prefix, token), timeout)
            scenes += page
            if not token:
                return scenes

    def update(
        self, name: str, change: SceneChange, *, etag: str = "", timeout: float | None = None
    ) -> SceneInfo:
        """Makes the next revision, all of the change or none. With an etag only if the scene still
        has it; else Aborted."""
        return self._run(ops.update(name, change, etag), timeout)

    def fork(
        self,
        name: str,
        source: str,
        *,
        source_revision: int = 0,
        ttl: float | None = None,
        timeout: float | None = None,
    ) -> SceneInfo:
        """Makes a new scene of a revision (0: the newest) of another one."""
        return self._run(ops.fork(name, source, source_revision, ttl), timeout)

    def delete(
        self, name: str, *, etag: str = "", missing_ok: bool = False, timeout: float | None = None
    ) -> None:
        """Takes a scene away; with an etag only if it still has that, else Aborted.

        Raises NotFound if there is none, unless `missing_ok`.
        """
        try:
            self._run(ops.delete(name, etag), timeout)
        except NotFound:
            if not missing_ok:
                raise

    def watch(
        self, name: str, *, from_revision: int = 0, etag: str = "", reopen_within: float = 30.0
    ) -> SceneWatch:
        """Follows a scene from the revision that the caller has (0: none, the first news is a
        reload). With that revision's etag another scene that has taken the name is known as such.
        Never waits: what the server refuses is told by the first `next`. `reopen_within`: give up
        when a stream breaks so many seconds after the first break since the last news.
        """
        self._guard.check()
        state = WatchState(name, from_revision, etag, reopen_within)
        return SceneWatch(self._channel, self._guard, self._options, state)

    @overload
    def ask(
        self, setting: SceneSetting, batch: CheckBatch, *, timeout: float | None = None
    ) -> CheckResult:
        ...

    @overload
    def ask(
        self, setting: SceneSetting, batch: ClearanceBatch, *, timeout: float | None = None
    ) -> ClearanceResult:
        ...

    @overload
    def ask(
        self, setting: SceneSetting, batch: NearestBatch, *, timeout: float | None = None
    ) -> NearestResult:
        ...

    @overload
    def ask(
        self, setting: SceneSetting, batch: OverlapBatch, *, timeout: float | None = None
    ) -> OverlapResult:
        ...

    @overload
    def ask(
        self, setting: SceneSetting, batch: MotionBatch | RayBatch, *, timeout: float | None = None
    ) -> SweepResult:
        ...

    def ask(
        self, setting: SceneSetting, batch: SceneBatch, *, timeout: float | None = None
    ) -> SceneResult:
        """One message. A batch beyond the server's limits is refused (ResourceExhausted); a Session
        splits it. Overlaps and rays have no own bodies, rays no shapes."""
        operation = ops.query(setting, batch, self._options.max_receive_bytes)
        return self._run(operation, timeout)

    def check(self, setting: SceneSetting, **columns: Any) -> CheckResult:
        """`ask` with a CheckBatch of these columns."""
        return self.ask(setting, CheckBatch(**columns))

    def clearance(self, setting: SceneSetting, **columns: Any) -> ClearanceResult:
        """`ask` with a ClearanceBatch of these columns."""
        return self.ask(setting, ClearanceBatch(**columns))

    def nearest(self, setting: SceneSetting, **columns: Any) -> NearestResult:
        """`ask` with a NearestBatch of these columns."""
        return self.ask(setting, NearestBatch(**columns))

    def overlap(self, setting: SceneSetting, **columns: Any) -> OverlapResult:
        """`ask` with an OverlapBatch of these columns."""
        return self.ask(setting, OverlapBatch(**columns))

    def motion(self, setting: SceneSetting, **columns: Any) -> SweepResult:
        """`ask` with a MotionBatch of these columns."""
        return self.ask(setting, MotionBatch(**columns))

    def ray(self, setting: SceneSetting, **columns: Any) -> SweepResult:
        """`ask` with a RayBatch of these columns."""
        return self.ask(setting, RayBatch(**columns))


class SceneWatch:
    """Made by `Scenes.watch`. One thread may wait for news while others cancel. Iterating ends after
    the news of the scene's end. As a context manager it is cancelled at the end of the block.
    """

    def __init__(
        self, channel: grpc.Channel, guard: ProcessGuard, options: ClientOptions, state: WatchState
    ) -> None:
        self._method = channel.unary_stream(METHOD)
        self._guard = guard
        self._metadata = metadata(options.token)
        self._reconnecting = Reconnecting(channel)
        self._state = state
        self._cancelled = threading.Condition()
        self._call: Any = None

    def __enter__(self) -> SceneWatch:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()

    def __iter__(self) -> Iterator[SceneNews]:
        while True:
            try:
                yield self.next()
            except SessionEnded:
                return

    def next(self) -> SceneNews:
        """The next news; waits for it. The first comes at once: an empty change, unless there is a
        newer revision than the caller's. Where the stream ends with UNAVAILABLE or CANCELLED another
        is opened that begins at the revision of the last news, so that none is told twice or left
        out. After the end: SessionEnded where the scene's end was told, Cancelled after `cancel`,
        else what the server says, NotFound where the scene went while the stream was broken.
        """
        self._guard.check()
        while self._state.end is None:
            news = self._read()
            if news is not None:
                return news
        raise self._state.end

    def cancel(self) -> None:
        """`next` waits no longer: it raises Cancelled, after news that have arrived already."""
        with self._cancelled:
            self._state.is_cancelled = True
            if self._call is not None:
                self._call.cancel()
            self._cancelled.notify_all()

    def _read(self) -> SceneNews | None:
        error: ClearanceError | None = None
        try:
            call = self._open()
            if call is not None:
                news = self._state.take(next(call))
                self._reconnecting.stop()
                return news
        except StopIteration:
            pass
        except grpc.RpcError as failure:
            error = from_rpc_error(failure)
        except ClearanceError as unreadable:
            if self._call is not None:
                self._call.cancel()
            error = unreadable
        self._call = None
        self._await_reopening(error)
        return None

    def _open(self) -> Any:
        """The stream; None if there is to be none any more."""
        with self._cancelled:
            if self._state.is_cancelled and self._call is None:
                return None
            if self._call is None:
                try:
                    self._call = start_stream(
                        lambda: self._method(self._state.request(), metadata=self._metadata)
                    )
                except ValueError:  # gRPC's word for a channel that is no more
                    raise ClearanceError("the client was closed") from None
            return self._call

    def _await_reopening(self, error: ClearanceError | None) -> None:
        wait = self._state.after_failure(error)
        if wait is None:
            self._reconnecting.stop()
            return
        self._reconnecting.start()
        with self._cancelled:
            self._cancelled.wait_for(lambda: self._state.is_cancelled, wait)
