# SPDX-License-Identifier: Apache-2.0
"""Every block of code of every page is run, here or by the test that is named.

A block that no line of BLOCKS knows fails. Commands of one page run one after the other in one
folder, with a server at the address where they expect one. In a transcript, lines after "$ " are
commands (further ones after "> "), and their output follows. In the output `…` stands for anything
within a line, and alone on one for any number of lines."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest
import urllib.request

import optional_programs
from server import Server

ROOT = pathlib.Path(os.environ["CLEARANCE_ROOT"])
BUILD = pathlib.Path(os.environ["CLEARANCE_BUILD"])
WHEEL = pathlib.Path(os.environ["CLEARANCE_WHEEL"])

RUN = "run"  # here
FIGURE = "figure"  # no code
PRINTED = "printed"  # what the block before it prints
# "test NAME": ctest's test that takes the block out of the page, or does the same.
# "dev": words of ./dev, which .ci/run or tests/verify runs. "kept": why it is not run.
BLOCKS = {
    "README.md": [RUN, "dev", "kept: needs a container daemon; ./dev docker runs the image likewise", RUN]
    + ["test python.examples"],
    "CONTRIBUTING.md": [FIGURE],
    "client/cli/README.md": [RUN] * 9,
    "client/cpp/README.md": ["test CppPage.ExamplePrintsWhatThePageShows"] * 2
    + ["test integration.client.Package.IsFoundAndLinksFromAnotherProject"]
    + ["test CppPage.SceneExamplePrintsWhatThePageShows"] * 2,
    "client/examples/game/README.md": [RUN, PRINTED, RUN, RUN],
    "client/examples/hello/README.md": ["test python.examples", RUN],
    "client/examples/ompl/README.md": ["dev"],
    "client/guide/calls.md": ["test PageTest.AnswersTheQuestionOfTheGuide"] * 2,
    "client/guide/shapes.md": [RUN],
    "client/node/README.md": ["test node.example", "test node.example"],
    "client/page/README.md": ["dev"],
    "client/python/README.md": ["test python.examples", "test python.examples"],
    "docker/README.md": ["kept: needs a container daemon; ./dev docker starts what can be had of it", RUN],
    "docker/kubernetes/README.md": [RUN, RUN],
    "proto/README.md": [RUN, RUN, "test ProtoPage.RewindMeetsWhoStoodThere"],
    "server/README.md": [RUN, RUN],
    "server/guide/access.md": [RUN],
    "tests/README.md": [FIGURE],
}

# Values that a reader has or knows.
BALL = '{"sphere": {"radius": 0.05}}'
CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + "".join(
    f"f {face}\n" for face in ("1 2 4 3", "5 6 8 7", "1 2 6 5", "3 4 8 7", "1 3 7 5", "2 4 8 6")
)
POSE = [0, 0, 0, 0, 0, 0, 1]
FILES = {
    "proto/README.md": {
        "meshes/crate.obj": CUBE,
        "gripper.obj": CUBE,
        "poses.json": json.dumps([{"mesh": "crate.obj", "pose": POSE, "id": 7}]),
        "change.json": json.dumps({"poses": {"count": 1, "ids": [7], "poses": [1, *POSE[1:]]}}),
        "arm.json": json.dumps([{"mesh": "gripper.obj", "pose": POSE, "id": 100}]),
    },
    "server/guide/access.md": {"crate.json": BALL},
    "docker/kubernetes/README.md": {},
}
REPLACED = {
    "proto/README.md": {
        '"$etag"': '"$(clearance scene get cell --json | sed -n \'s/.*"etag": "\\(.*\\)".*/\\1/p\')"',
        # It would wait for the next revision, and none is made.
        "--revision 7": "--revision 1 --count 1",
    },
    "client/examples/game/README.md": {
        " --ticks 600 --baseline": " --ticks 600 --rate 0 --baseline --address 127.0.0.1:50051",
        " --ticks 600 --log": " --ticks 60 --rate 0 --address 127.0.0.1:50051 --log",
        "game_authority --baseline": "game_authority --ticks 60 --rate 0 --address 127.0.0.1:50051 --baseline",
        "--level DIR": "",  # not of this repository; clearance_process_test has one where it is there
    },
}
# Stand-ins for programs that cannot do here what the page says: they do as much as can be done.
FUNCTIONS = r"""
ninja() { :; }  # it is built
pidof() { echo "$SERVER_PID"; }
ctest() { command ctest -N "$@" | grep 'Total Tests: [1-9]'; }
kubectl() {
  case $1 in
    apply) command kubectl kustomize "$3" ;;
    *) command kubectl "$@" --dry-run=client -o yaml ;;
  esac
}
"""
NEEDS = {
    "docker/README.md": ["promtool"],
    "docker/kubernetes/README.md": ["kubectl", "openssl"],
    "server/README.md": ["openssl"],
}


@dataclasses.dataclass
class Block:
    language: str
    text: str


def pages() -> dict[str, list[Block]]:
    """Returns the blocks of each page that has any."""
    found = {}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith((".", "build", "node_modules"))]
        for file in files:
            path = pathlib.Path(folder, file)
            if path.suffix != ".md":
                continue
            text = path.read_text(encoding="utf-8")
            blocks = re.findall(r"^ *(?:```|~~~)(\S*)\n(.*?)^ *(?:```|~~~)$", text, re.DOTALL | re.MULTILINE)
            if blocks:
                found[str(path.relative_to(ROOT))] = [Block(*block) for block in blocks]
    return found


def pattern_of(line: str) -> str:
    """Returns the pattern of a line that a page shows. `…` stands for anything and for the padding
    before it, because a wider number has less of it."""
    return ".*".join(re.escape(part) for part in re.split(r" *…", line)) + "\n"


def examples(block: Block) -> list[tuple[str, str | None]]:
    """Returns commands, each with the pattern of its output; None: any output, but it must
    succeed."""
    if not any(line.startswith("$ ") for line in block.text.splitlines()):
        return [(line, None) for line in block.text.replace("\\\n", "").splitlines() if line.strip()]
    found: list[tuple[str, str | None]] = []
    for line in block.text.splitlines():
        command, pattern = found.pop() if found else ("", "")
        if line.startswith("$ "):
            found += [(command, pattern)] if command else []
            found.append((line[2:], ""))
        elif line.startswith("> "):
            found.append((f"{command}\n{line[2:]}", pattern))
        elif line == "…":
            found.append((command, pattern + "(.*\n)*"))
        else:
            found.append((command, pattern + pattern_of(line)))
    return found


class Folder:
    """The folder in which the commands of one page run."""

    def __init__(self, page: str, path: str, stack: contextlib.ExitStack) -> None:
        self.page, self.path, self.stack = page, pathlib.Path(path), stack
        (self.path / "build").mkdir()
        for link, target in (
            ("build/release", BUILD),
            ("build/python", WHEEL.parent),
            ("docker", ROOT / "docker"),
        ):
            (self.path / link).symlink_to(target)
        for name, text in FILES.get(page, {}).items():
            (self.path / name).parent.mkdir(exist_ok=True)
            (self.path / name).write_text(text, encoding="utf-8")
        self.server = self.start([])

    def start(self, flags: list[str]) -> Server:
        with contextlib.chdir(self.path):
            server = Server(*flags)
        self.stack.callback(server.end)
        return server

    def script(self, command: str) -> str:
        """Returns the command as it is run here; its settings stay for the commands after it."""
        for old, new in REPLACED.get(self.page, {}).items():
            command = command.replace(old, new)
        command = re.sub(r"\b(127\.0\.0\.1|host|elsewhere):50051\b", f"127.0.0.1:{self.server.port}", command)
        environment = {
            "PATH": f"{BUILD / 'client'}:{BUILD / 'server'}:" + os.environ["PATH"],
            "CLEARANCE_ADDR": self.server.address,
            "CLEARANCE_HTTP_ADDR": f"127.0.0.1:{self.server.http_port}",
            "SERVER_PID": str(self.server.pid),
        }
        lines = [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]
        lines += [FUNCTIONS, "touch .variables; source ./.variables; exec 2>&1", command]
        lines += ["status=$?; declare -p ball >.variables 2>/dev/null; exit $status"]
        return "\n".join(lines)

    def run(self, command: str) -> subprocess.CompletedProcess | None:
        """Runs a command; returns None for one that starts a server, which then runs with its
        flags."""
        if command.startswith(("./dev run", "export PATH=")):
            return None
        serves = re.fullmatch(r"clearance-server ((?:--\w+=\S+ ?)+)&?", command)
        if serves and "--new_token" not in command:
            flags = [flag for flag in serves[1].split() if not flag.startswith("--listen")]
            self.server = self.start(flags)
            return None
        return subprocess.run(["bash", "-c", self.script(command)], cwd=self.path, stdout=subprocess.PIPE, text=True)


def make_certificates(folder: pathlib.Path) -> None:
    """Makes a CA, and a server's and a client's certificate of it, by the names in pages."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca")
    for name in ("server", "me", "client"):
        openssl("req", *new, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1")
        sign = ("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key")
        openssl(*sign, "-CAcreateserial", "-out", f"{name}.pem", "-extfile", "names")


class Pages(unittest.TestCase):
    def setUp(self) -> None:
        self.pages = pages()

    def blocks(self, kind: str):
        for page, verdicts in BLOCKS.items():
            for number, (verdict, block) in enumerate(zip(verdicts, self.pages[page]), 1):
                if verdict.split()[0].rstrip(":") == kind:
                    yield f"{page}, block {number}", verdict, block

    def test_have_no_block_that_nobody_runs(self) -> None:
        counts = {page: len(blocks) for page, blocks in self.pages.items()}
        self.assertEqual(counts, {page: len(verdicts) for page, verdicts in BLOCKS.items()})
        for kind in (FIGURE, PRINTED):
            for where, _, block in self.blocks(kind):
                self.assertEqual((block.language, "$ " in block.text), ("", False), where)
        for where, _, block in self.blocks("kept"):
            for path in re.findall(r"\bdocker/\S+", block.text):
                self.assertTrue((ROOT / path).exists(), f"{where}: {path}")

    def test_name_tests_that_there_are(self) -> None:
        told = subprocess.run(["ctest", "-N"], cwd=BUILD, capture_output=True, text=True, check=True).stdout
        known = set(re.findall(r"Test +#\d+: (\S+)", told))
        for where, verdict, _ in self.blocks("test"):
            self.assertTrue(verdict.split()[1] in known, f"{where}: {verdict}")

    def test_name_words_of_dev_that_there_are(self) -> None:
        told = subprocess.run([ROOT / "dev", "help"], capture_output=True, text=True, check=True).stdout
        words = set(re.findall(r"^  (\w+)", told, re.MULTILINE))
        for page in ROOT.glob("**/*.md"):
            if "node_modules" in page.parts or "build" in page.parts:
                continue
            for word in re.findall(r"\./dev (\w+)", page.read_text(encoding="utf-8")):
                self.assertIn(word, words, page)

    def test_show_only_words_of_dev_that_a_tier_runs(self) -> None:
        tiers = [ROOT / ".ci/run", *(ROOT / "tests/verify").iterdir()]
        run = {word for tier in tiers for word in re.findall(r"\./dev (\w+)", tier.read_text(encoding="utf-8"))}
        for where, _, block in self.blocks("dev"):
            for line in block.text.splitlines():
                self.assertTrue(line.startswith("./dev "), where)
                self.assertIn(line.split()[1], run, f"{where}: neither .ci/run nor tests/verify runs it")

    def run_page(self, page: str) -> None:
        with tempfile.TemporaryDirectory() as path, contextlib.ExitStack() as stack:
            folder = Folder(page, path, stack)
            if "openssl" in NEEDS.get(page, []):
                make_certificates(folder.path)
            printed = ""
            for verdict, block in zip(BLOCKS[page], self.pages[page]):
                if verdict == PRINTED:
                    self.assert_prints(block.text, printed)
                if verdict == RUN:
                    printed = self.run_block(folder, block)

    def run_block(self, folder: Folder, block: Block) -> str:
        """Returns everything that it printed."""
        printed = ""
        if block.language == "yaml":  # probes
            for path in re.findall(r"\bpath: (/\w+), port: 9464\b", block.text):
                with urllib.request.urlopen(f"http://127.0.0.1:{folder.server.http_port}{path}") as reply:
                    self.assertEqual(reply.status, 200)
            return printed
        for command, pattern in examples(block):
            if command == "cat policy.json":
                text = "".join(block.text.partition("policy.json\n")[2].partition("\n}}\n")[:2])
                (folder.path / "policy.json").write_text(text, encoding="utf-8")
            done = folder.run(command)
            if done is None:
                continue
            printed += done.stdout
            if pattern is None:
                # An answer "not free" is allowed.
                allowed = (0, 1) if command.startswith("clearance scene ") else (0,)
                self.assertIn(done.returncode, allowed, f"$ {command}\n{done.stdout}")
            else:
                self.assertRegex(done.stdout, f"\\A(?:{pattern})\\Z", f"$ {command}\n{done.stdout}")
        return printed

    def assert_prints(self, shown: str, printed: str) -> None:
        pattern = "".join(pattern_of(line) for line in shown.splitlines())
        self.assertRegex(printed, pattern, printed)


def add_page(page: str) -> None:
    def test(self: Pages) -> None:
        optional_programs.require_in(self, *NEEDS.get(page, []))
        self.run_page(page)

    setattr(Pages, "test_runs_" + re.sub(r"\W", "_", page), test)


for name, verdicts in BLOCKS.items():
    if RUN in verdicts:
        add_page(name)

if __name__ == "__main__":
    unittest.main()
