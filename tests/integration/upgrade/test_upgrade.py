# SPDX-License-Identifier: Apache-2.0
"""This build opens the data of earlier releases, and refuses that of a newer one untouched.

At a release run record.py (its header has the command) and commit the three files that it makes;
the files of earlier releases stay as they are, and every release is tested from then on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest
from typing import Any, Iterator

from contents import OWNER, etags, observe
from etcd_server import EtcdServer
from guarded import connect_as_owner, policy_flags, running

import clearance

FOLDER = pathlib.Path(__file__).parent
CANNOT_USE_STORE = 3  # the server's exit status


def releases() -> list[str]:
    return sorted(path.stem.removeprefix("seen-") for path in FOLDER.glob("seen-*.json"))


def read_seen(release: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"seen-{release}.json").read_text())


def lay_data(release: str, data: pathlib.Path) -> pathlib.Path:
    """Makes the data directory of the release; returns its database."""
    data.mkdir(mode=0o700)
    with contextlib.closing(sqlite3.connect(data / "shapes.sqlite")) as connection:
        connection.executescript((FOLDER / f"data-{release}.sql").read_text())
    return data / "shapes.sqlite"


def lay_etcd(release: str, etcd: EtcdServer) -> None:
    for line in (FOLDER / f"etcd-{release}.txt").read_text().splitlines()[1:]:
        key, _, value = line.partition(" ")
        etcd.put(bytes.fromhex(key), bytes.fromhex(value))


def differences(recorded: Any, seen: Any, place: str = "") -> Iterator[str]:
    """Yields the places at which `seen` lacks something recorded; it may have more."""
    if isinstance(recorded, dict) and isinstance(seen, dict):
        for key, value in recorded.items():
            yield from differences(value, seen.get(key), f"{place}/{key}")
    elif recorded != seen:
        yield f"{place}: kept {recorded}, found {seen}"


def start_in_vain(flag: str) -> subprocess.CompletedProcess:
    command = [os.environ["CLEARANCE_SERVER"], "--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0"]
    return subprocess.run([*command, flag], capture_output=True, text=True, check=False)


class Upgrade(unittest.TestCase):
    def assert_is_there(self, release: str, kind: str, flag: str) -> None:
        recorded = read_seen(release)
        own = recorded.pop("etags")[kind]
        recorded.pop("version")
        with running(flag) as server, clearance.connect(server.address) as client:
            self.assertEqual(list(differences(recorded, observe(client))), [])
            self.assertEqual(etags(client), own)
            for name in ("deleted", "kinds"):
                with self.assertRaises(clearance.errors.NotFound):
                    client.get(name)
            self.assertEqual([s.name for s in client.list()], list(recorded["shapes"]))
            self.assertEqual([s.name for s in client.scenes.list()], list(recorded["scenes"]))

    def assert_can_be_changed(self, flag: str) -> None:
        """Stored shapes have the digests of the same ones given today, and the next revision."""
        with running(flag) as server, clearance.connect(server.address) as client:
            before = client.server_info().revision
            names = [info.name for info in client.list()]
            for number, name in enumerate(names, before + 1):
                found = client.get(name, include_content=True)
                made = client.register(f"today/{name}", found.content)
                self.assertEqual((made.info.digest, made.revision), (found.info.digest, number))
            update = clearance.SceneChange(removed_bodies=[1])
            updated = client.scenes.update("cell", update, etag=etags(client)["cell"])
            self.assertEqual(updated.revision, 3)

    def assert_owner_is_known(self, flag: str) -> None:
        """The one shape that the owner has counts for the owner."""
        with tempfile.TemporaryDirectory() as folder:
            guard = policy_flags(pathlib.Path(folder), {"shapes": 1})
            with running(flag, *guard.flags) as server, connect_as_owner(server, guard) as client:
                with self.assertRaises(clearance.errors.ResourceExhausted) as refused:
                    client.register(f"{OWNER}/more", clearance.Sphere(9))
                self.assertIn("shapes", refused.exception.detail.limit)


class DataDirectory(Upgrade):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = pathlib.Path(folder.name) / "data"
        self.flag = f"--data_dir={self.data}"

    def test_of_every_release_opens(self) -> None:
        self.assertTrue(releases())
        for release in releases():
            with self.subTest(release):
                self.data = self.data.with_name(f"data-{release}")
                flag = f"--data_dir={self.data}"
                lay_data(release, self.data)
                self.assert_is_there(release, "data", flag)
                self.assert_is_there(release, "data", flag)  # as the first start left it
                self.assert_owner_is_known(flag)
                self.assert_can_be_changed(flag)

    def test_of_a_newer_server_is_refused_untouched(self) -> None:
        database = lay_data(releases()[-1], self.data)
        with contextlib.closing(sqlite3.connect(database)) as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0] + 1
            connection.execute(f"PRAGMA user_version = {version}")
        before = hashlib.sha256(database.read_bytes()).digest()
        done = start_in_vain(self.flag)
        self.assertEqual(done.returncode, CANNOT_USE_STORE, done.stderr)
        said = f"the file has version {version} and this server knows versions up to {version - 1}"
        self.assertIn(f"{database}: {said}", done.stderr)
        self.assertEqual(hashlib.sha256(database.read_bytes()).digest(), before)
        self.assertEqual([p.name for p in self.data.glob("shapes.sqlite*")], ["shapes.sqlite"])


class Etcd(Upgrade):
    def test_of_every_release_opens(self) -> None:
        self.assertTrue(releases())
        for release in releases():
            with self.subTest(release), EtcdServer() as etcd:
                lay_etcd(release, etcd)
                self.assert_is_there(release, "etcd", etcd.store_flag)
                self.assert_owner_is_known(etcd.store_flag)
                self.assert_can_be_changed(etcd.store_flag)

    def test_of_a_newer_server_is_refused_untouched(self) -> None:
        with EtcdServer() as etcd:
            lay_etcd(releases()[-1], etcd)
            (key,) = [key for key, _ in etcd.read_all() if key.endswith(b"/format")]
            etcd.put(key, b"\x08\x02")  # FormatValue{version: 2}
            before = etcd.read_all()
            done = start_in_vain(etcd.store_flag)
            self.assertEqual(done.returncode, CANNOT_USE_STORE, done.stderr)
            self.assertIn("registry/format has format 2 and this server knows 1", done.stderr)
            self.assertEqual(etcd.read_all(), before)


if __name__ == "__main__":
    unittest.main()
