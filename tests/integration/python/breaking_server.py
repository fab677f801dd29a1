# SPDX-License-Identifier: Apache-2.0
"""A server that opens every slot and breaks its streams at batches."""

from __future__ import annotations

from concurrent import futures
from typing import Any, Iterator

import grpc

from clearance import _schema

_SERVER_INFO = _schema.message("GetServerInfoResponse")


class BreakingServer:
    """Each stream refuses so many batches, which answers them, and breaks at the next. A row is as
    much as a batch may have."""

    def __init__(self, batches_a_stream: int = 0) -> None:
        self._batches_a_stream = batches_a_stream
        self.streams = 0
        self._server = grpc.server(futures.ThreadPoolExecutor(4))
        session = grpc.stream_stream_rpc_method_handler(self._session)
        info = grpc.unary_unary_rpc_method_handler(self._info)
        for service, handlers in (
            ("clearance.v1.QueryService", {"Session": session}),
            ("clearance.v1.ServerService", {"GetServerInfo": info}),
        ):
            handler = grpc.method_handlers_generic_handler(service, handlers)
            self._server.add_generic_rpc_handlers((handler,))
        self.address = "127.0.0.1:%d" % self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()

    def end(self) -> None:
        self._server.stop(None).wait()

    def _info(self, _: bytes, context: grpc.ServicerContext) -> bytes:
        info = _SERVER_INFO(version="0.0.0")
        info.limits.max_batch_rows = 1
        info.limits.max_request_bytes = 1 << 20
        return info.SerializeToString()

    def _session(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        self.streams += 1
        batches_left = self._batches_a_stream
        for raw in requests:
            request = _schema.SessionRequest.FromString(raw)
            if not request.HasField("open"):
                if batches_left == 0:
                    context.abort(grpc.StatusCode.UNAVAILABLE, "the message breaks the stream")
                batches_left -= 1
            yield self._answer(request).SerializeToString()

    @staticmethod
    def _answer(request: Any) -> Any:
        response = _schema.SessionResponse(tag=request.tag)
        if request.HasField("open"):
            response.open.slot = request.open.slot
            response.open.info.digest = "v1-sha256-" + 64 * "0"
        else:
            response.status.code = grpc.StatusCode.NOT_FOUND.value[0]
        return response
