"""Batched rigid-body operators on the spanning tree's reduced coordinates: kinematics, dynamics, derivatives.

Every array has one row per state: ``q`` is ``(batch, coordinates)``, ``v``, ``a`` and ``tau`` are ``(batch, dofs)``.
A single state may be given without the batch axis; results then have none either. Arrays of float32 are computed in
float32, everything else in float64; results are new numpy arrays. Python's interpreter lock is released meanwhile,
and ``threads`` (0: all) share the states. See :func:`coordinate_names` for the order of coordinates.

``q`` holds the joints' own coordinates; for ball and free joints and for floating bases position [m], then the
quaternion ``wxyz``. ``v`` holds velocities in the moving frame's own axes, linear part first. Derivatives "by q" are by
its tangent: what changes when ``integrate(model, q, delta)`` moves away from q.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional, Union
from weakref import WeakKeyDictionary

import numpy as np

from bellcrank import _native
from bellcrank._arrays import FloatArray, aligned_zeros, as_floats, check_shape
from bellcrank._native import Model
from bellcrank.errors import NoSuchName, WrongShape

_Array = Any  # anything that numpy takes for an array of numbers
_Size = Union[int, str]


@dataclass(frozen=True)
class Slot:
    """Where a joint's numbers stand in ``q`` and ``v``."""

    name: str
    kind: str
    reversed: bool
    """The tree goes from the joint's successor to its predecessor."""
    q: slice
    v: slice


@dataclass(frozen=True)
class _Tree:
    coordinate_names: tuple[str, ...]
    dof_names: tuple[str, ...]
    frame_names: tuple[str, ...]
    body_count: int
    loop_rows: int
    neutral: tuple[float, ...]
    slots: tuple[Slot, ...]

    @property
    def sizes(self) -> dict[str, int]:
        return {"coordinates": len(self.coordinate_names), "dofs": len(self.dof_names)}


_known: WeakKeyDictionary[Model, _Tree] = WeakKeyDictionary()


def _describe(model: Model) -> _Tree:
    tree = _known.get(model)
    if tree is None:
        told = _native.tree_describe(model)
        slots = (Slot(name, kind, back, slice(*q), slice(*v)) for name, kind, back, q, v in told.pop("slots"))
        rest: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in told.items()}
        tree = _known[model] = _Tree(slots=tuple(slots), **rest)
    return tree


def coordinate_names(model: Model) -> tuple[str, ...]:
    """One name per coordinate of ``q``: the joint's, with a suffix where it has several."""
    return _describe(model).coordinate_names


def dof_names(model: Model) -> tuple[str, ...]:
    """One name per velocity of ``v``, in the order of accelerations, efforts and matrices."""
    return _describe(model).dof_names


def frame_names(model: Model) -> tuple[str, ...]:
    """The frames: link frames of all bodies, then the sites."""
    return _describe(model).frame_names


def slots(model: Model) -> tuple[Slot, ...]:
    """Where every joint's numbers stand. A floating base goes by its body's name."""
    return _describe(model).slots


def loop_row_count(model: Model) -> int:
    """Rows that close loops and couple coordinates."""
    return _describe(model).loop_rows


def neutral(model: Model, batch: Optional[int] = None) -> FloatArray:
    """The zero configuration, all quaternions one: ``(coordinates,)``, or ``(batch, coordinates)``."""
    q = np.array(_describe(model).neutral)
    return q if batch is None else np.tile(q, (batch, 1))


_Q: tuple[_Size, ...] = ("coordinates",)
_V: tuple[_Size, ...] = ("dofs",)
_M: tuple[_Size, ...] = ("dofs", "dofs")
_CONFIGURATIONS = ("q", "start", "end")
"""Inputs with one number per coordinate; others have one per velocity."""


