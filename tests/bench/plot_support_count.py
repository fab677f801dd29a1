#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws dot products per support against the number of vertices, both axes logarithmic, as SVG.

usage: plot_support_count.py CSV >SVG      (CSV: what support_count prints)

Needs nothing but Python's standard library. The same CSV gives the same bytes.
"""

import csv
import math
import sys

# Road of the CSV, legend, colour (Okabe and Ito's, which the colour-blind tell apart), dashes.
WAYS = [
    ("scan", "linear scan", "#7f7f7f", "2 4"),
    ("climb", "hill climbing from one vertex", "#d55e00", "8 4"),
    ("hierarchy", "hierarchy of coarser hulls alone", "#0072b2", "5 3"),
    ("support_cold", "cube map, then hierarchy: the server's", "#009e73", ""),
    ("support_warm", "the same, warm: from the last support", "#cc79a7", ""),
]
X_RANGE = (8, 100_000)
Y_RANGE = (4, 100_000)
WIDTH, HEIGHT = 1000, 490
PANEL_WIDTH, PANEL_HEIGHT = 390, 330
PANEL_TOP = 100
PANEL_LEFTS = (92, 576)


def read_means(path):
    """{road: {family: [(vertices, mean), ...]}}; a scan looks at every vertex, measured or not."""
    means = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            vertices = int(row["vertices"])
            points = means.setdefault(row["road"], {}).setdefault(row["family"], [])
            points.append((vertices, float(row["mean"])))
            if row["road"] == "climb":
                scanned = means.setdefault("scan", {}).setdefault(row["family"], [])
                if vertices not in [n for n, _ in scanned]:
                    scanned.append((vertices, float(vertices)))
    return means


def worst_of(families):
    """By size, the family with the largest mean. Families have about as many vertices each."""
    columns = zip(*(sorted(points) for points in families.values()))
    return [max(column, key=lambda point: point[1]) for column in columns]


def share(value, bounds):
    low, high = (math.log10(bound) for bound in bounds)
    return (math.log10(value) - low) / (high - low)


class Panel:
    def __init__(self, left, title, subtitle):
        self.left = left
        self.lines = [text(left, PANEL_TOP - 26, title, "start", "bold"),
                      text(left, PANEL_TOP - 10, subtitle, "start", "small")]
        self.draw_axes()

    def x(self, vertices):
        return self.left + PANEL_WIDTH * share(vertices, X_RANGE)

    def y(self, dots):
        return PANEL_TOP + PANEL_HEIGHT * (1 - share(dots, Y_RANGE))

    def draw_axes(self):
        bottom, right = PANEL_TOP + PANEL_HEIGHT, self.left + PANEL_WIDTH
        for decade in (10, 100, 1000, 10_000, 100_000):
            x, y = self.x(decade), self.y(decade)
            self.lines += [line(x, PANEL_TOP, x, bottom), line(self.left, y, right, y),
                           text(x, bottom + 18, f"{decade:,}", "middle"),
                           text(self.left - 8, y + 4, f"{decade:,}", "end")]
        self.lines += [
            f'<rect x="{self.left}" y="{PANEL_TOP}" width="{PANEL_WIDTH}" height="{PANEL_HEIGHT}" '
            'fill="none" stroke="#444"/>',
            text(self.left + PANEL_WIDTH / 2, bottom + 42, "vertices of the hull (number)", "middle")]

    def draw(self, points, color, dashes):
        path = " ".join(f"{self.x(n):.1f},{self.y(dots):.1f}" for n, dots in sorted(points))
        self.lines.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2.2" '
                          f'stroke-linejoin="round" stroke-dasharray="{dashes}"/>')


def text(x, y, content, anchor, style=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{style}">{content}</text>'


def line(x1, y1, x2, y2):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'


def legend():
    lines = []
    for i, (_, name, color, dashes) in enumerate(WAYS):
        x, y = PANEL_LEFTS[0] + 312 * (i % 3), 22 + 22 * (i // 3)
        lines += [f'<line x1="{x}" y1="{y}" x2="{x + 34}" y2="{y}" stroke="{color}" '
                  f'stroke-width="2.6" stroke-dasharray="{dashes}"/>',
                  text(x + 42, y + 4, name, "start")]
    return lines


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    means = read_means(sys.argv[1])
    families = len(means["climb"])
    round_hulls = Panel(PANEL_LEFTS[0], "round hulls", "random points of a sphere")
    worst = Panel(PANEL_LEFTS[1], f"the worst of {families} families of hulls at each size",
                  "also needles, pancakes, prisms, barrels, cones, spindles, boxes, clusters")
    for road, _, color, dashes in WAYS:
        round_hulls.draw(means[road]["sphere"], color, dashes)
        worst.draw(worst_of(means[road]), color, dashes)
    middle = PANEL_TOP + PANEL_HEIGHT / 2
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
          f'height="{HEIGHT}" font-family="sans-serif" font-size="13">')
    print("<!-- SPDX-License-Identifier: Apache-2.0. Made by tests/bench/plot_support_count.py. -->")
    print("<style>text { fill: #222 } .bold { font-weight: bold } .small { font-size: 11px; fill: #555 }</style>")
    print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>')
    print(f'<text transform="translate(22 {middle:.0f}) rotate(-90)" text-anchor="middle">'
          "dot products a support (mean of 1,000 directions)</text>")
    for part in legend() + round_hulls.lines + worst.lines:
        print(part)
    print("</svg>")


if __name__ == "__main__":
    main()
