# SPDX-License-Identifier: Apache-2.0
"""Tracks: a game server publishes its players tick by tick, and others ask about a past time.

proto/clearance/v1/track.proto says how bodies are interpolated and what each call may return.

>>> with clearance.connect(address) as client:
...     player = client.register("demo/player", clearance.Sphere(0.5))
...     players = clearance.SceneBodies(ids=[7, 8], shapes=["demo/player"])
...     with clearance.tracks.TrackWriter.open(client, "demo/match", players) as writer:
...         for tick in (100, 101):  # the simulation
...             places = [[tick - 100, 0, 0], [0, 9, 0]]
...             published = writer.publish(tick, clearance.poses.pose(places))
...         with clearance.tracks.TrackReader.open(client) as reader:  # judges shots
...             rewound = reader.rewind("demo/match", 100, 0.25, left_out_bodies=[8])
...             hits = reader.cast_rays(origins=[9, 0, 0], displacements=[-18, 0, 0])
>>> int(hits.bodies_b), hits.points_b.round(6)
(7, array([0.75, 0.  , 0.  ]))

Each writer and reader has its session on one stream. If that breaks, every call raises the stream's
error, and the caller opens another. A track ends with its writer's session, so nothing could be
continued."""

from __future__ import annotations

from types import TracebackType
from typing import TypeVar, cast

from numpy.typing import ArrayLike

from clearance import _tracks
from clearance._fields import asks
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
from clearance._tracks import (
    OpenTrack,
    PublishedTick,
    PublishTick,
    RewindTrack,
    Rewound,
    TrackClamp,
)
from clearance.client import Client
from clearance.poses import PosesLike
from clearance.session import Session

__all__ = ["PublishedTick", "Rewound", "TrackClamp", "TrackReader", "TrackWriter"]

R = TypeVar("R")


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
    """A session that publishes a track, which ends with it. Made by `open`."""

    @staticmethod
    def open(client: Client, name: str, bodies: SceneBodies) -> TrackWriter:
        """Starts a track of these bodies.

        Parameters
        ----------
        client : Client
            The client. The track belongs to its server.
        name : str
            The track's name.
        bodies : SceneBodies
            The bodies; their shapes must be registered.

        Returns
        -------
        TrackWriter
            The writer.

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

    def publish(self, tick: int, poses: PosesLike | None = None) -> PublishedTick:
        """Adds a tick, and waits until it can be asked for.

        Parameters
        ----------
        tick : int
            The tick, above the one before.
        poses : poses_like, optional
            Poses (bodies, 7) in the order of the ids. None: the poses of the bodies.

        Returns
        -------
        PublishedTick
            The ticks that can be asked for.
        """
        return cast(PublishedTick, self._session._tell(PublishTick(tick, poses)))

    def change(self, change: SceneChange, *, reset: bool = False) -> None:
        """Adds and removes bodies from the next tick on.

        If it fails, publishing fails until a change with `reset` succeeds.

        Parameters
        ----------
        change : SceneChange
            The bodies, poses and rules.
        reset : bool
            Starts without bodies and rules.
        """
        self._attach(change, reset)


class TrackReader(_TrackSession):
    """A session that asks about a past time of tracks. Made by `open`."""

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

        Returns
        -------
        TrackReader
            The reader.
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

        If it fails, every `rewind` fails until a scene is opened.

        Parameters
        ----------
        name : str
            The scene's name.

        Returns
        -------
        SceneInfo
            The revision.
        """
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

        Returns
        -------
        Rewound
            The time and the ticks that were used.

        Raises
        ------
        NotFound
            The track has ended.
        """
        base = _tracks.SCENE_SLOT if self._has_scene else None
        slot = _tracks.REWOUND_SLOT
        message = RewindTrack(slot, base, track, tick, fraction, left_out_bodies)
        return cast(Rewound, self._session._tell(message))

    @asks(RayBatch, detail=_tracks.HITS)
    def cast_rays(self, batch: RayBatch) -> SweepResult:
        """Asks what rays, or moving balls, hit in the rewound world.

        Returns
        -------
        SweepResult
            The answers; by default with pairs, points and normals.
        """
        return self.ask(batch)

    @asks(CheckBatch, pair_scope=PairScope.SCENE, detail=CheckDetail.PAIRS)
    def check(self, batch: CheckBatch) -> CheckResult:
        """Asks whether query bodies touch the rewound world.

        Returns
        -------
        CheckResult
            The answers; by default with pairs.
        """
        return self.ask(batch)

    @asks(SweepBatch, pair_scope=PairScope.SCENE, detail=_tracks.HITS)
    def sweep(self, batch: SweepBatch) -> SweepResult:
        """Asks when moving query bodies first touch the rewound world.

        Returns
        -------
        SweepResult
            The answers; by default with pairs, points and normals.
        """
        return self.ask(batch)

    def ask(self, batch: SceneRows[R]) -> R:
        """Asks any question about the rewound world.

        Parameters
        ----------
        batch : SceneRows
            The questions; `scene_slot` is ignored. Shape slots of an OverlapBatch are indices of
            the query bodies' shapes.

        Returns
        -------
        SceneRowsResult
            The result of the batch's kind, in its broadcast shape.
        """
        return self._session.ask(_tracks.of_the_past(batch))
