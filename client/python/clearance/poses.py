# SPDX-License-Identifier: Apache-2.0
"""Poses as arrays of seven numbers in the last axis.

They are x y z (metres), then a unit quaternion qx qy qz qw, the order of ROS geometry_msgs. A point
p of the body's frame is at `R(q / norm(q)) p + (x, y, z)`. All functions broadcast over the leading
axes as numpy does.

Wherever the package takes poses, it also takes rigid transforms (…, 4, 4), objects with `rotation`
and `translation`, and lists of such objects: see `as_poses`.

>>> quarter = pose([1, 0, 0], [0, 0, np.sqrt(0.5), np.sqrt(0.5)])
>>> transform(quarter, [1, 0, 0]).round(12)
array([1., 1., 0.])
>>> np.allclose(as_poses(to_matrix(quarter)), quarter)
True"""

from __future__ import annotations

from typing import Any, Protocol, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from clearance.errors import invalid

__all__ = [
    "IDENTITY",
    "PosesLike",
    "RigidTransform",
    "as_poses",
    "pose",
    "rotate",
    "to_matrix",
    "transform",
]

IDENTITY = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
IDENTITY.flags.writeable = False

# Largest difference of R R^T, and of the last row of a matrix, from what a rigid transform has.
_SLACK = 1e-6


class RigidTransform(Protocol):
    """Any object with a rotation and a translation, such as pinocchio.SE3."""

    @property
    def rotation(self) -> Any:
        """A matrix (…, 3, 3), or an object with `as_quat` or `as_matrix`, as scipy's Rotation."""

    @property
    def translation(self) -> ArrayLike:
        """The place (…, 3) of the body's origin, metres, world frame."""


PosesLike = Union[ArrayLike, RigidTransform, Sequence[RigidTransform]]


def as_poses(poses: PosesLike, name: str = "poses") -> np.ndarray:
    """Returns poses (…, 7) of anything that stands for poses.

    Parameters
    ----------
    poses : poses_like
        World from body, as one of:

        - an array (…, 7): x y z metres, then a quaternion qx qy qz qw;
        - an array (…, 4, 4): rigid transforms, the translation (metres) in the last column;
        - an object with `rotation` and `translation`: a pinocchio.SE3, or one whose rotation has
          `as_quat` (qx qy qz qw) or `as_matrix`, as scipy's;
        - a list of such objects.
    name : str
        The name of the argument in errors.

    Returns
    -------
    numpy.ndarray
        Poses (…, 7). An array of this form is returned as it is.

    Raises
    ------
    InvalidArgument
        Another form; a rotation that is not proper and orthonormal to 1e-6; a matrix whose last row
        is not 0 0 0 1 to 1e-6.
    """
    if isinstance(poses, np.ndarray) and poses.dtype == object:
        poses = poses.tolist()
    leaf = _first(poses)
    if _is_transform(leaf) and leaf is not poses:
        parts: Any = poses
        try:
            return np.stack([as_poses(part, name) for part in parts])
        except ValueError:
            raise invalid(name, "transforms of several shapes", "of one shape") from None
    if _is_transform(leaf):
        return _from_parts(leaf.rotation, leaf.translation, name)
    try:
        array = np.asarray(poses, float)
    except (TypeError, ValueError):
        limit = "numbers, or objects with `rotation` and `translation`"
        raise invalid(name, type(leaf).__name__, limit) from None
    if array.ndim and array.shape[-1] == 7:
        return array
    if array.shape[-2:] == (4, 4):
        return _from_rigid(array, name)
    limit = "of shape (..., 7): x y z qx qy qz qw, or of shape (..., 4, 4)"
    raise invalid(name, f"an array of shape {array.shape}", limit)


def _first(values: Any) -> Any:
    """Returns the first item of nested lists, or the value itself."""
    while isinstance(values, (list, tuple)) and values:
        values = values[0]
    return values


def _is_transform(value: object) -> bool:
    return hasattr(value, "rotation") and hasattr(value, "translation")


def _from_parts(rotation: Any, translation: ArrayLike, name: str) -> np.ndarray:
    if hasattr(rotation, "as_quat"):
        return pose(translation, rotation.as_quat())
    matrix = np.asarray(rotation.as_matrix() if hasattr(rotation, "as_matrix") else rotation)
    if matrix.dtype.kind not in "fiu" or matrix.shape[-2:] != (3, 3):
        found = f"a rotation of type {type(rotation).__name__} and shape {matrix.shape}"
        raise invalid(name, found, "transforms whose rotation is (..., 3, 3) or has as_quat()")
    return pose(translation, _checked_quaternions(matrix.astype(float), name))


