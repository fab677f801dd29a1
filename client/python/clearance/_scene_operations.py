# SPDX-License-Identifier: Apache-2.0
"""The unary calls about scenes, as what is sent and what is made of the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from clearance import _schema
from clearance._encode import Layout, fill_reference, set_duration, unsigned
from clearance._operations import Operation, make_operation, make_query, request_of
from clearance._scene_batches import (
    ConfigurationRows,
    SceneRows,
    SceneSetting,
)
from clearance._scene_content import FoundScene, OpenScene, SceneChange, SceneInfo
from clearance._scene_convert import (
    fill_change,
    fill_open_scene,
    fill_query_bodies,
    fill_rules,
    joined_content,
    scene_info,
)
from clearance.errors import invalid

T = TypeVar("T")

_SERVICE = "SceneService"
_LARGEST_PAGE = 1000


def _info(response: Any) -> SceneInfo:
    return scene_info(response.scene)


def create(name: str, content: SceneChange, ttl: float | None) -> Operation[SceneInfo]:
    request = _schema.message("CreateSceneRequest")(name=name)
    fill_change(content, request.content)
    if ttl is not None:
        set_duration("ttl", ttl, request.ttl)
    return make_operation(_SERVICE, "CreateScene", request, _info, is_repeatable=False)


class Pages:
    """The pages of a scene, one call after another, all of one revision."""

    def __init__(self, name: str, revision: int, min_revision: int, include_content: bool) -> None:
        self._request = _schema.message("GetSceneRequest")(
            name=name,
            revision=revision,
            min_revision=min_revision,
            include_bodies=include_content,
            include_rules=include_content,
        )
        self._pages: list[Any] = []

    def next(self) -> Operation[bool]:
        """The call for the next page, which says whether another follows."""

        def make(response: Any) -> bool:
            self._pages.append(response)
            self._request.page_token = response.next_page_token
            return bool(response.next_page_token)

        return make_operation(_SERVICE, "GetScene", self._request, make)

    def found(self) -> FoundScene:
        """Requires: every page has come."""
        content = None
        if self._request.include_bodies:
            content = joined_content([page.content for page in self._pages])
        return FoundScene(scene_info(self._pages[-1].scene), content)


def list_page(prefix: str, page_token: str) -> Operation[tuple[list[SceneInfo], str]]:
    """Scenes, and the token of the next page; empty after the last."""
    request = _schema.message("ListScenesRequest")(
        prefix=prefix, page_size=_LARGEST_PAGE, page_token=page_token
    )

    def make(response: Any) -> tuple[list[SceneInfo], str]:
        return [scene_info(scene) for scene in response.scenes], response.next_page_token

    return make_operation(_SERVICE, "ListScenes", request, make)


def update(name: str, change: SceneChange, etag: str) -> Operation[SceneInfo]:
    request = _schema.message("UpdateSceneRequest")(name=name, etag=etag)
    fill_change(change, request.change)
    return make_operation(_SERVICE, "UpdateScene", request, _info, is_repeatable=False)


def replacement(found: FoundScene, content: SceneChange) -> Operation[SceneInfo]:
    """The update of a scene, which was found with its content, to this content."""
    before = found.content
    assert before is not None
    removed = np.setdiff1d(np.asarray(before.bodies.ids), np.asarray(content.bodies.ids))
    change = replace(content, removed_bodies=removed, removed_rules=before.rules)
    return update(found.info.name, change, found.info.etag)


def fork(name: str, source: str, source_revision: int, ttl: float | None) -> Operation[SceneInfo]:
    request = _schema.message("ForkSceneRequest")(
        name=name, source=source, source_revision=source_revision
    )
    if ttl is not None:
        set_duration("ttl", ttl, request.ttl)
    return make_operation(_SERVICE, "ForkScene", request, _info, is_repeatable=False)


def delete(name: str, etag: str) -> Operation[None]:
    request = _schema.message("DeleteSceneRequest")(name=name, etag=etag)
    return make_operation(_SERVICE, "DeleteScene", request, lambda _: None, is_repeatable=False)


def query(setting: SceneSetting, batch: SceneRows[T], max_reply_bytes: int) -> Operation[T]:
    if setting.scene is None and isinstance(batch, ConfigurationRows):
        batch = replace(batch, scene_slot=None)
    layout = Layout.of(batch)
    request = request_of(batch)()
    _fill_setting(setting, batch, request)
    if layout.bodies is not None:
        # Rows of too few bodies may make a column as long as one row of all.
        own = len(np.unique(unsigned("bodies.ids", setting.bodies.ids)))
        if layout.bodies != own:
            limit = f"of {own} query bodies"
            raise invalid("configurations.poses", f"{layout.bodies} bodies", limit)
    return make_query("SceneQueryService", batch, layout, max_reply_bytes, request)


def _fill_setting(setting: SceneSetting, batch: SceneRows[Any], request: Any) -> None:
    if isinstance(setting.scene, str):
        fill_open_scene(OpenScene(batch.scene_slot or 0, setting.scene), request.open_scene)
    elif setting.scene is not None:
        slot = batch.scene_slot or 0
        fill_open_scene(replace(setting.scene, scene_slot=slot), request.open_scene)
    fields = request.DESCRIPTOR.fields_by_name
    if "shapes" in fields:  # not of rays
        for reference in setting.shapes:
            fill_reference(reference, request.shapes.add())
        request.min_revision = setting.min_revision
    if isinstance(batch, ConfigurationRows):
        change = request.change_bodies.change
        fill_query_bodies(setting.bodies, change.bodies)
        fill_rules("rules", setting.rules, change.rules)
        same = unsigned("same_as_scene", setting.same_as_scene)
        request.change_bodies.same_as_scene = same.tobytes()
