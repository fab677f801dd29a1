# SPDX-License-Identifier: Apache-2.0
"""asyncio: the same answers, pipelining, errors and broken streams."""

import asyncio
import os
import signal
import unittest

import numpy as np
from server import Server

import clearance
from clearance import aio, poses

BALLS = (clearance.Sphere(0.25), clearance.Sphere(0.5))


def batch(x: float) -> clearance.batches.DistanceBatch:
    return clearance.batches.DistanceBatch(poses_b=poses.pose([[x, 0, 0]]))


class Aio(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.server = Server("--max_batch_rows=700")
        self.addCleanup(lambda: self.server.end())
        self.client = await aio.connect(self.server.address)
        self.addAsyncCleanup(self.client.close)

    async def open(self) -> aio.Session:
        session = self.client.open_session()
        self.addCleanup(session.cancel)
        for slot, ball in enumerate(BALLS):
            await session.open(slot, ball)
        return session

    async def test_registry_and_errors(self) -> None:
        registered = await self.client.register("ball", BALLS[0])
        self.assertEqual(
            [info.digest for info in await self.client.list()], [registered.info.digest]
        )
        answer = await self.client.distance(["ball", BALLS[1]], poses_b=poses.pose([2, 0, 0]))
        self.assertEqual(float(answer.distances), 1.25)
        await self.client.delete("ball")
        with self.assertRaises(clearance.errors.NotFound) as caught:
            await self.client.get("ball")
        self.assertEqual(caught.exception.detail.value, "ball")

    async def test_many_tasks_ask_one_session(self) -> None:
        session = await self.open()
        answers = await asyncio.gather(*(session.ask(batch(1 + i)) for i in range(200)))
        self.assertEqual([float(a.distances[0]) for a in answers], [0.25 + i for i in range(200)])

    async def test_pipelining_and_tags(self) -> None:
        session = await self.open()
        seen = [a.distances[0] async for a in session.ask_all(batch(1 + i) for i in range(50))]
        self.assertEqual(seen, [0.25 + i for i in range(50)])
        for i in range(300):
            await session.send(batch(1 + i), tag=i)
        self.assertEqual([(await session.next()).tag for _ in range(300)], list(range(300)))
        await session.finish()
        with self.assertRaises(clearance.errors.SessionEnded):
            await session.ask(batch(1))

    async def test_large_batches_are_split(self) -> None:
        async with self.client.open_session() as session:
            await session.open(0, BALLS[0])
            await session.open(1, BALLS[1])
            xs = 1 + 0.125 * np.arange(2000)
            where = poses.pose(np.stack((xs, 0 * xs, 0 * xs), -1))
            answer = await session.distance(poses_b=where)
        np.testing.assert_array_equal(answer.distances, xs - 0.75)

    async def test_goes_on_where_the_server_is_killed_and_started_again(self) -> None:
        session = await self.open()
        port = self.server.port
        self.server.end(signal.SIGKILL)
        with self.assertRaises(TimeoutError):
            await session.ask(batch(3), timeout=0.05)
        asked = asyncio.ensure_future(session.ask(batch(3)))
        self.server = Server(port=port)
        self.assertEqual((await asked).distances[0], 2.25)
        await session.finish()

    async def test_a_timeout_is_of_the_wait_for_room_too(self) -> None:
        session = self.client.open_session(max_unwritten=2, reopen_within=5)
        self.addCleanup(session.cancel)
        await session.open(0, BALLS[0])
        self.server.end(signal.SIGKILL)
        for _ in range(6):
            with self.assertRaises(TimeoutError) as caught:
                await session.ask(batch(3), timeout=0.05)
        self.assertIn("not sent", str(caught.exception))

    async def test_a_session_ends_with_its_client(self) -> None:
        idle, waiting, finished = await self.open(), await self.open(), await self.open()
        await finished.finish()
        # The task waits, because the server that would answer is stopped.
        os.kill(self.server.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, self.server.pid, signal.SIGCONT)
        task = asyncio.ensure_future(waiting.ask(batch(1)))
        await asyncio.sleep(0)
        before = asyncio.all_tasks()
        await self.client.close()
        with self.assertRaisesRegex(clearance.ClearanceError, "client was closed"):
            await task
        with self.assertRaisesRegex(clearance.ClearanceError, "client was closed"):
            await idle.ask(batch(1))
        with self.assertRaises(clearance.errors.SessionEnded):
            await finished.ask(batch(1))
        self.assertLess(len(asyncio.all_tasks()), len(before))

    async def test_cancelled(self) -> None:
        session = await self.open()
        session.cancel()
        with self.assertRaises(clearance.errors.Cancelled):
            await session.ask(batch(1))


if __name__ == "__main__":
    unittest.main()
