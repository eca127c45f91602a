"""Loops: how far open, dynamics with them closed, configurations that close."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from bellcrank._arrays import FloatArray
from bellcrank._native import Model
from bellcrank.errors import NoSuchName
from bellcrank.tree._coordinates import loop_row_count, slots
from bellcrank.tree._run import Array, Q, Size, V, run


class LoopClosure(NamedTuple):
    """How far loops and couplings are open, c(q) ``(batch, rows)``, and G = ∂c/∂q ``(batch, rows, dofs)``."""

    gap: FloatArray
    jacobian: FloatArray


def loop_closure(model: Model, q: Array, *, threads: int = 0) -> LoopClosure:
    """Loop-closure residual [m or rad] and Jacobian: ċ = G v."""
    rows = loop_row_count(model)
    return LoopClosure(*run(model, "loop_closure", [(rows,), (rows, "dofs")], {"threads": threads}, q=q))


def loop_drift(model: Model, q: Array, v: Array, *, threads: int = 0) -> FloatArray:
    """Ġ v: the loops' accelerations when all joints keep their speed, ``(batch, rows)``."""
    return run(model, "loop_drift", [(loop_row_count(model),)], {"threads": threads}, q=q, v=v)[0]


class ConstrainedForwardDynamics(NamedTuple):
    """Accelerations with G a + Ġ v = 0, and the loops' reactions λ with M a + h = τ + Gᵀ λ."""

    a: FloatArray
    reactions: FloatArray


def constrained_forward_dynamics(
    model: Model, q: Array, v: Array, tau: Array, *, pull: float = 0.0, threads: int = 0
) -> ConstrainedForwardDynamics:
    """Forward dynamics with closed loops; ``pull`` [1/s] shuts loops that are open a little."""
    outputs: list[tuple[Size, ...]] = [V, (loop_row_count(model),)]
    options: dict[str, Any] = {"pull": pull, "threads": threads}
    return ConstrainedForwardDynamics(*run(model, "constrained_forward_dynamics", outputs, options, q=q, v=v, tau=tau))


class ActuatedInverseDynamics(NamedTuple):
    """Efforts of the actuated velocities (others are zero), and the largest effort that is missing elsewhere."""

    tau: FloatArray
    missing: FloatArray


def actuated_inverse_dynamics(
    model: Model, q: Array, v: Array, a: Array, *, threads: int = 0
) -> ActuatedInverseDynamics:
    """Inverse dynamics with closed loops."""
    tau, missing = run(model, "actuated_inverse_dynamics", [V, (1,)], {"threads": threads}, q=q, v=v, a=a)
    return ActuatedInverseDynamics(tau, missing[..., 0])


class Consistent(NamedTuple):
    """The nearest configuration whose loops close, and the gap that is left [m or rad], ``(batch,)``."""

    q: FloatArray
    gap: FloatArray


def constraint_consistent(
    model: Model, q: Array, *, held: Sequence[str] = (), iterations: int = 50, threads: int = 0
) -> Consistent:
    """Pulls loops shut; the joints in ``held`` do not move."""
    known = {slot.name: slot for slot in slots(model)}
    for name in held:
        if name not in known:
            raise NoSuchName(f"the tree has no joint {name!r}", hint="joints that close loops are not part of it")
    places = [place for name in held for place in range(known[name].v.start, known[name].v.stop)]
    options: dict[str, Any] = {"held": places, "iterations": iterations, "threads": threads}
    closed, gap = run(model, "constraint_consistent", [Q, (1,)], options, q=q)
    return Consistent(closed, gap[..., 0])
