//! A body is pulled by hand while nothing runs, and the linkage follows: for the viewer, by inverse kinematics.

use bellcrank_kinematics::{Goal, Kinematics, KinematicsError, Settings};
use bellcrank_math::{Pose, Twist};
use bellcrank_model::{BodyId, JointId, Keyframe, Model};
use bellcrank_sim::{Batch, BatchError};
use bellcrank_view::{Hand, Pin, Posing};
use std::sync::Arc;

/// Poses by inverse kinematics: loops stay closed, limits are kept. A floating base stays where it is, unless bodies are pinned: then these stay
/// instead, and the base follows. What is out of reach goes to the nearest pose. For [`bellcrank_view::Live::pose_with`].
#[derive(Default)]
pub struct Puppet {
    /// The robot that was pulled last.
    known: Option<(Arc<Model>, Kinematics<f64>)>,
}

impl Puppet {
    /// The kinematics of a robot, worked out once for as long as it is the same robot that is asked about.
    fn robot(&mut self, model: &Arc<Model>) -> &Kinematics<f64> {
        let known = self.known.take().filter(|(known, _)| Arc::ptr_eq(known, model));
        &self.known.insert(known.unwrap_or_else(|| (model.clone(), Kinematics::new(model)))).1
    }
}

impl Posing for Puppet {
    fn pull(&mut self, batch: &mut Batch, hand: Hand, pins: &[Pin]) -> Result<Option<f64>, BatchError> {
        let model = batch.model(hand.world)?.clone();
        let robot = self.robot(&model);
        let now = robot.keyframe(&pose_of(batch, &model, hand.world)?);
        let asked = Asked { hand, pins, now: &now };
        // sizes are those of the model, so that nothing can be asked wrongly; if it were, nothing would move
        let Ok(Some(found)) = pulled(robot, &model, asked) else { return Ok(None) };
        let placed = found.bodies.iter().zip(model.bodies()).map(|(X_WL, part)| *X_WL * part.X_LB());
        batch.set_body_poses(hand.world, &placed.collect::<Vec<_>>())?;
        for body in 0..model.bodies().len() {
            batch.set_body_velocity(hand.world, body, Twist::zero())?;
        }
        Ok(Some(found.missed))
    }

    fn holds(&mut self, batch: &Batch, world: usize) -> Result<Vec<Option<f64>>, BatchError> {
        let model = batch.model(world)?.clone();
        let robot = self.robot(&model);
        let now = robot.keyframe(&pose_of(batch, &model, world)?);
        // likewise: nothing is told where nothing can be asked
        let told = robot.analysis(1).and_then(|analysis| analysis.joint_holds(&now));
        Ok(told.unwrap_or_else(|_| vec![None; model.joints().len()]))
    }
}

/// Where a robot is pulled, what stays, and where it stands.
struct Asked<'a> {
    hand: Hand,
    pins: &'a [Pin],
    now: &'a [f64],
}

struct Found {
    /// X_WL of all bodies.
    bodies: Vec<Pose>,
    /// How far the held point is from the hand [m].
    missed: f64,
}

/// The pose nearest to the hand; none where loops do not close or pinned bodies cannot stay.
fn pulled(
    robot: &Kinematics<f64>,
    model: &Model,
    asked: Asked<'_>,
) -> Result<Option<Found>, KinematicsError> {
    let hand = asked.hand;
    let body = &model.bodies()[hand.body];
    let goal = Goal::position(&*body.name).point(body.X_LB().transform_point(hand.anchor));
    let mut settings = Settings { detours: 0, restarts: 0, largest_step: 0.2, ..Settings::default() };
    let mut goals = vec![if asked.pins.is_empty() { goal } else { goal.second() }];
    goals.extend(asked.pins.iter().map(|pin| Goal::hold(&*model.bodies()[pin.body].name)));
    if !asked.pins.is_empty() {
        // each pull starts where the last one ended, so that what is missed adds up
        (settings.position_tolerance, settings.angle_tolerance) = (1e-9, 1e-9);
        settings.free_base = true;
    }
    let found = robot.problem(&goals, settings)?.solve(&hand.target.to_array(), asked.now)?;
    let moved = found.error[1..].iter().any(|missed| *missed > CLOSED);
    if found.loop_gap[0] > CLOSED || moved {
        return Ok(None);
    }
    let bodies = robot.body_poses(&found.q)?.remove(0);
    Ok(Some(Found { bodies, missed: found.error[0] }))
}

