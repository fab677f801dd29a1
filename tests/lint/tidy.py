#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over every source outside the tests; headers are read with the sources.

usage: tidy.py [--changed[=BASE]] [FOLDER…]        (default: core server client)

--changed[=BASE]   only files that differ from the commit BASE, uncommitted ones too (default: where
                   this branch left origin/main; if it did not, the fiftieth commit before)
"""

from __future__ import annotations

import concurrent.futures
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import runner  # noqa: E402

BUILD = runner.ROOT / "build/tidy"
FOLDERS = ["core", "server", "client"]
Entry = dict[str, str]


def git(*arguments: str) -> str:
    """What it prints; nothing if it fails."""
    run = subprocess.run(["git", *arguments], cwd=runner.ROOT, capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else ""


def base_of(given: str) -> str:
    if given:
        return git("rev-parse", "--verify", "--quiet", f"{given}^{{commit}}") or runner.fail(
            f"no commit '{given}'", 2
        )
    fork = git("merge-base", "HEAD", "origin/main")
    return fork if fork and fork != git("rev-parse", "HEAD") else git("rev-parse", "--verify", "--quiet", "HEAD~50")


def changed_since(base: str) -> list[str]:
    committed = git("diff", "--name-only", "--diff-filter=d", base).split()
    return sorted({*committed, *git("ls-files", "--others", "--exclude-standard").split()})


def joined_entries() -> list[Entry]:
    """As the build compiles: most entries are a file that includes many sources, so that gRPC's headers
    are read once for all of them."""
    return json.loads((BUILD / "compile_commands.json").read_text())


def sources_in(entry: Entry) -> list[str]:
    """The sources, as paths from the root, that an entry compiles."""
    file = pathlib.Path(entry["file"])
    included = [str(file)]
    if BUILD in file.parents and "/Unity/" in str(file):
        included = re.findall(r'^#include "(.*)"', file.read_text(), re.MULTILINE)
    paths = [pathlib.Path(path) for path in included]
    return [str(path.relative_to(runner.ROOT)) for path in paths if runner.ROOT in path.parents]


def single(entry: Entry, source: str) -> Entry:
    """The command of the entry, for one of the sources that it includes."""
    path = str(runner.ROOT / source)
    return {**entry, "command": entry["command"].replace(entry["file"], path), "file": path}


def entries_of_changed(entries: list[Entry], changed: list[str]) -> list[Entry]:
    """All entries if no source reads one of the headers."""
    by_source = {source: entry for entry in entries for source in sources_in(entry)}
    changed = [path for path in changed if path.split("/")[0] in FOLDERS]
    wanted = {path for path in changed if path in by_source}
    for header in changed:
        if header.endswith(".h"):
            reader = reader_of(header, by_source)
            if not reader:
                print(f"   no source reads {header}: every source")
                return entries
            wanted.add(reader)
    return [single(by_source[source], source) for source in sorted(wanted)]


def reader_of(header: str, sources: dict[str, Entry]) -> str:
    """One source that reads the header, if need be through other headers; nothing if there is none."""
    seen, queue = {header}, [header]
    for current in queue:
        same = current[: -len(".h")] + ".cc"
        if same in sources:
            return same
        for path, includes in includes_by_file().items():
            if any(current == name or current.endswith(f"/{name}") for name in includes):
                if path in sources:
                    return path
                if path.endswith(".h") and path not in seen:
                    seen.add(path)
                    queue.append(path)
    return ""


@functools.cache
def includes_by_file() -> dict[str, list[str]]:
    files = sorted(path for folder in FOLDERS for path in (runner.ROOT / folder).rglob("*.[ch]*") if path.is_file())
    pattern = re.compile(r'^#include "(.*)"', re.MULTILINE)
    return {str(path.relative_to(runner.ROOT)): pattern.findall(path.read_text(errors="replace")) for path in files}


def is_in(entry: Entry, folders: list[str]) -> bool:
    return any(source.startswith(f"{folder}/") for folder in folders for source in sources_in(entry))


def findings(folder: pathlib.Path, entry: Entry) -> tuple[str, bool]:
    command = ["clang-tidy-14", "-p", str(folder), "-quiet", "-extra-arg=-Wno-unknown-warning-option", entry["file"]]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return run.stdout, run.returncode == 0


def jobs() -> int:
    """Each clang-tidy takes up to 1 GiB with gRPC's headers."""
    available = re.search(r"^MemAvailable: *(\d+)", pathlib.Path("/proc/meminfo").read_text(), re.MULTILINE)
    gibibytes = int(available[1]) >> 20 if available else 1
    return max(1, min(os.cpu_count() or 1, gibibytes))


def findings_in(text: str, folders: list[str]) -> set[str]:
    """The lines of clang-tidy's findings in files of the folders, and of what does not compile. Sources may be
    joined with those of tests, which keep to other rules."""
    places = tuple(f"{runner.ROOT / folder}/" for folder in folders)
    lines = {line for line in text.splitlines() if re.search(r" (error|warning): ", line)}
    return {line for line in lines if line.startswith(places) or "[clang-diagnostic-error" in line}


def tidy(entries: list[Entry], folders: list[str]) -> int:
    """The number of distinct findings, which it prints."""
    folder = BUILD / "chosen"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(entries, indent=1))
    with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
        runs = list(pool.map(lambda entry: findings(folder, entry), entries))
    text = "".join(said for said, _ in runs)
    (BUILD / "clang-tidy.log").write_text(text)
    found = sorted(findings_in(text, folders))
    # Without a word of what it found it was not the sources.
    failed = [entry["file"] for entry, (said, is_well) in zip(entries, runs) if not is_well and " error: " not in said]
    for line in found or [f"clang-tidy failed: {file}" for file in failed]:
        print(line, file=sys.stderr)
    return len(found) or len(failed)


def choose(arguments) -> list[Entry]:
    entries = [entry for entry in joined_entries() if is_in(entry, arguments.folders)]
    if arguments.changed is None:
        return entries
    base = base_of(arguments.changed)
    if not base:
        print("   no earlier commit: every source")
        return entries
    changed = changed_since(base)
    print(f"   {len(changed)} files changed since {base[:12]}")
    chosen = entries_of_changed(entries, changed)
    # A change of the rules concerns every source, and so many single sources take longer than all joined.
    return entries if ".clang-tidy" in changed or len(chosen) > len(entries) else chosen


def main() -> int:
    parser = runner.Parser(__doc__)
    parser.add_argument("--changed", nargs="?", const="", metavar="BASE")
    parser.add_argument("folders", nargs="*", default=FOLDERS, metavar="FOLDER")
    arguments = parser.parse_args()
    arguments.folders = [folder.rstrip("/") for folder in arguments.folders]
    entries = choose(arguments)
    if not entries and arguments.changed is None:
        runner.fail(f"no sources in {' '.join(arguments.folders)}", 2)
    found = tidy(entries, arguments.folders) if entries else 0
    print(f"   files read: {len(entries)}")
    if found:
        runner.fail("clang-tidy found something; the whole output is build/tidy/clang-tidy.log")
    return 0


if __name__ == "__main__":
    sys.exit(main())
