# SPDX-License-Identifier: Apache-2.0
"""The contents of a kept registry, and everything that a caller can see of it as plain JSON
values."""

from __future__ import annotations

import dataclasses
import enum
import json
from typing import Any

import numpy as np

import clearance
from clearance import SceneBodies, SceneChange, poses
from clearance.scenes import PairRuleKind, ScenePairRules, ScenePoses

OWNER = "planner"


def points_on_a_sphere(count: int) -> np.ndarray:
    height = 1 - (2 * np.arange(count) + 1) / count
    angle = np.pi * (3 - np.sqrt(5)) * np.arange(count)
    across = np.sqrt(1 - height**2)
    return 0.2 * np.stack([across * np.cos(angle), across * np.sin(angle), height], axis=-1)


def shapes() -> dict[str, Any]:
    box = clearance.Box((0.1, 0.2, 0.3), 0.01)
    capsule = clearance.Capsule(0.05, 0.2)
    raised = (0.0, 0.0, 0.5, 0.0, 0.6, 0.0, 0.8)
    return {
        "box": box,
        "capsule": capsule,
        "compound": clearance.Compound([clearance.Piece(box), clearance.Piece(capsule, raised)]),
        "cone": clearance.Cone(0.1, 0.2, 0.01),
        "cylinder": clearance.Cylinder(0.1, 0.2),
        "ellipsoid": clearance.Ellipsoid((0.1, 0.2, 0.3)),
        "hull": clearance.Hull(points_on_a_sphere(12), 0.02),
        "large_hull": clearance.Hull(points_on_a_sphere(140)),
        "point": clearance.Point(0.1),
        "polygon": clearance.Polygon([[0, 0], [0.2, 0], [0.3, 0.2], [0, 0.2]]),
        "segment": clearance.Segment((0, 0, 0), (0, 0, 0.4)),
        "sphere": clearance.Sphere(0.25),
        "triangle": clearance.Triangle((0, 0, 0), (0.3, 0, 0), (0, 0.3, 0)),
    }


def fill_shapes(client: clearance.Client) -> None:
    for name, shape in shapes().items():
        client.register(f"kinds/{name}", shape)
    client.register("second/box", shapes()["box"])
    client.register("replaced", clearance.Sphere(1))
    client.register("replaced", clearance.Box((1, 2, 3)), replace=True)
    client.register("deleted", clearance.Sphere(2))
    client.delete("deleted")


def fill_scenes(client: clearance.Client) -> None:
    bodies = SceneBodies(
        ids=[1, 2, 3, 7],
        shapes=["kinds/box", "kinds/compound", "kinds/large_hull"],
        shape_slots=[0, 1, 2, 0],
        poses=poses.pose([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]),
        groups=[1, 2, 4, 1],
        masks=[7, 7, 6, 7],
        margins=[0.0, 0.01, 0.02, 0.0],
    )
    rules = ScenePairRules(
        bodies_a=[1, 2],
        bodies_b=[2, 3],
        kinds=[PairRuleKind.MAY_TOUCH, PairRuleKind.MARGIN],
        margins=[0.0, 0.125],
    )
    client.scenes.create("cell", SceneChange(bodies=bodies, rules=rules))
    client.scenes.fork("cell/fork", "cell")
    moved = ScenePoses(ids=[2], poses=poses.pose([[1.5, 0.25, 0]]))
    client.scenes.update("cell", SceneChange(poses=moved, removed_bodies=[7]))
    client.scenes.create("gone", SceneChange(bodies=SceneBodies(ids=[1], shapes=["kinds/box"])))
    client.scenes.delete("gone")


def fill_owned(client: clearance.Client) -> None:
    """Makes one shape and one scene as the principal OWNER."""
    client.register(f"{OWNER}/crate", clearance.Box((0.5, 0.5, 0.5)))
    own = SceneBodies(ids=[4], shapes=[f"{OWNER}/crate"])
    client.scenes.create(f"{OWNER}/cell", SceneChange(bodies=own))


def plain(value: Any) -> Any:
    """Replaces numbers that are not integers by their hexadecimal text, which has every bit."""
    if dataclasses.is_dataclass(value):
        kept = {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"kind": type(value).__name__, **kept}
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def answers_of(client: clearance.Client, names: list[str]) -> dict[str, Any]:
    """Returns the distances of each shape from a crate beside it, and of each scene from a ball."""
    slots = {"slots_a": np.arange(len(names)), "slots_b": [len(names)]}
    detail = (
        clearance.DistanceDetail.DEFAULT
        | clearance.DistanceDetail.POINTS
        | clearance.DistanceDetail.NORMALS
    )
    turned = [2.0, 0.25, -0.5, 0.0, 0.6, 0.0, 0.8]
    crate = clearance.Box((0.5, 0.5, 0.5))
    rows = client.distance([*names, crate], **slots, poses_b=turned, detail=detail)
    ball = {"shapes": [clearance.Sphere(0.1)], "bodies": SceneBodies(ids=[99], shape_slots=[0])}
    scenes = {}
    for scene in client.scenes.list():
        setting = clearance.SceneSetting(scene=scene.name, **ball)
        nearest = client.scenes.minimum_distance(setting, poses=poses.pose([[5.5, 0.25, 0.75]]))
        scenes[scene.name] = plain(nearest.distances)
    return {
        "names": names,
        "distances": plain(rows.distances),
        "lower_bounds": plain(rows.lower_bounds),
        "points_a": plain(rows.points_a),
        "normals": plain(rows.normals),
        "scenes": scenes,
    }


def scene_seen(client: clearance.Client, name: str) -> dict[str, Any]:
    found = client.scenes.get(name, include_content=True)
    info = plain(found.info)
    del info["bytes"], info["etag"]  # an estimate of this server's memory; its own part of `seen`
    return {"info": info, "content": plain(found.content)}


def observe(client: clearance.Client) -> dict[str, Any]:
    """Returns everything but etags that stays the same while no caller changes the registry."""
    infos = client.list()
    found = [client.get(info.name, include_content=True) for info in infos]
    seen = {
        "revision": client.server_info().revision,
        "shapes": {info.name: plain(info) for info in infos},
        "contents": {one.info.name: plain(one.content) for one in found},
        "scenes": {info.name: scene_seen(client, info.name) for info in client.scenes.list()},
        "answers": answers_of(client, [info.name for info in infos]),
    }
    return json.loads(json.dumps(seen))


def etags(client: clearance.Client) -> dict[str, str]:
    """Returns the etag of each scene. No two registries have the same."""
    return {info.name: info.etag for info in client.scenes.list()}
