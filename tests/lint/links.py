# SPDX-License-Identifier: Apache-2.0
"""Finds links of pages (*.md) to files or headings of this repository that do not exist."""

import pathlib
import re
from typing import Iterable, Iterator

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def broken_links(root: pathlib.Path, paths: Iterable[str]) -> Iterator[str]:
    """Yields a line for each link that leads nowhere, of the pages among `paths`."""
    for page in (root / path for path in paths if path.endswith(".md")):
        for link in LINK.findall(page.read_text()):
            if not re.match(r"[a-z]+:", link) and (fault := _fault_of(page, link)):
                yield f"{page.relative_to(root)}: {link}: {fault}"


def _fault_of(page: pathlib.Path, link: str) -> str:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return "no such file"
    return "no such heading" if anchor and anchor not in _anchors_of(target) else ""


def _anchors_of(page: pathlib.Path) -> set[str]:
    without_code = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", without_code, re.MULTILINE)
    return {
        re.sub(r"[^a-z0-9 _-]", "", title.strip().lower()).replace(" ", "-") for title in titles
    }
