# SPDX-License-Identifier: Apache-2.0
"""Mesh files, read by the C++ client, the Python client and the command line. The right results are
known by construction, or from the table of ../shared/data/mesh_files."""

import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

from mesh_clients import Reading, Sample, read_in_cpp, read_in_python
from mesh_samples import RADIUS, TETRAHEDRON, faults, samples
from server import Server

import clearance

SHARED = pathlib.Path(os.environ["CLEARANCE_ROOT"]).parent / "shared/data"
DEBIAN = pathlib.Path("/usr/share/assimp/models")
CLI = os.environ["CLEARANCE_CLI"]
EXTENSIONS = (".obj", ".stl", ".ply", ".off")
MOST_MEMORY = 256 << 20  # of a reader's process, bytes of addresses
CUTS = 25
SEED = 20261129

# Expected for ../shared/data/mesh_files: the radius about the origin, or a part of the refusal.
RIGHT = {
    "a1_leading_dot.obj": 1.0,
    "a2_missing_vt.obj": 9.5,
    "a4_bom.obj": 9.5,
    "a6_face_out_of_range.off": "line 11: a face names point 7",
    "a7_truncated_ascii.ply": "line 14: the file ends",
    "a9_tristrips.ply": "tristrips are not read",
    "a10_msvc_nan.stl": "line 13: '-1.#IND' must be a finite number",
    "b2_valid_first_byte_lf_cube.ply": 1.535716963205773,
    "b3_truncated.off": "line 10: the file ends",
    "b4_header_only.ply": "line 3: the header must end",
    "b5_huge_count.off": "line 6: the file ends",
    "c1_z_up.dae": "'.dae' is not read",
    "d1_upper.stl": 9.5,
    "d3_tail_comment.obj": 9.5,
    "d4_points_only.obj": 9.5,
    "e1_tube_16_parts.obj": 0.22360679774997896,
    "p1_undeclared_colours.ply": "line 14: 7 words",
    "p2_truncated_ascii.stl": "line 12: the file ends",
    "p4_short.off": "line 2: 2 counts",
}


def files_below(folder: pathlib.Path, extensions=EXTENSIONS) -> list[Sample]:
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in extensions)
    return [Sample(str(p.relative_to(folder)), p.suffix, p.read_bytes()) for p in paths]


def shared_files(folder: str = "") -> list[Sample]:
    if not SHARED.is_dir():
        raise unittest.SkipTest("SKIPPED: no data sets in ../shared/data")
    return files_below(SHARED / folder, (*EXTENSIONS, ".dae"))


class Readings(unittest.TestCase):
    def read(self, files: list[Sample]) -> list[Reading]:
        """Returns both clients' readings of the files, which must be the same."""
        readings = read_in_cpp(files, MOST_MEMORY)
        for sample, reading in zip(files, readings, strict=True):
            with self.subTest(file=sample.name):
                self.assertEqual(read_in_python(sample), reading)
        return readings


class Formats(Readings):
    def test_every_habit_of_writers_is_read(self) -> None:
        files = samples()
        for sample, reading in zip(files, self.read(files), strict=True):
            with self.subTest(file=sample.name):
                self.assertEqual(reading.refusal, "")
                self.assertEqual(sorted(map(tuple, reading.vertices)), sorted(TETRAHEDRON))
                self.assertEqual(reading.warning, "")

    def test_every_fault_is_named(self) -> None:
        cases = faults()
        readings = self.read([sample for sample, _ in cases])
        for (sample, message), reading in zip(cases, readings, strict=True):
            with self.subTest(file=sample.name, content=sample.content[:40]):
                self.assertEqual(reading.refusal, message)


class Concave(unittest.TestCase):
    def test_warnings_have_the_words_of_the_command_line(self) -> None:
        dent = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.2 0.2 0.2\n" + "".join(
            f"f {face}\n" for face in ("1 3 2", "1 2 4", "3 1 4", "2 3 5", "3 4 5", "4 2 5")
        )
        advice = (("Compound.from_file", "--parts"), ('concave="hull"', "--hull"))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "dent.obj")
            path.write_text(dent)
            for make, flags in ((clearance.Hull, ()), (clearance.Compound, ("--parts",))):
                command = [CLI, "--addr", "unix:/absent", "register", "dent", path, *flags]
                said = subprocess.run(command, capture_output=True, text=True).stderr
                with self.assertWarns(clearance.errors.HollowWarning) as caught:
                    make.from_file(path)
                words = str(caught.warning)
                for ours, theirs in advice:
                    words = words.replace(ours, theirs)
                self.assertIn(f"warning: {words}\n", said)


