#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Extracts the C++ and CMake snippets of the pages and headers, for tests to compile and run.

usage: extract.py ROOT FOLDER NAME…

Snippet 1 of language cpp of client/cpp/README.md has the name client_cpp_README_1.cpp and becomes
FOLDER/NAME. The example of client/cpp/clearance/scene.h, the indented lines of its first comment,
has the name scene.h.inc. Fails if the pages have others than the named ones: a snippet that no test
knows would rot.
"""

import os
import pathlib
import re
import sys

LANGUAGES = {"cpp", "c++", "cc", "cmake"}
# The address that a reader replaces by their server's.
ADDRESS = '"127.0.0.1:50051"'


def pages(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith((".", "build", "node_modules")))
        yield from (pathlib.Path(folder, file) for file in sorted(files) if file.endswith(".md"))


def snippets(root):
    """Returns {name: text}; a compiler's message names the line of the page."""
    found = {}
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        stem = "_".join(page.relative_to(root).with_suffix("").parts)
        counts = {}
        for match in re.finditer(r"^```(\S+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            language, body = match.groups()
            if language not in LANGUAGES:
                continue
            counts[language] = counts.get(language, 0) + 1
            if language != "cmake":
                line = text.count("\n", 0, match.start(2)) + 1
                body = f'#line {line} "{page}"\n{body}'
                if ADDRESS in body:
                    body = "#include <cstdlib>\n" + body.replace(ADDRESS, 'std::getenv("CLEARANCE_ADDR")')
            found[f"{stem}_{counts[language]}.{language}"] = body
    return found


def examples(root):
    """Returns {name: text}."""
    found = {}
    for header in sorted((root / "client/cpp/clearance").glob("*.h")):
        comment = header.read_text(encoding="utf-8").partition("\n\n#ifndef")[0]
        lines = re.findall(r"^//   (.*)$", comment, re.MULTILINE)
        if lines and header.name != "session.h":  # which has a table there
            body = "\n".join(lines) + "\n"
            found[f"{header.name}.inc"] = body.replace(ADDRESS, 'std::getenv("CLEARANCE_ADDR")')
    return found


def main(root, folder, *names):
    found = snippets(pathlib.Path(root)) | examples(pathlib.Path(root))
    if set(found) != set(names):
        unknown, missing = sorted(set(found) - set(names)), sorted(set(names) - set(found))
        sys.exit(f"snippets that no test knows: {unknown}; tests know of others: {missing}")
    for name, body in found.items():
        pathlib.Path(folder, name).write_text(body, encoding="utf-8")


main(*sys.argv[1:])
