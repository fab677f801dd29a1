# SPDX-License-Identifier: Apache-2.0
"""Mesh files of every format and habit, made here. They are a tetrahedron with a stray point that
no face uses, and a box of quadrangles."""

from __future__ import annotations

import struct

from mesh_clients import Sample

TETRAHEDRON = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 9.5)]
RADIUS = 9.5
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
STRAY = (30.0, 30.0, 30.0)
POINTS = [*TETRAHEDRON, STRAY]


def _rows(rows) -> str:
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


def _obj() -> str:
    return _rows(("v", *p) for p in POINTS) + _rows(("f", *(i + 1 for i in f)) for f in FACES)


def _off() -> str:
    return f"OFF\n5 4 6\n{_rows(POINTS)}{_rows((3, *f) for f in FACES)}"


def _stl() -> str:
    facets = "".join(
        "facet normal nan nan nan\nouter loop\n"
        + _rows(("vertex", *TETRAHEDRON[i]) for i in face)
        + "endloop\nendfacet\n"
        for face in FACES
    )
    return f"solid a b\n{facets}endsolid a b\n"


def _binary_stl(header: bytes = b"binary") -> bytes:
    facets = b"".join(
        struct.pack("<12fH", 0, 0, 0, *(x for i in face for x in TETRAHEDRON[i]), 7)
        for face in FACES
    )
    return header.ljust(80, b"\0") + struct.pack("<I", len(FACES)) + facets


def ply_header(form: str, extra: str = "", lists: str = "") -> str:
    return (
        f"ply\nformat {form} 1.0\ncomment made here\nelement vertex 5\n{extra}"
        "property float x\nproperty double y\nproperty float32 z\nelement face 4\n"
        f"property list uchar int vertex_indices\n{lists}end_header\n"
    )


def _ply() -> str:
    return ply_header("ascii") + _rows(POINTS) + _rows((3, *f) for f in FACES)


def _binary_ply(order: str, name: str) -> bytes:
    points = b"".join(struct.pack(order + "Bfdf", 10, *p) for p in POINTS)
    faces = b"".join(struct.pack(order + "B3iB2f", 3, *f, 2, 0.5, 0.25) for f in FACES)
    extra, lists = "property uchar red\n", "property list uchar float texcoord\n"
    return ply_header(name, extra, lists).encode() + points + faces


def _mixed_ply() -> bytes:
    """Binary, with faces of three and four corners, and an element of lists behind them."""
    points = b"".join(struct.pack("<fdf", *p) for p in POINTS)
    faces = [*FACES[:3], (2, 0, 3, 2)]
    body = b"".join(struct.pack(f"<B{len(f)}i", len(f), *f) for f in faces)
    header = ply_header("binary_little_endian").replace(
        "end_header", "element strips 2\nproperty list ushort short links\nend_header"
    )
    links = struct.pack("<H2hH", 2, 4, 5, 0)
    return header.encode() + points + body + links


def _verbose_obj() -> str:
    """Returns a file with every habit of writers: a comment behind a face, colours, weights,
    texture corners, corners that count backwards, a line that goes on, groups, materials, names
    with a backslash."""
    return (
        "# made in C:\\meshes\\\nmtllib a.mtl\no part#1\nv 0 0 0 1\nv 1. 0 0 0.5 0.5 0.5\n"
        "v +0 1e0 -.0\nv 0 0 95E-1\nv 30 30 30 1 1 1 1\nvn 0 0 1\nvt 0 0\nusemtl C:\\a\\\ns off\n"
        "g one two\nf 1/1/1 3/1/1 2/1/1 # bottom\nf 1// 2// 4//\nf -4//1 -3//1 -2//1\nf 3 \\\n1 \\\n 4\n"
        "l 1 5\np 5\n"
    )


