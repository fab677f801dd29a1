# SPDX-License-Identifier: Apache-2.0
"""Streams: order, pipelining, pieces and parts, and what a broken stream does to them."""

import signal
import threading
import unittest

import numpy as np
from server import Server

import clearance
from clearance import poses

BALLS = (clearance.Sphere(0.25), clearance.Sphere(0.5))


def at(*xs: float) -> np.ndarray:
    return poses.pose(np.stack((xs, np.zeros(len(xs)), np.zeros(len(xs))), -1))


class Sessions(unittest.TestCase):
    def start(self, *flags: str, **options) -> clearance.Client:
        self.server = Server(*flags)
        self.addCleanup(lambda: self.server.end())
        client = clearance.connect(self.server.address, **options)
        self.addCleanup(client.close)
        return client

    def open(self, client: clearance.Client, **options) -> clearance.Session:
        session = client.open_session(**options)
        self.addCleanup(session.cancel)
        for slot, ball in enumerate(BALLS):
            session.open(slot, ball)
        return session

    def test_any_number_of_messages_before_the_first_answer(self) -> None:
        session = self.open(self.start(), max_unwritten=8)
        for i in range(1000):
            session.send(clearance.batches.DistanceBatch(poses_b=at(1 + i)), tag=i)
        for i in range(1000):
            reply = session.next()
            self.assertEqual((reply.tag, float(reply.answer.distances[0])), (i, 0.25 + i))
        with self.assertRaises(clearance.errors.FailedPrecondition):
            session.next()
        session.finish()
        with self.assertRaises(clearance.errors.SessionEnded):
            session.ask(clearance.batches.DistanceBatch())

    def test_answers_keep_their_order_whatever_the_window(self) -> None:
        session = self.open(self.start())
        batches = (clearance.batches.DistanceBatch(poses_b=at(1 + i)) for i in range(50))
        distances = [answer.distances[0] for answer in session.ask_all(batches, window=7)]
        self.assertEqual(distances, [0.25 + i for i in range(50)])

    def test_large_batches_are_split_and_large_answers_joined(self) -> None:
        client = self.start("--max_batch_rows=700", max_receive_bytes=200_000)
        session = self.open(client)
        where = at(*(1 + 0.125 * np.arange(5000)))
        where[[3, 4000], 0] = np.inf
        split = session.distance(poses_b=where, detail=clearance.DistanceDetail.PROOF)
        expected = 0.25 + 0.125 * np.arange(5000)
        good = split.states == clearance.State.SEPARATED
        np.testing.assert_array_equal(np.flatnonzero(~good), [3, 4000])
        np.testing.assert_array_equal(split.distances[good], expected[good])
        self.assertEqual([error.index for error in split.errors], [3, 4000])
        self.assertEqual(split.witnesses.offsets.shape, (5001,))
        self.assertEqual(split.witnesses.offsets[-1], len(split.witnesses.weights))
        self.assertEqual(np.diff(split.witnesses.offsets.astype(int)).sum(), 4998)

    def test_a_refused_message_leaves_the_session_as_it_is(self) -> None:
        session = self.open(self.start())
        with self.assertRaises(clearance.errors.NotFound) as caught:
            session.open(2, "nobody")
        self.assertEqual(caught.exception.detail.value, "nobody")
        answer = session.distance(slots_b=[1, 2], poses_b=at(1))
        self.assertEqual(answer.states.tolist(), [1, 6])
        session.close(1)
        self.assertEqual(session.distance(poses_b=at(1)).states.tolist(), [6])
        with self.assertRaises(clearance.errors.NotFound):
            session.close(1)

    def test_goes_on_where_the_server_is_killed_and_started_again(self) -> None:
        client = self.start()
        session = self.open(client)
        with self.assertRaises(clearance.errors.InvalidArgument):
            session.open(2, clearance.Sphere(-1))
        port = self.server.port
        self.server.end(signal.SIGKILL)
        session.send(clearance.batches.DistanceBatch(poses_b=at(3), slots_b=[1, 2]), tag=5)
        self.server = Server(port=port)
        reply = session.next()
        self.assertEqual((reply.tag, reply.answer.states.tolist()), (5, [1, 6]))
        self.assertEqual(reply.answer.distances[0], 2.25)
        session.finish()

    def test_ends_where_a_registered_shape_is_gone(self) -> None:
        client = self.start()
        client.register("ball", BALLS[0])
        session = self.open(client)
        session.open(7, "ball")
        port = self.server.port
        self.server.end(signal.SIGKILL)
        self.server = Server(port=port)
        with self.assertRaisesRegex(clearance.errors.FailedPrecondition, "slot 7 held v1-sha256-"):
            session.distance(poses_b=at(3))

    def test_gives_up_in_time(self) -> None:
        session = self.open(self.start(), reopen_within=0.1)
        self.server.end(signal.SIGKILL)
        with self.assertRaises(clearance.errors.Unavailable):
            session.distance(poses_b=at(3))

    def test_one_call_may_stop_waiting(self) -> None:
        session = self.open(self.start())
        port = self.server.port
        self.server.end(signal.SIGKILL)
        with self.assertRaises(TimeoutError):
            session.ask(clearance.batches.DistanceBatch(poses_b=at(3)), timeout=0.05)
        self.server = Server(port=port)
        self.assertEqual(session.distance(poses_b=at(4)).distances[0], 3.25)

    def test_a_timeout_is_of_the_wait_for_room_too(self) -> None:
        session = self.open(self.start(), max_unwritten=2, reopen_within=5)
        port = self.server.port
        self.server.end(signal.SIGKILL)
        for _ in range(6):
            with self.assertRaises(TimeoutError) as caught:
                session.ask(clearance.batches.DistanceBatch(poses_b=at(3)), timeout=0.05)
        self.assertIn("not sent", str(caught.exception))
        self.server = Server(port=port)
        self.assertEqual(session.distance(poses_b=at(4)).distances[0], 3.25)

    def test_cancelled(self) -> None:
        session = self.open(self.start())
        session.send(clearance.batches.DistanceBatch(poses_b=at(1)))
        session.cancel()
        with self.assertRaises(clearance.errors.Cancelled):
            session.finish()
        with self.assertRaises(clearance.errors.Cancelled):
            session.distance(poses_b=at(1))

    def test_ends_with_its_client(self) -> None:
        failed: list[threading.ExceptHookArgs] = []  # threads of anybody's
        self.addCleanup(setattr, threading, "excepthook", threading.excepthook)
        threading.excepthook = failed.append
        client = self.start()
        session = self.open(client)
        client.close()
        with self.assertRaisesRegex(clearance.ClearanceError, "client was closed"):
            session.ask(clearance.batches.DistanceBatch(poses_b=at(3)), timeout=20)
        self.assertEqual(failed, [])


if __name__ == "__main__":
    unittest.main()
