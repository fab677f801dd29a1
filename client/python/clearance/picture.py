# SPDX-License-Identifier: Apache-2.0
"""A picture of one answer: both shapes at their poses, their closest points and the normal.

Needs matplotlib (`pip install clearance[picture]`). Hulls are drawn by their faces, curved kinds by
points of their surface. A hull of more than 128 points is drawn as that of 128 of them, spread over
its extent, and the title says so; the answer is about all of them.

>>> import numpy as np
>>> import clearance
>>> points = np.random.default_rng(7).normal(size=(1000, 3))
>>> ball = clearance.Hull(0.5 * points / np.linalg.norm(points, axis=1, keepdims=True))
>>> cube = clearance.Box((0.5, 0.5, 0.5))
>>> where = clearance.poses.pose([1.5, 0, 0])
>>> detail = clearance.DistanceDetail.DEFAULT | clearance.DistanceDetail.POINTS
>>> with clearance.connect(address) as client:
...     answer = client.distance([cube, ball], poses_b=where, detail=detail)
>>> figure = draw(cube, clearance.poses.IDENTITY, ball, where, answer)
>>> print(figure.axes[0].get_title().splitlines()[1])
B drawn from 128 of 1000 points
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from clearance.errors import invalid
from clearance.poses import PosesLike, as_poses, transform
from clearance.results import DistanceResult, State
from clearance.shapes import (
    Compound,
    Cone,
    Cylinder,
    Ellipsoid,
    Shape,
    body_radius,
    body_vertices,
)

__all__ = ["draw"]

_COLORS = ("tab:blue", "tab:orange")
_POINTS_AROUND = 24
_MOST_HULL_POINTS = 128  # the search for their faces costs their third power


def draw(
    shape_a: Shape,
    pose_a: PosesLike,
    shape_b: Shape,
    pose_b: PosesLike,
    result: DistanceResult,
    row: int = 0,
    path: str | Path | None = None,
) -> Any:
    """Draws one row of an answer.

    Ask with points and normals; for a row without them only the shapes are drawn.

    Parameters
    ----------
    shape_a, shape_b : Shape
        The shapes.
    pose_a, pose_b : poses_like
        The row's own poses (7,).
    result : DistanceResult
        The answer.
    row : int
        The row, in C order.
    path : str or Path, optional
        Also writes the figure to this file, in the format of its suffix.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Raises
    ------
    InvalidArgument
        There is no such row.
    """
    from matplotlib.figure import Figure

    if not 0 <= row < len(result):
        raise invalid("row", row, f"at least 0 and below {len(result)}")
    figure = Figure(figsize=(6, 6), layout="constrained")
    axes = figure.add_subplot(projection="3d")
    for name, shape, pose, color in zip("AB", (shape_a, shape_b), (pose_a, pose_b), _COLORS):
        _draw_shape(axes, shape, as_poses(pose), color)
        axes.plot([], [], color=color, label=name)
    _draw_answer(axes, result, row)
    state = State(int(result.states.ravel()[row])).name
    title = state
    if result.distances is not None and not np.isnan(result.distances.ravel()[row]):
        title += f", distance {result.distances.ravel()[row]:.6g} m"
    for name, shape in zip("AB", (shape_a, shape_b)):
        title += _left_out(name, shape)
    axes.set(title=title, xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    axes.set_aspect("equal")
    axes.legend()
    if path is not None:
        figure.savefig(path, dpi=120)
    return figure


def _draw_answer(axes: Any, result: DistanceResult, row: int) -> None:
    state = int(result.states.ravel()[row])
    has_points = state in (State.SEPARATED, State.TOUCHING, State.PENETRATING)
    if result.points_a is None or result.points_b is None or not has_points:
        return
    a, b = (points.reshape(-1, 3)[row] for points in (result.points_a, result.points_b))
    axes.plot(*np.stack((a, b)).T, "o-", color="black", markersize=4, label="closest points")
    if result.normals is None:
        return
    normal = result.normals.reshape(-1, 3)[row]
    low, high = axes.get_xlim3d()
    axes.quiver(*a, *normal, length=0.2 * (high - low), color="tab:red", label="normal")


def _draw_shape(axes: Any, shape: Shape, pose: np.ndarray, color: str) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    if isinstance(shape, Compound):
        for piece in shape.pieces:
            faces = [transform(piece.pose, face) for face in _faces(piece.shape)]
            _add_faces(axes, Poly3DCollection, [transform(pose, f) for f in faces], color)
        return
    _add_faces(axes, Poly3DCollection, [transform(pose, f) for f in _faces(shape)], color)


def _add_faces(axes: Any, collection: Any, faces: list[np.ndarray], color: str) -> None:
    # Whether the axes have data that must stay in sight.
    had_data = axes.has_data()
    axes.add_collection3d(
        collection(faces, facecolor=color, edgecolor=color, alpha=0.25, linewidth=0.5)
    )
    axes.auto_scale_xyz(*np.concatenate(faces).T, had_data=had_data)


def _left_out(name: str, shape: Shape) -> str:
    """Returns a line with the number of points drawn; empty if these are all."""
    pieces = [piece.shape for piece in shape.pieces] if isinstance(shape, Compound) else [shape]
    corners = [vertices for vertices in map(body_vertices, pieces) if vertices is not None]
    counts = [len(np.unique(vertices, axis=0)) for vertices in corners]
    drawn = sum(min(count, _MOST_HULL_POINTS) for count in counts)
    return f"\n{name} drawn from {drawn} of {sum(counts)} points" if drawn < sum(counts) else ""


def _spread(points: np.ndarray) -> np.ndarray:
    """Returns all points once; of many, each the farthest from those before it.

    This keeps the extent."""
    points = np.unique(points, axis=0)
    if len(points) <= _MOST_HULL_POINTS:
        return points
    chosen = [int(np.argmax(np.linalg.norm(points - points.mean(0), axis=1)))]
    gaps = np.full(len(points), np.inf)
    while len(chosen) < _MOST_HULL_POINTS:
        gaps = np.minimum(gaps, np.linalg.norm(points - points[chosen[-1]], axis=1))
        chosen.append(int(np.argmax(gaps)))
    return points[chosen]


def _faces(shape: Shape) -> list[np.ndarray]:
    """Returns polygons (n, 3) of the surface, in the shape's own frame."""
    radius = body_radius(shape)
    vertices = body_vertices(shape)
    if vertices is None:
        return _grid_faces(_curved_grid(shape, radius))
    vertices = _spread(vertices)
    if radius == 0:
        return _hull_faces(vertices)
    # A rounded body is drawn as a ball about each of its vertices and the faces of their hull.
    balls = [face + vertex for vertex in vertices for face in _grid_faces(_ball_grid(radius))]
    return balls + (_hull_faces(vertices) if len(vertices) > 1 else [])


