# SPDX-License-Identifier: Apache-2.0
"""Sessions whose every stream breaks. They go on while messages are answered, but not forever if
only the slots are."""

import unittest

from breaking_server import BreakingServer

import clearance
from clearance import aio, poses

BALL = clearance.Sphere(0.25)
PIECES = 20  # whose waits together are longer than the session would wait
LONG = 30.0  # until a session that goes on for ever is given up by its test


def batch(rows: int) -> clearance.batches.DistanceBatch:
    return clearance.batches.DistanceBatch(
        poses_b=poses.pose([[1 + row, 0, 0] for row in range(rows)])
    )


class Reopened(unittest.TestCase):
    def open(self, server: BreakingServer, reopen_within: float) -> clearance.Session:
        self.addCleanup(server.end)
        client = clearance.connect(server.address)
        self.addCleanup(client.close)
        session = client.open_session(reopen_within=reopen_within)
        self.addCleanup(session.cancel)
        session.open(0, BALL)
        return session

    def test_a_message_that_breaks_every_stream_ends_the_session(self) -> None:
        server = BreakingServer()
        session = self.open(server, reopen_within=0.3)
        with self.assertRaisesRegex(clearance.errors.Unavailable, "breaks the stream"):
            session.ask(batch(1), timeout=LONG)
        self.assertGreater(server.streams, 1)
        with self.assertRaises(clearance.errors.Unavailable):
            session.finish()

    def test_a_session_goes_on_while_each_stream_answers_a_piece(self) -> None:
        server = BreakingServer(batches_a_stream=1)
        session = self.open(server, reopen_within=0.03)
        with self.assertRaises(clearance.errors.NotFound):  # the answer to all of its pieces
            session.ask(batch(PIECES), timeout=LONG)
        self.assertEqual(server.streams, PIECES)


class AioReopened(unittest.IsolatedAsyncioTestCase):
    async def test_a_message_that_breaks_every_stream_ends_the_session(self) -> None:
        server = BreakingServer()
        self.addCleanup(server.end)
        async with await aio.connect(server.address) as client:
            session = client.open_session(reopen_within=0.3)
            self.addCleanup(session.cancel)
            await session.open(0, BALL)
            with self.assertRaisesRegex(clearance.errors.Unavailable, "breaks the stream"):
                await session.ask(batch(1), timeout=LONG)
            self.assertGreater(server.streams, 1)


if __name__ == "__main__":
    unittest.main()
