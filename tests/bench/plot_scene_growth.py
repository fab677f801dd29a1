#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the cost of a question about a scene by the number of bodies (logarithmic), as SVG.

usage: plot_scene_growth.py CSV >SVG      (CSV: the output of scene_bench --csv)

Needs nothing but Python's standard library. The same CSV gives the same bytes.
"""

import csv
import math
import sys

# Question of the CSV, legend, colour (Okabe and Ito's, which the colour-blind tell apart), dashes.
QUESTIONS = [
    ("clearance", "clearance: the nearest of all bodies", "#d55e00", "8 4"),
    ("sweep", "motion: a metre along, no turn", "#0072b2", "5 3"),
    ("ray", "ray: ten metres", "#cc79a7", "2 4"),
    ("check", "check: does anything touch", "#009e73", ""),
]
SIZES = (100, 1000, 10_000, 100_000)
WIDTH, HEIGHT = 760, 420
LEFT, TOP, PANEL_WIDTH, PANEL_HEIGHT = 70, 70, 420, 280


def read_microseconds(path):
    """{question: [(bodies, microseconds), ...]}"""
    costs = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            parts = row["name"].split("/")
            if row["metric"] == "cpu_ns" and len(parts) == 3 and parts[2].isdigit():
                costs.setdefault(parts[1], []).append((int(parts[2]), float(row["median"]) / 1000))
    return {question: sorted(points) for question, points in costs.items()}


def text(x, y, words, anchor, kind="plain"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{words}</text>'


def line(x1, y1, x2, y2):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'


def x_of(bodies):
    low, high = math.log10(SIZES[0]), math.log10(SIZES[-1])
    return LEFT + PANEL_WIDTH * (math.log10(bodies) - low) / (high - low)


def draw(costs):
    most = max(cost for name, *_ in QUESTIONS for _, cost in costs[name])
    step = 10 ** math.floor(math.log10(most))
    while most / step < 4:
        step /= 2
    top = step * math.ceil(most / step)

    def y_of(cost):
        return TOP + PANEL_HEIGHT * (1 - cost / top)

    bottom = TOP + PANEL_HEIGHT
    lines = [text(LEFT, 28, "CPU time of one question, microseconds", "start", "bold"),
             text(LEFT, 48, "one body a three cubic metres, whatever their number; one thread",
                  "start", "small")]
    for bodies in SIZES:
        x = x_of(bodies)
        lines += [line(x, TOP, x, bottom), text(x, bottom + 18, f"{bodies:,}", "middle")]
    for i in range(round(top / step) + 1):
        y = y_of(i * step)
        lines += [line(LEFT, y, LEFT + PANEL_WIDTH, y), text(LEFT - 8, y + 4, f"{i * step:g}", "end")]
    lines.append(text(LEFT + PANEL_WIDTH / 2, bottom + 42, "bodies in the scene, logarithmic", "middle"))
    for i, (name, legend, colour, dashes) in enumerate(QUESTIONS):
        path = " ".join(f"{x_of(n):.1f},{y_of(cost):.1f}" for n, cost in costs[name])
        style = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"'
        lines.append(f'<polyline points="{path}" {style}/>')
        y, x = TOP + 14 + 24 * i, LEFT + PANEL_WIDTH + 16
        lines += [f'<polyline points="{x},{y - 4} {x + 26},{y - 4}" {style}/>',
                  text(x + 32, y, legend, "start", "small")]
    return lines


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
          f'viewBox="0 0 {WIDTH} {HEIGHT}">')
    print("<!-- SPDX-License-Identifier: Apache-2.0. Made by tests/bench/plot_scene_growth.py. -->")
    print("<style>text{font-family:sans-serif;font-size:12px;fill:#222}"
          ".bold{font-weight:bold;font-size:14px}.small{font-size:11px}</style>")
    print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>')
    print("\n".join(draw(read_microseconds(sys.argv[1]))))
    print("</svg>")


main()
