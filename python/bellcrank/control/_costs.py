"""What a rollout costs: terms that the engine adds up, and what a function of one's own sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from bellcrank.errors import WrongShape, WrongValue

Floats = NDArray[np.float64]
Tried = tuple[Floats, NDArray[np.int64]]
Told = tuple[str, list[str], list[list[float]], float]
NEEDS = ("joint_position", "body_position", "body_quat_wxyz", "body_velocity")
"""What a cost that is a function looks at unless told otherwise."""


def _row(what: str, values: Any, count: Optional[int] = None) -> list[float]:
    row = np.asarray(values, dtype=np.float64)
    if row.ndim == 0 and count is not None:
        row = np.full(count, float(row))
    if row.ndim != 1 or (count is not None and row.size != count):
        raise WrongShape(f"{what} has the shape {row.shape}, expected: ({count or 'n'},)")
    return [float(x) for x in row]


@dataclass(frozen=True)
class Position:
    """``Σ w |p - target|`` of a body's centre of mass by axis, or ``w ‖p - target‖²`` [m]."""

    body: str
    target: Sequence[float]
    weight: Union[float, Sequence[float]] = 1.0
    squared: bool = False

    def _told(self) -> Told:
        target = _row("target", self.target, 3)
        if self.squared:
            return "position_squared", [self.body], [target], float(np.asarray(self.weight))
        return "position", [self.body], [target, _row("weight", self.weight, 3)], 1.0


@dataclass(frozen=True)
class Orientation:
    """``w (1 - (target · q)²)`` of a body: the sine squared of half the angle that is left."""

    body: str
    target_wxyz: Sequence[float]
    weight: float = 1.0

    def _told(self) -> Told:
        target = np.asarray(_row("target_wxyz", self.target_wxyz, 4))
        norm = float(np.linalg.norm(target))
        if not norm > 0.0:
            raise WrongValue("target_wxyz is no orientation: its norm is zero or no number")
        return "orientation", [self.body], [[float(x) for x in target / norm]], float(self.weight)


@dataclass(frozen=True)
class Velocity:
    """``Σ w (V - target)²`` of a body's centre of mass, linear part first [m/s, rad/s]."""

    body: str
    target: Sequence[float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    weight: Union[float, Sequence[float]] = 1.0

    def _told(self) -> Told:
        return "velocity", [self.body], [_row("target", self.target, 6), _row("weight", self.weight, 6)], 1.0


@dataclass(frozen=True)
class Posture:
    """``w Σ (q - target)²`` over the named joints [rad or m]; the second coordinate of a joint is ``"name[1]"``."""

    target: Mapping[str, float]
    weight: float = 1.0

    def _told(self) -> Told:
        values = [float(value) for value in self.target.values()]
        return "posture", list(self.target), [values], float(self.weight)


@dataclass(frozen=True)
class JointRate:
    """``w Σ q̇²`` over the named joints [rad/s or m/s]."""

    joints: Sequence[str]
    weight: float = 1.0

    def _told(self) -> Told:
        return "joint_rate", list(self.joints), [], float(self.weight)


@dataclass(frozen=True)
class Control:
    """``w Σ (u - rest)²`` over what the motors are told."""

    rest: Sequence[float]
    weight: float = 1.0

    def _told(self) -> Told:
        return "control", [], [_row("rest", self.rest)], float(self.weight)


@dataclass(frozen=True)
class Contact:
    """``w Σ ‖p - point‖²`` between a body's centre of mass and points of other bodies, in their link frames [m]."""

    body: str
    points: Mapping[str, Sequence[float]]
    weight: float = 1.0

    def _told(self) -> Told:
        numbers = [_row(f"the point of {name}", point, 3) for name, point in self.points.items()]
        return "contact", [self.body, *self.points], numbers, float(self.weight)


@dataclass(frozen=True)
class Fallen:
    """``w`` in every step in which a body's centre of mass is below a height [m]."""

    body: str
    height: float
    weight: float = 1.0

    def _told(self) -> Told:
        return "fallen", [self.body], [[float(self.height)]], float(self.weight)


Term = Union[Position, Orientation, Velocity, Posture, JointRate, Control, Contact, Fallen]


@dataclass(frozen=True)
class Cost:
    """A sum of terms, computed by the engine: ``running`` ones in every step, ``terminal`` ones at the end."""

    running: Sequence[Term]
    terminal: Sequence[Term] = field(default_factory=tuple)


class Worlds:
    """What a cost that is a function sees: arrays of all worlds after a step, as attributes, worlds first."""

    sample: NDArray[np.int64]
    """``(worlds,)``: which sample each world tries; those that are given up are not among them."""
    control: Floats
    """``(worlds, actuators)``: what the motors were told in this step."""
    step: int
    """Which step of the horizon it was, from zero."""
    time: float
    """Since the start of the plan [s]."""
    last: bool
    """It was the last one: what the end is worth belongs into its cost."""

    def __init__(self, arrays: Mapping[str, Floats], tried: Tried, when: tuple[int, float, bool]) -> None:
        self._arrays = arrays
        self.control, self.sample = tried
        self.step, self.time, self.last = when

    def __getattr__(self, name: str) -> Floats:
        try:
            return self._arrays[name]
        except KeyError:
            raise AttributeError(f"the cost does not list {name!r} among its needs: needs=[{name!r}, …]") from None


def _terms(cost: Cost) -> tuple[list[Told], list[Told]]:
    return [term._told() for term in cost.running], [term._told() for term in cost.terminal]
