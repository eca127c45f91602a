//! Velocities that an assembly returns with success are those of the loops, in both precisions.

use crate::common::{batch, built};
use bellcrank_math::{Pose, Vec3, so3};
use bellcrank_model::{Body, Joint, JointId, JointKind, Model, ModelBuilder, WORLD, library};
use bellcrank_sim::{Batch, Precision};
use std::sync::Arc;

/// A bar of 1 cm from one point to another, 1 kg/m.
fn bar(m: &mut ModelBuilder, name: &str, from: Vec3, to: Vec3) {
    let (along, length) = ((to - from).normalized(), (to - from).norm());
    let turn = Vec3::z_axis().cross(along);
    let angle = turn.norm().atan2(along.z);
    let axis = if turn.norm() > 1e-9 { turn.normalized() * angle } else { Vec3::zero() };
    let place = Pose::new(so3::exp(axis), (from + to) * 0.5);
    m.body(Body::new(name).at(place).solid_box(length, Vec3::new(0.01, 0.01, length)));
}

/// Three crossed pairs of bars above each other, one foot hinged and the other on a slide: one freedom, five loops.
fn scissor() -> Arc<Model> {
    let mut m = ModelBuilder::new("scissor");
    let (wide, high, stages) = (0.4, 0.2, 3);
    let at = |x: f64, k: usize| Vec3::new(x, 0.0, high * k as f64);
    let y = Vec3::y_axis();
    for k in 0..stages {
        bar(&mut m, &format!("a{k}"), at(0.0, k), at(wide, k + 1));
        bar(&mut m, &format!("b{k}"), at(wide, k), at(0.0, k + 1));
        let middle = (at(0.0, k) + at(wide, k + 1)) * 0.5;
        m.joint(
            Joint::revolute(format!("middle{k}"), format!("a{k}").as_str(), format!("b{k}").as_str())
                .placed(middle, y),
        );
        if k > 0 {
            let (left, right) = (format!("left{k}"), format!("right{k}"));
            let [a, b] = [format!("a{}", k - 1), format!("b{}", k - 1)];
            m.joint(Joint::revolute(left, b.as_str(), format!("a{k}").as_str()).placed(at(0.0, k), y));
            m.joint(Joint::revolute(right, a.as_str(), format!("b{k}").as_str()).placed(at(wide, k), y));
        }
    }
    m.body(
        Body::new("foot").at(Pose::from_position(at(wide, 0))).solid_box(0.1, Vec3::new(0.02, 0.02, 0.02)),
    );
    m.joint(Joint::revolute("drive", WORLD, "a0").placed(at(0.0, 0), y));
    m.joint(Joint::revolute("ankle", "foot", "b0").placed(at(wide, 0), y));
    m.joint(Joint::prismatic("slide", WORLD, "foot").placed(at(wide, 0), Vec3::x_axis()));
    built(m)
}

/// Sarrus' linkage: a plate on two pairs of hinged flaps at a right angle, which guide it straight up.
fn sarrus() -> Arc<Model> {
    let mut m = ModelBuilder::new("sarrus");
    let (near, far, high) = (0.2, 0.35, 0.25);
    m.body(
        Body::new("plate")
            .at(Pose::translation(0.0, 0.0, 2.0 * high))
            .solid_box(1.0, Vec3::new(0.4, 0.4, 0.01)),
    );
    for (name, out, axis) in [("x", Vec3::x_axis(), Vec3::y_axis()), ("y", Vec3::y_axis(), Vec3::x_axis())] {
        let up = Vec3::z_axis() * high;
        let [low, knee, top] = [out * near, out * far + up, out * near + up * 2.0];
        let [lower, upper] = [format!("lower_{name}"), format!("upper_{name}")];
        bar(&mut m, &lower, low, knee);
        bar(&mut m, &upper, knee, top);
        m.joint(Joint::revolute(format!("drive_{name}"), WORLD, lower.as_str()).placed(low, axis));
        m.joint(Joint::revolute(format!("knee_{name}"), lower.as_str(), upper.as_str()).placed(knee, axis));
        m.joint(Joint::revolute(format!("top_{name}"), upper.as_str(), "plate").placed(top, axis));
    }
    built(m)
}

