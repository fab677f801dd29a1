# SPDX-License-Identifier: Apache-2.0
"""Columns between numpy and the wire. No loop here runs once a row."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from clearance import _schema
from clearance.errors import ProtocolError

_LARGEST = 0xFFFFFFFF


def from_varints(raw: bytes) -> np.ndarray:
    """Unsigned varints, of which each must fit 32 bits."""
    octets = np.frombuffer(raw, np.uint8)
    if not octets.size or octets.max() < 0x80:
        return octets.astype(np.uint32)
    is_last = octets < 0x80
    if not is_last[-1]:
        raise ProtocolError("a column of numbers ends in the middle of one")
    ends = np.flatnonzero(is_last) + 1
    begins = np.append(0, ends[:-1])
    if (ends - begins).max() > 5:
        raise ProtocolError("a number of a column has more than 32 bits")
    places = np.arange(octets.size) - np.repeat(begins, ends - begins)
    septets = (octets & 0x7F).astype(np.uint64) << (7 * places).astype(np.uint64)
    numbers = np.add.reduceat(septets, begins)
    if numbers.max() > _LARGEST:  # five septets have 35 bits
        raise ProtocolError("a number of a column has more than 32 bits")
    return numbers.astype(np.uint32)


def _decode(raw: bytes, layout: str, width: int, name: str) -> np.ndarray:
    if layout == _schema.VARINT:
        numbers = from_varints(raw)
    elif layout == _schema.BOOLEAN:
        numbers = from_varints(raw).astype(bool)
    else:
        if len(raw) % np.dtype(layout).itemsize:
            raise ProtocolError(f"the column {name} has {len(raw)} bytes")
        numbers = np.frombuffer(raw, layout)
    if numbers.size % width:
        raise ProtocolError(f"the column {name} has {numbers.size} numbers")
    return numbers.reshape(-1, width) if width > 1 else numbers


@lru_cache(maxsize=None)
def _columns_of(descriptor: Any) -> tuple[tuple[str, str, int], ...]:
    return tuple(
        (field.name, _schema.layouts[field.full_name], _schema.width_of(field.name))
        for field in descriptor.fields
        if field.full_name in _schema.layouts
    )


def columns(message: Any) -> dict[str, np.ndarray]:
    """Every column of a message that is not empty. The arrays are read-only where they are the
    message's own bytes."""
    found = {}
    for name, layout, width in _columns_of(message.DESCRIPTOR):
        raw = getattr(message, name)
        if raw:
            found[name] = _decode(raw, layout, width, name)
    return found


def empty_columns(descriptor: Any) -> dict[str, np.ndarray]:
    """Every column of a message's descriptor, without a row."""
    own = _columns_of(descriptor)
    return {name: _decode(b"", layout, width, name) for name, layout, width in own}


def append(earlier: dict[str, np.ndarray], later: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The columns of two parts of an answer, one after the other; offsets go on counting."""
    joined = {}
    for name in earlier | later:
        if name not in earlier or name not in later:
            joined[name] = earlier[name] if name in earlier else later[name]
        elif name.endswith("offsets"):
            joined[name] = np.concatenate((earlier[name], earlier[name][-1] + later[name][1:]))
        else:
            joined[name] = np.concatenate((earlier[name], later[name]))
    return joined
