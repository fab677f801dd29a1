# SPDX-License-Identifier: Apache-2.0
"""verify() accepts what the server proves, and no answer that is changed afterwards."""

import dataclasses
import unittest

import numpy as np
from server import Server

import clearance
from clearance import State, _proof_bodies, poses
from clearance.verify import ViolationKind

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


def curved() -> list:
    return [
        clearance.Cylinder(0.3, 0.2),
        clearance.Cylinder(0.2, 0.3, 0.1),
        clearance.Cone(0.3, 0.25, 0.1),
        clearance.Ellipsoid((0.3, 0.2, 0.4)),
        clearance.Ellipsoid((0.3, 0.2, 0.05), 0.15),
    ]


def straight_enough(shape) -> bool:
    """Returns whether a shape has few vertices, so that every facet of a difference of two is
    tried."""
    return not isinstance(shape, clearance.Hull)


def compound(random: np.random.Generator, parts: list) -> clearance.Compound:
    pieces = []
    for part in parts:
        pose = poses.pose(random.uniform(-1, 1, 3), random.normal(size=4))
        pose[3:] /= np.linalg.norm(pose[3:])
        pieces.append(clearance.Piece(part, tuple(pose)))
    return clearance.Compound(tuple(pieces))


class Verify(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()
        cls.addClassCleanup(cls.server.end)
        cls.client = clearance.connect(cls.server.address)
        cls.addClassCleanup(cls.client.close)

    def ask(self, a, b, pose_a, pose_b, **options):
        return self.client.distance(
            [a, b], poses_a=pose_a, poses_b=pose_b, detail=clearance.DistanceDetail.PROOF, **options
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
                violations = clearance.verify.verify(a, where[0], b, where[1], answer)
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
        matrices = poses.to_matrix(where)
        self.assertEqual(clearance.verify.verify(box, np.eye(4), box, matrices, answer), [])

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
            *self.cut_short(apart, there, "witnesses"),
            *self.cut_short(deep, inside, "depth_proofs"),
            (deep, inside, {"depth_proofs": open_surface}, kinds.UPPER_BOUND),
            (deep, inside, {"states": np.array(State.SEPARATED)}, kinds.MALFORMED),
            (deep, inside, {"upper_bounds": deep.upper_bounds - 1e-3}, kinds.STATE),
            (deep, inside, self.shifted(deep, -1e-6), kinds.UPPER_BOUND),
        ]:
            with self.subTest(changes=list(changes), expected=expected):
                changed = dataclasses.replace(answer, **changes)
                found = clearance.verify.verify(a, here, b, where, changed)
                self.assertEqual([violation.kind for violation in found], [expected], found)

    @staticmethod
    def cut_short(answer, where, name: str) -> list:
        """Returns answers in which one column of a ragged one lacks its end."""
        columns = getattr(answer, name)
        return [
            (
                answer,
                where,
                {name: dataclasses.replace(columns, **{field.name: whole[:-1]})},
                ViolationKind.MALFORMED,
            )
            for field in dataclasses.fields(columns)
            if len(whole := getattr(columns, field.name)) and field.name != "truncated"
        ]

    @staticmethod
    def changed(answer, **columns):
        return dataclasses.replace(answer.witnesses, **columns)

    def test_half_a_witness_is_no_proof(self) -> None:
        point, here, there = clearance.Point(), poses.IDENTITY, poses.pose([2, 0, 0])
        answer = self.ask(point, point, here, there)
        self.assertEqual(clearance.verify.verify(point, here, point, there, answer), [])
        for column, ids in (("vertices_a", [0, 0]), ("vertices_b", [0])):
            halves = {"offsets": np.array([0, 2]), "weights": np.array([0.5, 0.5])}
            whole = {"vertices_a": np.array([0, 0]), "vertices_b": np.array([0, 0])}
            witnesses = clearance.results.Witnesses(**(halves | whole | {column: np.array(ids)}))
            lie = dataclasses.replace(answer, witnesses=witnesses)
            found = clearance.verify.verify(point, here, point, there, lie)
            self.assertEqual(len(found), len(ids) == 1, found)
        not_finite = self.changed(answer, weights=np.array([np.nan]))
        lie = dataclasses.replace(answer, witnesses=not_finite)
        (found,) = clearance.verify.verify(point, here, point, there, lie)
        self.assertEqual(found.kind, ViolationKind.MALFORMED)

    @staticmethod
    def shifted(answer, by: float) -> dict:
        """Returns numbers that claim a larger distance or depth."""
        bounds = ("lower_bounds", "upper_bounds", "distances")
        return {name: getattr(answer, name) + by for name in bounds}

    def test_accepts_what_is_proved_of_curved_shapes(self) -> None:
        print("seed", SEED)
        random = np.random.default_rng(SEED)
        seen = dict.fromkeys(State, 0)
        straight = shapes(random)[1], shapes(random)[6]
        for a in curved():
            for b in (*curved(), *straight):
                quaternions = random.normal(size=(2, ROWS, 4))
                quaternions /= np.linalg.norm(quaternions, axis=-1, keepdims=True)
                where = poses.pose(random.uniform(-0.9, 0.9, (2, ROWS, 3)), quaternions)
                for first, second in ((a, b), (b, a)):
                    answer = self.ask(first, second, where[0], where[1])
                    found = clearance.verify.verify(first, where[0], second, where[1], answer)
                    overlaps = np.flatnonzero(answer.states == State.PENETRATING)
                    unproved = [violation.row for violation in found]
                    self.assertLessEqual(set(unproved), set(overlaps), f"{first} {second} {found}")
                    for violation in found:
                        self.assertEqual(violation.kind, ViolationKind.NO_PROOF)
                    for state in answer.states:
                        seen[State(state)] += 1
                    seen[State.UNSPECIFIED] += len(overlaps) - len(unproved)
        # Overlaps of the roundings alone have a proof.
        self.assertGreater(min(seen[State.SEPARATED], seen[State.UNSPECIFIED]), 20, seen)

    def test_notices_every_change_of_curved_shapes(self) -> None:
        kinds = ViolationKind
        here, there = poses.IDENTITY, poses.pose([0.3, 1.4, 0.2], [0.1, 0.3, -0.2, 0.9])
        there[3:] /= np.linalg.norm(there[3:])
        ball = clearance.Sphere(0.25)
        for shape in curved():
            answer = self.ask(shape, ball, here, there)
            self.assertEqual(clearance.verify.verify(shape, here, ball, there, answer), [])
            nearer = there - 1e-9 * np.append(answer.normals, [0, 0, 0, 0])
            outwards = {
                name: getattr(answer, name) - 1e-6 * answer.normals
                for name in ("relative_points_a", "relative_points_b")
            }
            sideways = {
                name: getattr(answer, name) + 1e-3 * np.roll(answer.normals, 1)
                for name in ("relative_points_a", "relative_points_b")
            }
            smaller = {"radius": shape.radius - 1e-6} if hasattr(shape, "half_length") else None
            vertices = answer.witnesses.vertices_a * 0
            for where, changes, expected in [
                (nearer, {}, kinds.LOWER_BOUND),
                (there, self.shifted(answer, 1e-9), kinds.LOWER_BOUND),
                (there, self.shifted(answer, -1e-9), kinds.UPPER_BOUND),
                (there, {"relative_points_a": None}, kinds.NO_PROOF),
                (there, {"relative_points_a": outwards["relative_points_b"]}, kinds.POINT),
                (there, sideways, None),
                (there, {"witnesses": self.changed(answer, vertices_a=vertices)}, kinds.WITNESS_ID),
                (there, {"points_a": answer.points_a + 1e-6}, kinds.POINT),
            ]:
                with self.subTest(shape=shape, changes=list(changes), expected=expected):
                    changed = dataclasses.replace(answer, **changes)
                    found = clearance.verify.verify(shape, here, ball, where, changed)
                    self.assertEqual(len(found), 1, found)
                    if expected is not None:
                        self.assertEqual(found[0].kind, expected, found)
            if smaller:
                other = dataclasses.replace(shape, **smaller)
                found = clearance.verify.verify(other, here, ball, there, answer)
                self.assertNotEqual(found, [])

    def test_a_point_beside_a_flat_cone_is_not_in_it(self) -> None:
        disc = clearance.Cone(0.5, 0.0)
        here, there = poses.IDENTITY, poses.pose([2, 0, 0])
        answer = self.ask(disc, clearance.Sphere(0.25), here, there)
        self.assertEqual(
            clearance.verify.verify(disc, here, clearance.Sphere(0.25), there, answer), []
        )
        # Said to be a metre nearer, by a normal that proves no more and a point that is not in it.
        normal = np.array([0.625, np.sqrt(1 - 0.625**2), 0])
        gap = 2 * 0.625 - 0.5 - 0.25
        on_ball = there[:3] - 0.25 * normal
        lie = dataclasses.replace(
            answer,
            normals=normal,
            distances=np.array(gap),
            lower_bounds=np.array(gap - 1e-9),
            upper_bounds=np.array(gap + 1e-9),
            relative_points_a=on_ball - gap * normal,
            relative_points_b=on_ball,
            points_a=None,
        )
        (found,) = clearance.verify.verify(disc, here, clearance.Sphere(0.25), there, lie)
        self.assertEqual(found.kind, ViolationKind.POINT)

    def test_a_point_beside_a_flat_ellipsoid_is_not_in_it(self) -> None:
        disc = _proof_bodies.body_of(clearance.Ellipsoid((3, 2, 0)), poses.IDENTITY, poses.IDENTITY)
        for point, far in (((1, 1, 0), 0), ((1, 0, -1), 1), ((6, 0, 0), 3), ((0, 0, 0), 0)):
            excess = float(disc.excess(_proof_bodies.vector(point)))
            self.assertAlmostEqual(excess, far, delta=1e-12)

    def test_accepts_what_is_proved_of_compounds(self) -> None:
        print("seed", SEED)
        random = np.random.default_rng(SEED)
        seen = dict.fromkeys(State, 0)
        straight = compound(random, [s for s in shapes(random) if straight_enough(s)])
        whole = compound(random, shapes(random) + curved())
        for a, b in ((straight, straight), (straight, shapes(random)[5]), (whole, straight)):
            quaternions = random.normal(size=(2, ROWS, 4))
            quaternions /= np.linalg.norm(quaternions, axis=-1, keepdims=True)
            where = poses.pose(random.uniform(-1.2, 1.2, (2, ROWS, 3)), quaternions)
            answer = self.ask(a, b, where[0], where[1])
            found = clearance.verify.verify(a, where[0], b, where[1], answer)
            unproved = {violation.row for violation in found}
            overlaps = set(np.flatnonzero(answer.states == State.PENETRATING).tolist())
            # Overlaps of curved cores have no proof.
            self.assertLessEqual(unproved, overlaps if a is whole else set(), found)
            self.assertTrue(all(violation.kind == ViolationKind.NO_PROOF for violation in found))
            for row, state in enumerate(answer.states):
                seen[State(state)] += row not in unproved
        self.assertGreater(min(seen[State.SEPARATED], seen[State.PENETRATING]), 5, seen)

    def test_accepts_compounds_of_which_several_pieces_all_but_touch(self) -> None:
        wedge = clearance.Hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        box = clearance.Box((0.5, 0.5, 0.5))
        for scale in (1.0, 2.0**600, 2.0**-600):
            for gap in (1e-9, 1e-12):
                # One face of the box beside each piece, along normals that are no axes'.
                turned = [3, 5, 7, *(np.array([0.1, 0.2, 0.3, 0.9]) / np.sqrt(0.95))]
                self.check_close_pieces(wedge, box, turned, (gap, scale))

    def check_close_pieces(self, wedge, box, turned, gap_and_scale) -> None:
        gap, scale = gap_and_scale
        wedges = clearance.Hull(np.asarray(wedge.vertices) * scale)
        cube = clearance.Box(tuple(scale * x for x in box.half_extents))
        shift = 0.5 + gap
        two = clearance.Compound(
            (
                clearance.Piece(wedges, (shift * scale, 0, 0, 0, 0, 0, 1)),
                clearance.Piece(wedges, (0, shift * scale, 0, 0, 0, 0, 1)),
                clearance.Piece(wedges, (0, 0, shift * scale, 0, 0, 0, 1)),
            )
        )
        pose = np.array(turned)
        pose[:3] *= scale
        answer = self.ask(two, cube, pose, pose)
        self.assertEqual(int(answer.states), State.SEPARATED)
        self.assertEqual(clearance.verify.verify(two, pose, cube, pose, answer), [], gap_and_scale)

    def test_notices_every_change_of_compounds(self) -> None:
        box = clearance.Box((0.25, 0.25, 0.25))
        two = clearance.Compound(
            (clearance.Piece(box), clearance.Piece(box, (0, 2, 0, 0, 0, 0, 1)))
        )
        near, here, there = clearance.Sphere(0.25), poses.IDENTITY, poses.pose([1, 1.75, 0])
        answer = self.ask(two, near, here, there)
        self.assertEqual(clearance.verify.verify(two, here, near, there, answer), [])
        self.assertEqual(int(answer.pieces_a), 1)
        kinds = ViolationKind
        # The answer as it would be without the second piece.
        alone = self.ask(box, near, here, there)
        self.assertGreater(alone.distances, answer.distances + 0.1)
        without = {"pieces_a": np.array(0), "pieces_b": np.array(0)}
        for changed, expected in [
            (dataclasses.replace(alone, **without), kinds.LOWER_BOUND),
            (dataclasses.replace(answer, pieces_a=np.array(0)), kinds.UPPER_BOUND),
            (dataclasses.replace(answer, pieces_a=np.array(2)), kinds.WITNESS_ID),
            (dataclasses.replace(answer, pieces_b=None), kinds.NO_PROOF),
            (dataclasses.replace(answer, **self.shifted(answer, 1e-9)), kinds.LOWER_BOUND),
        ]:
            with self.subTest(expected=expected):
                (found,) = clearance.verify.verify(two, here, near, there, changed)
                self.assertEqual(found.kind, expected, found)

    def test_says_what_it_cannot_verify(self) -> None:
        # Cores that overlap, one of which is curved.
        box, cone = clearance.Box((0.2, 0.2, 0.2)), clearance.Cone(0.3, 0.2)
        answer = self.ask(box, cone, poses.IDENTITY, poses.IDENTITY)
        self.assertEqual(int(answer.states), State.PENETRATING)
        found = clearance.verify.verify(box, poses.IDENTITY, cone, poses.IDENTITY, answer)
        self.assertEqual([violation.kind for violation in found], [ViolationKind.NO_PROOF])


if __name__ == "__main__":
    unittest.main()
