//! How a batch computes its steps: one choice of solver, with the integrators that go with it, and numbers that need no tuning.

use bellcrank_solve::{ComFree, InteriorPoint, Padmm};
use bellcrank_step::group::Precision;
use bellcrank_step::reactions::all_rows::AllRows;
use bellcrank_step::settings as engine;

/// How velocities become poses where reactions are found at the start of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Forces and rows at the start of the step; the new velocity moves the poses through all of it.
    #[default]
    SemiImplicitEuler,
    /// Half a step with the old velocity, forces and rows there, half a step with the new one: second order where
    /// nothing hits.
    MoreauJean,
}

/// How velocities become poses where all is met at the end of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImplicitIntegrator {
    /// Forces at the start of the step; the new velocity moves the poses through all of it.
    #[default]
    SemiImplicitEuler,
    /// Discrete mechanics: keeps momentum exactly and energy over long times.
    Variational,
}

/// What finds the reactions of joints, limits, motors and contacts. Each has the integrators that go with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// Every law met to a tolerance: joints are eliminated and closed at the end of the step; limits, bounds and contacts are one
    /// linear solve where nothing slides, else Newton's method, else Proximal-ADMM. Its name in files and commands is `padmm`,
    /// for what it falls back to; `exact` is understood as well.
    Exact {
        /// The tolerance and the last resort; `None` for those of the precision.
        padmm: Option<Padmm>,
        /// How velocities become poses.
        integrator: Integrator,
    },
    /// Contacts each for itself, in closed form.
    ComFree {
        /// The contact law.
        law: ComFree,
        /// How velocities become poses.
        integrator: Integrator,
    },
    /// Everything at the end of the step, slack times force of every contact equal to κ: with derivatives whose smoothing is κ.
    InteriorPoint {
        /// κ and tolerances; `None` for those of the precision.
        point: Option<InteriorPoint>,
        /// How velocities become poses.
        integrator: ImplicitIntegrator,
    },
    /// All rows iterate, as published: for comparison.
    AllRows(AllRows),
}

impl Default for Solver {
    fn default() -> Self {
        Solver::exact()
    }
}

impl From<Padmm> for Solver {
    fn from(padmm: Padmm) -> Self {
        Solver::Exact { padmm: Some(padmm), integrator: Integrator::default() }
    }
}

impl From<ComFree> for Solver {
    fn from(law: ComFree) -> Self {
        Solver::ComFree { law, integrator: Integrator::default() }
    }
}

impl From<InteriorPoint> for Solver {
    fn from(point: InteriorPoint) -> Self {
        Solver::InteriorPoint { point: Some(point), integrator: ImplicitIntegrator::default() }
    }
}

impl From<AllRows> for Solver {
    fn from(all: AllRows) -> Self {
        Solver::AllRows(all)
    }
}

impl Solver {
    /// The default.
    pub fn exact() -> Self {
        Solver::Exact { padmm: None, integrator: Integrator::default() }
    }

    /// The default with half steps before and after the reactions.
    pub fn moreau_jean() -> Self {
        Solver::Exact { padmm: None, integrator: Integrator::MoreauJean }
    }

    /// Contacts in closed form.
    pub fn comfree() -> Self {
        ComFree::default().into()
    }

    /// The implicit step.
    pub fn interior_point() -> Self {
        Solver::InteriorPoint { point: None, integrator: ImplicitIntegrator::default() }
    }

    /// The implicit step by discrete mechanics.
    pub fn variational() -> Self {
        Solver::InteriorPoint { point: None, integrator: ImplicitIntegrator::Variational }
    }

    /// The tolerance and the last resort of the exact solver, for a precision.
    pub fn padmm_of(precision: Precision) -> Padmm {
        match engine_defaults(precision).solver {
            engine::Solver::Padmm(padmm) => padmm,
            engine::Solver::ComFree(_) => Padmm::default(),
        }
    }

