//! The next step as a linear map of minimal coordinates: δx⁺ = A δx + B δu, with x = (q, q̇) of the independent freedoms and u what
//! the motors listen to.
//!
//! Between two steps the velocity of a body is that of the interval that ends there, V = (X(q) ⊖ X(q − Δt r))/Δt, with joints closed
//! at both ends of it: states have the coordinates (q, r) of [`MinimalCoordinates`], and A_r is told in these. Users know
//! `joint_velocity`, q̇ = J(X) V with the joints' rates at X. Both are coordinates of the same states, but their axes differ: moving q with r
//! held turns the chord of the interval, so that ∂V/∂q is taken in its middle, Δt/2 before the state. Columns by q differ by O(Δt q̇), 0.4 % for
//! one radian per second and 4 ms. With N: (δq, δr) → (δX, δV) and M: (δX, δV) → (δq, δq̇),
//!
//!   A = C⁺ A_r C⁻¹,  B = C⁺ B_r,  C = M N at the start, C⁺ at the end of the step.
//!
//! The step is linearised as one of a motion. A first step from velocities that were written, which are those of the instant, starts from
//! V = T(q) q̇ instead of a chord: it misses half of the Coriolis terms, once, as any staggered scheme does that is started so.

use crate::minimal::Moving;
use crate::quantities::own_kappa;
use crate::steps::{bodies, on_tree};
use crate::{Dense, Freedom, MinimalCoordinates, MinimalStep, Wrt};
use bellcrank_math::{Pose, Twist};
use bellcrank_model::{Control, Model};
use bellcrank_sim::{Batch, BatchError};

/// The length of an interval whose velocity is that of the instant, as a share of Δt. What it leaves is 3e-5 of 0.4 %, and
/// differences over it lose 15 of 53 bits.
const INSTANT: f64 = 3e-5;

/// A step, linear in minimal coordinates.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Whose coordinates these are: floating bases in the order of their bodies, then joints in their order.
    pub freedoms: Vec<Freedom>,
    /// Rows δq⁺, δq̇⁺; columns δq, δq̇.
    pub A: Dense,
    /// Rows δq⁺, δq̇⁺; one column per actuator, for what it listens to.
    pub B: Dense,
}

impl Freedom {
    /// As `knee`, `hip[1]` for the second freedom of a joint, `torso.x` … `torso.rz` for those of a floating base.
    pub fn name(self, model: &Model) -> String {
        match self {
            Freedom::Base { body, axis } => {
                let axes = ["x", "y", "z", "rx", "ry", "rz"];
                format!("{}.{}", model.bodies()[body].name, axes[axis])
            }
            Freedom::Joint { joint, dof: 0 } => model.joints()[joint].name.clone(),
            Freedom::Joint { joint, dof } => format!("{}[{dof}]", model.joints()[joint].name),
        }
    }

    /// Bases first, each kind in the order of the model.
    fn place(self) -> (bool, usize, usize) {
        match self {
            Freedom::Base { body, axis } => (false, body, axis),
            Freedom::Joint { joint, dof } => (true, joint, dof),
        }
    }
}

/// The number that a motor listens to.
fn listened_to(control: Control, actuator: usize) -> Wrt {
    match control {
        Control::Position { .. } => Wrt::TargetPosition(actuator),
        Control::Velocity { .. } => Wrt::TargetVelocity(actuator),
        Control::Effort
        | Control::Affine { .. }
        | Control::Varying { .. }
        | Control::Muscle(_)
        | Control::Voltage(_) => Wrt::Effort(actuator),
    }
}

/// A and B of the next step of some worlds of one model, over the threads of the batch. Where loops close, the freedoms are
/// those that [`MinimalCoordinates::independent_freedoms`] finds in the first of the worlds. `kappa` is as in
/// [`crate::Smoothness`].
///
/// # Errors
/// As [`MinimalCoordinates::minimal_step_jacobian`], and when there is no world or worlds are of different models.
pub fn transitions(
    batch: &Batch,
    worlds: &[usize],
    kappa: Option<f64>,
) -> Result<Vec<Transition>, BatchError> {
    let &first = worlds.first().ok_or(BatchError::NoWorlds)?;
    for &world in worlds {
        if batch.find(world)?.0 != batch.find(first)?.0 {
            return Err(BatchError::MixedModels(first, world));
        }
    }
    let model = batch.model(first)?.clone();
    let motors = model.actuators().iter().enumerate();
    let besides: Vec<Wrt> = motors.map(|(a, motor)| listened_to(motor.control, a)).collect();
    let list = batch.independent_freedoms(first)?;
    let steps = batch.minimal_step_jacobians(worlds, own_kappa(batch, kappa)?, &list, &besides)?;
    let numbers: Vec<usize> = (0..worlds.len()).collect();
    batch.over(&numbers, |_, k| {
        let (X, V) = bodies(batch, worlds[k])?;
        on_tree(batch, worlds[k], |moving| in_joint_velocities(moving, &X, &V, &steps[k], &list))
    })
}

/// The freedoms of [`transitions`] where this world is the first, in their order.
///
/// # Errors
/// When there is no such world.
pub fn transition_freedoms(batch: &Batch, world: usize) -> Result<Vec<Freedom>, BatchError> {
    let (all, list) = (batch.freedoms(world)?, batch.independent_freedoms(world)?);
    let mut own: Vec<Freedom> = list.into_iter().map(|k| all[k]).collect();
    own.sort_by_key(|freedom| freedom.place());
    Ok(own)
}

