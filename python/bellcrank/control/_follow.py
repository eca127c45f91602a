"""Motions made dynamic: what motors must be told so that a robot really does them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Optional, Union

import numpy as np

from bellcrank import _native
from bellcrank._arguments import whole
from bellcrank.batch import Batch
from bellcrank.control._costs import Floats
from bellcrank.control._planners import _how
from bellcrank.errors import WrongValue
from bellcrank.kinematics import Retargeted, tracks_of
from bellcrank.solvers import ComFree, Solver


@dataclass(frozen=True, eq=False)
class Motion:
    """Poses of a robot in time, as :func:`bellcrank.kinematics.retarget` finds them; ``Motion.of`` makes one of it."""

    dt: float
    """From frame to frame [s]."""
    body_position: Floats
    """``(frames, bodies, 3)`` centres of mass [m]."""
    body_quat_wxyz: Floats
    """``(frames, bodies, 4)``"""
    joint_position: Floats
    """``(frames, coordinates)`` [rad or m]."""
    target_position: Floats
    """``(frames, actuators)``: what motors would be told where nothing pulled at them."""

    @staticmethod
    def of(model: _native.Model, retargeted: Retargeted, dt: float) -> Motion:
        """What kinematic retargeting found, at a frame every ``dt`` [s].

        Motors that brake, with a rate gain and no target velocity, lag by rate gain over gain: their targets lead by
        as much.
        """
        names = model.body_names
        frames = tracks_of(model, retargeted.q, model, {name: name for name in names})
        quat = np.stack([frames[name].quat_wxyz for name in names], axis=1)
        links = np.stack([frames[name].position for name in names], axis=1)
        batch = Batch(model)
        com = np.broadcast_to(batch.body_com[0], links.shape)
        joints, targets = np.asarray(retargeted.joint_position), np.asarray(retargeted.target_position)
        if len(targets) > 1:
            gain, rate_gain = batch.gain[0], batch.rate_gain[0]
            lead = np.divide(rate_gain, gain, out=np.zeros_like(gain), where=gain > 0.0)
            targets = targets + lead * np.gradient(targets, float(dt), axis=0)
        return Motion(float(dt), links + _turned(quat, com), quat, joints, targets)


def _turned(quat_wxyz: Floats, vector: Floats) -> Floats:
    w, v = quat_wxyz[..., :1], quat_wxyz[..., 1:]
    across = np.cross(v, vector)
    turned: Floats = vector + 2.0 * (w * across + np.cross(v, across))
    return turned


class Followed(NamedTuple):
    """What following a motion came to; rows are ``dt`` apart."""

    dt: float
    """Each row of ``control`` holds for this time [s]."""
    control: Floats
    """``(rows, actuators)``: what the motors were told; the same motions follow from it without a planner."""
    position_error: Floats
    """``(rows,)``: distance of the torso from the motion [m]."""
    quat_error: Floats
    """``(rows,)``: ``1 - (q* · q)²`` of the torso."""
    angle_error: Floats
    """``(rows,)``: angle by which the torso is turned away [rad]."""
    joint_error: Floats
    """``(rows,)``: norm of the error of the joints with a motor [rad or m]."""
    seconds: Floats
    """``(plans,)`` [s]"""
    failed: int
    """Plans that found nothing: the one before went on."""
    lost: bool
    """It was given up, too far from the motion."""
    replayed_position_error: Floats
    """``(rows,)``: the same distance when the motors are told ``control`` again and nobody plans [m]."""


FOLLOW_WEIGHTS = {
    "position": 100.0,
    "orientation": 20.0,
    "joints": 5.0,
    "bodies": 50.0,
    "velocity": 1.0,
    "control": 0.5,
    "end": 0.1,
}
"""What :func:`follow` weighs, per second: squared distance of the torso, sine squared of half its angle, mean squares
of joints and of the distances of other bodies, squared error of velocity, mean square of what is added to the targets;
and for how many seconds the end of the horizon counts."""


def follow(
    model: _native.Model,
    motion: Motion,
    torso: str,
    bodies: Sequence[str] = (),
    *,
    horizon: int = 40,
    samples: int = 64,
    sigma: Union[float, Sequence[float]] = 0.15,
    temperature: float = 0.1,
    knots: int = 5,
    iterations: int = 3,
    anneal: float = 0.6,
    settled: float = 0.5,
    survivors: float = 1.0,
    seed: int = 0,
    dt: float = 0.01,
    window: float = 0.05,
    substeps: int = 5,
    lost: float = 0.5,
    weights: Optional[Mapping[str, float]] = None,
    solver: Optional[Solver] = None,
    threads: int = 0,
) -> Followed:
    """Makes a motion dynamic: what motors must be told so that the robot really does it.

    Every ``window`` [s] the planner (MPPI with noise that falls from round to round, in steps of ``dt``) finds what to
    add to the motion's own targets; ``survivors`` is the share of samples that go on after half of the horizon. The
    plant is the exact solver with ``substeps`` in each ``dt``. ``bodies`` are those whose places count besides the
    torso's pose: feet, hands. ``weights`` replaces some of :data:`FOLLOW_WEIGHTS`.
    """
    weighed = {**FOLLOW_WEIGHTS, **(weights or {})}
    if unknown := sorted(set(weighed) - set(FOLLOW_WEIGHTS)):
        raise WrongValue(f"there is no weight {unknown[0]!r}", hint=f"known are {', '.join(FOLLOW_WEIGHTS)}")
    shares = [float(anneal), float(settled), float("inf"), float(survivors)]
    between = (whole("horizon", horizon), whole("knots", knots), "cubic")
    rounds = (whole("iterations", iterations), shares, whole("seed", seed))
    how = _how(("mppi_relative", float(temperature), 0.0), between, sigma, (None, True), rounds)
    settings = (solver or ComFree(sweeps=4, gap_tolerance=1e-4))._settings()
    worlds = (whole("samples", samples), float(dt), "f32", whole("threads", threads), settings)
    lists = (motion.body_position, motion.body_quat_wxyz, motion.joint_position, motion.target_position)
    arrays = [np.ascontiguousarray(array, dtype=np.float64).reshape(-1) for array in lists]
    run = (float(window), whole("substeps", substeps), float(lost))
    told = ([float(weighed[name]) for name in FOLLOW_WEIGHTS], run)
    names = (torso, list(bodies))
    native = _native.Following(model, (float(motion.dt), arrays), names, worlds, how, told)
    while native.advance():
        pass
    control, errors, seconds, failed, gone = native.tracked()
    rows, again = errors.reshape(-1, 4), native.replay().reshape(-1, 4)
    by_motor = control.reshape(len(rows), -1)
    position, quat, angle, joints = rows.T
    return Followed(float(dt), by_motor, position, quat, angle, joints, seconds, failed, gone, again[:, 0])
