# SPDX-License-Identifier: Apache-2.0
"""Several servers: every call and every message has one answer while one of them is gone. They
share nothing here, so the shapes in question were registered at all."""

import asyncio
import concurrent.futures
import contextlib
import os
import re
import signal
import socket
import struct
import tempfile
import threading
import unittest
import urllib.request

import grpc
from server import Server

import clearance
from clearance import aio, errors, poses
from clearance._connection import Target, to_target

BALL = clearance.Sphere(0.25)
ANSWERS = 40  # answers that each user sees between two blows


def question(number: int) -> clearance.batches.DistanceBatch:
    return clearance.batches.DistanceBatch(poses_b=poses.pose([[1 + number, 0, 0]]))


class Progress:
    """Progress of users, by name. Failures count as well, so that no test waits for a failed
    user."""

    def __init__(self, *names: str) -> None:
        self._answers = dict.fromkeys(names, 0)
        self._changed = threading.Condition()
        self.is_over = False
        self.failures: list[BaseException] = []

    def count(self, name: str) -> None:
        with self._changed:
            self._answers[name] += 1
            self._changed.notify_all()

    def fail(self, error: BaseException) -> None:
        with self._changed:
            self.failures.append(error)
            self._changed.notify_all()

    def await_answers(self) -> None:
        with self._changed:
            wanted = {name: number + ANSWERS for name, number in self._answers.items()}
            self._changed.wait_for(
                lambda: self.failures or all(self._answers[name] >= wanted[name] for name in wanted)
            )


class Fleet(unittest.TestCase):
    def setUp(self) -> None:
        self.folders = []
        for _ in range(2):
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            self.folders.append(folder.name)
        self.servers = [Server(f"--data_dir={folder}/data") for folder in self.folders]
        self.addCleanup(lambda: [server.end() for server in self.servers])
        for server in self.servers:
            with clearance.connect(server.address) as client:
                client.register("ball", BALL)
        self.addresses = [server.address for server in self.servers]

    def kill(self, number: int) -> None:
        self.servers[number].end(signal.SIGKILL)

    def start_again(self, number: int) -> None:
        """Starts the server again on the same port, with its stored data."""
        port = self.servers[number].port
        self.servers[number] = Server(f"--data_dir={self.folders[number]}/data", port=port)

    def disturb_while(self, users: list[threading.Thread], progress: Progress) -> None:
        """Kills each server in turn, twice, while the other one goes on. The users end whatever
        happens."""
        for user in users:
            user.start()
        try:
            for number in (0, 1, 0, 1):
                progress.await_answers()
                self.kill(number)
                progress.await_answers()
                self.start_again(number)
        finally:
            progress.is_over = True
            for user in users:
                user.join()

    def use_session(self, client: clearance.Client, progress: Progress) -> None:
        with client.open_session() as session:
            session.open(0, "ball")
            session.open(1, clearance.Point())
            sent = taken = 0
            while not progress.is_over or taken < sent:
                if not progress.is_over and sent - taken < 16:
                    session.send(question(sent), tag=sent)
                    sent += 1
                    continue
                reply = session.next()
                self.assertEqual((reply.tag, reply.error), (taken, None))
                self.assertEqual(reply.answer.distances.tolist(), [0.75 + taken])
                taken += 1
                progress.count("session")

    def use_calls(self, client: clearance.Client, progress: Progress) -> None:
        number = 0
        while not progress.is_over:
            answer = client.ask(["ball", clearance.Point()], question(number))
            self.assertEqual(answer.distances.tolist(), [0.75 + number])
            number += 1
            progress.count("calls")

    def test_no_call_fails_while_one_of_two_is_gone(self) -> None:
        progress = Progress("session", "calls")

        def use(user) -> None:
            try:
                user(client, progress)
            except BaseException as error:
                progress.fail(error)

        with clearance.connect(self.addresses, timeout=60) as client:
            threads = [
                threading.Thread(target=use, args=[user])
                for user in (self.use_session, self.use_calls)
            ]
            self.disturb_while(threads, progress)
        self.assertEqual(progress.failures, [])

    def test_no_message_fails_in_asyncio_either(self) -> None:
        progress = Progress("session")

        async def use() -> None:
            async with await aio.connect(",".join(self.addresses)) as client:
                session = client.open_session()
                await session.open(0, "ball")
                await session.open(1, clearance.Point())
                number = 0
                while not progress.is_over:
                    several = range(number, number + 8)
                    answers = await asyncio.gather(*(session.ask(question(i)) for i in several))
                    seen = [float(answer.distances[0]) for answer in answers]
                    self.assertEqual(seen, [0.75 + i for i in several])
                    number += 8
                    progress.count("session")
                await session.finish()

        def run() -> None:
            try:
                asyncio.run(use())
            except BaseException as error:
                progress.fail(error)

        self.disturb_while([threading.Thread(target=run)], progress)
        self.assertEqual(progress.failures, [])

    def test_a_server_that_lacks_what_a_slot_held_is_passed_over(self) -> None:
        with clearance.connect(self.addresses) as client, client.open_session() as session:
            session.open(0, "ball")
            session.open(1, clearance.Point())
            there = next(i for i, server in enumerate(self.servers) if sessions_of(server))
            lacking = self.servers[1 - there]
            with clearance.connect(lacking.address) as one:
                one.delete("ball")
            self.kill(there)
            session.send(question(0), tag=1)
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                reply = pool.submit(session.next)
                while not sessions_of(lacking) and not reply.done():
                    pass  # it is asked first, as there is no other
                self.start_again(there)
                self.assertEqual(reply.result().answer.distances.tolist(), [0.75])


    def test_a_silent_server_is_given_up(self) -> None:
        """A server that hangs still takes connections, and says nothing. By default that is noticed
        after 50 seconds, which is too late for this session."""
        options = clearance.ClientOptions(keepalive=1.0, keepalive_timeout=0.5)
        with clearance.connect(self.addresses, options) as client:
            with client.open_session(timeout=15.0) as session:
                session.open(0, "ball")
                session.open(1, clearance.Point())
                there = next(i for i, server in enumerate(self.servers) if sessions_of(server))
                os.kill(self.servers[there].pid, signal.SIGSTOP)
                try:
                    self.assertEqual(session.ask(question(0)).distances.tolist(), [0.75])
                finally:
                    os.kill(self.servers[there].pid, signal.SIGCONT)