/// How the bodies of some worlds of one model move with the coordinates of [`transitions`] of the same worlds: twelve rows per body, δx, δθ,
/// δv, δω in world axes; columns δq, δq̇.
///
/// # Errors
/// As [`transitions`].
pub fn tangents(batch: &Batch, worlds: &[usize]) -> Result<Vec<Dense>, BatchError> {
    let &first = worlds.first().ok_or(BatchError::NoWorlds)?;
    for &world in worlds {
        if batch.find(world)?.0 != batch.find(first)?.0 {
            return Err(BatchError::MixedModels(first, world));
        }
    }
    let (all, list) = (batch.freedoms(first)?, batch.independent_freedoms(first)?);
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by_key(|k| all[list[*k]].place());
    let both: Vec<usize> = order.iter().copied().chain(order.iter().map(|k| list.len() + k)).collect();
    batch.over(worlds, |_, world| {
        let (X, V) = bodies(batch, world)?;
        on_tree(batch, world, |moving| {
            let by_rates = moving.jacobian(&X, &V, &list)?.to_maximal;
            let to_velocities = rates_to_velocities(moving, &X, &V, &list)?;
            let moved = divided(by_rates, to_velocities).ok_or(BatchError::NotIndependent)?;
            let rows: Vec<usize> = (0..moved.rows()).collect();
            Ok(chosen(&moved, &rows, &both))
        })
    })
}

/// Takes both ends of a step from the rates of intervals to joint velocities, and sorts freedoms.
fn in_joint_velocities(
    moving: &Moving<'_>,
    X: &[Pose],
    V: &[Twist],
    step: &MinimalStep,
    list: &[usize],
) -> Result<Transition, BatchError> {
    let n = list.len();
    let start = rates_to_velocities(moving, X, V, list)?;
    let end = rates_to_velocities(moving, &step.end.poses, &step.end.velocities, list)?;
    let mut all = times(&end, &step.jacobian);
    let mut columns = Dense::zero(2 * n, 2 * n);
    for row in 0..2 * n {
        columns.row_mut(row).copy_from_slice(&all.row(row)[..2 * n]);
    }
    let columns = divided(columns, start).ok_or(BatchError::NotIndependent)?;
    for row in 0..2 * n {
        all.row_mut(row)[..2 * n].copy_from_slice(columns.row(row));
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|k| step.freedoms[*k].place());
    let both: Vec<usize> = order.iter().copied().chain(order.iter().map(|k| n + k)).collect();
    let motors: Vec<usize> = (2 * n..all.columns).collect();
    Ok(Transition {
        freedoms: order.iter().map(|k| step.freedoms[*k]).collect(),
        A: chosen(&all, &both, &both),
        B: chosen(&all, &both, &motors),
    })
}

/// C = M N: (δq, δr) → (δq, δq̇).
fn rates_to_velocities(
    moving: &Moving<'_>,
    X: &[Pose],
    V: &[Twist],
    list: &[usize],
) -> Result<Dense, BatchError> {
    // in 32 bits, quaternions have a length of their own, which differences over an instant would show
    let X: Vec<Pose> = X.iter().map(|X| Pose::new(X.R.normalized(), X.p)).collect();
    let instant = Moving { dt: INSTANT * moving.dt, ..*moving };
    let (N, M) = (moving.jacobian(&X, V, list)?.to_maximal, instant.jacobian(&X, V, list)?.to_minimal);
    Ok(times(&M, &N))
}

/// left · right⁻¹, by elimination of columns; none where it cannot be inverted.
fn divided(mut left: Dense, mut right: Dense) -> Option<Dense> {
    let n = right.columns;
    for k in 0..n {
        let largest = (k..n).max_by(|a, b| right.get(k, *a).abs().total_cmp(&right.get(k, *b).abs()))?;
        let pivot = right.get(k, largest);
        if pivot.is_nan() || pivot.abs() <= f64::EPSILON {
            return None;
        }
        for matrix in [&mut left, &mut right] {
            for row in 0..matrix.rows() {
                let row = matrix.row_mut(row);
                row.swap(k, largest);
                row[k] /= pivot;
            }
        }
        for other in (0..n).filter(|other| *other != k) {
            let share = right.get(k, other);
            if share != 0.0 {
                for matrix in [&mut left, &mut right] {
                    for row in 0..matrix.rows() {
                        let row = matrix.row_mut(row);
                        row[other] -= share * row[k];
                    }
                }
            }
        }
    }
    Some(left)
}

fn times(left: &Dense, right: &Dense) -> Dense {
    let mut product = Dense::zero(left.rows(), right.columns);
    for row in 0..left.rows() {
        for (k, factor) in left.row(row).iter().enumerate() {
            product.add_row(row, *factor, right, k);
        }
    }
    product
}

fn chosen(matrix: &Dense, rows: &[usize], columns: &[usize]) -> Dense {
    let values = rows.iter().flat_map(|r| columns.iter().map(|c| matrix.get(*r, *c)));
    Dense { columns: columns.len(), values: values.collect() }
}
