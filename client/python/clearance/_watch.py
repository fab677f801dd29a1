# SPDX-License-Identifier: Apache-2.0
"""The common part of the watches of threads and of asyncio: everything but the waiting."""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf.message import DecodeError

from clearance import _schema
from clearance._connection import Backoff, is_worth_repeating
from clearance._scene_content import SceneEnd, SceneNews
from clearance._scene_convert import scene_change, scene_info
from clearance.errors import Cancelled, ClearanceError, ProtocolError, SessionEnded

METHOD = "/clearance.v1.SceneService/WatchScene"


class WatchState:
    """The state of a watch. Thread-compatible."""

    def __init__(self, name: str, from_revision: int, etag: str, reopen_within: float) -> None:
        self._request = _schema.message("WatchSceneRequest")(
            name=name, from_revision=from_revision, etag=etag
        )
        self._response = _schema.message("WatchSceneResponse")
        self._backoff = Backoff(reopen_within)
        self._has_told = False
        self._is_answering = False  # the stream that is open
        self.end: ClearanceError | None = None  # what every later call raises
        self.is_cancelled = False
        self.why_cancelled: ClearanceError = Cancelled("the watch was cancelled")

    def request(self) -> bytes:
        """Returns the request of another stream: it begins at the revision of the last news."""
        self._is_answering = False
        raw: bytes = self._request.SerializeToString()
        return raw

    def take(self, raw: bytes) -> SceneNews | None:
        """Takes a response. Returns None if there is nothing new."""
        try:
            response = self._response.FromString(raw)
        except DecodeError as error:
            raise ProtocolError(f"not a WatchSceneResponse: {error}") from None
        self._is_answering = True
        self._backoff.after_success()
        if self._is_known(response):
            return None
        ends = response.end in SceneEnd.__members__.values()
        news = SceneNews(
            scene_info(response.scene),
            response.base_revision,
            scene_change(response.change),
            response.is_reload,
            SceneEnd(response.end) if ends else None,
        )
        self._has_told = True
        self._request.from_revision = news.scene.revision
        self._request.etag = news.scene.etag
        if news.end is not None:
            self.end = SessionEnded("the scene is no more")
        return news

    def _is_known(self, response: Any) -> bool:
        """Returns whether a response is known: the first message of another stream repeats its
        revision."""
        is_change = not response.is_reload and not response.end
        is_same = response.scene.revision == self._request.from_revision
        return bool(self._has_told and is_change and is_same)

    def after_failure(self, error: ClearanceError | None) -> float | None:
        """Returns the seconds to wait before another stream; None: the watch is over, and `end`
        says why. If `error` is None, the server ended the stream, which it must not do before the
        scene ends."""
        if self.is_cancelled:
            self.end = self.why_cancelled
            return None
        error = error or ProtocolError("the stream ended before the scene did")
        # A server that has not noticed yet that a stream broke still counts it.
        is_crowded_out = (
            error.code is grpc.StatusCode.RESOURCE_EXHAUSTED
            and self._has_told
            and not self._is_answering
        )
        may_go_on = is_crowded_out or is_worth_repeating(error.code)
        wait = self._backoff.after_failure() if may_go_on else None
        if wait is None:
            self.end = error
        return wait
