# SPDX-License-Identifier: Apache-2.0
"""The words of ./dev: arguments, help, packages and build trees. Programs that install or build are
replaced by ones that only note how they were called, so nothing is installed or built.

usage: test_dev.py [unittest's arguments…] ROOT
"""

from __future__ import annotations

import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())
sys.path.insert(0, str(ROOT / "tests/support"))
import optional_programs  # noqa: E402
NOTE = '#!/bin/sh\necho "$(basename "$0") $*" >>"$CALLS"\n'
NOBODY = 65534


class Checkout:
    """A copy of the front. The programs in STUBS only note their arguments."""

    STUBS = ("cmake", "ninja", "ctest", "apt-get")

    def __init__(self, folder: str, is_installed: bool = True) -> None:
        self.path = pathlib.Path(folder, "checkout")
        self._calls = pathlib.Path(folder, "calls")
        self._stubs = pathlib.Path(folder, "stubs")
        for name in ("dev", "docker/install.sh"):
            self._write(self.path / name, (ROOT / name).read_text())
        (self.path / "tests").symlink_to(ROOT / "tests")
        for program in self.STUBS:
            self._write(self._stubs / program, NOTE)
        self._write(self._stubs / "dpkg-query", f"#!/bin/sh\necho {'installed' if is_installed else 'absent'}\n")
        self._write(self.path / "build/verify/tests/soak/core_soak", NOTE)
        os.chmod(folder, 0o755)  # another user runs it too

    def _write(self, path: pathlib.Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def run(self, *arguments: str, **settings) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": f"{self._stubs}:{os.environ['PATH']}", "CALLS": str(self._calls)}
        command = [str(self.path / "dev"), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, **settings)

    def calls(self) -> list[str]:
        return self._calls.read_text().splitlines() if self._calls.exists() else []


class Dev(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.checkout = Checkout(self._folder.name)

    def words(self) -> dict[str, str]:
        """Each word with the rest of its usage line."""
        told = self.checkout.run("help").stdout
        return dict(re.findall(r"^  ([a-z]+)(.*)$", told, re.MULTILINE))

    def assert_refused(self, arguments: str, *texts: str) -> None:
        """One line with these texts, status 2, and nothing was built."""
        run = self.checkout.run(*arguments.split())
        where = f"./dev {arguments}: {run.stderr}"
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1), where)
        for text in texts:
            self.assertIn(text, run.stderr, where)
        self.assertEqual(self.checkout.calls(), [], where)

    def test_docker_names_the_process_at_a_taken_port(self) -> None:
        optional_programs.require_in(self, "ss")
        script = f"source {ROOT}/docker/containers.sh; RequireFreePorts $0; echo free"
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = str(listener.getsockname()[1])
            taken = subprocess.run(["bash", "-c", script, port], capture_output=True, text=True)
        self.assertEqual((taken.returncode, taken.stdout), (1, ""))
        self.assertIn(f"127.0.0.1:{port}: ", taken.stderr)
        self.assertIn(f"(process {os.getpid()})", taken.stderr)
        free = subprocess.run(["bash", "-c", script, port], capture_output=True, text=True)
        self.assertEqual((free.returncode, free.stdout), (0, "free\n"), free.stderr)

    def test_is_short(self) -> None:
        self.assertLessEqual(len((ROOT / "dev").read_text().splitlines()), 350)

    def test_help_lists_every_word(self) -> None:
        functions = re.findall(r"^Word(\w+)\(\)", (ROOT / "dev").read_text(), re.MULTILINE)
        self.assertEqual(sorted(self.words()), sorted(name.lower() for name in functions))

    def test_help_of_one_word_shows_its_usage(self) -> None:
        for word, usage in self.words().items():
            lines = self.checkout.run(word, "--help").stdout.splitlines()
            self.assertEqual(lines[0], f"  {word}{usage}")
            self.assertGreaterEqual(len(lines), 2, word)
        self.assertEqual(self.checkout.calls(), [])

    def test_unknown_word_is_refused_with_the_nearest(self) -> None:
        hint = "./dev help lists the words"
        self.assert_refused("tset", "unknown word 'tset'; did you mean 'test'?", hint)
        self.assert_refused("docer", "did you mean 'docker'?")
        self.assert_refused("helpme", "did you mean 'help'?")
        self.assert_refused("xyzzy", "unknown word 'xyzzy'; ./dev help lists the words")

    def test_unknown_flag_is_refused(self) -> None:
        for word, usage in self.words().items():
            if "FLAG" not in usage and "ARGUMENT" not in usage:
                needed = " build" if word in ("install", "score") else ""
                self.assert_refused(f"{word}{needed} --no-such-flag", "unknown flag '--no-such-flag'", f"./dev {word}")

    def test_misspelt_flag_is_refused_with_the_nearest(self) -> None:
        for word, usage in self.words().items():
            for flag in re.findall(r"--[a-z-]+", usage):
                wrong = f"{flag[:3]}{flag[4]}{flag[3]}{flag[5:]}"
                self.assert_refused(f"{word} {wrong}", f"unknown flag '{wrong}'; did you mean '{flag}'?")

    def test_argument_of_a_word_without_any_is_refused(self) -> None:
        for word, usage in self.words().items():
            if not re.search("[A-Z]", usage):
                self.assert_refused(f"{word} foo", "unexpected argument 'foo'", f"./dev {word}")

    def test_missing_argument_is_refused(self) -> None:
        self.assert_refused("score", "missing argument", "./dev score PATH…")
        self.assert_refused("install", "missing argument", "./dev install GROUP…")

    def test_wrong_argument_is_refused(self) -> None:
        self.assert_refused("soak 5m", "invalid SECONDS '5m': must be a whole number")
        self.assert_refused("install bulid", "unknown group 'bulid'", "build")
        self.assert_refused("hammer kil", "unknown kind of fault 'kil'; did you mean 'kill'?")
        self.assert_refused("fuzz 5 hul_fuzz", "unknown fuzz target 'hul_fuzz'; did you mean 'hull_fuzz'?")
        self.assert_refused("fuzz --short 5", "SECONDS")
        self.assert_refused("bench --short --save", "not allowed with")
        self.assert_refused("golden --short --save", "not allowed with")

    def test_builds_and_runs_with_the_arguments(self) -> None:
        run = self.checkout.run("soak", "7", "--seed", "3")
        self.assertEqual(run.returncode, 0, run.stderr)
        configure, build, soak = self.checkout.calls()
        self.assertEqual(configure, "cmake --preset verify")
        self.assertRegex(build, r"^cmake --build --preset verify -j \d+ --target core_soak$")
        self.assertRegex(soak, r"^core_soak --threads \d+ --seconds 7 --seed 3$")

    def configure_call(self, source: str) -> str:
        cache = self.checkout.path / "build/verify/CMakeCache.txt"
        cache.write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={source}\n")
        self.checkout.run("soak")
        return self.checkout.calls()[0]

    def test_build_tree_of_this_checkout_is_kept(self) -> None:
        self.assertEqual(self.configure_call(str(self.checkout.path)), "cmake --preset verify")

    def test_build_tree_of_another_checkout_is_configured_from_scratch(self) -> None:
        self.assertEqual(self.configure_call("/nowhere/else"), "cmake --preset verify --fresh")
        self.assertEqual(self.configure_call(str(ROOT)), "cmake --preset verify --fresh")

    def test_missing_package_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            checkout = Checkout(folder, is_installed=False)
            settings = {"user": NOBODY} if os.geteuid() == 0 else {}
            run = checkout.run("install", "kubernetes", **settings)
            self.assertEqual((run.returncode, checkout.calls()), (1, []), run.stderr)
            self.assertRegex(run.stderr, r"as root: apt-get install --no-install-recommends .*\bpython3-yaml\n")


if __name__ == "__main__":
    os.umask(0o022)
    unittest.main()
