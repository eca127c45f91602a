//! Gains for motors that have none, from what they move: a file that says only how strong its motors are can be held in place.
//!
//! A position drive with kp = I ω² and kd = 2 I ω on an inertia I comes back without overshoot, ω the same for all joints. I is what
//! the coordinate moves at the reference pose with its neighbours stiff: all that hangs behind it in the spanning tree or, of a robot that
//! floats, all that is before it if that is more, since legs carry their robot.

use crate::actuator::{Actuator, Control, Target};
use crate::builder::ModelBuilder;
use crate::fault::Faults;
use crate::ids::{BodyId, JointId};
use crate::joint::kinematics;
use crate::model::Model;
use bellcrank_math::Vec3;
use std::f64::consts::TAU;

/// ω [rad/s]: 5 Hz, at which what hangs 0.3 m from its axis sags by g/(ℓ ω²) = 2°.
const FREQUENCY: f64 = 5.0 * TAU;

impl ModelBuilder {
    /// Makes position drives of all motors on joints that only give effort, with gains from the inertia that they move; their effort limits stay.
    /// Motors that have gains keep them. A mechanism without any motor and without loops gets one on every coordinate. Targets are where
    /// the joints are, unless a keyframe or the user says otherwise. Says how many motors there are now that hold by such gains.
    ///
    /// # Errors
    /// When the parts are no model yet.
    pub fn hold(&mut self) -> Result<usize, Faults> {
        let model = self.clone().build()?;
        if model.actuators().is_empty() && model.loops().is_empty() {
            return Ok(self.drive_everything(&model));
        }
        let mut count = 0;
        for (a, actuator) in model.actuators().iter().enumerate() {
            let Some((joint, dof)) = actuator.coordinate() else { continue };
            if actuator.control != Control::Effort
                || !model.joints()[joint.index()].kind.has_scalar_coordinates()
            {
                continue;
            }
            let inertia = moved(&model, joint, dof) / (actuator.gear * actuator.gear);
            if let Some(own) = self.actuator_mut(a) {
                own.control = gains(inertia);
                count += 1;
            }
        }
        Ok(count)
    }

    fn drive_everything(&mut self, model: &Model) -> usize {
        let mut count = 0;
        for (j, joint) in model.joints().iter().enumerate().filter(|(_, j)| j.kind.has_scalar_coordinates()) {
            for dof in 0..joint.kind.dof_count() {
                let name = if dof == 0 { joint.name.clone() } else { format!("{}_{dof}", joint.name) };
                let (id, place) = (JointId::new(j), joint.place.clone());
                let motor = Actuator::new(name, Target::joint(id), gains(moved(model, id, dof))).dof(dof);
                self.actuator(Actuator { place, ..motor });
                count += 1;
            }
        }
        count
    }
}

fn gains(inertia: f64) -> Control {
    Control::Position { kp: inertia * FREQUENCY * FREQUENCY, kd: 2.0 * inertia * FREQUENCY }
}

/// What a degree of freedom moves at the reference pose [kg·m² or kg].
fn moved(model: &Model, joint: JointId, dof: usize) -> f64 {
    let own = &model.joints()[joint.index()];
    let behind = behind(model, joint);
    let floats =
        model.graph().components().iter().any(|c| !c.grounded && behind.iter().any(|b| c.bodies.contains(b)));
    let before: Vec<BodyId> = match floats {
        true => all(model).filter(|b| !behind.contains(b) && same_component(model, *b, &behind)).collect(),
        false => Vec::new(),
    };
    let side = |bodies: &[BodyId]| inertia_along(model, joint, dof, bodies);
    own.dofs[dof].armature + side(&behind).max(side(&before))
}

fn all(model: &Model) -> impl Iterator<Item = BodyId> {
    (0..model.bodies().len()).map(BodyId::new)
}

fn same_component(model: &Model, body: BodyId, others: &[BodyId]) -> bool {
    let components = model.graph().components();
    components.iter().any(|c| c.bodies.contains(&body) && others.iter().any(|b| c.bodies.contains(b)))
}

/// The bodies that hang behind a joint in the spanning tree; behind one that closes a loop its successor alone.
fn behind(model: &Model, joint: JointId) -> Vec<BodyId> {
    let tree = model.graph().tree();
    let first = tree.iter().find(|node| node.joint == Some(joint)).map(|node| node.body);
    let successor = model.joints()[joint.index()].successor.body();
    let mut found: Vec<BodyId> = first.or(successor).into_iter().collect();
    if first.is_some() {
        // parents come before their children
        for node in tree {
            if node.parent.is_some_and(|parent| found.contains(&parent)) && !found.contains(&node.body) {
                found.push(node.body);
            }
        }
    }
    found
}

