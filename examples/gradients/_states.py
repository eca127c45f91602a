"""States of all bodies as arrays, and how far they are apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import bellcrank as bc

Floats = NDArray[np.float64]


def read(batch: bc.Batch) -> bc.Motion:
    """The present states ``(worlds, bodies, 3 | 4 | 6)``."""
    names = ("body_position", "body_quat_wxyz", "body_velocity")
    return bc.Motion(*(batch.read(name).astype(np.float64) for name in names))


def write(batch: bc.Batch, state: bc.Motion) -> None:
    """Puts all worlds into states."""
    batch.body_position, batch.body_quat_wxyz, batch.body_velocity = state
    # what a step leaves is the velocity of its interval; written alone it would count as that of the instant
    batch.write("velocity_interval", np.ones(batch.worlds))


def pick(state: bc.Motion, index: Any) -> bc.Motion:
    """Some of many states."""
    return bc.Motion(*(part[index] for part in state))


def repeat(state: bc.Motion, count: int) -> bc.Motion:
    """One state, many times."""
    return bc.Motion(*(np.repeat(part[None], count, axis=0) for part in state))


def stack(states: list[bc.Motion]) -> bc.Motion:
    """Many states on a new first axis."""
    return bc.Motion(*(np.stack(parts) for parts in zip(*states)))


def apart(a: bc.Motion, b: bc.Motion) -> Floats:
    """a ⊖ b, ``(…, 12 bodies)``: position, rotation vector log(R_a R_bᵀ), velocity; the order of ``step_jacobian``."""
    qa, qb = a.quat_wxyz, b.quat_wxyz * [1, -1, -1, -1]
    w = qa[..., :1] * qb[..., :1] - (qa[..., 1:] * qb[..., 1:]).sum(-1, keepdims=True)
    u = qa[..., :1] * qb[..., 1:] + qb[..., :1] * qa[..., 1:] + np.cross(qa[..., 1:], qb[..., 1:])
    u, w = np.where(w < 0, -u, u), np.abs(w)
    sine = np.linalg.norm(u, axis=-1, keepdims=True)
    turn = u * np.where(sine > 1e-9, 2 * np.arctan2(sine, w) / np.maximum(sine, 1e-9), 2.0)
    numbers = np.concatenate([a.position - b.position, turn, a.velocity - b.velocity], axis=-1)
    return numbers.reshape(*numbers.shape[:-2], -1)


def rotate(quat_wxyz: Floats, vectors: Any) -> Floats:
    """Vectors of bodies in world axes."""
    w, u = quat_wxyz[..., :1], quat_wxyz[..., 1:]
    cross = 2 * np.cross(u, vectors)
    turned: Floats = vectors + w * cross + np.cross(u, cross)
    return turned
