# SPDX-License-Identifier: Apache-2.0
"""Tests that need an optional program skip themselves if it is missing, and say so.

Run as if nothing of tests/support/optional_programs.txt were installed, none of them fails or
passes unseen."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import unittest

import optional_programs

TESTS = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(os.environ["CLEARANCE_BUILD"])
PROGRAMS = TESTS / "support/optional_programs.py"
PACKAGE_NEEDS = ["python3:google.protobuf", "python3:grpc", "python3:numpy"]
SKIPPED = optional_programs.SKIPPED


@dataclasses.dataclass
class Case:
    """A program, the exit status that it must end with, and what it must say is missing."""

    command: list[str]
    status: int
    missing: set[str]


def of_gtest(program: str, names: str, *missing: str) -> Case:
    return Case([str(BUILD / program), f"--gtest_filter={names}"], 0, set(missing))


def of_program(program: str, *arguments: str, missing: str) -> Case:
    return Case([str(BUILD / program), *arguments], SKIPPED, {missing})


def of_script(script: pathlib.Path, *arguments: str, missing: str) -> Case:
    return Case([sys.executable, "-B", str(script), *arguments], SKIPPED, {missing})


CASES = [
    of_gtest("tests/integration/etcd/clearance_shared_registry_test", "*", "etcd"),
    of_gtest("tests/integration/etcd/clearance_shared_servers_test", "*", "etcd"),
    of_gtest(
        "tests/integration/process/clearance_process_test",
        "Tls.*:Proxy.*:ProxyOfTwo.*:*.*Certificate*:*.*OverTls:Prometheus.*",
        "openssl",
        "prometheus",
    ),
    of_gtest("tests/unit/server/observe/clearance_server_observe_test", "Promtool.*", "promtool"),
    of_gtest("tests/integration/client/client_integration_test", "*CompletionOf.*", "zsh", "fish"),
    of_script(TESTS / "integration/operations/test_prometheus.py", missing="prometheus"),
    of_script(TESTS / "integration/kubernetes/test_kubernetes.py", missing="kubectl"),
    of_script(TESTS / "integration/node/test_example.py", missing="node"),
    of_script(PROGRAMS, "with", *PACKAGE_NEEDS, "--", "false", missing=PACKAGE_NEEDS[0]),
    of_script(TESTS / "bench/count_instructions.py", missing="valgrind"),
]
# Built only for ./dev verify.
if os.environ["CLEARANCE_BUILD_VERIFY"] == "1":
    CASES += [
        of_program("tests/fleet/fleet", missing="etcd"),
        of_program("tests/fleet/fleet_simulation", missing="etcd"),
        of_program("tests/hammer/attack", "--behind=haproxy", missing="haproxy"),
        of_program("tests/hammer/attack", "--behind=nginx", missing="nginx"),
    ]


class Absent(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.environment = cls.enterClassContext(optional_programs.hidden())

    def run_hidden(self, command: list[str]) -> subprocess.CompletedProcess:
        return subprocess.run(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def test_nothing_fails_or_passes_unseen(self) -> None:
        packages = optional_programs.packages()
        for case in CASES:
            with self.subTest(case.command):
                done = self.run_hidden(case.command)
                self.assertEqual(done.returncode, case.status, done.stdout)
                reasons = set(re.findall(r"SKIPPED: (.*)", done.stdout))
                expected = {f"{n} is not installed (Debian package {packages[n]})" for n in case.missing}
                self.assertEqual(reasons, expected, done.stdout)

    def test_programs_that_are_there_are_found(self) -> None:
        done = self.run_hidden(["sh", "-c", "command -v env && ! command -v etcd"])
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_name_that_the_list_does_not_have_is_an_error(self) -> None:
        with self.assertRaises(KeyError):
            optional_programs.missing_reason("unheard_of")


if __name__ == "__main__":
    unittest.main()
