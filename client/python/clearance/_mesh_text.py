# SPDX-License-Identifier: Apache-2.0
"""Lines, words and numbers of mesh files, read alike by the C++ client (internal/mesh_text.h)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import takewhile
from typing import Iterator

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_REAL = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch
_WHOLE = re.compile(rb"[+-]?[0-9]{1,18}").fullmatch
_LONGEST_QUOTE = 32


class Fault(ValueError):
    """A fault in the content of a mesh file, and its place."""


@dataclass(frozen=True)
class Line:
    """A line that has words. `is_whole`: a line end follows, so that its last word is not cut."""

    number: int
    words: list[bytes]
    is_whole: bool

    def fault(self, what: str) -> Fault:
        return Fault(f"line {self.number}: {what}")

    def real(self, word: bytes) -> float:
        number = float(word) if _REAL(word) else math.nan
        if not math.isfinite(number):
            raise self.fault(f"{quoted(word)} must be a finite number")
        return number

    def whole(self, word: bytes) -> int:
        if not _WHOLE(word):
            raise self.fault(f"{quoted(word)} must be a whole number")
        return int(word)

    def point(self) -> list[float]:
        """The first three words, of a line of nothing but a point."""
        self.require_whole()
        return [self.real(word) for word in self.words[:3]]

    def require_whole(self) -> None:
        if not self.is_whole:
            raise self.fault(
                "the file may be cut within its last number: end it with a line end if it is whole"
            )

    def require_whole_index(self, index: int, count: int) -> None:
        """The last word is that of a point, of `count`, and no longer number would be another."""
        if 0 < 10 * abs(index) <= count:
            self.require_whole()


def lines(content: bytes) -> Iterator[Line]:
    """Lines end with LF, CR LF or CR. Those without a word are left out."""
    rows = _rows(content)
    for number, row in enumerate(rows, 1):
        words = row.split()
        if words:
            yield Line(number, words, number < len(rows))


def statements(content: bytes, continued: frozenset[bytes]) -> Iterator[Line]:
    """`lines` without comments, which begin with a word that begins with a #. (1.#INF is none.) A
    backslash at the end of a line goes on with the next one, if the line begins with a word of
    `continued` and has no #."""
    rows = _rows(content)
    numbered = iter(enumerate(rows, 1))
    for number, row in numbered:
        pieces, last = [row], number
        if row.endswith(b"\\") and row.split()[0] in continued:
            while b"#" not in pieces[-1] and pieces[-1].endswith(b"\\") and last < len(rows):
                pieces[-1] = pieces[-1][:-1]
                last, more = next(numbered)
                pieces.append(more)
        words = list(takewhile(lambda word: word[:1] != b"#", b" ".join(pieces).split()))
        if words:
            yield Line(number, words, last < len(rows))


def quoted(word: bytes) -> str:
    """For a message: at most 32 bytes, those that are not printable as \\x and two digits."""
    shown = "".join(
        chr(c) if 0x20 <= c < 0x7F and c not in b"'\\" else f"\\x{c:02x}"
        for c in word[:_LONGEST_QUOTE]
    )
    return f"'{shown}'" + ("..." if len(word) > _LONGEST_QUOTE else "")


def _rows(content: bytes) -> list[bytes]:
    text = content.removeprefix(_BYTE_ORDER_MARK)
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
