# SPDX-License-Identifier: Apache-2.0
"""Every kind of batch in the schema is in this package, with its columns, settings and details."""

from __future__ import annotations

import dataclasses
import enum
import unittest
from typing import Any, Iterator

from clearance import _kinds, _schema, batches, results, scenes

REQUEST = _schema.SessionRequest.DESCRIPTOR
RESPONSE = _schema.SessionResponse.DESCRIPTOR
# Columns that have one number a row in every message, and are not in columns.def.
IMPLIED = {"states", "verdicts", "offsets", "facet_offsets", "truncated"}
# Fields of messages that a caller does not see as such.
OF_THE_WIRE = {"count", "first_row", "total_count", "options"}
# Fields of dataclasses that the columns' shape and the options make.
OF_THE_PACKAGE = {"shape", "time_budget", "max_reply_bytes"}


def batch_fields() -> Iterator[Any]:
    """Yields the fields of a session's message that are batches."""
    for field in REQUEST.fields:
        if field.message_type is not None and field.message_type.name.endswith("Batch"):
            yield field


def class_of(name: str) -> Any:
    found = [getattr(m, name) for m in (batches, results, scenes) if hasattr(m, name)]
    return found[0] if found else None


def is_part(field: Any) -> bool:
    return field.message_type is not None and field.message_type.name.endswith("Columns")


def all_fields(message: Any) -> Iterator[Any]:
    """Yields the fields of a batch and of the part of it that has `count`."""
    for field in message.fields:
        if is_part(field):
            yield from field.message_type.fields
        else:
            yield field


class Kinds(unittest.TestCase):
    def demand_widths(self, fields: Any) -> None:
        for field in fields:
            if field.full_name in _schema.layouts and field.name not in IMPLIED:
                self.assertIn(field.name, _schema.widths, f"columns.def lacks {field.full_name}")

    def demand_fields(self, kind: Any, fields: Any) -> None:
        """Demands that a class has these fields of a message and no other ones."""
        own = {item.name for item in dataclasses.fields(kind)} - OF_THE_PACKAGE
        self.assertEqual({field.name for field in fields} - OF_THE_WIRE, own, kind.__name__)

    def test_every_kind_has_a_batch(self) -> None:
        count = 0
        for field in batch_fields():
            with self.subTest(kind=field.name):
                message = field.message_type
                batch = class_of(message.name)
                self.assertIsNotNone(batch, f"no class {message.name}")
                fields = list(all_fields(message))
                self.demand_widths(fields)
                self.demand_fields(batch, fields)
                for column in _kinds.KINDS[batch].columns.values():
                    self.assertIn(column.numbers, (_kinds.REAL, _kinds.UNSIGNED))
            count += 1
        self.assertEqual(count, len(_kinds.KINDS))

    def test_every_kind_has_a_result(self) -> None:
        for field in batch_fields():
            with self.subTest(kind=field.name):
                message = RESPONSE.fields_by_name[field.name].message_type
                result = class_of(message.name.replace("Batch", ""))
                self.assertIsNotNone(result, f"no class for {message.name}")
                self.assertIs(_kinds.BY_NAME[field.name].result, result)
                self.demand_widths(message.fields)
                self.demand_fields(result, message.fields)

    def test_every_list_has_a_class(self) -> None:
        lists = 0
        for field in batch_fields():
            message = RESPONSE.fields_by_name[field.name].message_type
            for part in filter(is_part, message.fields):
                with self.subTest(list=part.full_name):
                    self.demand_widths(part.message_type.fields)
                    found = _kinds.BY_NAME[field.name].lists[part.name]
                    stem = part.message_type.name.removesuffix("Columns")
                    self.assertEqual(found.kind.__name__[: len(stem)], stem)
                    self.demand_fields(found.kind, part.message_type.fields)
                    self.assertEqual(set(found.empty), set(found.kind.__dataclass_fields__))
                lists += 1
        self.assertGreater(lists, 6)

    def test_every_detail_has_its_flag(self) -> None:
        for batch, kind in _kinds.KINDS.items():
            fields = REQUEST.fields_by_name[kind.name].message_type.fields_by_name
            with self.subTest(kind=kind.name):
                self.assertEqual("detail" in fields, hasattr(batch, "detail"))
                if "detail" in fields:
                    names = set(fields["detail"].message_type.fields_by_name)
                    self.assertEqual({name for name, _ in kind.flags}, names)

    def test_the_schema_may_have_other_flags(self) -> None:
        class Few(enum.IntFlag):
            BOUNDS = 4
            DEFAULT = BOUNDS

        class Unknown(enum.IntFlag):
            BOUNDS = 1
            COLOURS = 2

        message = _schema.message("DistanceDetail").DESCRIPTOR
        self.assertEqual(_kinds.flags_of(message, Few), (("bounds", 4),))
        with self.assertRaisesRegex(TypeError, "Unknown.COLOURS is not in .* DistanceDetail"):
            _kinds.flags_of(message, Unknown)

    def test_bodies_are_of_configurations_alone(self) -> None:
        found = {
            (kind.name, name)
            for kind in _kinds.KINDS.values()
            for name, column in kind.columns.items()
            if column.has_bodies
        }
        wanted = {(name, "poses") for name in ("check", "minimum_distance", "nearest", "sweep")}
        wanted |= {("sweep", name) for name in ("displacements", "rotations", "end_poses")}
        self.assertEqual(found, wanted)


class Widths(unittest.TestCase):
    def test_a_name_has_one_width(self) -> None:
        text = "QUESTION(poses, 7, body)\nANSWER(poses, Real, 7, detail.poses(), 0, kAlways)\n"
        self.assertEqual(_schema.read_widths(text), ({"poses": 7}, {"poses"}))
        with self.assertRaisesRegex(ValueError, "poses has the widths 7 and 6"):
            _schema.read_widths(text + "ENTRY(poses, 6)\n")

    def test_a_definition_of_a_macro_is_no_column(self) -> None:
        text = "#define ENTRY(name, width)\n//   ENTRY(name, 2): a column\nSETTING(exact)\n"
        self.assertEqual(_schema.read_widths(text), ({}, set()))


if __name__ == "__main__":
    unittest.main()
