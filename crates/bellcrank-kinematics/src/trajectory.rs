//! The trajectory form: a path of goals, and the fastest time law that keeps bounds on speed and acceleration.
//!
//! Poses along the path are found one after the other, each from the one before, so that the mechanism stays on its branch. With s the number
//! of a pose, q′ and q″ by differences, and x = ṡ², u = s̈, the bounds are linear: q̇² = q′² x and q̈ = q′ u + q″ x. Going back from the end,
//! the largest x from which the rest of the path can still be done follows from that of the next pose (a linear program in two
//! unknowns); going forward, the largest u is taken that leads to such an x. ([Pham, Pham 2018], reachability analysis.)

use crate::error::KinematicsError;
use crate::precision::Number;
use crate::servo::checked;
use crate::solve::Problem;

/// Bounds by velocity of the tree, in the user's order; infinite for none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Speeds \[rad/s or m/s\]; empty for those of the model.
    pub speed: Vec<f64>,
    /// Accelerations \[rad/s² or m/s²\]; empty for none.
    pub acceleration: Vec<f64>,
}

/// Poses along a path, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory<E = f64> {
    /// When each pose is passed \[s\]; the first at zero, from standing to standing.
    pub times: Vec<f64>,
    /// Configurations of the tree, (n, coordinates).
    pub q: Vec<E>,
    /// Velocities there, (n, velocities).
    pub v: Vec<E>,
    /// Whether goals are met, as in [`crate::Solution`].
    pub solved: Vec<bool>,
    /// How far each goal is missed, (n, goals) \[m or rad\].
    pub error: Vec<E>,
}

/// Bisections for the largest x: as fine as numbers are.
const BISECTIONS: usize = 60;

impl<E: Number> Problem<'_, E> {
    /// Follows a path of targets (n, [`Problem::target_width`]) from one start; the reference pose where that is empty.
    ///
    /// # Errors
    /// When sizes do not agree, or a bound is no positive number.
    pub fn follow(
        &self,
        targets: &[E],
        start: &[E],
        bounds: &Bounds,
    ) -> Result<Trajectory<E>, KinematicsError> {
        let tree = self.robot.tree();
        let (width, nq, nv) = (self.target_width(), tree.coordinate_count(), tree.dof_count());
        let speed = checked(&bounds.speed, self.robot.speeds(), "speed")?.to_vec();
        let acceleration = checked(&bounds.acceleration, &vec![f64::INFINITY; nv], "acceleration")?.to_vec();
        if width == 0 || !targets.len().is_multiple_of(width) {
            let (found, rows) = (targets.len(), targets.len() / width.max(1));
            return Err(KinematicsError::WrongSize { what: "targets", found, rows, width });
        }
        let mut path = Trajectory { times: vec![], q: vec![], v: vec![], solved: vec![], error: vec![] };
        for (i, target) in targets.chunks_exact(width).enumerate() {
            // the first pose may have to be looked for, the others are next to it
            let found = match i {
                0 => self.solve(target, start)?,
                _ => self.solve_near(target, &path.q[(i - 1) * nq..])?,
            };
            path.q.extend(found.q);
            path.solved.extend(found.solved);
            path.error.extend(found.error);
        }
        let steps = self.steps(&path.q)?;
        let rows = rows(&steps, nv, path.solved.len());
        let (x, _) = fastest(&rows, &speed, &acceleration);
        path.times = times(&x);
        for (row, x) in rows.iter().zip(&x) {
            path.v.extend(row.rate.iter().map(|rate| E::from_f64(rate * x.sqrt())));
        }
        Ok(path)
    }

    /// Ways from each pose to the next, in velocities.
    fn steps(&self, q: &[E]) -> Result<Vec<f64>, KinematicsError> {
        let (tree, nq) = (self.robot.tree(), self.robot.tree().coordinate_count());
        let n = q.len() / nq.max(1);
        if n < 2 {
            return Ok(Vec::new());
        }
        let mut steps = vec![E::zero(); (n - 1) * tree.dof_count()];
        tree.batch().difference(&q[..(n - 1) * nq], &q[nq..], &mut steps)?;
        Ok(steps.iter().map(|x| x.to_f64()).collect())
    }
}

/// q′ and q″ of one pose.
struct Row {
    rate: Vec<f64>,
    bend: Vec<f64>,
}

/// Central differences; one-sided at both ends.
fn rows(steps: &[f64], nv: usize, count: usize) -> Vec<Row> {
    let step = |i: usize| &steps[i * nv..(i + 1) * nv];
    let row = |i: usize| {
        if count < 2 {
            return Row { rate: vec![0.0; nv], bend: vec![0.0; nv] };
        }
        let (before, after) = (step(i.max(1) - 1), step(i.min(count - 2)));
        Row {
            rate: before.iter().zip(after).map(|(a, b)| 0.5 * (a + b)).collect(),
            bend: before.iter().zip(after).map(|(a, b)| b - a).collect(),
        }
    };
    (0..count).map(row).collect()
}

