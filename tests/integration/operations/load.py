# SPDX-License-Identifier: Apache-2.0
"""A little of everything that a server counts.

There are calls of each service, each kind of question, answers that prove, that cannot and that
refuse, and streams that stay open. Messages are JSON of the public schema, sent by plain gRPC: the
Python package would keep back, split or send again some of them."""

from __future__ import annotations

import itertools
import queue
from importlib import resources

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

AT_ORIGIN = [0, 0, 0, 0, 0, 0, 1]
APART = [1, 0, 0, 0, 0, 0, 1]
CRATE = {"box": {"half_extents": {"x": 0.2, "y": 0.2, "z": 0.1}}}
BALL = {"sphere": {"radius": 0.05}}
# More than a polling thread answers itself.
MANY_ROWS = 20_000


class Schema:
    def __init__(self) -> None:
        files = descriptor_pb2.FileDescriptorSet()
        files.ParseFromString(resources.files("clearance").joinpath("schema.binpb").read_bytes())
        self._pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            self._pool.Add(file)
        self._factory = message_factory.MessageFactory(self._pool)

    def method(self, name: str):
        """Returns the path of "Service.Method", and the classes of its messages."""
        service, method = name.split(".")
        found = self._pool.FindServiceByName(f"clearance.v1.{service}").methods_by_name[method]
        classes = map(self._factory.GetPrototype, (found.input_type, found.output_type))
        return f"/clearance.v1.{service}/{method}", *classes


class Load:
    """Asks every question once, and leaves a session and a watch open until `end`."""

    def __init__(self, address: str) -> None:
        self._schema = Schema()
        self._channel = grpc.insecure_channel(address)
        self._sent = queue.SimpleQueue()
        self._register()
        self._make_scene()
        self._watch = self._watch_scene()
        self._session = self._open_session()
        self._tags = itertools.count(1)
        self._converse()
        self._ask_alone()

    def end(self) -> None:
        self._sent.put(None)
        self._watch.cancel()
        self._channel.close()

    def _call(self, method: str, /, **fields):
        path, request, response = self._schema.method(method)
        call = self._channel.unary_unary(path, request.SerializeToString, response.FromString)
        return call(json_format.ParseDict(fields, request()), timeout=60)

    def _register(self) -> None:
        for name, shape in (("crate", CRATE), ("replaced", {"capsule": {"radius": 0.1}})):
            self._call("ShapeService.RegisterShape", name=name, shape=shape)
        self._call("ServerService.GetServerInfo")
        try:
            self._call("ShapeService.GetShape", name="unknown")
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.NOT_FOUND, error

    def _make_scene(self) -> None:
        bodies = {"count": 2, "ids": [0, 1], "shapes": [{"name": "crate"}]}
        bodies["poses"] = [*AT_ORIGIN, *APART]
        self._call("SceneService.CreateScene", name="cell", content={"bodies": bodies})
        self._call("SceneService.ForkScene", name="short", source="cell", ttl="0.001s")
        self._move_body([0, 0, 1, 0, 0, 0, 1])

    def _move_body(self, pose: list) -> None:
        change = {"poses": {"count": 1, "ids": [1], "poses": pose}}
        self._call("SceneService.UpdateScene", name="cell", change=change)

    def _watch_scene(self):
        path, request, response = self._schema.method("SceneService.WatchScene")
        call = self._channel.unary_stream(path, request.SerializeToString, response.FromString)
        watch = call(request(name="cell"))
        assert next(watch).is_reload
        self._move_body(APART)
        next(watch)
        return watch

    def _open_session(self):
        path, self._request, response = self._schema.method("QueryService.Session")
        serialize = self._request.SerializeToString
        call = self._channel.stream_stream(path, serialize, response.FromString)
        return call(iter(self._sent.get, None))

    def _say(self, **kind):
        """Returns the reply, which may be a refusal of rows but not of the message."""
        tag = next(self._tags)
        self._sent.put(json_format.ParseDict({"tag": tag, **kind}, self._request()))
        reply = next(self._session)
        assert reply.tag == tag and not reply.status.code, reply
        return reply

    def _converse(self) -> None:
        self._say(open={"slot": 0, "shape": {"name": "crate"}})
        self._say(open={"slot": 1, "shape": {"inline_shape": BALL}})
        self._say(open={"slot": 2, "shape": {"name": "replaced"}})
        self._call("ShapeService.RegisterShape", name="replaced", shape=BALL, replace=True)
        self._ask_of_pairs()
        self._ask_of_scene()
        self._rewind()

    def _ask_of_pairs(self) -> None:
        pairs = {"count": 3, "slots_a": [0], "slots_b": [1], "poses_a": AT_ORIGIN}
        pairs["poses_b"] = [*APART, *AT_ORIGIN, "NaN", *AT_ORIGIN[1:]]
        self._say(distance={"pairs": pairs, "detail": {"bounds": True}})
        self._say(intersection={"pairs": pairs})
        self._say(time_of_collision={"pairs": pairs, "displacements_b": [-1, 0, 0]})
        many = {**pairs, "count": MANY_ROWS, "poses_b": APART}
        self._say(distance={"pairs": many})
        late = {"time_budget": "0.000000001s"}
        reply = self._say(distance={"pairs": {**pairs, "count": 1, "poses_b": APART}, "options": late})
        assert len(reply.distance.undecided) == 1, reply

    def _ask_of_scene(self) -> None:
        self._say(open_scene={"scene_slot": 0, "name": "cell"})
        # With --max_scene_revisions=1 the session's is left behind.
        self._move_body([0, 0, 2, 0, 0, 0, 1])
        bodies = {"count": 1, "ids": [7], "shape_slots": [0], "poses": [0, 0, 5, 0, 0, 0, 1]}
        self._say(change_bodies={"change": {"bodies": bodies}})
        rows = {"count": 1, "scene_slot": 0}
        self._say(check={"configurations": rows})
        self._say(minimum_distance={"configurations": rows})
        self._say(nearest={"configurations": rows, "max_pairs": 1})
        self._say(sweep={"configurations": rows, "displacements": [0, 0, -5]})
        self._say(overlap=rows)
        self._say(ray={**rows, "origins": [0, 0, 2], "displacements": [0, 0, -3]})

    def _rewind(self) -> None:
        self._say(open_track={"name": "match"})
        for tick in range(1, 4):
            self._say(publish_tick={"tick": tick, "poses": [tick, 0, 5, 0, 0, 0, 1]})
        self._say(rewind_track={"scene_slot": 1, "track": "match", "tick": 2, "fraction": 0.5})
        self._say(rewind_track={"scene_slot": 1, "track": "match", "tick": 99})

    def _ask_alone(self) -> None:
        batch = {"pairs": {"count": 1, "slots_b": [1], "poses_b": APART}}
        shapes = [{"name": "crate"}, {"inline_shape": BALL}]
        self._call("QueryService.Distance", shapes=shapes, batch=batch)