def sessions_of(server: Server) -> int:
    """Returns how many sessions ever began there."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.http_port}/metrics") as page:
        text = page.read().decode()
    series = re.search(r'grpc_server_started_total{grpc_method="Session",.*} (\d+)', text)
    return int(series[1]) if series else 0


class Targets(unittest.TestCase):
    def test_of_one_server_or_of_a_scheme_are_the_address(self) -> None:
        for address in ("localhost:1", "ipv4:1.2.3.4:1", "unix:/a,b"):
            self.assertEqual(to_target(address, clearance.ClientOptions()), Target(address))
        for address in ("dns:///name:1", "dns:name:1", "xds:///all", "ipv4:1.2.3.4:1,5.6.7.8:2"):
            self.assertEqual(
                to_target(address, clearance.ClientOptions()), Target(address, may_be_several=True)
            )

    def test_without_a_port_have_that_of_the_server(self) -> None:
        for given, address in (
            ("127.0.0.1", "127.0.0.1:50051"),
            (" localhost ", "localhost:50051"),
            ("::1", "[::1]:50051"),
            ("[::1]", "[::1]:50051"),
            ("[::1]:7", "[::1]:7"),
            ("127.0.0.1,127.0.0.2:2", "ipv4:127.0.0.1:50051,127.0.0.2:2"),
            ("dns:name", "dns:name:50051"),
            ("dns:///name", "dns:///name:50051"),
            ("dns://1.2.3.4:53/name:7", "dns://1.2.3.4:53/name:7"),
            ("ipv4:1.2.3.4,5.6.7.8:2", "ipv4:1.2.3.4:50051,5.6.7.8:2"),
            ("ipv6:%5B::1%5D,[::2]:3", "ipv6:%5B::1%5D:50051,[::2]:3"),
            ("unix:/a", "unix:/a"),
        ):
            self.assertEqual(to_target(given, clearance.ClientOptions()).address, address, given)

    def test_of_a_list_are_in_numbers(self) -> None:
        plain = clearance.ClientOptions()
        self.assertEqual(
            to_target("127.0.0.1:1, 127.0.0.2:2,127.0.0.1:1,nowhere.invalid:3", plain),
            Target("ipv4:127.0.0.1:1,127.0.0.2:2", "127.0.0.1:1", True),
        )
        self.assertEqual(
            to_target("127.0.0.1:1,[::2]:3", plain).address,
            "ipv6:%5B::ffff:127.0.0.1%5D:1,%5B::2%5D:3",
        )
        with self.assertRaisesRegex(clearance.errors.Unavailable, "neither.invalid:2"):
            to_target("nowhere.invalid:1,neither.invalid:2", plain)
        bad = ("", ":2", "127.0.0.1,", "127.0.0.1:1,", "127.0.0.1:1,:2", "127.0.0.1:1,a:0")
        for address in (*bad, "127.0.0.1:1,a:http", "127.0.0.1:1,[::1:2", "127.0.0.1:1,[]:2"):
            with self.assertRaises(clearance.errors.InvalidArgument, msg=address):
                to_target(address, plain)

    def test_of_a_list_over_tls_have_one_name(self) -> None:
        def over_tls(name: str | None) -> clearance.ClientOptions:
            return clearance.ClientOptions(tls=clearance.TlsOptions(server_name=name))

        with contextlib.suppress(clearance.errors.Unavailable):  # if this machine has no name
            self.assertEqual(to_target("localhost:1,localhost:2", over_tls(None)).authority, "localhost")
        two = "127.0.0.1:1,127.0.0.2:2"
        self.assertEqual(to_target(two, over_tls("fleet")).authority, "fleet")
        with self.assertRaises(clearance.errors.InvalidArgument):
            to_target(two, over_tls(None))


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Returns a frame of HTTP/2."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


DATA, HEADERS, RESET, SETTINGS = 0, 1, 3, 4
END, ACKNOWLEDGES, END_OF_HEADERS = 1, 1, 4
AMID = b"\0\0\0\0\x10" + b"half"  # of a message of 16 bytes
# The frames that a proxy sends after the headers of a reply whose server went.
CUTS = {
    "ended before the message": frame(DATA, END, 1, b""),
    "ended amid the message": frame(DATA, END, 1, AMID),
    "reset amid the message": frame(DATA, 0, 1, AMID) + frame(RESET, 0, 1, struct.pack(">I", 2)),
}


def cut_reply(listener: socket.socket, cut: bytes) -> None:
    """Sends the reply to the first call of the first connection, until the caller goes."""
    connection, _ = listener.accept()
    with connection, connection.makefile("rb") as received:
        connection.sendall(frame(SETTINGS, 0, 0, b"") + frame(SETTINGS, ACKNOWLEDGES, 0, b""))
        received.read(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
        while head := received.read(9):
            received.read(int.from_bytes(head[:3], "big"))
            if head[3] != DATA or not head[4] & END:
                continue
            content_type = b"\0\x0ccontent-type\x10application/grpc"
            connection.sendall(frame(HEADERS, END_OF_HEADERS, 1, b"\x88" + content_type) + cut)


class Proxies(unittest.TestCase):
    def test_what_they_cut_is_unavailable(self) -> None:
        cut = (
            (grpc.StatusCode.INTERNAL, "Received RST_STREAM with error code 2"),
            (grpc.StatusCode.UNKNOWN, "No status received"),
            (grpc.StatusCode.UNKNOWN, "Stream removed"),
            (grpc.StatusCode.UNKNOWN, "Stream removed (Data frame with END_STREAM flag received)"),
            (grpc.StatusCode.INTERNAL, "Stream removed (RST_STREAM (Received RST_STREAM with …))"),
            (grpc.StatusCode.INTERNAL, "Internal error from Core"),
        )
        for code, text in cut:
            error = errors.from_call(code, text, None, "id")
            self.assertIsInstance(error, clearance.errors.Unavailable)
            self.assertEqual(error.request_id, "id")
        for code in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN):
            self.assertEqual(errors.from_call(code, "a bug", None).code, code)

    def test_replies_that_they_cut_are_unavailable(self) -> None:
        for name, frames in CUTS.items():
            with self.subTest(name), socket.create_server(("127.0.0.1", 0)) as listener:
                threading.Thread(target=cut_reply, args=(listener, frames), daemon=True).start()
                with self.assertRaises(clearance.errors.Unavailable):
                    clearance.connect(f"127.0.0.1:{listener.getsockname()[1]}")


if __name__ == "__main__":
    unittest.main()
