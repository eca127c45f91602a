"""Planners that try controls in worlds of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np

from bellcrank import _native
from bellcrank._arguments import whole
from bellcrank.batch import Batch
from bellcrank.control._costs import NEEDS, Cost, Floats, Tried, Worlds, _terms
from bellcrank.errors import NoSuchWorld, WrongType, WrongValue
from bellcrank.solvers import ComFree, Solver


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
    the motors are told, with it changes of at most so much per step, and with ``offset=True`` they are added to the
    controls of :meth:`set_reference`. ``sigma`` is the noise, one number or one per motor. ``iterations`` rounds have
    ``anneal`` times the noise of the round before; ``settled`` is the share of the noise at the start of the horizon.
    Samples that cost more than ``hopeless`` are given up, and after half of the horizon all but the share
    ``survivors``; a function then sees fewer worlds. The same ``seed`` gives the same plans, whatever
    ``threads``.
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
        offset: bool = False,
        iterations: int = 1,
        anneal: float = 0.7,
        settled: float = 1.0,
        hopeless: float = float("inf"),
        survivors: float = 1.0,
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
        shares = [float(anneal), float(settled), float(hopeless), float(survivors)]
        change = (None if increment is None else float(increment), bool(offset))
        between = (whole("horizon", horizon), None if knots is None else whole("knots", knots), spline)
        how = _how(method, between, sigma, change, (whole("iterations", iterations), shares, whole("seed", seed)))
        terms, called = None, None
        if isinstance(cost, Cost):
            terms = _terms(cost)
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

    def set_reference(self, controls: Any) -> None:
        """The controls ``(horizon, actuators)`` that offsets are added to, until they are set again."""
        self._native.set_reference(_numbers(controls))

    def adopt(self, controls: Any) -> None:
        """Takes controls ``(horizon, actuators)`` that another planner found as the plan at hand."""
        if self._plan is None:
            raise WrongValue("there is no plan yet to be replaced", hint="call plan() first")
        self._native.adopt(_numbers(controls))

    def set_parameters(self, **rows: Any) -> None:
        """What its worlds are like from now on: parameters by name with the numbers of one world, as
        ``body_mass=batch.body_mass[0]``. Whoever identifies the plant while it runs tells the planner so."""
        for name, row in rows.items():
            self._native.set_parameter(name, _numbers(row))

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


def _numbers(values: Any) -> list[float]:
    return [float(x) for x in np.asarray(values, dtype=np.float64).reshape(-1)]


def _how(
    method: tuple[str, float, float],
    between: tuple[int, Optional[int], str],
    sigma: Union[float, Sequence[float]],
    change: tuple[Optional[float], bool],
    rounds: tuple[int, list[float], int],
) -> _native._How:
    """How to plan, as the native part is told."""
    noise = _numbers(np.atleast_1d(np.asarray(sigma, dtype=np.float64)))
    return (method, *between, noise, change, *rounds)


def _function(cost: CostFunction, needs: tuple[str, ...]) -> Callable[..., Floats]:
    def called(arrays: list[Floats], tried: Tried, step: int, time: float, last: bool) -> Floats:
        worlds = Worlds(dict(zip(needs, arrays)), tried, (step, time, last))
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
