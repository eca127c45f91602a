"""How well motors hold a pose, which way it is assembled, what motors do to a frame, and where a frame can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bellcrank._native import Model
from bellcrank.kinematics._goals import three
from bellcrank.kinematics._mechanism import Floats, mechanism_of, poses_of, rest


class Workspace(NamedTuple):
    """Where a frame can be."""

    points: Floats
    """``(n, 3)`` [m]."""
    smallest: Floats
    """``(n,)`` smallest singular value of the actuated Jacobian there, see :func:`holds`."""
    svg: str
    """A picture from the front, from the side and from above."""


def workspace(model: Model, frame: str, count: int = 2000, seed: int = 0) -> Workspace:
    """Where a frame can be, from random poses that close and keep limits on the branch of the reference pose."""
    points, singular, svg = mechanism_of(model).workspace(frame, count, seed)
    return Workspace(np.array(points).reshape(-1, 3), np.array(singular), svg)


def holds(model: Model, q: Any, threads: int = 1) -> tuple[Floats, NDArray[np.int64]]:
    """How well motors hold poses ``(n, coordinates)``: smallest singular value of the actuated Jacobian, and mobility.

    Near zero the mechanism moves although its motors stand still. Floating bases count as held.
    """
    smallest, mobility = mechanism_of(model).holds(poses_of(model, q).reshape(-1).tolist(), threads)
    return np.array(smallest), np.array(mobility, dtype=np.int64)


def motor_jacobian(model: Model, q: Any, frame: str) -> Floats:
    """How a frame moves per unit of each driven coordinate's rate in one pose, ``(6, driven coordinates)``.

    Linear velocity of its origin, then angular, in world axes. Its transpose gives the efforts that a load asks for.
    """
    return np.array(mechanism_of(model).motor_jacobian(poses_of(model, q)[0].tolist(), frame)).reshape(6, -1)


def branch(model: Model, q: Any) -> NDArray[np.int64]:
    """Which way each limb with loops is assembled in one pose: +1, -1, or 0 where motors do not tell."""
    return np.array(mechanism_of(model).branch(poses_of(model, q)[0].tolist()), dtype=np.int64)


def frame_singular_values(model: Model, q: Any, frame: str) -> Floats:
    """In which directions a frame moves well in one pose, ``(3,)`` descending.

    Singular values of its linear velocity over all joint rates of length one that loops allow. One that goes to zero
    is a direction in which the frame cannot move at all.
    """
    return np.array(mechanism_of(model).frame_singular_values(poses_of(model, q)[0].tolist(), frame))


def mechanical_advantage(model: Model, q: Any, frame: str, along: Sequence[float]) -> dict[str, float]:
    """Force that each driven joint's unit of effort holds at a frame along a direction of the world, others at rest.

    In N per N·m, or N per N of a sliding joint, by name of joint; infinite where a motor does not move it that way.
    """
    names, values = mechanism_of(model).mechanical_advantage(
        poses_of(model, q)[0].tolist(), frame, three("along", along)
    )
    return dict(zip(names, values))


def transmission_angle(model: Model, q: Any, rod: tuple[str, str], about: str) -> float:
    """The angle at which a rod hands its force on to what it drives [rad], between 0 and π/2, in one pose.

    ``rod`` are the joints at its ends, the second on what is driven, which turns about the joint ``about``. At π/2 all
    of the force does work, at 0 none: a dead point.
    """
    return mechanism_of(model).transmission_angle(poses_of(model, q)[0].tolist(), rod[0], rod[1], about)


def assembly_modes(model: Model, q: Any, starts: int = 100) -> Floats:
    """All poses ``(modes, coordinates)`` that close with the motors where they are in one pose ``q``, itself the first.

    They are searched for from ``starts`` random poses: plenty for small linkages, but one can be missed.
    """
    found = mechanism_of(model).assembly_modes(poses_of(model, q)[0].tolist(), starts)
    return np.array(found).reshape(len(found), len(rest(model)))
