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

from bellcrank.tree._coordinates import (
    Slot,
    coordinate_names,
    dof_names,
    frame_names,
    loop_row_count,
    neutral,
    slots,
)
from bellcrank.tree._derivatives import (
    AbaDerivatives,
    AbaGradients,
    RneaDerivatives,
    RneaGradients,
    aba_derivatives,
    aba_vjp,
    rnea_derivatives,
    rnea_vjp,
    torque_regressor,
)
from bellcrank.tree._dynamics import (
    CenterOfMass,
    Centroidal,
    Energies,
    aba,
    bias,
    center_of_mass,
    centroidal,
    crba,
    energies,
    gravity,
    mass_inverse,
    rnea,
)
from bellcrank.tree._kinematics import (
    FrameMotion,
    FrameMotionDerivatives,
    difference,
    fk,
    frame_motion,
    frame_motion_derivatives,
    integrate,
    jacobian,
    jacobian_rate,
)
from bellcrank.tree._loops import (
    ActuatedInverseDynamics,
    Consistent,
    ConstrainedForwardDynamics,
    LoopClosure,
    actuated_inverse_dynamics,
    constrained_forward_dynamics,
    constraint_consistent,
    loop_closure,
    loop_drift,
)

__all__ = [
    "AbaDerivatives",
    "AbaGradients",
    "ActuatedInverseDynamics",
    "CenterOfMass",
    "Centroidal",
    "Consistent",
    "ConstrainedForwardDynamics",
    "Energies",
    "FrameMotion",
    "FrameMotionDerivatives",
    "LoopClosure",
    "RneaDerivatives",
    "RneaGradients",
    "Slot",
    "aba",
    "aba_derivatives",
    "aba_vjp",
    "actuated_inverse_dynamics",
    "bias",
    "center_of_mass",
    "centroidal",
    "constrained_forward_dynamics",
    "constraint_consistent",
    "coordinate_names",
    "crba",
    "difference",
    "dof_names",
    "energies",
    "fk",
    "frame_motion",
    "frame_motion_derivatives",
    "frame_names",
    "gravity",
    "integrate",
    "jacobian",
    "jacobian_rate",
    "loop_closure",
    "loop_drift",
    "loop_row_count",
    "mass_inverse",
    "neutral",
    "rnea",
    "rnea_derivatives",
    "rnea_vjp",
    "slots",
    "torque_regressor",
]
