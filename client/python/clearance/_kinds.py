# SPDX-License-Identifier: Apache-2.0
"""The kinds of batches: what the schema and the dataclasses say of them, joined by their names.

A kind is a field of a session's message, and of its reply. The batch has the name of the field's
message, and its result that of the reply's, without the Batch within. A column, a setting or a flag
belongs to the kind if the message and the dataclass both have it."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from enum import IntFlag
from typing import Any, get_args, get_type_hints

import numpy as np

from clearance import _scene_batches, _scene_results, _schema, batches, results
from clearance._columns import empty_columns

# The numpy types of the numbers in the bytes of a batch's columns.
REAL = "<f8"
UNSIGNED = "<u4"


@dataclass(frozen=True)
class Column:
    """A column of a batch: the numbers a row, or, with `has_bodies`, a body and row; the type of
    the numbers in its bytes; and whether the part of the message that has `count` has it too."""

    width: int = 1
    numbers: str = REAL
    is_counted: bool = False
    has_bodies: bool = False


@dataclass(frozen=True)
class RowList:
    """A column of a result with any number of items a row: its class, and its columns without an
    item."""

    kind: Any
    empty: dict[str, np.ndarray]


@dataclass(frozen=True)
class Kind:
    """A kind of batch: the field of a session's message and of its reply, the unary method, and the
    part of the batch that has `count`, "" being the batch itself. `settings` are copied as they
    are; each has whether it is in that part. `flags` are the bits of `detail`."""

    name: str
    method: str
    rows: str
    columns: dict[str, Column]
    settings: tuple[tuple[str, bool], ...]
    detail: Any
    flags: tuple[tuple[str, int], ...]
    result: Any
    lists: dict[str, RowList]


def _is_part(field: Any) -> bool:
    return field.message_type is not None and field.message_type.name.endswith("Columns")


def _class_of(name: str, *modules: Any) -> Any:
    return next((getattr(module, name) for module in modules if hasattr(module, name)), None)


def _columns_and_settings(
    batch: Any, message: Any, rows: str
) -> tuple[dict[str, Column], tuple[tuple[str, bool], ...]]:
    columns: dict[str, Column] = {}
    settings: list[tuple[str, bool]] = []
    parts = [(False, message)]
    if rows:
        parts.insert(0, (True, message.fields_by_name[rows].message_type))
    for is_counted, part in parts:
        for field in part.fields:
            if field.message_type is not None or field.name not in batch.__dataclass_fields__:
                continue
            numbers = _schema.layouts.get(field.full_name)
            if numbers is None:
                settings.append((field.name, is_counted))
                continue
            if numbers not in (REAL, UNSIGNED):
                raise TypeError(f"{field.full_name} has numbers of a type that no batch can send")
            has_bodies = rows == "configurations" and field.name in _schema.of_bodies
            width = _schema.width_of(field.name)
            columns[field.name] = Column(width, numbers, is_counted, has_bodies)
    return columns, tuple(settings)


def flags_of(message: Any, detail: type[IntFlag]) -> tuple[tuple[str, int], ...]:
    """Returns the bits of details by the names that their message has for them."""
    own = {item.name: item for item in detail.__members__.values() if item.bit_count() == 1}
    for name in own:
        if str(name).lower() not in message.fields_by_name:
            raise TypeError(f"{detail.__name__}.{name} is not in the schema's {message.name}")
    return tuple((str(name).lower(), int(item)) for name, item in own.items())


def _lists_of(result: Any, message: Any) -> dict[str, RowList]:
    hints = get_type_hints(result)
    found = {}
    for field in message.fields:
        if _is_part(field) and field.name in hints:
            declared = (hints[field.name], *get_args(hints[field.name]))
            kind = next(item for item in declared if is_dataclass(item))
            found[field.name] = RowList(kind, empty_columns(field.message_type))
    return found


def _kind_of(name: str, batch: Any, message: Any) -> Kind:
    answer = _schema.SessionResponse.DESCRIPTOR.fields_by_name[name].message_type
    result = _class_of(answer.name.replace("Batch", ""), results, _scene_results)
    rows = next((field.name for field in message.fields if _is_part(field)), "")
    detail = type(batch.detail) if "detail" in message.fields_by_name else None
    flags = flags_of(message.fields_by_name["detail"].message_type, detail) if detail else ()
    columns, settings = _columns_and_settings(batch, message, rows)
    method, lists = message.name.removesuffix("Batch"), _lists_of(result, answer)
    return Kind(name, method, rows, columns, settings, detail, flags, result, lists)


def _all_kinds() -> dict[type, Kind]:
    found = {}
    for field in _schema.SessionRequest.DESCRIPTOR.fields:
        message = field.message_type
        batch = _class_of(message.name, batches, _scene_batches) if message else None
        if batch is not None and message.name.endswith("Batch"):
            found[batch] = _kind_of(field.name, batch, message)
    return found


KINDS = _all_kinds()
BY_NAME = {kind.name: kind for kind in KINDS.values()}
