# SPDX-License-Identifier: Apache-2.0
"""Tracks: the hits of a lag-compensated shot and swing, with threads and with asyncio. The bodies'
positions are known in closed form."""

import signal
import unittest

import numpy as np
from server import Server

import clearance
from clearance import MotionState, SceneBodies, SceneChange, Verdict, aio, poses
from clearance.tracks import TrackClamp, TrackReader, TrackWriter


def at(*xs: float) -> np.ndarray:
    return poses.pose(np.stack((xs, np.zeros(len(xs)), np.zeros(len(xs))), -1))


# The boxes 7 and 8, one metre wide; the map has another one, 1; the sword 99 is a ball.
PLAYERS = SceneBodies(ids=[7, 8], shapes=["box"], poses=at(0, 50))
SWORD = SceneBodies(ids=[99], shapes=["ball"])
MAP = SceneChange(bodies=SceneBodies(ids=[1], shapes=["box"], poses=at(-30)))


class Tracks(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.end)
        self.client = clearance.connect(self.server.address)
        self.addCleanup(self.client.close)
        self.client.register("box", clearance.Box((0.5, 0.5, 0.5)))
        self.client.register("ball", clearance.Sphere(0.5))

    def write(self) -> TrackWriter:
        writer = TrackWriter.open(self.client, "match", PLAYERS)
        self.addCleanup(writer.cancel)
        return writer

    def read(self, **options) -> TrackReader:
        reader = TrackReader.open(self.client, **options)
        self.addCleanup(reader.cancel)
        return reader

    def test_a_shot_and_a_swing_meet_what_was_there_at_the_time(self) -> None:
        self.client.scenes.create("map", MAP)
        writer = self.write()
        writer.publish(100, at(0, 50))
        published = writer.publish(101, at(4, 50))
        self.assertEqual((published.oldest_tick, published.body_count), (100, 2))
        reader = self.read(scene="map", bodies=SWORD)
        rewound = reader.rewind("match", 100, 0.25)
        self.assertEqual((rewound.clamp, rewound.weight), (TrackClamp.NONE, 0.25))
        self.assertEqual((rewound.earlier_tick, rewound.later_tick), (100, 101))
        self.assertEqual((rewound.body_count, rewound.scene_revision), (2, 1))
        # The player was at x = 1 then: one ray meets the face at 1.5, the other the map's box.
        hits = reader.cast_rays(
            origins=[[11, 0, 0], [-10, 0, 0]], displacements=[[-20, 0, 0], [-40, 0, 0]]
        )
        self.assertEqual(hits.states.tolist(), [MotionState.HIT] * 2)
        self.assertEqual(hits.bodies_b.tolist(), [7, 1])
        np.testing.assert_allclose(hits.points_b[:, 0], [1.5, -29.5], atol=1e-9)
        np.testing.assert_allclose(hits.normals[:, 0], [-1, -1], atol=1e-9)
        # A swing that is short of it, and one that reaches it.
        checks = reader.check(poses=at(2.5, 1.5)[:, None])
        self.assertEqual(checks.verdicts.tolist(), [Verdict.FREE, Verdict.TOUCHING])
        self.assertEqual((checks.bodies_a[1], checks.bodies_b[1]), (99, 7))
        swing = reader.sweep(poses=at(6), displacements=[[-8, 0, 0]])
        self.assertEqual((swing.states, swing.bodies_b), (MotionState.HIT, 7))
        self.assertAlmostEqual(float(swing.t_hit), 0.5, delta=1e-6)
        near = reader.ask(clearance.scenes.NearestBatch(poses=at(2.5), max_pairs=1))
        np.testing.assert_allclose(near.pairs.distances, [0.5], atol=1e-6)
        # No player shoots themselves, and there is nothing beyond the newest tick.
        late = reader.rewind("match", 105, left_out_bodies=[7])
        self.assertEqual((late.clamp, late.tick), (TrackClamp.TO_NEWEST, 101))
        self.assertEqual((late.body_count, late.newest_tick), (1, 101))
        self.assertEqual(reader.check(poses=at(4)).verdicts, Verdict.FREE)

    def test_query_bodies_are_not_asked_against_each_other(self) -> None:
        self.write().publish(1)
        reader = self.read(bodies=SceneBodies(ids=[98, 99], shapes=["ball"]))
        reader.rewind("match", 1)
        both = at(20, 20)
        self.assertEqual(reader.check(poses=both).verdicts, Verdict.FREE)
        ways = np.zeros((2, 3))
        self.assertEqual(reader.sweep(poses=both, displacements=ways).states, MotionState.FREE)

    def test_rewinds_in_no_scene_where_the_one_that_was_asked_for_did_not_open(self) -> None:
        self.write().publish(1)
        reader = self.read()
        self.assertEqual(reader.rewind("match", 1).scene_revision, 0)
        with self.assertRaises(clearance.errors.NotFound):
            reader.open_scene("map")
        with self.assertRaises(clearance.errors.FailedPrecondition):
            reader.rewind("match", 1)
        self.client.scenes.create("map", MAP)
        reader.open_scene("map")
        self.assertEqual(reader.rewind("match", 1).scene_revision, 1)
        with self.assertRaises(clearance.errors.NotFound):
            TrackReader.open(self.client, scene="nowhere")

    def test_a_track_has_one_writer_and_ends_with_it(self) -> None:
        reader = self.read()
        with self.assertRaises(clearance.errors.FailedPrecondition):
            reader.rewind("match", 1)
        with self.write() as writer:
            with self.assertRaises(clearance.errors.AlreadyExists):
                TrackWriter.open(self.client, "match", PLAYERS)
            writer.publish(1)
            with self.assertRaises(clearance.errors.FailedPrecondition):
                writer.publish(1)
            with self.assertRaises(clearance.errors.InvalidArgument):
                writer.publish(2, np.zeros(7))
            writer.change(SceneChange(removed_bodies=[8]))
            self.assertEqual(writer.publish(2).body_count, 1)
            with self.assertRaises(clearance.errors.InvalidArgument):
                writer.change(SceneChange(removed_bodies=[8]))
            with self.assertRaises(clearance.errors.FailedPrecondition):
                writer.publish(3)
            writer.change(SceneChange(bodies=PLAYERS), reset=True)
            self.assertEqual(writer.publish(3).body_count, 2)
            reader.rewind("match", 3)
        with self.assertRaises(clearance.errors.SessionEnded):
            writer.publish(4)
        # The result of the last rewind stays, until another rewind.
        self.assertEqual(reader.cast_rays(displacements=[1, 0, 0]).bodies_b, 7)
        with self.assertRaises(clearance.errors.NotFound):
            reader.rewind("match", 3)
        with self.assertRaises(clearance.errors.FailedPrecondition):
            reader.cast_rays(displacements=[1, 0, 0])
        reader.finish()

    def test_a_stream_that_breaks_is_not_gone_on_with(self) -> None:
        writer = self.write()
        writer.publish(1)
        port = self.server.port
        self.server.end(signal.SIGKILL)
        self.server = Server(port=port)
        self.addCleanup(self.server.end)
        for _ in range(2):
            with self.assertRaises(clearance.errors.Unavailable):
                writer.publish(2)