def _run(
    model: Model, operator: str, outputs: Sequence[tuple[_Size, ...]], options: Mapping[str, Any], **inputs: _Array
) -> list[FloatArray]:
    """Checks the arrays, calls the operator, gives its results; sizes may be ``"coordinates"`` or ``"dofs"``."""
    sizes = _describe(model).sizes

    def resolve(shape: tuple[_Size, ...]) -> tuple[int, ...]:
        return tuple(sizes[n] if isinstance(n, str) else n for n in shape)

    def tail(name: str) -> tuple[int, ...]:
        if name == "external":
            return (len(options["frames"]), 6)
        return resolve(_Q if name in _CONFIGURATIONS else _V)

    given = {name: np.asarray(value) for name, value in inputs.items()}
    dtype = np.float32 if all(array.dtype == np.float32 for array in given.values()) else np.float64
    arrays = {name: as_floats(name, array, dtype) for name, array in given.items()}
    first_name, first = next(iter(arrays.items()))
    alone = first.ndim == len(tail(first_name))
    states: _Size = 1 if alone else (first.shape[0] if first.ndim else "batch")
    for name, array in arrays.items():
        check_shape(name, array, tail(name) if alone else (states, *tail(name)))
    if not isinstance(states, int):
        raise WrongShape(f"{first_name} has no rows")
    results = [aligned_zeros((states, *resolve(shape)), dtype) for shape in outputs]
    _native.tree_run(model, operator, list(arrays.values()), list(results), {**options, "states": states})
    return [result[0] for result in results] if alone else results


def _frame_list(model: Model, frames: Union[None, str, Sequence[str]]) -> list[str]:
    if frames is None:
        return list(frame_names(model))
    return [frames] if isinstance(frames, str) else list(frames)


def fk(model: Model, q: _Array, frames: Union[None, str, Sequence[str]] = None, *, threads: int = 0) -> FloatArray:
    """World poses ``(batch, frames, 3, 4)`` of frames, each ``[R_WF | p_WF]`` [m]; of all frames unless named."""
    names = _frame_list(model, frames)
    return _run(model, "fk", [(len(names), 3, 4)], {"frames": names, "threads": threads}, q=q)[0]


def jacobian(
    model: Model, q: _Array, frame: str, reference: str = "local_world_aligned", *, threads: int = 0
) -> FloatArray:
    """Geometric Jacobian ``(batch, 6, dofs)`` of a frame, linear rows first: velocity = J v.

    ``reference`` tells where: ``"local"`` (the frame's origin, its axes), ``"local_world_aligned"`` (its origin, world
    axes) or ``"world"`` (the point that passes the world's origin, world axes).
    """
    options = {"frames": [frame], "reference": reference, "threads": threads}
    return _run(model, "jacobian", [(6, "dofs")], options, q=q)[0]


def jacobian_rate(
    model: Model, q: _Array, v: _Array, frame: str, reference: str = "local_world_aligned", *, threads: int = 0
) -> FloatArray:
    """Time derivative ``(batch, 6, dofs)`` of a frame's Jacobian."""
    options = {"frames": [frame], "reference": reference, "threads": threads}
    return _run(model, "jacobian_rate", [(6, "dofs")], options, q=q, v=v)[0]


class FrameMotion(NamedTuple):
    """Motion of a frame, each ``(batch, 6)``, linear part first; gravity is not in them."""

    velocity: FloatArray
    spatial_acceleration: FloatArray
    classical_acceleration: FloatArray


def frame_motion(
    model: Model,
    q: _Array,
    v: _Array,
    a: _Array,
    frame: str,
    reference: str = "local_world_aligned",
    *,
    threads: int = 0,
) -> FrameMotion:
    """Velocity and accelerations of a frame."""
    options = {"frames": [frame], "reference": reference, "threads": threads}
    motion = _run(model, "frame_motion", [(3, 6)], options, q=q, v=v, a=a)[0]
    return FrameMotion(motion[..., 0, :], motion[..., 1, :], motion[..., 2, :])


