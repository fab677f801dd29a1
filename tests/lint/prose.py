# SPDX-License-Identifier: Apache-2.0
"""Takes out of source files the text that people read: paragraphs, comments, docstrings, strings.

A paragraph is a pair of its line and its text. Code, tables, formulas and output are left out.
"""

import ast
import inspect
import re
from typing import Iterable, Iterator, NamedTuple

LIST_ITEM = re.compile(r"\s*([-*+]|\d+\.)\s+")
CPP_TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"'
    r"|\"(?P<string>(?:[^\"\\\n]|\\.)*)\"|'(?:[^'\\\n]|\\.)'|(?P<call>[A-Za-z_]\w*)\s*\((?=\s*)|[()]",
    re.DOTALL,
)
ESCAPE = re.compile(r"\\(.)")
SETTING = re.compile("SETTING|LIMIT|MEMBER")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|cf|vs|etc|approx|Fig|No|Dr|al)\.$")


class Paragraph(NamedTuple):
    line: int
    text: str


class Help(NamedTuple):
    """The text of an option of a program."""

    line: int
    text: str


def sentences(text: str) -> list[str]:
    """Returns the sentences of a paragraph."""
    parts: list[str] = []
    for part in re.split(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`\[]*[A-Z0-9`])", text.strip()):
        if parts and ABBREVIATION.search(parts[-1]):
            parts[-1] += " " + part
        else:
            parts.append(part)
    return parts


def word_count(sentence: str) -> int:
    return sum(any(c.isalnum() for c in word) for word in sentence.split())


def without_code(text: str) -> str:
    """Returns the text with each `code` as one word, and of links what is shown."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"``.+?``|`[^`]*`", "`code`", text)


def _paragraphs(lines: Iterable[tuple[int, str]]) -> Iterator[Paragraph]:
    """Joins lines; an empty line ends a paragraph, an item of a list begins one."""
    start = 0
    collected: list[str] = []
    for number, line in lines:
        item = LIST_ITEM.match(line)
        if collected and (item or not line.strip()):
            yield Paragraph(start, without_code(" ".join(collected)))
            collected = []
        if item:
            line = line[item.end() :]
        if line.strip():
            start = start if collected else number
            collected.append(line.strip())
    if collected:
        yield Paragraph(start, without_code(" ".join(collected)))


def markdown_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields the numbered lines of a page; those that are no prose are empty."""
    fence = ""
    for number, line in enumerate(text.splitlines(), start=1):
        mark = re.match(r"\s*(```|~~~)", line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1] == fence:
            fence, line = "", ""
        is_prose = not fence and not re.match(r"\s*(\||#+ |<|={3,}|-{3,}$)|\[[^\]]*\]: ", line)
        yield number, re.sub(r"^\s*> ?", "", line) if is_prose else ""


def markdown_paragraphs(text: str) -> Iterator[Paragraph]:
    """Yields paragraphs and items of lists of a page."""
    return _paragraphs(markdown_lines(text))


def comment_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields the numbered lines of // comments, without the mark; code between them is empty.

    Formulas, which are indented by three columns or more, are empty as well.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        full = re.match(r"\s*///? ?(.*)$", line)
        comment = full[1] if full and not re.match(r"SPDX-|NOLINT|clang-format ", full[1]) else ""
        yield number, "" if re.match(r"\s{3,}", comment) else comment


def comment_paragraphs(text: str) -> Iterator[Paragraph]:
    """Yields paragraphs of // comments that have lines of their own."""
    return _paragraphs(comment_lines(text))


def docstrings(tree: ast.Module) -> Iterator[tuple[ast.AST, int, str]]:
    """Yields each documented node, the line of its docstring, and its docstring."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if (text := ast.get_docstring(node, clean=False)) is not None:
                yield node, node.body[0].lineno, inspect.cleandoc(text)


def docstring_paragraphs(line: int, text: str) -> Iterator[Paragraph]:
    """Yields the paragraphs of a docstring, without its examples and their output.

    Terms of numpydoc's sections, such as "name : type", are left out: indented text explains them.
    """
    kept, is_example = [], False
    lines = text.splitlines()
    for content, following in zip(lines, [*lines[1:], ""]):
        is_example = bool(content.strip()) and (is_example or content.lstrip().startswith(">>>"))
        is_section = any(re.match(r"-{3,}$", line.strip()) for line in (content, following))
        is_term = bool(re.match(r"\S", content) and re.match(r" {4}\S", following))
        kept.append("" if is_example or is_section or is_term else content)
    return _paragraphs(enumerate(kept, start=line))


def python_strings(tree: ast.Module) -> Iterator[Paragraph]:
    """Yields the string constants that are no docstrings."""
    documented = {node.body[0].value for node, _, _ in docstrings(tree)}  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in documented
        ):
            yield Paragraph(node.lineno, node.value)


def cpp_strings(text: str) -> Iterator[Paragraph | Help]:
    """Yields the strings of a C++ source, those that follow each other joined.

    The last argument of an ABSL_FLAG, add_option, add_flag or add_subcommand is a Help, and so is
    each of a row of the table of settings.
    """
    calls: list[str] = []
    pending: Paragraph | None = None
    owner = ""
    end = 0
    for token in CPP_TOKEN.finditer(text):
        literal = token["raw"] if token["raw"] is not None else token["string"]
        if token["comment"] is not None:
            continue
        if literal is not None:
            literal = literal if token["raw"] is not None else ESCAPE.sub(r" ", literal)
            if pending and not re.sub(r"//[^\n]*", "", text[end : token.start()]).strip():
                pending = Paragraph(pending.line, pending.text + literal)
            else:
                if pending:
                    yield Help(*pending) if SETTING.fullmatch(owner) else pending
                pending = Paragraph(text.count("\n", 0, token.start()) + 1, literal)
                owner = calls[-1] if calls else ""
            end = token.end()
            continue
        if token[0] == ")" and calls:
            call = calls.pop()
            is_last = pending and not text[end : token.start()].strip()
            is_option = re.fullmatch(r"ABSL_FLAG|add_(option|flag|subcommand)\w*", call)
            if is_last and (is_option or SETTING.fullmatch(call)):
                assert pending
                yield Help(*pending)
                pending = None
        elif token["call"] is not None or token[0] == "(":
            calls.append(token["call"] or "")
    if pending:
        yield pending
