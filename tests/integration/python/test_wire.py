# SPDX-License-Identifier: Apache-2.0
"""The messages with columns as bytes say on the wire what those of the public schema say.

The oracle is the public schema as protoc and protobuf read it, without this package."""

import os
import pathlib
import random
import subprocess
import tempfile
import unittest

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool

import clearance
from clearance import (
    _columns,
    _decode,
    _encode,
    _operations,
    _scene_convert,
    _schema,
    results,
    scenes,
    tracks,
)

SEED = 11
Field = descriptor_pb2.FieldDescriptorProto


def public_messages() -> dict:
    """The classes of every message of clearance.v1, by full name."""
    root = pathlib.Path(os.environ["CLEARANCE_ROOT"]) / "proto"
    protos = [str(path.relative_to(root)) for path in root.glob("clearance/v1/*.proto")]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "public"
        command = [os.environ["CLEARANCE_PROTOC"], "-I", root, "--include_imports"]
        subprocess.run([*command, f"--descriptor_set_out={out}", *protos], check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.AddSerializedFile(file.SerializeToString())
    return {
        f"{file.package}.{message.name}": _schema.class_of(
            pool.FindMessageTypeByName(f"{file.package}.{message.name}")
        )
        for file in files.file
        if file.package == "clearance.v1"
        for message in file.message_type
    }


def value(field, source: random.Random):
    if field.type == Field.TYPE_DOUBLE:
        return source.choice([0.0, -1.5, 1e300, 5e-324, float("inf")])
    if field.type == Field.TYPE_BOOL:
        return source.random() < 0.5
    if field.type == Field.TYPE_ENUM:
        return source.choice([number.number for number in field.enum_type.values])
    return source.choice([0, 1, 127, 128, 16383, 16384, 2**31, 2**32 - 1])


class Wire(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.public = public_messages()

    def test_every_column_is_the_same_bytes_and_numbers(self) -> None:
        print("seed", SEED)
        source = random.Random(SEED)
        columns = 0
        for name, kind in self.public.items():
            for field in kind.DESCRIPTOR.fields:
                # protobuf 7 has no `label` any more, 4 not yet `is_repeated`.
                is_list = (
                    field.is_repeated
                    if hasattr(field, "is_repeated")
                    else field.label == field.LABEL_REPEATED
                )
                if not is_list or field.message_type or field.type == field.TYPE_STRING:
                    continue
                with self.subTest(field=field.full_name):
                    self.assertIn(field.full_name, _schema.layouts)
                    numbers = [value(field, source) for _ in range(42)]  # rows of any width
                    sent = kind(**{field.name: numbers})
                    own = _schema.message(name).FromString(sent.SerializeToString())
                    self.assertEqual(own.SerializeToString(), sent.SerializeToString())
                    found = _columns.columns(own)[field.name]
                    np.testing.assert_array_equal(found.ravel(), numbers)
                    columns += 1
        self.assertGreater(columns, 60)

    def test_a_batch_is_the_public_message(self) -> None:
        batch = clearance.batches.TimeOfCollisionBatch(
            poses_a=np.arange(21.0).reshape(3, 7),
            slots_b=[4, 5, 2**32 - 1],
            displacements_b=[1, 2, 3],
            target_distances=[0, 0.5, 1],
            time_budget=1.25,
            ignore_initial_contact=True,
        )
        layout = _encode.Layout.of(batch)
        own = _schema.message("TimeOfCollisionBatch")()
        _encode.fill_batch(batch, layout, (1, 2), 1000, own)
        public = self.public["clearance.v1.TimeOfCollisionBatch"]
        read = public.FromString(own.SerializeToString())
        self.assertEqual(read.pairs.count, 2)
        self.assertEqual(list(read.pairs.poses_a), list(np.arange(7.0, 21.0)))
        self.assertEqual(list(read.pairs.slots_b), [5, 2**32 - 1])
        self.assertEqual(list(read.displacements_b), [1, 2, 3])
        self.assertEqual(list(read.target_distances), [0.5, 1])
        self.assertEqual(
            (read.options.time_budget.seconds, read.options.time_budget.nanos), (1, 250_000_000)
        )
        self.assertEqual(read.options.max_reply_bytes, 1000)
        self.assertTrue(read.ignore_initial_contact and read.detail.times)

    def test_parts_are_joined(self) -> None:
        public = self.public["clearance.v1.DistanceBatchResult"]
        collector = _decode.RowCollector("distance", (2, 2))
        for first in (0, 2):
            part = public(
                count=2, first_row=first, total_count=4, states=[1, 3], distances=[first, 1]
            )
            part.witnesses.offsets.extend([0, 1, 3])
            part.witnesses.vertices_a.extend([4, 5, 6])
            part.witnesses.vertices_b.extend([7, 8, 9])
            part.witnesses.weights.extend([1, 0.5, first])
            own = _schema.message("DistanceBatchResult").FromString(part.SerializeToString())
            collector.add(own, 0)
        joined = collector.result()
        np.testing.assert_array_equal(joined.distances, [[0, 1], [2, 1]])
        np.testing.assert_array_equal(joined.witnesses.offsets, [0, 1, 3, 4, 6])
        np.testing.assert_array_equal(joined.witnesses.weights, [1, 0.5, 0, 1, 0.5, 2])

    def test_a_batch_of_configurations_is_the_public_message(self) -> None:
        where = np.arange(42.0).reshape(3, 2, 7)
        batch = clearance.scenes.SweepBatch(
            poses=where,
            displacements=np.arange(6.0).reshape(2, 3),
            rotations=[[7, 8, 9]],  # of both bodies
            scene_slot=5,
            pair_scope=clearance.scenes.PairScope.SELF,
            max_pairs=4,
            detail=clearance.scenes.SweepDetail.NORMALS,
        )
        layout = _encode.Layout.of(batch)
        self.assertEqual((layout.shape, layout.bodies), ((3,), 2))
        own = _schema.message("SweepBatch")()
        _encode.fill_batch(batch, layout, (1, 2), 1000, own)
        public = self.public["clearance.v1.SweepBatch"]
        read = public.FromString(own.SerializeToString())
        rows = read.configurations
        self.assertEqual((rows.count, rows.scene_slot, rows.pair_scope), (2, 5, 2))
        self.assertEqual(list(rows.poses), list(range(14, 42)))
        self.assertEqual(list(read.displacements), list(range(6)))
        self.assertEqual(list(read.rotations), [7, 8, 9, 7, 8, 9])
        self.assertEqual(read.max_pairs, 4)
        self.assertTrue(read.detail.normals and not read.detail.times)
        alone = _encode.Layout.of(clearance.scenes.CheckBatch(scene_slot=None))
        own = _schema.message("CheckBatch")()
        _encode.fill_batch(clearance.scenes.CheckBatch(scene_slot=None), alone, (0, 1), 1000, own)
        read = self.public["clearance.v1.CheckBatch"].FromString(own.SerializeToString())
        self.assertFalse(read.configurations.HasField("scene_slot"))

    def test_a_change_is_the_public_message_and_back(self) -> None:
        change = clearance.SceneChange(
            removed_bodies=[4, 2**32 - 1],
            bodies=clearance.SceneBodies(
                ids=[1, 2],
                shapes=["crate", clearance.ByDigest("v1-sha256-0")],
                shape_slots=[1, 0],
                poses=np.arange(14.0).reshape(2, 7),
                masks=2**31,
                margins=[0.5, 0],
            ),
            poses=clearance.scenes.ScenePoses(ids=[1, 3], poses=np.arange(7.0)),
            removed_rules=clearance.scenes.ScenePairRules(bodies_a=[8], bodies_b=[9]),
            rules=clearance.scenes.ScenePairRules(
                bodies_a=[1], bodies_b=[2], kinds=[2], margins=[0.25]
            ),
        )
        own = _schema.message("SceneChange")()
        _scene_convert.fill_change(change, own)
        read = self.public["clearance.v1.SceneChange"].FromString(own.SerializeToString())
        self.assertEqual(list(read.removed_bodies), [4, 2**32 - 1])
        self.assertEqual((read.bodies.count, list(read.bodies.ids)), (2, [1, 2]))
        self.assertEqual(read.bodies.shapes[0].name, "crate")
        self.assertEqual(read.bodies.shapes[1].digest, "v1-sha256-0")
        self.assertEqual(list(read.bodies.poses), list(range(14)))
        self.assertEqual((list(read.bodies.masks), list(read.bodies.groups)), ([2**31], []))
        self.assertEqual((read.poses.count, list(read.poses.poses)), (2, [*range(7), *range(7)]))
        self.assertEqual(list(read.removed_rules.bodies_b), [9])
        self.assertEqual((list(read.rules.kinds), list(read.rules.margins)), ([2], [0.25]))
        back = _scene_convert.scene_change(own)
        self.assertEqual(back.bodies.shapes[1], clearance.ByDigest("v1-sha256-0"))
        self.assertEqual(back.bodies.masks.tolist(), [2**31] * 2)  # one row for all
        self.assertEqual(back.bodies.groups.tolist(), [1, 1])
        self.assertEqual(back.rules.kinds.tolist(), [2])
        np.testing.assert_array_equal(back.poses.poses, [range(7)] * 2)

    def test_lists_of_pairs_are_joined(self) -> None:
        public = self.public["clearance.v1.CheckBatchResult"]
        collector = _decode.RowCollector("check", (3,))
        for count, offsets, bodies in ((2, [0, 0, 2], [5, 6]), (1, [0, 1], [7])):
            part = public(count=count, verdicts=[1, 2][:count], scene_revision=9)
            part.pairs.offsets.extend(offsets)
            for column in (part.pairs.bodies_a, part.pairs.bodies_b, part.pairs.verdicts):
                column.extend(bodies)
            part.pairs.is_self.extend([True] * len(bodies))
            part.pairs.truncated.extend([False] * count)
            own = _schema.message("CheckBatchResult").FromString(part.SerializeToString())
            collector.add(own, 0)
        joined = collector.result()
        self.assertEqual(joined.scene_revision, 9)
        self.assertEqual(joined.pairs.offsets.tolist(), [0, 0, 2, 3])
        self.assertEqual(joined.pairs.bodies_b.tolist(), [5, 6, 7])
        self.assertEqual(joined.pairs.truncated.tolist(), [False] * 3)
        self.assertIsNone(joined.pairs.lower_bounds)

    def test_lists_of_a_wrong_length_are_refused(self) -> None:
        result = _schema.message("NearestBatchResult")
        four = np.arange(4, dtype="<u4").tobytes()
        for name, raw in (("bodies_a", four), ("distances", bytes(8)), ("points_a", bytes(24))):
            wrong = result(count=1, states=b"\1")
            wrong.pairs.offsets = np.array([0, 2], "<u4").tobytes()
            setattr(wrong.pairs, name, raw)
            with self.subTest(column=name), self.assertRaises(clearance.errors.ProtocolError):
                _decode.RowCollector("nearest", (1,)).add(wrong, 0)
        collector = _decode.RowCollector("nearest", (1,))
        collector.add(result(count=1, states=b"\1"), 0)
        with self.assertRaisesRegex(clearance.errors.ProtocolError, "without pairs"):
            collector.result()

    def test_what_a_part_lacks_is_noticed(self) -> None:
        def part(kind: str, **columns) -> object:
            return _schema.message(f"{kind}BatchResult")(count=1, **columns)

        offsets = np.array([0, 1], "<u4").tobytes()
        vertex, facet = bytes(4), bytes(12)
        witness = {"offsets": offsets, "vertices_a": vertex, "vertices_b": vertex}
        witness["weights"] = bytes(8)
        proof = {"offsets": offsets, "vertices_a": vertex, "vertices_b": vertex}
        proof |= {"facet_offsets": offsets, "facets": facet, "truncated": b"\0"}
        pair = {"offsets": offsets, "bodies_a": vertex, "bodies_b": vertex, "is_self": b"\1"}
        pair |= {"verdicts": b"\2", "truncated": b"\0"}
        for kind, name, whole in (
            ("Distance", "witnesses", witness),
            ("Distance", "depth_proofs", proof),
            ("Check", "pairs", pair),
        ):
            row = "verdicts" if kind == "Check" else "states"
            full = part(kind, **{row: b"\1", name: whole})
            lacking = [part(kind, **{row: b"\1"})]
            lacking += [
                part(kind, **{row: b"\1", name: {k: v for k, v in whole.items() if k != left_out}})
                for left_out in whole
            ]
            for other in lacking:
                for parts in ((full, other), (other, full), (other, other)):
                    if other is lacking[0] and parts[0] is parts[1]:
                        continue  # it was not asked for
                    with self.subTest(parts=parts), self.assertRaises(
                        clearance.errors.ProtocolError
                    ):
                        self.joined(kind.lower(), parts)
            self.assertEqual(len(getattr(self.joined(kind.lower(), (full, full)), name).offsets), 3)
        some = part("Distance", states=b"\1", distances=bytes(8))
        with self.assertRaisesRegex(clearance.errors.ProtocolError, "distances has 1 of 2 rows"):
            self.joined("distance", (some, part("Distance", states=b"\1")))

    @staticmethod
    def joined(kind: str, parts: tuple) -> object:
        collector = _decode.RowCollector(kind, (len(parts),))
        for part in parts:
            collector.add(part, 0)
        return collector.result()

    def test_columns_of_a_wrong_length_are_refused(self) -> None:
        result = _schema.message("DistanceBatchResult")
        for wrong in (
            result(count=2, states=b"\1"),
            result(count=1, states=b"\1", distances=b"1234567"),
            result(count=1, states=b"\x81"),
            result(count=1, states=b"\x81\x80\x80\x80\x80\x01"),
            result(count=1, states=b"\x81\x80\x80\x80\x10"),  # 2^32 + 1
            result(count=1, states=b"\1", points_a=bytes(16)),
        ):
            with self.subTest(wrong=wrong), self.assertRaises(clearance.errors.ProtocolError):
                _decode.RowCollector("distance", (wrong.count,)).add(wrong, 0)

    def test_what_is_named_here_is_in_the_public_schema(self) -> None:
        for name, kind in (
            ("Limits", _operations.Limits),
            ("Tolerances", _operations.Tolerances),
            ("BodyColumns", scenes.SceneBodies),
            ("BodyPoseColumns", scenes.ScenePoses),
            ("PairRuleColumns", scenes.ScenePairRules),
            ("SceneChange", scenes.SceneChange),
            ("SceneInfo", scenes.SceneInfo),
        ):
            fields = self.public[f"clearance.v1.{name}"].DESCRIPTOR.fields_by_name
            self.assertLessEqual(set(kind.__dataclass_fields__), set(fields), name)
        for name, kind in (
            ("State", results.State),
            ("MotionState", results.MotionState),
            ("UndecidedReason", results.UndecidedReason),
            ("RowFlag", results.RowFlag),
            ("Verdict", scenes.Verdict),
            ("PairScope", scenes.PairScope),
            ("PairRuleKind", scenes.PairRuleKind),
            ("SceneEnd", scenes.SceneEnd),
            ("TrackClamp", tracks.TrackClamp),
        ):
            prefix = "".join("_" + c if c.isupper() else c for c in name).upper()[1:] + "_"
            known = {key.removeprefix(prefix): n for key, n in _schema.enum_values(name).items()}
            own = {item.name: int(item) for item in kind}
            if "UNSPECIFIED" not in own:  # what a request may leave away, or no answer has
                del known["UNSPECIFIED"]
                own.pop("SCENE_AND_SELF", None)
            self.assertEqual(own, known)


if __name__ == "__main__":
    unittest.main()
