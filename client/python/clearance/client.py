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
from types import TracebackType
from typing import Sequence, TypeVar

import grpc
from numpy.typing import ArrayLike

from clearance import _operations as ops
from clearance._connection import (
    Backoff,
    ClientOptions,
    ProcessGuard,
    Reconnecting,
    SessionOptions,
    TlsOptions,
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
from clearance._fields import asks_about, configured, configured_at
from clearance._operations import (
    BatchRegistration,
    FoundShape,
    Limits,
    Registration,
    ServerInfo,
    ShapePage,
    Tolerances,
)
from clearance._scene_client import Scenes
from clearance._session_state import SessionState
from clearance.batches import DistanceBatch, IntersectionBatch, PairRows, TimeOfCollisionBatch
from clearance.errors import ClearanceError, DeadlineExceeded, NotFound, Unavailable, from_rpc_error
from clearance.poses import PosesLike
from clearance.results import (
    DistanceResult,
    IntersectionResult,
    PairDistance,
    TimeOfCollisionResult,
)
from clearance.session import Session
from clearance.shapes import ByDigest, ByName, Shape, ShapeInfo, ShapeReference

__all__ = [
    "BatchRegistration",
    "Client",
    "ClientOptions",
    "FoundShape",
    "Limits",
    "Registration",
    "ServerInfo",
    "ShapePage",
    "TlsOptions",
    "Tolerances",
    "connect",
]

T = TypeVar("T")
_LARGEST_PAGE = 1000


@configured_at(ClientOptions)
def connect(address: str | Sequence[str], options: ClientOptions) -> Client:
    """Connects to a server and asks for its limits and version.

    It fails at once if no server is there. With `wait=10` it waits up to ten seconds for one.

    Parameters
    ----------
    address : str or sequence of str
        An address of gRPC ("host:port", "dns:///name:port", "unix:/path"), or a list of servers
        ("a:port,b:port" or ["a:port", "b:port"]). A missing port is 50051. Calls and sessions take
        the servers in turn and move on if one fails. Names of a list are resolved once, here; those
        that cannot be are left out. A dns: name is resolved again as servers come and go. With TLS,
        a list of different hosts needs `server_name`.
    options : ClientOptions, optional
        The options; the keywords below replace fields of it.

    Returns
    -------
    Client
        The connection.

    Raises
    ------
    Unavailable
        No server answers; the message has the reason.
    VersionError
        The server has another major version.
    FailedPrecondition
        A token would be sent to another machine in plain text.
    """
    return Client(joined(address), options)


class Client:
    """A connection to a server. Thread-safe.

    Calls block until their answer or their deadline. With ClientOptions.retry they outlast a
    restart of the server. `timeout` of a call (seconds) replaces the client's. Errors are those of
    `errors`, with the server's field and limit. As a context manager it closes the connection. A
    process that forks must connect again in the child (ForkError).

    Parameters
    ----------
    address : str
        The address, as `connect` takes it.
    options : ClientOptions
        The options.
    """

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
    def limits(self) -> Limits:
        """The limits of the server when the connection was made."""
        return self._limits

    @property
    def scenes(self) -> Scenes:
        """The server's scenes, and questions about them."""
        return self._scenes

    def server_info(self, timeout: float | None = None) -> ServerInfo:
        """Asks for the server's version, limits and tolerances.

        Parameters
        ----------
        timeout : float, optional
            Seconds.

        Returns
        -------
        ServerInfo
            The answer.
        """
        return self._run(ops.server_info(), timeout)

    def register(
        self,
        name: str,
        shape: Shape,
        *,
        replace: bool = False,
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> Registration:
        """Registers a shape under a name.

        It is idempotent.

        Parameters
        ----------
        name : str
            The name, such as "robot/gripper".
        shape : Shape
            The shape.
        replace : bool
            Replaces other content of the name.
        validate_only : bool
            Checks the shape and changes nothing.
        timeout : float, optional
            Seconds.

        Returns
        -------
        Registration
            Facts about the shape.

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
        swept_sphere_radii: ArrayLike | None = None,
        replace: bool = False,
        timeout: float | None = None,
    ) -> BatchRegistration:
        """Registers many hulls in one message.

        Parameters
        ----------
        names : sequence of str
            One name a hull.
        hulls : sequence of array_like
            Points (n, 3) of each hull, metres.
        swept_sphere_radii : array_like, optional
            Spherical extension, metres: one for all, or one a hull.
        replace : bool
            Replaces other content of the names.
        timeout : float, optional
            Seconds.

        Returns
        -------
        BatchRegistration
            A digest for each hull, and the refused hulls.
        """
        return self._run(ops.register_hulls(names, hulls, swept_sphere_radii, replace), timeout)

    def get(
        self,
        key: ByName | ByDigest | str,
        *,
        include_content: bool = False,
        timeout: float | None = None,
    ) -> FoundShape:
        """Returns one shape.

        Parameters
        ----------
        key : ByName, ByDigest or str
            The shape; a str is a name.
        include_content : bool
            Also returns the shape itself.
        timeout : float, optional
            Seconds.

        Returns
        -------
        FoundShape
            The shape.

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
    ) -> ShapePage:
        """Returns one page of the registered shapes, in the order of their names.

        Parameters
        ----------
        prefix : str
            The beginning of the names.
        page_size : int
            The largest number of shapes. 0: the server's.
        page_token : str
            `next_page_token` of the page before; empty: the first page.
        timeout : float, optional
            Seconds.

        Returns
        -------
        ShapePage
            The page.
        """
        return self._run(ops.list_page(prefix, page_size, page_token), timeout)

    def list(self, prefix: str = "", *, timeout: float | None = None) -> list[ShapeInfo]:
        """Returns all registered shapes, in the order of their names.

        Parameters
        ----------
        prefix : str
            The beginning of the names.
        timeout : float, optional
            Seconds for each page.

        Returns
        -------
        list of ShapeInfo
            Facts about the shapes.
        """
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
        etag: str = "",
        missing_ok: bool = False,
        timeout: float | None = None,
    ) -> int:
        """Removes a name from the registry.

        It is never repeated: after Unavailable it may have been done.

        Parameters
        ----------
        name : str
            The name.
        etag : str
            Removes only this content; empty: any.
        missing_ok : bool
            Accepts that there is no such name.
        timeout : float, optional
            Seconds.

        Returns
        -------
        int
            The registry's revision; 0 if there was no such name.

        Raises
        ------
        NotFound
            There is no such name, and `missing_ok` is false.
        """
        try:
            return self._run(ops.delete(name, etag), timeout)
        except NotFound:
            if not missing_ok:
                raise
            return 0

    def ask(
        self,
        shapes: Sequence[ShapeReference],
        batch: PairRows[T],
        *,
        min_revision: int = 0,
        timeout: float | None = None,
    ) -> T:
        """Asks one batch in one message.

        Parameters
        ----------
        shapes : sequence of ShapeReference
            The table of shapes: slot i is shapes[i].
        batch : DistanceBatch, IntersectionBatch or TimeOfCollisionBatch
            The questions.
        min_revision : int
            Answers only with the registry at this revision or a later one.
        timeout : float, optional
            Seconds.

        Returns
        -------
        DistanceResult, IntersectionResult or TimeOfCollisionResult
            The answers, in the batch's broadcast shape.

        Raises
        ------
        ResourceExhausted
            The batch is above the server's limits. A Session splits it.
        """
        operation = ops.query(shapes, batch, min_revision, self._options.max_receive_bytes)
        return self._run(operation, timeout)

    def pair_distance(
        self,
        shape_a: ShapeReference,
        pose_a: PosesLike,
        shape_b: ShapeReference,
        pose_b: PosesLike,
        *,
        timeout: float | None = None,
    ) -> PairDistance:
        """Asks for the distance of two shapes: one question, one answer.

        Parameters
        ----------
        shape_a, shape_b : ShapeReference
            The shapes; a str is a registered name.
        pose_a, pose_b : poses_like
            Their poses in the world: (7,) as x y z qx qy qz qw, (4, 4), or an object.
        timeout : float, optional
            Seconds to wait for the answer.

        Returns
        -------
        PairDistance
            The answer.
        """
        operation = ops.pair_distance((shape_a, pose_a), (shape_b, pose_b))
        return self._run(operation, timeout)

    @asks_about(DistanceBatch)
    def distance(self, shapes: Sequence[ShapeReference], batch: DistanceBatch) -> DistanceResult:
        """Asks how far apart pairs of shapes are, in one message.

        Parameters
        ----------
        shapes : sequence of ShapeReference
            The table of shapes: slot i is shapes[i].
        """
        return self.ask(shapes, batch)

    @asks_about(IntersectionBatch)
    def intersection(
        self, shapes: Sequence[ShapeReference], batch: IntersectionBatch
    ) -> IntersectionResult:
        """Asks whether pairs of shapes touch, in one message.

        Parameters
        ----------
        shapes : sequence of ShapeReference
            The table of shapes: slot i is shapes[i].
        """
        return self.ask(shapes, batch)

    @asks_about(TimeOfCollisionBatch)
    def time_of_collision(
        self, shapes: Sequence[ShapeReference], batch: TimeOfCollisionBatch
    ) -> TimeOfCollisionResult:
        """Asks when moving pairs of shapes first meet, in t from 0 to 1, in one message.

        Parameters
        ----------
        shapes : sequence of ShapeReference
            The table of shapes: slot i is shapes[i].
        """
        return self.ask(shapes, batch)

    @configured(SessionOptions)
    def open_session(self, options: SessionOptions) -> Session:
        """Opens a session without waiting.

        Parameters
        ----------
        options : SessionOptions, optional
            The options; the keywords below replace fields of it.

        Returns
        -------
        Session
            The session.
        """
        self._guard.check()
        state = SessionState(self._options, self._limits, options, self._has_several_servers)
        return Session(self._channel, self._guard, state)

    def _greet(self, address: str) -> ServerInfo:
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
