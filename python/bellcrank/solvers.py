"""How a step is computed, as small option classes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, Optional, Union


@dataclass(frozen=True)
class StepOptions:
    """What all solvers share. Every option that is left at ``None`` takes the default of the batch's precision; the
    defaults need no tuning."""

    softness: Optional[float] = None
    """Compliance of held rows, as a share of their own."""
    rounds: Optional[tuple[int, int]] = None
    """Rounds of closing joints and solving reactions, at least and at most."""
    gap_tolerance: Optional[float] = None
    """Joints are closed to this after the step [m and rad]."""
    contact_recovery: Optional[float] = None
    """Share of a penetration that is taken out per step."""
    limit_recovery: Optional[float] = None
    """Share of a limit's violation that is taken out per step."""
    recovery_speed: Optional[float] = None
    """Nothing is pushed out faster than this [m/s and rad/s]."""
    bounce_speed: Optional[float] = None
    """Slower impacts do not bounce [m/s]."""

    def _settings(self) -> dict[str, Any]:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        named: dict[str, Any] = {"solver": type(self).__name__.lower()}
        return named | {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class Exact(StepOptions):
    """Every law met to a tolerance; the default.

    Joints are eliminated and closed at the end of the step. Limits, bounds and contacts are one linear solve where
    nothing slides, else Newton's method, else Proximal-ADMM, the last resort: ``Padmm`` is another name of it.
    """

    integrator: Optional[Literal["semi_implicit_euler", "moreau_jean"]] = None
    """How velocities become poses; ``"moreau_jean"`` is of second order where nothing hits."""
    max_iterations: Optional[int] = None
    """Iterations at most."""
    tolerance: Optional[float] = None
    """Bound on the three residuals [N·s, m/s, J]; zero runs the whole budget."""
    pile_tolerance: Optional[float] = None
    """The same in worlds of many loose bodies, where it is larger; a tolerance that is given counts there too unless
    this is."""
    proximal: Optional[float] = None
    """Proximal weight η."""
    penalty_share: Optional[float] = None
    """ρ as a share of the scaled matrix' norm."""


Padmm = Exact
"""The exact solver by the name of its last resort, as the command line has it."""


@dataclass(frozen=True)
class ComFree(StepOptions):
    """Contacts each for itself, in closed form, one after the other: with sliding, torsional and rolling friction.

    The normalised variant takes its gains from the mechanism itself; the published one has two of its own, and a batch
    warns where they are unstable at its time step. See the guide "Which contact solver?".
    """

    integrator: Optional[Literal["semi_implicit_euler", "moreau_jean"]] = None
    """How velocities become poses; ``"moreau_jean"`` is of second order where nothing hits."""
    variant: Optional[str] = None
    """``"normalised"`` (the default) or ``"published"``."""
    sweeps: Optional[int] = None
    """Sweeps over all contacts in a round at most; they end when the residual is a tenth of ``tolerance``."""
    memory: Optional[float] = None
    """Share of the last step's reactions that the normalised law starts from."""
    tolerance: Optional[float] = None
    """A step is exact where one more visit would change no velocity by more than this [m/s]."""
    depth: Optional[float] = None
    """A step that leaves a contact deeper than this is not exact [m]."""
    stiffness: Optional[float] = None
    """Of the published law [1/s]."""
    damping: Optional[float] = None
    """Of the published law."""


@dataclass(frozen=True)
class InteriorPoint(StepOptions):
    """Everything met together at the end of the step, slack times force of every contact equal to κ: no penetration,
    and derivatives whose smoothing is a parameter."""

    integrator: Optional[Literal["semi_implicit_euler", "variational"]] = None
    """How velocities become poses; ``"variational"`` keeps energy and momentum."""
    kappa: Optional[float] = None
    """What every product of slack and force is at the end; 1e-6 (1e-5 in 32 bits) unless given, told as
    ``smoothing`` says."""
    smoothing: Optional[str] = None
    """``"relative"``: κ in units of each contact's own, so that what rests hovers and creeps by the same little
    whatever its mass and the step; the default where ``kappa`` is not given. ``"absolute"``: κ in [N·s·m] for all
    alike, as derivatives have it; the default where ``kappa`` is given."""
    tolerance: Optional[float] = None
    """Equations are met to this, beyond rounding [m/s, rad/s, m]."""
    centring: Optional[float] = None
    """Products may be off κ by this share of it: 1 is enough to simulate; 1e-6 makes steps the exact functions that
    derivatives belong to."""
    max_iterations: Optional[int] = None
    """Newton steps at most."""
    warm_start: Optional[float] = None
    """A warm start keeps this distance from the boundary; 0 for a cold start in every step."""
    friction: Optional[str] = None
    """``"nonlinear"`` (Coulomb's round cone, the default), ``"linear"`` (a pyramid, for comparison) or
    ``"frictionless"``."""
    reach: Optional[float] = None
    """Contacts are taken into account up to this distance [m], and further where bodies are fast."""


Solver = Union[Exact, ComFree, InteriorPoint]
"""How reactions of limits and contacts are found, with the integrators that go with it."""
