#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the figure of client/python/README.md from the answer of a server.

usage: draw.py ADDRESS FOLDER      (writes answer.svg there)
"""

import pathlib
import sys

import matplotlib
import numpy as np

import clearance
from clearance import picture, poses

COLUMNS = clearance.DistanceDetail
DETAIL = COLUMNS.DEFAULT | COLUMNS.POINTS | COLUMNS.NORMALS
FUNNEL = clearance.Cone(0.3, 0.35, 0.02)


def pebble():
    """Returns forty points of an ellipsoid, evenly around it."""
    up = np.linspace(-0.95, 0.95, 40)
    around = np.pi * (3 - np.sqrt(5)) * np.arange(40)
    flat = np.sqrt(1 - up**2)
    return clearance.Hull(np.stack([flat * np.cos(around), flat * np.sin(around), up], axis=-1) * (0.5, 0.35, 0.3))


def main(address, folder):
    # Keeps text as text, and the same bytes every time.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "clearance", "font.family": "sans-serif"})
    stone, where = pebble(), poses.pose([1.1, 0.25, 0.2], [0.3, 0.5, 0.0, 0.8124])
    with clearance.connect(address) as client:
        answer = client.distance([stone, FUNNEL], poses_b=where, detail=DETAIL)
    figure = picture.draw(stone, poses.IDENTITY, FUNNEL, where, answer)
    figure.savefig(pathlib.Path(folder, "answer.svg"), facecolor="white", metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
