"""What a pose shall achieve, and how the engine is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from bellcrank.errors import WrongShape, WrongValue
from bellcrank.kinematics._mechanism import Floats

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


class Asked(NamedTuple):
    """Goals as the engine is told them."""

    told: list[tuple[str, str, list[float], Optional[str], int, float, list[float], bool]]
    names: tuple[str, ...]
    rows: Floats
    alone: bool


def ask(
    goals: Mapping[str, Goal],
    joints: Optional[Mapping[str, Any]],
    center_of_mass: Union[Goal, Any],
    stay: float,
    hold: Sequence[str],
    pairs: Sequence[Pair],
) -> Asked:
    told: list[tuple[str, str, list[float], Optional[str], int, float, list[float], bool]] = []
    targets: list[tuple[str, int, Any]] = []

    def add(what: str, name: str, goal: Goal, vector: Sequence[float], value: Any, width: int) -> None:
        axes, point = three("axes", goal.axes), three("point", vector)
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
    return Asked(told, tuple(name for name, _, _ in targets), rows, alone)


def three(what: str, value: Sequence[float]) -> list[float]:
    numbers = [float(x) for x in value]
    if len(numbers) != 3:
        raise WrongShape(f"{what} has {len(numbers)} numbers, expected: 3")
    return numbers


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
