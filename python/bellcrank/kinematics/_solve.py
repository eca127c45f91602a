"""Poses from goals: many at once, one period of a robot led by hand, a path in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from bellcrank._native import Model
from bellcrank.errors import WrongShape
from bellcrank.kinematics._goals import Goal, Pair, ask
from bellcrank.kinematics._mechanism import Floats, mechanism_of, poses_of


class Solution(NamedTuple):
    """Poses that were found. Without a batch axis in the goals, arrays have none either."""

    q: Floats
    """``(n, coordinates)`` configurations of the spanning tree."""
    joint_position: Floats
    """``(n, coordinates)`` of all joints, as in ``batch.joint_position`` [m, rad]."""
    solved: NDArray[np.bool_]
    """``(n,)`` all goals are met, loops closed, limits kept. Where not, the pose is the nearest that was found."""
    error: Floats
    """``(n, goals)`` how far each goal is missed [m or rad], in the order of ``goals``."""
    loop_gap: Floats
    """``(n,)`` how far loops are open [m or rad]."""
    iterations: NDArray[np.int64]
    """``(n,)`` steps of the search."""
    goals: tuple[str, ...]
    """What the columns of ``error`` are about, as ``"foot.position"``."""
    distance: Floats
    """``(n,)`` least distance of bodies that could touch, where ``clearance`` was asked for [m]; else infinite."""


class Step(NamedTuple):
    """Poses after one period. Without a batch axis in ``q``, arrays have none either."""

    q: Floats
    """``(n, coordinates)`` configurations of the spanning tree."""
    velocity: Floats
    """``(n, velocities)`` mean velocities of the period [rad/s or m/s]."""
    solved: NDArray[np.bool_]
    """``(n,)`` goals are met."""
    error: Floats
    """``(n, goals)`` how far each goal is missed [m or rad]."""
    distance: Floats
    """``(n,)`` least distance of bodies that could touch, where ``clearance`` was asked for [m]; else infinite."""


class Trajectory(NamedTuple):
    """A path in time."""

    times: Floats
    """``(n,)`` when each pose is passed [s]."""
    q: Floats
    """``(n, coordinates)`` configurations of the spanning tree."""
    velocity: Floats
    """``(n, velocities)`` [rad/s or m/s]."""
    solved: NDArray[np.bool_]
    """``(n,)`` goals are met."""
    error: Floats
    """``(n, goals)`` how far each goal is missed [m or rad]."""


def solve(
    model: Model,
    goals: Mapping[str, Goal],
    start: Any = None,
    *,
    joints: Optional[Mapping[str, Any]] = None,
    center_of_mass: Union[Goal, Any] = None,
    stay: float = 0.0,
    hold: Sequence[str] = (),
    pairs: Sequence[Pair] = (),
    free_base: bool = False,
    restarts: int = 24,
    iterations: int = 60,
    tolerance: float = 1e-6,
    loop_tolerance: float = 0.0,
    loop_floor: float = 0.0,
    clearance: Optional[float] = None,
    seed: int = 0,
    threads: int = 1,
) -> Solution:
    """Finds poses that meet goals: loops closed to 1e-9, joints within their limits.

    ``goals`` are by name of body or site; ``joints`` asks joints for values [rad or m]; ``center_of_mass`` is a
    position, or a :class:`Goal` with one. With ``stay`` > 0, joints stay near the start as far as goals leave room.
    Frames in ``hold`` stay where the start has them: contacts. ``pairs`` are ``(first, second, factor)``: the first
    joint is ``factor`` times the second. A floating base is held where ``start`` has it unless ``free_base``. ``start``
    is ``(coordinates,)`` or ``(n, coordinates)``, the reference pose by default; goals that are not reached from there
    are tried from ``restarts`` random poses. A goal out of reach gives the nearest pose: ``error`` says by how much it
    is missed. Loops of a file whose numbers contradict each other count as closed where no motion closes them further
    and they are open by at most ``loop_floor`` [m, rad]. With ``clearance`` [m] bodies that could touch each other, or
    something that stands in the world, keep at least that distance.
    """
    asked = ask(goals, joints, center_of_mass, stay, hold, pairs)
    native = mechanism_of(model)
    begin = np.zeros(0) if start is None else np.asarray(start, dtype=np.float64).reshape(-1)
    how = (restarts, iterations, free_base, [tolerance, tolerance, loop_tolerance, loop_floor], seed, threads)
    told = (asked.told, asked.rows.reshape(-1).tolist(), begin.tolist(), how)
    if clearance is None:
        (q, solved, error, gap, steps), distance = native.solve(*told), [np.inf] * len(asked.rows)
    else:
        (q, solved, error, gap, steps), distance = native.solve_clear(*told, float(clearance))
    count = len(solved)
    all_joints = np.array(native.joint_positions(q)).reshape(count, -1)
    arrays: list[Any] = [
        np.array(q).reshape(count, -1),
        all_joints,
        np.array(solved, dtype=np.bool_),
        np.array(error).reshape(count, -1),
        np.array(gap),
        np.array(steps, dtype=np.int64),
        np.array(distance),
    ]
    if asked.alone:
        arrays = [array[0] for array in arrays]
    pose, positions, done, errors, gaps, taken, apart = arrays
    return Solution(pose, positions, done, errors, gaps, taken, asked.names, apart)


def step(
    model: Model,
    goals: Mapping[str, Goal],
    q: Any,
    dt: float,
    *,
    speed: Any = None,
    joints: Optional[Mapping[str, Any]] = None,
    center_of_mass: Union[Goal, Any] = None,
    stay: float = 0.0,
    hold: Sequence[str] = (),
    pairs: Sequence[Pair] = (),
    free_base: bool = False,
    iterations: int = 60,
    clearance: Optional[float] = None,
    threads: int = 1,
) -> Step:
    """One period of ``dt`` seconds of robots that are led by hand, from one pose or ``(n, coordinates)``.

    No joint moves faster than ``speed`` (a number for all motors' joints, or ``(velocities,)``; those of the model by
    default), limits hold and loops stay closed; of all such poses it is the one nearest to the goals. With
    ``clearance`` [m] bodies keep that distance, as in :func:`solve`: the robot slides along what is in its way, or
    stays.
    """
    asked = ask(goals, joints, center_of_mass, stay, hold, pairs)
    native, poses = mechanism_of(model), poses_of(model, q)
    rows = np.broadcast_to(asked.rows, (len(poses), asked.rows.shape[1])) if len(asked.rows) == 1 else asked.rows
    how = (0, iterations, free_base, [1e-6, 1e-6, 0.0, 0.0], 0, threads)
    given = (how, float(dt), _bounds(model, speed))
    told = (asked.told, rows.reshape(-1).tolist(), poses.reshape(-1).tolist(), given)
    if clearance is None:
        found, apart = native.step(*told), [np.inf] * len(poses)
    else:
        found, apart = native.step_clear(*told, float(clearance))
    pose, velocity, solved, error = (np.array(array) for array in found)
    count = len(poses)
    arrays = [pose.reshape(count, -1), velocity.reshape(count, -1), solved.astype(np.bool_), error.reshape(count, -1)]
    arrays.append(np.array(apart))
    if np.asarray(q).ndim == 1:
        arrays = [array[0] for array in arrays]
    return Step(*arrays)


def follow(
    model: Model,
    goals: Mapping[str, Goal],
    start: Any = None,
    *,
    speed: Any = None,
    acceleration: Any = None,
    joints: Optional[Mapping[str, Any]] = None,
    center_of_mass: Union[Goal, Any] = None,
    hold: Sequence[str] = (),
    pairs: Sequence[Pair] = (),
    free_base: bool = False,
    restarts: int = 24,
) -> Trajectory:
    """Follows a path of goals ``(n, …)`` as fast as bounds allow, from standing to standing.

    ``speed`` and ``acceleration`` are a number for all motors' joints, or ``(velocities,)`` with ``inf`` for none.
    """
    asked = ask(goals, joints, center_of_mass, 0.0, hold, pairs)
    begin = np.zeros(0) if start is None else np.asarray(start, dtype=np.float64).reshape(-1)
    how = (restarts, 60, free_base, [1e-6, 1e-6, 0.0, 0.0], 0, 1)
    given = (how, _bounds(model, speed), _bounds(model, acceleration))
    times, q, v, solved, error = mechanism_of(model).follow(
        asked.told, asked.rows.reshape(-1).tolist(), begin.tolist(), given
    )
    count = len(times)
    wide = [np.array(array).reshape(count, -1) for array in (q, v, error)]
    return Trajectory(np.array(times), wide[0], wide[1], np.array(solved, dtype=np.bool_), wide[2])


def _bounds(model: Model, value: Any) -> list[float]:
    """By velocity; nothing for what the model says."""
    if value is None:
        return []
    array = np.asarray(value, dtype=np.float64)
    if array.ndim == 1:
        return [float(x) for x in array]
    if array.ndim != 0:
        raise WrongShape(f"a bound has the shape {array.shape}, expected: () or (velocities,)")
    return mechanism_of(model).motor_bounds(float(array))
