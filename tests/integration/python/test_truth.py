# SPDX-License-Identifier: Apache-2.0
"""Answers against an independent solver (brute_force) and against closed forms."""

import unittest

import brute_force
import numpy as np
from server import Server

import clearance
from clearance import State, poses

SEED = 20240611
PAIRS = 60
POINTS = 6


class Truth(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.end)
        self.client = clearance.connect(self.server.address)
        self.addCleanup(self.client.close)

    def test_hulls_by_brute_force(self) -> None:
        print("seed", SEED)
        random = np.random.default_rng(SEED)
        hulls = [random.uniform(-1, 1, (POINTS, 3)) for _ in range(2 * PAIRS)]
        quaternions = random.normal(size=(2, PAIRS, 4))
        quaternions /= np.linalg.norm(quaternions, axis=-1, keepdims=True)
        places = random.uniform(-1.2, 1.2, (2, PAIRS, 3))
        where = poses.pose(places, quaternions)
        with self.client.open_session() as session:
            for slot, hull in enumerate(hulls):
                session.open(slot, clearance.Hull(hull))
            answer = session.distance(
                slots_a=np.arange(PAIRS),
                slots_b=np.arange(PAIRS) + PAIRS,
                poses_a=where[0],
                poses_b=where[1],
                detail=clearance.DistanceDetail.DEFAULT
                | clearance.DistanceDetail.POINTS
                | clearance.DistanceDetail.NORMALS,
            )
        seen = {State.SEPARATED: 0, State.PENETRATING: 0}
        for i in range(PAIRS):
            a = poses.transform(where[0, i], hulls[i])
            b = poses.transform(where[1, i], hulls[PAIRS + i])
            expected = brute_force.signed_distance(a, b)
            self.assertAlmostEqual(answer.distances[i], expected, delta=1e-9)
            self.assertLessEqual(answer.lower_bounds[i], expected + 1e-9)
            self.assertGreaterEqual(answer.upper_bounds[i], expected - 1e-9)
            seen[State(answer.states[i])] += 1
            # The separating plane: nothing of A is beyond its point along the normal.
            top = (a @ answer.normals[i]).max()
            self.assertAlmostEqual(answer.points_a[i] @ answer.normals[i], top, delta=1e-9)
        # Neither side is left to chance.
        self.assertGreater(min(seen.values()), PAIRS // 10, seen)

    def test_time_of_collision_of_balls_by_their_quadratic(self) -> None:
        random = np.random.default_rng(SEED)
        starts = random.uniform(-1, 1, (200, 3)) + (3, 0, 0)
        moves = random.uniform(-0.5, 0.5, (200, 3)) - (4, 0, 0)
        answer = self.client.time_of_collision(
            [clearance.Sphere(0.3), clearance.Sphere(0.7)],
            poses_b=poses.pose(starts),
            displacements_b=moves,
        )
        # |start + t move| = 1
        a = (moves**2).sum(1)
        b = (starts * moves).sum(1)
        c = (starts**2).sum(1) - 1
        discriminant = b**2 - a * c
        hits = discriminant > 0
        expected = (-b - np.sqrt(np.where(hits, discriminant, 0))) / a
        hits &= expected <= 1
        self.assertTrue(20 < hits.sum() < 180, hits.sum())
        np.testing.assert_array_equal(answer.states == clearance.MotionState.HIT, hits)
        np.testing.assert_array_equal(answer.proved_free(), ~hits)
        self.assertTrue((answer.t_free[hits] <= expected[hits] + 1e-12).all())
        np.testing.assert_allclose(answer.t_hit[hits], expected[hits], atol=1e-7)

    def test_broadcasts_as_numpy_does(self) -> None:
        xs = np.linspace(1, 2, 4)[:, None]
        ys = np.linspace(0, 1, 3)
        places = np.stack(np.broadcast_arrays(xs, ys, 0.0), -1)
        balls = [clearance.Sphere(0.25), clearance.Sphere(0.125)]
        answer = self.client.distance(balls, poses_b=poses.pose(places), max_distances=[1, 9, 9])
        self.assertEqual(answer.distances.shape, (4, 3))
        expected = np.hypot(xs, ys) - 0.375
        is_beyond = np.broadcast_to(expected > [1, 9, 9], (4, 3))
        np.testing.assert_array_equal(answer.states == State.BEYOND, is_beyond)
        self.assertTrue(is_beyond.any() and not is_beyond.all())
        np.testing.assert_allclose(answer.distances[~is_beyond], expected[~is_beyond], atol=1e-12)
        one = self.client.distance(balls, poses_b=[1, 0, 0, 0, 0, 0, 1])
        self.assertEqual(one.shape, ())
        self.assertEqual(float(one.distances), 0.625)


if __name__ == "__main__":
    unittest.main()
