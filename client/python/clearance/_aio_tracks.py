# SPDX-License-Identifier: Apache-2.0
"""Tracks for asyncio (`aio.TrackWriter`, `aio.TrackReader`)."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, TypeVar, cast

from numpy.typing import ArrayLike

from clearance import _tracks, tracks
from clearance._fields import asks, documented_as
from clearance._scene_batches import (
    CheckBatch,
    CheckDetail,
    PairScope,
    RayBatch,
    SceneRows,
    SweepBatch,
)
from clearance._scene_content import SceneBodies, SceneChange, SceneInfo
from clearance._scene_results import CheckResult, SweepResult
from clearance._tracks import OpenTrack, PublishedTick, PublishTick, RewindTrack, Rewound
from clearance.poses import PosesLike

if TYPE_CHECKING:
    from clearance.aio import Client, Session

R = TypeVar("R")


@documented_as(tracks._TrackSession)
class _TrackSession:
    def __init__(self, session: Session) -> None:
        self._session = session

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._session.__aexit__(kind, error, trace)

    async def finish(self) -> None:
        await self._session.finish()

    def cancel(self) -> None:
        self._session.cancel()

    async def _attach(self, change: SceneChange, reset: bool) -> None:
        for slot, shape in enumerate(change.bodies.shapes):
            await self._session.open(slot, shape)
        await self._session.change_bodies(_tracks.without_shapes(change), reset=reset)


@documented_as(tracks.TrackWriter)
class TrackWriter(_TrackSession):
    """The asyncio form of clearance.tracks.TrackWriter, made by `open`.

    Only `cancel` does not wait."""

    @staticmethod
    async def open(client: Client, name: str, bodies: SceneBodies) -> TrackWriter:
        writer = TrackWriter(client.open_session(reopen=False))
        try:
            await writer._session._tell(OpenTrack(name))
            await writer._attach(SceneChange(bodies=bodies), reset=False)
        except BaseException:
            writer.cancel()
            raise
        return writer

    async def __aenter__(self) -> TrackWriter:
        return self

    async def publish(self, tick: int, poses: PosesLike | None = None) -> PublishedTick:
        return cast(PublishedTick, await self._session._tell(PublishTick(tick, poses)))

    async def change(self, change: SceneChange, *, reset: bool = False) -> None:
        await self._attach(change, reset)


@documented_as(tracks.TrackReader)
class TrackReader(_TrackSession):
    """The asyncio form of clearance.tracks.TrackReader, made by `open`.

    Only `cancel` does not wait."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._has_scene = False

    @staticmethod
    async def open(
        client: Client, *, scene: str = "", bodies: SceneBodies | None = None
    ) -> TrackReader:
        reader = TrackReader(client.open_session(reopen=False))
        try:
            await reader._attach(SceneChange(bodies=bodies or SceneBodies()), reset=False)
            if scene:
                await reader.open_scene(scene)
        except BaseException:
            reader.cancel()
            raise
        return reader

    async def __aenter__(self) -> TrackReader:
        return self

    async def open_scene(self, name: str) -> SceneInfo:
        self._has_scene = True  # whether it opens or not, as clearance.tracks.TrackReader
        return (await self._session.open_scene(_tracks.SCENE_SLOT, name)).scene

    async def rewind(
        self, track: str, tick: int, fraction: float = 0.0, *, left_out_bodies: ArrayLike = ()
    ) -> Rewound:
        base = _tracks.SCENE_SLOT if self._has_scene else None
        slot = _tracks.REWOUND_SLOT
        message = RewindTrack(slot, base, track, tick, fraction, left_out_bodies)
        return cast(Rewound, await self._session._tell(message))

    @asks(RayBatch, detail=_tracks.HITS)
    async def cast_rays(self, batch: RayBatch) -> SweepResult:
        return await self.ask(batch)

    @asks(CheckBatch, pair_scope=PairScope.SCENE, detail=CheckDetail.PAIRS)
    async def check(self, batch: CheckBatch) -> CheckResult:
        return await self.ask(batch)

    @asks(SweepBatch, pair_scope=PairScope.SCENE, detail=_tracks.HITS)
    async def sweep(self, batch: SweepBatch) -> SweepResult:
        return await self.ask(batch)

    async def ask(self, batch: SceneRows[R]) -> R:
        return await self._session.ask(_tracks.of_the_past(batch))
