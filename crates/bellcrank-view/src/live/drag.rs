//! A spring between the mouse and a point of a body.
//!
//! Force f = k (target − p) − c v at the point p. Stiffness follows the whole mechanism, k = M ω² with ω = 2π · 3 /s, and
//! is critically damped for it; both are bounded by what a step can take with the body alone: the force acts for a whole
//! step, so that k Δt² and c Δt must stay below the mass felt at the point, 1/m_p = 1/m + tr([r]ₓ I⁻¹ [r]ₓᵀ).

use bellcrank_math::Vec3;
use bellcrank_model::{Body, Model};
use bellcrank_sim::{Batch, BatchError};
use serde::Serialize;
use std::f64::consts::TAU;

/// Hand's frequency [1/s].
const FREQUENCY: f64 = 3.0;

/// A hand that holds a point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    /// Number in the batch.
    pub world: usize,
    /// Number in its model.
    pub body: usize,
    /// The held point in the body frame, which is at the centre of mass [m].
    pub anchor: Vec3,
    /// Where the hand is, in the world [m].
    pub target: Vec3,
}

/// A body that stays where it is while another is posed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pin {
    /// Number in the batch.
    pub world: usize,
    /// Number in its model.
    pub body: usize,
}

/// Knows the kinematics of robots: finds poses of those that are pulled while the simulation is paused, and tells how well motors hold them.
pub trait Posing: Send {
    /// Puts the robot where the held point is as near to the hand as it gets, loops closed, pinned bodies in their places. Says by how much
    /// it is missed [m]; none where there is no such pose, and then nothing moves.
    ///
    /// # Errors
    /// When there is no such world or body.
    fn pull(&mut self, batch: &mut Batch, hand: Hand, pins: &[Pin]) -> Result<Option<f64>, BatchError>;

    /// How far each joint of a world is from a pose that motors do not hold, 0 there and 1 where motors are all there is; none where that
    /// makes no sense (joints that cannot move, limbs without motors).
    ///
    /// # Errors
    /// When there is no such world.
    fn holds(&mut self, batch: &Batch, world: usize) -> Result<Vec<Option<f64>>, BatchError>;
}

impl Hand {
    /// Force at the centre of mass [N] and moment about it [N·m], world axes.
    pub(crate) fn wrench(&self, batch: &Batch) -> Result<(Vec3, Vec3), BatchError> {
        let model = batch.model(self.world)?;
        let X_WB = batch.body_pose(self.world, self.body)?;
        let V = batch.body_velocity(self.world, self.body)?;
        let r = X_WB.R.rotate(self.anchor);
        let velocity = V.linear + V.angular.cross(r);
        let (k, c) = gains(model, &model.bodies()[self.body], self.anchor, batch.dt());
        let force = (self.target - X_WB.p - r) * k - velocity * c;
        Ok((force, r.cross(force)))
    }
}

