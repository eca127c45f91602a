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


def _run(
    model: Model,
    operator: str,
    inputs: Mapping[str, tuple[_Array, tuple[_Size, ...]]],
    outputs: Sequence[tuple[_Size, ...]],
    **options: Any,
) -> list[FloatArray]:
    """Checks the arrays, calls the operator, gives its results; sizes may be ``"coordinates"`` or ``"dofs"``."""
    sizes = _describe(model).sizes

    def resolve(shape: tuple[_Size, ...]) -> tuple[int, ...]:
        return tuple(sizes[n] if isinstance(n, str) else n for n in shape)

    given = {name: np.asarray(value) for name, (value, _) in inputs.items()}
    single = all(array.dtype == np.float32 for array in given.values())
    dtype = np.float32 if single else np.float64
    arrays = {name: as_floats(name, array, dtype) for name, array in given.items()}
    first_name, (_, first_tail) = next(iter(inputs.items()))
    alone = arrays[first_name].ndim == len(first_tail)
    batch: _Size = 1 if alone else (arrays[first_name].shape[0] if arrays[first_name].ndim else "batch")
    for name, (_, tail) in inputs.items():
        check_shape(name, arrays[name], resolve(tail) if alone else (batch, *resolve(tail)))
    if not isinstance(batch, int):
        raise WrongShape(f"{first_name} has no rows")
    results = [aligned_zeros((batch, *resolve(tail)), dtype) for tail in outputs]
    _native.tree_run(model, operator, list(arrays.values()), list(results), options)
    return [result[0] for result in results] if alone else results


def _frame_list(model: Model, frames: Union[None, str, Sequence[str]]) -> list[str]:
    if frames is None:
        return list(frame_names(model))
    return [frames] if isinstance(frames, str) else list(frames)


_Q: tuple[_Size, ...] = ("coordinates",)
_V: tuple[_Size, ...] = ("dofs",)
_M: tuple[_Size, ...] = ("dofs", "dofs")


def fk(model: Model, q: _Array, frames: Union[None, str, Sequence[str]] = None, *, threads: int = 0) -> FloatArray:
    """World poses ``(batch, frames, 3, 4)`` of frames, each ``[R_WF | p_WF]`` [m]; of all frames unless named."""
    names = _frame_list(model, frames)
    return _run(model, "fk", {"q": (q, _Q)}, [(len(names), 3, 4)], frames=names, threads=threads)[0]


def jacobian(
    model: Model, q: _Array, frame: str, reference: str = "local_world_aligned", *, threads: int = 0
) -> FloatArray:
    """Geometric Jacobian ``(batch, 6, dofs)`` of a frame, linear rows first: velocity = J v.

    ``reference`` tells where: ``"local"`` (the frame's origin, its axes), ``"local_world_aligned"`` (its origin, world
    axes) or ``"world"`` (the point that passes the world's origin, world axes).
    """
    options = {"frames": [frame], "reference": reference, "threads": threads}
    return _run(model, "jacobian", {"q": (q, _Q)}, [(6, "dofs")], **options)[0]


def jacobian_rate(
    model: Model, q: _Array, v: _Array, frame: str, reference: str = "local_world_aligned", *, threads: int = 0
) -> FloatArray:
    """Time derivative ``(batch, 6, dofs)`` of a frame's Jacobian."""
    options = {"frames": [frame], "reference": reference, "threads": threads}
    return _run(model, "jacobian_rate", {"q": (q, _Q), "v": (v, _V)}, [(6, "dofs")], **options)[0]


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
    inputs = {"q": (q, _Q), "v": (v, _V), "a": (a, _V)}
    motion = _run(model, "frame_motion", inputs, [(3, 6)], **options)[0]
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
    inputs = {"q": (q, _Q), "v": (v, _V), "a": (a, _V)}
    d = _run(model, "frame_motion_derivatives", inputs, [(3, 6, "dofs")], **options)[0]
    return FrameMotionDerivatives(d[..., 0, :, :], d[..., 1, :, :], d[..., 2, :, :])


def integrate(model: Model, q: _Array, delta: _Array, *, threads: int = 0) -> FloatArray:
    """q ⊕ δ: scalars add, rotations turn by body-fixed rotation vectors, free bases move along screws."""
    return _run(model, "integrate", {"q": (q, _Q), "delta": (delta, _V)}, [_Q], threads=threads)[0]


