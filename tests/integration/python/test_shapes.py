# SPDX-License-Identifier: Apache-2.0
"""Mesh files, mesh objects and poses, without a server. A cube of side 2 in every format."""

import os
import pathlib
import struct
import tempfile
import types
import unittest
import warnings

import numpy as np

import clearance
from clearance import _encode, _messages, _scene_convert, _schema, _tracks, meshes, poses

CUBE = clearance.shapes.body_vertices(clearance.Box((1, 1, 1)))
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    + [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)
STRAY = np.vstack((CUBE, [[9, 9, 9]]))  # no face uses the last

# A tetrahedron whose slanted face is pushed in: six tenths of it are left.
HOLLOW = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
v 0.2 0.2 0.2
f 1 3 2
f 1 2 4
f 3 1 4
f 2 3 5
f 3 4 5
f 4 2 5
"""


def lines(rows) -> str:
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


def ply_head(form: str, number: str) -> str:
    axes = "".join(f"property {number} {axis}\n" for axis in "xyz")
    return (
        f"ply\nformat {form} 1.0\ncomment a cube\nelement vertex 9\n{axes}"
        f"element face {len(FACES)}\nproperty list uchar int vertex_indices\nend_header\n"
    )


def files() -> dict[str, bytes]:
    threes = lines([3, *face] for face in FACES)
    stl = b"".join(struct.pack("<12fH", 0, 0, 0, *CUBE[face].ravel(), 0) for face in FACES)
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex " + lines([corner]) for corner in CUBE[face])
        + "endloop\nendfacet\n"
        for face in FACES
    )
    obj_faces = "".join("f " + " ".join(f"{i + 1}//1" for i in face) + "\n" for face in FACES)
    return {
        "cube.obj": ("# cube\n" + "".join("v " + lines([v]) for v in STRAY) + obj_faces).encode(),
        "cube.off": f"OFF\n9 {len(FACES)} 0\n{lines(STRAY)}{threes}".encode(),
        "ascii.stl": f"solid cube\n{facets}endsolid\n".encode(),
        "binary.stl": bytes(80) + struct.pack("<I", len(FACES)) + stl,
        "ascii.ply": (ply_head("ascii", "double") + lines(STRAY) + threes).encode(),
        **{
            f"{name}.ply": ply_head(f"binary_{name}_endian", "double").encode()
            + STRAY.astype(order + "f8").tobytes()
            + b"".join(struct.pack(order + "B3i", 3, *face) for face in FACES)
            for name, order in (("little", "<"), ("big", ">"))
        },
    }


class Meshes(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_every_format_has_the_corners_that_faces_use(self) -> None:
        for name, content in files().items():
            with self.subTest(file=name):
                (self.folder / name).write_bytes(content)
                hull = clearance.Hull.from_file(self.folder / name, scale=0.5)
                found = sorted(map(tuple, hull.vertices))
                self.assertEqual(found, sorted(map(tuple, 0.5 * CUBE)))

    def test_units_stand_for_a_scale(self) -> None:
        path = self.folder / "cube.obj"
        path.write_bytes(files()["cube.obj"])
        for units, factor in (("m", 1), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254)):
            for make in (clearance.Hull, clearance.Compound):
                found = make.from_file(path, units=units)
                hull = found if make is clearance.Hull else found.pieces[0].shape
                expected = clearance.Hull.from_file(path, scale=factor)
                np.testing.assert_array_equal(hull.vertices, expected.vertices)
        for scale, units in ((1, "km"), (2, "mm"), ((1, 1, -1), "mm")):
            for make in (clearance.Hull, clearance.Compound):
                with self.assertRaisesRegex(clearance.errors.InvalidArgument, "units must be"):
                    make.from_file(path, scale=scale, units=units)

    def test_full_precision(self) -> None:
        (self.folder / "t.obj").write_text("v 0.1 0 0\nv 0 1 0\nv 0 0 1\nf -3 -2 -1\n")
        self.assertEqual(meshes.read_mesh(self.folder / "t.obj").vertices[0, 0], 0.1)

    def test_what_is_no_mesh_is_refused(self) -> None:
        # tests/integration/meshes tests the message of each fault of each format.
        for name, content, message in (
            ("far.obj", b"v 0 0 0\nf 1 2 3\n", "line 2: a face names point 2"),
            ("cut.ply", files()["little.ply"][:-5], "byte 548: 12 items of 'face' do not fit"),
            ("mesh.step", b"", "'.step' is not read"),
        ):
            (self.folder / name).write_bytes(content)
            with self.subTest(file=name), self.assertRaises(
                clearance.errors.InvalidArgument
            ) as caught:
                meshes.read_mesh(self.folder / name)
            self.assertIn(f"{name}: {message}", str(caught.exception))
        with self.assertRaises(FileNotFoundError):
            meshes.read_mesh(self.folder / "absent.obj")
        os.mkfifo(self.folder / "pipe.obj")
        with self.assertRaisesRegex(clearance.errors.InvalidArgument, "it is not a regular file"):
            meshes.read_mesh(self.folder / "pipe.obj")
        for scale in (0, np.inf, [1, 2]):
            with self.assertRaisesRegex(
                clearance.errors.InvalidArgument, "must be a finite number"
            ):
                meshes.read_mesh(self.folder / "far.obj", scale)

    def test_a_hollow_is_told_of(self) -> None:
        (self.folder / "hollow.obj").write_text(HOLLOW)
        path = self.folder / "hollow.obj"
        with self.assertWarnsRegex(
            clearance.errors.HollowWarning,
            r"encloses 0\.1 m\^3, its convex hull 0\.167 m\^3 \(1\.67 times",
        ) as caught:
            clearance.Hull.from_file(path)
        self.assertEqual(pathlib.Path(caught.filename), pathlib.Path(__file__))
        mesh = meshes.read_mesh(path)
        arrays = types.SimpleNamespace(vertices=mesh.vertices, faces=mesh.triangles)
        decompose = "the hull: decompose it first .for example with CoACD or V-HACD., or concave="
        self.assertRegex(str(caught.warning), decompose)
        with self.assertWarnsRegex(clearance.errors.HollowWarning, decompose):
            clearance.Hull.from_mesh(arrays)
        with self.assertWarnsRegex(clearance.errors.HollowWarning, decompose):
            clearance.Compound.from_file(path)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            clearance.Hull.from_file(path, concave="hull")
            clearance.Hull.from_mesh(arrays, concave="hull")
            clearance.Compound.from_file(path, concave="hull")
        for value, limit in (("mesh", "not supported yet"), ("parts", "Compound.from_file takes")):
            for make, source in (
                (clearance.Hull.from_file, path),
                (clearance.Hull.from_mesh, arrays),
            ):
                with self.assertRaises(clearance.errors.InvalidArgument) as refused:
                    make(source, concave=value)
                self.assertIn(limit, str(refused.exception))

    def test_parts_become_pieces(self) -> None:
        second = "".join("v " + lines([v + [5, 0, 0]]) for v in CUBE)
        faces = "".join("f " + lines([face + 6]) for face in FACES)
        (self.folder / "two.obj").write_text(HOLLOW + "o cube\n" + second + faces)
        with self.assertWarnsRegex(
            clearance.errors.HollowWarning,
            "2 separate surfaces.*: Compound.from_file takes the mesh apart, or",
        ):
            clearance.Hull.from_file(self.folder / "two.obj")
        with self.assertWarns(clearance.errors.HollowWarning) as caught:
            path = self.folder / "two.obj"
            compound = clearance.Compound.from_file(path, swept_sphere_radius=0.5, scale=2)
        self.assertEqual(len(caught.warnings), 1)
        np.testing.assert_array_equal(
            compound.pieces[1].shape.vertices, 2 * CUBE + np.array([10, 0, 0])
        )
        self.assertEqual(compound.pieces[1].shape.swept_sphere_radius, 0.5)

    def test_patches_of_a_surface_are_no_pieces(self) -> None:
        whole = files()["cube.obj"].decode().replace("f ", "g one\nf ", 1)
        at = whole.rindex("f ")
        (self.folder / "patches.obj").write_text(whole[:at] + "g two\n" + whole[at:])
        with self.assertRaisesRegex(clearance.errors.InvalidArgument, "patch of a closed surface"):
            clearance.Compound.from_file(self.folder / "patches.obj")
        whole = HOLLOW.replace("\nf ", "\ng one\nf ", 1)
        at = whole.rindex("f ")
        (self.folder / "hollow.obj").write_text(whole[:at] + "g two\n" + whole[at:])
        with self.assertWarnsRegex(clearance.errors.HollowWarning, "hull: decompose it first"):
            clearance.Hull.from_file(self.folder / "hollow.obj")

    def test_objects_that_look_like_trimesh(self) -> None:
        mesh = types.SimpleNamespace(vertices=STRAY, faces=FACES)
        np.testing.assert_array_equal(clearance.Hull.from_mesh(mesh).vertices, CUBE)
        with self.assertRaisesRegex(
            clearance.errors.InvalidArgument, "face 0: a face names point 9"
        ):
            clearance.Hull.from_mesh(types.SimpleNamespace(vertices=CUBE, faces=[[0, 1, 9]]))
        cloud = types.SimpleNamespace(vertices=CUBE.tolist())
        np.testing.assert_array_equal(clearance.Hull.from_mesh(cloud, scale=2).vertices, 2 * CUBE)

    def test_poses_and_matrices(self) -> None:
        random = np.random.default_rng(3)
        quaternions = random.normal(size=(5, 40, 4))
        quaternions[0] = np.eye(4)[np.arange(40) % 4]  # half turns and none
        quaternions /= np.linalg.norm(quaternions, axis=-1, keepdims=True)
        where = poses.pose(random.normal(size=(40, 3)), quaternions)
        matrices = poses.to_matrix(where)
        points = random.normal(size=(40, 3))
        moved = (matrices @ np.append(points, np.ones((40, 1)), axis=1)[..., None])[..., :3, 0]
        np.testing.assert_allclose(poses.transform(where, points), moved, atol=1e-12)
        back = poses.as_poses(matrices)
        signs = np.sign((back[..., 3:] * quaternions).sum(-1, keepdims=True))
        np.testing.assert_allclose(back[..., 3:] * signs, quaternions, atol=1e-12)
        np.testing.assert_array_equal(back[..., :3], where[..., :3])
        self.assertIs(poses.as_poses(where), where)

    def test_what_is_no_pose_is_refused(self) -> None:
        shear = np.eye(4)
        shear[0, 1] = 1e-5
        moved = np.eye(4)
        moved[3, 0] = 1
        turned = types.SimpleNamespace(rotation=np.eye(4), translation=[0, 0, 0])
        for wrong, value, limit in (
            (np.diag([1, 1, -1, 1]), "a reflection", "mirror the shape"),
            (2 * np.eye(4), "last row", "0 0 0 1"),
            (np.diag([2, 2, 2, 1]), "off by 3", "take scale and shear out"),
            (shear, "off by 1e-05", "orthonormalize"),
            (moved, "last row [1. 0. 0. 1.]", "translation in the last column"),
            (np.full((4, 4), np.nan), "last row", "rigid"),
            (np.zeros((3, 5)), "shape (3, 5)", "(..., 7): x y z qx qy qz qw"),
            ("here", "str", "numbers"),
            (turned, "shape (4, 4)", "as_quat()"),
        ):
            with self.subTest(wrong=wrong), self.assertRaises(
                clearance.errors.InvalidArgument
            ) as caught:
                poses.as_poses(wrong, "poses_b")
            self.assertEqual(caught.exception.field, "poses_b")
            self.assertIn(value, str(caught.exception))
            self.assertIn(limit, str(caught.exception))

    def test_objects_of_other_libraries_are_poses(self) -> None:
        turn = np.array([0, 0, np.sqrt(0.5), np.sqrt(0.5)])
        where = poses.pose([1, 2, 3], turn)
        matrix = poses.to_matrix(where)
        pinocchio = types.SimpleNamespace(rotation=matrix[:3, :3], translation=matrix[:3, 3])
        for rotation in (
            types.SimpleNamespace(as_quat=lambda: turn),
            types.SimpleNamespace(as_matrix=lambda: matrix[:3, :3]),
        ):
            scipy = types.SimpleNamespace(rotation=rotation, translation=[1, 2, 3])
            np.testing.assert_allclose(poses.as_poses(scipy), where, atol=1e-15)
            np.testing.assert_allclose(poses.as_poses([scipy, pinocchio]), [where] * 2, atol=1e-15)
        arm = np.array([[pinocchio, pinocchio]], object)
        np.testing.assert_allclose(poses.as_poses(arm), [[where] * 2], atol=1e-15)
        np.testing.assert_allclose(poses.transform(pinocchio, [1, 0, 0]), [1, 3, 3], atol=1e-12)

    def test_every_message_takes_them(self) -> None:
        where = poses.pose([[1, 2, 3], [4, 5, 6]])
        matrices = poses.to_matrix(where)
        objects = [
            types.SimpleNamespace(rotation=m[:3, :3], translation=m[:3, 3]) for m in matrices
        ]
        pair = clearance.batches.DistanceBatch
        motion = clearance.batches.TimeOfCollisionBatch
        check, bodies = clearance.scenes.CheckBatch, clearance.SceneBodies
        moved = clearance.scenes.ScenePoses
        for make in (
            lambda given: self.columns(pair(poses_a=given, poses_b=given)),
            lambda given: self.columns(motion(end_poses_a=given, end_poses_b=given)),
            lambda given: self.columns(check(poses=given)),
            lambda given: self.columns(clearance.scenes.SweepBatch(end_poses=given)),
            lambda given: self.columns(clearance.scenes.OverlapBatch(poses=given)),
            lambda given: self.message("SceneChange", bodies=bodies(ids=[1, 2], poses=given)),
            lambda given: self.message("SceneChange", poses=moved(ids=[1, 2], poses=given)),
            lambda given: self.piece(given[1]),
            lambda given: self.tick(given),
        ):
            self.assertEqual(make(matrices), make(where))
            self.assertEqual(make(objects), make(where))

    @staticmethod
    def columns(batch: clearance.batches.BatchRows) -> dict[str, list]:
        return {name: a.tolist() for name, a in _encode.Layout.of(batch).columns.items()}

    @staticmethod
    def message(name: str, **content) -> bytes:
        message = _schema.message(name)()
        _scene_convert.fill_change(clearance.SceneChange(**content), message)
        return message.SerializeToString()

    @staticmethod
    def tick(where) -> bytes:
        message = _schema.message("SessionRequest")()
        _messages.fill_single(_tracks.PublishTick(1, where), message)
        return message.SerializeToString()

    @staticmethod
    def piece(where) -> bytes:
        message = _schema.message("Shape")()
        piece = clearance.Piece(clearance.Sphere(1), where)
        _encode.fill_shape(clearance.Compound([piece]), message)
        return message.SerializeToString()

    def test_points_have_three_coordinates(self) -> None:
        with self.assertRaises(clearance.errors.InvalidArgument):
            clearance.Hull([[0, 0], [1, 1]])


if __name__ == "__main__":
    unittest.main()
