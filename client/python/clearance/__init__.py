# SPDX-License-Identifier: Apache-2.0
"""The client of a clearance server, with numpy in and out.

It asks for distances, intersections and times of collision of convex shapes and of whole scenes.
Begin with `connect`; `clearance.aio` is the same for asyncio. The names here are those that most
programs use. The modules have the others:

- `batches`: questions about pairs of shapes, and the columns that they can ask for.
- `client`: the connection, and what it says about server and registry.
- `errors`: the exceptions.
- `joint_motion`: proofs of the motions of an arm.
- `meshes`: mesh files.
- `picture`: pictures of answers, with matplotlib.
- `poses`: poses from and to matrices and objects of other libraries.
- `results`: answers about pairs of shapes.
- `scenes`: scenes, questions about them, and answers.
- `session`: streams of questions.
- `shapes`: shapes, and references to registered ones.
- `tracks`: the past of moving bodies.
- `verify`: proofs of answers in exact arithmetic."""

from clearance import (
    batches,
    errors,
    joint_motion,
    meshes,
    poses,
    results,
    scenes,
    session,
    shapes,
    tracks,
    verify,
)
from clearance._connection import ClientOptions, SessionOptions, TlsOptions
from clearance.batches import DistanceDetail
from clearance.client import Client, connect
from clearance.errors import ClearanceError
from clearance.results import MotionState, State
from clearance.scenes import SceneBodies, SceneChange, SceneSetting, Verdict
from clearance.session import Session
from clearance.shapes import (
    Box,
    ByDigest,
    ByName,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Ellipsoid,
    Hull,
    Piece,
    Point,
    Polygon,
    Segment,
    Sphere,
    Triangle,
)

__all__ = [
    "Box",
    "ByDigest",
    "ByName",
    "Capsule",
    "ClearanceError",
    "Client",
    "ClientOptions",
    "Compound",
    "Cone",
    "Cylinder",
    "DistanceDetail",
    "Ellipsoid",
    "Hull",
    "MotionState",
    "Piece",
    "Point",
    "Polygon",
    "SceneBodies",
    "SceneChange",
    "SceneSetting",
    "Segment",
    "Session",
    "SessionOptions",
    "Sphere",
    "State",
    "TlsOptions",
    "Triangle",
    "Verdict",
    "batches",
    "connect",
    "errors",
    "joint_motion",
    "meshes",
    "poses",
    "results",
    "scenes",
    "session",
    "shapes",
    "tracks",
    "verify",
]
