//! What the sensors of a model show.

use super::measure::first_numbers;
use super::reset::no_such;
use super::{Batch, BatchError};
use bellcrank_collide::{Queries, Ray};
use bellcrank_math::{Pose, Quat, Twist, Vec3, Wrench};
use bellcrank_model::{
    BodyId, Control, Frame, JointId, Model, Ref, SensorKind, SiteId, Target, TendonId, Zone,
};
use bellcrank_step::contact::BodyContact;
use bellcrank_step::field::Field;
use bellcrank_step::law;

/// How far a range finder looks [m].
const RANGE: f64 = 1e3;

impl Batch {
    /// The numbers of a sensor of the model. Accelerations and forces are those of the last step.
    ///
    /// # Errors
    /// When there is no such world or sensor.
    pub fn sensor(&self, world: usize, name: &str) -> Result<Vec<f64>, BatchError> {
        let model = self.model(world)?;
        let Some(sensor) = model.sensors().iter().find(|sensor| sensor.name == name) else {
            return Err(no_such("sensor", name, model.sensors().iter().map(|sensor| &sensor.name)));
        };
        Ok(sensor.show.of(&self.measure(world, model, &sensor.kind)?))
    }

    /// The numbers of several sensors of some worlds of one model, one after the other and world after world; over the threads of
    /// the batch.
    ///
    /// # Errors
    /// When there is no such world or sensor, or worlds are of different models.
    pub fn sensors(&self, worlds: &[usize], names: &[String]) -> Result<Vec<f64>, BatchError> {
        let Some((g, _)) = self.one_model(worlds)? else { return Ok(Vec::new()) };
        let model = &self.models[g];
        let find = |name: &String| {
            let known = model.sensors().iter();
            known
                .clone()
                .find(|sensor| sensor.name == *name)
                .ok_or_else(|| no_such("sensor", name, known.map(|sensor| &sensor.name)))
        };
        let asked = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let rows = self.over(worlds, |_, world| {
            let mut row = Vec::new();
            for sensor in &asked {
                row.extend(sensor.show.of(&self.measure(world, model, &sensor.kind)?));
            }
            Ok(row)
        })?;
        Ok(rows.concat())
    }

    /// Coordinate of a motor, gear times that of its target, and its rate.
    pub(super) fn motor_coordinate(&self, world: usize, actuator: usize) -> Result<[f64; 2], BatchError> {
        self.view(world)?.motor_motion(actuator)
    }

    fn view(&self, world: usize) -> Result<View<'_>, BatchError> {
        let (group, row) = self.find(world)?;
        Ok(View { batch: self, world, group, row, model: &self.models[group] })
    }

    fn measure(&self, world: usize, model: &Model, kind: &SensorKind) -> Result<Vec<f64>, BatchError> {
        let view = self.view(world)?;
        match kind {
            SensorKind::Imu { site } => view.inertial(site.id()),
            SensorKind::FramePose(frame) => Ok(pose_numbers(view.frame_pose(frame)?.1)),
            SensorKind::FrameVelocity(frame) => Ok(view.frame_motion(frame)?.V.to_array().to_vec()),
            SensorKind::JointState(joint) => view.joint_state(joint.id()),
            SensorKind::RelativePose { frame, from } => {
                let (X_WA, X_WB) = (view.frame_pose(from)?.1, view.frame_pose(frame)?.1);
                Ok(pose_numbers(X_WA.inverse_mul(X_WB)))
            }
            SensorKind::RelativeVelocity { frame, from } => view.relative_velocity(frame, from),
            SensorKind::BallRate(joint) => view.ball_rate(joint.id()),
            SensorKind::Magnetometer { site, field } => {
                let X_WS = view.frame_pose(&Frame::Site(site.clone()))?.1;
                Ok(X_WS.R.rotate_inverse(*field).to_array().to_vec())
            }
            SensorKind::FrameAcceleration(frame) => Ok(view.frame_motion(frame)?.A.to_array().to_vec()),
            SensorKind::FrameSpecificForce(frame) => {
                let A = view.frame_motion(frame)?.A;
                let gravity = *self.parameters[view.group].gravity.get(view.row);
                Ok(Twist::new(A.linear - gravity, A.angular).to_array().to_vec())
            }
            SensorKind::SiteVelocity(site) => {
                let motion = view.frame_motion(&Frame::Site(site.clone()))?;
                Ok(motion.V.rotated(motion.X.R.inverse()).to_array().to_vec())
            }
            SensorKind::ForceTorque(site) => view.passed_on(site.id()),
            SensorKind::Range(site) => view.range(site.id()),
            SensorKind::JointEffort(joint) => view.joint_effort(joint.id()),
            SensorKind::ActuatorState(actuator) => view.actuator_state(actuator.id().index()),
            SensorKind::TendonState(tendon) => Ok(self.tendon_state(world, model, tendon.id())?.to_vec()),
            SensorKind::TendonEffort(tendon) => Ok(vec![view.tendon_effort(tendon.id().index())]),
            SensorKind::Subtree(body) => view.subtree(body.body()),
            SensorKind::Energy => {
                let (potential, kinetic) = self.energies(world)?;
                Ok(vec![potential, kinetic])
            }
            SensorKind::Clock => Ok(vec![self.groups[view.group].age(view.row) as f64 * self.dt]),
            SensorKind::ContactForce(body) => Ok(view.contact_force(body.id())?.to_array().to_vec()),
            SensorKind::Touch { site, zone } => view.touch(site.id(), zone),
        }
    }
}

