# SPDX-License-Identifier: Apache-2.0
"""One member of etcd for as long as a test runs, spoken to as JSON over HTTP."""

from __future__ import annotations

import base64
import json
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.request
from typing import Any

_READY = "ready to serve client requests"


def _free_ports(count: int) -> list[int]:
    """All are held until the last is found, so that no two are the same."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode()


class EtcdServer:
    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        client, peer = (f"127.0.0.1:{port}" for port in _free_ports(2))
        self.address = client
        self.store_flag = f"--store=etcd://{client}"
        command = ["etcd", "--data-dir", self._folder.name, "--log-outputs", "stderr"]
        for name, address in (("client", client), ("peer", peer)):
            command += [f"--listen-{name}-urls", f"http://{address}"]
        command += ["--advertise-client-urls", f"http://{client}"]
        command += ["--initial-advertise-peer-urls", f"http://{peer}"]
        command += ["--initial-cluster", f"default=http://{peer}"]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self._await_ready()
        self._drain = threading.Thread(target=self._process.stderr.read, daemon=True)
        self._drain.start()

    def __enter__(self) -> EtcdServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()
        self._drain.join()
        self._process.stderr.close()
        self._folder.cleanup()

    def put(self, key: bytes, value: bytes) -> None:
        self._call("put", {"key": _text(key), "value": _text(value)})

    def read_all(self) -> list[tuple[bytes, bytes]]:
        everything = {"key": _text(b"\0"), "range_end": _text(b"\0")}
        pairs = self._call("range", everything).get("kvs", [])
        return [
            (base64.b64decode(pair["key"]), base64.b64decode(pair.get("value", "")))
            for pair in pairs
        ]

    def _call(self, method: str, request: dict[str, Any]) -> dict[str, Any]:
        url = f"http://{self.address}/v3/kv/{method}"
        with urllib.request.urlopen(url, json.dumps(request).encode()) as response:
            return json.load(response)

    def _await_ready(self) -> None:
        said = []
        for line in self._process.stderr:
            said.append(line)
            if _READY in line:
                return
        raise AssertionError("etcd did not start: " + "".join(said))
