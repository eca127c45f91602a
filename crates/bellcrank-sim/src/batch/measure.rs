//! Momentum, reactions, contacts.

use super::{Batch, BatchError, Part};
use bellcrank_math::{Pose, Vec3, Wrench};
use bellcrank_model::{Actuator, ActuatorId, BodyId, JointId, JointKind, Model, kinematics};
use bellcrank_step::contact::BodyContact;
use bellcrank_step::interior::angular_momentum;
use bellcrank_step::readout::{Metrics, Readout};
use bellcrank_step::settings::Integrator;

impl Batch {
    /// Asks `f` about some worlds, over the threads of the batch: energy, momentum and sensors of thousands at once.
    ///
    /// # Errors
    /// The first that `f` tells of.
    pub fn ask_worlds<T: Send>(
        &self,
        worlds: &[usize],
        f: impl Fn(&Batch, usize) -> Result<T, BatchError> + Sync,
    ) -> Result<Vec<T>, BatchError> {
        self.over(worlds, |_, world| f(self, world))
    }

    /// Linear momentum [kg·m/s] and angular momentum about the world's origin [kg·m²/s], world axes. With
    /// [`Integrator::Variational`] it is the discrete momentum that arrives at the present poses, which a system without
    /// forces from outside keeps to rounding.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn momentum(&self, world: usize) -> Result<(Vec3, Vec3), BatchError> {
        let (g, w) = self.find(world)?;
        let (mut linear, mut angular) = (Vec3::zero(), Vec3::zero());
        for b in 0..self.models[g].bodies().len() {
            let body = self.parameters[g].body(BodyId::new(b)).get(w);
            let (X, V) = (self.body_pose(world, b)?, self.body_velocity(world, b)?);
            let p = V.linear * body.mass;
            linear += p;
            let inertia = body.inertia.rotated(X.R.to_mat3()).to_mat3();
            let spin = match self.engine.integrator {
                Integrator::Variational => {
                    let interval = self.dt * self.groups[g].interval(w);
                    angular_momentum(inertia, V.angular, interval, -1.0)
                }
                _ => inertia * V.angular,
            };
            angular += X.p.cross(p) + spin;
        }
        Ok((linear, angular))
    }

    /// How well the equations of the last step are met; zeros unless `Settings::metrics` is set.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn metrics(&self, world: usize) -> Result<Metrics<f64>, BatchError> {
        let (g, w) = self.find(world)?;
        Ok(self.groups[g].metrics(w))
    }

    /// Force and moment that a joint puts on its successor, at M's origin in F's axes [N, N·m], in the last step. Motors,
    /// springs, limits and friction of the joint are part of it.
    ///
    /// # Errors
    /// When there is no such world or joint.
    pub fn joint_reaction(&self, world: usize, joint: impl Part<JointId>) -> Result<Wrench, BatchError> {
        let joint = joint.number();
        let (g, w) = self.find(world)?;
        let model = &self.models[g];
        let Some(part) = model.joints().get(joint) else {
            let count = model.joints().len();
            return Err(BatchError::NoSuchPart { what: "joint", index: joint, count });
        };
        let impulse = self.groups[g].readout(w).joint_impulse[joint];
        self.reaction(world, joint, part.kind, &impulse)
    }

    /// Force and moment of the impulses along a joint's rows.
    pub(super) fn reaction(
        &self,
        world: usize,
        joint: usize,
        kind: JointKind,
        impulse: &[f64; 6],
    ) -> Result<Wrench, BatchError> {
        let (X_WF, X_WM) = self.joint_frames(world, joint)?;
        let X_FM = X_WF.inverse_mul(X_WM);
        let (held, free) = (kinematics::constraint_axes(kind, X_FM), kinematics::rate_axes(kind, X_FM));
        let mut sum = Wrench::zero();
        for i in 0..6 {
            let count = kind.row_count();
            let row = if i < count { held[i] } else { free[i - count] };
            sum.force += row.force * (impulse[i] / self.dt);
            sum.moment += row.moment * (impulse[i] / self.dt);
        }
        Ok(sum)
    }

    /// Effort of all motors on an actuator's degree of freedom or tendon in the last step, at the joint or along the
    /// tendon [N·m or N].
    ///
    /// # Errors
    /// When there is no such world or actuator.
    pub fn actuator_effort(&self, world: usize, actuator: impl Part<ActuatorId>) -> Result<f64, BatchError> {
        let actuator = actuator.number();
        let (g, w) = self.find(world)?;
        let model = &self.models[g];
        let Some(part) = model.actuators().get(actuator) else {
            let count = model.actuators().len();
            return Err(BatchError::NoSuchPart { what: "actuator", index: actuator, count });
        };
        Ok(drive_impulse(model, part, actuator, &self.groups[g].readout(w)) / self.dt)
    }

    /// What touches at the present pose, with the forces of the last step.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn contacts(&self, world: usize) -> Result<Vec<BodyContact>, BatchError> {
        let (g, w) = self.find(world)?;
        let mut contacts = self.groups[g].contacts(w);
        for contact in &mut contacts {
            contact.force = contact.force * (1.0 / self.dt);
            contact.moment = contact.moment * (1.0 / self.dt);
        }
        Ok(contacts)
    }

    /// X_WF and X_WM of a joint now.
    pub(super) fn joint_frames(&self, world: usize, joint: usize) -> Result<(Pose, Pose), BatchError> {
        let (g, w) = self.find(world)?;
        let part = &self.models[g].joints()[joint];
        let frames = self.parameters[g].joint(JointId::new(joint)).get(w);
        let place = |body: Option<BodyId>, X: Pose| match body {
            Some(b) => {
                let com = self.parameters[g].body(b).get(w).com;
                self.body_pose(world, b.index()).map(|X_WB| X_WB * Pose::new(X.R, X.p - com))
            }
            None => Ok(X),
        };
        Ok((place(part.predecessor.body(), frames.X_PF)?, place(part.successor.body(), frames.X_SM)?))
    }
}

/// The impulse along what an actuator drives.
pub(super) fn drive_impulse(model: &Model, part: &Actuator, actuator: usize, readout: &Readout<f64>) -> f64 {
    match part.coordinate() {
        Some((joint, dof)) => readout.drive_impulse[first_numbers(model, joint).1 + dof],
        None => readout.line_impulse[actuator],
    }
}

/// Where a joint's coordinates and velocities start.
pub(super) fn first_numbers(model: &Model, joint: JointId) -> (usize, usize) {
    let before = &model.joints()[..joint.index()];
    let count = |of: fn(JointKind) -> usize| before.iter().map(|j| of(j.kind)).sum();
    (count(JointKind::coordinate_count), count(JointKind::dof_count))
}