def _hull_faces(points: np.ndarray) -> list[np.ndarray]:
    """Returns the faces by trying every triangle of these, each face once: for pictures only."""
    faces: dict[tuple[int, ...], np.ndarray] = {}
    slack = 1e-9 * max(np.ptp(points), 1e-300)
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            normals = np.cross(points[j] - points[i], points[j + 1 :] - points[i])
            lengths = np.linalg.norm(normals, axis=1)
            heights = (points - points[i]) @ normals.T
            is_face = (
                (heights <= slack * lengths).all(0) | (heights >= -slack * lengths).all(0)
            ) & (lengths > slack * slack)
            for k in np.flatnonzero(is_face):
                on = np.flatnonzero(np.abs(heights[:, k]) <= slack * lengths[k])
                faces[tuple(on)] = _around(points[on], normals[k])
    return list(faces.values()) or [points]


def _around(corners: np.ndarray, normal: np.ndarray) -> np.ndarray:
    middle = corners.mean(0)
    u = corners[0] - middle
    v = np.cross(normal, u)
    return corners[
        np.argsort(np.arctan2((corners - middle) @ v, (corners - middle) @ u * _norm(normal)))
    ]


def _norm(vector: np.ndarray) -> float:
    return float(np.linalg.norm(vector))


def _ball_grid(radius: float) -> np.ndarray:
    return radius * _unit_ball()


def _unit_ball() -> np.ndarray:
    around = np.linspace(0, 2 * np.pi, _POINTS_AROUND + 1)
    down = np.linspace(0, np.pi, _POINTS_AROUND // 2 + 1)[:, None]
    return np.stack(
        np.broadcast_arrays(
            np.sin(down) * np.cos(around), np.sin(down) * np.sin(around), np.cos(down)
        ),
        -1,
    )


def _curved_grid(shape: Shape, rounding: float) -> np.ndarray:
    if isinstance(shape, Ellipsoid):
        return _unit_ball() * (np.asarray(shape.semi_axes) + rounding)
    assert isinstance(shape, (Cylinder, Cone))
    top = 0.0 if isinstance(shape, Cone) else shape.radius
    half = shape.half_length
    profile = np.array([[0, half], [top, half], [shape.radius, -half], [0, -half]])
    profile[:, 1] += np.sign(profile[:, 1]) * rounding
    profile[1:3, 0] += rounding
    around = np.linspace(0, 2 * np.pi, _POINTS_AROUND + 1)
    radii, heights = profile[:, :1], profile[:, 1:]
    return np.stack(
        np.broadcast_arrays(radii * np.cos(around), radii * np.sin(around), heights), -1
    )


def _grid_faces(grid: np.ndarray) -> list[np.ndarray]:
    quads = np.stack((grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]), axis=2)
    return list(quads.reshape(-1, 4, 3))
