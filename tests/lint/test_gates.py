# SPDX-License-Identifier: Apache-2.0
"""Tests that gates.py finds what breaks its rules, and nothing else, in trees made for that."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

GATES = pathlib.Path(__file__).resolve().parent / "gates.py"
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


class GatesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("README.md", "# Title\n\nSee [here](#title).\n")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def gates(self) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, GATES, self.root], capture_output=True, text=True)

    def assert_clean(self) -> None:
        result = self.gates()
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def assert_found(self, *places: str) -> None:
        result = self.gates()
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        found = [line.strip() for line in result.stderr.splitlines() if line.startswith("  ")]
        self.assertEqual(found, list(places))

    def test_tolerances_are_allowed_in_one_file(self) -> None:
        self.write("core/math/tolerance.h", LICENCE + "constexpr double kSmall = 1e-9;\n")
        self.write("core/a.cc", LICENCE + "double d = 0x1.5bf0a8p-2;  // about 1e-1\n")
        self.write("server/a.cc", LICENCE + "double d = 1e-9;\n")
        self.assert_clean()

    def test_tolerance_elsewhere_in_core(self) -> None:
        self.write("core/a.cc", LICENCE + "double d = 1e-9;\ndouble e = 0x1p-3;\n")
        self.assert_found("core/a.cc:2: double d = 1e-9;", "core/a.cc:3: double e = 0x1p-3;")

    def test_threads_in_core(self) -> None:
        self.write("core/a.h", LICENCE + "#include <atomic>\n")
        self.write("core/b.h", LICENCE + "thread_local int x;\n")
        self.write("core/broad/recycling_allocator.h", LICENCE + "thread_local int x;\n")
        self.assert_found("core/a.h:2: #include <atomic>", "core/b.h:2: thread_local int x;")

    def test_transport_elsewhere_in_the_server(self) -> None:
        self.write("server/transport/a.cc", LICENCE + "#include <grpcpp/grpcpp.h>\n")
        self.write("server/etcd/a.cc", LICENCE + "#include <grpcpp/grpcpp.h>\n")
        self.write("server/session/a.cc", LICENCE + "#include <grpcpp/alarm.h>\n")
        self.write("server/fence/a.h", LICENCE + '#include "server/transport/call.h"\n')
        self.assert_found(
            'server/fence/a.h:2: #include "server/transport/call.h"',
            "server/session/a.cc:2: #include <grpcpp/alarm.h>",
        )

    def test_optional_parts_elsewhere_in_the_server(self) -> None:
        self.write("server/app/a.cc", LICENCE + '#include "server/fence/listener.h"\n')
        self.write("server/etcd/a.cc", LICENCE + '#include "server/etcd/etcd_values.h"\n')
        self.write("server/guard/a.h", LICENCE + '#include "server/etcd/etcd_values.h"\n')
        self.write("server/session/a.cc", LICENCE + '#include "server/fence/listener.h"\n')
        self.assert_found(
            'server/guard/a.h:2: #include "server/etcd/etcd_values.h"',
            'server/session/a.cc:2: #include "server/fence/listener.h"',
        )

    def test_unfinished_words(self) -> None:
        self.write("docker/page", "TO" + "DO: later\n" + "TO" + "DOS\n")
        self.assert_found("docker/page:1: TO" + "DO: later")

    def test_licence_line(self) -> None:
        self.write("tests/a.py", '"""No licence."""\n')
        self.write("tests/b.sh", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n")
        self.write("tests/c.csv", "1,2\n")
        self.assert_found("tests/a.py")

    def test_machine_paths(self) -> None:
        self.write(
            "a.txt",
            "cd /" + "work/x\nserver/work/queue\n-v x:/" + "root/.cache/ccache\n/" + "root/y\n",
        )
        self.assert_found("a.txt:1: /" + "work/x", "a.txt:4: /" + "root/y")

    def test_skips(self) -> None:
        cpp, python = "GTEST_" + "SKIP()", "self.skip" + "Test("
        good = f'{cpp} << "SKIPPED: x";\n{cpp}\n    << test::kNoDataSets;\n'
        self.write("tests/a.cc", LICENCE + good + f'{cpp} << "x";\n{cpp};\n')
        good = f'{python}"SKIPPED: x")\n{python}\n    f"SKIPPED: x")\n'
        self.write("tests/b.py", LICENCE + good + f'{python}"x")\n{python}reason)\n')
        self.write("tests/c.sh", LICENCE.replace("//", "#") + "exit " + "77\n")
        self.write("tests/d.sh", LICENCE.replace("//", "#") + "echo 'SKIPPED: x'\nexit " + "77\n")
        self.write("tests/e.cc", LICENCE + "constexpr int kSkipped = " + "77;\n")
        self.assert_found(
            f'tests/a.cc:5: {cpp} << "x";',
            f"tests/a.cc:6: {cpp};",
            f'tests/b.py:5: {python}"x")',
            f"tests/b.py:6: {python}reason)",
            "tests/c.sh:2: exit " + "77",
            "tests/e.cc:2: constexpr int kSkipped = " + "77;",
        )

    def test_links(self) -> None:
        self.write(
            "docs/page.md",
            "[a](../README.md#title) [b](../README.md#other) [c](gone.md) [d](https://x)\n",
        )
        self.assert_found(
            "docs/page.md: ../README.md#other: no such heading",
            "docs/page.md: gone.md: no such file",
        )

    def test_what_is_built_is_not_looked_at(self) -> None:
        self.write("build/core/a.h", "TO" + "DO\n")
        self.write("client/node_modules/a.js", "TO" + "DO\n")
        self.assert_clean()

    def test_empty_folder(self) -> None:
        (self.root / "README.md").unlink()
        result = self.gates()
        self.assertEqual(result.returncode, 2)
        self.assertIn("no files in", result.stderr)


if __name__ == "__main__":
    unittest.main()