/// One world of a batch, as its sensors see it.
struct View<'a> {
    batch: &'a Batch,
    world: usize,
    group: usize,
    row: usize,
    model: &'a Model,
}

/// A frame in the world: where it is, how it moves and how that changed in the last step, at its origin in world axes.
struct Motion {
    X: Pose,
    V: Twist,
    A: Twist,
}

impl View<'_> {
    /// The body of a frame and where it is.
    fn frame_pose(&self, frame: &Frame) -> Result<(Option<usize>, Pose), BatchError> {
        let (body, X_LS) = match frame {
            Frame::Body(body) => (Some(body.id()), Pose::identity()),
            Frame::Site(site) => {
                let site = &self.model.sites()[site.id().index()];
                (site.link.body(), site.X_LS)
            }
        };
        let Some(b) = body else { return Ok((None, X_LS)) };
        let com = self.batch.parameters[self.group].body(b).get(self.row).com;
        let X_WB = self.batch.body_pose(self.world, b.index())?;
        Ok((Some(b.index()), X_WB * Pose::new(X_LS.R, X_LS.p - com)))
    }

    /// With r from the centre of mass: v + ω × r, and a + α × r + ω × (ω × r).
    fn frame_motion(&self, frame: &Frame) -> Result<Motion, BatchError> {
        let (body, X) = self.frame_pose(frame)?;
        let Some(b) = body else { return Ok(Motion { X, V: Twist::zero(), A: Twist::zero() }) };
        let (X_WB, V) = (self.batch.body_pose(self.world, b)?, self.batch.body_velocity(self.world, b)?);
        let before = self.batch.groups[self.group].readout(self.row).V_before[b];
        let (r, rate) = (X.p - X_WB.p, 1.0 / self.batch.dt);
        let turning = (V.angular - before.angular) * rate;
        let round = V.angular.cross(V.angular.cross(r));
        let linear = (V.linear - before.linear) * rate + turning.cross(r) + round;
        let at_origin = Twist::new(V.linear + V.angular.cross(r), V.angular);
        Ok(Motion { X, V: at_origin, A: Twist::new(linear, turning) })
    }

    /// R_FWᵀ (v − v_F − ω_F × r, ω − ω_F), with F the frame that is looked from and r the way to the other's origin.
    fn relative_velocity(&self, frame: &Frame, from: &Frame) -> Result<Vec<f64>, BatchError> {
        let (seen, from) = (self.frame_motion(frame)?, self.frame_motion(from)?);
        let linear = seen.V.linear - from.V.linear - from.V.angular.cross(seen.X.p - from.X.p);
        let relative = Twist::new(linear, seen.V.angular - from.V.angular);
        Ok(relative.rotated(from.X.R.inverse()).to_array().to_vec())
    }

    /// ω_M = R_FMᵀ ω_F.
    fn ball_rate(&self, joint: JointId) -> Result<Vec<f64>, BatchError> {
        let state = self.joint_state(joint)?;
        let [.., w, x, y, z, a, b, c] = state[..] else { return Ok(vec![0.0; 3]) };
        let R_FM = Quat::from_wxyz([w, x, y, z]);
        Ok(R_FM.rotate_inverse(Vec3::new(a, b, c)).to_array().to_vec())
    }

    /// Of all motors on a tendon [N·m or N].
    fn tendon_effort(&self, t: usize) -> f64 {
        let pulls = |target: &Target| matches!(target, Target::Tendon(id) if id.id().index() == t);
        let motors = self.model.actuators().iter().enumerate().filter(|(_, motor)| pulls(&motor.target));
        let impulse = &self.batch.groups[self.group].readout(self.row).line_impulse;
        motors.map(|(motor, _)| impulse[motor]).sum::<f64>() / self.batch.dt
    }

    fn inertial(&self, site: SiteId) -> Result<Vec<f64>, BatchError> {
        let motion = self.frame_motion(&Frame::Site(Ref::Id(site)))?;
        let gravity = *self.batch.parameters[self.group].gravity.get(self.row);
        let specific = motion.X.R.rotate_inverse(motion.A.linear - gravity);
        Ok([specific, motion.X.R.rotate_inverse(motion.V.angular)].map(Vec3::to_array).concat())
    }

    fn joint_state(&self, joint: JointId) -> Result<Vec<f64>, BatchError> {
        let kind = self.model.joints()[joint.index()].kind;
        let (first, dof) = first_numbers(self.model, joint);
        let (q, v) = (self.batch.joint_position(self.world)?, self.batch.joint_velocity(self.world)?);
        Ok([&q[first..first + kind.coordinate_count()], &v[dof..dof + kind.dof_count()]].concat())
    }

    /// Minus what the joint in the spanning tree puts on the site's body; zero for a body that nothing carries.
    fn passed_on(&self, site: SiteId) -> Result<Vec<f64>, BatchError> {
        let body = self.model.sites()[site.index()].link.body();
        let node = self.model.graph().tree().iter().find(|node| Some(node.body) == body);
        let Some((node, joint)) = node.and_then(|node| node.joint.map(|joint| (node, joint))) else {
            return Ok(vec![0.0; 6]);
        };
        let on_successor = self.batch.joint_reaction(self.world, joint.index())?;
        let (X_WF, X_WM) = self.batch.joint_frames(self.world, joint.index())?;
        let X_WS = self.frame_pose(&Frame::Site(Ref::Id(site)))?.1;
        let in_world = on_successor.rotated(X_WF.R).at_point(X_WS.p - X_WM.p);
        // where the tree runs against the joint, the successor is what carries
        let passed: Wrench = if node.reversed { in_world } else { -in_world };
        Ok(passed.rotated(X_WS.R.inverse()).to_array().to_vec())
    }

    fn range(&self, site: SiteId) -> Result<Vec<f64>, BatchError> {
        let X_WS = self.frame_pose(&Frame::Site(Ref::Id(site)))?.1;
        let mut ray = Ray::new(X_WS.p, X_WS.R.rotate(Vec3::z_axis())).reach(RANGE);
        ray.ignore = self.model.sites()[site.index()].link.body();
        let bodies = 0..self.model.bodies().len();
        let X_WB: Vec<Pose> =
            bodies.map(|b| self.batch.body_pose(self.world, b)).collect::<Result<_, _>>()?;
        let queries = Queries::in_world(self.model, &self.batch.parameters[self.group], self.row);
        Ok(vec![queries.ray_cast(&X_WB, &ray).map_or(-1.0, |hit| hit.distance)])
    }

    /// Motors on the joint itself, and its share of those on tendons.
    fn joint_effort(&self, joint: JointId) -> Result<Vec<f64>, BatchError> {
        let kind = self.model.joints()[joint.index()].kind;
        let (_, first) = first_numbers(self.model, joint);
        let readout = self.batch.groups[self.group].readout(self.row);
        let mut impulse = readout.drive_impulse[first..first + kind.dof_count()].to_vec();
        for (t, tendon) in self.model.tendons().iter().enumerate() {
            let pulls = |target: &Target| matches!(target, Target::Tendon(id) if id.id().index() == t);
            let Some(motor) = self.model.actuators().iter().position(|a| pulls(&a.target)) else { continue };
            for term in tendon.terms.iter().filter(|term| term.joint.id() == joint) {
                impulse[term.dof] += term.coefficient * readout.line_impulse[motor];
            }
            if !tendon.path.is_empty() {
                let bodies = self.batch.bodies_of(self.world)?;
                let arms = bodies.arms(self.model, TendonId::new(t), joint);
                impulse.iter_mut().zip(arms).for_each(|(own, arm)| *own += arm * readout.line_impulse[motor]);
            }
        }
        Ok(impulse.iter().map(|x| x / self.batch.dt).collect())
    }

    /// The effort is that of the motor alone: its law at the end of the step, within its own bounds and its joint's.
    fn actuator_state(&self, a: usize) -> Result<Vec<f64>, BatchError> {
        let own = self.batch.parameters[self.group].actuator(a).get(self.row);
        let [angle, speed] = self.motor_motion(a)?;
        let asked = |field: Field| self.batch.groups[self.group].get(self.row, field, a);
        let [low, high] = own.control_range;
        let u = asked(Field::Effort).max(low).min(high);
        let far = asked(Field::TargetPosition).max(low).min(high) - angle;
        let slow = asked(Field::TargetVelocity) - speed;
        let law = match own.control {
            Control::Position { kp, kd } => u + kp * far + kd * slow,
            Control::Velocity { kd } => u + kd * slow,
            Control::Effort => u,
            Control::Affine { gain, bias } => gain * u + bias[0] + bias[1] * angle + bias[2] * speed,
            law => self.special_effort(a, law, u, [angle, speed])?,
        };
        let ([low, high], [least, most]) = (own.effort_bounds(), self.borne(a));
        let [rest, falls] = own.line_at_target().unwrap_or([f64::INFINITY, 0.0]);
        let rate = speed / own.gear;
        let [back, on] = [-rest - falls * rate, rest - falls * rate].map(|x| x.max(low).min(high));
        let passed = (own.gear * law).max(back).min(on).max(least).min(most);
        Ok(vec![angle, speed, if own.gear == 0.0 { 0.0 } else { passed / own.gear }])
    }

    /// The effort of a motor with a law of its own, from its state where it has one.
    fn special_effort(&self, a: usize, law: Control, u: f64, motion: [f64; 2]) -> Result<f64, BatchError> {
        let (numbers, state) = (law::numbers(law), self.batch.activation(self.world, a)?);
        let pull = match (law, state) {
            (Control::Voltage(motor), Some(current)) => {
                return Ok(motor.constant * current + law::cogging(&numbers, motion[0]));
            }
            (Control::Voltage(_), None) => law::voltage(&numbers, u, motion),
            (Control::Muscle(_), _) => law::muscle(&numbers, state.unwrap_or(u), motion),
            _ => law::varying(&numbers, state.unwrap_or(u), motion),
        };
        Ok(pull.effort - pull.kd * motion[1])
    }

    /// Least and largest effort that the target of a motor bears; none where the motor does not act.
    fn borne(&self, a: usize) -> [f64; 2] {
        match &self.model.actuators()[a].target {
            Target::Joint { joint, dof } => {
                self.batch.parameters[self.group].joint(joint.id()).get(self.row).dofs[*dof].effort_bounds()
            }
            Target::Tendon(tendon) => self.model.tendons()[tendon.id().index()].dof.effort_bounds(),
            Target::Site { reference: Some(_), .. } => [0.0; 2],
            Target::Site { .. } => [f64::NEG_INFINITY, f64::INFINITY],
            Target::Body(_) => [0.0, f64::INFINITY],
        }
    }

    /// Gear times the coordinate of a motor's target, and its rate. Joints without plain coordinates and sites have
    /// rates only; a motor that does not act has neither.
    fn motor_motion(&self, a: usize) -> Result<[f64; 2], BatchError> {
        let state = match &self.model.actuators()[a].target {
            Target::Joint { joint, dof } => {
                let (state, kind) =
                    (self.joint_state(joint.id())?, self.model.joints()[joint.id().index()].kind);
                let q = if kind.has_scalar_coordinates() { state[*dof] } else { 0.0 };
                [q, state[kind.coordinate_count() + dof]]
            }
            Target::Tendon(tendon) => self.batch.tendon_state(self.world, self.model, tendon.id())?,
            Target::Site { reference: Some(_), .. } | Target::Body(_) => [0.0; 2],
            Target::Site { site, wrench, .. } => {
                let motion = self.frame_motion(&Frame::Site(site.clone()))?;
                let V = motion.V.rotated(motion.X.R.inverse());
                [0.0, V.dot(Wrench::from_array(*wrench))]
            }
        };
        let gear = self.batch.parameters[self.group].actuator(a).get(self.row).gear;
        Ok(state.map(|x| gear * x))
    }

    fn subtree(&self, root: Option<BodyId>) -> Result<Vec<f64>, BatchError> {
        let (mut mass, mut centre, mut momentum, mut angular) =
            (0.0, Vec3::zero(), Vec3::zero(), Vec3::zero());
        for b in self.model.graph().carried_by(root) {
            let body = self.batch.parameters[self.group].body(b).get(self.row);
            let b = b.index();
            let (X, V) = (self.batch.body_pose(self.world, b)?, self.batch.body_velocity(self.world, b)?);
            mass += body.mass;
            centre += X.p * body.mass;
            momentum += V.linear * body.mass;
            angular +=
                X.p.cross(V.linear * body.mass) + X.R.rotate(body.inertia * X.R.rotate_inverse(V.angular));
        }
        let com = centre * (1.0 / mass);
        let about_com = angular - com.cross(momentum);
        Ok([com, momentum * (1.0 / mass), about_com].map(Vec3::to_array).concat())
    }

    /// Sum of the contact forces on a body [N].
    fn contact_force(&self, body: BodyId) -> Result<Vec3, BatchError> {
        let mut sum = Vec3::zero();
        for contact in &self.batch.contacts(self.world)? {
            if contact.body_b == body {
                sum += contact.force;
            } else if contact.body_a == Some(body) {
                sum -= contact.force;
            }
        }
        Ok(sum)
    }

    fn touch(&self, site: SiteId, zone: &Zone) -> Result<Vec<f64>, BatchError> {
        let X_WS = self.frame_pose(&Frame::Site(Ref::Id(site)))?.1;
        let Some(body) = self.model.sites()[site.index()].link.body() else { return Ok(vec![0.0]) };
        // the normal points from A to B: out of the site's body along it or against it
        let near = |c: &BodyContact| {
            let out = if c.body_b == body { -c.normal } else { c.normal };
            zone.meets(X_WS.inverse() * c.point, X_WS.R.rotate_inverse(out))
        };
        let contacts = self.batch.contacts(self.world)?;
        let on = contacts.iter().filter(|c| (c.body_b == body || c.body_a == Some(body)) && near(c));
        Ok(vec![on.map(|c| c.force.dot(c.normal)).sum()])
    }
}

/// Position and quaternion.
fn pose_numbers(X: Pose) -> Vec<f64> {
    X.p.to_array().into_iter().chain(X.R.to_wxyz()).collect()
}
