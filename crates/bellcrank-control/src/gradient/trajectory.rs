//! Worlds in which plans are tried with feedback, worlds that stand along a plan, and how far one state is from another.

use super::backward::Gain;
use super::rows::{Places, Quadratic, Rows};
use super::smooth::{At, SmoothCost};
use crate::options::{Action, Bounds, bounds, next_control};
use crate::rollouts::Rollouts;
use crate::{ControlError, Cost, PlantState};
use bellcrank_gradient::{Freedom, Transition, tangents, transition_freedoms, transitions};
use bellcrank_math::{Pose, Twist, so3};
use bellcrank_model::{JointKind, Model};
use bellcrank_sim::{Batch, BatchError, BatchOptions, Quantity};

/// A state, freedom by freedom.
pub(super) struct Place {
    q: Vec<f64>,
    v: Vec<f64>,
    bases: Vec<(Pose, Twist)>,
}

/// How a plan changes around itself.
pub(super) struct Linear {
    pub transitions: Vec<Transition>,
    pub costs: Vec<Quadratic>,
    /// Where it is before each step.
    pub places: Vec<Place>,
}

/// What was tried in the worlds.
#[derive(Default)]
pub(super) struct Tried {
    /// By world; infinite for one that must not be chosen.
    pub costs: Vec<f64>,
    pub frozen: usize,
    pub not_finite: usize,
    /// What the motors were told: by step, then world, then motor.
    pub told: Vec<f64>,
}

pub(super) struct Trajectory {
    pub rollouts: Rollouts,
    points: Batch,
    pub horizon: usize,
    pub bounds: Vec<Bounds>,
    /// States of all worlds before each step, and after the last.
    saved: Vec<Vec<Vec<f64>>>,
    kappa: Option<f64>,
}

impl Trajectory {
    pub fn new(
        batch: Batch,
        cost: &dyn Cost,
        (horizon, threads, kappa): (usize, usize, Option<f64>),
    ) -> Result<Self, ControlError> {
        if batch.models().len() > 1 {
            return Err(BatchError::MixedModels(0, 1).into());
        }
        let model = batch.models()[0].clone();
        let options = BatchOptions {
            dt: Some(batch.dt()),
            precision: batch.precision(),
            threads,
            settings: *batch.settings(),
            ..BatchOptions::default()
        };
        let points = Batch::new(model.clone(), horizon + 1, options)?;
        let rollouts = Rollouts::new(batch, &cost.needs())?;
        let bounds = bounds(&model, Action::Absolute);
        Ok(Trajectory { rollouts, points, horizon, bounds, saved: Vec::new(), kappa })
    }

    pub fn worlds(&self) -> usize {
        self.rollouts.batch.worlds()
    }

    /// Tries u + α k + K δx with one α by world, from a start; u alone where there are no gains.
    pub fn try_all(
        &mut self,
        start: &PlantState,
        cost: &mut dyn Cost,
        controls: &[f64],
        change: Option<(&[Gain], &Linear, &[f64])>,
    ) -> Result<Tried, ControlError> {
        let (worlds, motors) = (self.worlds(), self.bounds.len());
        self.rollouts.begin(start)?;
        self.saved.clear();
        self.save();
        let mut tried = Tried { costs: vec![0.0; worlds], ..Tried::default() };
        for step in 0..self.horizon {
            for world in 0..worlds {
                let row = &mut self.rollouts.control[world * motors..][..motors];
                row.copy_from_slice(&controls[step * motors..][..motors]);
                if let Some((gains, linear, alphas)) = change {
                    let freedoms = &linear.transitions[step].freedoms;
                    let dx = difference(&self.rollouts.batch, world, freedoms, &linear.places[step])?;
                    let Gain { k, K } = &gains[step];
                    for (a, u) in row.iter_mut().enumerate() {
                        let follows: f64 =
                            K[a * dx.len()..][..dx.len()].iter().zip(&dx).map(|(K, x)| K * x).sum();
                        *u += alphas[world] * k[a] + follows;
                    }
                }
                for (u, bounds) in row.iter_mut().zip(&self.bounds) {
                    *u = next_control(Action::Absolute, bounds, *u, 0.0);
                }
            }
            tried.told.extend(&self.rollouts.control);
            self.rollouts.step()?;
            self.rollouts.look()?;
            self.rollouts.add_cost(cost, (step, self.horizon), &mut tried.costs)?;
            self.save();
        }
        for world in 0..worlds {
            let frozen = self.rollouts.is_frozen(world);
            let finite = tried.costs[world].is_finite();
            tried.frozen += usize::from(frozen);
            tried.not_finite += usize::from(!frozen && !finite);
            if frozen || !finite {
                tried.costs[world] = f64::INFINITY;
            }
        }
        Ok(tried)
    }

