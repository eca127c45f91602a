//! How a step is computed: the integrator, the method, the solver and their numbers.

use crate::reactions::all_rows::AllRows;
use crate::rows::RowSettings;
use crate::state::State;
use bellcrank_math::{Elem, Pose, Real};
use bellcrank_solve::{ComFree, InteriorPoint, Padmm};

/// Roundings of a position that its gap at a joint adds up.
const GRID: f64 = 4.0;

/// How velocities become poses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Forces and rows at the start of the step; the new velocity moves the poses through all of it.
    #[default]
    SemiImplicitEuler,
    /// Half a step with the old velocity, forces and rows there, half a step with the new one: second order where
    /// nothing hits ([Kamino] notes 1.8).
    MoreauJean,
    /// Discrete mechanics: forces and rows at the start, joints and contacts met at the end; keeps momentum exactly and
    /// energy over long times ([Dojo] notes 1.2). Needs [`Method::InteriorPoint`].
    Variational,
}

/// The times of a step [s].
#[derive(Clone, Copy)]
pub struct Times<R> {
    /// How long forces act.
    pub dt: R,
    /// How long the new velocity moves the poses.
    pub drift: R,
    /// How long dampers see the new velocity; the rest of the step they see the old one.
    pub damper: R,
    /// How long the old velocity moved the poses.
    pub before: R,
}

impl<R: Real> Times<R> {
    /// How long bodies turn with the new velocity, from one pose where forces are told to the next.
    #[inline(always)]
    pub fn turn(self) -> R {
        self.dt + self.dt - self.before
    }
}

impl Integrator {
    /// Of a part of a step, `interval` after the one before. Forces at a node act for half of both intervals that meet
    /// there; a node without an interval before it starts with a whole kick, as semi-implicit Euler has it.
    #[inline(always)]
    pub fn times<R: Real>(self, part: R, interval: R) -> Times<R> {
        let half = R::constant(0.5);
        if let Integrator::MoreauJean = self {
            return Times { dt: part, drift: part * half, damper: part * half, before: part };
        }
        let before = R::select(R::zero().lt(interval), interval, part);
        let dt = (before + part) * half;
        Times { dt, drift: part, damper: dt, before }
    }
}

/// Which rows the solver iterates on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// Joints, couplings and drives are eliminated exactly and closed at the end of the step; limits, boxes and contacts
    /// iterate.
    #[default]
    Eliminate,
    /// All of them iterate, as published: for comparison. Couplings between joints are not part of it.
    AllRows(AllRows),
    /// Everything at the end of the step, by the interior point: with derivatives whose smoothing is κ.
    InteriorPoint(InteriorPoint),
}

/// What finds the reactions of limits, boxes and contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// All of them together, to a tolerance.
    Padmm(Padmm),
    /// Each for itself, in closed form.
    ComFree(ComFree),
}

impl Solver {
    /// As the command line names it.
    pub fn name(&self) -> &'static str {
        match self {
            Solver::Padmm(_) => "padmm",
            Solver::ComFree(_) => "comfree",
        }
    }
}

impl Default for Solver {
    fn default() -> Self {
        Solver::Padmm(Padmm::default())
    }
}

/// The square of the largest distance from the origin so far and of one more body [m²].
#[inline(always)]
pub fn farther<R: Real>(so_far: R, X: &Pose<R>) -> R {
    so_far.max(X.p.norm_squared())
}

/// How a step is computed. The defaults need no tuning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The solver for limits, boxes and contacts.
    pub solver: Solver,
    /// ε: compliance of held rows in H, as a share of their own.
    pub softness: f64,
    /// Rounds of closing joints and solving reactions, at least and at most.
    pub rounds: [usize; 2],
    /// Joints are closed to this after the step [m]; angles at an arm of 0.2 m [rad/5].
    pub gap_tolerance: f64,
    /// Share of a penetration that is taken out per step.
    pub contact_recovery: f64,
    /// Share of a limit's violation that is taken out per step.
    pub limit_recovery: f64,
    /// Nothing is pushed out faster than this [m/s and rad/s]: a bad start must not become an explosion.
    pub recovery_speed: f64,
    /// Slower impacts do not bounce [m/s].
    pub bounce_speed: f64,
    /// Compliance of joint limits, as a share of the mobility of the joint's own links and drive: far softer than joints, so
    /// that a limit that cannot be met with the loops closed gives way, and far stiffer than anybody notices: a step in which
    /// a limit gives way by more than 1 mm or 1 mrad is not `Ok`.
    pub limit_softness: f64,
    /// How velocities become poses.
    pub integrator: Integrator,
    /// Which rows the solver iterates on.
    pub method: Method,
    /// Measure how well the equations are met ([`crate::Metrics`]); costs a little.
    pub metrics: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            solver: Solver::default(),
            softness: 1e-6,
            rounds: [2, 8],
            gap_tolerance: 1e-7,
            contact_recovery: 0.1,
            limit_recovery: 0.1,
            recovery_speed: 1.0,
            bounce_speed: 1e-2,
            limit_softness: 1e-5,
            integrator: Integrator::SemiImplicitEuler,
            method: Method::Eliminate,
            metrics: false,
        }
    }
}

impl Settings {
    /// For numbers of 32 bits: what rounding allows.
    pub fn single() -> Self {
        let solver = Padmm { tolerance: 1e-5, ..Padmm::default() };
        Settings {
            solver: Solver::Padmm(solver),
            softness: 3e-5,
            gap_tolerance: 5e-7,
            limit_softness: 1e-4,
            ..Settings::default()
        }
    }

    #[inline(always)]
    pub fn rows<R: Real>(&self, dt: R) -> RowSettings<R> {
        RowSettings {
            inverse_dt: dt.recip(),
            stiffness: R::constant(1.0 / self.softness),
            most: dt * R::constant(self.recovery_speed),
            gives: true,
        }
    }

    /// To what an assembly comes [m and rad]: coordinates of several turns have a coarser grid in 32 bits.
    pub fn assembly_tolerance(&self) -> f64 {
        if self.gap_tolerance > 2e-7 { self.gap_tolerance.max(5e-6) } else { self.gap_tolerance }
    }

    /// To what joints are closed [m and rad]: poses far from the origin have a coarser grid.
    #[inline(always)]
    pub fn gap_tolerance<R: Real>(&self, state: &State<R>) -> R {
        let mut far = R::zero();
        for X in &state.X_WB {
            far = farther(far, X);
        }
        self.gap_tolerance_at(far)
    }

    /// The same where that is the square of the largest distance from the origin.
    #[inline(always)]
    pub fn gap_tolerance_at<R: Real>(&self, far: R) -> R {
        far.sqrt().mul_add(R::constant(GRID * R::Elem::EPSILON.to_f64()), R::constant(self.gap_tolerance))
    }

    /// The velocity that a one-sided row must at least have: up to the gap when apart, a share back when inside.
    #[inline(always)]
    pub fn recover<R: Real>(&self, gap: R, dt: R, share: f64) -> R {
        let back = (gap * R::constant(share) / dt).max(R::constant(-self.recovery_speed));
        R::select(gap.lt(R::zero()), back, gap / dt)
    }
}
