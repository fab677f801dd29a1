# SPDX-License-Identifier: Apache-2.0
"""Proofs of joint motions, the edges of a motion planner.

A SweepBatch moves each body on its own screw. The links of an arm whose joints move do not take
that path: between the same two poses they can be decimetres away from it. Here configurations along
the motion are checked. Each that is free proves the part of the motion in which no point of a body
moves farther than the body may.

Source: Schwarzer, Saha, Latombe, "Exact collision checking of robot paths", 2002."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np
from numpy.typing import ArrayLike

from clearance._scene_batches import CheckDetail, PairScope
from clearance._scene_results import Verdict
from clearance.errors import invalid
from clearance.poses import PosesLike
from clearance.session import Session

__all__ = ["ForwardKinematics", "JointMotionProof", "prove_joint_motions"]

# Takes joint vectors (n, joints), gives the poses of the query bodies (n, bodies, 7), metres.
ForwardKinematics = Callable[[np.ndarray], PosesLike]

# Share of a free radius that is used, so that rounding of times never counts as proved.
_SHARE = 1 - 1e-9


@dataclass(frozen=True, eq=False)
class JointMotionProof:
    """Verdicts of joint motions, a row for each.

    Attributes
    ----------
    verdicts : numpy.ndarray
        Numbers (n,) of Verdict: FREE, TOUCHING or UNDECIDED.
    times : numpy.ndarray
        Times (n,) from 0 to 1 of a configuration that touches, or for which nothing was proved; NaN
        for FREE.
    checks : int
        Number of configurations that were asked, of all motions.
    """

    verdicts: np.ndarray
    times: np.ndarray
    checks: int

    def proved_free(self) -> np.ndarray:
        """Returns for each motion whether it is proved that nothing touches throughout.

        Returns
        -------
        numpy.ndarray
            Booleans (n,).
        """
        return self.verdicts == Verdict.FREE


@dataclass
class _Parts:
    """Parts of motions about which nothing is proved yet."""

    motion: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def where(self, kept: np.ndarray) -> _Parts:
        return _Parts(self.motion[kept], self.low[kept], self.high[kept])


def prove_joint_motions(
    session: Session,
    kinematics: ForwardKinematics,
    starts: ArrayLike,
    ends: ArrayLike,
    reaches: ArrayLike,
    *,
    pose_error: float = 1e-9,
    narrowest: float = 1e-6,
    scene_slot: int | None = 0,
    pair_scope: PairScope = PairScope.SCENE_AND_SELF,
    time_budget: float | None = None,
) -> JointMotionProof:
    """Proves that the session's query bodies are free while joints go straight from start to end.

    A verdict of TOUCHING names a configuration that touches, not the first one.

    Parameters
    ----------
    session : Session
        The session with the query bodies.
    kinematics : callable
        Takes joint vectors (n, joints) and returns poses (n, bodies, 7) of the query bodies, in the
        order of their ids, metres, world frame.
    starts, ends : array_like
        Joint vectors (n, joints) or (joints,): radians of joints that turn, metres of those that
        slide.
    reaches : array_like
        Upper bounds (bodies, joints) on the metres that any point of a body moves when a joint
        moves by 1. For a joint that turns: the largest distance of the body's points from its axis,
        in any configuration. For one that slides: 1. For one that does not move the body: 0. If a
        reach is too small, the proof is wrong.
    pose_error : float
        Metres by which points may be off because `kinematics` rounds.
    narrowest : float
        Parts of a motion shorter than this are not divided: the motion is UNDECIDED.
    scene_slot : int, optional
        Slot of the scene. None: query bodies are asked against each other only.
    pair_scope : PairScope
        The pairs that are asked about.
    time_budget : float, optional
        Seconds for each message.

    Returns
    -------
    JointMotionProof
        A verdict for each motion.

    Raises
    ------
    InvalidArgument
        Reaches of another shape or below 0, or joint vectors that are not finite.
    RefusedRows
        The server refused a configuration.
    """
    starts, ends = np.atleast_2d(np.asarray(starts, float)), np.atleast_2d(np.asarray(ends, float))
    starts, ends = np.broadcast_arrays(starts, ends)
    speeds = _speeds(ends - starts, np.asarray(reaches, float))
    verdicts = np.full(len(starts), Verdict.FREE)
    times = np.full(len(starts), np.nan)
    parts = _Parts(np.arange(len(starts)), np.zeros(len(starts)), np.ones(len(starts)))
    checks = 0
    while len(parts.motion):
        middle = (parts.low + parts.high) / 2
        checks += len(middle)
        way = (ends - starts)[parts.motion]
        result = session.check(
            poses=kinematics(starts[parts.motion] + middle[:, None] * way),
            detail=CheckDetail.FREE_RADII,
            scene_slot=scene_slot,
            pair_scope=pair_scope,
            time_budget=time_budget,
        )
        result.raise_for_refused()
        radii = result.free_motion_radius() - pose_error
        is_free = result.proved_free() & (radii > 0)
        half = np.where(is_free, _SHARE * _quotient(radii, speeds[parts.motion]), 0.0)
        is_left = half < (parts.high - parts.low) / 2
        is_end = ~is_free | (is_left & (parts.high - parts.low <= narrowest))
        _end_motions(parts.where(is_end), middle[is_end], result.verdicts[is_end], verdicts, times)
        is_open = is_left & ~is_end & (verdicts[parts.motion] == Verdict.FREE)
        parts = _divided(parts.where(is_open), middle[is_open], half[is_open])
    return JointMotionProof(verdicts, times, checks)


def _speeds(ways: np.ndarray, reaches: np.ndarray) -> np.ndarray:
    """Returns the metres that any point of any body moves while a motion goes on by 1, at most."""
    if reaches.ndim != 2 or reaches.shape[1] != ways.shape[1]:
        raise invalid(
            "reaches",
            f"an array of shape {reaches.shape}",
            f"an array of shape (bodies, {ways.shape[1]})",
        )
    if not np.isfinite(reaches).all() or (reaches < 0).any() or not np.isfinite(ways).all():
        raise invalid("reaches, starts, ends", "numbers", "finite, and reaches at least 0")
    return (np.abs(ways) @ reaches.T).max(axis=1, initial=0.0)


def _quotient(radii: np.ndarray, speeds: np.ndarray) -> np.ndarray:
    return np.divide(radii, speeds, out=np.full(len(radii), np.inf), where=speeds > 0)


def _end_motions(
    parts: _Parts,
    middle: np.ndarray,
    found: np.ndarray,
    verdicts: np.ndarray,
    times: np.ndarray,
) -> None:
    """Records the motions that are not free; one that touches comes before one undecided."""
    for verdict in (Verdict.UNDECIDED, Verdict.TOUCHING):
        mine = (found == Verdict.TOUCHING) == (verdict == Verdict.TOUCHING)
        verdicts[parts.motion[mine]] = verdict
        times[parts.motion[mine]] = middle[mine]


def _divided(parts: _Parts, middle: np.ndarray, half: np.ndarray) -> _Parts:
    """Returns the rest of the parts, on both sides of the proved part."""
    return _Parts(
        np.concatenate([parts.motion, parts.motion]),
        np.concatenate([parts.low, middle + half]),
        np.concatenate([middle - half, parts.high]),
    )
