# SPDX-License-Identifier: Apache-2.0
"""A relay between a client and a server on this machine that passes their bytes on. It cuts their
connection once, after so many bytes of the server, or whenever it is told to."""

from __future__ import annotations

import selectors
import socket
import threading


class Relay:
    """A relay; `cut_at` None: it cuts nothing."""

    def __init__(self, server_port: int, cut_at: int | None = None) -> None:
        self._server_port = server_port
        self._cut_at = cut_at
        self.reply_bytes = 0
        self.has_struck = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self._listener.getsockname()[1]
        self._wake, self._woken = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        # For each side of a connection the other one; and the sides that are the server's.
        self._peers: dict[socket.socket, socket.socket] = {}
        self._of_server: set[socket.socket] = set()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def cut(self) -> None:
        """Cuts the connections of now."""
        self._wake.send(b"c")

    def close(self) -> None:
        """Cuts everything, for good."""
        self._wake.send(b"q")
        self._thread.join()
        for side in (*self._peers, self._listener, self._wake, self._woken):
            side.close()
        self._selector.close()

    def _run(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._woken:
                    if self._woken.recv(1) == b"q":
                        return
                    for side in list(self._of_server):
                        self._end(side)
                if key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj in self._peers:
                    self._pass(key.fileobj)

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        try:
            server = socket.create_connection(("127.0.0.1", self._server_port))
        except OSError:
            client.close()
            return
        self._peers[client], self._peers[server] = server, client
        self._of_server.add(server)
        for side in (client, server):
            self._selector.register(side, selectors.EVENT_READ)

    def _pass(self, side: socket.socket) -> None:
        try:
            data = side.recv(1 << 16)
            if side in self._of_server:
                data = self._before_the_cut(data)
                self.reply_bytes += len(data)
            self._peers[side].sendall(data)
        except OSError:
            data = b""
        if not data:
            self._end(side)

    def _before_the_cut(self, data: bytes) -> bytes:
        if self._cut_at is None or self.has_struck:
            return data
        if self.reply_bytes + len(data) < self._cut_at:
            return data
        self.has_struck = True
        return b""

    def _end(self, side: socket.socket) -> None:
        other = self._peers.pop(side)
        self._peers.pop(other)
        self._of_server -= {side, other}
        for each in (side, other):
            self._selector.unregister(each)
            each.close()
