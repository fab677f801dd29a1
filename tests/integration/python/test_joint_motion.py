# SPDX-License-Identifier: Apache-2.0
"""Proofs of joint motions of a planar arm of two links, against closed forms and against dense
sampling of the motion in numpy."""

import unittest

import numpy as np
from server import Server

import clearance
from clearance import MotionState, SceneBodies, SceneChange, Verdict, poses
from clearance.joint_motion import prove_joint_motions
from clearance.scenes import PairScope

SEED = 20261129
LINK = 1.0  # metres; each link is a capsule about its middle
RADIUS = 0.05
REACHES = [[LINK + RADIUS, 0.0], [2 * LINK + RADIUS, LINK + RADIUS]]
BALL = 0.1
OFFSET = 2.0


def middles(joints: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The middles (n, 2, 3) of the links and the angles (n, 2) that they stand at."""
    angles = np.cumsum(joints, axis=1)
    along = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=-1) * LINK
    ends = np.cumsum(along, axis=1)
    return ends - along / 2, angles


def kinematics(joints: np.ndarray) -> np.ndarray:
    where, angles = middles(joints)
    # A capsule lies along z: turned to x by y, then by z to its angle.
    half = np.sqrt(0.5)
    cos, sin = np.cos(angles / 2) * half, np.sin(angles / 2) * half
    return poses.pose(where, np.stack([-sin, cos, sin, cos], axis=-1))


def gaps(joints: np.ndarray, ball: np.ndarray) -> np.ndarray:
    """The distance of the nearest link from a ball: that of a point from a segment."""
    where, angles = middles(joints)
    along = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=-1)
    from_middle = ball - where
    place = np.clip((from_middle * along).sum(-1), -LINK / 2, LINK / 2)
    nearest = where + place[..., None] * along
    return (np.linalg.norm(ball - nearest, axis=-1) - RADIUS - BALL).min(axis=-1)


class JointMotions(unittest.TestCase):
    def setUp(self) -> None:
        server = Server()
        self.addCleanup(server.end)
        client = clearance.connect(server.address)
        self.addCleanup(client.close)
        self.client = client
        client.register("ball", clearance.Sphere(BALL))
        self.session = client.open_session()
        self.addCleanup(self.session.finish)
        self.session.open(0, clearance.Capsule(RADIUS, LINK / 2))
        arm = SceneChange(
            bodies=SceneBodies(ids=[1, 2]),
            rules=clearance.scenes.ScenePairRules(bodies_a=[1], bodies_b=[2]),
        )
        self.session.change_bodies(arm)

    def put_ball(self, at) -> None:
        bodies = SceneBodies(ids=[10], shapes=["ball"], poses=poses.pose(at))
        self.client.scenes.create("room", SceneChange(bodies=bodies), replace=True)
        self.session.open_scene(0, "room")

    def test_the_links_go_where_the_joints_lead_them(self) -> None:
        """The hand goes round by a circle. Each link on its own screw cuts the corner."""
        self.put_ball((0, 1.97, 0))
        start, end = np.array([[0.0, 0.0]]), np.array([[3.0, 0.0]])
        proof = prove_joint_motions(self.session, kinematics, start, end, REACHES)
        self.assertEqual(proof.verdicts.tolist(), [Verdict.TOUCHING])
        touching = start + proof.times[:, None] * (end - start)
        self.assertLessEqual(gaps(touching, np.array([0, 1.97, 0]))[0], 0)
        screws = self.session.sweep(poses=kinematics(start), end_poses=kinematics(end))
        self.assertEqual(screws.states.ravel().tolist(), [MotionState.FREE])

    def test_free_means_free_on_the_whole_way(self) -> None:
        generator = np.random.default_rng(SEED)
        told = np.zeros(4, int)
        for _ in range(20):
            ball = np.append(generator.uniform(-2.2, 2.2, 2), 0.0)
            self.put_ball(ball)
            starts = generator.uniform(-np.pi, np.pi, (40, 2))
            ends = starts + generator.uniform(-1.5, 1.5, (40, 2))
            proof = prove_joint_motions(self.session, kinematics, starts, ends, REACHES)
            steps = np.linspace(0, 1, 2001)
            for i in range(len(starts)):
                way = starts[i] + steps[:, None] * (ends[i] - starts[i])
                least = gaps(way, ball).min()
                if proof.verdicts[i] == Verdict.FREE:
                    self.assertGreater(least, 0)
                    self.assertTrue(np.isnan(proof.times[i]))
                elif proof.verdicts[i] == Verdict.TOUCHING:
                    touching = starts[i] + proof.times[i] * (ends[i] - starts[i])
                    self.assertLess(gaps(touching[None], ball)[0], 1e-6)
                else:
                    self.assertLess(least, 1e-3)
                told[proof.verdicts[i]] += 1
        print(f"seed {SEED}: {told[1]} free, {told[2]} touching, {told[3]} undecided", flush=True)
        self.assertGreater(told[Verdict.FREE], 100)
        self.assertGreater(told[Verdict.TOUCHING], 50)
        self.assertLess(told[Verdict.UNDECIDED], 10)

    def test_a_motion_of_nothing_takes_one_check(self) -> None:
        self.put_ball((0, OFFSET, 1))
        proof = prove_joint_motions(self.session, kinematics, [0.0, 0.0], [0.0, 0.0], REACHES)
        self.assertEqual((proof.verdicts.tolist(), proof.checks), ([Verdict.FREE], 1))
        self.assertTrue(proof.proved_free().all())

    def test_a_motion_that_grazes_is_undecided(self) -> None:
        """The hand comes to lie at the ball, a nanometre off: no part of its end can be proved."""
        self.put_ball((2 + RADIUS + BALL + 1e-9, 0, 0))
        proof = prove_joint_motions(self.session, kinematics, [0.5, 0.0], [0.0, 0.0], REACHES)
        self.assertEqual(proof.verdicts.tolist(), [Verdict.UNDECIDED])
        self.assertGreater(proof.times[0], 0.99)

    def test_bad_arguments_are_named(self) -> None:
        self.put_ball((0, OFFSET, 1))
        for reaches, starts in (([[1.0]], [0.0, 0.0]), ([[1.0, -1.0]], [0.0, 0.0]),
                                (REACHES, [np.nan, 0.0])):
            with self.assertRaisesRegex(clearance.errors.InvalidArgument, "reaches"):
                prove_joint_motions(self.session, kinematics, starts, [0.0, 0.0], reaches)
        with self.assertRaises(clearance.errors.RefusedRows):
            prove_joint_motions(self.session, lambda q: kinematics(q) * np.nan, [0.0, 0.0],
                                [1.0, 0.0], REACHES, pair_scope=PairScope.SCENE)


if __name__ == "__main__":
    unittest.main()
