# SPDX-License-Identifier: Apache-2.0
"""The common part of the sessions of threads and of asyncio: everything but the waiting."""

from __future__ import annotations

import time
from collections import deque

import grpc

from clearance._connection import (
    Backoff,
    ClientOptions,
    SessionOptions,
    is_worth_repeating,
    metadata,
)
from clearance._messages import Answer, SessionMessage, TrackMessage
from clearance._operations import Limits
from clearance._session_log import Pending, Progress, Reply, SessionLog
from clearance.errors import (
    Cancelled,
    ClearanceError,
    DeadlineExceeded,
    FailedPrecondition,
    SessionEnded,
)

METHOD = "/clearance.v1.QueryService/Session"


class SessionState:
    """The state of a session. Thread-compatible."""

    def __init__(
        self,
        client: ClientOptions,
        limits: Limits,
        options: SessionOptions,
        has_several_servers: bool,
    ) -> None:
        self.log = SessionLog(limits, client, has_several_servers)
        self.backoff = Backoff(options.reopen_within)
        self.metadata = metadata(client.token, options.request_id, options.traceparent)
        self.owed: deque[Pending] = deque()
        self.stream: object | None = None  # which stream is open; None: none
        self.is_answering = False  # the stream has answered something
        self.is_finishing = False
        self.is_cancelled = False
        self.why_cancelled: ClearanceError = Cancelled("the session was cancelled")
        self.has_ended = False
        self._options = options
        self._deadline = None if options.timeout is None else time.monotonic() + options.timeout
        self._error: ClearanceError | None = None
        self._streams = 0

    def time_left(self) -> float | None:
        """Returns the seconds left of the whole session; None: no limit."""
        return None if self._deadline is None else max(self._deadline - time.monotonic(), 0.0)

    def start_stream(self) -> object:
        self._streams += 1
        self.is_answering = False
        self.log.restart()
        self.stream = object()
        return self.stream

    def check_open(self) -> None:
        """Raises the error that every call of an ended session raises."""
        if self.has_ended:
            raise self.end_error()
        if self.is_finishing:
            raise FailedPrecondition("the session is finished", grpc.StatusCode.FAILED_PRECONDITION)

    def end_error(self) -> ClearanceError:
        return self._error or SessionEnded("the session has ended")

    @property
    def final_error(self) -> ClearanceError | None:
        """The session's error; None after a session that ended well."""
        return self._error

    def enter(self, message: SessionMessage | TrackMessage, tag: int, is_owed: bool) -> Pending:
        pending = self.log.enter(message, tag)
        if is_owed:
            self.owed.append(pending)
        return pending

    def has_room(self) -> bool:
        return self.log.unwritten < self._options.max_unwritten

    def deliver(self, raw: bytes, request_id: str) -> bool:
        """Takes a response. Returns True if it completes the answer to a message."""
        self.is_answering = True
        progress = self.log.deliver(raw, request_id)
        # Opening slots again is not a success yet: the messages after them may break every stream.
        if progress is not Progress.NOTHING:
            self.backoff.after_success()
        return progress is Progress.MESSAGE

    def may_go_on(self, error: ClearanceError | None) -> bool:
        """Returns whether another stream may follow one that ended with this error."""
        if error is None or error.code is None or not self._options.reopen or self.is_cancelled:
            return False
        # A server that has not noticed yet that a stream broke still counts it.
        is_crowded_out = (
            error.code is grpc.StatusCode.RESOURCE_EXHAUSTED
            and self._streams > 1
            and not self.is_answering
        )
        return is_crowded_out or is_worth_repeating(error.code)

    def is_missed(self) -> bool:
        """Returns whether a caller waits for a stream, or no longer wants one."""
        return self.is_cancelled or self.is_finishing or not self.log.is_settled

    def end(self, error: ClearanceError | None) -> None:
        if self.is_cancelled:
            error = self.why_cancelled
        elif self.is_finishing and self.log.is_settled and error and self.may_go_on(error):
            error = None  # the stream broke after the last answer
        self._error = error
        self.has_ended = True

    def take_owed(self) -> Reply | None:
        """Returns the earliest reply, if it is there. Requires: has one that is owed, or has
        not."""
        if self.owed and self.owed[0].reply is not None:
            return self.owed.popleft().reply
        if not self.owed and not self.has_ended:
            raise FailedPrecondition("nothing was sent that is not answered yet")
        return None


def answer_of(pending: Pending) -> Answer:
    """Returns the answer. Raises if the whole message was refused. Requires: it is answered."""
    reply = pending.reply
    assert reply is not None
    if reply.error is not None:
        raise reply.error
    assert reply.answer is not None
    return reply.answer


class Deadline:
    """The time when a call stops waiting, `timeout` seconds from now; None: never."""

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self._at = None if timeout is None else time.monotonic() + timeout

    def left(self) -> float | None:
        """Returns the seconds left, 0 if the time is over; None: no limit."""
        return None if self._at is None else max(self._at - time.monotonic(), 0.0)

    def no_answer(self) -> DeadlineExceeded:
        return DeadlineExceeded(f"no answer within {self._timeout} s; the session goes on")

    def no_room(self) -> DeadlineExceeded:
        return DeadlineExceeded(
            f"too many messages were not yet with the transport for {self._timeout} s: this one is "
            "not sent; the session goes on"
        )
