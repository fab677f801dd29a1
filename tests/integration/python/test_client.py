# SPDX-License-Identifier: Apache-2.0
"""The registry, unary calls, errors and limits."""

import asyncio
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import grpc
import numpy as np
import optional_programs
from server import Server

import clearance
from clearance import _connection, aio

BOX = clearance.Box((0.2, 0.2, 0.1))
SHAPES = [
    clearance.Point(0.1),
    clearance.Segment((0, 0, 0), (1, 0, 0), 0.1),
    clearance.Triangle((0, 0, 0), (1, 0, 0), (0, 1, 0)),
    clearance.Sphere(0.5),
    clearance.Capsule(0.1, 0.3),
    BOX,
    clearance.Polygon([[0, 0], [1, 0], [0, 1]], 0.01),
    clearance.Cylinder(0.1, 0.2, 0.05),
    clearance.Cone(0.1, 0.2),
    clearance.Ellipsoid((0.1, 0.2, 0.3)),
    clearance.Compound((clearance.Piece(BOX), clearance.Piece(BOX, (1, 0, 0, 0, 0, 0, 1)))),
]


class Registry(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server("--max_batch_rows=100", "--max_shape_vertices=100")
        self.addCleanup(self.server.end)
        self.client = clearance.connect(self.server.address)
        self.addCleanup(self.client.close)

    def test_every_kind_comes_back_as_it_was(self) -> None:
        for i, shape in enumerate(SHAPES):
            with self.subTest(shape=shape):
                registered = self.client.register(f"kind/{i}", shape)
                self.assertTrue(registered.created)
                found = self.client.get(f"kind/{i}", include_content=True).content
                again = self.client.register(f"kind/{i}", found)
                self.assertFalse(again.created)
                self.assertEqual(again.info.digest, registered.info.digest)
        self.assertEqual(len(self.client.list("kind/")), len(SHAPES))

    def test_hulls_in_columns(self) -> None:
        corners = clearance.shapes.body_vertices(BOX)
        result = self.client.register_hulls(["a", "B!", "c"], [corners, corners, corners[:4]])
        self.assertEqual([bool(digest) for digest in result.digests], [True, False, True])
        self.assertEqual([error.index for error in result.errors], [1])
        found = self.client.get(clearance.ByDigest(result.digests[0]), include_content=True)
        np.testing.assert_array_equal(found.content.vertices, corners)

    def test_distance_of_two_shapes(self) -> None:
        ball = clearance.Sphere(1)
        here, there = clearance.poses.IDENTITY, [3, 0, 0, 0, 0, 0, 1]
        found = self.client.pair_distance(BOX, here, ball, there)
        self.assertEqual(found.state, clearance.State.SEPARATED)
        self.assertFalse(found.intersects)
        matrix = clearance.poses.to_matrix(there)
        self.assertEqual(self.client.pair_distance(BOX, here, ball, matrix).distance, found.distance)
        row = self.client.distance([BOX, ball], poses_b=[3, 0, 0, 0, 0, 0, 1])
        self.assertEqual(found.distance, row.distances)
        np.testing.assert_allclose(found.normal, [1, 0, 0], atol=1e-9)
        with self.assertRaises(clearance.errors.InvalidArgument) as caught:
            self.client.pair_distance(BOX, [0] * 7, ball, [3, 0, 0, 0, 0, 0, 1])
        self.assertEqual(caught.exception.reason, "QUATERNION_NOT_UNIT")

    def test_errors_tell_field_value_and_limit(self) -> None:
        with self.assertRaises(clearance.errors.InvalidArgument) as caught:
            self.client.register("ball", clearance.Sphere(-1))
        self.assertEqual(caught.exception.field, "shape.sphere.radius")
        self.assertEqual(caught.exception.detail.value, "-1")
        self.assertEqual(caught.exception.limit, ">= 0")
        self.assertEqual(caught.exception.reason, "SHAPE_INVALID")
        self.assertTrue(caught.exception.request_id)
        with self.assertRaises(clearance.errors.ResourceExhausted) as caught:
            self.client.register("big", clearance.Hull(np.zeros((101, 3))))
        self.assertIn("100", caught.exception.limit)
        with self.assertRaises(clearance.errors.ResourceExhausted):
            self.client.distance([BOX, BOX], poses_a=np.tile(clearance.poses.IDENTITY, (101, 1)))
        self.client.register("box", BOX)
        with self.assertRaises(clearance.errors.AlreadyExists):
            self.client.register("box", clearance.Sphere(1))
        self.client.register("box", clearance.Sphere(1), replace=True)
        self.client.delete("box")
        with self.assertRaises(LookupError):
            self.client.get("box")

    def test_errors_read_as_one_sentence_with_facts(self) -> None:
        with self.assertRaises(clearance.errors.NotFound) as caught:
            self.client.get("absent")
        self.assertRegex(
            str(caught.exception),
            "^NOT_FOUND: [^.]+; field name; value absent; limit [^.;]+; request id [0-9a-f]+$",
        )
        with self.assertRaises(clearance.errors.InvalidArgument) as caught:
            clearance.Hull([[1, 2]])
        self.assertEqual(
            str(caught.exception),
            "INVALID_ARGUMENT: hull.vertices must be an array of shape (n, 3); value an array of "
            "shape (1, 2)",
        )

    def test_a_bad_row_is_refused_alone(self) -> None:
        where = np.tile(clearance.poses.IDENTITY, (3, 1))
        where[:, 0] = 1
        where[1, 2] = np.nan
        answer = self.client.distance([BOX, BOX], poses_b=where)
        states = [clearance.State(state).name for state in answer.states]
        self.assertEqual(states, ["SEPARATED", "REFUSED", "SEPARATED"])
        self.assertEqual([(e.index, e.field) for e in answer.errors], [(1, "poses_b[1]")])
        np.testing.assert_array_equal(answer.proved_free(), [True, False, True])
        np.testing.assert_array_equal(answer.proved_free(margin=np.nan), [False] * 3)

    def test_columns_that_do_not_fit_are_refused_here(self) -> None:
        for columns, field in [
            ({"poses_a": np.zeros((2, 6))}, "poses_a"),
            ({"slots_a": [0.5]}, "slots_a"),
            ({"slots_a": [-1]}, "slots_a"),
            ({"poses_a": np.zeros((2, 7)), "poses_b": np.zeros((3, 7))}, "columns"),
            ({"poses_a": np.zeros((0, 7))}, "pairs.count"),
        ]:
            with self.subTest(field=field), self.assertRaises(ValueError) as caught:
                self.client.distance([BOX, BOX], **columns)
            self.assertEqual(caught.exception.field, field)

    def test_a_fork_is_noticed(self) -> None:
        child = os.fork()
        if child == 0:
            try:
                self.client.get("box")
            except clearance.errors.ForkError:
                os._exit(7)
            finally:
                os._exit(1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
        with self.assertRaises(clearance.errors.NotFound):
            self.client.get("box")

    def test_the_server_tells_its_time(self) -> None:
        before = datetime.now(timezone.utc)
        told = self.client.server_info().server_time
        after = datetime.now(timezone.utc)
        assert told is not None
        # The server's time is cut to whole microseconds.
        self.assertLessEqual(before - timedelta(microseconds=1), told)
        self.assertLessEqual(told, after)

    def test_the_server_is_of_this_version(self) -> None:
        _connection.check_version(self.client.server_info().version)
        with self.assertRaises(clearance.errors.VersionError):
            _connection.check_version("7.0.0")


# Connects and forks five times beside a session that has just begun: if its stream lives on, one of
# these forks hangs or crashes. Then it forks beside a session and a watch. Each child connects
# again and prints the outcome. In the parent the session and the watch go on.
FORKING = """
import os, sys, clearance
client = clearance.connect(sys.argv[1])

def fork():
    if os.fork() == 0:
        try:
            clearance.connect(sys.argv[1], timeout=60).server_info()
            print("connected", flush=True)
        except clearance.errors.ForkError as error:
            print(error, flush=True)
        os._exit(0)
    os.wait()

for _ in range(5):
    young = client.open_session()
    young.open(0, clearance.Sphere(1))
    fork()
    young.open(1, clearance.Sphere(1))
    young.cancel()
session = client.open_session()
session.open(0, clearance.Sphere(1))
name = f"scene-{os.getpid()}"
client.scenes.create(name, ttl=300)
watch = client.scenes.watch(name)
news = iter(watch)
next(news)
fork()
client.server_info()
session.open(1, clearance.Sphere(1))
rules = clearance.scenes.ScenePairRules(bodies_a=[1], bodies_b=[2])
client.scenes.update(name, clearance.SceneChange(rules=rules))
print("revision", next(news).scene.revision)
watch.cancel()
session.cancel()
client.close()
"""


# Connects once.
CONNECTING = "import sys, clearance; clearance.connect(sys.argv[1]).close()"
FORKS_WELL = tuple(int(number) for number in grpc.__version__.split(".")[:2]) >= (1, 76)


class Fork(unittest.TestCase):
    server: Server

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()
        cls.addClassCleanup(cls.server.end)

    def run_script(self, script: str, support: str | None) -> subprocess.CompletedProcess[str]:
        """Runs a script with GRPC_ENABLE_FORK_SUPPORT; None: without the variable."""
        environment = {k: v for k, v in os.environ.items() if k != "GRPC_ENABLE_FORK_SUPPORT"}
        if support is not None:
            environment["GRPC_ENABLE_FORK_SUPPORT"] = support
        command = [sys.executable, "-c", script, self.server.address]
        # This timeout names the fork that hangs; ctest's names only the module.
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200)

    def test_of_a_connected_process_never_hangs(self) -> None:
        # gRPC's default differs from both values of the variable. An older gRPC that is told 1 may
        # hang; the client warns of that.
        told: list[tuple[str | None, str]] = [(None, "connected"), ("0", "spawn")]
        told += [("1", "connected")] * FORKS_WELL
        for support, word in told * 2:
            run = self.run_script(FORKING, support)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(word, run.stdout)
            self.assertIn("revision 2", run.stdout)

    def test_that_may_hang_is_warned_of(self) -> None:
        for support in (None, "1", "0"):
            warns = support == "1" and not FORKS_WELL
            run = self.run_script(CONNECTING, support)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(run.stderr.count("RuntimeWarning"), warns, run.stderr)


class NoServer(unittest.TestCase):
    # Faulty addresses, each with its error and a word of the message.
    FAULTS = (
        ("127.0.0.1:1", clearance.errors.Unavailable, "clearance doctor --addr 127.0.0.1:1"),
        ("no-such-host.invalid:50051", clearance.errors.Unavailable, "no-such-host.invalid"),
        ("unix:/no/such/socket", clearance.errors.Unavailable, "No such file"),
        ("http://127.0.0.1:50051", clearance.errors.InvalidArgument, "without http://"),
        ("http://127.0.0.1:50051", clearance.errors.InvalidArgument, "value http://127.0.0.1:50051"),
        ("http://127.0.0.1", clearance.errors.InvalidArgument, "value http://127.0.0.1"),
        ("127.0.0.1:port", clearance.errors.InvalidArgument, "a host and a port"),
    )

    def test_is_told_at_once(self) -> None:
        # A connection that waits would take longer than any test may.
        for address, kind, word in self.FAULTS:
            with self.subTest(address), self.assertRaisesRegex(kind, re.escape(word)):
                clearance.connect(address, timeout=1e6)
            with self.subTest(f"aio {address}"), self.assertRaisesRegex(kind, re.escape(word)):
                asyncio.run(aio.connect(address, timeout=1e6))

    def test_of_the_wrong_kind_is_told_apart(self) -> None:
        server = Server()
        self.addCleanup(server.end)
        with self.assertRaisesRegex(clearance.errors.Unavailable, "a port of HTTP"):
            clearance.connect(f"127.0.0.1:{server.http_port}")
        with self.assertRaisesRegex(clearance.errors.Unavailable, "leave out `tls`"):
            clearance.connect(server.address, tls=clearance.TlsOptions())

    def test_that_asks_for_tls_is_told(self) -> None:
        optional_programs.require_in(self, "openssl")
        with tempfile.TemporaryDirectory() as made:
            key, certificate = f"{made}/key.pem", f"{made}/certificate.pem"
            command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split()
            command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key]
            subprocess.run([*command, "-out", certificate], check=True, capture_output=True)
            server = Server(f"--tls_certificate={certificate}", f"--tls_key={key}")
            self.addCleanup(server.end)
            with open(certificate, "rb") as file:
                roots = file.read()
        with self.assertRaisesRegex(clearance.errors.Unavailable, "give `tls`"):
            clearance.connect(server.address)
        with self.assertRaisesRegex(clearance.errors.Unavailable, "certificate is not from"):
            clearance.connect(server.address, tls=clearance.TlsOptions())
        clearance.connect(server.address, tls=clearance.TlsOptions(roots)).close()

    def test_yet_is_waited_for_if_told_to(self) -> None:
        before = Server()
        before.end()
        with ThreadPoolExecutor() as pool:
            connecting = pool.submit(clearance.connect, before.address, wait=200)
            server = Server(port=before.port)
            self.addCleanup(server.end)
            connecting.result().close()

    def test_a_call_has_its_time(self) -> None:
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            late = (clearance.errors.DeadlineExceeded, clearance.errors.Unavailable)
            with self.assertRaises(late):
                clearance.connect(f"127.0.0.1:{silent.getsockname()[1]}", timeout=0.3)

    def test_a_token_stays_on_this_machine(self) -> None:
        with self.assertRaises(clearance.errors.FailedPrecondition):
            clearance.connect("example.org:50051", token="secret")
        with self.assertRaises(clearance.errors.InvalidArgument):
            clearance.connect("localhost:50051", token="two words")
        for address in ("localhost:1", "unix:/x", "[::1]:1", "ipv4:127.0.0.1:1,127.1.2.3:4", "::1"):
            self.assertTrue(_connection.is_this_machine(address), address)
        for address in ("127.example.org:1", "dns://x/localhost", "ipv4:127.0.0.1:1,10.0.0.1:1"):
            self.assertFalse(_connection.is_this_machine(address), address)


if __name__ == "__main__":
    unittest.main()
