# SPDX-License-Identifier: Apache-2.0
"""docker/scale.md shows what docker/scale.py reckons, with what tests/bench/README.md measured."""

import importlib.util
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(os.environ["CLEARANCE_ROOT"])
specification = importlib.util.spec_from_file_location("scale", ROOT / "docker/scale.py")
scale = importlib.util.module_from_spec(specification)
sys.modules["scale"] = scale
specification.loader.exec_module(scale)


class Scale(unittest.TestCase):
    def setUp(self) -> None:
        self.page = (ROOT / "docker/scale.md").read_text()
        self.measured = (ROOT / "tests/bench/README.md").read_text()

    def test_the_page_has_what_the_script_prints(self) -> None:
        self.assertIn(scale.table(), self.page)
        self.assertIn(scale.etcd_table(), self.page)

    def test_the_constants_are_those_that_were_measured(self) -> None:
        constants = [value for value in vars(scale).values() if isinstance(value, scale.Constant)]
        self.assertGreater(len(constants), 5)
        for constant in constants:
            words = " ".join((ROOT / constant.where).read_text().split())
            self.assertIn(constant.said, words)
            self.assertNotEqual(constant.said, "")

        def cell(start: str, column: int) -> float:
            (row,) = [line for line in self.measured.splitlines() if line.startswith(start)]
            return float(re.sub("[^0-9.]", "", row.split("|")[column])) * 1e-3

        core = float(re.search(r"\((\d+) ns\)", self.measured)[1]) * 1e-3
        alone, among = cell("| 1 | 10", 2), cell("| 4096 | 524", 2)
        self.assertAlmostEqual(scale.MESSAGE.value, alone - among, delta=0.05)
        self.assertAlmostEqual(scale.ROW.value, among - core, delta=0.0005)
        pair = cell("| server, 1024 rows a message |", 4)
        self.assertAlmostEqual(scale.PAIR.value, pair - scale.ROW.value, delta=0.0005)

    def test_reckons_the_wire_of_other_sizes_as_measured(self) -> None:
        core = float(re.search(r"\((\d+) ns\)", self.measured)[1]) * 1e-3
        rows = re.findall(r"(?m)^\| (\d+) \| ([\d,]+) ns \| [\d,]+ ns \|", self.measured)
        self.assertGreaterEqual(len(rows), 4)
        for count, nanoseconds in rows:
            told = float(nanoseconds.replace(",", "")) * 1e-3
            reckoned = scale.MESSAGE.value / int(count) + scale.ROW.value + core
            self.assertAlmostEqual(reckoned / told, 1, delta=0.1, msg=count)

    def test_a_replica_is_what_kubernetes_and_the_server_make_of_it(self) -> None:
        fleet = ROOT / "docker/kubernetes/overlays/fleet"
        pod = (fleet / "deployment.yaml").read_text()
        self.assertEqual(int(re.search(r'requests:\s+cpu: "(\d+)"', pod)[1]), scale.CORES)
        self.assertEqual(int(re.search(r"limits:\s+memory: (\d+)Gi", pod)[1]) * 2**30 / 2, scale.MEMORY)
        scaler = (fleet / "autoscaler.yaml").read_text()
        self.assertEqual(int(re.search(r"averageUtilization: (\d+)", scaler)[1]), 100 * scale.USED)
        server = (ROOT / "server/guide/settings.md").read_text()
        for flag, value in (("max_sessions", scale.SESSIONS), ("max_connections", scale.CONNECTIONS)):
            self.assertIn(f"| `--{flag}` | `{value}` |", server)

    def test_the_autoscaler_goes_as_far_as_processors_have_to(self) -> None:
        fleet = ROOT / "docker/kubernetes/overlays/fleet"
        most = int(re.search(r"maxReplicas: (\d+)", (fleet / "autoscaler.yaml").read_text())[1])
        bound = [scale.need(load) for load in scale.LOADS]
        bound = [need.replicas["processors"] for need in bound if need.binding == "processors"]
        self.assertGreater(most, max(bound))  # with one in reserve

    def test_etcd_is_busier_the_more_is_registered(self) -> None:
        for registrations, replicas in scale.REGISTRATIONS:
            needed = scale.etcd_need(registrations, replicas)
            more = scale.etcd_need(2 * registrations, replicas)
            wider = scale.etcd_need(registrations, 2 * replicas)
            self.assertAlmostEqual(more.busy, 2 * needed.busy)
            self.assertAlmostEqual(more.megabytes, 2 * needed.megabytes)
            self.assertEqual((wider.busy, wider.megabytes), (needed.busy, 2 * needed.megabytes))
            self.assertEqual(wider.reads, 2 * needed.reads)

    def test_more_of_anything_needs_no_less(self) -> None:
        for load in scale.LOADS:
            needed = scale.need(load)
            for field in ("sessions", "messages", "rows", "bytes_in", "bytes_out"):
                more = scale.need(scale.dataclasses.replace(load, **{field: 2 * getattr(load, field)}))
                self.assertGreaterEqual(more.cores, needed.cores)
                for what, replicas in needed.replicas.items():
                    self.assertGreaterEqual(more.replicas[what], replicas)
            self.assertEqual(needed.replicas[needed.binding], max(needed.replicas.values()))


if __name__ == "__main__":
    unittest.main()
