//! The velocity form: one step of a robot that is led by hand, within a period of its controller.
//!
//! In one period dt no joint gets further than its speed lets it. So every coordinate has a small range of its own, its limits cut with
//! q ± speed · dt, and the step is the pose in that box that comes nearest to the goals with all loops closed: a quadratic program whose
//! linearisation is repeated until loops are closed to their tolerance, since the rates that loops allow change on the way. What a goal asks
//! too much of is done as far as speeds allow; the rest follows in the next periods.

use crate::error::KinematicsError;
use crate::precision::Number;
use crate::robot::Kinematics;
use crate::solve::{Problem, Solution};
use bellcrank_math::Elem;

/// Joints without a speed of their own turn by no more than this in a period, nor than fifty times what the fastest of the others may
/// \[rad or m\]: further would be a jump to another way of assembly.
const PASSIVE: f64 = 0.2;

/// How far a step may go.
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    /// Period \[s\].
    pub dt: f64,
    /// Largest speed by velocity of the tree, in the user's order \[rad/s or m/s\]; infinite for none. Empty for those of the model.
    pub speed: Vec<f64>,
}

/// What steps led to.
#[derive(Clone, Debug, PartialEq)]
pub struct Stepped<E = f64> {
    /// Poses at the end of the period, and how well they meet the goals.
    pub pose: Solution<E>,
    /// Mean velocities of the period, (n, velocities).
    pub v: Vec<E>,
}

impl<E: Number> Kinematics<E> {
    /// Largest speeds that the model states, by velocity in the user's order; infinite where it does not \[rad/s or m/s\].
    pub fn speeds(&self) -> &[f64] {
        &self.speeds
    }

    /// The same bound for every driven coordinate of the tree, by velocity in the user's order; infinite for all others.
    pub fn motor_bounds(&self, model: &bellcrank_model::Model, value: f64) -> Vec<f64> {
        let mut bounds = vec![f64::INFINITY; self.tree().dof_count()];
        for (joint, dof) in model.actuators().iter().filter_map(|actuator| actuator.coordinate()) {
            let slot = self.tree().slots().iter().find(|slot| slot.joint == Some(joint));
            if let Some(v) = slot.and_then(|slot| slot.v.clone().nth(dof)) {
                bounds[v] = value;
            }
        }
        bounds
    }

    /// Every scalar coordinate and its velocity, in the user's order.
    pub(crate) fn scalars(&self) -> Vec<(usize, usize)> {
        let scalar = |slot: &&bellcrank_tree::Slot| slot.kind.has_scalar_coordinates();
        self.tree()
            .slots()
            .iter()
            .filter(scalar)
            .flat_map(|slot| slot.q.clone().zip(slot.v.clone()))
            .collect()
    }
}

impl<E: Number> Problem<'_, E> {
    /// One period from poses `q` (n, coordinates) towards targets (n, [`Problem::target_width`]): limits, speeds and loops are kept.
    /// There are no restarts. Where loops cannot be closed within the speeds the robot stays where it is.
    ///
    /// # Errors
    /// When sizes do not agree, or the period or a speed is no positive number.
    pub fn step(&self, targets: &[E], q: &[E], pace: &Pace) -> Result<Stepped<E>, KinematicsError> {
        let (nq, nv) = (self.robot.tree().coordinate_count(), self.robot.tree().dof_count());
        let speeds = self.robot.checked_speeds(pace)?;
        let n = q.len() / nq.max(1);
        if q.len() != n * nq {
            return Err(KinematicsError::WrongSize { what: "q", found: q.len(), rows: n, width: nq });
        }
        let width = self.target_width();
        if targets.len() != n * width {
            let found = targets.len();
            return Err(KinematicsError::WrongSize { what: "targets", found, rows: n, width });
        }
        let most = PASSIVE
            .min(speeds.iter().copied().filter(|x| x.is_finite()).fold(0.0, f64::max) * pace.dt * 50.0);
        let most = if most > 0.0 { most } else { PASSIVE };
        let mut low = vec![E::from_f64(f64::NEG_INFINITY); n * nv];
        let mut high = vec![E::from_f64(f64::INFINITY); n * nv];
        for (k, v) in self.robot.scalars() {
            let far = E::from_f64((speeds[v] * pace.dt).min(most));
            for i in 0..n {
                let now = q[i * nq + k];
                (low[i * nv + v], high[i * nv + v]) = (now - far, now + far);
            }
        }
        let pose = self.solve_boxed(targets, q, [&low, &high])?;
        let mut v = vec![E::zero(); n * nv];
        self.robot.tree().batch().difference(q, &pose.q, &mut v)?;
        v.iter_mut().for_each(|x| *x = *x / E::from_f64(pace.dt));
        Ok(Stepped { pose, v })
    }
}

impl<E: Number> Kinematics<E> {
    fn checked_speeds<'a>(&'a self, pace: &'a Pace) -> Result<&'a [f64], KinematicsError> {
        if !(pace.dt.is_finite() && pace.dt > 0.0) {
            return Err(KinematicsError::BadBound { what: "period", value: pace.dt });
        }
        checked(&pace.speed, &self.speeds, "speed")
    }
}

/// What was asked for, or what the model says where that is nothing.
pub(crate) fn checked<'a>(
    asked: &'a [f64],
    own: &'a [f64],
    what: &'static str,
) -> Result<&'a [f64], KinematicsError> {
    let bounds = if asked.is_empty() { own } else { asked };
    if bounds.len() != own.len() {
        return Err(KinematicsError::WrongSize { what, found: bounds.len(), rows: 1, width: own.len() });
    }
    match bounds.iter().find(|x| x.is_nan() || **x <= 0.0) {
        Some(&value) => Err(KinematicsError::BadBound { what, value }),
        None => Ok(bounds),
    }
}

/// By velocity of the tree in the user's order.
pub(crate) fn model_speeds<E: Elem>(
    model: &bellcrank_model::Model,
    tree: &bellcrank_tree::TreeModel<E>,
) -> Vec<f64> {
    let mut speeds = vec![f64::INFINITY; tree.dof_count()];
    for slot in tree.slots().iter().filter(|slot| slot.kind.has_scalar_coordinates()) {
        let Some(joint) = slot.joint else { continue };
        for (v, dof) in slot.v.clone().zip(&model.joints()[joint.index()].dofs) {
            speeds[v] = if dof.velocity_limit > 0.0 { dof.velocity_limit } else { f64::INFINITY };
        }
    }
    speeds
}
