# SPDX-License-Identifier: Apache-2.0
"""The unary calls: their requests, and how their answers are read.

Threads and coroutines share them."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Generic, Sequence, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from clearance import _decode, _schema
from clearance._encode import Layout, fill_batch, fill_reference, fill_shape
from clearance._kinds import KINDS
from clearance.batches import BatchRows, PairRows
from clearance.errors import ErrorDetail, ProtocolError, detail_from, invalid
from clearance.poses import PosesLike, as_poses
from clearance.results import PairDistance, State, UndecidedReason
from clearance.shapes import ByDigest, ByName, Shape, ShapeInfo, ShapeReference

T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """The limits of the server; each has a flag of the same name.

    Attributes
    ----------
    max_request_bytes : int
        Bytes of one request message. A larger one is refused alone with RESOURCE_EXHAUSTED, and a
        session continues.
    max_transport_bytes : int
        Bytes of one message in the transport. A larger one ends the stream with RESOURCE_EXHAUSTED.
    max_reply_bytes : int
        Bytes of one reply message, whatever the client accepts.
    max_batch_rows : int
        Rows of one batch.
    max_batch_hulls : int
        Items of one `register_hulls`.
    max_shape_vertices : int
        Points of one shape; a compound counts those of all pieces.
    max_shapes : int
        Shapes in the registry.
    max_registry_bytes : int
        Bytes of all shapes in the registry together.
    max_slots_per_session : int
        Slots of one session, and shapes of one unary call.
    max_sessions : int
        Sessions of the whole server.
    max_messages_in_flight : int
        Messages of one session that are read and not yet answered: 1 or 2.
    max_bytes_in_flight : int
        Bytes of one session read and not yet answered.
    max_session_shape_bytes : int
        Bytes of all inline shapes that one session holds.
    max_pieces_per_shape : int
        Pieces of one compound.
    max_scenes : int
        Scenes of the whole server.
    max_scene_bodies : int
        Bodies of one scene.
    max_scene_rules : int
        Rules of pairs of one scene.
    max_scene_revisions : int
        Revisions of one scene that can be asked for, the newest included.
    max_scene_bytes : int
        Bytes of all scenes and their revisions together, about.
    max_session_scenes : int
        Slots of scenes of one session.
    max_session_bodies : int
        Query bodies of one session.
    max_session_rules : int
        Rules of pairs that one session adds.
    max_row_pairs : int
        Pairs that a row of a question about a scene may list.
    max_tracks : int
        Tracks of the whole server.
    max_caller_tracks : int
        Tracks of one principal, or of one address without authentication.
    max_track_ticks : int
        Ticks of one track that can be asked for.
    max_track_bodies : int
        Bodies of one tick.
    max_watches : int
        Watches of scenes of the whole server.
    max_caller_watches : int
        Watches of one principal, or of one address without authentication.
    max_row_steps : int
        Steps of one row. A row that needs more is UNDECIDED with the reason WORK. The distance of
        two small convex shapes is one step, and that of large shapes is more. A motion takes at
        least one step for each distance that it needs.
    """

    max_request_bytes: int = 0
    max_transport_bytes: int = 0
    max_reply_bytes: int = 0
    max_batch_rows: int = 0
    max_batch_hulls: int = 0
    max_shape_vertices: int = 0
    max_shapes: int = 0
    max_registry_bytes: int = 0
    max_slots_per_session: int = 0
    max_sessions: int = 0
    max_messages_in_flight: int = 0
    max_bytes_in_flight: int = 0
    max_session_shape_bytes: int = 0
    max_pieces_per_shape: int = 0
    max_scenes: int = 0
    max_scene_bodies: int = 0
    max_scene_rules: int = 0
    max_scene_revisions: int = 0
    max_scene_bytes: int = 0
    max_session_scenes: int = 0
    max_session_bodies: int = 0
    max_session_rules: int = 0
    max_row_pairs: int = 0
    max_tracks: int = 0
    max_caller_tracks: int = 0
    max_track_ticks: int = 0
    max_track_bodies: int = 0
    max_watches: int = 0
    max_caller_watches: int = 0
    max_row_steps: int = 0


@dataclass(frozen=True)
class Tolerances:
    """The numbers behind TOUCHING, HIT and UNDECIDED.

    Attributes
    ----------
    relative, rounding : float
        The tolerance is `max(relative * S, rounding * 2**-53 * (S + abs(d)))`, metres. S is the sum
        of both bounding radii about the centres of the shapes, d the distance.
    max_iterations : int
        Iterations of one distance computation before UNDECIDED.
    max_motion_steps : int
        Distance computations of one time of collision before UNDECIDED.
    max_rotation : float
        Largest rotation of one motion, radians.
    quaternion_slack : float
        Largest difference of a quaternion's length from 1.
    """

    relative: float = 0.0
    rounding: float = 0.0
    max_iterations: int = 0
    max_motion_steps: int = 0
    max_rotation: float = 0.0
    quaternion_slack: float = 0.0


@dataclass(frozen=True)
class ServerInfo:
    """A server's version, limits and tolerances.

    Attributes
    ----------
    version : str
        The semantic version.
    limits : Limits
        The limits.
    tolerances : Tolerances
        The tolerances.
    revision : int
        The registry's revision.
    server_time : datetime or None
        The time by the server's clock.
    """

    version: str
    limits: Limits
    tolerances: Tolerances
    revision: int
    server_time: datetime | None = None


@dataclass(frozen=True)
class Registration:
    """A registered shape.

    Attributes
    ----------
    info : ShapeInfo
        Facts about the shape.
    revision : int
        The registry's revision.
    created : bool
        False if the name had the same content already.
    """

    info: ShapeInfo
    revision: int
    created: bool


@dataclass(frozen=True)
class BatchRegistration:
    """Hulls that were registered in one message.

    Attributes
    ----------
    digests : tuple of str
        A digest for each hull, empty for a refused one.
    errors : tuple of ErrorDetail
        The refused hulls, by index.
    revision : int
        The registry's revision.
    """

    digests: tuple[str, ...]
    errors: tuple[ErrorDetail, ...]
    revision: int


@dataclass(frozen=True)
class FoundShape:
    """A registered shape.

    Attributes
    ----------
    info : ShapeInfo
        Facts about the shape.
    content : Shape or None
        The shape itself. None: it was not asked for.
    revision : int
        The registry's revision.
    """

    info: ShapeInfo
    content: Shape | None
    revision: int


@dataclass(frozen=True)
class ShapePage:
    """A page of the registered shapes.

    Attributes
    ----------
    shapes : tuple of ShapeInfo
        Facts about the shapes.
    next_page_token : str
        The token of the next page; empty after the last one.
    revision : int
        The registry's revision.
    """

    shapes: tuple[ShapeInfo, ...]
    next_page_token: str
    revision: int


@dataclass(frozen=True)
class Operation(Generic[T]):
    """One unary call. `is_repeatable`: to do it twice has the effect of once."""

    path: str
    request: bytes
    parse: Callable[[bytes], T]
    is_repeatable: bool = True


def make_operation(
    service: str,
    method: str,
    request: Any,
    make: Callable[[Any], T],
    is_repeatable: bool = True,
    response: str = "",
) -> Operation[T]:
    kind = _schema.message(response or f"{method}Response")
    return Operation(
        f"/clearance.v1.{service}/{method}",
        request.SerializeToString(),
        lambda raw: make(kind.FromString(raw)),
        is_repeatable,
    )


def _mirror(kind: Any, message: Any) -> Any:
    return kind(**{item.name: getattr(message, item.name) for item in fields(kind)})


def _time(message: Any) -> datetime:
    whole = datetime.fromtimestamp(message.seconds, timezone.utc)
    return whole + timedelta(microseconds=message.nanos // 1000)


def server_info() -> Operation[ServerInfo]:
    def make(response: Any) -> ServerInfo:
        return ServerInfo(
            response.version,
            _mirror(Limits, response.limits),
            _mirror(Tolerances, response.tolerances),
            response.revision,
            _time(response.server_time) if response.HasField("server_time") else None,
        )

    request = _schema.message("GetServerInfoRequest")()
    return make_operation("ServerService", "GetServerInfo", request, make)


def register(
    name: str, shape: Shape, replace: bool, validate_only: bool
) -> Operation[Registration]:
    request = _schema.message("RegisterShapeRequest")(
        name=name, replace=replace, validate_only=validate_only
    )
    fill_shape(shape, request.shape)

    def make(response: Any) -> Registration:
        info = _decode.shape_info(response.info)
        return Registration(info, response.revision, response.created)

    return make_operation("ShapeService", "RegisterShape", request, make)


def register_hulls(
    names: Sequence[str],
    hulls: Sequence[ArrayLike],
    swept_sphere_radii: ArrayLike | None,
    replace: bool,
) -> Operation[BatchRegistration]:
    if len(names) != len(hulls):
        raise invalid("hulls", len(hulls), f"as many as names: {len(names)}")
    arrays = [np.asarray(hull, "<f8") for hull in hulls]
    for i, array in enumerate(arrays):
        if array.ndim != 2 or array.shape[1] != 3:
            raise invalid(f"hulls[{i}]", f"an array of shape {array.shape}", "of shape (n, 3)")
    request = _schema.message("BatchRegisterHullsRequest")(names=names, replace=replace)
    request.vertex_counts = np.array([len(array) for array in arrays], "<u4").tobytes()
    request.vertices = b"".join(array.tobytes() for array in arrays)
    if swept_sphere_radii is not None:
        request.swept_sphere_radii = np.asarray(swept_sphere_radii, "<f8").tobytes()

    def make(response: Any) -> BatchRegistration:
        errors = tuple(detail_from(error) for error in response.errors)
        return BatchRegistration(tuple(response.digests), errors, response.revision)

    return make_operation("ShapeService", "BatchRegisterHulls", request, make)


def get(key: ByName | ByDigest | str, include_content: bool) -> Operation[FoundShape]:
    request = _schema.message("GetShapeRequest")(include_content=include_content)
    if isinstance(key, ByDigest):
        request.digest = key.digest
    else:
        request.name = key if isinstance(key, str) else key.name

    def make(response: Any) -> FoundShape:
        content = _decode.shape(response.shape) if response.HasField("shape") else None
        return FoundShape(_decode.shape_info(response.info), content, response.revision)

    return make_operation("ShapeService", "GetShape", request, make)


def list_page(prefix: str, page_size: int, page_token: str) -> Operation[ShapePage]:
    request = _schema.message("ListShapesRequest")(
        prefix=prefix, page_size=page_size, page_token=page_token
    )

    def make(response: Any) -> ShapePage:
        shapes = tuple(_decode.shape_info(info) for info in response.shapes)
        return ShapePage(shapes, response.next_page_token, response.revision)

    return make_operation("ShapeService", "ListShapes", request, make)


def delete(name: str, etag: str) -> Operation[int]:
    request = _schema.message("DeleteShapeRequest")(name=name, etag=etag)
    return make_operation(
        "ShapeService", "DeleteShape", request, lambda response: response.revision, False
    )


def _fill_posed(shape: ShapeReference, pose: PosesLike, name: str, message: Any) -> None:
    array = as_poses(pose, name)
    if array.shape != (7,):
        raise invalid(name, f"an array of shape {array.shape}", "of shape (7,)")
    fill_reference(shape, message.shape)
    translation, rotation = message.pose.translation, message.pose.rotation
    translation.x, translation.y, translation.z = array[:3]
    rotation.x, rotation.y, rotation.z, rotation.w = array[3:]


def pair_distance(
    a: tuple[ShapeReference, PosesLike], b: tuple[ShapeReference, PosesLike]
) -> Operation[PairDistance]:
    request = _schema.message("PairDistanceRequest")()
    _fill_posed(*a, "pose_a", request.a)
    _fill_posed(*b, "pose_b", request.b)

    def vector(response: Any, name: str) -> np.ndarray | None:
        found = getattr(response, name)
        return np.array([found.x, found.y, found.z]) if response.HasField(name) else None

    def make(response: Any) -> PairDistance:
        return PairDistance(
            _decode.known(State, response.state),
            response.intersects,
            response.distance if response.HasField("distance") else math.nan,
            response.lower_bound,
            response.upper_bound,
            vector(response, "point_a"),
            vector(response, "point_b"),
            vector(response, "normal"),
            _decode.known(UndecidedReason, response.undecided_reason),
            response.revision,
        )

    return make_operation("QueryService", "PairDistance", request, make)


def query(
    shapes: Sequence[ShapeReference], batch: PairRows[T], min_revision: int, max_reply_bytes: int
) -> Operation[T]:
    layout = Layout.of(batch)
    request = request_of(batch)(min_revision=min_revision)
    for reference in shapes:
        fill_reference(reference, request.shapes.add())
    return make_query("QueryService", batch, layout, max_reply_bytes, request)


def request_of(batch: BatchRows[Any]) -> Any:
    """Returns the class of the request that asks a batch."""
    return _schema.message(f"{KINDS[type(batch)].method}Request")


def make_query(
    service: str, batch: BatchRows[T], layout: Layout, max_reply_bytes: int, request: Any
) -> Operation[T]:
    """Returns the call that asks a batch. Requires: the request has all else."""
    kind = KINDS[type(batch)]
    fill_batch(batch, layout, (0, layout.count), max_reply_bytes, request.batch)

    def make(response: Any) -> T:
        if response.result.count != layout.count:
            raise ProtocolError(f"{response.result.count} rows answer {layout.count}")
        collector = _decode.RowCollector(kind.name, layout.shape)
        collector.add(response.result, 0)
        return cast(T, collector.result())

    return make_operation(service, kind.method, request, make)
