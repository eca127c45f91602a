"""Many steps in a row, and their gradients: for numpy, torch and JAX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from bellcrank._arguments import whole
from bellcrank._arrays import as_floats
from bellcrank._fields import DIFFERENTIABLE, PARAMETERS, TABLE
from bellcrank._tangent import from_tangent, to_tangent
from bellcrank.batch import Batch
from bellcrank.derivatives import wanted
from bellcrank.errors import MixedModels, NoSuchName, NotConverged, WrongShape, WrongValue
from bellcrank.results import WorldStatus

Floats = NDArray[np.float64]
Controls = Union[Any, Mapping[str, Any]]
"""Efforts ``(steps, worlds, actuators)``, or arrays by name, each ``(steps, worlds, …)``."""

_CONTROLS = frozenset(name for name, kind, _, smooth in TABLE if kind == "control" and smooth)
"""Controls that a step can be differentiated by."""
_LEAVES = PARAMETERS & DIFFERENTIABLE
"""Parameters that a step can be differentiated by."""


class Motion(NamedTuple):
    """States of all bodies: of a trajectory ``(nodes, worlds, bodies, …)``, of a start without the first axis."""

    position: Any
    """Centres of mass [m]."""
    quat_wxyz: Any
    """Orientations."""
    velocity: Any
    """Twists of the centres of mass, world axes, linear part first [m/s, rad/s]."""


_FIELDS = Motion("body_position", "body_quat_wxyz", "body_velocity")


class Gradients(NamedTuple):
    """What a rollout's cotangents become."""

    controls: dict[str, Floats]
    """By name, each ``(steps, worlds, …)``."""
    start: Motion
    """``(worlds, bodies, 3 | 4 | 6)``"""
    parameters: dict[str, Floats]
    """By name, with the shapes of the batch's arrays."""


class Rollout:
    """A batch stepped through a row of controls, and the way back.

    The batch begins at ``start`` where given, else where it is, with ``parameters`` written into it, and ends at the
    last state. ``trajectory`` has the state after every step, or after every ``every``-th: then the states between are
    computed again on the way back, from snapshots, so that long rollouts need little memory. Steps are those of the
    batch's own solver; gradients are at ``kappa`` (see :meth:`bellcrank.Batch.step_jacobian`), and exactly those of the
    rollout where the solver is ``InteriorPoint(kappa, centring=1e-6)``.
    """

    trajectory: Motion

    def __init__(
        self,
        batch: Batch,
        controls: Controls,
        *,
        start: Optional[Motion] = None,
        parameters: Optional[Mapping[str, Any]] = None,
        kappa: Optional[float] = None,
        every: int = 1,
    ) -> None:
        if len(set(batch.models)) > 1:
            raise MixedModels("the worlds of a rollout must be of one model", hint="make a batch for each")
        self._batch, self._kappa = batch, kappa
        self._controls = _check_controls(batch, controls)
        self._steps = len(next(iter(self._controls.values())))
        self._every = whole("every", every)
        if self._every == 0 or self._steps % self._every:
            raise WrongValue(f"every is {every}, but must divide the {self._steps} steps")
        self._parameters = {name: _leaf(name, value) for name, value in (parameters or {}).items()}
        self._given_start = start is not None
        _write(batch, self._parameters)
        if start is not None:
            _write(batch, dict(zip(_FIELDS, Motion(*start))))
        self._start = _state(batch)
        self._start_interval = batch.read("velocity_interval").astype(np.float64)
        self._snapshots: list[bytes] = []
        self.trajectory = self._run()

    def _run(self) -> Motion:
        nodes = []
        for t in range(self._steps):
            if self._every > 1 and t % self._every == 0:
                self._snapshots.append(self._batch.snapshot())
            self._step(t)
            if (t + 1) % self._every == 0:
                nodes.append(_state(self._batch))
        return Motion(*(np.stack(part) for part in zip(*nodes)))

    def _step(self, t: int) -> None:
        _write(self._batch, {name: values[t] for name, values in self._controls.items()})
        frozen = self._batch.step().status == WorldStatus.FROZEN
        if frozen.any():
            raise NotConverged(f"world {int(np.argmax(frozen))} stopped being finite in step {t} of the rollout")

    def gradients(self, cotangents: Motion) -> Gradients:
        """Takes cotangents of the trajectory, of its shapes, back to controls, start and parameters.

        The batch is left as it was. Cotangents of quaternions count by what they say about turning.
        """
        given = [as_floats(name, value, np.float64) for name, value in zip(Motion._fields, cotangents)]
        for name, array, own in zip(Motion._fields, given, self.trajectory):
            if array.shape != own.shape:
                raise WrongShape(f"cotangents.{name} has the shape {array.shape}, expected: {own.shape}")
        batch = self._batch
        blob = batch.snapshot()
        kept = {name: batch.read(name) for name in self._parameters}
        _write(batch, self._parameters)
        try:
            return self._back(Motion(*given))
        finally:
            _write(batch, kept)
            batch.restore(blob)

    def _back(self, cotangents: Motion) -> Gradients:
        batch = self._batch
        wrt = wanted(("state", *self._controls, *self._parameters))
        controls = {name: np.zeros(values.shape) for name, values in self._controls.items()}
        parameters = {name: np.zeros(batch.shape(name)) for name in self._parameters}
        back = np.zeros((batch.worlds, batch.model.body_count, 12))
        for node in range(len(self.trajectory.position) - 1, -1, -1):
            at = Motion(*(part[node] for part in self.trajectory))
            back += to_tangent(at, Motion(*(part[node] for part in cotangents)))
            for t, state in reversed(self._states_from(node)):
                _write(batch, {name: values[t] for name, values in self._controls.items()})
                _write(batch, dict(zip(_FIELDS, state)))
                # written velocities are those of the instant; those of a step are its interval's
                _write(batch, {"velocity_interval": self._start_interval if t == 0 else np.ones(batch.worlds)})
                found = batch.step_vjp(back, wrt, kappa=self._kappa)
                if "body_com" in found:
                    found["body_com"] -= _com_moves_start(state, found["state"])
                for name in controls:
                    controls[name][t] = found[name]
                for name, sum_ in parameters.items():
                    sum_ += found[name] if len(sum_) == batch.worlds else found[name].sum(axis=0, keepdims=True)
                back = found["state"]
        if "body_com" in parameters and not self._given_start:
            moved = _com_moves_start(self._start, back)
            one_each = len(parameters["body_com"]) == batch.worlds
            parameters["body_com"] += moved if one_each else moved.sum(axis=0, keepdims=True)
        return Gradients(controls, from_tangent(self._start, back), parameters)

    def _states_from(self, node: int) -> list[tuple[int, Motion]]:
        """Numbers and first states of the steps that lead to a node."""
        first = node * self._every
        if self._every == 1:
            before = self._start if node == 0 else Motion(*(part[node - 1] for part in self.trajectory))
            return [(first, before)]
        self._batch.restore(self._snapshots[node])
        states = []
        for t in range(first, first + self._every):
            states.append((t, _state(self._batch)))
            if t + 1 < first + self._every:
                self._step(t)
        return states


