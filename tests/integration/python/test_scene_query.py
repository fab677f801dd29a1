# SPDX-License-Identifier: Apache-2.0
"""Questions about scenes, by calls and in sessions, against closed forms and against an independent
solver (brute_force) of every pair."""

import dataclasses
import unittest

import brute_force
import numpy as np
from server import Server

import clearance
from clearance import MotionState, SceneBodies, SceneChange, SceneSetting, Verdict, poses
from clearance.scenes import PairScope

SEED = 20261123


def at(xs) -> np.ndarray:
    """Returns poses at these x."""
    xs = np.asarray(xs, float)
    zeros = np.zeros_like(xs)
    return poses.pose(np.stack((xs, zeros, zeros), -1))


class Row(unittest.TestCase):
    """Three unit boxes at x = 0, 4 and 8 with the ids 10, 11 and 12; the query bodies 1 and 2 are
    balls of half a metre."""

    FLAGS = ()

    def setUp(self) -> None:
        self.server = Server(*self.FLAGS)
        self.addCleanup(self.server.end)
        self.client = clearance.connect(self.server.address)
        self.addCleanup(self.client.close)
        self.client.register("box", clearance.Box((0.5, 0.5, 0.5)))
        self.client.register("ball", clearance.Sphere(0.5))
        boxes = SceneBodies(ids=[10, 11, 12], shapes=["box"], poses=at([0, 4, 8]))
        self.client.scenes.create("row", SceneChange(bodies=boxes))
        balls = SceneBodies(ids=[1, 2])
        self.setting = SceneSetting(scene="row", shapes=["ball"], bodies=balls)
        self.session = self.client.open_session()
        self.addCleanup(self.session.cancel)
        self.session.open(0, "ball")
        opened = self.session.open_scene(0, "row")
        self.assertEqual((opened.scene.body_count, opened.scene.revision), (3, 1))
        changed = self.session.change_bodies(SceneChange(bodies=balls))
        self.assertEqual((changed.body_count, changed.rule_count), (2, 0))

    def both(self, batch) -> list:
        return [self.session.ask(batch), self.client.scenes.ask(self.setting, batch)]


