# SPDX-License-Identifier: Apache-2.0
"""Tracks: a game server publishes its players tick by tick, and others ask about a past time.

proto/clearance/v1/track.proto says how bodies are interpolated and what each call may return.

>>> with clearance.connect(address) as client:
...     player = client.register("demo/player", clearance.Sphere(0.5))
...     players = clearance.SceneBodies(ids=[7, 8], shapes=["demo/player"])
...     with clearance.TrackWriter.open(client, "demo/match", players) as writer:
...         for tick in (100, 101):  # the simulation
...             places = [[tick - 100, 0, 0], [0, 9, 0]]
...             published = writer.publish(tick, clearance.poses.pose(places))
...         with clearance.TrackReader.open(client) as reader:  # judges shots
...             rewound = reader.rewind("demo/match", 100, 0.25, left_out_bodies=[8])
...             hits = reader.cast_rays(origins=[9, 0, 0], displacements=[-18, 0, 0])
>>> int(hits.bodies_b), hits.points_b.round(6)
(7, array([0.75, 0.  , 0.  ]))

Each writer and reader has its session on one stream. If that breaks, every call raises the stream's
error, and the caller opens another. A track ends with its writer's session, so nothing could be
continued."""

from __future__ import annotations

from types import TracebackType
from typing import Any, cast, overload

from numpy.typing import ArrayLike

from clearance import _tracks
from clearance._tracks import (
    OpenTrack,
    PublishedTick,
    PublishTick,
    Rewound,
    RewindTrack,
    TrackClamp,
)
from clearance.client import Client
from clearance.scene_batches import (
    CheckBatch,
    ClearanceBatch,
    MotionBatch,
    NearestBatch,
    OverlapBatch,
    RayBatch,
    SceneBatch,
)
from clearance.scene_results import (
    CheckResult,
    ClearanceResult,
    NearestResult,
    OverlapResult,
    SceneResult,
    SweepResult,
)
from clearance.scenes import SceneBodies, SceneChange, SceneInfo
from clearance.session import Session

__all__ = ["PublishedTick", "Rewound", "TrackClamp", "TrackReader", "TrackWriter"]


class _TrackSession:
    """Base of writers and readers. Thread-compatible.

    As a context manager it finishes at the end of the block. An exception cancels it."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._session.__exit__(kind, error, trace)

    def finish(self) -> None:
        """Ends the session, and waits for it."""
        self._session.finish()

    def cancel(self) -> None:
        """Ends the session at once."""
        self._session.cancel()

    def _attach(self, change: SceneChange, reset: bool) -> None:
        for slot, shape in enumerate(change.bodies.shapes):
            self._session.open(slot, shape)
        self._session.change_bodies(_tracks.without_shapes(change), reset=reset)


class TrackWriter(_TrackSession):
    """A session that publishes a track, which ends with it."""

    @staticmethod
    def open(client: Client, name: str, bodies: SceneBodies) -> TrackWriter:
        """Starts a track of these bodies, whose shapes must be registered.

        Raises
        ------
        AlreadyExists
            Another session publishes a track of this name.
        """
        writer = TrackWriter(client.open_session(reopen=False))
        try:
            writer._session._tell(OpenTrack(name))
            writer._attach(SceneChange(bodies=bodies), reset=False)
        except BaseException:
            writer.cancel()
            raise
        return writer

    def __enter__(self) -> TrackWriter:
        return self

    def publish(self, tick: int, poses: ArrayLike | None = None) -> PublishedTick:
        """Adds a tick, and waits until it can be asked for.

        Parameters
        ----------
        tick : int
            The tick, above the one before.
        poses : array_like, optional
            Poses (bodies, 7) in the order of the ids. None: the poses of the bodies.
        """
        return cast(PublishedTick, self._session._tell(PublishTick(tick, poses)))

    def change(self, change: SceneChange, *, reset: bool = False) -> None:
        """Adds and removes bodies from the next tick on.

        If it fails, publishing fails until a change with `reset` succeeds, which starts without
        bodies."""
        self._attach(change, reset)


class TrackReader(_TrackSession):
    """A session that asks about a past time of tracks."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._has_scene = False  # one was asked for

    @staticmethod
    def open(client: Client, *, scene: str = "", bodies: SceneBodies | None = None) -> TrackReader:
        """Opens a reader.

        Parameters
        ----------
        client : Client
            A client of the writer's server.
        scene : str
            Scene in which tracks are rewound; empty: none.
        bodies : SceneBodies, optional
            Query bodies, such as swords; their shapes must be registered.
        """
        reader = TrackReader(client.open_session(reopen=False))
        try:
            reader._attach(SceneChange(bodies=bodies or SceneBodies()), reset=False)
            if scene:
                reader.open_scene(scene)
        except BaseException:
            reader.cancel()
            raise
        return reader

    def __enter__(self) -> TrackReader:
        return self

    def open_scene(self, name: str) -> SceneInfo:
        """Takes the newest revision of a scene for the next `rewind`.

        If it fails, every `rewind` fails until a scene is opened."""
        # Whether it opens or not: a rewind in a slot that did not open is refused rather than
        # answered of a world without it.
        self._has_scene = True
        return self._session.open_scene(_tracks.SCENE_SLOT, name).scene

    def rewind(
        self, track: str, tick: int, fraction: float = 0.0, *, left_out_bodies: ArrayLike = ()
    ) -> Rewound:
        """Makes the world of a past time, which the methods below ask until the next `rewind`.

        Parameters
        ----------
        track : str
            The track.
        tick : int
            The tick.
        fraction : float
            Part of a tick after `tick`, in [0, 1).
        left_out_bodies : array_like
            Ids of the track or the scene that are left out, such as the shooter.

        Raises
        ------
        NotFound
            The track has ended.
        """
        base = _tracks.SCENE_SLOT if self._has_scene else None
        slot = _tracks.REWOUND_SLOT
        message = RewindTrack(slot, base, track, tick, fraction, left_out_bodies)
        return cast(Rewound, self._session._tell(message))

    def cast_rays(self, **columns: Any) -> SweepResult:
        """Asks a RayBatch of these columns, with pairs, points and normals."""
        return self._session.ask(_tracks.rays(columns))

    def check(self, **columns: Any) -> CheckResult:
        """Asks a CheckBatch of these columns, with pairs, of query bodies against that world."""
        return self._session.ask(_tracks.check(columns))

    def sweep(self, **columns: Any) -> SweepResult:
        """Asks a MotionBatch of these columns, with pairs, points and normals, as `check` does."""
        return self._session.ask(_tracks.sweep(columns))

    @overload
    def ask(self, batch: CheckBatch) -> CheckResult:
        ...

    @overload
    def ask(self, batch: ClearanceBatch) -> ClearanceResult:
        ...

    @overload
    def ask(self, batch: NearestBatch) -> NearestResult:
        ...

    @overload
    def ask(self, batch: OverlapBatch) -> OverlapResult:
        ...

    @overload
    def ask(self, batch: MotionBatch | RayBatch) -> SweepResult:
        ...

    def ask(self, batch: SceneBatch) -> SceneResult:
        """Asks any question about the rewound world; its scene_slot is ignored.

        Shape slots of an OverlapBatch are indices of the query bodies' shapes."""
        return cast(SceneResult, self._session.ask(_tracks.of_the_past(batch)))