class FrameMotionDerivatives(NamedTuple):
    """∂velocity/∂q, ∂acceleration/∂q and ∂acceleration/∂v, each ``(batch, 6, dofs)``."""

    velocity_q: FloatArray
    acceleration_q: FloatArray
    acceleration_v: FloatArray


def frame_motion_derivatives(
    model: Model,
    q: _Array,
    v: _Array,
    a: _Array,
    frame: str,
    reference: str = "local_world_aligned",
    *,
    threads: int = 0,
) -> FrameMotionDerivatives:
    """Derivatives of a frame's velocity and spatial acceleration; ∂V/∂v = ∂A/∂a is the Jacobian."""
    options = {"frames": [frame], "reference": reference, "threads": threads}
    d = _run(model, "frame_motion_derivatives", [(3, 6, "dofs")], options, q=q, v=v, a=a)[0]
    return FrameMotionDerivatives(d[..., 0, :, :], d[..., 1, :, :], d[..., 2, :, :])


def integrate(model: Model, q: _Array, delta: _Array, *, threads: int = 0) -> FloatArray:
    """q ⊕ δ: scalars add, rotations turn by body-fixed rotation vectors, free bases move along screws."""
    return _run(model, "integrate", [_Q], {"threads": threads}, q=q, delta=delta)[0]


def difference(model: Model, start: _Array, end: _Array, *, threads: int = 0) -> FloatArray:
    """δ with start ⊕ δ = end, turning the short way: ``(batch, dofs)``."""
    return _run(model, "difference", [_V], {"threads": threads}, start=start, end=end)[0]


def _external(model: Model, q: _Array, external: Optional[Mapping[str, _Array]]) -> tuple[list[str], FloatArray]:
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
    q: _Array,
    v: _Array,
    a: _Array,
    external: Optional[Mapping[str, _Array]] = None,
    *,
    threads: int = 0,
) -> FloatArray:
    """Inverse dynamics: efforts τ = M a + C v + g − Jᵀ f, ``(batch, dofs)`` [N·m or N].

    ``external`` pushes frames by name: force and moment about the frame's origin in its axes, ``(batch, 6)`` [N, N·m].
    """
    names, wrenches = _external(model, q, external)
    return _run(model, "rnea", [_V], {"frames": names, "threads": threads}, q=q, v=v, a=a, external=wrenches)[0]


def aba(
    model: Model,
    q: _Array,
    v: _Array,
    tau: _Array,
    external: Optional[Mapping[str, _Array]] = None,
    *,
    threads: int = 0,
) -> FloatArray:
    """Forward dynamics: accelerations a = M⁻¹ (τ + Jᵀ f − C v − g), ``(batch, dofs)``. Loops are open here."""
    names, wrenches = _external(model, q, external)
    return _run(model, "aba", [_V], {"frames": names, "threads": threads}, q=q, v=v, tau=tau, external=wrenches)[0]


def bias(model: Model, q: _Array, v: _Array, *, threads: int = 0) -> FloatArray:
    """C(q, v) v + g(q): the efforts that keep the mechanism from accelerating."""
    return _run(model, "bias", [_V], {"threads": threads}, q=q, v=v)[0]


def gravity(model: Model, q: _Array, *, threads: int = 0) -> FloatArray:
    """g(q): the efforts that hold the mechanism against gravity."""
    return _run(model, "gravity", [_V], {"threads": threads}, q=q)[0]


def crba(model: Model, q: _Array, *, threads: int = 0) -> FloatArray:
    """The mass matrix ``(batch, dofs, dofs)``, dense and symmetric."""
    return _run(model, "crba", [_M], {"threads": threads}, q=q)[0]


def mass_inverse(model: Model, q: _Array, *, threads: int = 0) -> FloatArray:
    """The inverse of the mass matrix ``(batch, dofs, dofs)``."""
    return _run(model, "mass_inverse", [_M], {"threads": threads}, q=q)[0]


