# SPDX-License-Identifier: Apache-2.0
"""Every public name is documented, with each of its parameters, fields or members."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import pkgutil
import unittest
from collections.abc import Iterator

import clearance
from clearance._fields import entries, names_of


def public_modules() -> Iterator[object]:
    yield clearance
    for info in pkgutil.iter_modules(clearance.__path__):
        if not info.name.startswith("_"):
            yield importlib.import_module(f"clearance.{info.name}")


def public_members(kind: type) -> Iterator[tuple[str, object]]:
    """Yields the methods and properties that the package defines."""
    for base in kind.__mro__:
        if base.__module__.startswith("clearance"):
            for name, member in vars(base).items():
                member = member.__func__ if isinstance(member, staticmethod) else member
                if not name.startswith("_") and (callable(member) or isinstance(member, property)):
                    yield name, member


def described(doc: str, *titles: str) -> set[str]:
    return {name for title in titles for entry in entries(doc, title) for name in names_of(entry)}


def faults_of_call(call: object) -> Iterator[str]:
    doc = inspect.getdoc(call) or ""
    signature = inspect.signature(call)
    parameters = [item for item in signature.parameters.values() if item.name != "self"]
    if not doc:
        yield "no docstring"
    yield from (f"unnamed {item}" for item in parameters if item.kind == item.VAR_KEYWORD)
    missing = {item.name for item in parameters} - described(doc, "Parameters")
    yield from (f"no parameter {name}" for name in sorted(missing))
    is_silent = signature.return_annotation in ("None", None, inspect.Signature.empty)
    if not is_silent and not entries(doc, "Returns") and not entries(doc, "Yields"):
        yield "no section Returns"


def is_made_otherwise(kind: type) -> bool:
    return "ade by `" in kind.__doc__ or getattr(kind, "_is_protocol", False)


def faults_of_class(kind: type) -> Iterator[str]:
    doc = inspect.cleandoc(kind.__doc__ or "")
    if not doc:
        yield "no docstring"
    own: set[str] = set()
    if issubclass(kind, enum.Enum):
        own = set(kind.__members__)
    elif dataclasses.is_dataclass(kind):
        own = {item.name for item in dataclasses.fields(kind)}
    elif "__init__" in vars(kind) and not is_made_otherwise(kind):
        own = set(inspect.signature(kind).parameters)
    missing = own - described(doc, "Attributes", "Parameters")
    yield from (f"no description of {name}" for name in sorted(missing))
    if not issubclass(kind, enum.Enum):
        for name, member in public_members(kind):
            if isinstance(member, property):
                yield from () if member.__doc__ else (f"{name}: no docstring",)
            elif not dataclasses.is_dataclass(kind) or inspect.isfunction(member):
                yield from (f"{name}: {fault}" for fault in faults_of_call(member))


class Docs(unittest.TestCase):
    def test_every_public_name_is_documented(self) -> None:
        count = 0
        for module in public_modules():
            self.assertTrue(module.__doc__, module)
            for name in module.__all__:
                value = getattr(module, name)
                with self.subTest(name=f"{module.__name__}.{name}"):
                    faults = []
                    if inspect.isclass(value):
                        faults = list(faults_of_class(value))
                    elif callable(value) and hasattr(value, "__code__"):
                        faults = list(faults_of_call(value))
                    self.assertEqual(faults, [])
                count += 1
        self.assertGreater(count, 150)

    def test_the_top_level_has_at_most_40_names(self) -> None:
        self.assertLessEqual(len(clearance.__all__), 40)
        self.assertLessEqual(set(clearance.__all__), set(dir(clearance)))


if __name__ == "__main__":
    unittest.main()
