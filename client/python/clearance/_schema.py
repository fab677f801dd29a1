# SPDX-License-Identifier: Apache-2.0
"""The messages of clearance.v1, with columns as bytes.

A packed repeated field of numbers and a field of bytes are the same on the wire. So the public
schema (schema.binpb, which protoc makes when the package is built) is read here with each such
column turned into `bytes`, and numpy's memory is sent and received as it is. The numbers a row of
each column are those of columns.def, which the server reads too: a new column with several needs
its line there. All other additions to the public schema are available at once. The messages live
in a separate pool, so that a program may use ordinary stubs of the same protos beside this package.

A sender may split a packed field into several pieces, of which a field of bytes keeps the last.
protobuf never does, and a column of another length than its message says is refused (`_columns`).
"""

from __future__ import annotations

import re
from importlib import resources
from typing import Any, Iterator

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "clearance.v1"
_Field = descriptor_pb2.FieldDescriptorProto

# Layouts of the numbers of a column in its bytes: a numpy type, or varints, of numbers or of
# booleans.
VARINT = "varint"
BOOLEAN = "boolean"
_LAYOUTS = {
    _Field.TYPE_DOUBLE: "<f8",
    _Field.TYPE_FIXED32: "<u4",
    _Field.TYPE_FIXED64: "<u8",
    _Field.TYPE_UINT32: VARINT,
    _Field.TYPE_ENUM: VARINT,
    _Field.TYPE_BOOL: BOOLEAN,
}

# The layouts, by the full name of the field.
layouts: dict[str, str] = {}

# A line of columns.def: QUESTION(name, width, each), ANSWER(name, type, width, …) and the like.
_COLUMN = re.compile(
    r"^(?:QUESTION|ANSWER|LISTED|ENTRY)\((\w+), *(?:[A-Z]\w*, *)?(\d+)(, *body\b)?", re.MULTILINE
)


def _messages(scope: str, messages: Any) -> Iterator[tuple[str, descriptor_pb2.DescriptorProto]]:
    for message in messages:
        name = f"{scope}.{message.name}"
        yield name, message
        yield from _messages(name, message.nested_type)


def _turn_columns_into_bytes(file: descriptor_pb2.FileDescriptorProto) -> None:
    for name, message in _messages(file.package, file.message_type):
        for field in message.field:
            if field.label != _Field.LABEL_REPEATED or field.type not in _LAYOUTS:
                continue
            layouts[f"{name}.{field.name}"] = _LAYOUTS[field.type]
            field.label = _Field.LABEL_OPTIONAL
            field.type = _Field.TYPE_BYTES
            field.ClearField("type_name")
            field.ClearField("options")


def read_widths(text: str) -> tuple[dict[str, int], set[str]]:
    """Returns the width of each column of a columns.def, and the columns with a row a body."""
    found: dict[str, int] = {}
    bodies = set()
    for name, width, body in _COLUMN.findall(text):
        if found.setdefault(name, int(width)) != int(width):
            raise ValueError(f"columns.def: {name} has the widths {found[name]} and {width}")
        if body:
            bodies.add(name)
    return found, bodies


def _read(name: str) -> bytes:
    return resources.files(__package__).joinpath(name).read_bytes()


# The numbers a row of each column (in lists: an item), and the columns that have a row for each body
# in batches about configurations.
widths, of_bodies = read_widths(_read("columns.def").decode())


def width_of(name: str) -> int:
    """Returns the numbers a row of a column: 1 for those of states, offsets and the like."""
    return widths.get(name, 1)


def _load() -> descriptor_pool.DescriptorPool:
    files = descriptor_pb2.FileDescriptorSet()
    files.ParseFromString(_read("schema.binpb"))
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        if file.package == _PACKAGE:
            _turn_columns_into_bytes(file)
        pool.AddSerializedFile(file.SerializeToString())
    return pool


_pool = _load()


def class_of(descriptor: Any) -> Any:
    """Returns the class of a message's descriptor."""
    # The function is new in protobuf 4.22; the class's method is gone since 5.
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(descriptor.file.pool).GetPrototype(descriptor)


def message(name: str) -> Any:
    """Returns the class of a message of clearance.v1, or of the full name of another one."""
    return class_of(_pool.FindMessageTypeByName(name if "." in name else f"{_PACKAGE}.{name}"))


def enum_values(name: str) -> dict[str, int]:
    """Returns the names and numbers of an enum of clearance.v1, without the prefix of its name."""
    values = _pool.FindEnumTypeByName(f"{_PACKAGE}.{name}").values_by_name
    return {key: value.number for key, value in values.items()}


Error = message("Error")
SessionRequest = message("SessionRequest")
SessionResponse = message("SessionResponse")
Status = message("google.rpc.Status")
