"""Efforts, accelerations, the mass matrix, momentum and energy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Optional

import numpy as np

from bellcrank._arrays import FloatArray, as_floats
from bellcrank._native import Model
from bellcrank.errors import NoSuchName, WrongShape
from bellcrank.tree._coordinates import frame_names
from bellcrank.tree._run import Array, M, V, run


def external_wrenches(model: Model, q: Array, external: Optional[Mapping[str, Array]]) -> tuple[list[str], FloatArray]:
    """Names of the pushed frames, and their wrenches beside each other."""
    leading = np.asarray(q).shape[:-1]
    dtype = np.float32 if np.asarray(q).dtype == np.float32 else np.float64
    names = list(external or {})
    wrenches = np.zeros((*leading, len(names), 6), dtype)
    for k, name in enumerate(names):
        if name not in frame_names(model):
            raise NoSuchName(f"there is no frame {name!r} to push", hint="bc.tree.frame_names(model) lists them")
        wrench = as_floats(f"external[{name!r}]", (external or {})[name], dtype)
        if wrench.shape not in ((6,), (*leading, 6)):
            raise WrongShape(f"external[{name!r}] has the shape {wrench.shape}, expected: {(*leading, 6)}")
        wrenches[..., k, :] = wrench
    return names, wrenches


def rnea(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    external: Optional[Mapping[str, Array]] = None,
    *,
    threads: int = 0,
) -> FloatArray:
    """Inverse dynamics: efforts τ = M a + C v + g − Jᵀ f, ``(batch, dofs)`` [N·m or N].

    ``external`` pushes frames by name: force and moment about the frame's origin in its axes, ``(batch, 6)`` [N, N·m].
    """
    names, wrenches = external_wrenches(model, q, external)
    return run(model, "rnea", [V], {"frames": names, "threads": threads}, q=q, v=v, a=a, external=wrenches)[0]


def aba(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    external: Optional[Mapping[str, Array]] = None,
    *,
    threads: int = 0,
) -> FloatArray:
    """Forward dynamics: accelerations a = M⁻¹ (τ + Jᵀ f − C v − g), ``(batch, dofs)``. Loops are open here."""
    names, wrenches = external_wrenches(model, q, external)
    return run(model, "aba", [V], {"frames": names, "threads": threads}, q=q, v=v, tau=tau, external=wrenches)[0]


def bias(model: Model, q: Array, v: Array, *, threads: int = 0) -> FloatArray:
    """C(q, v) v + g(q): the efforts that keep the mechanism from accelerating."""
    return run(model, "bias", [V], {"threads": threads}, q=q, v=v)[0]


def gravity(model: Model, q: Array, *, threads: int = 0) -> FloatArray:
    """g(q): the efforts that hold the mechanism against gravity."""
    return run(model, "gravity", [V], {"threads": threads}, q=q)[0]


def crba(model: Model, q: Array, *, threads: int = 0) -> FloatArray:
    """The mass matrix ``(batch, dofs, dofs)``, dense and symmetric."""
    return run(model, "crba", [M], {"threads": threads}, q=q)[0]


def mass_inverse(model: Model, q: Array, *, threads: int = 0) -> FloatArray:
    """The inverse of the mass matrix ``(batch, dofs, dofs)``."""
    return run(model, "mass_inverse", [M], {"threads": threads}, q=q)[0]


class Centroidal(NamedTuple):
    """Centre of mass ``(batch, 3)`` [m] and centroidal momentum matrix ``(batch, 6, dofs)``, linear rows first."""

    com: FloatArray
    matrix: FloatArray


def centroidal(model: Model, q: Array, *, threads: int = 0) -> Centroidal:
    """Momentum about the centre of mass, in world axes, is ``matrix @ v``."""
    return Centroidal(*run(model, "centroidal", [(3,), (6, "dofs")], {"threads": threads}, q=q))


class CenterOfMass(NamedTuple):
    """Centre of mass ``(batch, 3)`` [m] and its Jacobian ``(batch, 3, dofs)``."""

    com: FloatArray
    jacobian: FloatArray


def center_of_mass(model: Model, q: Array, *, threads: int = 0) -> CenterOfMass:
    """Where the centre of mass is and how it moves."""
    return CenterOfMass(*run(model, "center_of_mass", [(3,), (3, "dofs")], {"threads": threads}, q=q))


class Energies(NamedTuple):
    """Kinetic and potential energy [J], each ``(batch,)``; potential is zero at the origin."""

    kinetic: FloatArray
    potential: FloatArray


def energies(model: Model, q: Array, v: Array, *, threads: int = 0) -> Energies:
    """Kinetic and potential energy."""
    both = run(model, "energies", [(2,)], {"threads": threads}, q=q, v=v)[0]
    return Energies(both[..., 0], both[..., 1])