class RneaDerivatives(NamedTuple):
    """∂τ/∂q and ∂τ/∂v, each ``(batch, dofs, dofs)``; ∂τ/∂a is :func:`crba`."""

    tau_q: FloatArray
    tau_v: FloatArray


def rnea_derivatives(model: Model, q: _Array, v: _Array, a: _Array, *, threads: int = 0) -> RneaDerivatives:
    """Derivatives of inverse dynamics."""
    return RneaDerivatives(*_run(model, "rnea_derivatives", [_M, _M], {"threads": threads}, q=q, v=v, a=a))


class AbaDerivatives(NamedTuple):
    """∂a/∂q, ∂a/∂v and ∂a/∂τ = M⁻¹, each ``(batch, dofs, dofs)``."""

    a_q: FloatArray
    a_v: FloatArray
    a_tau: FloatArray


def aba_derivatives(model: Model, q: _Array, v: _Array, tau: _Array, *, threads: int = 0) -> AbaDerivatives:
    """Derivatives of forward dynamics."""
    return AbaDerivatives(*_run(model, "aba_derivatives", [_M, _M, _M], {"threads": threads}, q=q, v=v, tau=tau))


class RneaGradients(NamedTuple):
    """Gradients of λ·rnea(q, v, a)."""

    q: FloatArray
    """By the tangent of q, ``(batch, dofs)``."""
    v: FloatArray
    a: FloatArray
    parameters: FloatArray
    """By m, m c (3), J_xx, J_xy, J_yy, J_xz, J_yz, J_zz about the link frame's origin, ``(batch, bodies, 10)``."""


def rnea_vjp(model: Model, q: _Array, v: _Array, a: _Array, weights: _Array, *, threads: int = 0) -> RneaGradients:
    """Vector–Jacobian product of inverse dynamics for reverse mode; ``weights`` λ is ``(batch, dofs)``."""
    bodies = _describe(model).body_count
    return RneaGradients(
        *_run(model, "rnea_vjp", [_V, _V, _V, (bodies, 10)], {"threads": threads}, q=q, v=v, a=a, weights=weights)
    )


class AbaGradients(NamedTuple):
    """Accelerations, and the gradients of g·aba(q, v, τ)."""

    a: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray
    parameters: FloatArray


def aba_vjp(model: Model, q: _Array, v: _Array, tau: _Array, weights: _Array, *, threads: int = 0) -> AbaGradients:
    """Forward dynamics and its vector–Jacobian product; ``weights`` g is ``(batch, dofs)``."""
    bodies = _describe(model).body_count
    return AbaGradients(
        *_run(
            model, "aba_vjp", [_V, _V, _V, _V, (bodies, 10)], {"threads": threads}, q=q, v=v, tau=tau, weights=weights
        )
    )


class LoopClosure(NamedTuple):
    """How far loops and couplings are open, c(q) ``(batch, rows)``, and G = ∂c/∂q ``(batch, rows, dofs)``."""

    gap: FloatArray
    jacobian: FloatArray


def loop_closure(model: Model, q: _Array, *, threads: int = 0) -> LoopClosure:
    """Loop-closure residual [m or rad] and Jacobian: ċ = G v."""
    rows = loop_row_count(model)
    return LoopClosure(*_run(model, "loop_closure", [(rows,), (rows, "dofs")], {"threads": threads}, q=q))


def loop_drift(model: Model, q: _Array, v: _Array, *, threads: int = 0) -> FloatArray:
    """Ġ v: the loops' accelerations when all joints keep their speed, ``(batch, rows)``."""
    return _run(model, "loop_drift", [(loop_row_count(model),)], {"threads": threads}, q=q, v=v)[0]


class ConstrainedForwardDynamics(NamedTuple):
    """Accelerations with G a + Ġ v = 0, and the loops' reactions λ with M a + h = τ + Gᵀ λ."""

    a: FloatArray
    reactions: FloatArray


