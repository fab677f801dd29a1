#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks formatting, house rules, English, scripts, types, protos, alert rules and C++.

usage: lint.py [--only=STAGE] [--changed[=BASE]] [FOLDER…]

--only=STAGE       one stage alone
--changed[=BASE]   clang-tidy reads only files that differ from the commit BASE (see tidy.py)
FOLDER             clang-tidy reads only this folder

A stage that finds something does not stop the others.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import optional_programs  # noqa: E402
import runner  # noqa: E402
from tracked_files import tracked_files  # noqa: E402

BUF = "node_modules/@bufbuild/buf-linux-x64/bin/buf"
CPP_FOLDERS = ["core", "server", "client", "tests"]
SHELLS = (b"#!/usr/bin/env bash\n", b"#!/bin/bash\n", b"#!/bin/sh\n")


def is_well(*command: str) -> bool:
    return subprocess.run(command, cwd=runner.ROOT).returncode == 0


def is_script_well(path: str) -> bool:
    return is_well(sys.executable, f"tests/lint/{path}")


def is_formatted() -> bool:
    sources = [name for name in tracked_files(runner.ROOT) if name.endswith((".cc", ".h"))]
    ours = "\n".join(name for name in sources if name.split("/")[0] in CPP_FOLDERS)
    command = ["xargs", "-d", "\n", "-P", str(os.cpu_count()), "-n", "40", "clang-format-14", "--dry-run", "-Werror"]
    return subprocess.run(command, cwd=runner.ROOT, input=ours, text=True).returncode == 0


def is_shell_script(name: str) -> bool:
    if name.endswith(".sh"):
        return True
    if "." in pathlib.Path(name).name:
        return False
    with open(runner.ROOT / name, "rb") as file:
        return file.readline() in SHELLS


def are_shell_scripts_well() -> bool:
    names = tracked_files(runner.ROOT)
    return is_well("shellcheck", "dev", ".ci/run", *filter(is_shell_script, set(names) - {"dev", ".ci/run"}))


def are_types_well() -> bool:
    configuration = ["--config-file", "client/python/pyproject.toml", "--cache-dir", "build/mypy"]
    return is_well("mypy", *configuration, "client/python/clearance")


def are_protos_well() -> bool:
    quiet = ["--loglevel=error", "--no-audit", "--no-fund"]
    if not (runner.ROOT / BUF).exists() and not is_well("npm", "ci", *quiet):
        return False
    # Programs compiled against the baseline must go on working. A release renews it:
    #   node_modules/@bufbuild/buf-linux-x64/bin/buf build --exclude-source-info -o proto/baseline.binpb
    return is_well(BUF, "lint") and is_well(BUF, "breaking", "--against", "proto/baseline.binpb")


def are_alerts_well() -> bool:
    rules = [f"docker/prometheus/{name}_test.yml" for name in ("rules", "alerts")]
    configuration = is_well("promtool", "check", "config", "docker/prometheus/prometheus.yml")
    return is_well("promtool", "test", "rules", *rules) and configuration


# The program that a stage needs, and what it does.
STAGES: dict[str, tuple[str, Callable[[], bool]]] = {
    "format": ("clang-format-14", is_formatted),
    "gates": ("python3", lambda: is_script_well("gates.py")),
    "english": ("python3", lambda: is_script_well("english.py")),
    "shellcheck": ("shellcheck", are_shell_scripts_well),
    "mypy": ("mypy", are_types_well),
    "buf": ("npm", are_protos_well),
    "prometheus": ("promtool", are_alerts_well),
}
TIDY = "tidy"
# Debian's package of promtool starts a service, so the stage is skipped without it.
MAY_BE_MISSING = {"promtool"}


def run(stage: str) -> bool:
    program, does_pass = STAGES[stage]
    if shutil.which(program):
        return does_pass()
    package = optional_programs.packages().get(program, program)
    reason = f"{program} is not installed (Debian package {package})"
    print(f"   SKIPPED: {reason}" if program in MAY_BE_MISSING else reason)
    return program in MAY_BE_MISSING


def tidy(arguments) -> bool:
    changed = [] if arguments.changed is None else [f"--changed={arguments.changed}"]
    return is_well(sys.executable, "tests/lint/tidy.py", *changed, *arguments.folders)


def parse():
    parser = runner.Parser(__doc__)
    parser.add_argument("--only", metavar="STAGE")
    parser.add_argument("--changed", nargs="?", const="", metavar="BASE")
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    arguments = parser.parse_args()
    runner.check("stage", [arguments.only] if arguments.only else [], [*STAGES, TIDY])
    for folder in arguments.folders:
        if not (runner.ROOT / folder).is_dir():
            parser.error(f"no folder '{folder}' (a base commit is given as --changed={folder})")
    return arguments


def main() -> int:
    arguments = parse()
    stages = [arguments.only] if arguments.only else [*STAGES, TIDY]
    if arguments.targets:
        # clang-tidy reads the generated headers.
        print("tidy clearance_proto\n" * (TIDY in stages), end="")
        return 0
    bad, seconds = [], []
    for stage in stages:
        runner.say(f"lint: {stage}")
        start = time.monotonic()
        if not (tidy(arguments) if stage == TIDY else run(stage)):
            bad.append(stage)
        seconds.append(f"{stage} {time.monotonic() - start:.0f} s")
    runner.say("lint: " + (f"FAILED: {', '.join(bad)}" if bad else "all well"))
    print(f"   {', '.join(seconds)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
