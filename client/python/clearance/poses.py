# SPDX-License-Identifier: Apache-2.0
"""Poses as arrays of seven numbers in the last axis.

They are x y z (metres), then a unit quaternion qx qy qz qw, the order of ROS geometry_msgs. A point
p of the body's frame is at R(q / |q|) p + (x, y, z). All functions broadcast over the leading axes
as numpy does.

>>> quarter = pose([1, 0, 0], [0, 0, np.sqrt(0.5), np.sqrt(0.5)])
>>> transform(quarter, [1, 0, 0]).round(12)
array([1., 1., 0.])
>>> np.allclose(from_matrix(to_matrix(quarter)), quarter)
True"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from clearance.errors import invalid

IDENTITY = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
IDENTITY.flags.writeable = False


def pose(translation: ArrayLike = (0, 0, 0), quaternion: ArrayLike = (0, 0, 0, 1)) -> np.ndarray:
    """Returns poses of translations (…, 3), metres, and quaternions (…, 4), qx qy qz qw."""
    place, turn = _last_axis(translation, 3), _last_axis(quaternion, 4)
    lead = np.broadcast_shapes(place.shape[:-1], turn.shape[:-1])
    return np.concatenate(
        (np.broadcast_to(place, lead + (3,)), np.broadcast_to(turn, lead + (4,))), axis=-1
    )


def from_matrix(matrix: ArrayLike) -> np.ndarray:
    """Returns poses of rigid transforms (…, 4, 4), world from body.

    Raises
    ------
    InvalidArgument
        A rotation is not proper and orthonormal to about 1e-6, or a last row is not 0 0 0 1: the
        translation belongs into the last column.
    """
    array = np.asarray(matrix, float)
    if array.shape[-2:] != (4, 4):
        raise invalid("matrix", f"an array of shape {array.shape}", "an array of shape (..., 4, 4)")
    rotation = array[..., :3, :3]
    slack = np.abs(rotation @ np.swapaxes(rotation, -1, -2) - np.eye(3)).max(initial=0)
    if not slack < 1e-6 or not np.all(np.linalg.det(rotation) > 0):
        raise invalid("matrix", f"off by {slack:.3g}", "a proper rotation and a translation")
    bottom = array[..., 3, :].reshape(-1, 4)
    is_wrong = ~(np.abs(bottom - [0, 0, 0, 1]).max(axis=-1) < 1e-6)
    if is_wrong.any():
        limit = "rigid, with a last row of 0 0 0 1 and the translation in the last column"
        raise invalid("matrix", f"last row {bottom[is_wrong][0]}", limit)
    return np.concatenate((array[..., :3, 3], _quaternions(rotation)), axis=-1)


def _quaternions(rotation: np.ndarray) -> np.ndarray:
    # Each row of `outer` is a multiple of the quaternion; the one with the largest diagonal element
    # has the most digits (I. Y. Bar-Itzhack, "New method for extracting the quaternion from a
    # rotation matrix", 2000, in its exact form).
    r = np.moveaxis(rotation, (-2, -1), (0, 1))
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    outer = np.array(
        [
            [1 + 2 * r[0, 0] - trace, r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[2, 1] - r[1, 2]],
            [r[0, 1] + r[1, 0], 1 + 2 * r[1, 1] - trace, r[1, 2] + r[2, 1], r[0, 2] - r[2, 0]],
            [r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1 + 2 * r[2, 2] - trace, r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], 1 + trace],
        ]
    )
    outer = np.moveaxis(outer, (0, 1), (-2, -1))
    best = np.diagonal(outer, axis1=-2, axis2=-1).argmax(-1)
    row = np.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :]
    return row / np.linalg.norm(row, axis=-1, keepdims=True)


def to_matrix(poses: ArrayLike) -> np.ndarray:
    """Returns rigid transforms (…, 4, 4) of poses (…, 7)."""
    array = _last_axis(poses, 7)
    matrix = np.zeros(array.shape[:-1] + (4, 4))
    for axis in range(3):
        unit = np.zeros(3)
        unit[axis] = 1
        matrix[..., :3, axis] = rotate(array, unit)
    matrix[..., :3, 3] = array[..., :3]
    matrix[..., 3, 3] = 1
    return matrix


def rotate(poses: ArrayLike, vectors: ArrayLike) -> np.ndarray:
    """Returns vectors (…, 3) of the bodies' frames in world axes."""
    quaternion = _last_axis(poses, 7)[..., 3:]
    quaternion = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
    axis, w = quaternion[..., :3], quaternion[..., 3:]
    vector = _last_axis(vectors, 3)
    twice = 2 * np.cross(axis, vector)
    return vector + w * twice + np.cross(axis, twice)


def transform(poses: ArrayLike, points: ArrayLike) -> np.ndarray:
    """Returns points (…, 3) of the bodies' frames in the world."""
    return rotate(poses, points) + _last_axis(poses, 7)[..., :3]


def _last_axis(values: ArrayLike, width: int) -> np.ndarray:
    array = np.asarray(values, float)
    if array.ndim == 0 or array.shape[-1] != width:
        raise invalid("array", f"an array of shape {array.shape}", f"of shape (..., {width})")
    return array