class Questions(Row):
    def test_checks(self) -> None:
        batch = clearance.scenes.CheckBatch(
            poses=at([[2, 6], [2, 4], [2, 2.5]]),
            max_pairs=8,
            detail=clearance.scenes.CheckDetail.PAIRS
            | clearance.scenes.CheckDetail.BOUNDS
            | clearance.scenes.CheckDetail.FREE_RADII,
        )
        for answer in self.both(batch):
            self.assertEqual(answer.verdicts.tolist(), [1, 2, 2])
            self.assertEqual(answer.scene_revision, 1)
            self.assertEqual(answer.proved_free().tolist(), [True, False, False])
            np.testing.assert_allclose(answer.free_motion_radius(), [1, 0, 0], atol=1e-5)
            moved = clearance.results.largest_displacement([[0.9, 0.5], [0.1, 0.1], [0, 0]])
            self.assertEqual(answer.still_free(moved).tolist(), [True, False, False])
            for far in ([0.5, 1.1], [np.nan, 0]):
                self.assertFalse(answer.still_free(far).any())
            self.assertEqual(answer.pairs.offsets.tolist(), [0, 0, 1, 2])
            self.assertEqual(answer.pairs.bodies_a.tolist(), [2, 1])
            self.assertEqual(answer.pairs.bodies_b.tolist(), [11, 2])
            self.assertEqual(answer.pairs.is_self.tolist(), [False, True])
            self.assertEqual(answer.pairs.of_row(2), slice(1, 2))
            with self.assertRaises(IndexError):
                answer.pairs.of_row(3)
            self.assertEqual(answer.bodies_b[1:].tolist(), [11, 2])
            self.assertEqual(answer.is_self.dtype, bool)
            self.assertLess(answer.upper_bounds[2], -0.49)
        with self.subTest("without free radii nothing may move"):
            answer = self.session.check(poses=batch.poses)
            self.assertIsNone(answer.free_radii)
            self.assertEqual(answer.free_motion_radius().tolist(), [0, 0, 0])

    def test_clearances_and_the_nearest(self) -> None:
        batch = clearance.scenes.MinimumDistanceBatch(
            poses=at([[1.25, 6]]),
            detail=clearance.scenes.MinimumDistanceDetail.DEFAULT
            | clearance.scenes.MinimumDistanceDetail.PAIRS
            | clearance.scenes.MinimumDistanceDetail.POINTS
            | clearance.scenes.MinimumDistanceDetail.FREE_RADII,
        )
        for answer in self.both(batch):
            np.testing.assert_allclose(answer.distances, [0.25], atol=1e-9)
            np.testing.assert_allclose(answer.points_b, [[0.5, 0, 0]], atol=1e-9)
            self.assertEqual((answer.bodies_a[0], answer.bodies_b[0]), (1, 10))
            self.assertEqual(answer.proved_free([0.2]).tolist(), [True])
            self.assertEqual(answer.proved_free([0.3]).tolist(), [False])
            self.assertTrue(answer.still_free([0.2, 0.0])[0])
            self.assertFalse(answer.still_free([0.2, 0.3])[0])
        batch = clearance.scenes.NearestBatch(poses=at([1.25, 6.25]), max_pairs=3)
        for answer in self.both(batch):
            self.assertEqual(answer.shape, ())
            np.testing.assert_allclose(answer.pairs.distances, [0.25, 0.75, 1.25], atol=1e-9)
            self.assertEqual(answer.pairs.bodies_a.tolist(), [1, 2, 2])
            self.assertEqual(answer.pairs.bodies_b.tolist(), [10, 12, 11])
            self.assertIsNone(answer.pairs.normals)

    def test_separations_are_proved_without_the_server(self) -> None:
        ball, box = clearance.Sphere(0.5), clearance.Box((0.5, 0.5, 0.5))
        where = poses.pose([[2, 0.75, 0], [6.5, 0, -0.25]], [0, 0, 0.6, 0.8])
        detail = (
            clearance.scenes.NearestDetail.DEFAULT
            | clearance.scenes.NearestDetail.POINTS
            | clearance.scenes.NearestDetail.NORMALS
        )
        pairs = self.session.nearest(poses=where, max_pairs=9, detail=detail).pairs
        self.assertEqual(len(pairs), 7)
        own = dict(zip((1, 2), where))
        others = {**dict(zip((10, 11, 12), at([0, 4, 8]))), **own}
        for i in range(7):
            self.assertEqual(pairs.states[i], clearance.State.SEPARATED)
            other = ball if pairs.is_self[i] else box
            there = others[pairs.bodies_b[i]]
            here = own[pairs.bodies_a[i]]
            self.assertEqual(
                clearance.verify.verify_separation(ball, here, other, there, pairs, i), []
            )
            nearer = there - 1e-9 * np.append(pairs.normals[i], [0, 0, 0, 0])
            (found,) = clearance.verify.verify_separation(ball, here, other, nearer, pairs, i)
            self.assertEqual(
                (found.row, found.kind), (i, clearance.verify.ViolationKind.LOWER_BOUND)
            )
        kinds = clearance.verify.ViolationKind
        for changes, expected in (
            ({"states": pairs.states + 1}, kinds.NO_PROOF),
            ({"normals": None}, kinds.NO_PROOF),
            ({"normals": -pairs.normals}, kinds.LOWER_BOUND),
            ({"normals": 1.001 * pairs.normals}, kinds.NORMAL),
            ({"lower_bounds": -pairs.lower_bounds}, kinds.STATE),
            ({"lower_bounds": pairs.lower_bounds * np.nan}, kinds.MALFORMED),
            ({"points_a": pairs.points_a + 1e-6}, kinds.POINT),
            ({"points_a": pairs.points_a[:1]}, kinds.MALFORMED),
            ({"distances": pairs.distances * np.nan, "points_a": None}, kinds.MALFORMED),
            ({"distances": pairs.distances[:1], "points_a": None}, kinds.MALFORMED),
            ({"distances": 0.2 * pairs.distances, "points_a": None}, kinds.DISTANCE),
            ({"distances": 1.5 * pairs.distances, "points_a": None}, kinds.DISTANCE),
            ({"upper_bounds": pairs.upper_bounds[:1]}, kinds.MALFORMED),
        ):
            changed = dataclasses.replace(pairs, **changes)
            i = int(np.flatnonzero(~pairs.is_self)[1])
            here, there = own[pairs.bodies_a[i]], others[pairs.bodies_b[i]]
            (found,) = clearance.verify.verify_separation(ball, here, box, there, changed, i)
            self.assertEqual(found.kind, expected, list(changes))

    def test_overlaps_motions_and_rays(self) -> None:
        overlap = clearance.scenes.OverlapBatch(
            poses=at([0.9, 2, 3.1]), margins=[0, 0, 0], max_pairs=5, bounds=True
        )
        for answer in self.both(overlap):
            self.assertEqual(answer.verdicts.tolist(), [2, 1, 2])
            self.assertEqual(answer.proved_free().tolist(), [False, True, False])
            self.assertEqual(answer.pairs.bodies_b.tolist(), [10, 11])
            self.assertEqual(answer.pairs.truncated.tolist(), [False] * 3)
        for ask in (
            self.session.overlap,
            lambda **c: self.client.scenes.overlap(self.setting, **c),
        ):
            # The boxes are of group 1, and may meet all.
            grouped = ask(poses=at(0.9), groups=[1, 2, 1], masks=[3, 1, 2])
            self.assertEqual(grouped.verdicts.tolist(), [2, 2, 1])
        motion = clearance.scenes.SweepBatch(
            poses=at([2, 6]),
            displacements=[[[0, 1, 0], [0, 0, 0]], [[2, 0, 0], [0, 0, 0]]],
            max_pairs=3,
            detail=clearance.scenes.SweepDetail.DEFAULT
            | clearance.scenes.SweepDetail.PAIRS
            | clearance.scenes.SweepDetail.POINTS,
        )
        for answer in self.both(motion):
            self.assertEqual(answer.states.tolist(), [MotionState.FREE, MotionState.HIT])
            self.assertEqual(answer.proved_free().tolist(), [True, False])
            self.assertAlmostEqual(answer.t_hit[1], 0.5, delta=1e-6)
            self.assertLessEqual(answer.t_free[1], 0.5)
            self.assertEqual(answer.pairs.offsets.tolist(), [0, 0, 1])
            self.assertEqual(answer.pairs.bodies_b.tolist(), [11])
            np.testing.assert_allclose(answer.points_b[1], [3.5, 0, 0], atol=1e-5)
        ray = clearance.scenes.RayBatch(
            origins=[[-5, 0, 0], [-5, 3, 0]], displacements=[20, 0, 0], radii=0.25, max_pairs=9
        )
        for answer in self.both(ray):
            self.assertEqual(answer.states.tolist(), [MotionState.HIT, MotionState.FREE])
            self.assertAlmostEqual(answer.t_hit[0], (5 - 0.75) / 20, delta=1e-6)
            self.assertEqual(answer.pairs.bodies_b.tolist(), [10, 11, 12])

    def test_query_bodies_are_regrouped_midway(self) -> None:
        where = at([4, 4])  # both within box 11
        pairs = clearance.scenes.CheckBatch(poses=where, max_pairs=9)

        def touching() -> list:
            found = self.session.ask(pairs).pairs
            return list(zip(found.bodies_a.tolist(), found.bodies_b.tolist()))

        self.assertEqual(touching(), [(1, 2), (1, 11), (2, 11)])
        grasp = clearance.scenes.ScenePairRules(bodies_a=[11, 2], bodies_b=[1, 1])
        self.session.change_bodies(SceneChange(rules=grasp))
        self.assertEqual(touching(), [(2, 11)])
        let_go = clearance.scenes.ScenePairRules(bodies_a=[2], bodies_b=[1])
        self.session.change_bodies(SceneChange(removed_rules=let_go))
        self.assertEqual(touching(), [(1, 2), (2, 11)])
        self.assertEqual(self.session.check(poses=where, pair_scope=PairScope.SCENE).verdicts, 2)
        self.session.change_bodies(SceneChange(removed_bodies=[2]))
        self.assertEqual(self.session.check(poses=at([4])).verdicts, Verdict.FREE)
        with self.assertRaises(clearance.errors.InvalidArgument) as caught:
            self.session.check(poses=at([4]), scene_slot=None)
        self.assertEqual(caught.exception.limit, "a scene, or >= 2 query bodies")

    def test_a_setting_without_a_scene_asks_query_bodies_alone(self) -> None:
        alone = dataclasses.replace(self.setting, scene=None)
        scenes = self.client.scenes
        answer = scenes.check(alone, poses=at([[0, 0.5], [0, 2]]), max_pairs=9)
        self.assertEqual(answer.verdicts.tolist(), [Verdict.TOUCHING, Verdict.FREE])
        self.assertEqual((answer.pairs.bodies_b.tolist(), answer.scene_revision), ([2], 0))
        near = scenes.nearest(alone, poses=at([0, 2]), max_pairs=9)
        np.testing.assert_allclose(near.pairs.distances, [1], atol=1e-9)
        # A question that names a slot itself is not changed: there is no scene in it.
        for ask, columns in (
            (scenes.ray, {"displacements": [1, 0, 0]}),
            (scenes.overlap, {"poses": at(0)}),
        ):
            with self.assertRaises(clearance.ClearanceError):
                ask(alone, **columns)

    def test_a_refusal_says_what_and_the_session_goes_on(self) -> None:
        with self.assertRaises(clearance.errors.NotFound):
            self.session.open_scene(1, "nowhere")
        with self.assertRaises(clearance.errors.FailedPrecondition):
            self.session.check(poses=at([1, 6]), scene_slot=1)
        with self.assertRaises(clearance.errors.InvalidArgument) as caught:
            self.session.change_bodies(SceneChange(removed_bodies=[77]))
        self.assertIn("removed_bodies", caught.exception.field)
        with self.assertRaises(clearance.errors.FailedPrecondition):
            self.session.check(poses=at([2, 6]))
        again = SceneChange(bodies=self.setting.bodies)
        self.session.change_bodies(again, reset=True)
        self.assertEqual(self.session.check(poses=at([2, 6])).verdicts, Verdict.FREE)
        self.session.close_scene(0)
        with self.assertRaises(clearance.errors.NotFound):
            self.session.check(poses=at([2, 6]))
        with self.assertRaises(clearance.errors.NotFound):
            self.client.scenes.check(SceneSetting(scene="nowhere"))
        answer = self.client.scenes.check(self.setting, poses=at([[2, np.inf], [2, 6]]))
        self.assertEqual(answer.verdicts.tolist(), [Verdict.REFUSED, Verdict.FREE])
        self.assertEqual(answer.errors[0].field, "configurations.poses[1]")

    def test_a_query_body_may_be_the_body_of_the_scene(self) -> None:
        # Query body 11 stands where the scene's body 11 does.
        own = dataclasses.replace(self.setting, bodies=SceneBodies(ids=[1, 11]))
        with self.assertRaises(clearance.errors.InvalidArgument) as caught:
            self.client.scenes.check(own, poses=at([2, 4]))
        self.assertEqual(caught.exception.reason, "BODY_ID_IN_SCENE")
        same = dataclasses.replace(own, same_as_scene=[11])
        answer = self.client.scenes.check(same, poses=at([2, 4]))
        self.assertEqual(answer.verdicts, Verdict.FREE)
        malformed = dataclasses.replace(own, same_as_scene=[-1])
        with self.assertRaises(clearance.errors.InvalidArgument) as caught:
            self.client.scenes.check(malformed, poses=at([2, 4]))
        self.assertEqual(caught.exception.field, "same_as_scene")

    def test_rows_of_too_few_bodies_are_no_row_for_all(self) -> None:
        # Two rows of one body are as long as one row of two.
        for ask in (self.session.check, lambda **c: self.client.scenes.check(self.setting, **c)):
            with self.assertRaises(clearance.errors.InvalidArgument) as caught:
                ask(poses=at([[2], [6]]))
            self.assertEqual(caught.exception.limit, "of 2 query bodies")
        self.assertEqual(self.session.check(poses=at([2, 6])).verdicts, Verdict.FREE)

    def test_what_is_no_column_is_refused_here(self) -> None:
        for columns, field in (
            ({"poses": np.zeros((2, 6))}, "poses"),
            ({"poses": np.zeros(7)}, "poses"),
            ({"poses": np.zeros((3, 0, 7))}, "poses"),
            ({"poses": np.zeros((0, 2, 7))}, "configurations.count"),
            ({"poses": "there"}, "poses"),
        ):
            with self.subTest(columns=columns), self.assertRaises(
                clearance.errors.InvalidArgument
            ) as e:
                self.session.check(**columns)
            self.assertEqual(e.exception.field, field)
        for bodies, field in (
            (SceneBodies(ids=[1.5]), "bodies.ids"),
            (SceneBodies(ids=[-1]), "bodies.ids"),
            (SceneBodies(ids=[1, 2], poses=np.zeros((3, 7))), "bodies.poses"),
            (SceneBodies(ids=[1, 2], masks=[1, 2, 3]), "bodies.masks"),
            (SceneBodies(ids=[1], shapes=["ball"]), "bodies.shapes"),
        ):
            with self.subTest(field=field), self.assertRaises(
                clearance.errors.InvalidArgument
            ) as e:
                self.session.change_bodies(SceneChange(bodies=bodies))
            self.assertEqual(e.exception.field, field)
        self.assertEqual(self.session.check(poses=at([2, 6])).verdicts, Verdict.FREE)