def samples() -> list[Sample]:
    """Returns the samples; each is the tetrahedron."""
    texts = {
        "plain.obj": _obj(),
        "verbose.obj": _verbose_obj(),
        "upper.OBJ": _obj().replace("\n", "\r\n"),
        "mac.obj": _obj().replace("\n", "\r"),
        "mark.obj": "\ufeff" + _obj(),
        "open_end.obj": _obj().rstrip("\n"),
        "plain.off": _off(),
        "one_line_head.off": _off().replace("OFF\n", "OFF ").replace("9.5", "9.5 # top"),
        "colours.off": _off().replace("OFF", "COFF").replace("0.0\n", "0.0 255 0 0 255\n"),
        "plain.stl": _stl(),
        "upper.stl": _stl().upper(),
        "two_solids.stl": _stl() + "\n" + _stl(),
        "plain.ply": _ply(),
        "windows.ply": _ply().replace("\n", "\r\n"),
    }
    binaries = {
        "binary.stl": _binary_stl(),
        "solid_header.stl": _binary_stl(b"solid of a writer that lies"),
        "little.ply": _binary_ply("<", "binary_little_endian"),
        "big.ply": _binary_ply(">", "binary_big_endian"),
        "mixed.ply": _mixed_ply(),
    }
    contents = {**{name: text.encode() for name, text in texts.items()}, **binaries}
    return [Sample(name, "." + name.split(".")[1], content) for name, content in contents.items()]


