# SPDX-License-Identifier: Apache-2.0
"""The scenes of a server, and questions about them one call at a time: `Client.scenes`.

A session asks many questions about scenes that it holds open (`session`).

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
>>> client.close()"""

from __future__ import annotations

import threading
from typing import Any, Iterator, Protocol, TypeVar

import grpc

from clearance import _scene_operations as ops
from clearance._connection import (
    ClientOptions,
    ProcessGuard,
    Reconnecting,
    metadata,
    start_stream,
)
from clearance._fields import asks_about
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
from clearance.errors import ClearanceError, NotFound, SessionEnded, from_rpc_error

__all__ = [
    "Scenes",
    "SceneWatch",
]

T = TypeVar("T")


class _Run(Protocol):
    def __call__(self, operation: Operation[T], timeout: float | None) -> T:
        ...


class Scenes:
    """The scenes of a client's server, made by `Client.scenes`. As thread-safe as the client.

    `timeout` is that of the client's calls. Changes are never repeated: after Unavailable they may
    have been made."""

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
        """Makes a scene.

        Parameters
        ----------
        name : str
            The name.
        content : SceneChange, optional
            The content, as a change of an empty scene.
        ttl : float, optional
            Seconds. The scene lives in memory, and ends when it was not updated for this long.
            None: it is kept until it is deleted.
        replace : bool
            If the scene exists, its next revision has only this content. A refused content changes
            nothing. A scene with another ttl is deleted and made again.
        timeout : float, optional
            Seconds.

        Returns
        -------
        SceneInfo
            Facts about the new revision.

        Raises
        ------
        AlreadyExists
            A scene has this name, and `replace` is false.
        Aborted
            Another client changed the scene during the replacement.
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
        """Returns a scene, and on request its content, all of one revision.

        Parameters
        ----------
        name : str
            The name.
        revision : int
            0: the newest.
        min_revision : int
            Answers only with this revision or a later one.
        include_content : bool
            Also returns bodies and rules.
        timeout : float, optional
            Seconds for each page.

        Returns
        -------
        FoundScene
            The scene.

        Raises
        ------
        NotFound
            There is no such scene or revision.
        """
        pages = ops.Pages(name, revision, min_revision, include_content)
        while self._run(pages.next(), timeout):
            pass
        return pages.found()

    def list(self, prefix: str = "", *, timeout: float | None = None) -> list[SceneInfo]:
        """Returns all scenes, in the order of their names.

        Parameters
        ----------
        prefix : str
            The beginning of the names.
        timeout : float, optional
            Seconds for each page.

        Returns
        -------
        list of SceneInfo
            Facts about the newest revisions.
        """
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
        """Makes the next revision from a change, all of it or nothing.

        Parameters
        ----------
        name : str
            The name.
        change : SceneChange
            The change.
        etag : str
            Changes only the revision with this etag; empty: any.
        timeout : float, optional
            Seconds.

        Returns
        -------
        SceneInfo
            Facts about the new revision.

        Raises
        ------
        Aborted
            `etag` is given, and the scene has another one.
        """
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
        """Makes a new scene from a revision of another one.

        Parameters
        ----------
        name : str
            The new scene's name.
        source : str
            The other scene's name.
        source_revision : int
            0: the newest.
        ttl : float, optional
            As for `create`.
        timeout : float, optional
            Seconds.

        Returns
        -------
        SceneInfo
            Facts about the new scene.
        """
        return self._run(ops.fork(name, source, source_revision, ttl), timeout)

    def delete(
        self, name: str, *, etag: str = "", missing_ok: bool = False, timeout: float | None = None
    ) -> None:
        """Deletes a scene.

        Parameters
        ----------
        name : str
            The name.
        etag : str
            Deletes only the revision with this etag; empty: any.
        missing_ok : bool
            Accepts that there is no such scene.
        timeout : float, optional
            Seconds.

        Raises
        ------
        Aborted
            `etag` is given, and the scene has another one.
        NotFound
            There is no such scene, and `missing_ok` is false.
        """
        try:
            self._run(ops.delete(name, etag), timeout)
        except NotFound:
            if not missing_ok:
                raise

    def watch(
        self, name: str, *, from_revision: int = 0, etag: str = "", reopen_within: float = 30.0
    ) -> SceneWatch:
        """Follows a scene without waiting; `next` of the watch returns news.

        Parameters
        ----------
        name : str
            The name.
        from_revision : int
            The caller's revision; 0: none, and the first news is a reload.
        etag : str
            The etag of that revision. It detects another scene that has taken the name.
        reopen_within : float
            Seconds for which a broken stream is opened again.

        Returns
        -------
        SceneWatch
            The watch.
        """
        self._guard.check()
        state = WatchState(name, from_revision, etag, reopen_within)
        return SceneWatch(self._channel, self._guard, self._options, state)

    def ask(self, setting: SceneSetting, batch: SceneRows[T], *, timeout: float | None = None) -> T:
        """Asks one batch in one message.

        Parameters
        ----------
        setting : SceneSetting
            The scene, shapes, query bodies and rules. Overlaps and rays have no query bodies, rays
            no shapes.
        batch : SceneRows
            A batch of any kind about scenes.
        timeout : float, optional
            Seconds.

        Returns
        -------
        SceneRowsResult
            The result of the batch's kind, in its broadcast shape.

        Raises
        ------
        ResourceExhausted
            The batch is above the server's limits. A Session splits it.
        """
        operation = ops.query(setting, batch, self._options.max_receive_bytes)
        return self._run(operation, timeout)

    @asks_about(CheckBatch)
    def check(self, setting: SceneSetting, batch: CheckBatch) -> CheckResult:
        """Asks whether query bodies touch anything, one configuration a row.

        Parameters
        ----------
        setting : SceneSetting
            The scene, shapes, query bodies and rules.
        """
        return self.ask(setting, batch)

    @asks_about(MinimumDistanceBatch)
    def minimum_distance(
        self, setting: SceneSetting, batch: MinimumDistanceBatch
    ) -> MinimumDistanceResult:
        """Asks for the smallest distance of query bodies, one configuration a row.

        Parameters
        ----------
        setting : SceneSetting
            The scene, shapes, query bodies and rules.
        """
        return self.ask(setting, batch)

    @asks_about(NearestBatch)
    def nearest(self, setting: SceneSetting, batch: NearestBatch) -> NearestResult:
        """Asks for the nearest pairs with query bodies, one configuration a row.

        Parameters
        ----------
        setting : SceneSetting
            The scene, shapes, query bodies and rules.
        """
        return self.ask(setting, batch)

    @asks_about(OverlapBatch)
    def overlap(self, setting: SceneSetting, batch: OverlapBatch) -> OverlapResult:
        """Asks which bodies of a scene touch a shape.

        Parameters
        ----------
        setting : SceneSetting
            The scene, shapes, query bodies and rules.
        """
        return self.ask(setting, batch)

    @asks_about(SweepBatch)
    def sweep(self, setting: SceneSetting, batch: SweepBatch) -> SweepResult:
        """Asks when query bodies first touch, each on its own screw from t = 0 to 1.

        The links of an arm whose joints move take another path: use
        `joint_motion.prove_joint_motions` for them.

        Parameters
        ----------
        setting : SceneSetting
            The scene, shapes, query bodies and rules.
        """
        return self.ask(setting, batch)

    @asks_about(RayBatch)
    def ray(self, setting: SceneSetting, batch: RayBatch) -> SweepResult:
        """Asks what a moving point, or a moving ball, hits.

        Parameters
        ----------
        setting : SceneSetting
            The scene, shapes, query bodies and rules.
        """
        return self.ask(setting, batch)


class SceneWatch:
    """A watch of a scene, made by `Scenes.watch`.

    One thread may wait for news while others cancel. Iteration ends after the news of the scene's
    end. As a context manager it is cancelled at the end of the block."""

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
        """Waits for the next news and returns it.

        The first news comes at once: an empty change, unless a newer revision exists. If the stream
        ends with UNAVAILABLE or CANCELLED, another one continues at the last news: none is repeated
        or lost.

        Returns
        -------
        SceneNews
            The news.

        Raises
        ------
        SessionEnded
            The scene's end was told.
        Cancelled
            The watch was cancelled.
        NotFound
            The scene ended while the stream was broken.
        """
        self._guard.check()
        while self._state.end is None:
            news = self._read()
            if news is not None:
                return news
        raise self._state.end

    def cancel(self) -> None:
        """Cancels the watch: `next` raises Cancelled after the news that have arrived."""
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
        """Returns the stream; None if there is to be none."""
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