class AioTracks(unittest.IsolatedAsyncioTestCase):
    async def test_a_shot_and_a_swing_meet_what_was_there_at_the_time(self) -> None:
        server = Server()
        self.addCleanup(server.end)
        client = await aio.connect(server.address)
        self.addAsyncCleanup(client.close)
        await client.register("box", clearance.Box((0.5, 0.5, 0.5)))
        await client.register("ball", clearance.Sphere(0.5))
        await client.scenes.create("map", MAP)
        async with await aio.TrackWriter.open(client, "match", PLAYERS) as writer:
            await writer.publish(100, at(0, 50))
            await writer.publish(101, at(4, 50))
            await writer.change(SceneChange(removed_bodies=[8]))
            self.assertEqual((await writer.publish(102, at(8))).body_count, 1)
            reader = await aio.TrackReader.open(client, scene="map", bodies=SWORD)
            async with reader:
                self.assertEqual((await reader.rewind("match", 100, 0.25)).weight, 0.25)
                hits = await reader.cast_rays(origins=[11, 0, 0], displacements=[-20, 0, 0])
                np.testing.assert_allclose(hits.points_b, [1.5, 0, 0], atol=1e-9)
                checks = await reader.check(poses=at(2.5, 1.5)[:, None])
                self.assertEqual(checks.verdicts.tolist(), [Verdict.FREE, Verdict.TOUCHING])
                swing = await reader.sweep(poses=at(6), displacements=[[-8, 0, 0]])
                self.assertAlmostEqual(float(swing.t_hit), 0.5, delta=1e-6)
                near = await reader.ask(clearance.scenes.MinimumDistanceBatch(poses=at(2.5)))
                self.assertAlmostEqual(float(near.distances), 0.5, delta=1e-6)
            with self.assertRaises(clearance.errors.NotFound):
                await aio.TrackReader.open(client, scene="nowhere")
            with self.assertRaises(clearance.errors.AlreadyExists):
                await aio.TrackWriter.open(client, "match", PLAYERS)
        with self.assertRaises(clearance.errors.SessionEnded):
            await writer.publish(103)


if __name__ == "__main__":
    unittest.main()