/// The largest velocity by which a hinge or slide comes apart [m/s and rad/s], from the bodies' twists alone.
fn tearing(b: &Batch, model: &Model) -> f64 {
    let mut worst = 0.0_f64;
    for (j, joint) in model.joints().iter().enumerate() {
        let (_, X_SM) = model.joint_frames(JointId::new(j));
        let side = |body: Option<bellcrank_model::BodyId>, p: Vec3| match body {
            Some(body) => {
                let (X, V) =
                    (b.body_pose(0, body.index()).unwrap(), b.body_velocity(0, body.index()).unwrap());
                (V.linear + V.angular.cross(p - X.p), V.angular)
            }
            None => (Vec3::zero(), Vec3::zero()),
        };
        let successor = joint.successor.body();
        let X_WM = b.body_pose(0, successor.unwrap().index()).unwrap() * X_SM;
        let (on_s, on_p) = (side(successor, X_WM.p), side(joint.predecessor.body(), X_WM.p));
        let (v, w, axis) = (on_s.0 - on_p.0, on_s.1 - on_p.1, X_WM.R.rotate(Vec3::x_axis()));
        let across = |x: Vec3| (x - axis * axis.dot(x)).norm();
        let torn = match joint.kind {
            JointKind::Revolute => v.norm().max(across(w)),
            JointKind::Prismatic => across(v).max(w.norm()),
            _ => panic!("hinges and slides only"),
        };
        worst = worst.max(torn);
    }
    worst
}

/// What moves by 3 rad/s (m/s) at one joint closes its loops in velocity: to 1e-9 of it in 64 bits. In 32 bits a velocity of
/// 3 rad/s has roundings of 2.4e-7, of which a chain of six links adds up some tens: 2e-5 of the largest.
#[test]
fn velocities_that_are_returned_satisfy_the_loops() {
    let bricard = built(library::bricard());
    for (model, joint, asked) in
        [(bricard, "hinge_0", 3.0), (scissor(), "drive", 3.0), (sarrus(), "drive_x", 3.0)]
    {
        for (precision, most) in [(Precision::F64, 1e-9), (Precision::F32, 2e-5)] {
            let mut b = batch(&model, 1, 0.004, precision);
            let ok = b.assemble_moving(&[0], &[], &[(joint, &[asked])]).unwrap();
            assert_eq!(ok, [true], "{} {precision:?}", model.name());
            let names = model.joints().iter().position(|j| j.name == joint).unwrap();
            let rate = b.joint_velocity(0).unwrap()[names];
            assert!((rate - asked).abs() < most * asked, "{} {precision:?}: {rate}", model.name());
            let torn = tearing(&b, &model);
            assert!(torn < 2.0 * most * asked, "{} {precision:?}: {torn:.1e}", model.name());
        }
    }
}

/// Each of these has one freedom: two joints cannot be asked for rates that do not belong together, and what is asked for in
/// vain leaves the world as it was.
#[test]
fn velocities_that_cannot_be_had_are_refused() {
    let bricard = built(library::bricard());
    for (model, joints) in [
        (bricard, ["hinge_0", "hinge_3"]),
        (scissor(), ["drive", "slide"]),
        (sarrus(), ["drive_x", "drive_y"]),
    ] {
        for precision in [Precision::F64, Precision::F32] {
            let mut b = batch(&model, 1, 0.004, precision);
            let ok = b.assemble_moving(&[0], &[], &[(joints[0], &[1.0])]).unwrap();
            assert_eq!(ok, [true], "{} {precision:?}", model.name());
            let before = b.joint_velocity(0).unwrap();
            let ok = b.assemble_moving(&[0], &[], &[(joints[0], &[1.0]), (joints[1], &[9.0])]).unwrap();
            assert_eq!(ok, [false], "{} {precision:?}", model.name());
            assert_eq!(b.joint_velocity(0).unwrap(), before, "{} {precision:?}", model.name());
        }
    }
}
