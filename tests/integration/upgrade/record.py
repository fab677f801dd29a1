#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what this build keeps as text, for test_upgrade.py.

    PYTHONPATH=build/release/python/package:tests/integration/python \\
      CLEARANCE_SERVER=build/release/server/clearance-server \\
      tests/integration/upgrade/record.py tests/integration/upgrade

makes data-VERSION.sql, etcd-VERSION.txt, and seen-VERSION.json with what a caller sees of either.
etcd must be on PATH.
"""

from __future__ import annotations

import json
import pathlib
import sqlite3
import sys
import tempfile
from typing import Any

from contents import etags, fill_owned, fill_scenes, fill_shapes, observe
from etcd_server import EtcdServer
from guarded import connect_as_owner, policy_flags, running

import clearance


LICENCE = "# SPDX-License-Identifier: Apache-2.0"


def fill(*flags: str) -> None:
    """With one server that knows no callers, then with one that knows the owner."""
    with running(*flags) as server, clearance.connect(server.address) as client:
        fill_shapes(client)
        fill_scenes(client)
    with tempfile.TemporaryDirectory() as folder:
        guard = policy_flags(pathlib.Path(folder), {})
        with running(*flags, *guard.flags) as server, connect_as_owner(server, guard) as client:
            fill_owned(client)


def see(*flags: str) -> dict[str, Any]:
    with running(*flags) as server, clearance.connect(server.address) as client:
        return {"version": client.server_info().version, "etags": etags(client), **observe(client)}


def dump(database: pathlib.Path) -> str:
    """SQL that makes the database again; `iterdump` leaves out whose and of which version it is."""
    with sqlite3.connect(database) as connection:
        pragmas = [f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};"
                   for name in ("application_id", "user_version")]
        return "\n".join([*pragmas, *connection.iterdump()]) + "\n"


def lines_of(seen: dict[str, Any]) -> str:
    """As JSON with a line for each shape, scene and so on."""
    parts = []
    for key, value in seen.items():
        text = json.dumps(value)
        if isinstance(value, dict):
            items = (f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            text = "{\n" + ",\n".join(items) + "\n }"
        parts.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(folder: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        data = pathlib.Path(scratch) / "data"
        fill(f"--data_dir={data}")
        sql = dump(data / "shapes.sqlite")
        seen = see(f"--data_dir={data}")
    with EtcdServer() as etcd:
        fill(etcd.store_flag)
        values = "".join(f"{key.hex()} {value.hex()}\n" for key, value in etcd.read_all())
        shared = see(etcd.store_flag)
    own = {"data": seen.pop("etags"), "etcd": shared.pop("etags")}
    if seen != shared:
        sys.exit("a data directory and etcd show different things")
    version = seen["version"]
    (folder / f"data-{version}.sql").write_text(sql)
    (folder / f"etcd-{version}.txt").write_text(f"{LICENCE}\n{values}")
    (folder / f"seen-{version}.json").write_text(lines_of({**seen, "etags": own}))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
