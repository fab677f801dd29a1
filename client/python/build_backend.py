# SPDX-License-Identifier: Apache-2.0
"""The build backend of the package: setuptools, with files from outside this folder laid beside it.

The version is that of CMakeLists.txt, and columns.def that of proto/. protoc describes the public
schema in schema.binpb. All are laid into a copy, so this folder does not change. A source
distribution has them.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Iterator

from setuptools import build_meta

_HERE = pathlib.Path(__file__).resolve().parent
_PROJECT = _HERE.parent.parent
_IS_CHECKOUT = not (_HERE / "VERSION").exists()


def _version() -> str:
    text = (_PROJECT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"^project\(clearance VERSION ([0-9.]+)", text, re.MULTILINE)
    if not found:
        raise RuntimeError(f"no version of clearance in {_PROJECT / 'CMakeLists.txt'}")
    return found[1]


# Old compilers refuse `optional`; some are installed without google/protobuf.
_PROBE = """syntax = "proto3";
import "google/protobuf/duration.proto";
message Probe { optional google.protobuf.Duration duration = 1; }
"""


def _can_compile(program: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        probe = pathlib.Path(folder, "probe.proto")
        probe.write_text(_PROBE, encoding="utf-8")
        command = [program, f"-I{folder}", f"--descriptor_set_out={folder}/out", str(probe)]
        return subprocess.run(command, capture_output=True).returncode == 0


def _protoc() -> list[str]:
    """Returns the compiler of protos: $PROTOC, else a usable one on the PATH, else that of
    grpcio-tools."""
    if given := os.environ.get("PROTOC"):
        return [given]
    found = shutil.which("protoc")
    return [found] if found and _can_compile(found) else [sys.executable, "-m", "grpc_tools.protoc"]


def _includes(protoc: list[str]) -> list[pathlib.Path]:
    """Returns the folder of google/protobuf/*.proto, if the compiler does not know it."""
    if len(protoc) == 1:
        return []
    import grpc_tools

    return [pathlib.Path(grpc_tools.__file__).parent / "_proto"]


def _describe_schema(target: pathlib.Path) -> None:
    root = _PROJECT / "proto"
    services = sorted(path.relative_to(root) for path in root.glob("clearance/v1/*.proto"))
    protoc = _protoc()
    includes = [f"-I{folder}" for folder in (root, *_includes(protoc))]
    made = ["--include_imports", f"--descriptor_set_out={target}"]
    subprocess.run([*protoc, *includes, *made, *map(str, services)], check=True)


def _lay_out(folder: pathlib.Path) -> None:
    for name in ("pyproject.toml", "build_backend.py"):
        shutil.copy(_HERE / name, folder)
    shutil.copytree(
        _HERE / "clearance", folder / "clearance", ignore=shutil.ignore_patterns("__pycache__")
    )
    if _IS_CHECKOUT:
        (folder / "VERSION").write_text(_version() + "\n", encoding="utf-8")
        _describe_schema(folder / "clearance" / "schema.binpb")
        shutil.copy(_PROJECT / "proto" / "columns.def", folder / "clearance")
    else:
        shutil.copy(_HERE / "VERSION", folder)
    (folder / "MANIFEST.in").write_text("include VERSION build_backend.py\n", encoding="utf-8")


@contextlib.contextmanager
def _in_copy() -> Iterator[None]:
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="clearance-python-") as folder:
        _lay_out(pathlib.Path(folder))
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Names what the build needs beside setuptools: grpcio-tools, if there is no protoc."""
    return ["grpcio-tools"] if _IS_CHECKOUT and len(_protoc()) > 1 else []


get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Builds the wheel and returns its name."""
    target = os.path.abspath(wheel_directory)
    with _in_copy():
        return build_meta.build_wheel(target, config_settings)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Builds the source distribution and returns its name."""
    target = os.path.abspath(sdist_directory)
    with _in_copy():
        return build_meta.build_sdist(target, config_settings)