def constrained_forward_dynamics(
    model: Model, q: _Array, v: _Array, tau: _Array, *, pull: float = 0.0, threads: int = 0
) -> ConstrainedForwardDynamics:
    """Forward dynamics with closed loops; ``pull`` [1/s] shuts loops that are open a little."""
    outputs: list[tuple[_Size, ...]] = [_V, (loop_row_count(model),)]
    options: dict[str, Any] = {"pull": pull, "threads": threads}
    return ConstrainedForwardDynamics(*_run(model, "constrained_forward_dynamics", outputs, options, q=q, v=v, tau=tau))


class ActuatedInverseDynamics(NamedTuple):
    """Efforts of the actuated velocities (others are zero), and the largest effort that is missing elsewhere."""

    tau: FloatArray
    missing: FloatArray


def actuated_inverse_dynamics(
    model: Model, q: _Array, v: _Array, a: _Array, *, threads: int = 0
) -> ActuatedInverseDynamics:
    """Inverse dynamics with closed loops."""
    tau, missing = _run(model, "actuated_inverse_dynamics", [_V, (1,)], {"threads": threads}, q=q, v=v, a=a)
    return ActuatedInverseDynamics(tau, missing[..., 0])


class Consistent(NamedTuple):
    """The nearest configuration whose loops close, and the gap that is left [m or rad], ``(batch,)``."""

    q: FloatArray
    gap: FloatArray


def constraint_consistent(
    model: Model, q: _Array, *, held: Sequence[str] = (), iterations: int = 50, threads: int = 0
) -> Consistent:
    """Pulls loops shut; the joints in ``held`` do not move."""
    known = {slot.name: slot for slot in slots(model)}
    for name in held:
        if name not in known:
            raise NoSuchName(f"the tree has no joint {name!r}", hint="joints that close loops are not part of it")
    places = [place for name in held for place in range(known[name].v.start, known[name].v.stop)]
    options: dict[str, Any] = {"held": places, "iterations": iterations, "threads": threads}
    closed, gap = _run(model, "constraint_consistent", [_Q, (1,)], options, q=q)
    return Consistent(closed, gap[..., 0])


class Centroidal(NamedTuple):
    """Centre of mass ``(batch, 3)`` [m] and centroidal momentum matrix ``(batch, 6, dofs)``, linear rows first."""

    com: FloatArray
    matrix: FloatArray


def centroidal(model: Model, q: _Array, *, threads: int = 0) -> Centroidal:
    """Momentum about the centre of mass, in world axes, is ``matrix @ v``."""
    return Centroidal(*_run(model, "centroidal", [(3,), (6, "dofs")], {"threads": threads}, q=q))


class CenterOfMass(NamedTuple):
    """Centre of mass ``(batch, 3)`` [m] and its Jacobian ``(batch, 3, dofs)``."""

    com: FloatArray
    jacobian: FloatArray


def center_of_mass(model: Model, q: _Array, *, threads: int = 0) -> CenterOfMass:
    """Where the centre of mass is and how it moves."""
    return CenterOfMass(*_run(model, "center_of_mass", [(3,), (3, "dofs")], {"threads": threads}, q=q))


class Energies(NamedTuple):
    """Kinetic and potential energy [J], each ``(batch,)``; potential is zero at the origin."""

    kinetic: FloatArray
    potential: FloatArray


def energies(model: Model, q: _Array, v: _Array, *, threads: int = 0) -> Energies:
    """Kinetic and potential energy."""
    both = _run(model, "energies", [(2,)], {"threads": threads}, q=q, v=v)[0]
    return Energies(both[..., 0], both[..., 1])


def torque_regressor(model: Model, q: _Array, v: _Array, a: _Array, *, threads: int = 0) -> FloatArray:
    """Y ``(batch, dofs, 10·bodies)`` with rnea(q, v, a) = Y π; π as in :class:`RneaGradients`, body by body."""
    columns = 10 * _describe(model).body_count
    return _run(model, "torque_regressor", [("dofs", columns)], {"threads": threads}, q=q, v=v, a=a)[0]