def difference(model: Model, start: _Array, end: _Array, *, threads: int = 0) -> FloatArray:
    """δ with start ⊕ δ = end, turning the short way: ``(batch, dofs)``."""
    return _run(model, "difference", {"start": (start, _Q), "end": (end, _Q)}, [_V], threads=threads)[0]


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
    inputs = {"q": (q, _Q), "v": (v, _V), "a": (a, _V), "external": (wrenches, (len(names), 6))}
    return _run(model, "rnea", inputs, [_V], frames=names, threads=threads)[0]


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
    inputs = {"q": (q, _Q), "v": (v, _V), "tau": (tau, _V), "external": (wrenches, (len(names), 6))}
    return _run(model, "aba", inputs, [_V], frames=names, threads=threads)[0]


def bias(model: Model, q: _Array, v: _Array, *, threads: int = 0) -> FloatArray:
    """C(q, v) v + g(q): the efforts that keep the mechanism from accelerating."""
    return _run(model, "bias", {"q": (q, _Q), "v": (v, _V)}, [_V], threads=threads)[0]


def gravity(model: Model, q: _Array, *, threads: int = 0) -> FloatArray:
    """g(q): the efforts that hold the mechanism against gravity."""
    return _run(model, "gravity", {"q": (q, _Q)}, [_V], threads=threads)[0]


def crba(model: Model, q: _Array, *, threads: int = 0) -> FloatArray:
    """The mass matrix ``(batch, dofs, dofs)``, dense and symmetric."""
    return _run(model, "crba", {"q": (q, _Q)}, [_M], threads=threads)[0]


def mass_inverse(model: Model, q: _Array, *, threads: int = 0) -> FloatArray:
    """The inverse of the mass matrix ``(batch, dofs, dofs)``."""
    return _run(model, "mass_inverse", {"q": (q, _Q)}, [_M], threads=threads)[0]


class RneaDerivatives(NamedTuple):
    """∂τ/∂q and ∂τ/∂v, each ``(batch, dofs, dofs)``; ∂τ/∂a is :func:`crba`."""

    tau_q: FloatArray
    tau_v: FloatArray


def rnea_derivatives(model: Model, q: _Array, v: _Array, a: _Array, *, threads: int = 0) -> RneaDerivatives:
    """Derivatives of inverse dynamics."""
    inputs = {"q": (q, _Q), "v": (v, _V), "a": (a, _V)}
    return RneaDerivatives(*_run(model, "rnea_derivatives", inputs, [_M, _M], threads=threads))


class AbaDerivatives(NamedTuple):
    """∂a/∂q, ∂a/∂v and ∂a/∂τ = M⁻¹, each ``(batch, dofs, dofs)``."""

    a_q: FloatArray
    a_v: FloatArray
    a_tau: FloatArray


def aba_derivatives(model: Model, q: _Array, v: _Array, tau: _Array, *, threads: int = 0) -> AbaDerivatives:
    """Derivatives of forward dynamics."""
    inputs = {"q": (q, _Q), "v": (v, _V), "tau": (tau, _V)}
    return AbaDerivatives(*_run(model, "aba_derivatives", inputs, [_M, _M, _M], threads=threads))


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
    inputs = {"q": (q, _Q), "v": (v, _V), "a": (a, _V), "weights": (weights, _V)}
    bodies = _describe(model).body_count
    return RneaGradients(*_run(model, "rnea_vjp", inputs, [_V, _V, _V, (bodies, 10)], threads=threads))


class AbaGradients(NamedTuple):
    """Accelerations, and the gradients of g·aba(q, v, τ)."""

    a: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray
    parameters: FloatArray


def aba_vjp(model: Model, q: _Array, v: _Array, tau: _Array, weights: _Array, *, threads: int = 0) -> AbaGradients:
    """Forward dynamics and its vector–Jacobian product; ``weights`` g is ``(batch, dofs)``."""
    inputs = {"q": (q, _Q), "v": (v, _V), "tau": (tau, _V), "weights": (weights, _V)}
    bodies = _describe(model).body_count
    return AbaGradients(*_run(model, "aba_vjp", inputs, [_V, _V, _V, _V, (bodies, 10)], threads=threads))


class LoopClosure(NamedTuple):
    """How far loops and couplings are open, c(q) ``(batch, rows)``, and G = ∂c/∂q ``(batch, rows, dofs)``."""

    gap: FloatArray
    jacobian: FloatArray


