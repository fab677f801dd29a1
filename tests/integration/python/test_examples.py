# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of the documentation: those of every module, the package's page and the README.
The README's run with the wheel in a separate virtual environment."""

import contextlib
import doctest
import importlib
import io
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest

import optional_programs
from server import Server

import clearance


class Examples(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.end)

    def test_of_every_module(self) -> None:
        optional_programs.require_in(self, "python3:matplotlib")
        attempted = {}
        for info in pkgutil.iter_modules(clearance.__path__):
            module = importlib.import_module(f"clearance.{info.name}")
            names = {"clearance": clearance, "address": self.server.address}
            results = doctest.testmod(module, extraglobs=names)
            self.assertEqual(results.failed, 0, info.name)
            attempted[info.name] = results.attempted
        for name in (
            "client",
            "session",
            "poses",
            "verify",
            "aio",
            "results",
            "scenes",
            "_scene_client",
            "batches",
            "tracks",
            "picture",
        ):
            self.assertGreater(attempted[name], 0, name)

    def test_of_the_package_s_page(self) -> None:
        root = pathlib.Path(os.environ["CLEARANCE_ROOT"])
        page = (root / "client/python/README.md").read_text()
        examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
        self.assertEqual(len(examples), 2)
        names = {}
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            for example in examples:
                exec(example.replace("127.0.0.1:50051", self.server.address), names)
        # A comment beside each call has its output.
        shown = re.findall(r"^ *print\(.*\) +# ([^:\n]*)", "".join(examples), re.MULTILINE)
        self.assertEqual(said.getvalue().splitlines(), shown)
        self.assertEqual(int(names["hits"].bodies_b), 1)

    def test_of_the_first_programs(self) -> None:
        folder = pathlib.Path(os.environ["CLEARANCE_ROOT"]) / "client/examples/hello"
        page = (folder / "README.md").read_text()
        (shown,) = re.findall(r"hello_planner\.py [\d.:]+\n(.*?)```", page, re.DOTALL)
        program = [sys.executable, "-B", folder / "hello_planner.py", self.server.address]
        done = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(done.stdout, shown)

    def test_of_the_readme_with_the_wheel(self) -> None:
        optional_programs.require_in(self, "python3:ensurepip")
        text = (pathlib.Path(os.environ["CLEARANCE_ROOT"]) / "README.md").read_text()
        section = text.split("### From Python\n")[1].split("\n#")[0]
        (example,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
        example = example.replace("127.0.0.1:50051", self.server.address)
        with tempfile.TemporaryDirectory() as folder:
            python = self.python_with_the_wheel(folder)
            where = self.run_in(folder, python, "-c", "import clearance; print(clearance.__file__)")
            self.assertTrue(where.startswith(str(python.parents[1])), where)
            said = self.run_in(folder, python, "-c", example)
            typed = self.run_in(folder, python, "-m", "pip", "show", "--files", "clearance")
        self.assertIn("[-0.05  0.15  0.35  0.55  0.75] (5, 3)", said)
        self.assertIn("[False  True  True  True  True] [0.05", said)
        self.assertIn("clearance/py.typed", typed)

    def python_with_the_wheel(self, folder: str) -> pathlib.Path:
        """Returns this Python if it is of an environment with the wheel, else that of a new one."""
        if sys.prefix != sys.base_prefix and clearance.__file__.startswith(sys.prefix):
            return pathlib.Path(sys.executable)
        python = pathlib.Path(folder) / "bin/python"
        self.run_in(folder, sys.executable, "-m", "venv", "--system-site-packages", folder)
        install = ("-m", "pip", "install", "--quiet", "--no-index", "--no-deps")
        self.run_in(folder, python, *install, os.environ["CLEARANCE_WHEEL"])
        return python

    @staticmethod
    def run_in(folder: str, *command) -> str:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout


if __name__ == "__main__":
    unittest.main()
