# SPDX-License-Identifier: Apache-2.0
"""A real server under a little load, watched by a real Prometheus with docker/prometheus's files.

Every panel of the dashboard and every recording rule has something to show. Every series that they
and the alerts name is there, and no alert fires."""

import math
import re
import tempfile
import unittest
import urllib.request

import optional_programs

optional_programs.require("prometheus", "python3:google.protobuf", "python3:grpc")

import files  # noqa: E402
from load import Load  # noqa: E402
from prometheus_process import Prometheus  # noqa: E402
from server import Server  # noqa: E402

# Titles of panels, or of one of their lines, that have nothing to show if a server is well, at
# rest, alone, without TLS and without a policy.
RIGHTLY_EMPTY = {"Certificate ends in", "Lag behind the shared store", "Time of a question to the shared store"}
RIGHTLY_ZERO = {
    "Access and audit",
    "Answers checked: contradicted",
    "Answers checked: not checked: {{reason}}",
    "Bytes in flight",
    "Conflicts and reloads",
    "Connections refused and cut",
    "Contradicted answers",
    "Failed calls",
    "Memory of shapes, scenes and sessions: sessions",
    "Messages shed",
    "Open now: messages read and not yet answered",
    "Pending work: {{instance}}",
    "Refused for a limit",
    "Shared store reached",
    "Silence of loops",
    "Starts",
    "Tracks, rewinds and watches: merged revisions",
    "Transactions: failed",
}


def lines(panel: dict) -> list[tuple[str, str]]:
    """Returns the name and the query of each line of a panel."""
    title = panel["title"]
    return [(f"{title}: {t.get('legendFormat', '')}", t["expr"]) for t in panel["targets"]]


class Watched(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.server = Server(f"--data_dir={folder}/data", "--check_sample=1", "--max_scene_revisions=1")
        cls.addClassCleanup(cls.server.end)
        target = f"127.0.0.1:{cls.server.http_port}"
        cls.variables = {
            "$__rate_interval": "5m",
            "$__range": "1h",
            "$job": "clearance",
            # As Grafana writes a value into a regular expression.
            "$instance": target.replace(".", r"\\."),
        }
        cls.prometheus = Prometheus(target)
        cls.addClassCleanup(cls.prometheus.end)
        # A rate needs a scrape from before.
        cls.prometheus.until("scraped", lambda: [] if cls.is_scraped() else ["up"])
        cls.load = Load(cls.server.address)
        cls.addClassCleanup(cls.load.end)

    @classmethod
    def is_scraped(cls) -> bool:
        return cls.prometheus.values("clearance_build_info") == [1]

    def filled_in(self, expression: str) -> str:
        for name, value in self.variables.items():
            expression = expression.replace(name, value)
        self.assertNotIn("$", expression)
        return expression

    def finite(self, expression: str) -> list[float]:
        return [value for value in self.prometheus.values(expression) if math.isfinite(value)]

    def test_every_panel_shows_data(self) -> None:
        shown = [panel for panel in files.panels() if panel["title"] not in RIGHTLY_EMPTY]
        self.assertEqual(len(list(files.panels())), len(shown) + len(RIGHTLY_EMPTY))
        names = {panel["title"] for panel in shown} | {n for p in shown for n, _ in lines(p)}
        self.assertLessEqual(RIGHTLY_ZERO, names)
        self.prometheus.until(
            "lines without data",
            lambda: [n for p in shown for n, e in lines(p) if not self.shows(p["title"], n, e)],
        )

    def shows(self, title: str, name: str, expression: str) -> bool:
        values = self.finite(self.filled_in(expression))
        may_be_zero = bool({title, name} & RIGHTLY_ZERO)
        return bool(values) and (may_be_zero or any(value > 0 for value in values))

    def test_what_is_rightly_empty_is_so(self) -> None:
        for panel in files.panels():
            if panel["title"] in RIGHTLY_EMPTY:
                for name, expression in lines(panel):
                    self.assertEqual(self.prometheus.values(self.filled_in(expression)), [], name)

    def test_every_recording_rule_has_data(self) -> None:
        rules = self.prometheus.rules("record")
        self.assertGreater(len(rules), 20)
        self.prometheus.until(
            "rules without data", lambda: [s for s in map(series, rules) if not self.finite(s)]
        )

    def test_every_rule_can_be_evaluated(self) -> None:
        self.prometheus.until(
            "rules that were not evaluated or failed",
            lambda: [
                (rule["name"], rule.get("lastError"))
                for kind in ("record", "alert")
                for rule in self.prometheus.rules(kind)
                if rule["health"] != "ok"
            ],
        )

    def test_every_series_that_is_named_is_exported_or_recorded(self) -> None:
        rules = self.prometheus.rules("record") + self.prometheus.rules("alert")
        expressions = [rule["query"] for rule in rules]
        expressions += [self.filled_in(t["expr"]) for p in files.panels() for t in p["targets"]]
        named = {selector for text in expressions for selector in files.selectors(text)}
        self.assertGreater(len(named), 50)
        known = self.exported() | {rule["name"] for rule in rules} | {"up"}
        self.assertEqual({re.split("{", name)[0] for name in named} - known, set())
        # Labels and their values too: all series of the server are there from its start.
        self.prometheus.until(
            "selectors of no series",
            lambda: [name for name in named if not self.prometheus.values(f"count({name})")],
        )

    def exported(self) -> set[str]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.server.http_port}/metrics") as page:
            kinds = re.findall(r"^# TYPE (\S+) (\S+)$", page.read().decode(), re.M)
        parts = {"histogram": ("_bucket", "_sum", "_count")}
        return {name + part for name, kind in kinds for part in parts.get(kind, ("",))}

    def test_nothing_is_alarmed(self) -> None:
        self.test_every_rule_can_be_evaluated()
        self.assertEqual(sorted(r["name"] for r in self.prometheus.rules("alert")), sorted(files.alerts()))
        firing = [a for a in self.prometheus.get("alerts")["alerts"] if a["state"] == "firing"]
        self.assertEqual(firing, [])


def series(rule: dict) -> str:
    labels = [f'{name}="{value}"' for name, value in rule.get("labels", {}).items()]
    return f"{rule['name']}{{{','.join(labels)}}}"


if __name__ == "__main__":
    unittest.main()