/// Σ m, or Σ aᵀ I a + m |a × r|² about the joint's axis a.
fn inertia_along(model: &Model, joint: JointId, dof: usize, bodies: &[BodyId]) -> f64 {
    let own = &model.joints()[joint.index()];
    if !own.kind.is_angle(dof) {
        return bodies.iter().map(|b| model.bodies()[b.index()].mass).sum();
    }
    let (at, axis) = axis_of(model, joint, dof);
    let each = bodies.iter().map(|b| {
        let body = &model.bodies()[b.index()];
        let X_WB = body.X_WB();
        let along = X_WB.R.rotate_inverse(axis);
        let arm = axis.cross(X_WB.p - at);
        along.dot(body.inertia.unwrap_or_default() * along) + body.mass * arm.dot(arm)
    });
    each.sum()
}

/// A point on the axis of a degree of freedom, and its direction, in the world.
fn axis_of(model: &Model, joint: JointId, dof: usize) -> (Vec3, Vec3) {
    let own = &model.joints()[joint.index()];
    let X_WP = own.predecessor.body().map_or_else(Default::default, |b| model.bodies()[b.index()].X_WL);
    let X_WF = X_WP * own.X_PF;
    let X_FM = model.reference_joint_pose(joint);
    let row = kinematics::rate_axes(own.kind, X_FM)[dof].moment;
    let length = row.norm();
    let axis = if length > 0.0 { row * (1.0 / length) } else { Vec3::x_axis() };
    ((X_WF * X_FM).p, X_WF.R.rotate(axis))
}

#[cfg(test)]
mod tests {
    use super::FREQUENCY;
    use crate::{Actuator, Body, Control, Joint, ModelBuilder, WORLD};
    use bellcrank_math::{Pose, Vec3};

    /// Two balls of 1 kg and 0.1 m at 1 m and 2 m from the first axis, the second hinge at 1 m.
    fn arm() -> ModelBuilder {
        let mut m = ModelBuilder::new("arm");
        m.body(Body::new("upper").at(Pose::translation(1.0, 0.0, 0.0)).solid_sphere(1.0, 0.1));
        m.body(Body::new("lower").at(Pose::translation(2.0, 0.0, 0.0)).solid_sphere(1.0, 0.1));
        m.joint(Joint::revolute("shoulder", WORLD, "upper").placed(Vec3::zero(), Vec3::y_axis()));
        m.joint(Joint::revolute("elbow", "upper", "lower").placed(Vec3::new(1.0, 0.0, 0.0), Vec3::y_axis()));
        m
    }

    /// I = 1 + 4 + 2 · 0.004 about the shoulder, 1 + 0.004 about the elbow, seen through a gear of 2 a quarter of it.
    #[test]
    fn gains_follow_what_a_motor_moves() {
        let mut m = arm();
        m.actuator(Actuator::effort("one", "shoulder").effort_limit(7.0));
        m.actuator(Actuator::effort("two", "elbow").gear(2.0));
        m.actuator(Actuator::position("three", "elbow", 3.0, 1.0));
        assert_eq!(m.hold().unwrap(), 2);
        let model = m.build().unwrap();
        let kp = |a: usize| match model.actuators()[a].control {
            Control::Position { kp, kd } if a < 2 => {
                assert!((kd - 2.0 * kp / FREQUENCY).abs() < 1e-9);
                kp / (FREQUENCY * FREQUENCY)
            }
            Control::Position { kp, .. } => kp,
            _ => panic!("no position drive"),
        };
        assert!((kp(0) - 5.008).abs() < 1e-9 && (kp(1) - 1.004 / 4.0).abs() < 1e-9 && kp(2) == 3.0);
        assert_eq!(model.actuators()[0].effort_limit, 7.0);
    }

    /// Without motors every coordinate gets one; of what floats the heavier side counts: 10 kg and its own inertia at 1 m.
    #[test]
    fn what_has_no_motor_gets_one_and_legs_carry_their_robot() {
        let mut m = arm();
        assert_eq!(m.hold().unwrap(), 2);
        assert_eq!(m.build().unwrap().actuators().len(), 2);
        let mut m = ModelBuilder::new("hopper");
        m.body(Body::new("trunk").at(Pose::translation(0.0, 0.0, 1.0)).solid_sphere(10.0, 0.1));
        m.body(Body::new("leg").at(Pose::translation(0.0, 0.0, -0.1)).solid_sphere(0.1, 0.1));
        m.joint(Joint::revolute("hip", "trunk", "leg").placed(Vec3::zero(), Vec3::y_axis()));
        assert_eq!(m.hold().unwrap(), 1);
        let Control::Position { kp, .. } = m.build().unwrap().actuators()[0].control else { panic!() };
        assert!((kp / (FREQUENCY * FREQUENCY) - 10.04).abs() < 1e-9, "{kp}");
    }
}
