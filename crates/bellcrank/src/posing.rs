//! A body is pulled by hand while nothing runs, and the linkage follows: for the viewer, by inverse kinematics.

use bellcrank_kinematics::{Goal, Kinematics, KinematicsError, Settings};
use bellcrank_math::{Pose, Twist};
use bellcrank_model::{BodyId, JointId, Keyframe, Model};
use bellcrank_sim::{Batch, BatchError};
use bellcrank_view::{Hand, Posing};
use std::sync::Arc;

/// Poses by inverse kinematics: loops stay closed, limits are kept, and a floating base stays where it is. What is out of reach goes to the nearest
/// pose. For [`bellcrank_view::Live::pose_with`].
#[derive(Default)]
pub struct Puppet {
    /// The robot that was pulled last.
    known: Option<(Arc<Model>, Kinematics<f64>)>,
}

impl Posing for Puppet {
    fn pull(&mut self, batch: &mut Batch, hand: Hand) -> Result<Option<f64>, BatchError> {
        let model = batch.model(hand.world)?.clone();
        if !self.known.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, &model)) {
            self.known = Some((model.clone(), Kinematics::new(&model)));
        }
        let Some((_, robot)) = &self.known else { return Ok(None) };
        let now = robot.keyframe(&pose_of(batch, &model, hand.world)?);
        // sizes are those of the model, so that nothing can be asked wrongly; if it were, nothing would move
        let Ok(Some(found)) = pulled(robot, &model, hand, &now) else { return Ok(None) };
        for ((body, X_WL), part) in found.bodies.iter().enumerate().zip(model.bodies()) {
            batch.set_body_pose(hand.world, body, *X_WL * part.X_LB())?;
            batch.set_body_velocity(hand.world, body, Twist::zero())?;
        }
        Ok(Some(found.missed))
    }
}

struct Found {
    /// X_WL of all bodies.
    bodies: Vec<Pose>,
    /// How far the held point is from the hand [m].
    missed: f64,
}

/// The pose nearest to the hand; none where loops do not close.
fn pulled(
    robot: &Kinematics<f64>,
    model: &Model,
    hand: Hand,
    now: &[f64],
) -> Result<Option<Found>, KinematicsError> {
    let body = &model.bodies()[hand.body];
    let goal = Goal::position(&*body.name).point(body.X_LB().transform_point(hand.anchor));
    let settings = Settings { detours: 0, restarts: 0, largest_step: 0.2, ..Settings::default() };
    let found = robot.problem(&[goal], settings)?.solve(&hand.target.to_array(), now)?;
    if found.loop_gap[0] > CLOSED {
        return Ok(None);
    }
    let bodies = robot.body_poses(&found.q)?.remove(0);
    Ok(Some(Found { bodies, missed: found.error[0] }))
}

/// Loops that are open by no more than this are shown: files round their numbers [m and rad].
const CLOSED: f64 = 1e-6;

/// Where a world's robot stands.
fn pose_of(batch: &Batch, model: &Model, world: usize) -> Result<Keyframe, BatchError> {
    let (q, mut start) = (batch.joint_position(world)?, 0);
    let mut keyframe = Keyframe::new("now");
    for (number, joint) in model.joints().iter().enumerate() {
        let end = start + joint.kind.coordinate_count();
        keyframe.joints.push((JointId::new(number).into(), q[start..end].to_vec()));
        start = end;
    }
    for (number, body) in model.bodies().iter().enumerate() {
        let X_WL = batch.body_pose(world, number)? * body.X_LB().inverse();
        keyframe.bodies.push((BodyId::new(number).into(), X_WL));
    }
    Ok(keyframe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_math::Vec3;
    use bellcrank_model::library;
    use bellcrank_sim::BatchOptions;

    /// The left foot is pulled by 3 cm: it is there to 1 µm, the pelvis has not moved, and no loop is open after a step more than one step from
    /// rest leaves it. What is 5 m away is not reached, and told.
    #[test]
    fn a_foot_follows_the_hand_while_the_pelvis_stays() {
        let model = library::hybrid_biped().build().expect("sound");
        let number = |name: &str| model.bodies().iter().position(|body| body.name == name).expect("there");
        let (foot, pelvis) = (number("left_foot"), number("pelvis"));
        let mut batch = Batch::new(model.into(), 1, BatchOptions::default()).expect("a batch");
        let anchor = Vec3::new(0.02, 0.0, 0.01);
        let point = |batch: &Batch| batch.body_pose(0, foot).expect("a pose").transform_point(anchor);
        let base = batch.body_pose(0, pelvis).expect("a pose");
        let target = point(&batch) + Vec3::new(0.02, 0.01, 0.02);
        let mut puppet = Puppet::default();
        let hand = Hand { world: 0, body: foot, anchor, target };
        let missed = puppet.pull(&mut batch, hand).expect("a world").expect("closes");
        assert!(missed < 1e-6 && (point(&batch) - target).norm() < 2e-6, "{missed}");
        assert!((batch.body_pose(0, pelvis).expect("a pose").p - base.p).norm() < 1e-12);
        assert!(batch.step(1).loop_gap[0].0 < 1e-5);
        let far = Hand { target: target + Vec3::x_axis() * 5.0, ..hand };
        let missed = puppet.pull(&mut batch, far).expect("a world").expect("the nearest pose");
        assert!(missed > 4.0 && (missed - (point(&batch) - far.target).norm()).abs() < 1e-6, "{missed}");
        let nowhere = Hand { target: Vec3::new(f64::NAN, 0.0, 0.0), ..hand };
        let before = point(&batch);
        puppet.pull(&mut batch, nowhere).expect("a world");
        assert!((point(&batch) - before).norm() < 1e-9);
    }
}
