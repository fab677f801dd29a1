#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of proto/README.md. What they show is what a server answered.

usage: draw.py ADDRESS FOLDER      (writes apart.svg and the others of FIGURES there)
"""

import pathlib
import sys

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

import clearance
from clearance import poses

BLUE, ORANGE, RED, GREY = "#0072b2", "#d55e00", "#b00020", "#555555"
RADIUS = 0.3
CORNERS = np.array([[-1, -0.6], [1, -0.6], [1, 0.3], [-0.4, 0.6], [-1, 0.4]])
# The polygon above, one metre high: what it shows from above is all there is to it.
PRISM = clearance.Hull([[x, y, z] for x, y in CORNERS for z in (-0.5, 0.5)])
BALL = clearance.Sphere(RADIUS)
COLUMNS = clearance.DistanceDetail
DETAIL = COLUMNS.DEFAULT | COLUMNS.POINTS | COLUMNS.NORMALS


def figure_with_prism(x_range, y_range):
    width = 7.5
    size = (width, width * np.ptp(y_range) / np.ptp(x_range))
    figure = Figure(figsize=size)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=x_range, ylim=y_range, aspect="equal")
    axes.axis("off")
    axes.add_patch(Polygon(CORNERS, facecolor=BLUE + "33", edgecolor=BLUE, lw=1.5))
    label(axes, (-0.6, -0.3), "A", BLUE, fontsize=15)
    return figure, axes


def add_ball(axes, centre, style="-", name=""):
    axes.add_patch(Circle(centre, RADIUS, facecolor=ORANGE + "22", edgecolor=ORANGE, lw=1.5, ls=style))
    label(axes, centre + (0.13, -0.08), name, ORANGE, fontsize=15, ha="center", va="center")


def label(axes, place, text, color="black", **how):
    axes.text(*place, text, color=color, **{"fontsize": 11, **how})


def arrow(axes, start, end, color):
    how = {"arrowstyle": "->", "color": color, "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", end, start, arrowprops=how)


def apart(client):
    centre = np.array([1.1, 1.25])
    answer = client.distance([PRISM, BALL], poses_b=poses.pose([*centre, 0]), detail=DETAIL)
    assert answer.states == clearance.State.SEPARATED
    a, b, normal = (column[:2] for column in (answer.points_a, answer.points_b, answer.normals))
    figure, axes = figure_with_prism((-1.2, 4.3), (-0.8, 1.8))
    add_ball(axes, centre, name="B")
    # No point of A is beyond one of these lines, none of B before the other.
    along = np.array([-normal[1], normal[0]])
    for point in (a, b):
        axes.plot(*np.stack((point - 0.8 * along, point + 1.2 * along)).T, color=GREY, lw=1, ls=(0, (5, 4)))
    axes.plot(*np.stack((a, b)).T, "o-", color="black", ms=5, lw=1.6)
    arrow(axes, a + 0.35 * along, a + 0.35 * along + 0.4 * normal, RED)
    label(axes, a + 0.42 * along + 0.3 * normal, "normal, from A to B", RED, ha="right")
    label(axes, a - (0.08, 0.2), "point_a", ha="right")
    label(axes, b + (0.1, -0.2), "point_b")
    lines = f"SEPARATED\ndistance {float(answer.distances):.3f} m\nlower_bound > 0: no point of A or B\nlies between the dashed lines,\nso they cannot be nearer"
    label(axes, (2.1, 1.25), lines, va="top")
    return figure


def overlap(client):
    centre = np.array([0.75, 0.3])
    answer = client.distance([PRISM, BALL], poses_b=poses.pose([*centre, 0]), detail=DETAIL)
    assert answer.states == clearance.State.PENETRATING
    depth = -float(answer.distances)
    a, b, normal = (column[:2] for column in (answer.points_a, answer.points_b, answer.normals))
    figure, axes = figure_with_prism((-1.2, 4.3), (-0.8, 1.3))
    add_ball(axes, centre, name="B")
    moved = centre + depth * normal
    axes.add_patch(Circle(moved, RADIUS, fill=False, edgecolor=ORANGE, lw=1.2, ls=(0, (4, 3))))
    axes.plot(*np.stack((a, b)).T, "o-", color="black", ms=5, lw=1.6)
    arrow(axes, a, a + 0.4 * normal, RED)
    label(axes, moved + (0.36, 0.0), "normal", RED)
    label(axes, a + (-0.36, -0.12), "point_a", ha="right")
    label(axes, b + (-0.05, -0.06), "point_b", ha="right", va="top")
    lines = f"PENETRATING\ndistance {-depth:.3f} m\nB moved by {depth:.3f} m along the normal\n(dashed) just touches; no shorter\ntranslation separates"
    label(axes, (2.1, 0.75), lines, va="top")
    return figure


def motion(client):
    start, way, target = np.array([2.2, 1.5]), np.array([-2.6, -1.1]), 0.15
    answer = client.time_of_collision(
        [PRISM, BALL], poses_b=poses.pose([*start, 0]), displacements_b=[*way, 0], target_distances=target
    )
    assert answer.states == clearance.MotionState.HIT
    t_free, t_hit = float(answer.t_free), float(answer.t_hit)
    figure, axes = figure_with_prism((-1.2, 4.3), (-0.8, 1.95))
    axes.add_patch(Circle(start + t_hit * way, RADIUS + target, fill=False, edgecolor=GREY, lw=1, ls=(0, (5, 4))))
    add_ball(axes, start, name="B")
    add_ball(axes, start + t_hit * way)
    add_ball(axes, start + way, style=":")
    arrow(axes, start, start + t_hit * way, RED)
    axes.plot(*np.stack((start + t_hit * way, start + way)).T, color=RED, lw=1, ls=":")
    label(axes, start + (0.36, 0.1), "t = 0")
    label(axes, start + way + (-0.36, 0.1), "t = 1", ha="right")
    label(axes, start + t_hit * way + (-0.3, 0.5), f"t_hit = {t_hit:.4f}", ha="right")
    lines = f"HIT: proved farther apart than\ntarget_distance = {target} m before\nt_free = {t_free:.4f}, within it (and the\ntolerance) at t_hit >= t_free"
    label(axes, (2.1, 0.75), lines, va="top")
    return figure


def beyond(client):
    centre, limit = np.array([1.9, 1.3]), 0.5
    answer = client.distance([PRISM, BALL], poses_b=poses.pose([*centre, 0]), max_distances=limit)
    assert answer.states == clearance.State.BEYOND
    figure, axes = figure_with_prism((-1.7, 4.3), (-1.2, 1.8))
    # What is as near to A as the limit: its corners' reach, one direction after the other.
    directions = np.array([(np.cos(t), np.sin(t)) for t in np.linspace(0, 2 * np.pi, 361)])
    outline = CORNERS[(directions @ CORNERS.T).argmax(axis=1)] + limit * directions
    axes.add_patch(Polygon(outline, fill=False, edgecolor=GREY, lw=1, ls=(0, (5, 4))))
    add_ball(axes, centre, name="B")
    lines = f"BEYOND\nmax_distance {limit} m\nlower_bound {float(answer.lower_bounds)} m: all of B is\noutside the dashed line; how far,\nnobody asked"
    label(axes, (1.9, 0.75), lines, va="top")
    return figure


def turning(client):
    start, turn, half = np.array([1.7, 0.1]), 1.9, (0.9, 0.08, 0.5)
    answer = client.time_of_collision(
        [PRISM, clearance.Box(half)],
        poses_b=poses.pose([*start, 0], [0, 0, np.sqrt(0.5), np.sqrt(0.5)]),
        rotations_b=[0, 0, turn],
        displacements_b=[0.2, 0, 0],
    )
    assert answer.states == clearance.MotionState.HIT
    t_free, t_hit = float(answer.t_free), float(answer.t_hit)
    figure, axes = figure_with_prism((-1.2, 5.0), (-0.9, 1.4))
    for t, style, alpha in ((0, "-", "22"), (t_hit / 2, ":", "00"), (t_hit, "-", "22")):
        angle = np.pi / 2 + t * turn
        along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        middle = start + (0.2 * t, 0)
        corners = [middle + x * half[0] * along + y * half[1] * across for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
        axes.add_patch(Polygon(corners, facecolor=ORANGE + alpha, edgecolor=ORANGE, lw=1.5, ls=style))
    label(axes, start + (0.16, 0.8), "t = 0", ORANGE)
    label(axes, start + (0.9, -0.6), f"t_hit = {t_hit:.4f}", ORANGE)
    lines = f"HIT: B turns by {turn} rad\nwhile it moves. It is proved\nfree at every instant before\nt_free = {t_free:.4f}, not at\nsamples of them"
    label(axes, (3.0, 1.2), lines, va="top")
    return figure


def contacts(client):
    lower, upper, turn = (1.0, 0.6, 0.25), (0.5, 0.5, 0.25), 0.5
    pose = poses.pose([0.6, 0.35, 0.49], [0, 0, np.sin(turn / 2), np.cos(turn / 2)])
    detail = clearance.DistanceDetail.DEFAULT | clearance.DistanceDetail.CONTACTS
    answer = client.distance([clearance.Box(lower), clearance.Box(upper)], poses_b=pose, detail=detail)
    points = answer.contacts.points_a[:, :2]
    width, x_range, y_range = 7.5, (-1.2, 4.3), (-0.9, 1.3)
    figure = Figure(figsize=(width, width * np.ptp(y_range) / np.ptp(x_range)))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=x_range, ylim=y_range, aspect="equal")
    axes.axis("off")
    square = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    axes.add_patch(Polygon(square * lower[:2], facecolor=BLUE + "33", edgecolor=BLUE, lw=1.5))
    above = (square * upper[:2]) @ rotation.T + pose[:2]
    axes.add_patch(Polygon(above, facecolor=ORANGE + "22", edgecolor=ORANGE, lw=1.5))
    axes.add_patch(Polygon(points, facecolor=RED + "22", edgecolor=RED, lw=1))
    axes.plot(*points.T, "o", color="black", ms=5)
    label(axes, (-0.85, -0.45), "A", BLUE, fontsize=15)
    label(axes, (0.75, 0.72), "B", ORANGE, fontsize=15, ha="center")
    lines = f"contacts of a box B that lies on a\nbox A, seen from above: {len(points)} points,\nthe corners of the area in which\ntheir faces meet, each with its depth\nand the features it comes from"
    label(axes, (1.7, 0.75), lines, va="top")
    return figure


FIGURES = (apart, overlap, motion, beyond, turning, contacts)


def main(address, folder):
    # Text as text, and the same bytes every time.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "clearance", "font.family": "sans-serif"})
    with clearance.connect(address) as client:
        for draw in FIGURES:
            path = pathlib.Path(folder, f"{draw.__name__}.svg")
            draw(client).savefig(path, facecolor="white", metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
