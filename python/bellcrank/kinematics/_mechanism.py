"""Mechanisms as the engine knows them, and arrays of their poses."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from bellcrank import _native
from bellcrank._native import Model
from bellcrank.errors import WrongShape

Floats = NDArray[np.float64]

_KNOWN: WeakKeyDictionary[Model, _native.Kinematics] = WeakKeyDictionary()


def mechanism_of(model: Model) -> _native.Kinematics:
    known = _KNOWN.get(model)
    if known is None:
        known = _KNOWN[model] = _native.Kinematics(model)
    return known


def rest(model: Model) -> Floats:
    """The reference pose, ``(coordinates,)``."""
    return np.array(mechanism_of(model).rest())


def keyframe(model: Model, name: str) -> Floats:
    """The pose of a keyframe, ``(coordinates,)``; loops are as open as the keyframe leaves them."""
    return np.array(mechanism_of(model).keyframe(name))


def joint_position(model: Model, q: Any) -> Floats:
    """Coordinates of all joints, closing ones too, ``(n, coordinates)`` as in ``batch.joint_position``."""
    poses = poses_of(model, q)
    return np.array(mechanism_of(model).joint_positions(poses.reshape(-1).tolist())).reshape(len(poses), -1)


def body_poses(model: Model, q: Any) -> tuple[Floats, Floats]:
    """Centres of mass ``(n, bodies, 3)`` [m] and quaternions ``(n, bodies, 4)`` of all bodies, as a batch has them."""
    poses = poses_of(model, q)
    numbers = np.array(mechanism_of(model).body_poses(poses.reshape(-1).tolist())).reshape(len(poses), -1, 7)
    return numbers[..., :3], numbers[..., 3:]


def poses_of(model: Model, q: Any) -> Floats:
    array = np.asarray(q, dtype=np.float64)
    width = len(mechanism_of(model).rest())
    if array.ndim not in (1, 2) or array.shape[-1] != width:
        raise WrongShape(f"q has the shape {array.shape}, expected: ({width},) or (n, {width})")
    return array.reshape(-1, width)