class Pieces(Row):
    FLAGS = ("--max_batch_rows=7",)

    def test_large_batches_are_split_and_answers_joined(self) -> None:
        xs = np.stack((np.linspace(1, 3, 60), np.full(60, 6.0)), -1).reshape(12, 5, 2)
        where = at(xs)
        where[0, 3, 0, 0] = np.inf
        batch = clearance.scenes.CheckBatch(
            poses=where, max_pairs=4, detail=clearance.scenes.CheckDetail.FREE_RADII
        )
        with self.assertRaises(clearance.errors.ResourceExhausted):
            self.client.scenes.ask(self.setting, batch)
        small = clearance.connect(self.server.address, max_receive_bytes=1200)
        self.addCleanup(small.close)
        for client in (self.client, small):
            with client.open_session() as session:
                session.open(0, "ball")
                session.open_scene(0, "row")
                session.change_bodies(SceneChange(bodies=self.setting.bodies))
                answer = session.ask(batch)
                nearest = session.nearest(poses=where, max_pairs=2)
                moves = np.broadcast_to([0.5, 0, 0], (12, 5, 2, 3))
                motion = session.sweep(poses=where, displacements=moves)
            gap = np.minimum(xs[..., 0] - 1, 3 - xs[..., 0])
            free = gap > 0
            free[0, 3] = False
            np.testing.assert_array_equal(answer.proved_free(), free)
            np.testing.assert_allclose(answer.free_radii[free], gap[free], atol=1e-5)
            self.assertEqual([error.index for error in answer.errors], [3])
            self.assertEqual(len(answer.pairs.offsets), 61)
            counts = np.diff(answer.pairs.offsets.astype(int)).reshape(12, 5)
            is_touching = answer.verdicts == Verdict.TOUCHING
            np.testing.assert_array_equal(counts, is_touching.astype(int))
            self.assertGreater(is_touching.sum(), 1)
            self.assertEqual(nearest.pairs.offsets[-1], 2 * 59)
            self.assertEqual(len(nearest.pairs.distances), 2 * 59)
            # To the last bit what each row says by itself.
            for row in (0, 17, 59):
                index = np.unravel_index(row, (12, 5))
                one = self.client.scenes.nearest(self.setting, poses=where[index], max_pairs=2)
                many = nearest.pairs.distances[nearest.pairs.of_row(row)]
                np.testing.assert_array_equal(many, one.pairs.distances)
            np.testing.assert_array_equal(motion.proved_free(), free & (xs[..., 0] + 0.5 < 3))


