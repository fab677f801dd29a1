# SPDX-License-Identifier: Apache-2.0
"""Servers, with a policy that names the owner of what contents.py says is owned, or without."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
from dataclasses import dataclass
from typing import Any, Iterator

from contents import OWNER
from server import Server

import clearance


@contextlib.contextmanager
def running(*flags: str) -> Iterator[Server]:
    server = Server(*flags)
    try:
        yield server
    finally:
        server.end()


@dataclass(frozen=True)
class Guard:
    flags: tuple[str, ...]
    token: str


def policy_flags(folder: pathlib.Path, limits: dict[str, Any]) -> Guard:
    """Writes a policy with these limits of the owner, and a token, into the folder."""
    principal = {"role": "admin", "limits": limits}
    (folder / "policy.json").write_text(json.dumps({"principals": {OWNER: principal}}))
    command = [os.environ["CLEARANCE_SERVER"], f"--new_token={OWNER}"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    token, line = said.splitlines()
    (folder / "tokens").write_text(line + "\n")
    (folder / "tokens").chmod(0o600)
    flags = (f"--policy_file={folder / 'policy.json'}", f"--token_file={folder / 'tokens'}")
    return Guard(flags, token)


def connect_as_owner(server: Server, guard: Guard) -> clearance.Client:
    return clearance.connect(server.address, token=guard.token)
