"""Derivatives of dynamics, by state, efforts and inertial parameters."""

from __future__ import annotations

from typing import NamedTuple

from bellcrank._arrays import FloatArray
from bellcrank._native import Model
from bellcrank.tree._coordinates import describe
from bellcrank.tree._run import Array, M, V, run


class RneaDerivatives(NamedTuple):
    """∂τ/∂q and ∂τ/∂v, each ``(batch, dofs, dofs)``; ∂τ/∂a is :func:`crba`."""

    tau_q: FloatArray
    tau_v: FloatArray


def rnea_derivatives(model: Model, q: Array, v: Array, a: Array, *, threads: int = 0) -> RneaDerivatives:
    """Derivatives of inverse dynamics."""
    return RneaDerivatives(*run(model, "rnea_derivatives", [M, M], {"threads": threads}, q=q, v=v, a=a))


class AbaDerivatives(NamedTuple):
    """∂a/∂q, ∂a/∂v and ∂a/∂τ = M⁻¹, each ``(batch, dofs, dofs)``."""

    a_q: FloatArray
    a_v: FloatArray
    a_tau: FloatArray


def aba_derivatives(model: Model, q: Array, v: Array, tau: Array, *, threads: int = 0) -> AbaDerivatives:
    """Derivatives of forward dynamics."""
    return AbaDerivatives(*run(model, "aba_derivatives", [M, M, M], {"threads": threads}, q=q, v=v, tau=tau))


class RneaGradients(NamedTuple):
    """Gradients of λ·rnea(q, v, a)."""

    q: FloatArray
    """By the tangent of q, ``(batch, dofs)``."""
    v: FloatArray
    a: FloatArray
    parameters: FloatArray
    """By m, m c (3), J_xx, J_xy, J_yy, J_xz, J_yz, J_zz about the link frame's origin, ``(batch, bodies, 10)``."""


def rnea_vjp(model: Model, q: Array, v: Array, a: Array, weights: Array, *, threads: int = 0) -> RneaGradients:
    """Vector–Jacobian product of inverse dynamics for reverse mode; ``weights`` λ is ``(batch, dofs)``."""
    bodies = describe(model).body_count
    return RneaGradients(
        *run(model, "rnea_vjp", [V, V, V, (bodies, 10)], {"threads": threads}, q=q, v=v, a=a, weights=weights)
    )


class AbaGradients(NamedTuple):
    """Accelerations, and the gradients of g·aba(q, v, τ)."""

    a: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray
    parameters: FloatArray


def aba_vjp(model: Model, q: Array, v: Array, tau: Array, weights: Array, *, threads: int = 0) -> AbaGradients:
    """Forward dynamics and its vector–Jacobian product; ``weights`` g is ``(batch, dofs)``."""
    bodies = describe(model).body_count
    return AbaGradients(
        *run(model, "aba_vjp", [V, V, V, V, (bodies, 10)], {"threads": threads}, q=q, v=v, tau=tau, weights=weights)
    )


def torque_regressor(model: Model, q: Array, v: Array, a: Array, *, threads: int = 0) -> FloatArray:
    """Y ``(batch, dofs, 10·bodies)`` with rnea(q, v, a) = Y π; π as in :class:`RneaGradients`, body by body."""
    columns = 10 * describe(model).body_count
    return run(model, "torque_regressor", [("dofs", columns)], {"threads": threads}, q=q, v=v, a=a)[0]