def loop_closure(model: Model, q: _Array, *, threads: int = 0) -> LoopClosure:
    """Loop-closure residual [m or rad] and Jacobian: ċ = G v."""
    rows = loop_row_count(model)
    return LoopClosure(*_run(model, "loop_closure", {"q": (q, _Q)}, [(rows,), (rows, "dofs")], threads=threads))


def loop_drift(model: Model, q: _Array, v: _Array, *, threads: int = 0) -> FloatArray:
    """Ġ v: the loops' accelerations when all joints keep their speed, ``(batch, rows)``."""
    inputs = {"q": (q, _Q), "v": (v, _V)}
    return _run(model, "loop_drift", inputs, [(loop_row_count(model),)], threads=threads)[0]


class ConstrainedForwardDynamics(NamedTuple):
    """Accelerations with G a + Ġ v = 0, and the loops' reactions λ with M a + h = τ + Gᵀ λ."""

    a: FloatArray
    reactions: FloatArray


def constrained_forward_dynamics(
    model: Model, q: _Array, v: _Array, tau: _Array, *, pull: float = 0.0, threads: int = 0
) -> ConstrainedForwardDynamics:
    """Forward dynamics with closed loops; ``pull`` [1/s] shuts loops that are open a little."""
    inputs = {"q": (q, _Q), "v": (v, _V), "tau": (tau, _V)}
    outputs: list[tuple[_Size, ...]] = [_V, (loop_row_count(model),)]
    options: dict[str, Any] = {"pull": pull, "threads": threads}
    return ConstrainedForwardDynamics(*_run(model, "constrained_forward_dynamics", inputs, outputs, **options))


class ActuatedInverseDynamics(NamedTuple):
    """Efforts of the actuated velocities (others are zero), and the largest effort that is missing elsewhere."""

    tau: FloatArray
    missing: FloatArray


def actuated_inverse_dynamics(
    model: Model, q: _Array, v: _Array, a: _Array, *, threads: int = 0
) -> ActuatedInverseDynamics:
    """Inverse dynamics with closed loops."""
    inputs = {"q": (q, _Q), "v": (v, _V), "a": (a, _V)}
    tau, missing = _run(model, "actuated_inverse_dynamics", inputs, [_V, (1,)], threads=threads)
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
    closed, gap = _run(model, "constraint_consistent", {"q": (q, _Q)}, [_Q, (1,)], **options)
    return Consistent(closed, gap[..., 0])


class Centroidal(NamedTuple):
    """Centre of mass ``(batch, 3)`` [m] and centroidal momentum matrix ``(batch, 6, dofs)``, linear rows first."""

    com: FloatArray
    matrix: FloatArray


def centroidal(model: Model, q: _Array, *, threads: int = 0) -> Centroidal:
    """Momentum about the centre of mass, in world axes, is ``matrix @ v``."""
    return Centroidal(*_run(model, "centroidal", {"q": (q, _Q)}, [(3,), (6, "dofs")], threads=threads))


class CenterOfMass(NamedTuple):
    """Centre of mass ``(batch, 3)`` [m] and its Jacobian ``(batch, 3, dofs)``."""

    com: FloatArray
    jacobian: FloatArray


def center_of_mass(model: Model, q: _Array, *, threads: int = 0) -> CenterOfMass:
    """Where the centre of mass is and how it moves."""
    return CenterOfMass(*_run(model, "center_of_mass", {"q": (q, _Q)}, [(3,), (3, "dofs")], threads=threads))


class Energies(NamedTuple):
    """Kinetic and potential energy [J], each ``(batch,)``; potential is zero at the origin."""

    kinetic: FloatArray
    potential: FloatArray


def energies(model: Model, q: _Array, v: _Array, *, threads: int = 0) -> Energies:
    """Kinetic and potential energy."""
    both = _run(model, "energies", {"q": (q, _Q), "v": (v, _V)}, [(2,)], threads=threads)[0]
    return Energies(both[..., 0], both[..., 1])


def torque_regressor(model: Model, q: _Array, v: _Array, a: _Array, *, threads: int = 0) -> FloatArray:
    """Y ``(batch, dofs, 10·bodies)`` with rnea(q, v, a) = Y π; π as in :class:`RneaGradients`, body by body."""
    inputs = {"q": (q, _Q), "v": (v, _V), "a": (a, _V)}
    columns = 10 * _describe(model).body_count
    return _run(model, "torque_regressor", inputs, [("dofs", columns)], threads=threads)[0]
