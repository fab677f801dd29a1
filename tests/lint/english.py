#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what people read is plain English: pages, comments, docstrings, help and messages.

    english.py [PATH…]               every tracked file, or these
    english.py --commits BASE..HEAD  also the subjects of these commits
"""

import argparse
import ast
import pathlib
import re
import statistics
import subprocess
import sys
from typing import Iterator, NamedTuple

import prose
from tracked_files import tracked_files

LONGEST_SENTENCE = 40  # words, anywhere
MEDIAN_OF_PAGE = 17
P90_OF_PAGE = 32
SENTENCES_OF_PAGE = 5  # a page with fewer has no figures
LONGEST_LINE = 100
LONGEST_TEST_NAME = 50
LONGEST_SUBJECT = 65

# What is written, and what to write instead.
WORDS = [
    (re.compile(pattern, re.IGNORECASE), instead)
    for pattern, instead in (
        (r"\b(has|have|had) to\b", "must"),
        (r"\bwho(so)?ever\b", "the caller, the client, anyone who"),
        (r"\banew\b", "again"),
        (r"\blikewise\b", "also, or name the thing again"),
        (r"\bof (its|their|his) own\b", "its own X, or separate"),
        (r"\bnobody\b", "no caller, no client"),
        (r"\b(as much|as many|half as \w+) again\b", "a number"),
        (r"\ba \d+(st|nd|rd|th) part\b", "a ratio, such as 1/22"),
        (r"\bnot half\b", "a number"),
    )
]
IS_NO = re.compile(r"(?<!there )\b(is|are) no (?!longer\b|more\b)\w+", re.IGNORECASE)
OPENING = re.compile(r"[\"'(*_]*(Of|What|Who|Whoever|Whose|Where)\b(?!.*\?[\"')*_]*$)")
OPENING_OF_HELP = re.compile(r"(Of|What|Who|Whoever|Whose|Where|How)\b")
LOG_CALL = re.compile(
    r"\blog_?(?:\(\))?(?:->|\.)(?:Debug|Info|Warning|Error)\(\s*\"((?:[^\"\\]|\\.)*)\""
)
TEST_NAME = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*\w+,\s*(\w+)\)", re.MULTILINE)
COMMENT_OF_PROTO = re.compile(r"^( *//.*\n)+(?= *[a-z]| *[A-Z_]+ = )", re.M)
COMMENTED_RPC = re.compile(r"^ *// *(.*)\n(?: *//.*\n)* *rpc (\w+)", re.MULTILINE)
THIRD_PERSON = re.compile(r"[A-Z][a-z]+s\b")


class Finding(NamedTuple):
    line: int
    what: str


# --- What is judged of any text -------------------------------------------------------------------


def words_of(line: int, text: str) -> Iterator[Finding]:
    for pattern, instead in WORDS:
        for found in pattern.finditer(text):
            yield Finding(line, f'"{found[0]}": write: {instead}')


def prose_of(paragraphs: Iterator[prose.Paragraph]) -> Iterator[Finding]:
    for line, text in paragraphs:
        yield from words_of(line, text)
        for sentence in prose.sentences(text):
            if opening := OPENING.match(sentence):
                yield Finding(
                    line,
                    f'sentence begins with "{opening[1]}": begin with its subject: {sentence[:60]}',
                )
            if (count := prose.word_count(sentence)) > LONGEST_SENTENCE:
                yield Finding(
                    line, f"sentence of {count} words: at most {LONGEST_SENTENCE}: {sentence[:60]}"
                )


def long_lines(lines: Iterator[tuple[int, str]], whole: list[str]) -> Iterator[Finding]:
    for number, line in lines:
        length = len(whole[number - 1])
        if length > LONGEST_LINE and " " in line.strip():
            yield Finding(number, f"line of {length} columns: at most {LONGEST_LINE}")


# --- Kinds of files -------------------------------------------------------------------------------


def long_sentences(text: str) -> Iterator[Finding]:
    """Judges the lengths of the sentences of a whole page."""
    found = [
        s for _, paragraph in prose.markdown_paragraphs(text) for s in prose.sentences(paragraph)
    ]
    counts = [count for s in found if (count := prose.word_count(s)) > 2]
    if len(counts) < SENTENCES_OF_PAGE:
        return
    p90 = statistics.quantiles(counts, n=10, method="inclusive")[8]
    for figure, value, limit in (
        ("median", statistics.median(counts), MEDIAN_OF_PAGE),
        ("90th percentile", p90, P90_OF_PAGE),
    ):
        if value > limit:
            yield Finding(1, f"{figure} of the sentences is {value:g} words: at most {limit}")


def of_markdown(text: str) -> Iterator[Finding]:
    yield from prose_of(prose.markdown_paragraphs(text))
    yield from long_sentences(text)
    yield from long_lines(prose.markdown_lines(text), text.splitlines())


def of_comments(text: str) -> Iterator[Finding]:
    yield from prose_of(prose.comment_paragraphs(text))
    yield from long_lines(prose.comment_lines(text), text.splitlines())


def of_proto(text: str) -> Iterator[Finding]:
    yield from of_comments(text)
    for found in COMMENT_OF_PROTO.finditer(text, max(text.find("\nsyntax = "), 0)):
        first, *rest = found[0].strip().split("\n")
        if rest and not first.endswith((".", "?", "!")):
            line = text.count("\n", 0, found.start()) + 1
            yield Finding(line, f"first line of a comment: one sentence with a period: {first[:60]}")
    for found in COMMENTED_RPC.finditer(text):
        if not THIRD_PERSON.match(found[1]):
            line = text.count("\n", 0, found.start()) + 1
            yield Finding(
                line,
                f'comment of rpc {found[2]}: begin with what it does ("Returns …"): {found[1][:60]}',
            )


def of_cpp(text: str) -> Iterator[Finding]:
    yield from of_comments(text)
    for string in prose.cpp_strings(text):
        if isinstance(string, prose.Help):
            yield from of_help(string)
        elif prose.word_count(string.text) > 2:
            yield from of_message(string)
    for found in LOG_CALL.finditer(text):
        if re.match(r"[A-Z][a-z]", found[1]) or found[1].endswith("."):
            line = text.count("\n", 0, found.start()) + 1
            yield Finding(
                line, f"log line: an event in lower case, without a period: {found[1][:60]}"
            )


def of_message(string: prose.Paragraph) -> Iterator[Finding]:
    yield from words_of(*string)
    for found in IS_NO.finditer(string.text):
        yield Finding(string.line, f'"{found[0]}": write what was given and what is allowed')


def of_help(string: prose.Help) -> Iterator[Finding]:
    yield from words_of(*string)
    if opening := OPENING_OF_HELP.match(string.text):
        yield Finding(
            string.line,
            f'help begins with "{opening[1]}": begin with the effect: {string.text[:60]}',
        )


def of_python(text: str, is_public: bool) -> Iterator[Finding]:
    tree = ast.parse(text)
    yield from long_docstring_lines(tree, text.splitlines())
    for node, line, docstring in prose.docstrings(tree):
        yield from prose_of(prose.docstring_paragraphs(line, docstring))
        if is_public:
            yield from of_first_line(node, line, docstring)
    for string in prose.python_strings(tree):
        if prose.word_count(string.text) > 2:
            yield from of_message(string)


def long_docstring_lines(tree: ast.Module, whole: list[str]) -> Iterator[Finding]:
    for _, first, docstring in prose.docstrings(tree):
        last = first + docstring.count("\n")
        yield from long_lines(iter((n, whole[n - 1]) for n in range(first, last + 1)), whole)


def of_first_line(node: ast.AST, line: int, docstring: str) -> Iterator[Finding]:
    first = docstring.split("\n", 1)[0]
    if not first.endswith("."):
        yield Finding(line, f"first line of a docstring: one sentence with a period: {first[:60]}")
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        decorators = {ast.unparse(decorator).split(".")[-1] for decorator in node.decorator_list}
        is_noun = decorators & {"property", "setter", "cached_property"}
        if not node.name.startswith("_") and not is_noun and not THIRD_PERSON.match(first):
            yield Finding(
                line,
                f'docstring of {node.name}: begin with what it does ("Returns …"): {first[:60]}',
            )


def of_tests(text: str) -> Iterator[Finding]:
    for found in TEST_NAME.finditer(text):
        if len(found[1]) > LONGEST_TEST_NAME:
            line = text.count("\n", 0, found.start()) + 1
            yield Finding(
                line,
                f"test name of {len(found[1])} characters: at most {LONGEST_TEST_NAME}: {found[1]}",
            )


def findings_of(path: str, text: str) -> list[Finding] | None:
    """Returns what is found in a file, or None if it is of no kind that is judged."""
    if path.endswith(".md"):
        found = of_markdown(text)
    elif path.startswith("proto/clearance/") and path.endswith(".proto"):
        found = of_proto(text)
    elif path.startswith(("core/", "server/", "client/")) and path.endswith((".h", ".cc", ".def")):
        found = of_cpp(text)
    elif path.startswith("client/python/clearance/") and path.endswith(".py"):
        is_public = not re.search(r"/_[^_/]*[^/]*$", path)
        found = of_python(text, is_public)
    elif path.startswith("tests/") and path.endswith(".cc"):
        found = of_tests(text)
    else:
        return None
    return sorted(found)


# --- Files ----------------------------------------------------------------------------------------


def check_files(root: pathlib.Path, paths: list[str]) -> tuple[int, int]:
    """Prints what is found, and returns how many files are judged and how many break a rule."""
    judged = wrong = 0
    for path in paths:
        if not path.endswith((".md", ".proto", ".h", ".cc", ".def", ".py")):
            continue
        found = findings_of(path, (root / path).read_text())
        if found is None:
            continue
        judged += 1
        wrong += bool(found)
        for line, what in found:
            print(f"english: {path}:{line}: {what}", file=sys.stderr)
    return judged, wrong


# --- Commits --------------------------------------------------------------------------------------


def check_commits(root: pathlib.Path, commits: str) -> int:
    """Prints the subjects of commits that break a rule, and returns how many do."""
    log = ["git", "log", "--no-merges", "--format=%h %s", commits, "--"]
    listed = subprocess.run(log, cwd=root, capture_output=True, text=True)
    if listed.returncode:
        print(f"english: git cannot list {commits}: {listed.stderr.strip()}", file=sys.stderr)
        return 1
    wrong = 0
    for commit, _, subject in (line.partition(" ") for line in listed.stdout.splitlines()):
        if len(subject) > LONGEST_SUBJECT:
            fault = f"{len(subject)} characters: at most {LONGEST_SUBJECT}"
        elif subject.endswith("."):
            fault = "ends with a period"
        else:
            continue
        wrong += 1
        print(f"english: subject of {commit}: {fault}: {subject}", file=sys.stderr)
    return wrong


# --------------------------------------------------------------------------------------------------


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Checks that what people read is plain English.")
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument(
        "--folder", default=root, type=pathlib.Path, help="Root of the source tree."
    )
    parser.add_argument(
        "--commits", metavar="BASE..HEAD", help="Checks the subjects of these commits too."
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="Checks these files only.")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    root = arguments.folder
    judged, wrong = check_files(root, arguments.paths or tracked_files(root))
    if arguments.commits:
        wrong += check_commits(root, arguments.commits)
    print(f"english: {judged} files, {wrong} files or commits to correct")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
