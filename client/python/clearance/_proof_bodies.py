# SPDX-License-Identifier: Apache-2.0
"""The geometry behind `verify`: posed bodies in exact fractions, in world axes from the origin of a
frame. Only square roots are rounded, to 2**-100 of their size and outwards."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Iterable, Sequence, Union

import numpy as np

from clearance.poses import as_poses
from clearance.shapes import (
    Compound,
    Cone,
    Cylinder,
    Ellipsoid,
    Shape,
    body_radius,
    body_vertices,
)

Vector = tuple[Fraction, Fraction, Fraction]

_ROOT_BITS = 100


def vector(numbers: Iterable[float]) -> Vector:
    x, y, z = (Fraction(float(number)) for number in numbers)
    return (x, y, z)


def dot(a: Vector, b: Vector) -> Fraction:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def plus(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def minus(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def times(factor: Fraction, a: Vector) -> Vector:
    return (factor * a[0], factor * a[1], factor * a[2])


def cross(a: Vector, b: Vector) -> Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def root(value: Fraction, up: bool) -> Fraction:
    """Returns the square root, rounded down or up to _ROOT_BITS bits."""
    if value == 0:
        return Fraction(0)
    shift = _ROOT_BITS - (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scaled = value * Fraction(4) ** shift
    found = math.isqrt(math.floor(scaled)) + (1 if up else 0)
    return Fraction(found) / Fraction(2) ** shift


def length(a: Vector) -> Fraction:
    """Returns the length, rounded up."""
    return root(dot(a, a), up=True)


def nearest_of_plane(points: Sequence[Vector]) -> Vector:
    """Returns the point nearest to the origin of the plane, line or point that these span; not
    rounded."""
    first, *others = points
    basis: list[Vector] = []
    for point in others:
        fresh = _without(minus(point, first), basis)
        if any(fresh):
            basis.append(fresh)
    return _without(first, basis)


def _without(v: Vector, basis: Sequence[Vector]) -> Vector:
    for e in basis:
        v = minus(v, times(dot(v, e) / dot(e, e), e))
    return v


class _Rotation:
    """The rotation by q / |q|: exact, as it needs only the square of |q|."""

    def __init__(self, quaternion: np.ndarray) -> None:
        x, y, z, self._w = (Fraction(float(number)) for number in quaternion)
        self._axis = (x, y, z)
        self._square = x * x + y * y + z * z + self._w * self._w

    def _turned(self, v: Vector, w: Fraction) -> Vector:
        once = cross(self._axis, v)
        twice = cross(self._axis, once)
        return plus(v, times(2 / self._square, plus(times(w, once), twice)))

    def turned(self, v: Vector) -> Vector:
        return self._turned(v, self._w)

    def turned_back(self, v: Vector) -> Vector:
        return self._turned(v, -self._w)


class _Placement:
    """The placement of a piece of a body, or a whole body, relative to the origin of a frame."""

    def __init__(self, pose: np.ndarray, local: np.ndarray, frame: np.ndarray) -> None:
        self._outer, self._inner = _Rotation(pose[3:]), _Rotation(local[3:])
        offset = minus(vector(pose[:3]), vector(frame[:3]))
        self.origin = plus(offset, self._outer.turned(vector(local[:3])))

    def turned(self, v: Vector) -> Vector:
        return self._outer.turned(self._inner.turned(v))

    def turned_back(self, v: Vector) -> Vector:
        return self._inner.turned_back(self._outer.turned_back(v))


class PointBody:
    """The hull of points, extended by a radius."""

    def __init__(self, shape: Shape, place: _Placement) -> None:
        vertices = body_vertices(shape)
        assert vertices is not None
        self.points = [plus(place.origin, place.turned(vector(vertex))) for vertex in vertices]
        self.radius = Fraction(float(body_radius(shape)))
        self.size = _size(self.points) + self.radius

    def height(self, direction: Vector) -> Fraction:
        """Returns the highest direction . p of the core; not rounded."""
        return max(dot(direction, point) for point in self.points)


class CurvedBody:
    """A cylinder, a cone or an ellipsoid with a curved core, extended by a radius."""

    def __init__(self, shape: Shape, place: _Placement) -> None:
        self._place = place
        self._core = _core_of(shape)
        self.radius = Fraction(float(body_radius(shape)))
        self.size = self._core.reach() + self.radius

    def height(self, direction: Vector) -> Fraction:
        """Returns the highest direction . p of the core, rounded up."""
        own = self._place.turned_back(direction)
        return dot(direction, self._place.origin) + self._core.height(own)

    def support(self, direction: np.ndarray) -> np.ndarray:
        """Returns a point of the core that is highest, to rounding."""
        own = self._place.turned_back(vector(direction))
        found = self._core.support(np.array([float(x) for x in own]))
        turned = self._place.turned(vector(found))
        return np.array([float(x) for x in plus(self._place.origin, turned)])

    def excess(self, point: Vector) -> Fraction:
        """Returns a distance from the point within which the core has a point."""
        return self._core.excess(self._place.turned_back(minus(point, self._place.origin)))


Body = Union[PointBody, CurvedBody]


_IN_PLACE = np.array([0.0, 0, 0, 0, 0, 0, 1])


def piece_count(shape: Shape) -> int:
    """Returns the number of pieces; 1 if the shape is not a compound."""
    return len(shape.pieces) if isinstance(shape, Compound) else 1


def body_of(shape: Shape, pose: np.ndarray, frame: np.ndarray, piece: int = 0) -> Body:
    """Returns a shape, or this piece of a compound, at its pose, relative to the frame's origin."""
    local = _IN_PLACE
    if isinstance(shape, Compound):
        local = as_poses(shape.pieces[piece].pose)
        shape = shape.pieces[piece].shape
    place = _Placement(pose, local, frame)
    return CurvedBody(shape, place) if body_vertices(shape) is None else PointBody(shape, place)


