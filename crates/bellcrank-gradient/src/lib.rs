//! Derivatives of a step, implicit: with r(w, θ) = 0 the equations of the implicit step at κ and w their unknowns,
//! δw = −(∂r/∂w)⁻¹ ∂r/∂θ δθ. ∂r/∂w is Newton's matrix, factored already; ∂r/∂θ comes from evaluating the same equations
//! once more in dual numbers, collisions included: whatever the step depends on can be asked for, and no formula can be
//! forgotten. States and controls, which are asked for most, have formulas of their own that are tested against these.
//!
//! | file | what |
//! |---|---|
//! | `wrt` | what a step can be differentiated with respect to |
//! | `inputs` | all that a step depends on, in any numbers |
//! | `solved` | the step at κ, solved to rounding, and its equations in dual numbers |
//! | `repeated` | what stays as it was found in these |
//! | `passes` | which numbers share an evaluation |
//! | `slopes` | ∂r/∂θ, equation by equation |
//! | `formulas` | the same for states and controls, without dual numbers |
//! | `columns` | the same, column by column |
//! | `solve_columns` `adjoint` | all columns by solves in lanes; a cotangent by one solve with the transpose |
//! | `steps` `states` | what a batch can be asked for |
//! | `quantities` | columns of whole arrays, by the table of quantities |
//! | `several` | minimal Jacobians of several worlds at once |
//! | `minimal` | minimal and maximal coordinates |
//! | `transition` | A and B of a step in joint coordinates and velocities |
//!
//! A step by Proximal-ADMM is differentiated as the implicit step with the same integrator from the same state: polished
//! by the interior point at κ.
#![forbid(unsafe_code)]

mod adjoint;
#[cfg(feature = "checks")]
#[doc(hidden)]
pub mod blocks;
mod columns;
mod formulas;
mod inputs;
mod minimal;
mod passes;
mod quantities;
mod repeated;
mod several;
mod slopes;
mod solve_columns;
mod solved;
mod states;
mod steps;
mod transition;
mod wrt;

pub(crate) use inputs::{Inputs, Source};
pub(crate) use minimal::Moving;
pub use minimal::{Dense, Freedom, MinimalJacobian, MinimalState, MinimalStep};
pub use quantities::{Block, QuantityDerivatives, Smoothness, differentiable};
pub(crate) use solved::{Scratch, Solved};
pub use states::MinimalCoordinates;
pub use steps::StepDerivatives;
pub use transition::{Transition, tangents, transition_freedoms, transitions};
pub use wrt::Wrt;

use adjoint::pull_back;
use bellcrank_math::{Dual, Elem, Inline, Pose, Real, Twist};
use bellcrank_sim::BatchError;
use bellcrank_solve::{InteriorPoint, Smoothing};
use bellcrank_step::constants::Constants;
use bellcrank_step::interior::Implicit;
use bellcrank_step::layout::Layout;
use bellcrank_step::settings::Settings;
use solve_columns::{Factored, SolveColumns};

/// Derivatives that one evaluation in dual numbers carries: on a tree the poses of all bodies need no more.
const CARRIED: usize = 12;
type Many = Dual<f64, CARRIED>;

/// Where a step ends.
#[derive(Clone, Debug)]
pub struct StepEnd {
    /// X_WB by body, origin at the centre of mass.
    pub poses: Vec<Pose>,
    /// Twists of the centres of mass, world axes.
    pub velocities: Vec<Twist>,
    /// Newton steps that it took.
    pub iterations: usize,
}

/// The Jacobian of a step.
#[derive(Clone, Debug)]
pub struct StepJacobian {
    /// What each column belongs to.
    pub wrt: Vec<Wrt>,
    /// By row and column. Rows are for every body δx, δθ, δv, δω at the end of the step, world axes.
    pub values: Vec<f64>,
    /// Where the step at κ ends.
    pub end: StepEnd,
}

impl StepJacobian {
    /// Number of rows: twelve per body.
    pub fn rows(&self) -> usize {
        12 * self.end.poses.len()
    }

    /// The derivative of row `row` (12 per body) with respect to column `column`.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.wrt.len() + column]
    }

    /// One column.
    pub fn column(&self, column: usize) -> Vec<f64> {
        (0..self.rows()).map(|row| self.get(row, column)).collect()
    }

    /// Cotangents of the end of the step, 12 per body, become cotangents of all that the columns belong to.
    pub fn vjp(&self, cotangent: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.wrt.len()];
        for (row, y) in self.values.chunks(self.wrt.len().max(1)).zip(cotangent) {
            sum.iter_mut().zip(row).for_each(|(s, x)| *s += y * x);
        }
        sum
    }
}

