#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the Python tests with the oldest and the newest dependencies that the wheel allows.

Each stack is a virtual environment of its own with the wheel and versions of grpcio, protobuf and
numpy from the Python index. Exits with 1 if a test failed, with 77 if no stack could be made.
"""

from __future__ import annotations

import argparse
import email
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests/integration/python"
PACKAGES = ("grpcio", "protobuf", "numpy")
SECONDS_PER_MODULE = 600
# The figures of pages are drawn with Debian's matplotlib; others number the axes differently.
LEFT_OUT = {"test_figures"}

# The first versions with wheels for a Python, where the wheel's lower bounds have none.
FIRST_WHEELS = {
    (3, 12): {"grpcio": "1.59.2", "numpy": "1.26.0"},
    (3, 13): {"grpcio": "1.67.0", "numpy": "2.1.0"},
    (3, 14): {"grpcio": "1.76.0", "numpy": "2.3.3"},
}

# Combinations that people have, tried with the first Python.
MIXES = {
    "numpy 1, protobuf 5": ("numpy<2", "protobuf>=5,<6", "grpcio>=1.60,<1.70"),
    "numpy 2, protobuf 5": ("numpy>=2", "protobuf>=5,<6", "grpcio>=1.70,<1.80"),
    "numpy 2, protobuf 6": ("numpy>=2", "protobuf>=6,<7", "grpcio>=1.70,<1.80"),
}


class IndexNotReached(Exception):
    pass


class Failed(Exception):
    pass


@dataclass(frozen=True)
class Interpreter:
    path: str
    version: tuple[int, int]

    @property
    def name(self) -> str:
        return ".".join(map(str, self.version))


@dataclass(frozen=True)
class Wheel:
    path: pathlib.Path
    oldest_python: tuple[int, int]
    oldest: dict[str, str]  # by package


@dataclass(frozen=True)
class Stack:
    name: str
    interpreter: Interpreter
    requirements: tuple[str, ...]


@dataclass
class Outcome:
    stack: Stack
    versions: str = ""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0


def read_wheel(path: pathlib.Path) -> Wheel:
    with zipfile.ZipFile(path) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(archive.read(name))
    oldest = {}
    for requirement in metadata.get_all("Requires-Dist", []):
        bound = re.match(r"([\w-]+).*>=\s*([\d.]+)", requirement)
        if bound and bound[1] in PACKAGES:
            oldest[bound[1]] = bound[2]
    if sorted(oldest) != sorted(PACKAGES):
        raise Failed(f"{path}: expected a lower bound for each of {PACKAGES}, found {oldest}")
    python = re.search(r">=\s*(\d+)\.(\d+)", metadata["Requires-Python"])
    return Wheel(path, (int(python[1]), int(python[2])), oldest)


def version_of(path: str) -> tuple[int, int] | None:
    command = [path, "-c", "import sys, venv, ensurepip; print(*sys.version_info[:2])"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        major, minor = map(int, done.stdout.split())
        return major, minor
    if "ensurepip" in done.stderr or "venv" in done.stderr:
        print(f"SKIPPED: venv of {path} is not installed (Debian package python3-venv)")
    return None


def find_interpreters(oldest: tuple[int, int]) -> list[Interpreter]:
    """One of each version that the wheel allows, Debian's first."""
    candidates = ["/usr/bin/python3"]
    candidates += [path for n in range(20, 8, -1) if (path := shutil.which(f"python3.{n}"))]
    candidates += map(str, sorted((pathlib.Path.home() / ".pyenv/versions").glob("3.*/bin/python3")))
    found: dict[tuple[int, int], Interpreter] = {}
    for path in candidates:
        version = version_of(path) if os.access(path, os.X_OK) else None
        if version and version >= oldest:
            found.setdefault(version, Interpreter(path, version))
    return list(found.values())


def oldest_requirements(wheel: Wheel, interpreter: Interpreter) -> tuple[str, ...]:
    versions = {**wheel.oldest, **FIRST_WHEELS.get(interpreter.version, {})}
    return tuple(f"{package}=={version}" for package, version in versions.items())


def stacks_of(wheel: Wheel, interpreters: list[Interpreter]) -> list[Stack]:
    stacks = []
    for interpreter in interpreters:
        stacks.append(Stack("oldest", interpreter, oldest_requirements(wheel, interpreter)))
        stacks.append(Stack("newest", interpreter, ()))
    for name, requirements in MIXES.items():
        stacks.append(Stack(name, interpreters[0], requirements))
    return stacks


def run(*command: object) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_environment(folder: pathlib.Path, interpreter: Interpreter) -> pathlib.Path:
    shutil.rmtree(folder, ignore_errors=True)
    run(interpreter.path, "-m", "venv", folder)
    return folder / "bin/python"


def require_index(work: pathlib.Path, interpreter: Interpreter) -> None:
    """Raises IndexNotReached unless a small package can be downloaded."""
    python = make_environment(work / "index", interpreter)
    quick = ("--quiet", "--retries", "0", "--timeout", "15", "--no-cache-dir")
    try:
        download = (python, "-m", "pip", "download", *quick, "--no-deps")
        run(*download, "--dest", work / "index/download", "typing_extensions")
    except Failed as failure:
        raise IndexNotReached from failure


