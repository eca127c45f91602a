"""Kinematics of mechanisms with loops: say what a hand or foot does, and the whole linkage follows.

A pose is a configuration ``q`` of the spanning tree, in the order of :func:`bellcrank.tree.coordinate_names`;
joints that close loops follow from it. Everything is computed in float64.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional, Union
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from bellcrank import _native
from bellcrank._native import Model
from bellcrank.errors import WrongShape, WrongValue

__all__ = [
    "Goal",
    "Samples",
    "Solution",
    "Step",
    "Trajectory",
    "Workspace",
    "body_poses",
    "branch",
    "follow",
    "holds",
    "joint_position",
    "keyframe",
    "motor_jacobian",
    "rest",
    "sample",
    "solve",
    "step",
    "workspace",
]

Floats = NDArray[np.float64]
Pair = tuple[str, str, float]


@dataclass(frozen=True, eq=False)
class Goal:
    """What a frame (a body or a site) shall do. Arrays of ``(n, …)`` ask for n poses at once."""

    position: Any = None
    """``(3,)`` or ``(n, 3)``: where its origin, or ``point``, shall be [m]."""
    quat_wxyz: Any = None
    """``(4,)`` or ``(n, 4)``: how it shall be turned."""
    look_at: Any = None
    """``(3,)`` or ``(n, 3)``: the point of the world that ``axis`` shall point at [m]."""
    weight: float = 1.0
    """Squares of errors [m², rad²] are weighed with this, where not all goals can be met."""
    axes: Sequence[float] = (1.0, 1.0, 1.0)
    """Further weights by axis; zero for an axis that does not matter."""
    point: Sequence[float] = (0.0, 0.0, 0.0)
    """The point of the frame that ``position`` is about [m]."""
    axis: Sequence[float] = (1.0, 0.0, 0.0)
    """The axis of the frame that ``look_at`` is about."""
    relative_to: Optional[str] = None
    """Another frame in which ``position`` and ``quat_wxyz`` are told, instead of the world."""
    second: bool = False
    """Met only as far as the other goals leave room."""


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


class Workspace(NamedTuple):
    """Where a frame can be."""

    points: Floats
    """``(n, 3)`` [m]."""
    smallest: Floats
    """``(n,)`` smallest singular value of the actuated Jacobian there, see :func:`holds`."""
    svg: str
    """A picture from the front, from the side and from above."""


class Samples(NamedTuple):
    """Random poses."""

    q: Floats
    """``(n, coordinates)`` configurations of the spanning tree; the reference pose where none was found."""
    found: NDArray[np.bool_]
    """``(n,)`` whether one was found."""


_KNOWN: WeakKeyDictionary[Model, _native.Kinematics] = WeakKeyDictionary()


def _of(model: Model) -> _native.Kinematics:
    known = _KNOWN.get(model)
    if known is None:
        known = _KNOWN[model] = _native.Kinematics(model)
    return known


def rest(model: Model) -> Floats:
    """The reference pose, ``(coordinates,)``."""
    return np.array(_of(model).rest())


def keyframe(model: Model, name: str) -> Floats:
    """The pose of a keyframe, ``(coordinates,)``; loops are as open as the keyframe leaves them."""
    return np.array(_of(model).keyframe(name))


class _Asked(NamedTuple):
    """Goals as the engine is told them."""

    told: list[tuple[str, str, list[float], Optional[str], int, float, list[float], bool]]
    names: tuple[str, ...]
    rows: Floats
    alone: bool


def _ask(
    goals: Mapping[str, Goal],
    joints: Optional[Mapping[str, Any]],
    center_of_mass: Union[Goal, Any],
    stay: float,
    hold: Sequence[str],
    pairs: Sequence[Pair],
) -> _Asked:
    told: list[tuple[str, str, list[float], Optional[str], int, float, list[float], bool]] = []
    targets: list[tuple[str, int, Any]] = []

    def add(what: str, name: str, goal: Goal, vector: Sequence[float], value: Any, width: int) -> None:
        axes, point = _three("axes", goal.axes), _three("point", vector)
        told.append((what, name, point, goal.relative_to, 0, float(goal.weight), axes, goal.second))
        targets.append((f"{name}.{what}" if name else what, width, value))

    none = (0.0, 0.0, 0.0)
    for name, goal in goals.items():
        if goal.position is None and goal.quat_wxyz is None and goal.look_at is None:
            raise WrongValue(f"the goal of {name!r} says nothing", hint="give position, quat_wxyz or look_at")
        if goal.position is not None:
            add("position", name, goal, goal.point, goal.position, 3)
        if goal.quat_wxyz is not None:
            add("quat_wxyz", name, goal, none, goal.quat_wxyz, 4)
        if goal.look_at is not None:
            add("look_at", name, goal, goal.axis, goal.look_at, 3)
    for name, value in (joints or {}).items():
        add("joint", name, Goal(), none, np.asarray(value, dtype=np.float64)[..., None], 1)
    if center_of_mass is not None:
        goal = center_of_mass if isinstance(center_of_mass, Goal) else Goal(position=center_of_mass)
        add("center_of_mass", "", goal, none, goal.position, 3)
    for first, second, factor in pairs:
        add("pair", first, Goal(relative_to=second), (float(factor), 0.0, 0.0), np.zeros(1), 1)
    rows, alone = _rows(targets)
    for name in hold:
        add("hold", name, Goal(), none, None, 0)
    if stay > 0.0:
        add("stay", "", Goal(weight=stay, second=True), none, None, 0)
    return _Asked(told, tuple(name for name, _, _ in targets), rows, alone)


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
    and they are open by at most ``loop_floor`` [m, rad].
    """
    asked = _ask(goals, joints, center_of_mass, stay, hold, pairs)
    native = _of(model)
    begin = np.zeros(0) if start is None else np.asarray(start, dtype=np.float64).reshape(-1)
    how = (restarts, iterations, free_base, [tolerance, tolerance, loop_tolerance, loop_floor], seed, threads)
    q, solved, error, gap, steps = native.solve(asked.told, asked.rows.reshape(-1).tolist(), begin.tolist(), how)
    count = len(solved)
    all_joints = np.array(native.joint_positions(q)).reshape(count, -1)
    arrays: list[Any] = [
        np.array(q).reshape(count, -1),
        all_joints,
        np.array(solved, dtype=np.bool_),
        np.array(error).reshape(count, -1),
        np.array(gap),
        np.array(steps, dtype=np.int64),
    ]
    if asked.alone:
        arrays = [array[0] for array in arrays]
    pose, positions, done, errors, gaps, taken = arrays
    return Solution(pose, positions, done, errors, gaps, taken, asked.names)


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
    threads: int = 1,
) -> Step:
    """One period of ``dt`` seconds of robots that are led by hand, from one pose or ``(n, coordinates)``.

    No joint moves faster than ``speed`` (a number for all motors' joints, or ``(velocities,)``; those of the model by
    default), limits hold and loops stay closed; of all such poses it is the one nearest to the goals.
    """
    asked = _ask(goals, joints, center_of_mass, stay, hold, pairs)
    native, poses = _of(model), _poses(model, q)
    rows = np.broadcast_to(asked.rows, (len(poses), asked.rows.shape[1])) if len(asked.rows) == 1 else asked.rows
    how = (0, iterations, free_base, [1e-6, 1e-6, 0.0, 0.0], 0, threads)
    given = (how, float(dt), _bounds(model, speed))
    found = native.step(asked.told, rows.reshape(-1).tolist(), poses.reshape(-1).tolist(), given)
    pose, velocity, solved, error = (np.array(array) for array in found)
    count = len(poses)
    arrays = [pose.reshape(count, -1), velocity.reshape(count, -1), solved.astype(np.bool_), error.reshape(count, -1)]
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
    asked = _ask(goals, joints, center_of_mass, 0.0, hold, pairs)
    begin = np.zeros(0) if start is None else np.asarray(start, dtype=np.float64).reshape(-1)
    how = (restarts, 60, free_base, [1e-6, 1e-6, 0.0, 0.0], 0, 1)
    given = (how, _bounds(model, speed), _bounds(model, acceleration))
    times, q, v, solved, error = _of(model).follow(asked.told, asked.rows.reshape(-1).tolist(), begin.tolist(), given)
    count = len(times)
    wide = [np.array(array).reshape(count, -1) for array in (q, v, error)]
    return Trajectory(np.array(times), wide[0], wide[1], np.array(solved, dtype=np.bool_), wide[2])


