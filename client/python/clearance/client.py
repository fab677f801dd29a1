# SPDX-License-Identifier: Apache-2.0
"""A connection to a clearance server: the registry of shapes and occasional queries. For streams of
queries see `session`.

>>> client = clearance.connect(address)
>>> client.register("crate", clearance.Box((0.2, 0.2, 0.1))).created
True
>>> ball = clearance.Sphere(0.05)
>>> answer = client.distance(["crate", ball], poses_b=clearance.poses.pose([[1, 0, 0], [0.2, 0, 0]]))
>>> answer.distances
array([ 0.75, -0.05])
>>> answer.proved_free(margin=0.01)
array([ True, False])
>>> client.close()
"""

from __future__ import annotations

import time
from dataclasses import replace
from types import TracebackType
from typing import Any, Sequence, TypeVar, overload

import grpc
from numpy.typing import ArrayLike

from clearance import _operations as ops
from clearance._connection import (
    Backoff,
    ClientOptions,
    ProcessGuard,
    Reconnecting,
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
from clearance._session_state import SessionState
from clearance.batches import Batch, DistanceBatch, IntersectionBatch, TimeOfCollisionBatch
from clearance.errors import ClearanceError, DeadlineExceeded, NotFound, Unavailable, from_rpc_error
from clearance.results import DistanceResult, IntersectionResult, Result, TimeOfCollisionResult
from clearance.scene_client import Scenes
from clearance.session import Session
from clearance.shapes import ByDigest, ByName, Shape, ShapeInfo, ShapeReference

T = TypeVar("T")
_LARGEST_PAGE = 1000


def connect(
    address: str | Sequence[str], options: ClientOptions | None = None, **changes: Any
) -> Client:
    """Connects to a server and asks for its limits and version.

    Fails at once if no server is there. With `wait=10` it waits up to ten seconds for one.

    `address` is gRPC's: "host:port", "dns:///name:port", "unix:/path", "ipv4:a:p,b:p"; or a list of
    servers, "a:port,b:port" or ["a:port", "b:port"]. Calls and sessions go to all servers of a list,
    or of a name that has several addresses, in turn, and where one fails to the others. The names of
    a list are resolved here, once, and those that cannot be are left out; one name,
    "dns:///name:port", is resolved again as servers come and go. Over TLS a list of different hosts needs a server_name. Keywords are fields of
    ClientOptions. Raises Unavailable, with the reason, if no server answers,
    VersionError where it speaks of another major version, FailedPrecondition where a token would go
    to another machine in plain text.
    """
    return Client(joined(address), replace(options or ClientOptions(), **changes))


class Client:
    """Thread-safe; the calls block until their answer or their deadline, and with
    ClientOptions.retry outlast a server's restart. `timeout` of a call (seconds) replaces the
    client's. Errors are those of `errors`, with the server's field and limit. A context manager
    that closes the connection. Not usable in a process that was forked afterwards (ForkError)."""

    def __init__(self, address: str, options: ClientOptions) -> None:
        check_token(options, address)
        self._options = options
        self._guard = ProcessGuard()
        target = to_target(address, options)
        self._has_several_servers = target.may_be_several
        arguments = channel_arguments(target, options)
        secure = credentials(options)
        if secure is None:
            self._channel = grpc.insecure_channel(target.address, arguments)
        else:
            self._channel = grpc.secure_channel(target.address, secure, arguments)
        try:
            info = self._greet(address)
            self._guard.note_greeting()
            check_version(info.version)
        except BaseException:
            self._channel.close()
            raise
        self._limits = info.limits
        self._scenes = Scenes(self._channel, self._guard, options, self._run)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection; what is still running is cancelled."""
        self._channel.close()

    @property
    def limits(self) -> ops.Limits:
        """As the server told them when the connection was made."""
        return self._limits

    @property
    def scenes(self) -> Scenes:
        """The server's scenes, and questions about them."""
        return self._scenes

    def server_info(self, timeout: float | None = None) -> ops.ServerInfo:
        return self._run(ops.server_info(), timeout)

    def register(
        self,
        name: str,
        shape: Shape,
        *,
        replace: bool = False,
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> ops.Registration:
        """Registers a shape under a name. Idempotent; AlreadyExists where the name has other
        content, unless `replace`."""
        return self._run(ops.register(name, shape, replace, validate_only), timeout)

    def register_hulls(
        self,
        names: Sequence[str],
        hulls: Sequence[ArrayLike],
        *,
        radii: ArrayLike | None = None,
        replace: bool = False,
        timeout: float | None = None,
    ) -> ops.BatchRegistration:
        """Registers many hulls, (n, 3) arrays, in one message; `radii`: one for all or one each."""
        return self._run(ops.register_hulls(names, hulls, radii, replace), timeout)

    def get(
        self,
        key: ByName | ByDigest | str,
        *,
        include_content: bool = False,
        timeout: float | None = None,
    ) -> ops.FoundShape:
        """Shows one shape by name (a str is one) or digest; NotFound."""
        return self._run(ops.get(key, include_content), timeout)

    def list_page(
        self,
        prefix: str = "",
        *,
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> ops.ShapePage:
        return self._run(ops.list_page(prefix, page_size, page_token), timeout)

    def list(self, prefix: str = "", *, timeout: float | None = None) -> list[ShapeInfo]:
        """All pages one after another, each with the whole timeout."""
        page = self.list_page(prefix, page_size=_LARGEST_PAGE, timeout=timeout)
        shapes = [*page.shapes]
        while page.next_page_token:
            page = self.list_page(
                prefix,
                page_size=_LARGEST_PAGE,
                page_token=page.next_page_token,
                timeout=timeout,
            )
            shapes += page.shapes
        return shapes

    def delete(
        self,
        name: str,
        *,
        expected_digest: str = "",
        missing_ok: bool = False,
        timeout: float | None = None,
    ) -> int:
        """Takes a name out of the registry and returns its revision. Never repeated by itself:
        after Unavailable it may be done or not.

        Raises NotFound if there is no such name, unless `missing_ok`: returns 0 then.
        """
        try:
            return self._run(ops.delete(name, expected_digest), timeout)
        except NotFound:
            if not missing_ok:
                raise
            return 0

    @overload
    def ask(
        self,
        shapes: Sequence[ShapeReference],
        batch: DistanceBatch,
        *,
        min_revision: int = 0,
        timeout: float | None = None,
    ) -> DistanceResult:
        ...

    @overload
    def ask(
        self,
        shapes: Sequence[ShapeReference],
        batch: IntersectionBatch,
        *,
        min_revision: int = 0,
        timeout: float | None = None,
    ) -> IntersectionResult:
        ...

    @overload
    def ask(
        self,
        shapes: Sequence[ShapeReference],
        batch: TimeOfCollisionBatch,
        *,
        min_revision: int = 0,
        timeout: float | None = None,
    ) -> TimeOfCollisionResult:
        ...

    def ask(
        self,
        shapes: Sequence[ShapeReference],
        batch: Batch,
        *,
        min_revision: int = 0,
        timeout: float | None = None,
    ) -> Result:
        """One message: slot i is shapes[i]. A batch beyond the server's limits is refused
        (ResourceExhausted); a Session splits it."""
        operation = ops.query(shapes, batch, min_revision, self._options.max_receive_bytes)
        return self._run(operation, timeout)

    def distance(self, shapes: Sequence[ShapeReference], **columns: Any) -> DistanceResult:
        """`ask` with a DistanceBatch of these columns."""
        return self.ask(shapes, DistanceBatch(**columns))

    def intersection(self, shapes: Sequence[ShapeReference], **columns: Any) -> IntersectionResult:
        """`ask` with an IntersectionBatch of these columns."""
        return self.ask(shapes, IntersectionBatch(**columns))

    def time_of_collision(
        self, shapes: Sequence[ShapeReference], **columns: Any
    ) -> TimeOfCollisionResult:
        """`ask` with a TimeOfCollisionBatch of these columns."""
        return self.ask(shapes, TimeOfCollisionBatch(**columns))

    def open_session(self, options: SessionOptions | None = None, **changes: Any) -> Session:
        """Never waits. Keywords are fields of SessionOptions."""
        self._guard.check()
        chosen = replace(options or SessionOptions(), **changes)
        state = SessionState(self._options, self._limits, chosen, self._has_several_servers)
        return Session(self._channel, self._guard, state)

    def _greet(self, address: str) -> ops.ServerInfo:
        backoff = Backoff(self._options.wait)
        reconnecting = Reconnecting(self._channel)
        try:
            while True:
                try:
                    return self._once(ops.server_info(), self._options.timeout)
                except (Unavailable, DeadlineExceeded) as error:
                    pause = backoff.after_failure()
                    if pause is None:
                        raise unreachable(error, address) from None
                    reconnecting.start()
                    time.sleep(pause)
        finally:
            reconnecting.stop()

    def _run(self, operation: ops.Operation[T], timeout: float | None) -> T:
        self._guard.check()
        timeout = self._options.timeout if timeout is None else timeout
        deadline = time.monotonic() + timeout
        backoff = Backoff(timeout)
        reconnecting = Reconnecting(self._channel)
        try:
            while True:
                try:
                    left = max(deadline - time.monotonic(), 0.001)
                    return self._once(operation, left)
                except ClearanceError as error:
                    may_repeat = operation.is_repeatable and self._options.retry
                    if not may_repeat or not is_worth_repeating(error.code):
                        raise
                    wait = backoff.after_failure()
                    if wait is None:
                        raise
                    reconnecting.start()
                    time.sleep(wait)
        finally:
            reconnecting.stop()

    def _once(self, operation: ops.Operation[T], timeout: float) -> T:
        method = self._channel.unary_unary(operation.path)
        try:
            raw = method(
                operation.request,
                timeout=timeout,
                metadata=metadata(self._options.token),
            )
        except grpc.RpcError as error:
            raise from_rpc_error(error) from None
        return operation.parse(raw)