    /// κ and tolerances of the interior point, for a precision.
    pub fn point_of(precision: Precision) -> InteriorPoint {
        match precision {
            Precision::F64 => InteriorPoint::default(),
            Precision::F32 => InteriorPoint::single(),
        }
    }

    /// As the command line names it.
    pub fn name(&self) -> &'static str {
        match self {
            Solver::Exact { .. } => "padmm",
            Solver::ComFree { .. } => "comfree",
            Solver::InteriorPoint { .. } => "interior-point",
            Solver::AllRows(_) => "all-rows",
        }
    }

    fn write(self, precision: Precision, into: &mut engine::Settings) {
        let plain = |integrator| match integrator {
            Integrator::SemiImplicitEuler => engine::Integrator::SemiImplicitEuler,
            Integrator::MoreauJean => engine::Integrator::MoreauJean,
        };
        match self {
            Solver::Exact { padmm, integrator } => {
                if let Some(padmm) = padmm {
                    into.solver = engine::Solver::Padmm(padmm);
                }
                into.integrator = plain(integrator);
            }
            Solver::ComFree { law, integrator } => {
                into.solver = engine::Solver::ComFree(law);
                into.integrator = plain(integrator);
            }
            Solver::InteriorPoint { point, integrator } => {
                let point = point.unwrap_or_else(|| Solver::point_of(precision));
                into.method = engine::Method::InteriorPoint(point);
                into.integrator = match integrator {
                    ImplicitIntegrator::SemiImplicitEuler => engine::Integrator::SemiImplicitEuler,
                    ImplicitIntegrator::Variational => engine::Integrator::Variational,
                };
            }
            Solver::AllRows(all) => into.method = engine::Method::AllRows(all),
        }
    }
}

/// How a step is computed. Numbers that are left at `None` are those of the batch's precision; they need no tuning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    /// The solver and its integrator.
    pub solver: Solver,
    /// Compliance of held rows, as a share of their own.
    pub softness: Option<f64>,
    /// Rounds of closing joints and solving reactions, at least and at most.
    pub rounds: Option<[usize; 2]>,
    /// Joints are closed to this after the step [m]; angles at an arm of 0.2 m [rad/5].
    pub gap_tolerance: Option<f64>,
    /// Share of a penetration that is taken out per step.
    pub contact_recovery: Option<f64>,
    /// Share of a limit's violation that is taken out per step.
    pub limit_recovery: Option<f64>,
    /// Nothing is pushed out faster than this [m/s and rad/s].
    pub recovery_speed: Option<f64>,
    /// Slower impacts do not bounce [m/s].
    pub bounce_speed: Option<f64>,
    /// Compliance of joint limits, as a share of the mobility of the joint's own links and drive.
    pub limit_softness: Option<f64>,
    /// Measure how well the equations are met ([`crate::Metrics`]); costs a little.
    pub metrics: bool,
}

impl<S: Into<Solver>> From<S> for Settings {
    fn from(solver: S) -> Self {
        Settings { solver: solver.into(), ..Settings::default() }
    }
}

impl Settings {
    /// What the engine is told: every number, for a precision.
    pub fn for_precision(&self, precision: Precision) -> engine::Settings {
        let mut all = engine_defaults(precision);
        self.solver.write(precision, &mut all);
        let set = |to: &mut f64, given: Option<f64>| *to = given.unwrap_or(*to);
        set(&mut all.softness, self.softness);
        set(&mut all.gap_tolerance, self.gap_tolerance);
        set(&mut all.contact_recovery, self.contact_recovery);
        set(&mut all.limit_recovery, self.limit_recovery);
        set(&mut all.recovery_speed, self.recovery_speed);
        set(&mut all.bounce_speed, self.bounce_speed);
        set(&mut all.limit_softness, self.limit_softness);
        all.rounds = self.rounds.unwrap_or(all.rounds);
        all.metrics = self.metrics;
        all
    }
}

fn engine_defaults(precision: Precision) -> engine::Settings {
    match precision {
        Precision::F64 => engine::Settings::default(),
        Precision::F32 => engine::Settings::single(),
    }
}
