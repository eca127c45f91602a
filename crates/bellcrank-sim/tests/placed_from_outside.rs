//! Bodies that are placed from outside, and what is welded to them.

use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{Body, Joint, Keyframe, Model, ModelBuilder, WORLD};
use bellcrank_sim::{Batch, BatchOptions};
use std::sync::Arc;

/// A tracked hand, and a box of 2 kg that a weld holds to it.
fn hand() -> Model {
    let mut m = ModelBuilder::new("hand");
    let at = Pose::translation(0.0, 0.0, 1.0);
    m.body(Body::new("hand").at(at).solid_sphere(1.0, 0.1).mocap());
    m.body(Body::new("box").at(at).solid_box(2.0, Vec3::new(0.1, 0.2, 0.3)));
    m.joint(Joint::fixed("held", WORLD, "hand").placed(Vec3::new(0.0, 0.0, 1.0), Vec3::x_axis()));
    m.joint(Joint::fixed("grip", "hand", "box"));
    m.keyframe(Keyframe::new("high").body("hand", Pose::translation(0.0, 0.0, 3.0)));
    m.build().unwrap()
}

fn position(batch: &Batch, world: usize, body: usize) -> Vec3 {
    batch.body_pose(world, body).unwrap().p
}

/// The hand goes 0.2 m aside and a quarter turn round within a second, placed anew before every step; the box follows, in its own world
/// only. It hangs on the hand with its weight, which moves nothing; a reset takes the hand back, a keyframe where that says.
#[test]
fn what_is_welded_to_a_tracked_body_follows_it() {
    let mut batch = Batch::new(Arc::new(hand()), 2, BatchOptions::default()).unwrap();
    let quarter = Quat::from_axis_angle(Vec3::z_axis(), core::f64::consts::FRAC_PI_2);
    let goal = Pose::new(quarter, Vec3::new(0.2, 0.0, 1.0));
    let steps = (1.0 / batch.dt()).round() as usize;
    for k in 1..=steps {
        let part = k as f64 / steps as f64;
        let R = Quat::from_axis_angle(Vec3::z_axis(), part * core::f64::consts::FRAC_PI_2);
        batch.place(0, 0, Pose::new(R, Vec3::new(0.2 * part, 0.0, 1.0))).unwrap();
        assert!((position(&batch, 0, 0) - Vec3::new(0.2 * part, 0.0, 1.0)).norm() < 1e-15);
        let report = batch.step(1);
        assert!(report.loop_gap[0].0 < 1e-5, "{k}: {:?}", report.loop_gap);
    }
    batch.step(20);
    for body in [0, 1] {
        let X = batch.body_pose(0, body).unwrap();
        assert!((X.p - goal.p).norm() < 1e-6, "{:?}", X.p);
        assert!((X.R.rotate(Vec3::x_axis()) - Vec3::y_axis()).norm() < 1e-6);
        assert!((position(&batch, 1, body) - Vec3::z_axis()).norm() < 1e-6);
    }
    batch.reset(0).unwrap();
    batch.step(50);
    assert!((position(&batch, 0, 1) - Vec3::z_axis()).norm() < 1e-6);
    assert!(batch.reset_to_keyframe(0, "high").unwrap());
    batch.step(50);
    assert!((position(&batch, 0, 1) - Vec3::new(0.0, 0.0, 3.0)).norm() < 1e-6);
}
