"""Cotangents of states, between poses with quaternions and the twelve numbers of a body's tangent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bellcrank.rollout import Motion

Floats = NDArray[np.float64]


def _turn_matrix(quat_wxyz: Floats) -> Floats:
    """E with δq = E δθ for a turn about world axes: δq = ½ (0, δθ) q. EᵀE = ¼ 1 for unit quaternions."""
    w, x, y, z = np.moveaxis(quat_wxyz, -1, 0)
    rows = [[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]]
    return 0.5 * np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def to_tangent(at: Motion, cotangent: Motion) -> Floats:
    """``(…, bodies, 12)`` from cotangents of position, quaternion and velocity."""
    turn = np.einsum("...qt,...q->...t", _turn_matrix(at.quat_wxyz), cotangent.quat_wxyz)
    return np.concatenate([cotangent.position, turn, cotangent.velocity], axis=-1)


def from_tangent(at: Motion, back: Floats) -> Motion:
    """Cotangents of position, quaternion (orthogonal to it: its length does not matter) and velocity."""
    quat = 4 * np.einsum("...qt,...t->...q", _turn_matrix(at.quat_wxyz), back[..., 3:6])
    return type(at)(back[..., :3].copy(), quat, back[..., 6:].copy())
