# SPDX-License-Identifier: Apache-2.0
"""Every link of a page (*.md) to a file or a heading of this repository leads somewhere."""

import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
LIST_FILES = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md")


def anchors_of(page: pathlib.Path) -> set[str]:
    without_code = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", without_code, re.MULTILINE)
    return {re.sub(r"[^a-z0-9 _-]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def fault_of(page: pathlib.Path, link: str) -> str:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return "no such file"
    return "no such heading" if anchor and anchor not in anchors_of(target) else ""


def main() -> int:
    pages = subprocess.run(LIST_FILES, capture_output=True, text=True, check=True).stdout.split()
    faults = [
        f"{page}: {link}: {fault}"
        for page in map(pathlib.Path, pages)
        for link in LINK.findall(page.read_text())
        if not re.match(r"[a-z]+:", link) and (fault := fault_of(page, link))
    ]
    print("\n".join(faults + [f"{len(pages)} pages looked at"]))
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