def _from_rigid(matrix: np.ndarray, name: str) -> np.ndarray:
    bottom = matrix[..., 3, :].reshape(-1, 4)
    is_wrong = ~(np.abs(bottom - [0, 0, 0, 1]).max(axis=-1) < _SLACK)
    if is_wrong.any():
        limit = "rigid, with a last row of 0 0 0 1 and the translation in the last column"
        raise invalid(name, f"last row {bottom[is_wrong][0]}", limit)
    quaternions = _checked_quaternions(matrix[..., :3, :3], name)
    return np.concatenate((matrix[..., :3, 3], quaternions), axis=-1)


def _checked_quaternions(rotation: np.ndarray, name: str) -> np.ndarray:
    slack = np.abs(rotation @ np.swapaxes(rotation, -1, -2) - np.eye(3)).max(initial=0)
    if not slack < _SLACK:
        limit = "rigid: take scale and shear out, and orthonormalize the rotation to 1e-6"
        raise invalid(name, f"a rotation that is off by {slack:.3g}", limit)
    if not np.all(np.linalg.det(rotation) > 0):
        raise invalid(name, "a reflection", "a proper rotation: mirror the shape, not the pose")
    return _quaternions(rotation)


def pose(translation: ArrayLike = (0, 0, 0), quaternion: ArrayLike = (0, 0, 0, 1)) -> np.ndarray:
    """Returns poses of translations and quaternions.

    Parameters
    ----------
    translation : array_like
        Places (…, 3) of the body's origin, metres, world frame.
    quaternion : array_like
        Unit quaternions (…, 4), qx qy qz qw.

    Returns
    -------
    numpy.ndarray
        Poses (…, 7).
    """
    place, turn = _last_axis(translation, 3), _last_axis(quaternion, 4)
    lead = np.broadcast_shapes(place.shape[:-1], turn.shape[:-1])
    return np.concatenate(
        (np.broadcast_to(place, lead + (3,)), np.broadcast_to(turn, lead + (4,))), axis=-1
    )


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


def to_matrix(poses: PosesLike) -> np.ndarray:
    """Returns rigid transforms of poses.

    Parameters
    ----------
    poses : poses_like
        Poses (…, 7).

    Returns
    -------
    numpy.ndarray
        Rigid transforms (…, 4, 4), world from body; metres.
    """
    array = as_poses(poses)
    matrix = np.zeros(array.shape[:-1] + (4, 4))
    for axis in range(3):
        unit = np.zeros(3)
        unit[axis] = 1
        matrix[..., :3, axis] = rotate(array, unit)
    matrix[..., :3, 3] = array[..., :3]
    matrix[..., 3, 3] = 1
    return matrix


def rotate(poses: PosesLike, vectors: ArrayLike) -> np.ndarray:
    """Returns vectors of the bodies' frames in world axes.

    Parameters
    ----------
    poses : poses_like
        Poses (…, 7).
    vectors : array_like
        Vectors (…, 3) in the bodies' frames.

    Returns
    -------
    numpy.ndarray
        Vectors (…, 3) in world axes.
    """
    quaternion = as_poses(poses)[..., 3:]
    quaternion = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
    axis, w = quaternion[..., :3], quaternion[..., 3:]
    vector = _last_axis(vectors, 3)
    twice = 2 * np.cross(axis, vector)
    return vector + w * twice + np.cross(axis, twice)


def transform(poses: PosesLike, points: ArrayLike) -> np.ndarray:
    """Returns points of the bodies' frames in the world.

    Parameters
    ----------
    poses : poses_like
        Poses (…, 7).
    points : array_like
        Points (…, 3) in the bodies' frames, metres.

    Returns
    -------
    numpy.ndarray
        Points (…, 3) in the world frame, metres.
    """
    array = as_poses(poses)
    return rotate(array, points) + array[..., :3]


def _last_axis(values: ArrayLike, width: int) -> np.ndarray:
    array = np.asarray(values, float)
    if array.ndim == 0 or array.shape[-1] != width:
        raise invalid("array", f"an array of shape {array.shape}", f"of shape (..., {width})")
    return array
