# SPDX-License-Identifier: Apache-2.0
"""Scenes: their contents and changes, questions about them, and the answers.

A scene has many bodies, each a registered shape with a pose, and rules of which pairs matter. A
revision never changes; an update makes the next one. `Client.scenes` makes, changes and watches
scenes, and asks one question a call. A session asks many questions about scenes that it holds open.

Each column of a request is None (the default of scene.proto), one row that stands for all, or a row
for each id. A row of a question is one configuration: a pose of every query body, in the order of
their ids. Columns of answers have the broadcast shape of their question in front; one that was not
asked for is None. Units are metres, radians and seconds; poses are those of `poses`.

>>> with clearance.connect(address) as client:
...     info = client.register("scenes/crate", clearance.Box((0.5, 0.5, 0.5)))
...     row = clearance.poses.pose([[0, 0, 0], [2, 0, 0]])
...     bodies = clearance.SceneBodies(ids=[1, 2], shapes=["scenes/crate"], poses=row)
...     cell = client.scenes.create("scenes/cell", clearance.SceneChange(bodies=bodies))
...     away = clearance.scenes.ScenePoses(ids=[2], poses=clearance.poses.pose([9, 0, 0]))
...     change = clearance.SceneChange(poses=away)
...     moved = client.scenes.update("scenes/cell", change, etag=cell.etag)
...     found = client.scenes.get("scenes/cell", include_content=True)
...     client.scenes.delete("scenes/cell")
>>> moved.revision, moved.body_count
(2, 2)
>>> found.content.bodies.poses[:, 0]
array([0., 9.])"""

from clearance import _scene_batches, _scene_client, _scene_content, _scene_results
from clearance._scene_batches import *
from clearance._scene_client import *
from clearance._scene_content import *
from clearance._scene_results import *

__all__: list[str] = []
__all__ += _scene_batches.__all__
__all__ += _scene_client.__all__
__all__ += _scene_content.__all__
__all__ += _scene_results.__all__
