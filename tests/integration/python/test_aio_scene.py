# SPDX-License-Identifier: Apache-2.0
"""Scenes with asyncio: the same answers, errors, watches and broken streams."""

import asyncio
import random
import signal
import unittest

import grpc
import numpy as np
from relay import Relay
from server import Server

import clearance
from clearance import SceneBodies, SceneChange, SceneSetting, aio, poses
from clearance.scenes import SceneEnd, ScenePoses

SEED = 20261123


def at(*xs: float) -> np.ndarray:
    return poses.pose(np.stack((xs, np.zeros(len(xs)), np.zeros(len(xs))), -1))


class EndedCall:
    """A call of gRPC whose stream has ended, and whose reading task is cancelled before it
    knows."""

    async def read(self) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            nothing = grpc.aio.Metadata()
            raise grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, nothing, nothing) from None

    def cancel(self) -> None:
        pass


class AioScene(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.server = Server("--max_batch_rows=7")
        self.addCleanup(lambda: self.server.end())
        self.client = await aio.connect(self.server.address)
        self.addAsyncCleanup(self.client.close)
        await self.client.register("box", clearance.Box((0.5, 0.5, 0.5)))
        boxes = SceneBodies(ids=[10, 11], shapes=["box"], poses=at(0, 4))
        self.scenes = self.client.scenes
        self.made = await self.scenes.create("row", SceneChange(bodies=boxes), ttl=60)
        self.own = SceneBodies(ids=[1, 2], poses=at(2, 8))

    async def open(self, client: aio.Client) -> aio.Session:
        session = client.open_session()
        self.addCleanup(session.cancel)
        await session.open(0, clearance.Sphere(0.5))
        await session.open_scene(0, "row", revision=1)
        changed = await session.change_bodies(SceneChange(bodies=self.own))
        self.assertEqual((changed.body_count, changed.rule_count), (2, 0))
        return session

    async def test_made_shown_changed_forked_listed_deleted(self) -> None:
        moved = SceneChange(poses=ScenePoses(ids=[11], poses=at(5)))
        changed = await self.scenes.update("row", moved, etag=self.made.etag)
        with self.assertRaises(clearance.errors.Aborted):
            await self.scenes.update("row", moved, etag=self.made.etag)
        found = await self.scenes.get("row", include_content=True)
        self.assertEqual(found.info, changed)
        np.testing.assert_array_equal(found.content.bodies.poses, at(0, 5))
        await self.scenes.fork("fork", "row", source_revision=1, ttl=60)
        self.assertEqual([info.name for info in await self.scenes.list()], ["fork", "row"])
        await self.scenes.delete("fork")
        ball = SceneChange(bodies=SceneBodies(ids=[12], shapes=["box"]))
        for name, revision in (("new", 1), ("new", 2)):
            made = await self.scenes.create(name, ball, replace=True)
            self.assertEqual((made.revision, made.body_count), (revision, 1))
        made = await self.scenes.create("new", ball, replace=True, ttl=60)
        self.assertEqual((made.revision, made.ttl), (1, 60))
        await self.scenes.delete("new")
        with self.assertRaises(clearance.errors.NotFound):
            await self.scenes.get("fork")

    async def test_calls_and_sessions_answer_each_question_alike(self) -> None:
        session = await self.open(self.client)
        setting = SceneSetting(
            scene="row", shapes=[clearance.Sphere(0.5)], bodies=SceneBodies(ids=[1, 2])
        )
        way = {"displacements": [[[3, 0, 0], [0, 0, 0]]]}
        for name, columns, expected in (
            ("check", {"poses": at(2, 8)}, 1),
            ("minimum_distance", {"poses": at(1.25, 8)}, 0.25),
            ("nearest", {"poses": at(1.25, 8)}, 0.25),
            ("overlap", {"poses": at(0.75)}, 2),
            ("sweep", {"poses": at(2, 8), **way}, 1 / 3),
            ("ray", {"origins": [2, 0, 0], "displacements": [3, 0, 0]}, 0.5),
        ):
            with self.subTest(question=name):
                answers = [
                    await getattr(session, name)(**columns),
                    await getattr(self.scenes, name)(setting, **columns),
                ]
                for answer in answers:
                    if name in ("check", "overlap"):
                        found = answer.verdicts
                    elif name in ("sweep", "ray"):
                        found = answer.t_hit
                    else:
                        found = answer.pairs.distances if name == "nearest" else answer.distances
                    np.testing.assert_allclose(np.ravel(found), [expected], atol=1e-6)

    async def test_slots_and_bodies_are_let_go(self) -> None:
        session = await self.open(self.client)
        await session.change_bodies(SceneChange(bodies=SceneBodies(ids=[5])), reset=True)
        self.assertEqual((await session.check(poses=at(8))).verdicts, 1)
        await session.close_scene(0)
        with self.assertRaises(clearance.errors.NotFound):
            await session.check()
        await session.open_scene(1, "row", min_revision=1)
        self.assertEqual((await session.check(scene_slot=1, poses=at(4))).verdicts, 2)

    async def test_large_batches_are_split(self) -> None:
        session = await self.open(self.client)
        xs = np.linspace(1.125, 2.875, 100)
        where = np.stack((poses.pose(np.stack((xs, 0 * xs, 0 * xs), -1)), at(*(0 * xs + 8))), 1)
        answer = await session.minimum_distance(poses=where)
        np.testing.assert_allclose(answer.distances, np.minimum(xs - 1, 3 - xs), atol=1e-6)

    async def test_a_watch_tells_each_change_and_the_end(self) -> None:
        watch = self.scenes.watch("row", from_revision=1, etag=self.made.etag)
        self.addCleanup(watch.cancel)
        self.assertEqual((await watch.next()).scene, self.made)
        for x in range(3):
            await self.scenes.update("row", SceneChange(poses=ScenePoses(ids=[11], poses=at(x))))
            news = await watch.next()
            self.assertEqual((news.base_revision, news.scene.revision), (x + 1, x + 2))
            np.testing.assert_array_equal(news.change.poses.poses, at(x))
        await self.scenes.delete("row")
        self.assertEqual([news.end async for news in watch], [SceneEnd.DELETED])
        with self.assertRaises(clearance.errors.SessionEnded):
            await watch.next()
        async with self.scenes.watch("nowhere") as missing:
            with self.assertRaises(clearance.errors.NotFound):
                await missing.next()

    async def test_who_stops_waiting_loses_no_news(self) -> None:
        print("seed", SEED)
        source = random.Random(SEED)
        updates = 100
        watch = self.scenes.watch("row")
        self.addCleanup(watch.cancel)
        told = [(await watch.next()).scene.revision]

        async def follow() -> int:
            """Returns how often it stopped waiting, each time in a row for longer."""
            stops = 0
            patience = 0.0005
            while told[-1] < updates + 1:
                try:
                    news = await asyncio.wait_for(watch.next(), source.uniform(0, patience))
                except asyncio.TimeoutError:
                    stops += 1
                    patience *= 1.5
                else:
                    told.append(news.scene.revision)
                    patience = 0.0005
            return stops

        following = asyncio.ensure_future(follow())
        for x in range(updates):
            # As many revisions are held that none is passed over.
            while told[-1] < x - 5:
                await asyncio.sleep(0)
            await self.scenes.update("row", SceneChange(poses=ScenePoses(ids=[11], poses=at(x))))
        self.assertGreater(await following, updates // 4)
        self.assertEqual(told, list(range(1, updates + 2)))

    async def test_whose_cancellation_it_is(self) -> None:
        async def waiting(watch: aio.SceneWatch) -> asyncio.Task:
            self.addCleanup(watch.cancel)
            self.assertTrue((await watch.next()).is_reload)
            task = asyncio.ensure_future(watch.next())
            await asyncio.sleep(0)
            return task

        with self.subTest("the task's, of a watch that is cancelled too"):
            watch = self.scenes.watch("row")
            task = await waiting(watch)
            watch.cancel()
            task.cancel()
            await asyncio.wait([task])
            self.assertTrue(task.cancelled())
        with self.subTest("the task's, where the stream has ended before"):
            watch = self.scenes.watch("row")
            watch._call = EndedCall()
            task = asyncio.ensure_future(watch.next())
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            self.assertTrue(task.cancelled())
            self.assertTrue((await watch.next()).is_reload)
        with self.subTest("of no task, but of the call"):
            watch = self.scenes.watch("row")
            task = await waiting(watch)
            watch._call.cancel()
            await self.scenes.update("row", SceneChange(removed_bodies=[10]))
            self.assertEqual((await task).scene.revision, 2)

    async def test_a_watch_is_cancelled_while_a_task_waits(self) -> None:
        watch = self.scenes.watch("row")
        self.assertTrue((await watch.next()).is_reload)
        waiting = asyncio.ensure_future(watch.next())
        await asyncio.sleep(0)
        watch.cancel()
        with self.assertRaises(clearance.errors.Cancelled):
            await waiting

    async def test_a_watch_ends_with_its_client(self) -> None:
        waiting, idle = self.scenes.watch("row"), self.scenes.watch("row")
        cancelled, unread = self.scenes.watch("row"), self.scenes.watch("row")
        for watch in (waiting, idle, cancelled):
            self.assertTrue((await watch.next()).is_reload)
        cancelled.cancel()
        task = asyncio.ensure_future(waiting.next())
        await asyncio.sleep(0)
        await self.client.close()
        with self.assertRaisesRegex(clearance.ClearanceError, "client was closed"):
            await asyncio.wait_for(task, 20)
        for watch in (idle, unread):
            with self.assertRaisesRegex(clearance.ClearanceError, "client was closed"):
                await watch.next()
        with self.assertRaises(clearance.errors.Cancelled):
            await cancelled.next()

    async def test_holds_its_scene_and_bodies_where_the_connection_breaks(self) -> None:
        relay = Relay(self.server.port)
        self.addCleanup(lambda: relay.close())
        async with await aio.connect(relay.address, wait=60) as client:
            session = await self.open(client)
            await session.close(0)
            await self.scenes.update("row", SceneChange(removed_bodies=[10]))
            watch = client.scenes.watch("row", from_revision=2)
            self.addCleanup(watch.cancel)
            await watch.next()
            relay.cut()
            answer = await session.nearest(max_pairs=9)
            self.assertEqual(answer.scene_revision, 1)
            self.assertEqual(answer.pairs.bodies_b.tolist(), [10, 11, 11, 2, 10])
            await self.scenes.update("row", SceneChange(removed_bodies=[11]))
            self.assertEqual((await watch.next()).scene.revision, 3)

    async def test_ends_where_the_scene_is_gone(self) -> None:
        session = await self.open(self.client)
        port = self.server.port
        self.server.end(signal.SIGKILL)
        self.server = Server(port=port)
        with self.assertRaisesRegex(
            clearance.errors.FailedPrecondition, "scene slot 0 held revision 1"
        ):
            await session.check()


if __name__ == "__main__":
    unittest.main()