/// x and u at every pose.
fn fastest(rows: &[Row], speed: &[f64], acceleration: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = rows.len();
    let mut most = vec![0.0; n];
    for i in (0..n.saturating_sub(1)).rev() {
        let next = most[i + 1];
        let ends = i == 0;
        let can = |x: f64| {
            let [least, largest] = accelerations(&rows[i], acceleration, x);
            // 0 ≤ x + 2 u ≤ what the next pose allows
            least.max(-0.5 * x) <= largest.min(0.5 * (next - x))
        };
        most[i] = if ends { 0.0 } else { largest_that(can, ceiling(&rows[i], speed)) };
    }
    let (mut x, mut u) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n.saturating_sub(1) {
        let [_, largest] = accelerations(&rows[i], acceleration, x[i]);
        u[i] = largest.min(0.5 * (most[i + 1] - x[i])).max(-0.5 * x[i]);
        x[i + 1] = (x[i] + 2.0 * u[i]).max(0.0);
    }
    (x, u)
}

/// Largest x that speeds allow: where nothing moves, a million poses per second.
fn ceiling(row: &Row, speed: &[f64]) -> f64 {
    let of = |(rate, speed): (&f64, &f64)| if *rate == 0.0 { f64::INFINITY } else { (speed / rate).powi(2) };
    row.rate.iter().zip(speed).map(of).fold(1e12, f64::min)
}

/// Range of u that accelerations allow at x; empty where the first is larger than the second.
fn accelerations(row: &Row, acceleration: &[f64], x: f64) -> [f64; 2] {
    let mut range = [f64::NEG_INFINITY, f64::INFINITY];
    for ((rate, bend), most) in row.rate.iter().zip(&row.bend).zip(acceleration) {
        if most.is_infinite() {
            continue;
        }
        let (low, high) = (-most - bend * x, most - bend * x);
        if rate.abs() < 1e-12 {
            if low > 0.0 || high < 0.0 {
                return [1.0, -1.0];
            }
            continue;
        }
        let (a, b) = (low / rate, high / rate);
        range = [range[0].max(a.min(b)), range[1].min(a.max(b))];
    }
    range
}

/// The set of x that can is an interval that begins at zero.
fn largest_that(can: impl Fn(f64) -> bool, ceiling: f64) -> f64 {
    if can(ceiling) {
        return ceiling;
    }
    let (mut yes, mut no) = (0.0, ceiling);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (yes + no);
        if can(middle) { yes = middle } else { no = middle }
    }
    yes
}

/// ṡ is linear in s where u is constant in t: a step takes 2 / (ṡ₀ + ṡ₁).
fn times(x: &[f64]) -> Vec<f64> {
    let mut t = 0.0;
    let mut all = vec![0.0];
    for pair in x.windows(2) {
        t += 2.0 / (pair[0].sqrt() + pair[1].sqrt()).max(1e-6);
        all.push(t);
    }
    all.truncate(x.len());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A straight way of 1 rad in 100 steps, 2 rad/s² and no bound on speed: half of it faster, half of it slower, t = 2 √(1/2 · 2 / 2).
    #[test]
    fn a_straight_way_takes_as_long_as_the_formula_says() {
        let n = 101;
        let rows: Vec<Row> = (0..n).map(|_| Row { rate: vec![0.01], bend: vec![0.0] }).collect();
        let (x, _) = fastest(&rows, &[f64::INFINITY], &[2.0]);
        let end = *times(&x).last().expect("poses");
        assert!((end - 2.0 * 0.5_f64.sqrt()).abs() < 1e-9, "{end}");
        // with 0.5 rad/s: 0.25 s and 1/16 rad to get there, as much to stop, 7/8 rad between
        let (x, _) = fastest(&rows, &[0.5], &[2.0]);
        let end = *times(&x).last().expect("poses");
        assert!((end - (0.5 + 0.875 / 0.5)).abs() < 0.01, "{end}");
    }

    #[test]
    fn a_path_that_goes_nowhere_takes_no_time_and_no_number_breaks() {
        let rows: Vec<Row> = (0..5).map(|_| Row { rate: vec![0.0], bend: vec![0.0] }).collect();
        let (x, _) = fastest(&rows, &[1.0], &[1.0]);
        assert!(times(&x).iter().all(|t| t.is_finite()));
        assert!(times(&[]).is_empty());
    }
}
