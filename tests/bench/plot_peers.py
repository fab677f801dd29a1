#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws how many times faster the core is than the best other library, cell by cell, as SVG.

usage: plot_peers.py CSV >SVG      (CSV: what peer_bench --csv writes)

Needs nothing but Python's standard library. The same CSV gives the same bytes.
"""

import csv
import math
import sys

SIZES = ["box", "16", "64", "256", "1024", "4096"]
# Title and lines of each panel; a line is a topic of the CSV, its legend, colour (Okabe and Ito's, which
# the colour-blind tell apart), dashes.
PANELS = [
    ("distance", [("distance/far", "far", "#0072b2", ""),
                  ("distance/near", "near", "#d55e00", "8 4"),
                  ("distance/coherent", "in small steps", "#009e73", "5 3"),
                  ("warm_distance/coherent", "the same, both warm", "#cc79a7", "2 3")]),
    ("intersection", [("intersection/far", "far", "#0072b2", ""),
                      ("intersection/near", "near", "#d55e00", "8 4"),
                      ("intersection/shallow", "overlapping a little", "#009e73", "5 3"),
                      ("intersection/deep", "deeply", "#cc79a7", "2 3")]),
    ("depth", [("depth/shallow", "overlapping a little", "#009e73", "5 3"),
               ("depth/deep", "deeply", "#cc79a7", "2 3")]),
    ("time of collision", [("time_of_collision/far", "far", "#0072b2", ""),
                           ("time_of_collision/near", "near", "#d55e00", "8 4")]),
]
METRIC = "speedup_over_the_best_library"
WIDTH, HEIGHT = 1120, 460
PANEL_WIDTH, PANEL_HEIGHT = 222, 270
PANEL_LEFT, PANEL_STEP, PANEL_TOP = 74, 268, 50
LEGEND_TOP = 384


def read_speedups(path):
    """{topic: {size: speedup}}"""
    speedups = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["metric"] == METRIC:
                topic, size = row["name"].rsplit("/", 1)
                speedups.setdefault(topic, {})[size] = float(row["median"])
    return speedups


def octaves(speedups):
    """Powers of two around all the speedups and 1."""
    values = [1.0] + [value for cells in speedups.values() for value in cells.values()]
    return math.floor(math.log2(min(values))), math.ceil(math.log2(max(values)))


class Panel:
    def __init__(self, index, title, bounds):
        self.left = PANEL_LEFT + PANEL_STEP * index
        self.bounds = bounds
        self.lines = [text(self.left, PANEL_TOP - 12, title, "start", "bold")]
        self.draw_axes()

    def x(self, size):
        return self.left + PANEL_WIDTH * (SIZES.index(size) + 0.5) / len(SIZES)

    def y(self, speedup):
        low, high = self.bounds
        return PANEL_TOP + PANEL_HEIGHT * (high - math.log2(speedup)) / (high - low)

    def draw_axes(self):
        bottom, right = PANEL_TOP + PANEL_HEIGHT, self.left + PANEL_WIDTH
        for octave in range(self.bounds[0], self.bounds[1] + 1):
            y = self.y(2.0**octave)
            label = str(2**octave) if octave >= 0 else f"1/{2**-octave}"
            self.lines += [line(self.left, y, right, y, "#222" if octave == 0 else "#ddd"),
                           text(self.left - 7, y + 4, label, "end")]
        self.lines += [text(self.x(size), bottom + 18, size, "middle", "small") for size in SIZES]
        self.lines.append(text((self.left + right) / 2, bottom + 38, "box, or vertices of the hulls", "middle"))
        self.lines.append(f'<rect x="{self.left}" y="{PANEL_TOP}" width="{PANEL_WIDTH}" '
                          f'height="{PANEL_HEIGHT}" fill="none" stroke="#444"/>')

    def draw(self, row, cells, legend, color, dashes):
        points = [(self.x(size), self.y(cells[size])) for size in SIZES if size in cells]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        stroke = f'stroke="{color}" stroke-dasharray="{dashes}"'
        self.lines.append(f'<polyline points="{path}" fill="none" {stroke} stroke-width="2.2" '
                          'stroke-linejoin="round"/>')
        self.lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{color}"/>' for x, y in points]
        y = LEGEND_TOP + 20 * row
        self.lines += [f'<line x1="{self.left}" y1="{y}" x2="{self.left + 30}" y2="{y}" {stroke} '
                       'stroke-width="2.6"/>',
                       text(self.left + 38, y + 4, legend, "start")]


def text(x, y, content, anchor, style=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{style}">{content}</text>'


def line(x1, y1, x2, y2, color):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"/>'


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    speedups = read_speedups(sys.argv[1])
    bounds = octaves(speedups)
    panels = []
    for index, (title, topics) in enumerate(PANELS):
        panel = Panel(index, title, bounds)
        for row, (topic, legend, color, dashes) in enumerate(topics):
            panel.draw(row, speedups.get(topic, {}), legend, color, dashes)
        panels.append(panel)
    middle = PANEL_TOP + PANEL_HEIGHT / 2
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
          f'height="{HEIGHT}" font-family="sans-serif" font-size="13">')
    print("<!-- SPDX-License-Identifier: Apache-2.0. Made by tests/bench/plot_peers.py. -->")
    print("<style>text { fill: #222 } .bold { font-weight: bold } .small { font-size: 11px; fill: #555 }</style>")
    print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>')
    print(f'<text transform="translate(22 {middle:.0f}) rotate(-90)" text-anchor="middle">'
          "times as fast as the best other library</text>")
    for panel in panels:
        for part in panel.lines:
            print(part)
    print("</svg>")


if __name__ == "__main__":
    main()