def workspace(model: Model, frame: str, count: int = 2000, seed: int = 0) -> Workspace:
    """Where a frame can be, from random poses that close and keep limits on the branch of the reference pose."""
    points, singular, svg = _of(model).workspace(frame, count, seed)
    return Workspace(np.array(points).reshape(-1, 3), np.array(singular), svg)


def _bounds(model: Model, value: Any) -> list[float]:
    """By velocity; nothing for what the model says."""
    if value is None:
        return []
    array = np.asarray(value, dtype=np.float64)
    if array.ndim == 1:
        return [float(x) for x in array]
    if array.ndim != 0:
        raise WrongShape(f"a bound has the shape {array.shape}, expected: () or (velocities,)")
    return _of(model).motor_bounds(float(array))


def holds(model: Model, q: Any, threads: int = 1) -> tuple[Floats, NDArray[np.int64]]:
    """How well motors hold poses ``(n, coordinates)``: smallest singular value of the actuated Jacobian, and mobility.

    Near zero the mechanism moves although its motors stand still. Floating bases count as held.
    """
    smallest, mobility = _of(model).holds(_poses(model, q).reshape(-1).tolist(), threads)
    return np.array(smallest), np.array(mobility, dtype=np.int64)


def motor_jacobian(model: Model, q: Any, frame: str) -> Floats:
    """How a frame moves per unit of each driven coordinate's rate in one pose, ``(6, driven coordinates)``.

    Linear velocity of its origin, then angular, in world axes. Its transpose gives the efforts that a load asks for.
    """
    return np.array(_of(model).motor_jacobian(_poses(model, q)[0].tolist(), frame)).reshape(6, -1)