/// Loops that are open by no more than this are shown: files round their numbers [m and rad]. Pinned bodies move by no more.
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
    use bellcrank_math::{Vec3, so3};
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
        let missed = puppet.pull(&mut batch, hand, &[]).expect("a world").expect("closes");
        assert!(missed < 1e-6 && (point(&batch) - target).norm() < 2e-6, "{missed}");
        assert!((batch.body_pose(0, pelvis).expect("a pose").p - base.p).norm() < 1e-12);
        assert!(batch.step(1).loop_gap[0].0 < 1e-5);
        let far = Hand { target: target + Vec3::x_axis() * 5.0, ..hand };
        let missed = puppet.pull(&mut batch, far, &[]).expect("a world").expect("the nearest pose");
        assert!(missed > 4.0 && (missed - (point(&batch) - far.target).norm()).abs() < 1e-6, "{missed}");
        let nowhere = Hand { target: Vec3::new(f64::NAN, 0.0, 0.0), ..hand };
        let before = point(&batch);
        puppet.pull(&mut batch, nowhere, &[]).expect("a world");
        assert!((point(&batch) - before).norm() < 1e-9);
    }

    /// Both feet are pinned and the pelvis is pulled down by 3 cm in 30 pulls: it goes there to 1 µm and the feet stay within 30 times the
    /// tolerance of a pull, 1e-9 m and rad. Pulled up by 5 m it stays where the legs let it, the feet in their places.
    #[test]
    fn the_pelvis_goes_down_while_pinned_feet_stay() {
        let model = library::hybrid_biped().build().expect("sound");
        let number = |name: &str| model.bodies().iter().position(|body| body.name == name).expect("there");
        let (pelvis, feet) = (number("pelvis"), ["left_foot", "right_foot"].map(number));
        let mut batch = Batch::new(model.into(), 1, BatchOptions::default()).expect("a batch");
        let pins = feet.map(|body| Pin { world: 0, body });
        let pose = |batch: &Batch, body: usize| batch.body_pose(0, body).expect("a pose");
        let before = feet.map(|foot| pose(&batch, foot));
        let start = pose(&batch, pelvis).p;
        let hand = Hand { world: 0, body: pelvis, anchor: Vec3::zero(), target: start };
        let stayed = |batch: &Batch, bound: f64| {
            for (foot, was) in feet.iter().zip(before) {
                let by = was.inverse() * pose(batch, *foot);
                assert!(by.p.norm() < bound && so3::log(by.R).norm() < bound, "{by:?}");
            }
        };
        let mut puppet = Puppet::default();
        for pull in 1..=30 {
            let target = start - Vec3::z_axis() * (1e-3 * f64::from(pull));
            let missed = puppet.pull(&mut batch, Hand { target, ..hand }, &pins).expect("a world");
            assert!(missed.expect("closes") < 1e-6, "{pull}: {missed:?}");
        }
        assert!((pose(&batch, pelvis).p - start + Vec3::z_axis() * 0.03).norm() < 2e-6);
        stayed(&batch, 30e-9);
        let up = Hand { target: start + Vec3::z_axis() * 5.0, ..hand };
        let missed = puppet.pull(&mut batch, up, &pins).expect("a world");
        assert!(missed.is_some_and(|missed| missed > 4.0), "{missed:?}");
        stayed(&batch, 30e-9 + CLOSED);
    }

    /// The least over all joints is what the analysis tells of the whole. A four-bar is held by its crank alone, so that all four joints are held
    /// alike: by 1/‖q̇‖ for a crank's rate of one, here from poses for ±1e-4 rad, whose error is of the order of 1e-8. A chain has no motor.
    #[test]
    fn joints_are_told_how_well_motors_hold_their_limb() {
        let mut puppet = Puppet::default();
        let batch = |model: Model| Batch::new(model.into(), 1, BatchOptions::default()).expect("a batch");
        let biped = library::hybrid_biped().build().expect("sound");
        let robot = Kinematics::<f64>::new(&biped);
        let whole = robot.analysis(1).expect("a model").holds(robot.rest()).expect("a pose")[0].smallest;
        let told = puppet.holds(&batch(biped.clone()), 0).expect("a world");
        assert_eq!(told.len(), biped.joints().len());
        let least = told.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        assert!((least - whole).abs() < 1e-9 && least > 0.0, "{least} instead of {whole}");

        let model = library::four_bar().build().expect("sound");
        let robot = Kinematics::<f64>::new(&model);
        let linkage = batch(model.clone());
        let (crank, h) = (linkage.joint_position(0).expect("a world")[0], 1e-4);
        let problem =
            robot.problem(&[Goal::joint(&*model.joints()[0].name)], Settings::default()).expect("a goal");
        let q = problem.solve(&[crank - h, crank + h], &[]).expect("sizes").q;
        let (low, high) = q.split_at(robot.rest().len());
        let rate = low.iter().zip(high).map(|(a, b)| ((b - a) / (2.0 * h)).powi(2)).sum::<f64>().sqrt();
        let told = puppet.holds(&linkage, 0).expect("a world");
        assert_eq!(told.len(), 4);
        for share in told {
            assert!((share.expect("held") - 1.0 / rate).abs() < 1e-6, "{share:?} instead of {}", 1.0 / rate);
        }
        let chain = batch(library::chain().build().expect("sound"));
        assert!(puppet.holds(&chain, 0).expect("a world").iter().all(Option::is_none));
    }
}
