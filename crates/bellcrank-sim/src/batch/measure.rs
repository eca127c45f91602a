//! Energy, momentum, reactions, contacts, sensors.

use super::reset::no_such;
use super::{Batch, BatchError};
use crate::readout::Metrics;
use bellcrank_collide::tangents;
use bellcrank_math::{Pose, Twist, Vec3, Wrench};
use bellcrank_model::{BodyId, Frame, JointId, Model, SensorKind, ShapeId, SiteId, kinematics};

/// Where two shapes touch or nearly do, and how hard they pushed in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// The shape that does not move, if there is such.
    pub shape_a: ShapeId,
    /// The other.
    pub shape_b: ShapeId,
    /// `None` for the world.
    pub body_a: Option<BodyId>,
    /// The body that `force` acts on.
    pub body_b: BodyId,
    /// In the world [m], on the surface of b.
    pub point: Vec3,
    /// Unit vector from a to b.
    pub normal: Vec3,
    /// Penetration [m]; negative where there is still a gap.
    pub depth: f64,
    /// On b, world axes [N]: the mean over the last step.
    pub force: Vec3,
    /// Of torsional and rolling friction, on b, world axes [N·m].
    pub moment: Vec3,
}

impl Batch {
    /// Kinetic plus potential energy of a world [J]: gravity (zero at the origin; of the weight that nothing outside
    /// carries) and springs.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn energy(&self, world: usize) -> Result<f64, BatchError> {
        let (g, w) = self.find(world)?;
        let (model, parameters) = (&self.models[g], &self.parameters[g]);
        let gravity = *parameters.gravity.get(w);
        let mut sum = 0.0;
        for b in 0..model.bodies().len() {
            let body = parameters.body(BodyId::new(b)).get(w);
            let (X, V) = (self.body_pose(world, b)?, self.body_velocity(world, b)?);
            let spin = X.R.rotate_inverse(V.angular);
            let kinetic = 0.5 * (body.mass * V.linear.norm_squared() + spin.dot(body.inertia * spin));
            let heavy = body.mass * (1.0 - model.bodies()[b].gravity_compensation);
            sum += kinetic - heavy * gravity.dot(X.p);
        }
        let (q, rates) = (self.joint_position(world)?, self.joint_velocity(world)?);
        let (mut first, mut dof) = (0, 0);
        for (j, joint) in model.joints().iter().enumerate() {
            for (k, entry) in parameters.joint(JointId::new(j)).get(w).dofs.iter().enumerate() {
                sum += 0.5 * entry.armature * rates[dof + k] * rates[dof + k];
                if let Some(spring) = entry.spring.filter(|_| joint.kind.has_scalar_coordinates()) {
                    let stretch = q[first + k] - spring.rest;
                    sum += 0.5 * spring.stiffness * stretch * stretch;
                }
            }
            first += joint.kind.coordinate_count();
            dof += joint.kind.dof_count();
        }
        Ok(sum)
    }

    /// Linear momentum [kg·m/s] and angular momentum about the world's origin [kg·m²/s], world axes.
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
            angular += X.p.cross(p) + X.R.rotate(body.inertia * X.R.rotate_inverse(V.angular));
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
        let X_FM = self.joint_pose(world, joint)?;
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

    /// Effort of all motors on an actuator's degree of freedom in the last step, at the joint [N·m or N].
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
        let Some((joint, dof)) = part.coordinate() else { return Ok(0.0) };
        let joints = &model.joints()[..joint.index()];
        let first: usize = joints.iter().map(|joint| joint.kind.dof_count()).sum();
        Ok(self.groups[g].readout(w).drive_impulse[first + dof] / self.dt)
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

    /// The numbers of a sensor of the model.
    ///
    /// # Errors
    /// When there is no such world or sensor.
    pub fn sensor(&self, world: usize, name: &str) -> Result<Vec<f64>, BatchError> {
        let model = self.model(world)?;
        let Some(sensor) = model.sensors().iter().find(|sensor| sensor.name == name) else {
            return Err(no_such("sensor", name, model.sensors().iter().map(|sensor| &sensor.name)));
        };
        self.measure(world, model, &sensor.kind)?.ok_or_else(|| BatchError::NotMeasured(name.to_owned()))
    }

    fn measure(
        &self,
        world: usize,
        model: &Model,
        kind: &SensorKind,
    ) -> Result<Option<Vec<f64>>, BatchError> {
        Ok(Some(match kind {
            SensorKind::Imu { site } => {
                let (X_WS, V, before) = self.site_motion(world, model, site.id())?;
                let gravity = *self.parameters[self.find(world)?.0].gravity.get(self.find(world)?.1);
                let specific = (V.linear - before.linear) * (1.0 / self.dt) - gravity;
                [X_WS.R.rotate_inverse(specific), X_WS.R.rotate_inverse(V.angular)]
                    .map(Vec3::to_array)
                    .concat()
            }
            SensorKind::FramePose(frame) => {
                let (_, X) = self.frame_pose(world, model, frame)?;
                X.p.to_array().into_iter().chain(X.R.to_wxyz()).collect()
            }
            SensorKind::FrameVelocity(frame) => {
                let (body, X) = self.frame_pose(world, model, frame)?;
                let V = match body {
                    Some(b) => at_point(self.body_pose(world, b)?, self.body_velocity(world, b)?, X.p),
                    None => Twist::zero(),
                };
                V.to_array().to_vec()
            }
            SensorKind::JointState(joint) => self.joint_state(world, model, joint.id())?,
            SensorKind::ContactForce(body) => {
                self.contact_force(world, body.id(), |_| true)?.to_array().to_vec()
            }
            SensorKind::Touch { site, radius } => {
                let part = &model.sites()[site.id().index()];
                let (_, X_WS) = self.frame_pose(world, model, &Frame::Site(site.clone()))?;
                let Some(body) = part.link.body() else { return Ok(Some(vec![0.0])) };
                let near = |c: &BodyContact| (c.point - X_WS.p).norm() <= *radius;
                let contacts = self.contacts(world)?;
                let on = contacts.iter().filter(|c| (c.body_b == body || c.body_a == Some(body)) && near(c));
                vec![on.map(|c| c.force.dot(c.normal)).sum()]
            }
            _ => return Ok(None),
        }))
    }

    /// Sum of the contact forces on a body [N].
    fn contact_force(
        &self,
        world: usize,
        body: BodyId,
        counts: impl Fn(&BodyContact) -> bool,
    ) -> Result<Vec3, BatchError> {
        let mut sum = Vec3::zero();
        for contact in self.contacts(world)?.iter().filter(|c| counts(c)) {
            if contact.body_b == body {
                sum += contact.force;
            } else if contact.body_a == Some(body) {
                sum = sum - contact.force;
            }
        }
        Ok(sum)
    }

    fn joint_state(&self, world: usize, model: &Model, joint: JointId) -> Result<Vec<f64>, BatchError> {
        let (before, kind) = (&model.joints()[..joint.index()], model.joints()[joint.index()].kind);
        let first: usize = before.iter().map(|j| j.kind.coordinate_count()).sum();
        let dof: usize = before.iter().map(|j| j.kind.dof_count()).sum();
        let (q, v) = (self.joint_position(world)?, self.joint_velocity(world)?);
        let coordinates = &q[first..first + kind.coordinate_count()];
        Ok([coordinates, &v[dof..dof + kind.dof_count()]].concat())
    }

    /// X_FM of a joint now.
    fn joint_pose(&self, world: usize, joint: usize) -> Result<Pose, BatchError> {
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
        let (X_WF, X_WM) =
            (place(part.predecessor.body(), frames.X_PF)?, place(part.successor.body(), frames.X_SM)?);
        Ok(X_WF.inverse_mul(X_WM))
    }

    /// The body of a frame and where it is.
    fn frame_pose(
        &self,
        world: usize,
        model: &Model,
        frame: &Frame,
    ) -> Result<(Option<usize>, Pose), BatchError> {
        let (g, w) = self.find(world)?;
        let (body, X_LS) = match frame {
            Frame::Body(body) => (Some(body.id()), Pose::identity()),
            Frame::Site(site) => {
                let site = &model.sites()[site.id().index()];
                (site.link.body(), site.X_LS)
            }
        };
        let Some(b) = body else { return Ok((None, X_LS)) };
        let com = self.parameters[g].body(b).get(w).com;
        let X_WB = self.body_pose(world, b.index())?;
        Ok((Some(b.index()), X_WB * Pose::new(X_LS.R, X_LS.p - com)))
    }

    /// Where a site is, how it moves, and how it moved before the last step.
    fn site_motion(
        &self,
        world: usize,
        model: &Model,
        site: SiteId,
    ) -> Result<(Pose, Twist, Twist), BatchError> {
        let (g, w) = self.find(world)?;
        let frame = Frame::Site(bellcrank_model::Ref::Id(site));
        let (body, X) = self.frame_pose(world, model, &frame)?;
        let Some(b) = body else { return Ok((X, Twist::zero(), Twist::zero())) };
        let (X_WB, V) = (self.body_pose(world, b)?, self.body_velocity(world, b)?);
        let before = self.groups[g].readout(w).V_before[b];
        Ok((X, at_point(X_WB, V, X.p), at_point(X_WB, before, X.p)))
    }
}

/// A body's twist at another of its points.
fn at_point(X_WB: Pose, V: Twist, p_W: Vec3) -> Twist {
    Twist::new(V.linear + V.angular.cross(p_W - X_WB.p), V.angular)
}

/// The world-axes force and moment of impulses (t, o, n; about n, t, o).
pub(crate) fn impulse_vectors(normal: Vec3, impulse: [f64; 6]) -> (Vec3, Vec3) {
    let (t, o) = tangents(normal);
    let force = t * impulse[0] + o * impulse[1] + normal * impulse[2];
    (force, normal * impulse[3] + t * impulse[4] + o * impulse[5])
}
