# SPDX-License-Identifier: Apache-2.0
"""The Node example, installed from its lock file and run against a server as its README says, prints what
that shows; the answers are right by closed form."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from server import Server

ROOT = pathlib.Path(os.environ["CLEARANCE_ROOT"])


class Example(unittest.TestCase):
    def setUp(self) -> None:
        # Elsewhere than in the sources, with the protos where the example looks for them.
        root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder = root / "client/node"
        ignored = shutil.ignore_patterns("node_modules")
        shutil.copytree(ROOT / "client/node", self.folder, ignore=ignored)
        (root / "proto").symlink_to(ROOT / "proto")
        self.server = Server()
        self.addCleanup(self.server.end)

    def run_here(self, *command: str, status: int = 0) -> subprocess.CompletedProcess:
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_prints_what_the_readme_shows(self) -> None:
        self.run_here("npm", "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund")
        said = self.run_here("node", "ask.js", self.server.address).stdout

        readme = (ROOT / "client/node/README.md").read_text()
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
    if not shutil.which("npm"):
        print("npm is not installed")
        sys.exit(77)
    unittest.main()
