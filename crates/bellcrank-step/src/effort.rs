//! What the motors of one degree of freedom can give: bounds, and lines that fall with the rate.
//!
//! At the rate v the effort lies between −s − k v and s − k v, and within the bounds that hold at any rate; see
//! [`bellcrank_model::TorqueSpeed`]. Several motors on one coordinate have their bounds and lines added up. The rate
//! is that of the start of the step. Where the line is steeper than the inertia J behind it bears, Δt k > J, it would
//! throw the coordinate from one side of the line to the other; what is too steep then acts at the end of the step,
//! −(Δt k − J)(v⁺ − v⁻), so that no step passes the line.

use bellcrank_math::{Real, numbers};
use bellcrank_model::{ActuatorParameters, Dof};

/// All motors of a degree of freedom, a tendon or a site together.
#[derive(Clone, Copy, Debug)]
pub struct EffortConstants<R> {
    /// At any rate.
    pub low: R,
    pub high: R,
    /// At rest, by the lines alone.
    pub low_line: R,
    pub high_line: R,
    /// k; zero where no motor has a line.
    pub slope: R,
}

numbers!(EffortConstants { low, high, low_line, high_line, slope });

/// A row whose motors are within this share of a bound counts as near it.
const NEAR: f64 = 0.5;

impl EffortConstants<f64> {
    /// What motors have together, as far as the joint or tendon bears it.
    pub fn of<'a>(motors: impl Iterator<Item = &'a ActuatorParameters>, dof: &Dof) -> Self {
        let (mut sum, mut lines, mut slope) = ([0.0; 2], [0.0; 2], 0.0);
        for own in motors {
            let [low, high] = own.effort_bounds();
            let line = own.line_at_target();
            let [at_rest, falls] = line.unwrap_or([f64::INFINITY, 0.0]);
            sum = [sum[0] + low, sum[1] + high];
            // a motor without a line has its bounds at any rate
            let ends = if line.is_some() { [-at_rest, at_rest] } else { [low, high] };
            lines = [lines[0] + ends[0], lines[1] + ends[1]];
            slope += falls;
        }
        let [low, high] = dof.effort_bounds();
        let [low, high] = sum.map(|x| bound(x.max(low).min(high)));
        let [low_line, high_line] = if slope > 0.0 { lines.map(bound) } else { [low, high] };
        EffortConstants { low, high, low_line, high_line, slope }
    }
}

impl<R: Real> EffortConstants<R> {
    /// Least and largest impulse of a step Δt that begins at this rate.
    #[inline(always)]
    pub fn bounds(&self, rate: R, dt: R) -> (R, R) {
        let low = self.slope.neg_mul_add(rate, self.low_line).clamp(self.low, self.high);
        let high = self.slope.neg_mul_add(rate, self.high_line).clamp(self.low, self.high);
        (low * dt, high * dt)
    }

    /// What of the line's slope is too steep for this inertia [kg·m² or kg], where the motors' impulse `drive` is near
    /// their bound.
    #[inline(always)]
    pub fn too_steep(&self, rate: R, dt: R, inertia: R, drive: R) -> R {
        let (low, high) = self.bounds(rate, dt);
        let near = R::constant(NEAR);
        let at_bound = near.neg_mul_add(high.abs(), high).le(drive) | drive.le(near.mul_add(low.abs(), low));
        let excess = self.slope.mul_add(dt, -inertia);
        R::select(at_bound & R::zero().lt(excess), excess, R::zero())
    }
}

/// Infinite bounds become large ones: lanes must not compute with infinities.
pub fn bound(x: f64) -> f64 {
    x.clamp(-1e9, 1e9)
}
