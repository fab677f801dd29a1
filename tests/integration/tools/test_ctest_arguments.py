# SPDX-License-Identifier: Apache-2.0
"""Tests which arguments ctest_arguments.py lets through to ctest."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(__file__).parents[2] / "support/ctest_arguments.py"


class Arguments(unittest.TestCase):
    def check(self, *arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-B", str(PROGRAM), *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def test_flags_of_ctest_and_their_values_are_allowed(self) -> None:
        for arguments in (
            [],
            ["-R", "Store"],
            ["-L", "^(etcd|tools)$", "-LE", "^case$"],
            ["--timeout", "5", "--output-on-failure"],
            ["--timeout=5", "-V", "-N"],
            ["-R", "-starts-with-a-dash"],
        ):
            with self.subTest(arguments):
                self.assertEqual(self.check(*arguments), (0, ""))

    def test_unknown_flag_is_refused(self) -> None:
        for arguments in (["--frobnicate"], ["-R", "Store", "--strict"], ["--repeat-until=3"]):
            with self.subTest(arguments):
                status, text = self.check(*arguments)
                self.assertEqual(status, 2)
                self.assertIn(f"unknown flag '{arguments[-1]}'", text)
                self.assertEqual(text.count("\n"), 1)

    def test_word_that_no_flag_takes_is_refused(self) -> None:
        for arguments in (["Store"], ["-V", "Store"], ["-R", "Session", "Store"], ["--timeout=5", "Store"]):
            with self.subTest(arguments):
                status, text = self.check(*arguments)
                self.assertEqual(status, 2)
                self.assertIn("unexpected argument 'Store'; did you mean '-R Store'?", text)


if __name__ == "__main__":
    unittest.main()
