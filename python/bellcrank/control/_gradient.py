"""A planner that follows derivatives of steps."""

from __future__ import annotations

from typing import Any, Optional

from bellcrank import _native
from bellcrank._arguments import whole
from bellcrank.batch import Batch
from bellcrank.control._costs import Cost, Floats, _terms
from bellcrank.control._planners import Plan, Planner, _numbers
from bellcrank.errors import NoSuchWorld, WrongType, WrongValue
from bellcrank.solvers import Padmm, Solver


class Ilqr:
    """Plans by derivatives of steps: iterative LQR in minimal coordinates, with the motors' limits and with loops.

    ``cost`` is a :class:`Cost`; joints that it names must have a motor where loops close, since the others follow.
    ``lengths`` of a change are tried at once, each ``shorter`` than the one before; at most ``iterations`` rounds of
    derivatives are made, and one that saves less than ``tolerance`` of the cost is the last. ``kappa`` smooths
    contacts and limits in the derivatives. With a ``sampler``, a :class:`Planner` for the same world, horizon and step
    whose cost is the same, its plan is refined, and it goes on from there.
    """

    def __init__(
        self,
        batch: Batch,
        cost: Cost,
        *,
        horizon: int = 50,
        iterations: int = 10,
        lengths: int = 8,
        shorter: float = 0.5,
        tolerance: float = 1e-4,
        kappa: Optional[float] = None,
        sampler: Optional[Planner] = None,
        world: int = 0,
        dt: Optional[float] = None,
        solver: Optional[Solver] = None,
        threads: int = 0,
    ) -> None:
        if not isinstance(batch, Batch):
            raise WrongType(f"a planner plans for a Batch, not for {type(batch).__name__}")
        if not isinstance(cost, Cost):
            raise WrongType(f"a cost with slopes is a bellcrank.control.Cost, not {type(cost).__name__}")
        self._batch, self._world, self._sampler = batch, whole("world", world), sampler
        if self._world >= batch.worlds:
            raise NoSuchWorld(f"there is no world {self._world}; the batch has {batch.worlds}")
        model = batch.models[self._world]
        self._dt = batch.dt if dt is None else float(dt)
        self._motors = len(model.actuator_names)
        settings = (solver or Padmm())._settings()
        worlds = (whole("lengths", lengths), self._dt, "f64", whole("threads", threads), settings)
        smoothing = None if kappa is None else float(kappa)
        how = (whole("horizon", horizon), whole("iterations", iterations), float(tolerance), smoothing, float(shorter))
        self._native = _native.Ilqr(model, worlds, how, _terms(cost))
        self._plan: Optional[Plan] = None

    def plan(self, elapsed: Optional[float] = None) -> Floats:
        """Plans from the state of the batch and returns what the motors shall be told now, ``(actuators,)``.

        ``elapsed`` is the time since the last plan [s], by which it is moved on: one step unless given.
        """
        since = (0.0 if self._plan is None else self._dt) if elapsed is None else float(elapsed)
        sampled = 0.0
        if self._sampler is not None:
            self._sampler.plan(elapsed)
            sampled = self._sampler.report.seconds
            self._native.adopt(_numbers(self._sampler.sequence))
            since = 0.0
        self._batch._push()
        figures, counts = self._native.plan(self._batch._native, self._world, since)
        best, nominal, mean, spread, effective, seconds = figures
        self._plan = Plan(best, nominal, mean, spread, effective, seconds + sampled, *counts)
        if self._sampler is not None:
            self._sampler.adopt(self.sequence)
        now: Floats = self.sequence[0]
        return now

    @property
    def report(self) -> Plan:
        """What the last planning step found; ``nominal_cost`` is that of the plan that it began with."""
        if self._plan is None:
            raise WrongValue("there is no plan yet", hint="call plan()")
        return self._plan

    @property
    def sequence(self) -> Floats:
        """``(horizon, actuators)``: what the motors shall be told, step after step from the start of the last plan."""
        return self._native.sequence().reshape(-1, self._motors)

    @property
    def feedback(self) -> Floats:
        """``(actuators, 2n)``: how the first control follows δq, δq̇ of the freedoms of ``batch.transition()``."""
        return self._native.feedback().reshape(self._motors, -1)

    def adopt(self, controls: Any) -> None:
        """Takes controls ``(horizon, actuators)`` as the plan at hand."""
        self._native.adopt(_numbers(controls))

    def rest(self) -> None:
        """Forgets the plan at hand."""
        self._native.rest()
        if self._sampler is not None:
            self._sampler.rest()
