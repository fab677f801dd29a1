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
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import clearance
from clearance import _columns, _decode, _encode, _operations, _schema, batches, results

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
    factory = message_factory.MessageFactory(pool)
    return {
        f"{file.package}.{message.name}": factory.GetPrototype(
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
                is_list = field.label == field.LABEL_REPEATED
                if not is_list or field.message_type or field.type == field.TYPE_STRING:
                    continue
                with self.subTest(field=field.full_name):
                    self.assertIn(field.full_name, _schema.layouts)
                    numbers = [value(field, source) for _ in range(12)]
                    sent = kind(**{field.name: numbers})
                    own = _schema.message(name).FromString(sent.SerializeToString())
                    self.assertEqual(own.SerializeToString(), sent.SerializeToString())
                    found = _columns.columns(own)[field.name]
                    np.testing.assert_array_equal(found.ravel(), numbers)
                    columns += 1
        self.assertGreater(columns, 60)

    def test_a_batch_is_the_public_message(self) -> None:
        batch = clearance.TimeOfCollisionBatch(
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
            part.witnesses.weights.extend([1, 0.5, first])
            own = _schema.message("DistanceBatchResult").FromString(part.SerializeToString())
            collector.add(own, 0)
        joined = collector.result()
        np.testing.assert_array_equal(joined.distances, [[0, 1], [2, 1]])
        np.testing.assert_array_equal(joined.witnesses.offsets, [0, 1, 3, 4, 6])
        np.testing.assert_array_equal(joined.witnesses.weights, [1, 0.5, 0, 1, 0.5, 2])

    def test_columns_of_a_wrong_length_are_refused(self) -> None:
        result = _schema.message("DistanceBatchResult")
        for wrong in (
            result(count=2, states=b"\1"),
            result(count=1, states=b"\1", distances=b"1234567"),
            result(count=1, states=b"\x81"),
            result(count=1, states=b"\x81\x80\x80\x80\x80\x01"),
            result(count=1, states=b"\1", points_a=bytes(16)),
        ):
            with self.subTest(wrong=wrong), self.assertRaises(clearance.ProtocolError):
                _decode.RowCollector("distance", (wrong.count,)).add(wrong, 0)

    def test_what_is_named_here_is_in_the_public_schema(self) -> None:
        for name, kind in (
            ("DistanceDetail", batches.DistanceDetail),
            ("IntersectionDetail", batches.IntersectionDetail),
            ("TimeOfCollisionDetail", batches.TimeOfCollisionDetail),
            ("Limits", _operations.Limits),
            ("Tolerances", _operations.Tolerances),
            ("WitnessColumns", results.Witnesses),
            ("ContactColumns", results.Contacts),
            ("DepthProofColumns", results.DepthProofs),
            ("MotionProofColumns", results.MotionProofs),
        ):
            fields = self.public[f"clearance.v1.{name}"].DESCRIPTOR.fields_by_name
            self.assertLessEqual(set(kind.__dataclass_fields__), set(fields), name)
        for name, kind in (
            ("State", results.State),
            ("MotionState", results.MotionState),
            ("UndecidedReason", results.UndecidedReason),
        ):
            prefix = "".join("_" + c if c.isupper() else c for c in name).upper()[1:] + "_"
            known = {key.removeprefix(prefix): n for key, n in _schema.enum_values(name).items()}
            self.assertEqual({item.name: int(item) for item in kind}, known)


if __name__ == "__main__":
    unittest.main()
