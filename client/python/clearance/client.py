# SPDX-License-Identifier: Apache-2.0
"""A connection to a clearance server, for the registry of shapes and single questions.

See `session` for streams of questions.

>>> client = clearance.connect(address)
>>> client.register("crate", clearance.Box((0.2, 0.2, 0.1))).created
True
>>> ball = clearance.Sphere(0.05)
>>> places = clearance.poses.pose([[1, 0, 0], [0.2, 0, 0]])
>>> answer = client.distance(["crate", ball], poses_b=places)
>>> answer.distances
array([ 0.75, -0.05])
>>> answer.proved_free(margin=0.01)
array([ True, False])
>>> client.close()"""

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

    It fails at once if no server is there. With `wait=10` it waits up to ten seconds for one.

    Parameters
    ----------
    address : str or sequence of str
        An address of gRPC ("host:port", "dns:///name:port", "unix:/path"), or a list of servers
        ("a:port,b:port" or ["a:port", "b:port"]). Calls and sessions take the servers in turn and
        move on if one fails. Names of a list are resolved once, here; those that cannot be are left
        out. A dns: name is resolved again as servers come and go. With TLS, a list of different
        hosts needs `server_name`.
    options : ClientOptions, optional
        The options; keywords are fields of it.

    Raises
    ------
    Unavailable
        No server answers; the message has the reason.
    VersionError
        The server has another major version.
    FailedPrecondition
        A token would be sent to another machine in plain text.
    """
    return Client(joined(address), replace(options or ClientOptions(), **changes))


class Client:
    """A connection to a server. Thread-safe.

    Calls block until their answer or their deadline. With ClientOptions.retry they outlast a
    restart of the server. `timeout` of a call (seconds) replaces the client's. Errors are those of
    `errors`, with the server's field and limit. As a context manager it closes the connection. A
    process that forks must connect again in the child (ForkError)."""

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
        """Ends the connection and cancels what is still running."""
        self._channel.close()

    @property
    def limits(self) -> ops.Limits:
        """The limits of the server when the connection was made."""
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
        """Registers a shape under a name.

        It is idempotent.

        Raises
        ------
        AlreadyExists
            The name has other content, and `replace` is false.
        """
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
        """Registers many hulls in one message.

        Parameters
        ----------
        names : sequence of str
            One name a hull.
        hulls : sequence of array_like
            Points (n, 3) of each hull, metres.
        radii : array_like, optional
            Spherical extension, metres: one for all, or one a hull.
        replace : bool
            Replaces other content of the names.
        timeout : float, optional
            Seconds.
        """
        return self._run(ops.register_hulls(names, hulls, radii, replace), timeout)

    def get(
        self,
        key: ByName | ByDigest | str,
        *,
        include_content: bool = False,
        timeout: float | None = None,
    ) -> ops.FoundShape:
        """Returns one shape by name (a str) or digest.

        Raises
        ------
        NotFound
            No such shape is registered.
        """
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
        """Returns the shapes of all pages; each page has the whole timeout."""
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
        """Removes a name from the registry and returns the registry's revision.

        It is never repeated: after Unavailable it may have been done.

        Raises
        ------
        NotFound
            There is no such name. With `missing_ok` the call returns 0 instead.
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
        """Asks one batch in one message: slot i is shapes[i].

        Raises
        ------
        ResourceExhausted
            The batch is above the server's limits. A Session splits it.
        """
        operation = ops.query(shapes, batch, min_revision, self._options.max_receive_bytes)
        return self._run(operation, timeout)

    def distance(self, shapes: Sequence[ShapeReference], **columns: Any) -> DistanceResult:
        """Asks a DistanceBatch of these columns and returns its answer."""
        return self.ask(shapes, DistanceBatch(**columns))

    def intersection(self, shapes: Sequence[ShapeReference], **columns: Any) -> IntersectionResult:
        """Asks an IntersectionBatch of these columns and returns its answer."""
        return self.ask(shapes, IntersectionBatch(**columns))

    def time_of_collision(
        self, shapes: Sequence[ShapeReference], **columns: Any
    ) -> TimeOfCollisionResult:
        """Asks a TimeOfCollisionBatch of these columns and returns its answer."""
        return self.ask(shapes, TimeOfCollisionBatch(**columns))

    def open_session(self, options: SessionOptions | None = None, **changes: Any) -> Session:
        """Opens a session without waiting; keywords are fields of SessionOptions."""
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