    fn save(&mut self) {
        let group = self.rollouts.batch.group(0);
        self.saved.push((0..self.rollouts.batch.worlds()).map(|world| group.save(world)).collect());
    }

    /// Derivatives of all steps that a world has just made, and of what they cost.
    pub fn linearise(
        &mut self,
        world: usize,
        controls: &[f64],
        cost: &dyn SmoothCost,
    ) -> Result<Linear, ControlError> {
        let motors = self.bounds.len();
        for (step, saved) in self.saved.iter().enumerate() {
            self.points.group_mut(0).load(step, &saved[world]);
        }
        let last = &controls[controls.len() - motors..];
        self.points.write(Quantity::Control, &[controls, last].concat())?;
        let steps: Vec<usize> = (0..self.horizon).collect();
        let transitions = transitions(&self.points, &steps, self.kappa)?;
        let all: Vec<usize> = (0..=self.horizon).collect();
        let tangents = tangents(&self.points, &all)?;
        let model = self.points.models()[0].clone();
        let freedoms = transition_freedoms(&self.points, 0)?;
        let places = Places::new(&model, &freedoms);
        let states = 2 * freedoms.len();
        let (mut costs, mut row) = (Vec::new(), vec![0.0; states + motors]);
        for step in 0..self.horizon {
            let read = |quantity| self.points.read_world(quantity, step + 1);
            let (p, q) = (read(Quantity::BodyPosition)?, read(Quantity::BodyQuatWxyz)?);
            let (V, coordinates) = (read(Quantity::BodyVelocity)?, read(Quantity::JointPosition)?);
            let at = At {
                p: &p,
                q: &q,
                V: &V,
                coordinates: &coordinates,
                rates: &read(Quantity::JointVelocity)?,
                control: &controls[step * motors..][..motors],
                step,
                horizon: self.horizon,
                time: (step + 1) as f64 * self.points.dt(),
            };
            let mut quadratic = Quadratic::zero(states, motors);
            let tangent = &tangents[step + 1];
            cost.slopes(&at, &mut Rows { places: &places, tangent, into: &mut quadratic, row: &mut row })?;
            costs.push(quadratic);
        }
        let places =
            steps.iter().map(|step| place(&self.points, *step, &freedoms)).collect::<Result<_, _>>()?;
        Ok(Linear { transitions, costs, places })
    }
}

/// The first of a joint's numbers.
fn first(model: &Model, joint: usize, count: fn(JointKind) -> usize) -> usize {
    model.joints()[..joint].iter().map(|joint| count(joint.kind)).sum()
}

fn place(batch: &Batch, world: usize, freedoms: &[Freedom]) -> Result<Place, ControlError> {
    let (q, v) = (batch.joint_position(world)?, batch.joint_velocity(world)?);
    let mut bases = Vec::new();
    for freedom in freedoms {
        if let Freedom::Base { body, axis: 0 } = *freedom {
            bases.push((batch.body_pose(world, body)?, batch.body_velocity(world, body)?));
        }
    }
    Ok(Place { q, v, bases })
}