def faults() -> list[tuple[Sample, str]]:
    """Returns faulty files, each with the message about it."""
    obj, off, ply, stl = _obj(), _off(), _ply(), _stl()
    binary = _binary_ply("<", "binary_little_endian")
    cases: list[tuple[str, str | bytes, str]] = [
        ("obj", obj.replace("9.5", "1.#INF"), "line 4: '1.#INF' must be a finite number"),
        ("obj", obj.replace("9.5", "9#5"), "line 4: '9#5' must be a finite number"),
        ("obj", obj.replace("9.5", "nan"), "line 4: 'nan' must be a finite number"),
        ("obj", obj.replace("9.5", "1e999"), "line 4: '1e999' must be a finite number"),
        ("obj", obj.replace("9.5", "1_0"), "line 4: '1_0' must be a finite number"),
        ("obj", obj.replace("9.5", "9,5"), "line 4: '9,5' must be a finite number"),
        ("obj", obj.replace(" 9.5", ""), "line 4: a point has 2 numbers: must be 3, 4, 6 or 7"),
        ("obj", obj.replace("9.5", "9.5 2"), "line 4: a point has the weight '2': must be 1"),
        ("obj", obj + "f 1 2\n", "line 10: a face has 2 corners: must be at least 3"),
        ("obj", obj + "f 1 2 0\n", "line 10: a face names point 0: there are 5, counted from 1"),
        ("obj", obj + "f 1 2 -6\n", "line 10: a face names point -6: there are 5, counted from 1"),
        ("obj", obj + "f 1 2 6\n", "line 10: a face names point 6: there are 5, counted from 1"),
        ("obj", obj + "f 1 2 3.0\n",
         "line 10: '3.0' must be a corner: v, v/vt, v//vn or v/vt/vn"),
        ("obj", obj + "surf 0 1\n", "line 10: 'surf' is not a statement that is read"),
        ("obj", obj + "\x01'f\n", "line 10: '\\x01\\x27f' is not a statement that is read"),
        ("obj", "v 0 0 1\n" * 40 + "f 1 2 3",
         "line 41: the file may be cut within its last number: end it with a line end if it is whole"),
        ("obj", "v 0 0 1\nv 0 0 1",
         "line 2: the file may be cut within its last number: end it with a line end if it is whole"),
        ("obj", "", "the file has no points"),
        ("off", off.replace("OFF", "4OFF"), "line 1: '4OFF' must be OFF"),
        ("off", off.replace("5 4 6", "5 4"),
         "line 2: 2 counts: must be 3, of points, faces and edges"),
        ("off", off.replace("5 4 6", "5 -4 6"), "line 2: '-4' must be a count"),
        ("off", off.replace("5 4 6", "4 4 6"), "line 7: '30.0' must be a whole number"),
        ("off", off.replace("5 4 6", "5 3 6"),
         "line 11: the file goes on behind the last of the faces that it announces"),
        ("off", off.replace("5 4 6", "5 5 6"),
         "line 11: the file ends where face 4 of 5 must stand"),
        ("off", off.replace("3 0 1 3", "4 0 1 3"), "line 9: a face of 4 corners names 3"),
        ("off", off.replace("3 0 1 3", "3 0 1 5"),
         "line 9: a face names point 5: there are 5, counted from 0"),
        ("off", "OFF\n1000000000000 1 0\n0 0 0\n",
         "line 3: the file ends where point 1 of 1000000000000 must stand"),
        ("stl", stl.replace("endsolid", "endsoli"),
         "line 30: 'endsoli' stands where 'endsolid' must stand"),
        ("stl", stl.replace("9.5", "-1.#IND"), "line 13: '-1.#IND' must be a finite number"),
        ("stl", stl[: stl.index("endsolid")], "line 29: the file ends where 'endsolid' must stand"),
        ("stl", "solid\nendsolid\n", "the file has no triangles"),
        ("stl", _binary_stl()[:-1], "byte 80: 4 triangles are 284 bytes: the file has 283"),
        ("stl", _binary_stl() + b"\0", "byte 80: 4 triangles are 284 bytes: the file has 285"),
        ("stl", bytes(50), "the file has 50 bytes: a binary one has at least 84"),
        ("stl", _binary_stl()[:96] + b"\0\0\xc0\x7f" + _binary_stl()[100:],
         "byte 96: a coordinate must be a finite number"),
        ("ply", ply.replace("ply\n", "plz\n"), "line 1: the file must begin with ply"),
        ("ply", ply.replace("ascii 1.0", "ascii 2.0"),
         "line 2: the format must be ascii, binary_little_endian or binary_big_endian, and 1.0"),
        ("ply", ply.replace("end_header", "end_head"), "line 10: 'end_head' is not a statement of the header"),
        ("ply", "ply\nformat ascii 1.0\n", "line 3: the header must end with end_header"),
        ("ply", ply.replace("property float x\n", ""),
         "line 9: the element vertex has no property x"),
        ("ply", ply.replace("vertex_indices", "corners"),
         "line 10: the element face has no list vertex_indices of whole numbers"),
        ("ply", ply.replace("element face", "element tristrips"),
         "line 8: tristrips are not read: save the mesh with faces"),
        ("ply", ply.replace("element face 4", "element face 9000000"),
         "line 19: the file ends where item 4 of 9000000 of 'face' must stand"),
        ("ply", ply.replace("element face 4", "element face 3"),
         "line 19: the file goes on behind the last item that it announces"),
        ("ply", ply.replace("3 0 1 3", "3 0 1 3 9"), "line 17: 5 words: the header declares 4"),
        ("ply", ply.replace("3 0 1 3", "3 0 1 -1"),
         "line 17: a face names point -1: there are 5, counted from 0"),
        ("ply", binary[:-1],
         f"byte {len(binary) - 8}: 4 items of 'face' do not fit into the 7 bytes that are left"),
        ("ply", binary + b"\n", f"byte {len(binary)}: 1 bytes are left behind the last item"),
        ("ply", binary.replace(b"element vertex 5", b"element vertex 999999999999999999"),
         f"byte {len(binary) + 17 - 17 * 5 - 22 * 4}: 999999999999999999 items of 'vertex' do not fit into the"
         f" {17 * 5 + 22 * 4} bytes that are left"),
        ("dae", "<COLLADA/>", "'.dae' is not read: must be .obj, .stl, .ply or .off; convert the"
         " file, with its units and axes applied"),
    ]
    made = []
    for i, (extension, content, message) in enumerate(cases):
        raw = content.encode() if isinstance(content, str) else content
        made.append((Sample(f"fault {i}", f".{extension}", raw), message))
    return made
