# SPDX-License-Identifier: Apache-2.0
"""A Prometheus with the configuration of docker/prometheus, for one server, while a test runs."""

from __future__ import annotations

import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import files

# Only a guard against an endless wait.
GIVE_UP_AFTER = 60.0


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Prometheus:
    def __init__(self, target: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self._folder.name)
        shutil.copytree(files.FOLDER / "prometheus", folder / "etc")
        config = folder / "etc/prometheus.yml"
        config.write_text(self._hastened(config.read_text(), target))
        self._address = f"127.0.0.1:{_free_port()}"
        command = ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data"]
        command += [f"--web.listen-address={self._address}"]
        self._log = open(folder / "log", "w+")
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT)
        try:
            self.until("Prometheus is ready", lambda: [] if self._is_ready() else ["not ready"])
        except BaseException:
            self.end()
            raise

    @staticmethod
    def _hastened(config: str, target: str) -> str:
        for old, new in (
            ("clearance:9464", target),
            ("scrape_interval: 5s", "scrape_interval: 500ms"),
            ("evaluation_interval: 15s", "evaluation_interval: 500ms"),
        ):
            assert config.count(old) == 1, old
            config = config.replace(old, new)
        return config

    def end(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._log.close()
        self._folder.cleanup()

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{self._address}/-/ready"):
                return True
        except (urllib.error.URLError, ConnectionError):
            return False

    def get(self, page: str, **parameters: str):
        query = urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(f"http://{self._address}/api/v1/{page}?{query}") as reply:
                return json.load(reply)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from None

    def values(self, expression: str) -> list[float]:
        return [float(series["value"][1]) for series in self.get("query", query=expression)["result"]]

    def rules(self, kind: str) -> list[dict]:
        groups = self.get("rules", type=kind)["groups"]
        return [rule for group in groups for rule in group["rules"]]

    def until(self, what: str, missing) -> None:
        """Asks again until nothing is missing."""
        give_up_at = time.monotonic() + GIVE_UP_AFTER
        while lacking := missing():
            if self._process.poll() is not None or time.monotonic() > give_up_at:
                self._log.seek(0)
                raise AssertionError(f"{what}: {lacking}\n{self._log.read()[-3000:]}")
            time.sleep(0.1)
