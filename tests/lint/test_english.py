# SPDX-License-Identifier: Apache-2.0
"""Tests what english.py finds in trees made for that, and how it judges commits."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "support")]

import english  # noqa: E402
import optional_programs  # noqa: E402

PROGRAM = pathlib.Path(english.__file__)
NO_GIT = optional_programs.missing_reason("git")
needs_git = unittest.skipIf(NO_GIT, f"SKIPPED: {NO_GIT}")
LONG = "word " * 40 + "word."


def found_in(path: str, text: str) -> list[str]:
    """Returns the findings of a text as "line: first words of what is wrong"."""
    return [f"{line}: {what.split(':')[0]}" for line, what in english.findings_of(path, text) or []]


class Findings(unittest.TestCase):
    def test_words_of_pages(self) -> None:
        page = "# Of pages\n\nIt has to be read anew.\nLikewise `anew`, [whoever](anew.md).\n"
        expected = ['3: "Likewise"', '3: "anew"', '3: "has to"', '3: "whoever"']
        self.assertEqual(found_in("a.md", page), expected)

    def test_code_and_tables_are_left_out(self) -> None:
        self.assertEqual(found_in("a.md", "```\nOf it anew\n```\n| Of it anew | nobody |\n"), [])

    def test_openings(self) -> None:
        page = "What is it? It works.\n\nOf two the first. Office hours. *Who* asks, waits.\n- Where it is\n"
        expected = [
            f'{line}: sentence begins with "{word}"'
            for line, word in ((3, "Of"), (3, "Who"), (4, "Where"))
        ]
        self.assertEqual(found_in("a.md", page), expected)

    def test_long_sentences_and_lines(self) -> None:
        page = (
            LONG.replace(" ", "\n", 39) + " Short.\n\n" + "word " * 25 + "\n\n" + "w" * 200 + "\n"
        )
        self.assertEqual(
            found_in("a.md", page), ["1: sentence of 41 words", "42: line of 125 columns"]
        )

    def test_comments_and_messages(self) -> None:
        source = (
            "// SPDX-License-Identifier: Apache-2.0\n"
            "// What it does.\n//\n//     Of a formula\nint x;  // of it\n"
            'f("The name is " "no name.");\n"there is no shape"\n'
            'log_->Info("Shapes were read");\nlog_->Info("TLS read");\n'
        )
        expected = ['2: sentence begins with "What"', '6: "is no name"', "8: log line"]
        self.assertEqual(found_in("server/a.cc", source), expected)

    def test_help(self) -> None:
        source = 'ABSL_FLAG(int, x, Of("How a"),\n  "How long " "it takes.");\na->add_flag("--of", b, "Of it")->x("Of");\nLIMIT(A, b, 3, "Of c.", "Of d.")\n'
        expected = ['2: help begins with "How"', '3: help begins with "Of"', '4: help begins with "Of"'] + ['4: help begins with "Of"']
        self.assertEqual(found_in("server/a.def", source), expected)

    def test_rpcs(self) -> None:
        proto = "// Returns a shape.\n// By name.\nrpc Get(A) returns (B);\n// The shapes.\nrpc List(A) returns (B);\n"
        self.assertEqual(found_in("proto/clearance/v1/a.proto", proto), ["4: comment of rpc List"])

    def test_first_lines_of_a_contract(self) -> None:
        head = "// A file\n// of shapes.\n\nsyntax = \"proto3\";\n\n"
        body = "// One sentence.\n// More.\nmessage A {\n  // A number that\n  // is odd.\n  int32 b = 1;\n}\n"
        self.assertEqual(found_in("proto/clearance/v1/a.proto", head + body), ["9: first line of a comment"])

    def test_docstrings(self) -> None:
        source = (
            '"""Two\nlines."""\ndef f():\n    """Finds it.\n\n    >>> f()\n    anew\n    """\n'
            'def g():\n    """The result."""\n@property\ndef h():\n    """The height."""\ndef _i():\n    """All."""\n'
            'raise ValueError("these are no weights")\n'
        )
        expected = ["1: first line of a docstring", "10: docstring of g", '16: "are no weights"']
        self.assertEqual(found_in("client/python/clearance/a.py", source), expected)
        self.assertEqual(found_in("client/python/clearance/_a.py", source), expected[2:])

    def test_terms_of_numpydoc_are_no_sentences(self) -> None:
        terms = "".join(f"    a{i} : int\n        The number {i} of the row.\n" for i in range(9))
        head = 'def f():\n    """Returns x.\n\n    Parameters\n    ----------\n'
        self.assertEqual(found_in("client/python/clearance/a.py", head + terms + '    """\n'), [])
        text = "        Word" + (" word" * 14 + "\n       ") * 3 + " anew.\n"
        source = head + terms + text + '    """\n'
        self.assertEqual(
            found_in("client/python/clearance/a.py", source), ['23: "anew"', "23: sentence of 44 words"]
        )

    def test_test_names(self) -> None:
        names = "TEST(A, {})\nTEST_F(A,\n  {})\n".format("x" * 50, "y" * 51)
        self.assertEqual(found_in("tests/a.cc", names), ["2: test name of 51 characters"])

    def test_figures_of_a_page(self) -> None:
        sentence = "Word " + "word " * 16 + "word.\n"
        median = ["1: median of the sentences is 18 words"]
        self.assertEqual(found_in("a.md", sentence * english.SENTENCES_OF_PAGE), median)
        self.assertEqual(found_in("a.md", sentence * (english.SENTENCES_OF_PAGE - 1)), [])


class Program(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def run_it(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, str(PROGRAM), "--folder", str(self.root), *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    def assert_fails(self, part: str, *arguments: str) -> None:
        result = self.run_it(*arguments)
        self.assertEqual(result.returncode, 1)
        self.assertIn(part, result.stderr)

    def assert_passes(self, *arguments: str) -> None:
        result = self.run_it(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_prints_each_finding_of_each_file(self) -> None:
        page = self.root / "a.md"
        page.write_text("Do it anew.\n\nNobody.\n")
        (self.root / "b.md").write_text("Do it again.\n")
        self.assert_fails('a.md:1: "anew"')
        self.assert_fails('a.md:3: "Nobody"')
        self.assertIn("2 files, 1 files or commits to correct", self.run_it().stdout)
        self.assert_passes("b.md")
        page.write_text("Do it again.\n")
        self.assert_passes()

    def test_judges_tables_of_settings(self) -> None:
        (self.root / "server").mkdir()
        (self.root / "server/a.def").write_text("// Do it anew.\n")
        self.assert_fails('a.def:1: "anew"')

    def git(self, *arguments: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, capture_output=True)

    @needs_git
    def test_subjects_of_commits(self) -> None:
        self.git("init", "-q")
        for subject in ("core: begin", "a" * 65, "a" * 66, "core: end."):
            self.git("commit", "-q", "--allow-empty", "-m", subject)
        self.assert_passes("--commits", "HEAD~3..HEAD~2")
        self.assert_fails("66 characters: at most 65", "--commits", "HEAD~2..HEAD~1")
        self.assert_fails("ends with a period: core: end.", "--commits", "HEAD~1..HEAD")
        self.assert_fails("git cannot list gone..HEAD", "--commits", "gone..HEAD")


if __name__ == "__main__":
    unittest.main()
