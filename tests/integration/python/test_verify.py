# SPDX-License-Identifier: Apache-2.0
"""verify() accepts what the server proves, and nothing that is changed afterwards."""

import dataclasses
import unittest

import numpy as np
from server import Server

import clearance
from clearance import State, ViolationKind, poses

SEED = 7
ROWS = 12


def shapes(random: np.random.Generator) -> list:
    return [
        clearance.Point(0.2),
        clearance.Segment((0, 0, 0), (0.5, 0.25, 0)),
        clearance.Triangle((0, 0, 0), (0.5, 0, 0), (0, 0.5, 0.1), 0.05),
        clearance.Sphere(0.4),
        clearance.Capsule(0.2, 0.3),
        clearance.Box((0.3, 0.2, 0.4)),
        clearance.Hull(random.uniform(-0.5, 0.5, (20, 3))),
        clearance.Polygon(random.uniform(-0.5, 0.5, (6, 2)), 0.1),
    ]


class Verify(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()
        cls.addClassCleanup(cls.server.end)
        cls.client = clearance.connect(cls.server.address)
        cls.addClassCleanup(cls.client.close)

    def ask(self, a, b, pose_a, pose_b, **options):
        return self.client.distance(
            [a, b], poses_a=pose_a, poses_b=pose_b, detail=clearance.PROOF, **options
        )

    def test_accepts_what_is_proved(self) -> None:
        print("seed", SEED)
        random = np.random.default_rng(SEED)
        seen = dict.fromkeys(State, 0)
        for a in shapes(random):
            for b in shapes(random):
                quaternions = random.normal(size=(2, ROWS, 4))
                quaternions /= np.linalg.norm(quaternions, axis=-1, keepdims=True)
                where = poses.pose(random.uniform(-0.6, 0.6, (2, ROWS, 3)), quaternions)
                answer = self.ask(a, b, where[0], where[1])
                violations = clearance.verify(a, where[0], b, where[1], answer)
                self.assertEqual(violations, [], f"{a} {b}")
                for state in answer.states:
                    seen[State(state)] += 1
        self.assertGreater(min(seen[State.SEPARATED], seen[State.PENETRATING]), 50, seen)

    def test_contacts_of_boxes(self) -> None:
        box = clearance.Box((0.5, 0.5, 0.5))
        where = [[1, 0.25, 0, 0, 0, 0, 1], [0.75, 0, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0, 0, 1]]
        answer = self.ask(box, box, poses.IDENTITY, where)
        self.assertEqual(
            answer.states.tolist(), [State.TOUCHING, State.PENETRATING, State.TOUCHING]
        )
        self.assertEqual(clearance.verify(box, poses.IDENTITY, box, where, answer), [])

    def test_notices_every_change(self) -> None:
        a, b = shapes(np.random.default_rng(SEED))[5:7]
        here, there = poses.IDENTITY, poses.pose([1.5, 0.25, 0])
        inside = poses.pose([0.25, 0.125, 0])
        apart, deep = self.ask(a, b, here, there), self.ask(a, b, here, inside)
        self.assertEqual(
            (int(apart.states), int(deep.states)), (State.SEPARATED, State.PENETRATING)
        )
        kinds = ViolationKind
        weights = apart.witnesses.weights.copy()
        weights[0] += 1e-6
        rolled = np.roll(apart.witnesses.weights, 1)
        self.assertFalse(np.array_equal(rolled, apart.witnesses.weights))
        self.assertGreater(len(deep.depth_proofs.facets), 3)
        open_surface = dataclasses.replace(
            deep.depth_proofs, facet_offsets=deep.depth_proofs.facet_offsets - [0, 1]
        )
        vertices = apart.witnesses.vertices_a.copy()
        vertices[0] = 99
        for answer, where, changes, expected in [
            (apart, there, {"states": np.array(State.TOUCHING)}, kinds.STATE),
            (apart, there, {"states": np.array(State.PENETRATING)}, kinds.STATE),
            (apart, there, {"states": np.array(State.BEYOND)}, kinds.NO_PROOF),
            (apart, there, self.shifted(apart, 1e-9), kinds.LOWER_BOUND),
            (apart, there, {"lower_bounds": apart.upper_bounds + 1}, kinds.STATE),
            (apart, there, {"upper_bounds": apart.upper_bounds * np.nan}, kinds.MALFORMED),
            (apart, there, {"normals": apart.normals * 1.001}, kinds.NORMAL),
            (apart, there, {"normals": apart.normals[::-1]}, kinds.LOWER_BOUND),
            (apart, there, {"distances": apart.distances + 1e-9}, kinds.DISTANCE),
            (apart, there, {"points_a": apart.points_a + 1e-9}, kinds.POINT),
            (apart, there, {"witnesses": None}, kinds.NO_PROOF),
            (apart, there, {"witnesses": self.changed(apart, weights=weights)}, kinds.MALFORMED),
            (
                apart,
                there,
                {"witnesses": self.changed(apart, vertices_a=vertices)},
                kinds.WITNESS_ID,
            ),
            (apart, poses.pose([1.25, 0.25, 0]), {}, kinds.LOWER_BOUND),
            (apart, there, {"witnesses": self.changed(apart, weights=rolled)}, kinds.UPPER_BOUND),
            (deep, inside, {"depth_proofs": open_surface}, kinds.UPPER_BOUND),
            (deep, inside, {"states": np.array(State.SEPARATED)}, kinds.MALFORMED),
            (deep, inside, {"upper_bounds": deep.upper_bounds - 1e-3}, kinds.STATE),
            (deep, inside, self.shifted(deep, -1e-6), kinds.UPPER_BOUND),
        ]:
            with self.subTest(changes=list(changes), expected=expected):
                changed = dataclasses.replace(answer, **changes)
                found = clearance.verify(a, here, b, where, changed)
                self.assertEqual([violation.kind for violation in found], [expected], found)

    @staticmethod
    def changed(answer, **columns):
        return dataclasses.replace(answer.witnesses, **columns)

    @staticmethod
    def shifted(answer, by: float) -> dict:
        """Says that it is farther apart or deeper than it is."""
        bounds = ("lower_bounds", "upper_bounds", "distances")
        return {name: getattr(answer, name) + by for name in bounds}

    def test_says_what_it_cannot_verify(self) -> None:
        ball, cone = clearance.Sphere(0.1), clearance.Cone(0.1, 0.2)
        answer = self.ask(ball, cone, poses.IDENTITY, poses.pose([1, 0, 0]))
        found = clearance.verify(ball, poses.IDENTITY, cone, poses.pose([1, 0, 0]), answer)
        self.assertEqual([violation.kind for violation in found], [ViolationKind.NO_PROOF])


if __name__ == "__main__":
    unittest.main()