def branch(model: Model, q: Any) -> NDArray[np.int64]:
    """Which way each limb with loops is assembled in one pose: +1, -1, or 0 where motors do not tell."""
    return np.array(_of(model).branch(_poses(model, q)[0].tolist()), dtype=np.int64)


def joint_position(model: Model, q: Any) -> Floats:
    """Coordinates of all joints, closing ones too, ``(n, coordinates)`` as in ``batch.joint_position``."""
    poses = _poses(model, q)
    return np.array(_of(model).joint_positions(poses.reshape(-1).tolist())).reshape(len(poses), -1)


def body_poses(model: Model, q: Any) -> tuple[Floats, Floats]:
    """Centres of mass ``(n, bodies, 3)`` [m] and quaternions ``(n, bodies, 4)`` of all bodies, as a batch has them."""
    poses = _poses(model, q)
    numbers = np.array(_of(model).body_poses(poses.reshape(-1).tolist())).reshape(len(poses), -1, 7)
    return numbers[..., :3], numbers[..., 3:]


def sample(
    model: Model,
    count: Union[int, Sequence[int]],
    *,
    joints: Optional[Sequence[str]] = None,
    limits_margin: float = 0.02,
    clearance: float = 0.0,
    singular_margin: float = 0.0,
    loop_floor: float = 0.0,
    feet: Sequence[str] = (),
    attempts: int = 200,
    seed: int = 0,
    threads: int = 1,
) -> Samples:
    """Random poses that are safe to start from.

    Loops are closed, joints keep away from their limits by ``limits_margin`` of their range, parts of the robot are at
    least ``clearance`` [m] apart, the smallest singular value is at least ``singular_margin`` (see :func:`holds`),
    and limbs are assembled as in the reference pose. Values are drawn for ``joints``, by default those that motors
    drive. ``feet`` are frames that stand on the ground as they do in the reference pose. ``loop_floor`` is how far
    loops may be open that no motion closes further, as in :func:`solve` [m and rad]. ``count`` is how many, or a list
    of the numbers of the poses wanted: the i-th pose is the same in every call with the same seed.
    """
    margins = [float(limits_margin), float(clearance), float(singular_margin), float(loop_floor)]
    draw = (list(joints or ()), margins, list(feet), attempts, seed, threads)
    numbers = list(range(count)) if isinstance(count, int) else [int(number) for number in count]
    q, found = _of(model).sample(numbers, draw)
    return Samples(np.array(q).reshape(len(numbers), -1), np.array(found, dtype=np.bool_))


def _three(what: str, value: Sequence[float]) -> list[float]:
    numbers = [float(x) for x in value]
    if len(numbers) != 3:
        raise WrongShape(f"{what} has {len(numbers)} numbers, expected: 3")
    return numbers


def _poses(model: Model, q: Any) -> Floats:
    array = np.asarray(q, dtype=np.float64)
    width = len(_of(model).rest())
    if array.ndim not in (1, 2) or array.shape[-1] != width:
        raise WrongShape(f"q has the shape {array.shape}, expected: ({width},) or (n, {width})")
    return array.reshape(-1, width)


def _rows(targets: list[tuple[str, int, Any]]) -> tuple[Floats, bool]:
    """All targets side by side, one row per pose; whether there was no batch axis."""
    if not targets:
        raise WrongValue("there is no goal", hint="give goals, joints or center_of_mass")
    arrays = []
    for name, width, value in targets:
        array = np.asarray(value, dtype=np.float64)
        if array.ndim not in (1, 2) or array.shape[-1] != width:
            raise WrongShape(f"{name} has the shape {array.shape}, expected: ({width},) or (n, {width})")
        arrays.append(array)
    alone = all(array.ndim == 1 for array in arrays)
    counts = {len(array) for array in arrays if array.ndim == 2}
    if len(counts) > 1:
        raise WrongShape(f"goals ask for different numbers of poses: {sorted(counts)}")
    count = counts.pop() if counts else 1
    wide = [np.broadcast_to(array, (count, array.shape[-1])) for array in arrays]
    return np.ascontiguousarray(np.concatenate(wide, axis=1)), alone
