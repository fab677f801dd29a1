#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the manual page of a program from its --help: manual_page.py SECTION PAGE.gz COMMAND…

A program that has --helpfull is asked for that.
The last word of COMMAND is the program; words before it, such as an emulator, run it. The
help of each subcommand becomes a section of the same page.
"""

from __future__ import annotations

import gzip
import pathlib
import re
import subprocess
import sys

# "  --name VALUE   What it does." or "  --name" with the text below.
_ITEM = re.compile(r"  (\S.*?)(?:\s{2,}(\S.*))?$")
# One space before the text, if the name with its default fills the column.
_FULL_ITEM = re.compile(r"  (\S+ \S+=\S+) (?!Needs:|Excludes:)([A-Z].*)$")


def _said(command: list[str], *arguments: str) -> str:
    return subprocess.run([*command, *arguments], check=True, capture_output=True, text=True).stdout


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in ".'" else text


def _example(line: str) -> list[str]:
    return [".PP", ".nf", _escaped(line), ".fi"]


def _body(lines: list[str], heading: str) -> list[str]:
    """Paragraphs, and indented items with their texts; a line "Name:" begins a section."""
    page: list[str] = []
    section = ""
    for line in lines:
        item = _FULL_ITEM.match(line) or _ITEM.match(line)
        if not line.strip():
            page.append(".PP")
        elif re.fullmatch(r"[A-Z][\w ,]*:", line):
            section = line
            page.append(f".{heading} {_escaped(line[:-1])}")
        elif line.startswith("Usage: "):
            page += [".PP", f"\\fBUsage:\\fR {_escaped(line[7:])}"]
        elif item and section == "Examples:":
            page += _example(line)
        elif item:
            page += [".TP", f"\\fB{_escaped(item[1])}\\fR", *([_escaped(item[2])] if item[2] else [])]
        else:
            page.append(_escaped(line.strip()))
    return page


def _commands(help_text: str) -> list[str]:
    """The subcommands that a help lists."""
    section = re.search(r"^Subcommands:\n((?:  .*\n)+)", help_text, re.MULTILINE)
    return [line.split()[0] for line in section[1].splitlines()] if section else []


def _command_sections(command: list[str], words: list[str], end: str) -> list[str]:
    """What this command and those below it take, without the `end` that all helps share."""
    help_text = _said(command, *words, "--help").replace(end, "")
    name = " ".join([pathlib.Path(command[-1]).name, *words])
    page = [f'.SH "{_escaped(name.upper())}"', *_body(help_text.splitlines(), "SS")]
    for word in _commands(help_text):
        page += _command_sections(command, [*words, word], end)
    return page


def _page(command: list[str], section: str) -> str:
    name = pathlib.Path(command[-1]).name
    version = _said(command, "--version").split()[-1]
    help_text = _said(command, "--help")
    if "--helpfull\n" in help_text:
        help_text = _said(command, "--helpfull")
    # What all helps share follows the list of subcommands.
    at = help_text.find("\n\n\n", max(help_text.find("\nSubcommands:"), 0))
    start, end = (help_text[:at], help_text[at:]) if at >= 0 else (help_text, "")
    first, *rest = start.splitlines()
    # A sentence, or "name: what it is".
    summary = first.removeprefix(f"{name}: ").rstrip(".")
    page = [
        f'.TH {name.upper()} {section} "" "clearance {version}"',
        ".SH NAME",
        f"{_escaped(name)} \\- {_escaped(summary)}",
        ".SH DESCRIPTION",
        *_body(rest, "SH"),
        ".PP",
        *_body(end.splitlines(), "SH"),
    ]
    for word in _commands(help_text):
        page += _command_sections(command, [word], end)
    return "\n".join(page) + "\n"


def main() -> None:
    section, path, *command = sys.argv[1:]
    # The same page gives the same bytes: no name and no time in the archive.
    pathlib.Path(path).write_bytes(gzip.compress(_page(command, section).encode(), mtime=0))


if __name__ == "__main__":
    main()
