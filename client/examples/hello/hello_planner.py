# SPDX-License-Identifier: Apache-2.0
"""Asks how far a robot arm stays from a table: hello_planner.py [ADDRESS]"""

import sys

import numpy as np

import clearance
from clearance.scenes import MinimumDistanceDetail, PairScope

LENGTHS = np.array([0.5, 0.4, 0.2])  # metres: two links as capsules, a hand as a box
ARM = clearance.Capsule(0.05, 0.25), clearance.Capsule(0.05, 0.2)
HAND = clearance.Box((0.05, 0.04, 0.1))
NAMES = ["upper arm", "forearm", "hand"]
SHOULDER = np.array([0, 0, 0.4])
JOINTS = {"upright": (0, 0, 0), "reach": (60, 50, 0), "grasp": (60, 100, 20), "low": (75, 100, 5)}


def link_poses(degrees: np.ndarray) -> np.ndarray:
    """Returns the poses (configurations, links, 7): each joint turns about y, 0 points up."""
    angles = np.cumsum(np.radians(degrees), axis=-1)
    zero = np.zeros_like(angles)
    along = np.stack([np.sin(angles), zero, np.cos(angles)], axis=-1) * LENGTHS[:, None]
    middles = SHOULDER + np.cumsum(along, axis=-2) - along / 2
    turns = np.stack([zero, np.sin(angles / 2), zero, np.cos(angles / 2)], axis=-1)
    return clearance.poses.pose(middles, turns)


address = sys.argv[1] if sys.argv[1:] else "127.0.0.1:50051"
with clearance.connect(address) as client, client.open_session() as session:
    client.register("hello/table", clearance.Box((0.4, 0.6, 0.02)), replace=True)
    table = clearance.SceneBodies(ids=[100], shapes=["hello/table"], poses=[0.7, 0, 0, 0, 0, 0, 1])
    client.scenes.create("hello/cell", clearance.SceneChange(bodies=table), ttl=60, replace=True)
    for slot, link in enumerate((*ARM, HAND)):
        session.open(slot, link)
    session.open_scene(0, "hello/cell")
    links = clearance.SceneBodies(ids=[0, 1, 2], shape_slots=[0, 1, 2])
    session.change_bodies(clearance.SceneChange(bodies=links))
    answer = session.minimum_distance(
        poses=link_poses(np.array(list(JOINTS.values()))),
        pair_scope=PairScope.SCENE,  # not the links against each other
        detail=MinimumDistanceDetail.DEFAULT | MinimumDistanceDetail.PAIRS,
    )
    free = answer.proved_free(margin=0.01)
    for row, name in enumerate(JOINTS):
        verdict = "free" if free[row] else "not free"
        print(f"{name:8} {verdict:9} {answer.distances[row]:+.3f} m  {NAMES[answer.bodies_a[row]]}")