/// Stiffness [N/m] and damping [N·s/m].
fn gains(model: &Model, body: &Body, r: Vec3, dt: f64) -> (f64, f64) {
    let omega = TAU * FREQUENCY;
    let turning = body.inertia.map_or(0.0, |inertia| {
        // tr([r]ₓ I⁻¹ [r]ₓᵀ) = Σ over the axes e of (r × e) · I⁻¹ (r × e)
        let inverse = inertia.inverse();
        [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()]
            .into_iter()
            .map(|e| r.cross(e).dot(inverse * r.cross(e)))
            .sum()
    });
    let felt = 1.0 / (1.0 / body.mass + turning);
    let whole = model.mass();
    ((whole * omega * omega).min(0.25 * felt / (dt * dt)), (2.0 * whole * omega).min(0.5 * felt / dt))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::{Live, LiveOptions};
    use bellcrank_model::library;
    use bellcrank_sim::BatchOptions;
    use std::sync::{Arc, Mutex};

    /// 1 kg held 0.1 m from the mouse at its middle: k = (2π · 3)² = 355.3 N/m, so 35.5 N, without moment about the middle.
    #[test]
    fn the_force_is_that_of_a_spring_to_the_mouse() {
        let model = library::box_on_plane().build().expect("sound");
        let batch = Batch::new(model.into(), 1, BatchOptions::default()).expect("a batch");
        let p = batch.body_pose(0, 0).expect("a pose").p;
        let drag = Hand { world: 0, body: 0, anchor: Vec3::zero(), target: p + Vec3::x_axis() * 0.1 };
        let (force, moment) = drag.wrench(&batch).expect("a wrench");
        assert!((force - Vec3::x_axis() * 35.5306).norm() < 1e-3, "{force:?}");
        assert!(moment.norm() < 1e-12);
    }

    #[derive(Clone, Default)]
    struct Noted {
        hands: Arc<Mutex<Vec<Hand>>>,
        pins: Arc<Mutex<Vec<Pin>>>,
    }

    impl Posing for Noted {
        fn pull(&mut self, _: &mut Batch, hand: Hand, pins: &[Pin]) -> Result<Option<f64>, BatchError> {
            self.hands.lock().expect("one thread").push(hand);
            *self.pins.lock().expect("one thread") = pins.to_vec();
            Ok(Some(0.0))
        }

        fn holds(&mut self, batch: &Batch, world: usize) -> Result<Vec<Option<f64>>, BatchError> {
            let count = batch.model(world)?.joints().len();
            Ok((0..count).map(|joint| (joint > 0).then_some(0.25 * joint as f64)).collect())
        }
    }

    /// The page asks for it, and each frame tells of every joint: −1 for none, and no more than one. It is gone when no longer asked for.
    #[test]
    fn a_frame_tells_how_well_joints_are_held_when_asked() {
        let model = library::chain().build().expect("sound");
        let joints = model.joints().len();
        let mut batch = Batch::new(model.into(), 1, BatchOptions::default()).expect("a batch");
        let mut live = Live::start(&batch, LiveOptions::default()).expect("a free port");
        assert!(live.frame(&batch).expect("a frame").holds.is_empty());
        live.hear(r#"{"type":"singular","on":true}"#.into());
        live.attend(&mut batch).expect("obeyed");
        assert!(live.frame(&batch).expect("a frame").holds.is_empty(), "nobody knows");
        live.pose_with(Box::new(Noted::default()));
        let holds = live.frame(&batch).expect("a frame").holds;
        assert!(holds.len() == joints && joints > 1 && holds[0] == -1.0, "{holds:?}");
        for (joint, x) in holds.iter().enumerate().skip(1) {
            assert_eq!(*x, (0.25 * joint as f32).min(1.0));
        }
        live.hear(r#"{"type":"singular","on":false}"#.into());
        live.attend(&mut batch).expect("obeyed");
        assert!(live.frame(&batch).expect("a frame").holds.is_empty());
    }

    /// Pinned twice is not pinned. What does not exist cannot be pinned, and what is held by the hand is not pinned at the same time.
    #[test]
    fn pins_come_and_go() {
        let model = library::four_bar().build().expect("sound");
        let mut batch = Batch::new(model.into(), 2, BatchOptions::default()).expect("a batch");
        let options = LiveOptions { playing: false, ..LiveOptions::default() };
        let mut live = Live::start(&batch, options).expect("a free port");
        let noted = Noted::default();
        live.pose_with(Box::new(noted.clone()));
        let mut told = |commands: &[&str]| {
            commands.iter().for_each(|text| live.hear((*text).into()));
            live.hear(r#"{"type":"drag","world":1,"body":0,"anchor":[0,0,0],"target":[1,0,1]}"#.into());
            live.attend(&mut batch).expect("obeyed");
            noted.pins.lock().expect("one thread").clone()
        };
        let pin = |world: usize, body: usize| format!(r#"{{"type":"pin","world":{world},"body":{body}}}"#);
        assert_eq!(told(&[]), []);
        assert_eq!(
            told(&[&pin(1, 1), &pin(1, 0), &pin(0, 2), &pin(9, 0), &pin(1, 99)]),
            [Pin { world: 1, body: 1 }]
        );
        assert_eq!(told(&[&pin(1, 1)]), []);
    }

    /// While nothing runs the hand poses and leaves no spring behind; while it runs, the spring pulls the box along x.
    #[test]
    fn a_hand_poses_while_paused_and_pulls_while_running() {
        let model = library::box_on_plane().build().expect("sound");
        let mut batch = Batch::new(model.into(), 1, BatchOptions::default()).expect("a batch");
        let options = LiveOptions { playing: false, ..LiveOptions::default() };
        let mut live = Live::start(&batch, options).expect("a free port");
        let noted = Noted::default();
        let hands = noted.hands.clone();
        live.pose_with(Box::new(noted));
        let drag = r#"{"type":"drag","world":0,"body":0,"anchor":[0,0,0],"target":[1,0,1]}"#;
        let x = |batch: &Batch| batch.body_pose(0, 0).expect("a pose").p.x;
        live.hear(drag.into());
        live.attend(&mut batch).expect("obeyed");
        live.advance(&mut batch, 5).expect("steps");
        assert_eq!(hands.lock().expect("one thread").len(), 1);
        assert!(x(&batch).abs() < 1e-9, "pulled while paused");
        live.hear(r#"{"type":"play"}"#.into());
        live.hear(drag.into());
        live.attend(&mut batch).expect("obeyed");
        live.advance(&mut batch, 5).expect("steps");
        assert_eq!(hands.lock().expect("one thread").len(), 1);
        assert!(x(&batch) > 1e-4, "not pulled while running");
    }
}
