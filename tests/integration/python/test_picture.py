# SPDX-License-Identifier: Apache-2.0
"""Pictures of answers: what they hold, and that the file is a PNG."""

import pathlib
import tempfile
import unittest

import numpy as np
import optional_programs
from server import Server

import clearance
from clearance import picture, poses


class Picture(unittest.TestCase):
    def test_draws_every_kind(self) -> None:
        optional_programs.require_in(self, "python3:matplotlib")
        server = Server()
        self.addCleanup(server.end)
        client = clearance.connect(server.address)
        self.addCleanup(client.close)
        box = clearance.Box((0.2, 0.2, 0.1))
        detail = (
            clearance.DistanceDetail.DEFAULT
            | clearance.DistanceDetail.POINTS
            | clearance.DistanceDetail.NORMALS
        )
        for shape in (
            clearance.Sphere(0.1),
            clearance.Cone(0.1, 0.2, 0.01),
            clearance.Ellipsoid((0.1, 0.2, 0.3)),
            clearance.Capsule(0.1, 0.2),
            clearance.Polygon([[0, 0], [0.1, 0], [0, 0.1]]),
            clearance.Compound((clearance.Piece(box),)),
            clearance.Point(),
        ):
            with self.subTest(shape=shape), tempfile.TemporaryDirectory() as folder:
                there = poses.pose([1, 0.25, 0])
                answer = client.distance([box, shape], poses_b=there, detail=detail)
                path = pathlib.Path(folder) / "answer.png"
                figure = picture.draw(box, np.eye(4), shape, there, answer, path=path)
                self.assertEqual(path.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
                axes = figure.axes[0]
                self.assertIn("SEPARATED", axes.get_title())
                closest = next(l for l in axes.lines if l.get_label() == "closest points")
                drawn = np.array(closest.get_data_3d()).T
                np.testing.assert_array_equal(drawn, [answer.points_a, answer.points_b])
                # Both bodies, the first one too.
                low, high = axes.get_xlim3d()
                self.assertLessEqual(low, -0.2)
                self.assertGreaterEqual(high, 1)

    def test_of_a_large_hull_draws_its_extent_and_says_of_how_many_points(self) -> None:
        # In order along z, and each twice: the first few hundred are of the lower end alone.
        around = np.linspace(0, 40 * np.pi, 1000)
        points = np.stack([np.cos(around), np.sin(around), np.linspace(-2, 2, 1000)], axis=-1)
        hull = clearance.Hull(np.repeat(points, 2, axis=0))
        drawn = np.concatenate(picture._faces(hull))
        np.testing.assert_allclose(drawn.min(0), [-1, -1, -2], atol=0.1)
        np.testing.assert_allclose(drawn.max(0), [1, 1, 2], atol=0.1)
        self.assertEqual(picture._left_out("A", hull), "\nA drawn from 128 of 1000 points")
        pieces = tuple(clearance.Piece(shape) for shape in (hull, clearance.Box((1, 1, 1))))
        said = picture._left_out("B", clearance.Compound(pieces))
        self.assertEqual(said, "\nB drawn from 136 of 1008 points")
        self.assertEqual(picture._left_out("A", clearance.Box((1, 1, 1))), "")
        self.assertEqual(picture._left_out("A", clearance.Sphere(1)), "")

    def test_the_faces_of_a_box_are_its_six(self) -> None:
        faces = picture._hull_faces(clearance.shapes.body_vertices(clearance.Box((1, 2, 3))))
        self.assertEqual(sorted(len(face) for face in faces), [4] * 6)
        for face in faces:  # in order around it: the sides are edges of the box
            sides = np.abs(np.roll(face, 1, axis=0) - face)
            self.assertTrue(((sides > 0).sum(1) == 1).all(), face)


if __name__ == "__main__":
    unittest.main()
