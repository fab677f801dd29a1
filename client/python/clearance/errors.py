# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package: every one is a `ClearanceError`.

Those of calls carry gRPC's status code. If the server gave one, they also have an `ErrorDetail`
with the field, the value and the limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Sequence, cast

import grpc

__all__ = [
    "Aborted",
    "AlreadyExists",
    "Cancelled",
    "ClearanceError",
    "DeadlineExceeded",
    "ErrorDetail",
    "FailedPrecondition",
    "ForkError",
    "HollowWarning",
    "InvalidArgument",
    "NotFound",
    "PermissionDenied",
    "ProtocolError",
    "RefusedRows",
    "ResourceExhausted",
    "SessionEnded",
    "Unauthenticated",
    "Unavailable",
    "VersionError",
]

_ERROR_URL = "type.googleapis.com/clearance.v1.Error"
_DETAILS_KEY = "grpc-status-details-bin"


@dataclass(frozen=True)
class ErrorDetail:
    """One refusal.

    Attributes
    ----------
    index : int
        The refused row or item; 0 for a whole message.
    code : grpc.StatusCode
        The status code.
    field : str
        Path of the field.
    value : str
        The value that was sent.
    limit : str
        The allowed values.
    message : str
        Text for people: what is wrong and what to do.
    retry_after : float or None
        Seconds to wait before a repetition; None: unknown.
    reason : str
        The server's reason, a name that never changes (proto/reasons.md); empty if this package
        refused by itself.
    """

    index: int
    code: grpc.StatusCode
    field: str
    value: str
    limit: str
    message: str
    retry_after: float | None = None
    reason: str = ""


