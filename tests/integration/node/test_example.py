# SPDX-License-Identifier: Apache-2.0
"""The Node example, run against a server as its README says, prints the output shown there. The
answers are right by closed form. Its packages are those of `./dev install node`: nothing is fetched
here."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import optional_programs
from server import Server

ROOT = pathlib.Path(os.environ["CLEARANCE_ROOT"])
FOLDER = ROOT / "client/node"


class Example(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.end)

    def run_here(self, *command: str, status: int = 0) -> subprocess.CompletedProcess:
        done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_copied_elsewhere_says_what_it_needs(self) -> None:
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(FOLDER, copy, dirs_exist_ok=True)
            command = ["node", f"{copy}/ask.js", self.server.address]
            missing = self.run_here(*command, status=1)
            self.assertIn("CLEARANCE_PROTO=FOLDER", missing.stderr)
            self.assertEqual(missing.stderr.count("\n"), 1)
            os.environ["CLEARANCE_PROTO"] = str(ROOT / "proto")
            self.addCleanup(os.environ.pop, "CLEARANCE_PROTO")
            self.assertIn("SEPARATED", self.run_here(*command).stdout)

    def test_prints_what_the_readme_shows(self) -> None:
        said = self.run_here("node", "ask.js", self.server.address).stdout

        readme = (FOLDER / "README.md").read_text()
        (shown,) = re.findall(r"```\n\$ node ask.js\n(.*?)```", readme, re.DOTALL)
        self.assertEqual(said, shown)
        # A ball of 0.05 m before the face of a box at 0.2 m; at 0.2 m its centre is in that face.
        rows = re.findall(r"(\w+)  (\S+) m, proved to lie in \[(\S+), (\S+)\]", said)
        self.assertEqual([row[0] for row in rows], ["SEPARATED", "SEPARATED", "SEPARATED", "PENETRATING"])
        for row, x in zip(rows, (1, 1, 0.5, 0.2)):
            distance, lower, upper = map(float, row[1:])
            self.assertAlmostEqual(distance, x - 0.25, delta=1e-12)
            self.assertLessEqual(lower, x - 0.25 + 1e-16)
            self.assertGreaterEqual(upper, x - 0.25 - 1e-16)

        self.server.end()
        error = self.run_here("node", "ask.js", self.server.address, status=1).stderr
        self.assertIn("UNAVAILABLE", error)


if __name__ == "__main__":
    optional_programs.require("node")
    if not (FOLDER / "node_modules").is_dir():
        optional_programs.skip("needs the npm packages of client/node (./dev install node)")
    unittest.main()
