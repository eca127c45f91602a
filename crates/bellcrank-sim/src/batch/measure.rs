//! Energy, momentum, reactions, contacts.

use super::{Batch, BatchError};
use bellcrank_math::{Inline, Pose, Quat, Real, Twist, Vec3, Wrench};
use bellcrank_model::{BodyId, Dof, JointId, JointKind, Model, TendonId, kinematics};
use bellcrank_step::contact::BodyContact;
use bellcrank_step::field::Field;
use bellcrank_step::interior::angular_momentum;
use bellcrank_step::readout::Metrics;
use bellcrank_step::settings::Integrator;

impl Batch {
    /// Kinetic plus potential energy of a world [J]: gravity (zero at the origin; of the weight that nothing outside
    /// carries) and springs of joints and tendons; rotors (armature) move with them.
    ///
    /// The velocities of [`Integrator::Variational`] are those of the last interval, so there the potential energy is
    /// taken at its middle; where velocities were written they are those of the instant, and all is taken there.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn energy(&self, world: usize) -> Result<f64, BatchError> {
        self.energies(world).map(|(potential, kinetic)| potential + kinetic)
    }

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

    /// Potential and kinetic energy [J].
    pub(super) fn energies(&self, world: usize) -> Result<(f64, f64), BatchError> {
        let (g, w) = self.find(world)?;
        let (model, parameters) = (&self.models[g], &self.parameters[g]);
        let gravity = *parameters.gravity.get(w);
        let ago = match self.settings.integrator {
            Integrator::Variational => 0.5 * self.dt * self.groups[g].interval(w),
            _ => 0.0,
        };
        let [p, R, V] = [Field::BodyPosition, Field::BodyQuatWxyz, Field::BodyVelocity]
            .map(|field| self.groups[g].row(w, field));
        let moving = p.as_chunks().0.iter().zip(R.as_chunks().0).zip(V.as_chunks().0);
        let (mut potential, mut kinetic) = f64::run(Inline(
            #[inline(always)]
            || {
                let (mut potential, mut kinetic) = (0.0, 0.0);
                for (b, ((p, R), V)) in moving.clone().enumerate() {
                    let body = parameters.body(BodyId::new(b)).get(w);
                    let (p, R, V) = (Vec3::from_array(*p), Quat::from_wxyz(*R), Twist::from_array(*V));
                    let spin = R.rotate_inverse(V.angular);
                    kinetic += 0.5 * (body.mass * V.linear.norm_squared() + spin.dot(body.inertia * spin));
                    let heavy = body.mass * (1.0 - model.bodies()[b].gravity_compensation);
                    potential -= heavy * gravity.dot(p - V.linear * ago);
                }
                (potential, kinetic)
            },
        ));
        let mut add = |dof: &Dof, q: Option<f64>, rate: f64| {
            kinetic += 0.5 * dof.armature * rate * rate;
            if let (Some(spring), Some(q)) = (dof.spring, q) {
                let q = q - rate * ago;
                potential += 0.5 * spring.stiffness * (q - spring.rest) * (q - spring.rest);
            }
        };
        let (q, rates) = (self.joint_position(world)?, self.joint_velocity(world)?);
        let (mut first, mut dof) = (0, 0);
        for (j, joint) in model.joints().iter().enumerate() {
            for (k, entry) in parameters.joint(JointId::new(j)).get(w).dofs.iter().enumerate() {
                let scalar = joint.kind.has_scalar_coordinates();
                add(entry, scalar.then(|| q[first + k]), rates[dof + k]);
            }
            first += joint.kind.coordinate_count();
            dof += joint.kind.dof_count();
        }
        for (t, tendon) in model.tendons().iter().enumerate() {
            let [length, rate] = self.tendon_state(world, model, TendonId::new(t))?;
            add(&tendon.dof, Some(length), rate);
        }
        Ok((potential, kinetic))
    }

    /// Length of a tendon and its rate.
    pub(super) fn tendon_state(
        &self,
        world: usize,
        model: &Model,
        tendon: TendonId,
    ) -> Result<[f64; 2], BatchError> {
        let (q, v) = (self.joint_position(world)?, self.joint_velocity(world)?);
        let mut state = [0.0; 2];
        for term in &model.tendons()[tendon.index()].terms {
            let (first, dof) = first_numbers(model, term.joint.id());
            state[0] += term.coefficient * q[first + term.dof];
            state[1] += term.coefficient * v[dof + term.dof];
        }
        Ok(state)
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
            let spin = match self.settings.integrator {
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
    pub fn joint_reaction(&self, world: usize, joint: usize) -> Result<Wrench, BatchError> {
        let (g, w) = self.find(world)?;
        let model = &self.models[g];
        let Some(part) = model.joints().get(joint) else {
            let count = model.joints().len();
            return Err(BatchError::NoSuchPart { what: "joint", index: joint, count });
        };
        let impulse = self.groups[g].readout(w).joint_impulse[joint];
        let (X_WF, X_WM) = self.joint_frames(world, joint)?;
        let X_FM = X_WF.inverse_mul(X_WM);
        let (held, free) =
            (kinematics::constraint_axes(part.kind, X_FM), kinematics::rate_axes(part.kind, X_FM));
        let mut sum = Wrench::zero();
        for i in 0..6 {
            let count = part.kind.row_count();
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
    pub fn actuator_effort(&self, world: usize, actuator: usize) -> Result<f64, BatchError> {
        let (g, w) = self.find(world)?;
        let model = &self.models[g];
        let Some(part) = model.actuators().get(actuator) else {
            let count = model.actuators().len();
            return Err(BatchError::NoSuchPart { what: "actuator", index: actuator, count });
        };
        let readout = self.groups[g].readout(w);
        let impulse = match part.coordinate() {
            Some((joint, dof)) => readout.drive_impulse[first_numbers(model, joint).1 + dof],
            None => readout.line_impulse[actuator],
        };
        Ok(impulse / self.dt)
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

/// Where a joint's coordinates and velocities start.
pub(super) fn first_numbers(model: &Model, joint: JointId) -> (usize, usize) {
    let before = &model.joints()[..joint.index()];
    let count = |of: fn(JointKind) -> usize| before.iter().map(|j| of(j.kind)).sum();
    (count(JointKind::coordinate_count), count(JointKind::dof_count))
}
