"""Where frames are and how they move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Union

from bellcrank._arrays import FloatArray
from bellcrank._native import Model
from bellcrank.tree._coordinates import frame_names
from bellcrank.tree._run import Array, Q, V, run


def frame_list(model: Model, frames: Union[None, str, Sequence[str]]) -> list[str]:
    if frames is None:
        return list(frame_names(model))
    return [frames] if isinstance(frames, str) else list(frames)


def fk(model: Model, q: Array, frames: Union[None, str, Sequence[str]] = None, *, threads: int = 0) -> FloatArray:
    """World poses ``(batch, frames, 3, 4)`` of frames, each ``[R_WF | p_WF]`` [m]; of all frames unless named."""
    names = frame_list(model, frames)
    return run(model, "fk", [(len(names), 3, 4)], {"frames": names, "threads": threads}, q=q)[0]


def jacobian(
    model: Model, q: Array, frame: str, reference: str = "local_world_aligned", *, threads: int = 0
) -> FloatArray:
    """Geometric Jacobian ``(batch, 6, dofs)`` of a frame, linear rows first: velocity = J v.

    ``reference`` tells where: ``"local"`` (the frame's origin, its axes), ``"local_world_aligned"`` (its origin, world
    axes) or ``"world"`` (the point that passes the world's origin, world axes).
    """
    options = {"frames": [frame], "reference": reference, "threads": threads}
    return run(model, "jacobian", [(6, "dofs")], options, q=q)[0]


def jacobian_rate(
    model: Model, q: Array, v: Array, frame: str, reference: str = "local_world_aligned", *, threads: int = 0
) -> FloatArray:
    """Time derivative ``(batch, 6, dofs)`` of a frame's Jacobian."""
    options = {"frames": [frame], "reference": reference, "threads": threads}
    return run(model, "jacobian_rate", [(6, "dofs")], options, q=q, v=v)[0]


class FrameMotion(NamedTuple):
    """Motion of a frame, each ``(batch, 6)``, linear part first; gravity is not in them."""

    velocity: FloatArray
    spatial_acceleration: FloatArray
    classical_acceleration: FloatArray


def frame_motion(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    frame: str,
    reference: str = "local_world_aligned",
    *,
    threads: int = 0,
) -> FrameMotion:
    """Velocity and accelerations of a frame."""
    options = {"frames": [frame], "reference": reference, "threads": threads}
    motion = run(model, "frame_motion", [(3, 6)], options, q=q, v=v, a=a)[0]
    return FrameMotion(motion[..., 0, :], motion[..., 1, :], motion[..., 2, :])


class FrameMotionDerivatives(NamedTuple):
    """∂velocity/∂q, ∂acceleration/∂q and ∂acceleration/∂v, each ``(batch, 6, dofs)``."""

    velocity_q: FloatArray
    acceleration_q: FloatArray
    acceleration_v: FloatArray


def frame_motion_derivatives(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    frame: str,
    reference: str = "local_world_aligned",
    *,
    threads: int = 0,
) -> FrameMotionDerivatives:
    """Derivatives of a frame's velocity and spatial acceleration; ∂V/∂v = ∂A/∂a is the Jacobian."""
    options = {"frames": [frame], "reference": reference, "threads": threads}
    d = run(model, "frame_motion_derivatives", [(3, 6, "dofs")], options, q=q, v=v, a=a)[0]
    return FrameMotionDerivatives(d[..., 0, :, :], d[..., 1, :, :], d[..., 2, :, :])


def integrate(model: Model, q: Array, delta: Array, *, threads: int = 0) -> FloatArray:
    """q ⊕ δ: scalars add, rotations turn by body-fixed rotation vectors, free bases move along screws."""
    return run(model, "integrate", [Q], {"threads": threads}, q=q, delta=delta)[0]


def difference(model: Model, start: Array, end: Array, *, threads: int = 0) -> FloatArray:
    """δ with start ⊕ δ = end, turning the short way: ``(batch, dofs)``."""
    return run(model, "difference", [V], {"threads": threads}, start=start, end=end)[0]
