#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts a server on free ports of the loopback for as long as a command runs.

usage: with_server.py SERVER [FLAG…] -- COMMAND [ARGUMENT…]

In COMMAND and its arguments {address}, {http_address} and {pid} stand for those of the server.
Ends with the status of COMMAND, or with 1 if the server does not end with status 0 on SIGTERM.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Sequence

import runner

sys.path.insert(0, str(runner.ROOT / "tests/integration/python"))
from server import Server  # noqa: E402


@contextlib.contextmanager
def serving(command: Sequence[str]) -> Iterator[Server]:
    try:
        server = Server(command=command)
    except (AssertionError, OSError) as error:
        runner.fail(f"{command[0]}: {error}")
    print(f"   clearance-server listens on {server.address}, metrics on {metrics_of(server)}", flush=True)
    try:
        yield server
    except BaseException:
        server.end()
        raise
    status = server.end()
    if status != 0:
        runner.fail(f"the server ended with status {status} on SIGTERM:\n{''.join(server.log[-30:])}")
    print("   SIGTERM: the server drained and ended with status 0", flush=True)


def metrics_of(server: Server) -> str:
    return f"http://127.0.0.1:{server.http_port}/metrics"


def main() -> int:
    arguments = sys.argv[1:]
    if "--" not in arguments[1:-1]:
        runner.fail("usage: with_server.py SERVER [FLAG…] -- COMMAND [ARGUMENT…]", 2)
    split = arguments.index("--")
    with serving(arguments[:split]) as server:
        values = {
            "{address}": server.address,
            "{http_address}": f"127.0.0.1:{server.http_port}",
            "{pid}": str(server.pid),
        }
        command = arguments[split + 1 :]
        for name, value in values.items():
            command = [part.replace(name, value) for part in command]
        return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
