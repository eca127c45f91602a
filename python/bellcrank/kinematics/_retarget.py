"""Motions of others, done by this robot: paths of frames in time become poses in time, and those targets for motors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from bellcrank._native import Model
from bellcrank.errors import WrongShape
from bellcrank.kinematics._mechanism import Floats, mechanism_of, poses_of


@dataclass(frozen=True, eq=False)
class Track:
    """Where a frame (a body or a site) of this robot shall be, every ``dt``."""

    position: Any
    """``(n, 3)`` in the world [m]."""
    quat_wxyz: Any = None
    """``(n, 4)`` or ``(4,)``: how it is turned; ``None`` where that does not matter."""
    foot: bool = False
    """Its contacts with the ground are found and kept, and it comes before tracks that are no feet."""


class Retargeted(NamedTuple):
    """A motion for this robot, n poses."""

    q: Floats
    """``(n, coordinates)`` configurations of the spanning tree."""
    joint_position: Floats
    """``(n, coordinates)`` of all joints, as in ``batch.joint_position`` [m, rad]."""
    target_position: Floats
    """``(n, actuators)`` what motors are told, as in ``batch.target_position``."""
    solved: NDArray[np.bool_]
    """``(n,)`` feet are where they should be, loops closed, limits kept."""
    contact: NDArray[np.bool_]
    """``(n, feet)`` which feet stand, in the order of ``feet``."""
    error: Floats
    """``(n, tracks)`` how far each track is missed [m]."""
    feet: tuple[str, ...]
    """Names of the feet."""


def tracks_of(source: Model, q: Any, model: Model, pairs: Mapping[str, str], scale: float = 1.0) -> dict[str, Track]:
    """Frames of another skeleton along its motion ``q`` ``(n, coordinates of the source)``, as tracks of ``model``.

    ``pairs`` are names of frames of the source and of this robot. Every way from the source's rest, times ``scale``, is
    gone from this robot's rest.
    """
    poses, names = poses_of(source, q), list(pairs.items())
    told = (poses.reshape(-1).tolist(), names, float(scale))
    numbers = np.array(mechanism_of(model).tracks_of(mechanism_of(source), *told)).reshape(len(names), len(poses), 7)
    return {to: Track(row[:, :3], row[:, 3:]) for (_, to), row in zip(names, numbers)}


def retarget(
    model: Model,
    tracks: Mapping[str, Track],
    dt: float,
    *,
    start: Any = None,
    contact_height: float = 0.01,
    contact_speed: float = 0.1,
    contact_time: float = 0.05,
    loop_floor: float = 0.0,
) -> Retargeted:
    """Follows tracks, by name of body or site, that have a pose every ``dt`` seconds; a floating base is free.

    A foot stands where it is lower than ``contact_height`` [m] above its lowest point and slower than ``contact_speed``
    [m/s] for at least ``contact_time`` [s]: it gets one place, as high and as turned as in ``start``, and stays there.
    Tracks of feet come first, others as far as these leave room. Each pose is solved from the one before, the first
    from ``start`` ``(coordinates,)``, the reference pose by default. Where a track has no number, that pose is not
    solved and the robot stays as it was. ``loop_floor`` as in :func:`solve`.
    """
    count = max((len(np.atleast_2d(track.position)) for track in tracks.values()), default=0)
    told = [
        (name, track.foot, track.quat_wxyz is not None, _path(name, track, count)) for name, track in tracks.items()
    ]
    begin = [] if start is None else poses_of(model, start)[0].tolist()
    how = [float(dt), float(contact_height), float(contact_speed), float(contact_time), float(loop_floor)]
    q, joints, targets, solved, contact, error = mechanism_of(model).retarget(told, begin, how)
    feet = tuple(name for name, track in tracks.items() if track.foot)
    wide = [np.array(array, dtype=np.float64).reshape(count, -1) for array in (q, joints, targets, error)]
    stands = np.array(contact, dtype=np.bool_).reshape(count, len(feet))
    return Retargeted(wide[0], wide[1], wide[2], np.array(solved, dtype=np.bool_), stands, wide[3], feet)


def _path(name: str, track: Track, count: int) -> list[float]:
    """Position and quaternion of every pose, seven numbers each."""
    position = _rows(f"{name}.position", track.position, 3, count)
    turned: Optional[Any] = [1.0, 0.0, 0.0, 0.0] if track.quat_wxyz is None else track.quat_wxyz
    quat = _rows(f"{name}.quat_wxyz", turned, 4, count)
    numbers: list[float] = np.concatenate([position, quat], axis=1).reshape(-1).tolist()
    return numbers


def _rows(what: str, value: Any, width: int, count: int) -> Floats:
    array = np.asarray(value, dtype=np.float64)
    if array.shape not in ((width,), (count, width)):
        raise WrongShape(f"{what} has the shape {array.shape}, expected: ({width},) or ({count}, {width})")
    return np.broadcast_to(array, (count, width))
