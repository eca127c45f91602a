"""Control by simulation: planners that try many controls in worlds of their own and keep what was cheap.

>>> import bellcrank as bc
>>> plant = bc.Batch(bc.load("linkage_hand"))
>>> cost = bc.control.Cost([bc.control.Posture({"first_flexion": 0.3}, weight=1.0)])
>>> planner = bc.control.Mppi(plant, cost, horizon=8, samples=32)
>>> planner.plan().shape
(12,)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from bellcrank import _native
from bellcrank._arguments import whole
from bellcrank.batch import Batch
from bellcrank.errors import NoSuchWorld, WrongShape, WrongType, WrongValue
from bellcrank.solvers import ComFree, Solver

__all__ = [
    "Contact",
    "Control",
    "Cost",
    "CrossEntropy",
    "Fallen",
    "JointRate",
    "Mppi",
    "Orientation",
    "Plan",
    "Planner",
    "Position",
    "Posture",
    "PredictiveSampling",
    "Velocity",
    "Worlds",
]

Floats = NDArray[np.float64]
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

    control: Floats
    """``(worlds, actuators)``: what the motors were told in this step."""
    step: int
    """Which step of the horizon it was, from zero."""
    time: float
    """Since the start of the plan [s]."""
    last: bool
    """It was the last one: what the end is worth belongs into its cost."""

    def __init__(self, arrays: Mapping[str, Floats], control: Floats, when: tuple[int, float, bool]) -> None:
        self._arrays = arrays
        self.control = control
        self.step, self.time, self.last = when

    def __getattr__(self, name: str) -> Floats:
        try:
            return self._arrays[name]
        except KeyError:
            raise AttributeError(f"the cost does not list {name!r} among its needs: needs=[{name!r}, …]") from None


class Plan(NamedTuple):
    """What a planning step found."""

    best_cost: float
    """Cost of the cheapest sample."""
    nominal_cost: float
    """Cost of the plan that there was before."""
    mean_cost: float
    """Mean of the costs that can be used."""
    spread: float
    """Their standard deviation."""
    effective_samples: float
    """Samples that had a say."""
    seconds: float
    """Wall-clock time of the planning step [s]."""
    best: int
    """The cheapest sample; zero is the plan that there was before."""
    usable: int
    """Samples that could be chosen."""
    frozen: int
    """Samples whose world froze."""
    not_finite: int
    """Samples whose cost is not finite."""
    hopeless: int
    """Samples that cost more than ``hopeless``."""


CostFunction = Callable[[Worlds], Any]


class Planner:
    """Plans for a world of ``batch`` by trying controls in ``samples`` worlds of the planner's own.

    ``cost`` is a :class:`Cost`, or a function that takes :class:`Worlds` and returns an array with the cost of the
    step for each world; ``needs`` names the arrays that the function looks at. The worlds of the planner have the
    step ``dt`` (that of ``batch`` unless given), ``precision`` and ``solver`` (:class:`ComFree` unless given).
    Between ``knots`` controls are held, linear or cubic (``spline``); without ``increment`` the numbers are what
    the motors are told, with it changes of at most so much per step. ``sigma`` is the noise, one number or one per
    motor. ``iterations`` rounds have ``anneal`` times the noise of the round before; ``settled`` is the share of
    the noise at the start of the horizon. Samples that cost more than ``hopeless`` are given up. The same ``seed``
    gives the same plans, whatever ``threads``.
    """

    def __init__(
        self,
        batch: Batch,
        cost: Union[Cost, CostFunction],
        method: tuple[str, float, float],
        *,
        horizon: int = 48,
        samples: int = 256,
        sigma: Union[float, Sequence[float]] = 0.02,
        seed: int = 0,
        knots: Optional[int] = None,
        spline: str = "hold",
        increment: Optional[float] = None,
        iterations: int = 1,
        anneal: float = 0.7,
        settled: float = 1.0,
        hopeless: float = float("inf"),
        needs: Sequence[str] = NEEDS,
        world: int = 0,
        dt: Optional[float] = None,
        precision: str = "f32",
        solver: Optional[Solver] = None,
        threads: int = 0,
    ) -> None:
        if not isinstance(batch, Batch):
            raise WrongType(f"a planner plans for a Batch, not for {type(batch).__name__}")
        self._batch, self._world = batch, whole("world", world)
        if self._world >= batch.worlds:
            raise NoSuchWorld(f"there is no world {self._world}; the batch has {batch.worlds}")
        model = batch.models[self._world]
        self._dt = batch.dt if dt is None else float(dt)
        self._motors = len(model.actuator_names)
        settings = (solver or ComFree())._settings()
        worlds = (whole("samples", samples), self._dt, precision, whole("threads", threads), settings)
        noise = [float(x) for x in np.atleast_1d(np.asarray(sigma, dtype=np.float64))]
        count = None if knots is None else whole("knots", knots)
        shares = [float(anneal), float(settled), float(hopeless)]
        how = (
            method,
            whole("horizon", horizon),
            count,
            spline,
            noise,
            None if increment is None else float(increment),
            whole("iterations", iterations),
            shares,
            whole("seed", seed),
        )
        terms, called = None, None
        if isinstance(cost, Cost):
            terms = ([t._told() for t in cost.running], [t._told() for t in cost.terminal])
        elif callable(cost):
            called = (_function(cost, tuple(needs)), list(needs))
        else:
            raise WrongType(f"a cost is a bellcrank.control.Cost or a function, not {type(cost).__name__}")
        self._native = _native.Planner(model, worlds, how, terms, called)
        self._plan: Optional[Plan] = None

    def plan(self, elapsed: Optional[float] = None) -> Floats:
        """Plans from the state of the batch and returns what the motors shall be told now, ``(actuators,)``.

        ``elapsed`` is the time since the last plan [s], by which it is moved on: one step unless given.
        """
        first = self._plan is None
        since = (0.0 if first else self._dt) if elapsed is None else float(elapsed)
        self._batch._push()  # what was written into its arrays is part of its state
        figures, counts = self._native.plan(self._batch._native, self._world, since)
        best, nominal, mean, spread, effective, seconds = figures
        self._plan = Plan(best, nominal, mean, spread, effective, seconds, *counts)
        now: Floats = self.sequence[0]
        return now

    @property
    def report(self) -> Plan:
        """What the last planning step found."""
        if self._plan is None:
            raise WrongValue("there is no plan yet", hint="call plan()")
        return self._plan

    @property
    def sequence(self) -> Floats:
        """``(horizon, actuators)``: what the motors shall be told, step after step from the start of the last plan."""
        return self._native.sequence().reshape(-1, self._motors)

    @property
    def costs(self) -> Floats:
        """``(samples,)`` of the last plan; infinite for those that cannot be chosen."""
        return self._native.costs()

    def rest(self) -> None:
        """Forgets the plan at hand."""
        self._native.rest()


def _function(cost: CostFunction, needs: tuple[str, ...]) -> Callable[..., Floats]:
    def called(arrays: list[Floats], control: Floats, step: int, time: float, last: bool) -> Floats:
        worlds = Worlds(dict(zip(needs, arrays)), control, (step, time, last))
        return np.ascontiguousarray(cost(worlds), dtype=np.float64)

    return called


class Mppi(Planner):
    """Model-predictive path integral control: samples count by ``exp(-(cost - least)/temperature)``.

    With ``relative=True`` the temperature is a share of the costs' standard deviation.
    """

    def __init__(
        self,
        batch: Batch,
        cost: Union[Cost, CostFunction],
        *,
        temperature: float = 2e-3,
        relative: bool = False,
        **options: Any,
    ) -> None:
        method = ("mppi_relative" if relative else "mppi", float(temperature), 0.0)
        super().__init__(batch, cost, method, **options)


class PredictiveSampling(Planner):
    """Takes the cheapest sample."""

    def __init__(self, batch: Batch, cost: Union[Cost, CostFunction], **options: Any) -> None:
        super().__init__(batch, cost, ("predictive_sampling", 0.0, 0.0), **options)


class CrossEntropy(Planner):
    """Takes mean and deviation of the ``elites`` cheapest samples; noise stays above ``floor`` of where it began."""

    def __init__(
        self,
        batch: Batch,
        cost: Union[Cost, CostFunction],
        *,
        elites: int = 16,
        floor: float = 0.05,
        **options: Any,
    ) -> None:
        super().__init__(batch, cost, ("cross_entropy", float(whole("elites", elites)), float(floor)), **options)
