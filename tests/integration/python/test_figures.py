# SPDX-License-Identifier: Apache-2.0
"""The figures of pages: drawn again from a server's answers, they equal those of the page."""

import os
import pathlib
import re
import runpy
import tempfile
import unittest

import optional_programs
from server import Server

ROOT = pathlib.Path(os.environ["CLEARANCE_ROOT"])
FOLDERS = (ROOT / "proto/figures", ROOT / "client/python/figures")


class Figures(unittest.TestCase):
    def test_say_what_a_server_answers(self) -> None:
        optional_programs.require_in(self, "python3:matplotlib")
        server = Server()
        self.addCleanup(server.end)
        for figures in FOLDERS:
            with self.subTest(figures=figures):
                self.assert_are_those_of_the_page(figures, server.address)

    def assert_are_those_of_the_page(self, figures: pathlib.Path, address: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            draw = runpy.run_path(str(figures / "draw.py"))["main"]
            draw(address, folder)
            drawn = {path.name: path.read_text() for path in pathlib.Path(folder).iterdir()}
        self.assertEqual(sorted(drawn), sorted(path.name for path in figures.glob("*.svg")))
        page = (figures.parent / "README.md").read_text()
        for name, text in drawn.items():
            self.assertIn(f"](figures/{name})", page)
            # Not the bytes: versions of matplotlib write numbers differently.
            self.assertEqual(self.words(text), self.words((figures / name).read_text()), name)
            self.assertTrue(self.words(text), name)

    @staticmethod
    def words(svg: str) -> list[str]:
        return re.findall(r">([^<>]*\w[^<>]*)</t", svg)


if __name__ == "__main__":
    unittest.main()
