"""Iterative LQR with an augmented Lagrangian for what must hold at the end.

State differences are the twelve numbers per body of ``step_jacobian``, so that mechanisms need no minimal coordinates:
a step leads from any state to one whose joints are closed, and its Jacobian knows that. Two batches do the work: one
has a world for every node of the trajectory and differentiates all steps at once, the other one for every step length
of the line search.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Optional

import _states as states
import numpy as np
from _states import Floats

import bellcrank as bc

STEP_LENGTHS = 0.5 ** np.arange(8)
"""All are tried at once: eight worlds fill the lanes of a block."""


@dataclass
class Input:
    """One number of the controls: of an array of the batch, flat index, units per unit of input."""

    array: str
    index: int
    scale: float = 1.0


@dataclass
class Problem:
    """Follow ``goal`` under ``inputs``: cost = Σ weight · difference² over nodes + Σ effort · input² over steps."""

    name: str
    model: bc.Model
    dt: float
    start: bc.Motion
    """``(bodies, …)``"""
    goal: bc.Motion
    """``(steps + 1, bodies, …)``"""
    weight: Floats
    """``(steps + 1, 12 bodies)``"""
    inputs: list[Input]
    effort: Floats
    """``(inputs,)``"""
    guess: Floats
    """``(steps, inputs)``"""
    final: Floats
    """Which of the last node's differences must vanish: ``(12 bodies,)`` of bool."""
    kappa: float = 3e-4
    tolerance: float = 5e-3
    """The final differences must be below this."""


@dataclass
class Answer:
    """What the search found."""

    trajectory: bc.Motion
    inputs: Floats
    cost: float
    violation: float
    iterations: int
    seconds: float
    history: list[tuple[float, float]] = field(default_factory=list)
    """Cost and violation after every iteration."""


@dataclass
class _Plan:
    """A trajectory with its inputs."""

    states: bc.Motion
    inputs: Floats
    cost: float
    violation: Floats
    merit: float