def rollout(
    batch: Batch,
    controls: Controls,
    *,
    start: Optional[Motion] = None,
    parameters: Optional[Mapping[str, Any]] = None,
    kappa: Optional[float] = None,
    every: int = 1,
) -> Motion:
    """Steps a batch through a row of controls and gives its trajectory, differentiable in torch and JAX.

    Where any of the arrays is a ``torch.Tensor``, so are the results, and gradients flow back to controls, start and
    parameters; the same for JAX arrays, under ``jax.grad`` and ``jax.jit``. With numpy alone, :class:`Rollout` has the
    gradients. Arguments are as there.

    >>> efforts = torch.zeros(100, batch.worlds, batch.model.actuator_count, requires_grad=True)
    >>> bc.rollout(batch, efforts).position[-1, :, 0, 2].sum().backward()
    """
    named = controls if isinstance(controls, Mapping) else {"effort": controls}
    leaves = [*named.values(), *(start or ()), *(parameters or {}).values()]
    kinds = {type(leaf).__module__.partition(".")[0] for leaf in leaves}
    options = {"kappa": kappa, "every": every}
    if "torch" in kinds:
        from bellcrank._rollout_torch import torch_rollout  # torch is slow to import and may be absent

        return torch_rollout(batch, dict(named), start, dict(parameters or {}), options)
    if kinds & {"jax", "jaxlib"}:
        from bellcrank._rollout_jax import jax_rollout

        return jax_rollout(batch, dict(named), start, dict(parameters or {}), options)
    return Rollout(batch, named, start=start, parameters=parameters, kappa=kappa, every=every).trajectory


def _check_controls(batch: Batch, controls: Controls) -> dict[str, Floats]:
    named = controls if isinstance(controls, Mapping) else {"effort": controls}
    arrays: dict[str, Floats] = {}
    for name, given in named.items():
        if name not in _CONTROLS:
            raise NoSuchName(f"{name!r} is no control", hint=f"controls are {', '.join(sorted(_CONTROLS))}")
        array = as_floats(name, given, np.float64)
        if array.ndim == 0 or array.shape[1:] != batch.shape(name):
            expected = ", ".join(str(n) for n in ("steps", *batch.shape(name)))
            raise WrongShape(f"{name} has the shape {array.shape}, expected: ({expected})")
        arrays[name] = array.astype(np.float64)  # a copy: the caller may go on writing
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise WrongShape(f"controls have {sorted(lengths) or 'no'} steps, expected: one number of steps above zero")
    return arrays


def _leaf(name: str, value: Any) -> Floats:
    if name not in _LEAVES:
        raise NoSuchName(f"{name!r} is no parameter of a rollout", hint=f"those are {', '.join(sorted(_LEAVES))}")
    return as_floats(name, value, np.float64).astype(np.float64)


def _write(batch: Batch, arrays: Mapping[str, Any]) -> None:
    for name, values in arrays.items():
        batch.write(name, values)


def _state(batch: Batch) -> Motion:
    return Motion(*(batch.read(name).astype(np.float64) for name in _FIELDS))


def _in_link(state: Motion, vectors: Floats) -> Floats:
    """World vectors in the axes of their bodies."""
    w, u = state.quat_wxyz[..., :1], -state.quat_wxyz[..., 1:]
    cross = 2 * np.cross(u, vectors)
    turned: Floats = vectors + w * cross + np.cross(u, cross)
    return turned


def _com_moves_start(start: Motion, back: Floats) -> Floats:
    """A centre of mass that is written moves its body at the start, links stay: δx = R δc, δv = ω × R δc."""
    omega = start.velocity[..., 3:]
    return _in_link(start, back[..., :3] + np.cross(back[..., 6:9], omega))
