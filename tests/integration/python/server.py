# SPDX-License-Identifier: Apache-2.0
"""A clearance-server for as long as a test runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Sequence


class Server:
    """Listens on `port` of the loopback; 0 takes a free one.

    `command` starts it; the default is the program that $CLEARANCE_SERVER names.
    """

    def __init__(self, *flags: str, port: int = 0, command: Sequence[str] = ()) -> None:
        started = [*(command or [os.environ["CLEARANCE_SERVER"]]), f"--listen=127.0.0.1:{port}"]
        started += ["--http_listen=127.0.0.1:0", *flags]
        self.log: list[str] = []
        self.port, self.http_port = self._start(started)
        # A connection of another program may have a given port for a moment.
        tries = 50 if port else 0
        while self.port == 0 and tries > 0 and "Address already in use" in "".join(self.log[-1:]):
            self._close()
            time.sleep(0.1)
            tries -= 1
            self.port, self.http_port = self._start(started)
        if self.port == 0:
            raise AssertionError("the server did not start: " + "".join(self.log))
        self.address = f"127.0.0.1:{self.port}"
        self.pid = self._process.pid
        self._drain = threading.Thread(target=self._read_on, daemon=True)
        self._drain.start()

    def _start(self, command: list[str]) -> tuple[int, int]:
        """Returns the ports; 0, 0 if the server ends instead."""
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self._process.stderr:
            self.log.append(line)
            serving = re.search(r"INFO serving .* grpc_port=(\d+) http_port=(\d+)", line)
            if serving:
                return int(serving[1]), int(serving[2])
        return 0, 0

    def _close(self) -> None:
        self._process.wait()
        self._process.stderr.close()

    def _read_on(self) -> None:
        self.log += self._process.stderr

    def end(self, number: int = signal.SIGTERM) -> int:
        """Sends this signal, waits until the server is gone and returns its exit status."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        self._drain.join()
        self._close()
        return self._process.returncode
