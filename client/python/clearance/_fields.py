# SPDX-License-Identifier: Apache-2.0
"""Fields of dataclasses as keywords of functions, with their types, defaults and docs.

Each column is declared and described once, in the dataclass of its batch or options. The functions
below make keywords of it, which type checkers, `help` and the reference see."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from functools import wraps
from typing import Any, Callable, Concatenate, Iterable, ParamSpec, Protocol, TypeVar

F = TypeVar("F", contravariant=True)
H = TypeVar("H", contravariant=True)
P = ParamSpec("P")
R = TypeVar("R", covariant=True)
S = TypeVar("S")

# Options of every batch: they follow all others (""), which are about the question.
_LAST = ("", "scene_slot", "time_budget", "max_reply_bytes")
# What a method that asks a batch returns, if its docstring does not say it.
_ANSWERS = "    The answers, in the columns' broadcast shape."


def entries(doc: str | None, title: str) -> list[str]:
    """Returns the entries of one section of a numpydoc docstring, each with its names and text."""
    pattern = rf"^{title}\n-+\n(.*?)(?=\n\n\S[^\n]*\n-+\n|\Z)"
    found = re.search(pattern, inspect.cleandoc(doc or ""), re.DOTALL | re.MULTILINE)
    return re.split(r"\n(?=\S)", found[1].rstrip()) if found else []


def names_of(entry: str) -> list[str]:
    """Returns the names that an entry describes."""
    return [name.strip("* ") for name in entry.splitlines()[0].split(" : ")[0].split(",")]


def _with_section(doc: str | None, title: str, content: Iterable[str]) -> str:
    """Returns the docstring with one section replaced, or put before all others."""
    doc, own = inspect.cleandoc(doc or ""), entries(doc, title)
    section = "\n".join([title, "-" * len(title), *content])
    if own:
        return doc.replace("\n".join([title, "-" * len(title), *own]), section)
    parts = re.split(r"\n\n(?=\S[^\n]*\n---)", doc, maxsplit=1)
    return "\n\n".join([parts[0], section, *parts[1:]]) + "\n"


def _order(name: str) -> int:
    return _LAST.index(name) if name in _LAST else 0


class Documented:
    """Base of dataclasses whose docstrings repeat the fields of their base classes."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        inherited = [e for base in cls.__bases__ for e in entries(base.__doc__, "Attributes")]
        if inherited and cls.__doc__:
            own = entries(cls.__doc__, "Attributes")
            all_of_them = sorted(inherited + own, key=lambda entry: _order(names_of(entry)[0]))
            cls.__doc__ = _with_section(cls.__doc__, "Attributes", all_of_them)


class _Configured(Protocol[F, P, R]):
    def __call__(self, options: F | None = None, *args: P.args, **fields: P.kwargs) -> R:
        ...


class _ConfiguredMethod(Protocol[F, P, R]):
    def __get__(self, instance: Any, owner: Any) -> _Configured[F, P, R]:
        ...


class _ConfiguredAt(Protocol[H, F, P, R]):
    def __call__(
        self, address: H, options: F | None = None, *args: P.args, **fields: P.kwargs
    ) -> R:
        ...


def asks(
    kind: Callable[P, F], **defaults: Any
) -> Callable[[Callable[[S, F], R]], Callable[Concatenate[S, P], R]]:
    """Decorates a method that takes a batch: callers give the batch's fields as keywords."""
    return lambda method: _spread(method, kind, False, defaults)


def asks_about(
    kind: Callable[P, F]
) -> Callable[[Callable[[S, H, F], R]], Callable[Concatenate[S, H, P], R]]:
    """Does what `asks` does for a method that first takes what the batch is about."""
    return lambda method: _spread(method, kind, False, {})


def configured(kind: Callable[P, F]) -> Callable[[Callable[[S, F], R]], _ConfiguredMethod[F, P, R]]:
    """Decorates a method that takes options: callers may give fields of them as keywords."""
    return lambda method: _spread(method, kind, True, {})


def configured_at(
    kind: Callable[P, F]
) -> Callable[[Callable[[H, F], R]], _ConfiguredAt[H, F, P, R]]:
    """Does what `configured` does for a function that first takes an address."""
    return lambda function: _spread(function, kind, True, {})


def _spread(
    function: Callable[..., Any], kind: Any, is_option: bool, defaults: dict[str, Any]
) -> Any:
    """Returns a function that takes the fields of `kind` in place of the last parameter.

    An option remains a parameter, whose fields the keywords replace."""
    whole = inspect.signature(function)
    *leading, last = whole.parameters.values()
    option = last.replace(default=None, annotation=f"{last.annotation} | None")
    leading += [option] if is_option else []
    before = whole.replace(parameters=leading)

    @wraps(function)
    def call(*given: Any, **fields: Any) -> Any:
        named = {name: fields.pop(name) for name in before.parameters if name in fields}
        arguments = before.bind(*given, **named).arguments
        fields = {**defaults, **fields}
        given_option = arguments.get(last.name)
        made = replace(given_option, **fields) if given_option else kind(**fields)
        arguments[last.name] = made
        return function(**arguments)

    @wraps(function)
    async def awaited(*given: Any, **fields: Any) -> Any:
        return await call(*given, **fields)

    spread: Any = awaited if inspect.iscoroutinefunction(function) else call
    spread.__signature__ = whole.replace(parameters=[*leading, *_keywords(kind, defaults)])
    if function.__doc__:
        doc = inspect.cleandoc(function.__doc__)
        if not is_option and not entries(doc, "Returns"):
            doc += f"\n\nReturns\n-------\n{whole.return_annotation}\n{_ANSWERS}"
        columns = entries(function.__doc__, "Parameters") + entries(kind.__doc__, "Attributes")
        spread.__doc__ = _with_section(doc, "Parameters", columns)
    return spread


def _keywords(kind: Any, defaults: dict[str, Any]) -> list[inspect.Parameter]:
    fields = [
        item.replace(kind=item.KEYWORD_ONLY, default=defaults.get(item.name, item.default))
        for item in inspect.signature(kind).parameters.values()
    ]
    return sorted(fields, key=lambda item: _order(item.name))


def documented_as(original: type) -> Callable[[type[S]], type[S]]:
    """Decorates a class: methods without a docstring get that of the original's method."""

    def decorate(cls: type[S]) -> type[S]:
        for name, member in vars(cls).items():
            function = getattr(member, "__func__", member)
            if not name.startswith("_") and callable(function) and not function.__doc__:
                function.__doc__ = getattr(original, name).__doc__
        return cls

    return decorate