class Damaged(Readings):
    """A file that was cut or changed is refused, or read as it is now, by both clients alike."""

    def judge(self, files: list[Sample]) -> None:
        readings = self.read(files)
        refused = sum(bool(reading.refusal) for reading in readings)
        share = refused / len(files)
        print(f"seed {SEED}: {len(files)} files, {share:.0%} refused", flush=True)
        self.assertGreater(share, 0.3)
        self.assertLess(share, 0.99)

    def test_by_cuts(self) -> None:
        files = [s for s in samples() + self.small_shared_files() if s.content]
        self.judge(
            [
                Sample(f"{s.name} cut at {at}", s.extension, s.content[:at])
                for s in files
                for at in {len(s.content) * i // CUTS for i in range(CUTS)}
            ]
        )

    def test_by_changed_bytes(self) -> None:
        generator = random.Random(SEED)
        damaged = []
        for sample in samples() * 25:
            content = bytearray(sample.content)
            for _ in range(generator.randint(1, 3)):
                content[generator.randrange(len(content))] = generator.randrange(256)
            damaged.append(Sample(f"{sample.name} changed", sample.extension, bytes(content)))
        self.judge(damaged)

    def test_by_random_numbers(self) -> None:
        """Numbers of every length: both clients round as IEEE 754 says."""
        generator = random.Random(SEED)

        def digits(most: int) -> str:
            return "".join(generator.choices("0123456789", k=generator.randint(1, most)))

        def number() -> str:
            mantissas = [f"{digits(30)}.{digits(30)}", f".{digits(40)}", digits(20)]
            return (
                generator.choice(["", "-", "+"])
                + generator.choice(mantissas)
                + generator.choice(["", f"e{generator.randint(-360, 260)}"])
            )

        text = "".join(f"v {number()} {number()} {number()}\n" for _ in range(5000))
        (reading,) = self.read([Sample("numbers.obj", ".obj", text.encode())])
        self.assertEqual(reading.refusal, "")
        self.assertEqual(len(reading.vertices), 5000)
        print(f"seed {SEED}: 15000 numbers", flush=True)

    @staticmethod
    def small_shared_files() -> list[Sample]:
        folder = SHARED / "mesh_files"
        return files_below(folder) if folder.is_dir() else []


class Wild(Readings):
    def test_files_of_robots_and_maps(self) -> None:
        readings = self.read(shared_files())
        self.assertGreater(sum(not reading.refusal for reading in readings), 50)

    def test_files_of_debian(self) -> None:
        if not DEBIAN.is_dir():
            self.skipTest("SKIPPED: needs the Debian package assimp-testmodels (./dev install meshes)")
        readings = self.read(files_below(DEBIAN))
        self.assertGreater(sum(not reading.refusal for reading in readings), 30)


class SharedTable(Readings):
    """../shared/data/mesh_files, read by each client."""

    def setUp(self) -> None:
        self.files = {s.name: s for s in shared_files("mesh_files") if "/" not in s.name}

    def assert_right(self, name: str, radius: float | None, refusal: str) -> None:
        right = RIGHT[name]
        if isinstance(right, str):
            self.assertIn(right, refusal)
        else:
            self.assertEqual(refusal, "")
            self.assertAlmostEqual(radius, right, 12)

    def test_of_cpp_and_python(self) -> None:
        self.assertEqual(sorted(self.files), sorted(RIGHT))
        readings = self.read(list(self.files.values()))
        for name, reading in zip(self.files, readings, strict=True):
            with self.subTest(file=name):
                self.assert_right(name, None if reading.refusal else reading.radius, reading.refusal)

    def test_of_the_command_line(self) -> None:
        server = Server()
        self.addCleanup(server.end)
        for i, name in enumerate(self.files):
            path = str(SHARED / "mesh_files" / name)
            command = [CLI, "--addr", server.address, "--json", "register", f"shape{i}", path]
            run = subprocess.run(command, capture_output=True, text=True)
            shape = json.loads(run.stdout)["info"] if run.returncode == 0 else {}
            with self.subTest(file=name):
                self.assertIn(run.returncode, (0, 2))
                refusal = run.stderr if run.returncode else ""
                self.assert_right(name, shape.get("bounding_radius"), refusal)
        listed = subprocess.run(
            [CLI, "--addr", server.address, "--json", "list"], capture_output=True, text=True
        )
        read = sum(isinstance(right, float) for right in RIGHT.values())
        self.assertEqual(len(json.loads(listed.stdout)), read)

    def test_of_a_tube(self) -> None:
        """A tube of 16 parts: a ball that passes through its bore is free of the parts, not of the
        hull."""
        server = Server()
        self.addCleanup(server.end)
        tube = str(SHARED / "mesh_files/e1_tube_16_parts.obj")
        ball = '{"sphere": {"radius": 0.04}}'
        ask = [CLI, "--addr", server.address, "--json", "distance", tube, ball]
        hull = subprocess.run(ask, capture_output=True, text=True)
        self.assertIn("the mesh is not convex", hull.stderr)
        self.assertEqual(hull.returncode, 1)
        parts = subprocess.run([*ask, "--parts"], capture_output=True, text=True)
        self.assertEqual((parts.returncode, parts.stderr), (0, ""))
        self.assertIn("0.018847", parts.stdout)

    def test_of_names_that_fold_to_one(self) -> None:
        server = Server()
        self.addCleanup(server.end)
        folder = SHARED / "mesh_files/f1_same_name"
        run = subprocess.run(
            [CLI, "--addr", server.address, "--json", "scene", "import", "cell", str(folder)]
            + [str(SHARED / "mesh_files/f1_same_name.json")],
            capture_output=True,
            text=True,
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        listed = subprocess.run(
            [CLI, "--addr", server.address, "--json", "list"], capture_output=True, text=True
        )
        names = [shape["name"] for shape in json.loads(listed.stdout)]
        self.assertEqual(names, ["cell/part-1.obj", "cell/part-1.obj-2"])


if __name__ == "__main__":
    unittest.main()