class Search:
    """Solves one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = p = problem
        solver = bc.InteriorPoint(kappa=p.kappa)
        self._steps = len(p.guess)
        self._nodes = bc.Batch(p.model, self._steps, dt=p.dt, solver=solver, integrator="variational")
        self._tries = bc.Batch(p.model, len(STEP_LENGTHS), dt=p.dt, solver=solver, integrator="variational")
        self._multiplier, self._penalty = np.zeros(int(p.final.sum())), 1.0
        self._damping = 1e-6

    def run(self, outer: int = 10, inner: int = 100) -> Answer:
        """Alternates between minimising and pressing on what is violated."""
        begin, history = time.perf_counter(), []
        plan = self._roll(None, np.zeros((self._steps, self.problem.effort.size)), None)
        for _ in range(outer):
            for _ in range(inner):
                better = self._improve(plan)
                history.append((better.cost, float(np.abs(better.violation).max(initial=0.0))))
                gain, plan = plan.merit - better.merit, better
                if gain < 1e-3 * abs(plan.merit):
                    break
            if np.abs(plan.violation).max(initial=0.0) < self.problem.tolerance:
                break
            self._multiplier = self._multiplier + self._penalty * plan.violation
            self._penalty *= 10
            plan.merit = self._merit(plan.cost, plan.violation)
        return Answer(
            plan.states,
            plan.inputs,
            plan.cost,
            float(np.abs(plan.violation).max(initial=0.0)),
            len(history),
            time.perf_counter() - begin,
            history,
        )

    def _improve(self, plan: _Plan) -> _Plan:
        """One backward and one forward pass; more damping until something is gained."""
        slopes = self._slopes(plan)
        for _ in range(12):
            gains = self._backward(plan, slopes)
            better = self._roll(plan, gains[0], gains[1]) if gains else None
            if better is not None and better.merit < plan.merit:
                self._damping = max(self._damping / 5, 1e-8)
                return better
            self._damping *= 10
        return plan

    def _merit(self, cost: float, violation: Floats) -> float:
        return cost + float(self._multiplier @ violation + 0.5 * self._penalty * violation @ violation)

    def _slopes(self, plan: _Plan) -> tuple[Floats, Floats]:
        """A ``(steps, n, n)`` and B ``(steps, n, inputs)`` of all steps."""
        p = self.problem
        states.write(self._nodes, states.pick(plan.states, slice(0, self._steps)))
        self._set_inputs(self._nodes, plan.inputs)
        arrays = list(dict.fromkeys(i.array for i in p.inputs))
        jacobian = self._nodes.step_jacobian(["state", *arrays], strict=False)
        for kappa in (10 * p.kappa, 100 * p.kappa):  # a hard blow may want more smoothing
            open_ = ~jacobian.converged
            if open_.any():
                softer = self._nodes.step_jacobian(["state", *arrays], kappa=kappa, worlds=open_, strict=False)
                jacobian.matrix[open_] = softer.matrix
        assert jacobian.converged.all(), f"{p.name}: a step has no derivative"
        columns = [jacobian[i.array][:, :, i.index] * i.scale for i in p.inputs]
        return jacobian["state"], np.stack(columns, axis=-1)

    def _backward(self, plan: _Plan, slopes: tuple[Floats, Floats]) -> Optional[tuple[Floats, Floats]]:
        """Riccati's recursion: feed-forward ``(steps, inputs)`` and feedback ``(steps, inputs, n)``."""
        p, (A, B) = self.problem, slopes
        difference = states.apart(plan.states, p.goal)
        gradient = 2 * p.weight * difference
        gradient[-1, p.final] += self._multiplier + self._penalty * plan.violation
        last = 2 * p.weight[-1]
        last[p.final] += self._penalty
        V_x, V_xx = gradient[-1], np.diag(last)
        feed, feedback = np.zeros_like(plan.inputs), np.zeros((*plan.inputs.shape, V_x.size))
        for k in range(self._steps - 1, -1, -1):
            VA, VB = V_xx @ A[k], V_xx @ B[k]
            Q_u = 2 * p.effort * plan.inputs[k] + B[k].T @ V_x
            Q_uu = 2 * np.diag(p.effort) + B[k].T @ VB
            Q_ux = B[k].T @ VA
            damped = Q_uu + self._damping * max(1.0, np.trace(Q_uu)) * np.eye(len(Q_uu))
            try:
                np.linalg.cholesky(damped)
            except np.linalg.LinAlgError:
                return None
            both = -np.linalg.solve(damped, np.column_stack([Q_u, Q_ux]))
            feed[k], feedback[k] = both[:, 0], both[:, 1:]
            V_x = gradient[k] + A[k].T @ V_x + feedback[k].T @ (Q_uu @ feed[k] + Q_u) + Q_ux.T @ feed[k]
            V_xx = 2 * np.diag(p.weight[k]) + A[k].T @ VA + feedback[k].T @ (Q_uu @ feedback[k] + Q_ux)
            V_xx += Q_ux.T @ feedback[k]
            V_xx = 0.5 * (V_xx + V_xx.T)
        return feed, feedback

    def _roll(self, plan: Optional[_Plan], feed: Floats, feedback: Optional[Floats]) -> _Plan:
        """All step lengths at once; the best of them. Without a plan: the guess."""
        p, tries, count = self.problem, self._tries, len(STEP_LENGTHS)
        tries.reset()
        state = states.repeat(p.start, count)
        states.write(tries, state)
        nodes, inputs = [state], []
        for k in range(self._steps):
            u = np.repeat(p.guess[None, k] if plan is None else plan.inputs[None, k], count, axis=0)
            if plan is not None and feedback is not None:
                off = states.apart(state, states.repeat(states.pick(plan.states, k), count))
                u = u + STEP_LENGTHS[:, None] * feed[k] + off @ feedback[k].T
            self._set_inputs(tries, u)
            tries.step()
            state = states.read(tries)
            nodes.append(state)
            inputs.append(u)
        rolled, spent = states.stack(nodes), np.stack(inputs)
        plans = [self._judge(states.pick(rolled, (slice(None), w)), spent[:, w]) for w in range(count)]
        return min(plans, key=lambda plan: plan.merit if np.isfinite(plan.merit) else np.inf)

    def _judge(self, rolled: bc.Motion, inputs: Floats) -> _Plan:
        p = self.problem
        difference = states.apart(rolled, p.goal)
        cost = float((p.weight * difference**2).sum() + (p.effort * inputs**2).sum())
        violation = difference[-1, p.final]
        return _Plan(rolled, inputs, cost, violation, self._merit(cost, violation))

    def _set_inputs(self, batch: bc.Batch, inputs: Floats) -> None:
        """``(worlds, inputs)``"""
        for name in {i.array for i in self.problem.inputs}:
            values = np.zeros(batch.shape(name))
            flat = values.reshape(len(values), -1)
            for k, own in enumerate(self.problem.inputs):
                if own.array == name:
                    flat[:, own.index] += own.scale * inputs[:, k]
            batch.write(name, values)