def install(stack: Stack, wheel: Wheel, python: pathlib.Path) -> str:
    """Returns the versions that were installed."""
    pip = (python, "-m", "pip", "--disable-pip-version-check")
    binary = [f"--only-binary={package}" for package in (*PACKAGES, "matplotlib")]
    run(*pip, "install", "--quiet", *binary, f"{wheel.path}[picture]", *stack.requirements)
    run(*pip, "check")
    installed = dict(line.split("==") for line in run(*pip, "freeze").split() if "==" in line)
    return ", ".join(f"{package} {installed[package]}" for package in PACKAGES)


def test_environment(wheel: Wheel, server: pathlib.Path, protoc: str) -> dict[str, str]:
    # What gRPC does before a fork may wait for its own threads for ever.
    return os.environ | {
        "PYTHONPATH": str(ROOT / "tests/support"),
        "GRPC_ENABLE_FORK_SUPPORT": "0",
        "CLEARANCE_SERVER": str(server),
        "CLEARANCE_WHEEL": str(wheel.path),
        "CLEARANCE_ROOT": str(ROOT),
        "CLEARANCE_PROTOC": protoc,
    }


def run_module(name: str, python: pathlib.Path, environment: dict[str, str]) -> tuple[str, bool]:
    command = [python, "-B", "-W", "error::ResourceWarning", "-m", "unittest", "-v", name]
    try:
        done = subprocess.run(
            command, cwd=TESTS, env=environment, timeout=SECONDS_PER_MODULE, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
    except subprocess.TimeoutExpired as expired:
        output = (expired.output or b"").decode(errors="replace")
        return f"{output}\nno end after {SECONDS_PER_MODULE} s", False
    return done.stdout, done.returncode == 0


def add_module(outcome: Outcome, output: str, is_passed: bool) -> None:
    """Counts what unittest says at its end; a module without such a line failed once."""
    ran = re.search(r"^Ran (\d+) tests?", output, re.MULTILINE)
    counts = {key: int(n) for key, n in re.findall(r"(failures|errors|skipped)=(\d+)", output)}
    failed = counts.get("failures", 0) + counts.get("errors", 0)
    if not is_passed:
        failed = max(failed, 1)
    skipped = counts.get("skipped", 0)
    outcome.failed += failed
    outcome.skipped += skipped
    outcome.passed += max(int(ran[1]) - failed - skipped, 0) if ran else 0


def run_stack(stack: Stack, wheel: Wheel, work: pathlib.Path, environment: dict[str, str],
              modules: list[str]) -> Outcome:
    outcome = Outcome(stack)
    begin = time.monotonic()
    folder = work / re.sub(r"[^a-z0-9.]+", "-", f"{stack.interpreter.name}-{stack.name}")
    try:
        python = make_environment(folder, stack.interpreter)
        outcome.versions = install(stack, wheel, python)
        for module in modules:
            output, is_passed = run_module(module, python, environment)
            add_module(outcome, output, is_passed)
            if not is_passed:
                print(output)
            for reason in re.findall(r"SKIPPED: .*", output):
                print(reason)
    except Failed as failure:
        print(failure)
        outcome.failed += 1
    outcome.seconds = time.monotonic() - begin
    return outcome


def table_of(outcomes: list[Outcome]) -> str:
    rows = [("python", "stack", "versions", "passed", "failed", "skipped", "seconds")]
    for o in outcomes:
        counts = (str(o.passed), str(o.failed), str(o.skipped), f"{o.seconds:.0f}")
        rows.append((o.stack.interpreter.name, o.stack.name, o.versions, *counts))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release",
                        help="Build folder with the server and the wheel.")
    parser.add_argument("--stack", default="", help="Runs only stacks whose name has this part.")
    parser.add_argument("--python", default="", help="Runs only this Python, such as 3.11.")
    parser.add_argument("modules", nargs="*", help="Test modules; all of them if none is given.")
    return parser.parse_args()


def built_files(build: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    wheels = sorted(build.glob("python/clearance-*.whl"))
    server = build / "server/clearance-server"
    if len(wheels) != 1 or not server.exists():
        raise Failed(f"{build}: expected a server and one wheel; build the targets clearance-server"
                     f" and clearance_python (found {len(wheels)} wheels)")
    return wheels[0].resolve(), server.resolve()


def run_all(options: argparse.Namespace) -> int:
    path, server = built_files(options.build)
    wheel = read_wheel(path)
    protoc = shutil.which("protoc")
    if not protoc:
        print("SKIPPED: protoc is not installed (Debian package protobuf-compiler)")
        return 77
    interpreters = [i for i in find_interpreters(wheel.oldest_python)
                    if options.python in ("", i.name)]
    if not interpreters:
        print("SKIPPED: no Python that the wheel allows can make virtual environments")
        return 77
    work = options.build.resolve() / "python_stacks"
    require_index(work, interpreters[0])
    environment = test_environment(wheel, server, protoc)
    stacks = [s for s in stacks_of(wheel, interpreters) if options.stack in s.name]
    if not stacks:
        raise Failed(f"--stack {options.stack}: must be part of oldest, newest, {', '.join(MIXES)}")
    found = {path.stem for path in TESTS.glob("test_*.py")} - LEFT_OUT
    modules = options.modules or sorted(found)
    outcomes = []
    for stack in stacks:
        print(f"== Python {stack.interpreter.name}, {stack.name}", flush=True)
        outcomes.append(run_stack(stack, wheel, work, environment, modules))
    print(table_of(outcomes))
    return 0 if all(o.passed and not o.failed and not o.skipped for o in outcomes) else 1


def main() -> int:
    try:
        return run_all(arguments())
    except IndexNotReached:
        print("SKIPPED: the Python index cannot be reached")
        return 77
    except Failed as failure:
        print(f"python_stacks: {failure}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