/// What goes back through a step.
#[derive(Clone, Debug)]
pub struct StepPullback {
    /// Cotangents of what was asked for, in that order.
    pub cotangents: Vec<f64>,
    /// Where the step at κ ends.
    pub end: StepEnd,
}

/// How a step is computed whose derivatives are asked for: by the interior point, which smooths what is hard by κ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Smoothed {
    pub settings: Settings,
    pub point: InteriorPoint,
}

impl Smoothed {
    /// A batch's own settings, with derivatives smoothed by κ.
    pub fn of(settings: &Settings, kappa: f64) -> Self {
        let own = match settings.method {
            bellcrank_step::settings::Method::InteriorPoint(point) => point,
            _ => InteriorPoint::default(),
        };
        let smoothing = Smoothing::Absolute; // so that κ depends on nothing that derivatives are taken by
        let point =
            InteriorPoint { kappa, smoothing, tolerance: 5e-8, centring: 1e-4, max_iterations: 80, ..own };
        // numbers have 64 bits here, whatever those of the batch: joints are held as stiffly as these allow
        let softness = settings.softness.min(Settings::default().softness);
        Smoothed { settings: Settings { softness, ..*settings }, point }
    }

    /// What the stages of the step are told.
    pub fn implicit<'a, R: Real>(
        &'a self,
        layout: &'a Layout,
        constants: &'a Constants<R>,
        dt: R,
    ) -> Implicit<'a, R> {
        Implicit { layout, constants, settings: &self.settings, point: &self.point, dt }
    }
}

impl Scratch {
    pub(crate) fn step_end(&self, source: &Source<'_>) -> StepEnd {
        let (poses, velocities) = self.end(source);
        StepEnd { poses, velocities, iterations: self.solved.iterations as usize }
    }

    /// The Jacobian of the step from the source's state.
    pub fn jacobian(
        &mut self,
        source: &Source<'_>,
        how: &Smoothed,
        wrt: &[Wrt],
    ) -> Result<StepJacobian, BatchError> {
        self.solve(source, how, None)?;
        self.solved.factor(source.layout, how);
        self.linearise(source, how, wrt)?;
        let (columns, solved) = (&self.columns, &self.solved);
        let factored = Factored { layout: source.layout, solved };
        let values = f64::with_lanes(SolveColumns { columns, factored });
        Ok(StepJacobian { wrt: wrt.to_vec(), values, end: self.step_end(source) })
    }

    /// A cotangent of the end of the step goes back to all that is asked for, without a Jacobian.
    pub fn pullback(
        &mut self,
        source: &Source<'_>,
        how: &Smoothed,
        cotangent: &[f64],
        wrt: &[Wrt],
    ) -> Result<StepPullback, BatchError> {
        self.solve(source, how, None)?;
        self.solved.factor(source.layout, how);
        self.linearise(source, how, wrt)?;
        let (columns, solved) = (&self.columns, &self.solved);
        let cotangents = f64::run(Inline(
            #[inline(always)]
            || pull_back(source.layout, columns, solved, cotangent),
        ));
        Ok(StepPullback { cotangents, end: self.step_end(source) })
    }

    /// The central difference of the same step: to check a column.
    pub fn difference(
        &mut self,
        source: &Source<'_>,
        how: &Smoothed,
        wrt: Wrt,
        amount: f64,
    ) -> Result<Vec<f64>, BatchError> {
        self.solve(source, how, Some((wrt, amount)))?;
        let (X1, V1) = self.end(source);
        self.solve(source, how, Some((wrt, -amount)))?;
        let (X0, V0) = self.end(source);
        let mut column = Vec::new();
        for b in 0..X1.len() {
            let dx = X1[b].p - X0[b].p;
            let dtheta = bellcrank_math::so3::log(X1[b].R * X0[b].R.inverse());
            let (high, low) = (V1[b].to_array(), V0[b].to_array());
            let moved = dx.to_array().into_iter().chain(dtheta.to_array());
            let change = moved.chain((0..6).map(|k| high[k] - low[k]));
            column.extend(change.map(|x| x / (2.0 * amount)));
        }
        Ok(column)
    }
}