class ClearanceError(Exception):
    """Base class of all errors raised by clearance.

    Parameters
    ----------
    message : str
        Text for people: the fault, and what to do.
    code : grpc.StatusCode, optional
        The status code. None: that of the class, if it has one.
    detail : ErrorDetail, optional
        The refused field, if the server named one.
    request_id : str
        The name of the call in the server's log; empty if no server answered.
    """

    code: grpc.StatusCode | None = None

    def __init__(
        self,
        message: str,
        code: grpc.StatusCode | None = None,
        detail: ErrorDetail | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code if code is not None else type(self).code
        self.detail = detail
        self.request_id = request_id

    @property
    def field(self) -> str:
        """Path of the refused field; empty if unknown."""
        return self.detail.field if self.detail else ""

    @property
    def reason(self) -> str:
        """The server's reason, such as `SHAPE_NOT_REGISTERED`; empty if unknown."""
        return self.detail.reason if self.detail else ""

    @property
    def limit(self) -> str:
        """The allowed values of the field; empty if unknown."""
        return self.detail.limit if self.detail else ""

    def __str__(self) -> str:
        parts = [f"{self.code.name}: {self.message}" if self.code else self.message]
        if self.detail and self.detail.field:
            says_all = self.message == _rule(self.detail.field, self.detail.limit)
            facts = ("value",) if says_all else ("field", "value", "limit")
            found = ((name, getattr(self.detail, name)) for name in facts)
            parts += [f"{name} {text}" for name, text in found if text]
        if self.request_id:
            parts.append(f"request id {self.request_id}")
        if parts[1:]:
            parts[0] = parts[0].removesuffix(".")
        return "; ".join(parts)


class HollowWarning(UserWarning):
    """Warns that a mesh is not convex: queries see its convex hull, which fills its hollows."""


class InvalidArgument(ClearanceError, ValueError):
    """A message or value is malformed: correct it."""

    code = grpc.StatusCode.INVALID_ARGUMENT


class NotFound(ClearanceError, LookupError):
    """No such shape, scene or track."""

    code = grpc.StatusCode.NOT_FOUND


class AlreadyExists(ClearanceError):
    """The name has other content, or belongs to another caller."""

    code = grpc.StatusCode.ALREADY_EXISTS


class FailedPrecondition(ClearanceError):
    """The state does not allow the call; the message says what is missing."""

    code = grpc.StatusCode.FAILED_PRECONDITION


class ResourceExhausted(ClearanceError):
    """A limit was exceeded; `detail.retry_after` says when to repeat, if that helps."""

    code = grpc.StatusCode.RESOURCE_EXHAUSTED


class Aborted(ClearanceError):
    """A scene has changed since it was read: read it again."""

    code = grpc.StatusCode.ABORTED


class DeadlineExceeded(ClearanceError, TimeoutError):
    """The call's time is over."""

    code = grpc.StatusCode.DEADLINE_EXCEEDED


class Unavailable(ClearanceError):
    """The server drains, restarts or cannot be reached, for as long as was allowed."""

    code = grpc.StatusCode.UNAVAILABLE


class Cancelled(ClearanceError):
    """The call or session was cancelled."""

    code = grpc.StatusCode.CANCELLED


class PermissionDenied(ClearanceError):
    """The principal may not do this: ask the operator."""

    code = grpc.StatusCode.PERMISSION_DENIED


class Unauthenticated(ClearanceError):
    """The credentials are missing or unknown to the server."""

    code = grpc.StatusCode.UNAUTHENTICATED


class SessionEnded(ClearanceError):
    """The session has ended well."""

    code = grpc.StatusCode.OUT_OF_RANGE


class RefusedRows(ClearanceError):
    """Tells that rows of an answer were refused (`raise_for_refused`).

    Code and detail are those of the first.

    Parameters
    ----------
    errors : sequence of ErrorDetail
        One detail for each refused row.
    rows : int
        Number of rows of the answer.
    """

    def __init__(self, errors: Sequence[ErrorDetail], rows: int) -> None:
        first = errors[0]
        message = f"{len(errors)} of {rows} rows refused; row {first.index}: {first.message}"
        super().__init__(message, first.code, first)
        self.errors = tuple(errors)


class ProtocolError(ClearanceError):
    """The server's answer is not valid in clearance.v1."""

    code = grpc.StatusCode.INTERNAL


class VersionError(ClearanceError):
    """The server has another major version than this package."""


class ForkError(ClearanceError):
    """The process was forked after the connection was made.

    gRPC's threads and sockets do not survive a fork: connect again in the child. With
    multiprocessing, connect in its initializer, or use the start methods `spawn` and `forkserver`.
    """


_CLASSES = {
    kind.code: kind
    for kind in (
        InvalidArgument,
        NotFound,
        AlreadyExists,
        FailedPrecondition,
        ResourceExhausted,
        Aborted,
        DeadlineExceeded,
        Unavailable,
        Cancelled,
        PermissionDenied,
        Unauthenticated,
    )
}
_CODES = {code.value[0]: code for code in grpc.StatusCode}


def status_code(number: int) -> grpc.StatusCode:
    """Returns the status code of a number, or UNKNOWN."""
    return _CODES.get(number, grpc.StatusCode.UNKNOWN)


def _rule(field: str, limit: str) -> str:
    """Returns the message of an error of this package itself."""
    return f"{field} must be {limit}"


def invalid(field: str, value: object, limit: str) -> InvalidArgument:
    """Returns the error of a value that this package refuses itself, in the server's words."""
    text = str(value)[:64]
    detail = ErrorDetail(0, grpc.StatusCode.INVALID_ARGUMENT, field, text, limit, "")
    return InvalidArgument(_rule(field, limit), detail=detail)


def detail_from(error: Any) -> ErrorDetail:
    """Returns the detail of a message clearance.v1.Error."""
    retry_after = None
    if error.HasField("retry_after"):
        retry_after = error.retry_after.seconds + error.retry_after.nanos * 1e-9
    return ErrorDetail(
        error.index,
        status_code(error.code),
        error.field,
        error.value,
        error.limit,
        error.message,
        retry_after,
        error.reason,
    )


def from_status(status: Any, request_id: str = "") -> ClearanceError:
    """Returns the error of a message google.rpc.Status whose code is not OK."""
    from clearance import _schema

    detail = None
    for any_detail in status.details:
        if any_detail.type_url == _ERROR_URL:
            detail = detail_from(_schema.Error.FromString(any_detail.value))
    code = status_code(status.code)
    return _CLASSES.get(code, ClearanceError)(status.message, code, detail, request_id)


def _text(metadata: Iterable[Any] | None, key: str) -> Any:
    return next((value for name, value in metadata or () if name == key), "")


def request_id_of(metadata: Iterable[Any] | None) -> str:
    """Returns a call's id in the server's log, from its initial metadata."""
    return str(_text(metadata, "x-request-id"))


# Newer gRPC for asyncio says so of a stream that ended while it was written to, and never tells
# the stream's own status. A session that is opened again is told it by the next stream.
_WRITE_FAILED = "Internal error from Core"


def _is_cut_by_proxy(code: grpc.StatusCode, text: str) -> bool:
    """Returns whether a proxy cut the call because its server ended.

    Such a call has no status of ours. gRPC reports that differently in the midst of a reply
    (haproxy), or there is a reset that says "internal error" (nginx)."""
    if code is grpc.StatusCode.UNKNOWN:
        return (text or "").startswith(("No status received", "Stream removed"))
    is_reset = (text or "").startswith(("Received RST_STREAM", "Stream removed", _WRITE_FAILED))
    return code is grpc.StatusCode.INTERNAL and is_reset


def from_call(
    code: grpc.StatusCode,
    text: str,
    trailing: Iterable[Any] | None,
    request_id: str = "",
) -> ClearanceError:
    """Returns the error of a failed call, from what gRPC reports."""
    from google.protobuf.message import DecodeError

    from clearance import _schema

    if _is_cut_by_proxy(code, text):
        return Unavailable(f"the call was cut on its way: {text}", request_id=request_id)
    try:
        status = _schema.Status.FromString(_text(trailing, _DETAILS_KEY) or b"")
    except DecodeError:
        status = _schema.Status()
    status.code = code.value[0]
    status.message = text or ""
    return from_status(status, request_id)


def from_rpc_error(error: grpc.RpcError) -> ClearanceError:
    """Returns the error of a call without asyncio."""
    call = cast(grpc.Call, error)
    request_id = request_id_of(call.initial_metadata())
    return from_call(call.code(), call.details(), call.trailing_metadata(), request_id)


def from_aio_error(error: grpc.aio.AioRpcError) -> ClearanceError:
    """Returns the error of a call of asyncio."""
    request_id = request_id_of(error.initial_metadata())
    return from_call(error.code(), error.details() or "", error.trailing_metadata(), request_id)
