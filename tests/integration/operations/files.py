# SPDX-License-Identifier: Apache-2.0
"""The files for operators: the dashboard, the alerts, the runbook."""

from __future__ import annotations

import json
import os
import pathlib
import re
from typing import Iterator

FOLDER = pathlib.Path(os.environ["CLEARANCE_ROOT"]) / "docker"


def dashboard() -> dict:
    return json.loads((FOLDER / "grafana/dashboards/clearance.json").read_text())


def panels() -> Iterator[dict]:
    """Returns the panels that show something: rows are headings."""
    return (panel for panel in dashboard()["panels"] if panel["type"] != "row")


def alerts() -> list[str]:
    return re.findall(r"^ +- alert: (\w+)$", (FOLDER / "prometheus/alerts.yml").read_text(), re.M)


def runbook() -> str:
    return (FOLDER / "README.md").read_text()


_TOKEN = re.compile(
    r"""'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | \[[^\]]*\] | [A-Za-z_:][\w:]* | [\d.]\w* | \S""", re.X
)
_GROUPING = {"by", "without", "on", "ignoring", "group_left", "group_right"}
_OPERATORS = {"and", "or", "unless", "bool", "offset"}


def selectors(expression: str) -> list[str]:
    """Returns the series that a PromQL expression names, each with its matchers."""
    tokens = _TOKEN.findall(expression)
    found = []
    at = 0
    while at < len(tokens):
        token, following = tokens[at], tokens[at + 1 : at + 2]
        at += 1
        if not re.match(r"[A-Za-z_:]", token) or token in _OPERATORS:
            continue
        if token in _GROUPING:
            at = tokens.index(")", at) + 1
        elif following == ["{"]:
            end = tokens.index("}", at) + 1
            found.append(token + "".join(tokens[at:end]))
            at = end
        elif following not in (["("], ["by"], ["without"]):
            found.append(token)
    return found