def gap(a: Body, b: Body, normal: Vector) -> Fraction:
    """Returns a lower bound on the distance of any two points along the normal (of any length but
    0, from A to B), rounded down."""
    height = -b.height(times(Fraction(-1), normal)) - a.height(normal)
    return height / root(dot(normal, normal), up=height > 0) - a.radius - b.radius


def _size(points: Sequence[Vector]) -> Fraction:
    """Returns an upper bound on the radius of the points about the middle of their box."""
    middle = tuple((min(p[i] for p in points) + max(p[i] for p in points)) / 2 for i in range(3))
    return max(length(minus(p, middle)) for p in points)  # type: ignore[arg-type]


def _above(value: Fraction, limit: Fraction) -> Fraction:
    return max(Fraction(0), value - limit)


def _across(p: Vector) -> Fraction:
    return root(p[0] * p[0] + p[1] * p[1], up=True)


def _unit(v: np.ndarray) -> np.ndarray:
    """Returns the unit vector; of 0: 0."""
    size = float(np.linalg.norm(v))
    return v / size if size > 0 else v


class _CylinderCore:
    """A core in its own axes, like the other cores. Every number is rounded up."""

    def __init__(self, shape: Cylinder) -> None:
        self._radius = Fraction(float(shape.radius))
        self._half = Fraction(float(shape.half_length))

    def reach(self) -> Fraction:
        return length((self._radius, Fraction(0), self._half))

    def height(self, d: Vector) -> Fraction:
        return self._radius * _across(d) + self._half * abs(d[2])

    def support(self, d: np.ndarray) -> np.ndarray:
        x, y = float(self._radius) * _unit(d[:2])
        return np.array([x, y, math.copysign(float(self._half), d[2])])

    def excess(self, p: Vector) -> Fraction:
        outwards = _above(_across(p), self._radius)
        return length((outwards, Fraction(0), _above(abs(p[2]), self._half)))


class _ConeCore:
    def __init__(self, shape: Cone) -> None:
        self._radius = Fraction(float(shape.radius))
        self._half = Fraction(float(shape.half_length))

    def reach(self) -> Fraction:
        return length((self._radius, Fraction(0), self._half))

    def height(self, d: Vector) -> Fraction:
        return max(self._half * d[2], self._radius * _across(d) - self._half * d[2])

    def support(self, d: np.ndarray) -> np.ndarray:
        half = float(self._half)
        rim = np.array([*(float(self._radius) * _unit(d[:2])), -half])
        return rim if rim @ d > half * d[2] else np.array([0, 0, half])

    def excess(self, p: Vector) -> Fraction:
        """Moves first along z into the slab, then towards the axis, or down until the cone is wide
        enough."""
        half, across = self._half, _across(p)
        z = min(max(p[2], -half), half)
        if half == 0:
            return abs(p[2]) + _above(across, self._radius)
        inwards = _above(across, self._radius * (half - z) / (2 * half))
        wide_enough = half - 2 * half * across / self._radius
        down = _above(z, wide_enough) if wide_enough >= -half else inwards
        return abs(p[2] - z) + min(inwards, down)


class _EllipsoidCore:
    def __init__(self, shape: Ellipsoid) -> None:
        self._axes = vector(shape.semi_axes)

    def reach(self) -> Fraction:
        return max(self._axes)

    def height(self, d: Vector) -> Fraction:
        x, y, z = self._axes
        return length((x * d[0], y * d[1], z * d[2]))

    def support(self, d: np.ndarray) -> np.ndarray:
        axes = np.array([float(x) for x in self._axes])
        return axes * _unit(axes * d)

    def excess(self, p: Vector) -> Fraction:
        """Moves along each axis of no extent onto the core, then shrinks towards the centre."""
        pairs = list(zip(p, self._axes))
        off = sum((abs(value) for value, extent in pairs if extent == 0), Fraction(0))
        squares = ((value / extent) ** 2 for value, extent in pairs if extent != 0)
        stretch = root(sum(squares, Fraction(0)), up=True)
        return off + (length(p) * (1 - 1 / stretch) if stretch > 1 else 0)


def _core_of(shape: Shape) -> _CylinderCore | _ConeCore | _EllipsoidCore:
    match shape:
        case Cylinder():
            return _CylinderCore(shape)
        case Cone():
            return _ConeCore(shape)
        case Ellipsoid():
            return _EllipsoidCore(shape)
    raise AssertionError(f"{shape} has no curved core")