/// How far a world is from a place: δq, then δq̇.
fn difference(
    batch: &Batch,
    world: usize,
    freedoms: &[Freedom],
    from: &Place,
) -> Result<Vec<f64>, ControlError> {
    let (model, now) = (batch.model(world)?, place(batch, world, freedoms)?);
    let n = freedoms.len();
    let mut dx = vec![0.0; 2 * n];
    let mut base = 0;
    for (k, freedom) in freedoms.iter().enumerate() {
        (dx[k], dx[n + k]) = match *freedom {
            Freedom::Joint { joint, dof } => {
                let (c, d) = (
                    first(model, joint, JointKind::coordinate_count) + dof,
                    first(model, joint, JointKind::dof_count) + dof,
                );
                (now.q[c] - from.q[c], now.v[d] - from.v[d])
            }
            Freedom::Base { axis, .. } => {
                base += usize::from(axis == 0);
                let ((X1, V1), (X0, V0)) = (now.bases[base - 1], from.bases[base - 1]);
                let turn = so3::log((X1.R * X0.R.inverse()).short_way()).to_array();
                let moved = (X1.p - X0.p).to_array();
                let pose = if axis < 3 { moved[axis] } else { turn[axis - 3] };
                (pose, V1.to_array()[axis] - V0.to_array()[axis])
            }
        };
    }
    Ok(dx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Near, Sum, Term};
    use bellcrank_math::Vec3;
    use bellcrank_model::library;
    use bellcrank_sim::{InteriorPoint, Smoothing};
    use std::sync::Arc;

    const KAPPA: f64 = 1e-6;

    /// All terms that have a slope, of a hand whose fingers bend through four-bars.
    fn cost(model: &Model) -> Sum {
        let body = |name: &str| Sum::body(model, name).unwrap();
        let (first, thumb) = (body("first_far"), body("thumb_far"));
        let points = vec![Near { body: first, point: Vec3::new(0.0, 0.0, 0.03) }];
        let target_wxyz = [0.8, 0.0, 0.6, 0.0];
        Sum {
            running: vec![
                Term::PositionSquared { body: first, target: [0.1, 0.0, 0.1], weight: 3.0 },
                Term::Orientation { body: thumb, target_wxyz, weight: 2.0 },
                Term::Velocity { body: first, target: [0.1; 6], weight: [0.5, 0.4, 0.3, 0.02, 0.03, 0.01] },
                Term::Posture { coordinates: vec![0, 1], target: vec![0.2, -0.3], weight: 0.7 },
                Term::JointRate { dofs: vec![1], weight: 0.01 },
                Term::Control { rest: vec![0.1; 12], weight: 0.3 },
            ],
            terminal: vec![
                Term::Contact { body: thumb, points, weight: 5.0 },
                Term::Position { body: thumb, target: [0.0, 0.1, -0.2], weight: [0.1, 0.2, 0.3] },
            ],
        }
    }

    /// The slope of the whole cost along every control, from derivatives of steps and terms, is what differences of whole rollouts are:
    /// ∂J/∂u_t = ℓ_u + Bᵀ λ, λ_t = ℓ_x + Aᵀ λ. Differences over 1e-4 leave their square times third derivatives and 1e-10/1e-4 of the
    /// solver; rounding off the absolute value leaves 1e-6 of its slope at 0.1 m.
    #[test]
    fn slopes_of_rollouts_are_their_differences() {
        let model = Arc::new(library::linkage_hand().build().unwrap());
        let point =
            InteriorPoint { kappa: KAPPA, centring: 1e-6, tolerance: 1e-11, ..InteriorPoint::default() };
        let point = InteriorPoint { smoothing: Smoothing::Absolute, ..point };
        let options = BatchOptions {
            dt: Some(0.004),
            threads: 1,
            settings: bellcrank_sim::Solver::from(point).into(),
            ..BatchOptions::default()
        };
        let (horizon, motors) = (4, model.actuators().len());
        let mut cost = cost(&model);
        let mut plant = Batch::new(model.clone(), 1, options).unwrap();
        plant.advance(1);
        let start = PlantState::of(&plant, 0).unwrap();
        let batch = Batch::new(model, 2, options).unwrap();
        let mut trajectory = Trajectory::new(batch, &cost, (horizon, 1, Some(KAPPA))).unwrap();
        let told = |t: usize, a: usize| start.control[a] + 0.1 * ((3 * t + 5 * a) as f64).sin();
        let controls: Vec<f64> = (0..horizon * motors).map(|k| told(k / motors, k % motors)).collect();
        trajectory.try_all(&start, &mut cost, &controls, None).unwrap();
        let linear = trajectory.linearise(0, &controls, &cost).unwrap();
        let mut costate = vec![0.0; linear.costs[0].x.len()];
        let mut slopes = vec![0.0; controls.len()];
        for t in (0..horizon).rev() {
            let (step, own) = (&linear.transitions[t], &linear.costs[t]);
            costate.iter_mut().zip(&own.x).for_each(|(l, x)| *l += x);
            let back = |matrix: &bellcrank_gradient::Dense, k: usize| -> f64 {
                costate.iter().enumerate().map(|(row, l)| l * matrix.get(row, k)).sum()
            };
            (0..motors).for_each(|a| slopes[t * motors + a] = own.u[a] + back(&step.B, a));
            costate = (0..costate.len()).map(|k| back(&step.A, k)).collect();
        }
        let largest = slopes.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for k in 0..controls.len() {
            let mut at = |amount: f64| {
                let mut controls = controls.clone();
                controls[k] += amount;
                trajectory.try_all(&start, &mut cost, &controls, None).unwrap().costs[0]
            };
            let difference = (at(1e-4) - at(-1e-4)) / 2e-4;
            assert!((slopes[k] - difference).abs() < 1e-3 * largest, "{k}: {} {difference}", slopes[k]);
        }
    }
}
