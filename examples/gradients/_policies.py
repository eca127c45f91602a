"""Linear policies on robots with hinges, and their returns with gradients through the simulation.

A policy sees the base's height, the vertical in the base's eyes, its velocity, joint angles and rates, normalised by
what was seen before; actions are a matrix times that. Everything seen is a function of the bodies' states whose
derivative is written beside it, so that a return can be differentiated through hundreds of steps by ``step_vjp``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import _states as states
import numpy as np
from _states import Floats

import bellcrank as bc


@dataclass
class Task:
    """A robot that shall run along x: reward = speed · gain − price · |action|² + alive, cut to [−1, 1] per step."""

    name: str
    model: bc.Model
    steps: int
    dt: float = 0.05
    kappa: float = 1e-3
    gain: float = 1.0
    price: float = 0.1
    alive: float = 0.0
    spread: float = 0.1
    """Joints begin at random within this [rad]."""


class Eyes:
    """What a policy sees of a state, and the way back."""

    def __init__(self, batch: bc.Batch) -> None:
        model = batch.model
        motors = [name for name in model.actuator_joints if name is not None]
        pairs = dict(zip(model.joint_names, model.joint_bodies))
        self._parent = np.array([model.body_id(str(pairs[name][0])) for name in motors])
        self._child = np.array([model.body_id(str(pairs[name][1])) for name in motors])
        self._at = [model.position_slice(name).start for name in motors]
        self._axis = self._axes(model, motors)
        self.count = 10 + 2 * len(motors)

    def _axes(self, model: bc.Model, motors: list[str]) -> Floats:
        """Joint axes in the axes of the parents: all bodies are built without a turn."""
        axes: list[Floats] = []
        for name in motors:
            one = bc.Batch(model)
            before = states.read(one)
            one.assemble({name: 0.1})
            moved = states.apart(states.read(one), before).reshape(-1, 12)[:, 3:6]
            turn = moved[self._child[len(axes)]] - moved[self._parent[len(axes)]]
            axes.append(turn / np.linalg.norm(turn))
        return np.array(axes)

    def see(self, batch: bc.Batch, state: bc.Motion) -> Floats:
        """``(worlds, count)``"""
        base = state.quat_wxyz[:, 0] * [1, -1, -1, -1]
        up = states.rotate(base, np.broadcast_to([0.0, 0.0, 1.0], base[:, 1:].shape))
        linear, angular = state.velocity[:, 0, :3], state.velocity[:, 0, 3:]
        axis, spin = self._world(state)
        angles = batch.read("joint_position")[:, self._at]
        rates = (axis * spin).sum(-1)
        return np.concatenate([state.position[:, 0, 2:], up, linear, angular, angles, rates], axis=1)

    def _world(self, state: bc.Motion) -> tuple[Floats, Floats]:
        """Axes and relative spins in the world ``(worlds, motors, 3)``."""
        own = np.broadcast_to(self._axis, (len(state.position), *self._axis.shape))
        axis = states.rotate(state.quat_wxyz[:, self._parent], own)
        return axis, state.velocity[:, self._child, 3:] - state.velocity[:, self._parent, 3:]

    def back(self, state: bc.Motion, seen: Floats) -> Floats:
        """Cotangents of what was seen become those of the state ``(worlds, bodies, 12)``."""
        out = np.zeros((*state.position.shape[:2], 12))
        out[:, 0, 2] += seen[:, 0]
        # up = Rᵀ e: δup = Rᵀ (e × δθ), so the cotangent of δθ is (R c) × e
        turned = states.rotate(state.quat_wxyz[:, 0], seen[:, 1:4])
        out[:, 0, 3:6] += np.cross(turned, [0.0, 0.0, 1.0])
        out[:, 0, 6:12] += seen[:, 4:10]
        axis, spin = self._world(state)
        n = len(self._at)
        by_angle, by_rate = seen[:, 10 : 10 + n, None] * axis, seen[:, 10 + n :, None]
        for k in range(n):
            out[:, self._child[k], 3:6] += by_angle[:, k]
            out[:, self._parent[k], 3:6] -= by_angle[:, k]
            out[:, self._child[k], 9:12] += by_rate[:, k] * axis[:, k]
            out[:, self._parent[k], 9:12] -= by_rate[:, k] * axis[:, k]
            # the axis turns with the parent: δa = δθ × a, so δ(a · s) = δθ · (a × s)
            out[:, self._parent[k], 3:6] += by_rate[:, k] * np.cross(axis[:, k], spin[:, k])
        return out


@dataclass
class Normal:
    """Running mean and variance of what is seen."""

    count: int
    n: float = 0.0
    mean: Floats = field(default_factory=lambda: np.zeros(0))
    square: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        self.mean, self.square = np.zeros(self.count), np.zeros(self.count)

    def learn(self, seen: Floats) -> None:
        self.n += len(seen)
        off = seen - self.mean
        self.mean = self.mean + off.sum(0) / self.n
        self.square = self.square + (off * (seen - self.mean)).sum(0)

    @property
    def width(self) -> Floats:
        return np.sqrt(np.maximum(self.square / self.n, 1e-2)) if self.n else np.ones(self.count)


class Moment(NamedTuple):
    """One step of all worlds."""

    state: bc.Motion
    scaled: Floats
    action: Floats
    reward: Floats


class Runner:
    """Runs policies of a task, one per world."""

    def __init__(self, task: Task, worlds: int, seed: int) -> None:
        solver = bc.InteriorPoint(kappa=task.kappa)
        self.task, self.worlds = task, worlds
        self.batch = bc.Batch(task.model, worlds, dt=task.dt, solver=solver, integrator="variational")
        self.eyes = Eyes(self.batch)
        self.normal = Normal(self.eyes.count)
        self.shape = (task.model.actuator_count, self.eyes.count)
        self._rng = np.random.default_rng(seed)
        self.samples = 0
        """World steps so far."""

    def begin(self) -> None:
        """Random joint angles, a little above the ground."""
        self.batch.reset()
        names = [str(name) for name in self.task.model.actuator_joints]
        angles = self._rng.uniform(-self.task.spread, self.task.spread, (len(names), self.worlds))
        assert self.batch.assemble(dict(zip(names, angles))).all()

    def run(self, policies: Floats) -> tuple[Floats, list[Moment]]:
        """Returns ``(worlds,)`` of policies ``(worlds, actions, count)``, and the way there."""
        task, batch, total = self.task, self.batch, np.zeros(self.worlds)
        width = self.normal.width
        way: list[Moment] = []
        glances: list[Floats] = []
        self.begin()
        for _ in range(task.steps):
            state = states.read(batch)
            seen = self.eyes.see(batch, state)
            scaled = (seen - self.normal.mean) / width
            action = np.einsum("wac,wc->wa", policies, scaled)
            batch.effort = np.clip(action, -1, 1)
            batch.step()
            reward = task.gain * batch.body_velocity[:, 0, 0] - task.price * (np.clip(action, -1, 1) ** 2).sum(-1)
            reward = reward + task.alive
            way.append(Moment(state, scaled, action, reward))
            glances.append(seen)
            total += np.clip(reward, -1, 1)
            self.samples += self.worlds
        self.normal.learn(np.concatenate(glances))  # for the next run: within one, policies see through fixed eyes
        return total, way

    def gradient(self, policy: Floats, horizon: int = 20) -> tuple[float, Floats]:
        """Mean return of one policy over all worlds, and its gradient: cotangents go back ``horizon`` steps from each
        reward, as gradients through many contacts grow without bound."""
        task, batch = self.task, self.batch
        width = self.normal.width
        returns, way = self.run(np.repeat(policy[None], self.worlds, axis=0))
        gradient = np.zeros_like(policy)
        back = np.zeros((self.worlds, task.model.body_count, 12))
        fade = 1 - 1 / horizon
        for state, scaled, action, reward in reversed(way):
            counts = (np.abs(reward) < 1).astype(float)  # cut rewards do not change
            back = fade * back
            back[:, 0, 6] += task.gain * counts
            states.write(batch, state)
            batch.effort = np.clip(action, -1, 1)
            found = batch.step_vjp(back, ("state", "effort"), strict=False)
            for array in found.values():
                np.nan_to_num(array, copy=False)  # a blow that has no derivative ends the way back
            free = np.abs(action) < 1
            by_action = free * (found["effort"] - 2 * task.price * action * counts[:, None])
            gradient += np.einsum("wa,wc->ac", by_action, scaled)
            back = found["state"] + self.eyes.back(state, by_action @ policy / width)
        return float(returns.mean()), gradient / self.worlds
