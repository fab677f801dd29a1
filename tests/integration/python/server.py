# SPDX-License-Identifier: Apache-2.0
"""A clearance-server for as long as a test runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading


class Server:
    """On `port` of the loopback; 0: a free one."""

    def __init__(self, *flags: str, port: int = 0) -> None:
        command = [os.environ["CLEARANCE_SERVER"], f"--listen=127.0.0.1:{port}"]
        command += ["--http_listen=127.0.0.1:0", *flags]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.port, self.http_port = self._await_ports()
        self.address = f"127.0.0.1:{self.port}"
        self.pid = self._process.pid
        self._drain = threading.Thread(target=self._process.stderr.read, daemon=True)
        self._drain.start()

    def _await_ports(self) -> tuple[int, int]:
        said = []
        for line in self._process.stderr:
            said.append(line)
            serving = re.search(r"INFO serving .* grpc_port=(\d+) http_port=(\d+)", line)
            if serving:
                return int(serving[1]), int(serving[2])
        raise AssertionError("the server did not start: " + "".join(said))

    def end(self, number: int = signal.SIGTERM) -> None:
        """By this signal; waits until it is gone."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        self._process.wait()
        self._drain.join()
        self._process.stderr.close()