class Truth(unittest.TestCase):
    """Random hulls with groups, margins and rules; the oracle gives the distance of every pair."""

    BODIES, OWN, ROWS = 6, 3, 25

    def setUp(self) -> None:
        print("seed", SEED)
        self.server = Server()
        self.addCleanup(self.server.end)
        self.client = clearance.connect(self.server.address)
        self.addCleanup(self.client.close)
        random = np.random.default_rng(SEED)
        count = self.BODIES + self.OWN
        self.hulls = [random.uniform(-0.6, 0.6, (5, 3)) for _ in range(count)]
        names = [f"hull/{i}" for i in range(count)]
        self.client.register_hulls(names, self.hulls)
        self.fixed = self.random_poses(random, (self.BODIES,))
        self.rows = self.random_poses(random, (self.ROWS, self.OWN))
        self.groups = random.integers(1, 4, count)
        self.masks = random.integers(1, 4, count)
        self.margins = random.uniform(0, 0.2, count)
        self.ids = np.arange(count) + 100
        columns = {"groups": self.groups, "masks": self.masks, "margins": self.margins}
        scene = {name: column[self.OWN :] for name, column in columns.items()}
        bodies = SceneBodies(
            ids=self.ids[self.OWN :],
            shapes=names[self.OWN :],
            shape_slots=np.arange(self.BODIES),
            poses=self.fixed,
            **scene,
        )
        self.client.scenes.create("world", SceneChange(bodies=bodies), ttl=60)
        own = {name: column[: self.OWN] for name, column in columns.items()}
        self.setting = SceneSetting(
            scene="world",
            shapes=names[: self.OWN],
            bodies=SceneBodies(ids=self.ids[: self.OWN], shape_slots=np.arange(self.OWN), **own),
            rules=clearance.scenes.ScenePairRules(
                bodies_a=[100, 104],
                bodies_b=[103, 101],
                kinds=[
                    clearance.scenes.PairRuleKind.MAY_TOUCH,
                    clearance.scenes.PairRuleKind.MARGIN,
                ],
                margins=[0, 0.7],
            ),
        )

    @staticmethod
    def random_poses(random, shape) -> np.ndarray:
        turns = random.normal(size=(*shape, 4))
        turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
        return poses.pose(random.uniform(-1.1, 1.1, (*shape, 3)), turns)

    def pairs(self) -> list:
        """Returns the pairs that are asked about, by index, each with its margin."""
        found = []
        for a in range(self.OWN):
            for b in range(a + 1, self.OWN + self.BODIES):
                meets = self.groups[a] & self.masks[b] and self.groups[b] & self.masks[a]
                margin = 0.7 if (a, b) == (1, 4) else self.margins[a] + self.margins[b]
                if meets and (a, b) != (0, 3):
                    found.append((a, b, margin))
        return found

    def distances(self, row: int) -> dict:
        where = np.concatenate((self.rows[row], self.fixed))
        world = [poses.transform(pose, hull) for pose, hull in zip(where, self.hulls)]
        return {
            (self.ids[a], self.ids[b]): (brute_force.signed_distance(world[a], world[b]), margin)
            for a, b, margin in self.pairs()
        }

    def test_checks_clearances_and_nearest_of_every_pair(self) -> None:
        pairs = len(self.pairs())
        self.assertGreater(pairs, 5)
        ask = self.client.scenes
        check = ask.check(self.setting, poses=self.rows, max_pairs=50)
        clear = ask.minimum_distance(self.setting, poses=self.rows)
        nearest = ask.nearest(self.setting, poses=self.rows, max_pairs=50)
        seen = {Verdict.FREE: 0, Verdict.TOUCHING: 0}
        for row in range(self.ROWS):
            truth = self.distances(row)
            touching = {ids for ids, (distance, margin) in truth.items() if distance <= margin}
            at_row = check.pairs.of_row(row)
            listed = zip(check.pairs.bodies_a[at_row], check.pairs.bodies_b[at_row])
            self.assertEqual(set(listed), touching)
            verdict = Verdict.TOUCHING if touching else Verdict.FREE
            self.assertEqual(check.verdicts[row], verdict)
            seen[verdict] += 1
            least = min(distance for distance, _ in truth.values())
            self.assertAlmostEqual(clear.distances[row], least, delta=1e-6)
            self.assertLessEqual(clear.lower_bounds[row], least + 1e-6)
            at_row = nearest.pairs.of_row(row)
            ids = list(zip(nearest.pairs.bodies_a[at_row], nearest.pairs.bodies_b[at_row]))
            self.assertEqual(set(ids), set(truth))
            expected = [truth[pair][0] for pair in ids]
            np.testing.assert_allclose(nearest.pairs.distances[at_row], expected, atol=1e-6)
            upper = nearest.pairs.upper_bounds[at_row]
            self.assertTrue((np.diff(upper) >= 0).all())
        # Neither verdict is left to chance.
        self.assertGreater(min(seen.values()), 2, seen)

    def test_rays_meet_balls_where_their_quadratic_says(self) -> None:
        random = np.random.default_rng(SEED)
        centres = random.uniform(-2, 2, (30, 3))
        balls = SceneBodies(ids=np.arange(30), shapes=["ball"], poses=poses.pose(centres))
        self.client.register("ball", clearance.Sphere(0.25))
        self.client.scenes.create("balls", SceneChange(bodies=balls), ttl=60)
        origins = random.uniform(-1, 1, (200, 3)) + (8, 0, 0)
        ways = random.uniform(-0.5, 0.5, (200, 3)) * (1, 8, 8) - (14, 0, 0)
        detail = clearance.scenes.SweepDetail.DEFAULT | clearance.scenes.SweepDetail.PAIRS
        answer = self.client.scenes.ray(
            SceneSetting(scene="balls"),
            origins=origins,
            displacements=ways,
            radii=0.1,
            detail=detail,
        )
        # |origin + t way - centre| = 0.35
        start = origins[:, None] - centres
        a = (ways**2).sum(-1)[:, None]
        b = (start * ways[:, None]).sum(-1)
        c = (start**2).sum(-1) - 0.35**2
        discriminant = b**2 - a * c
        times = np.where(discriminant > 0, (-b - np.sqrt(np.abs(discriminant))) / a, np.inf)
        times[(times < 0) | (times > 1)] = np.inf
        first = times.min(1)
        hits = np.isfinite(first)
        self.assertTrue(20 < hits.sum() < 180, hits.sum())
        np.testing.assert_array_equal(answer.states == MotionState.HIT, hits)
        np.testing.assert_array_equal(answer.proved_free(), ~hits)
        np.testing.assert_allclose(answer.t_hit[hits], first[hits], atol=1e-6)
        self.assertTrue((answer.t_free[hits] <= first[hits] + 1e-12).all())
        np.testing.assert_array_equal(answer.bodies_b[hits], times.argmin(1)[hits])


if __name__ == "__main__":
    unittest.main()
