# SPDX-License-Identifier: Apache-2.0
"""Tests which skips check_skips.py allows, on results as ctest writes them."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import unittest
from xml.sax.saxutils import escape

import optional_programs

PROGRAM = pathlib.Path(__file__).parents[2] / "support/check_skips.py"
ABSENT = "SKIPPED: etcd is not installed (Debian package etcd-server)"


def google_test(reason: str) -> str:
    return f"[ RUN      ] Store.Starts\nstore_test.cc:9: Skipped\n{reason}\n\n[  SKIPPED ] Store.Starts (0 ms)\n"


def results(output: str, status: str = "run") -> str:
    case = f'<testcase name="program.a" status="{status}"><system-out>{escape(output)}</system-out></testcase>'
    return f"<testsuite>{case}</testsuite>"


class Skips(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.environment = cls.enterClassContext(optional_programs.hidden())

    def check(self, text: str, *flags: str) -> tuple[int, str]:
        """Returns the exit status and the output, as if no optional program were installed."""
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(text)
            file.flush()
            command = [sys.executable, "-B", str(PROGRAM), *flags, file.name]
            done = subprocess.run(
                command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
        return done.returncode, done.stdout

    def assert_allowed(self, *arguments: str) -> None:
        status, output = self.check(*arguments)
        self.assertEqual(status, 0, output)

    def assert_refused(self, why: str, *arguments: str) -> None:
        status, output = self.check(*arguments)
        self.assertEqual(status, 1, output)
        self.assertIn(why, output)

    def test_no_skip(self) -> None:
        self.assert_allowed(results("[ RUN      ] A.B\n[       OK ] A.B (0 ms)\n"))

    def test_absent_program(self) -> None:
        self.assert_allowed(results(google_test(ABSENT)))
        self.assert_allowed(results(ABSENT, "notrun"))
        self.assert_allowed(results(f"test_a (m.T.test_a) ... skipped '{ABSENT}'\n"))

    def test_other_forms_of_unittest(self) -> None:
        for line in (
            "Says what it does. ... skipped 'no luck'",
            "setUpClass (m.T) ... skipped 'no luck'",
            "test_a (m.T.test_a) (i=1) ... skipped 'no luck'",
            "skipped 'no luck'",
            "OK (skipped=1)",
        ):
            with self.subTest(line):
                self.assert_refused("no reason given", results(f"{line}\n"))

    def test_program_that_is_there(self) -> None:
        text = results(google_test("SKIPPED: sh is not installed (Debian package dash)"))
        self.assert_refused("does not list this program", text)
        text = results(google_test("SKIPPED: python3:json is not installed (Debian package a)"))
        self.assert_refused("does not list this program", text)

    def test_no_reason(self) -> None:
        self.assert_refused("no reason given", results(google_test("no luck")))
        self.assert_refused("no reason given", results("", "notrun"))
        self.assert_refused("no reason given", results("test_a (m.T.test_a) ... skipped 'no luck'\n"))

    def test_reason_of_another_case_does_not_count(self) -> None:
        self.assert_refused("A.B: None", results(google_test(ABSENT) + google_test("").replace("Store.Starts", "A.B")))

    def test_reason_that_the_list_does_not_have(self) -> None:
        self.assert_refused("does not allow this reason", results(google_test("SKIPPED: too slow")))

    def test_reason_of_the_list(self) -> None:
        self.assert_allowed(results(google_test("SKIPPED: no data sets in ../shared/data")))

    def test_strict(self) -> None:
        self.assert_refused("nothing may be skipped", results(google_test(ABSENT)), "--strict")


if __name__ == "__main__":
    unittest.main()
