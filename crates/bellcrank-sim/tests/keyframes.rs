//! A keyframe is what it says: coordinates to the last whole turn, motors that hold there, and a reason where it cannot be.

use crate::common::{batch, bits, built, world};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{
    Actuator, Body, Coupling, Joint, JointKind, Keyframe, Model, ModelBuilder, WORLD, library,
};
use bellcrank_sim::{Batch, Precision};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Half a turn, more, several turns, either way.
const ANGLES: [f64; 9] = [0.5, 3.2, -3.2, PI, -PI, 4.7, 10.0, -20.0, 123.456];

/// Arms on the world that turn about z and reach in x, each with a motor.
fn arms(count: usize) -> ModelBuilder {
    let mut m = ModelBuilder::new("arms");
    m.gravity(Vec3::zero());
    for i in 0..count {
        let (name, hinge, at) = (format!("arm{i}"), format!("hinge{i}"), 2.0 * i as f64);
        let body = Body::new(&*name).at(Pose::translation(at + 0.5, 0.0, 0.0));
        m.body(body.solid_box(1.0, Vec3::new(1.0, 0.1, 0.1)));
        let joint = Joint::revolute(&*hinge, WORLD, &*name);
        m.joint(joint.placed(Vec3::new(at, 0.0, 0.0), Vec3::z_axis()));
        m.actuator(Actuator::position(format!("motor{i}"), &*hinge, 10.0, 1.0));
    }
    m
}

fn arm_with_keyframes() -> Arc<Model> {
    let mut m = arms(1);
    for (k, angle) in ANGLES.into_iter().enumerate() {
        m.keyframe(Keyframe::new(format!("plain{k}")).joint("hinge0", [angle]));
        m.keyframe(Keyframe::new(format!("told{k}")).joint("hinge0", [angle]).control("motor0", angle));
    }
    built(m)
}

/// A hinge reads what its keyframe says: a pose shows angles up to whole turns only, and one turn is six times the bits of
/// π that rounding costs. A motor that is told that angle, or nothing, holds there: it never moves.
#[test]
fn a_hinge_stands_at_the_angle_of_its_keyframe_and_its_motor_holds_it() {
    let model = arm_with_keyframes();
    for (precision, tolerance) in [(Precision::F64, 1e-12), (Precision::F32, 2e-5)] {
        for kind in ["plain", "told"] {
            for (k, angle) in ANGLES.into_iter().enumerate() {
                let mut b = batch(&model, 3, 0.002, precision);
                assert!(b.reset_to_keyframe(1, &format!("{kind}{k}")).unwrap());
                let q = b.joint_position(1).unwrap()[0];
                assert!((q - angle).abs() < tolerance, "{precision:?} {kind}: {q} instead of {angle}");
                b.step(100);
                let (q, rest) = (b.joint_position(1).unwrap()[0], b.joint_position(0).unwrap()[0]);
                assert!((q - angle).abs() < 10.0 * tolerance, "{precision:?} {kind}: {angle} went to {q}");
                assert_eq!(rest, 0.0, "a neighbour moved");
            }
        }
    }
}

/// Every kind of joint with plain coordinates, at angles of which a pose shows less than all.
#[test]
fn joints_of_every_kind_read_back_their_keyframe() {
    for kind in JointKind::ALL.into_iter().filter(|kind| kind.has_scalar_coordinates()) {
        if kind.dof_count() == 0 {
            continue;
        }
        let mut m = ModelBuilder::new("one");
        m.body(Body::new("body").solid_box(1.0, Vec3::new(0.1, 0.2, 0.3)));
        m.joint(Joint::new("joint", kind, WORLD, "body").placed(Vec3::zero(), Vec3::x_axis()));
        // the middle one of three angles is told from −π/2 to π/2 only
        let middle = |k: usize| kind == JointKind::Gimbal && k == 1;
        let value = |k: usize| if middle(k) { 0.4 } else { 4.0 + 3.0 * k as f64 };
        let q: Vec<f64> = (0..kind.coordinate_count()).map(value).collect();
        m.keyframe(Keyframe::new("far").joint("joint", q.clone()));
        let mut b = world(&built(m), 0.002);
        assert!(b.reset_to_keyframe(0, "far").unwrap(), "{kind:?}");
        for (found, said) in b.joint_position(0).unwrap().iter().zip(&q) {
            assert!((found - said).abs() < 1e-10, "{kind:?}: {found} instead of {said}");
        }
    }
}

/// A hinge that is a turn and a bit away at the reference pose: its angle, its limits and its motor count from there.
#[test]
fn a_reference_pose_may_be_turns_away_from_zero() {
    for start in [4.0, -4.0, 3.0 * TAU + 0.3] {
        let mut m = arms(1);
        // at the reference pose both link frames coincide, and M is turned by that angle
        let X = Pose::new(bellcrank_math::so3::exp(Vec3::new(start, 0.0, 0.0)), Vec3::zero());
        let mut joint = Joint::revolute("far", WORLD, "far").frames(Pose::identity(), X);
        joint = joint.limits(start - 0.5, start + 0.5).counted_from(&[start, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        m.body(Body::new("far").solid_box(1.0, Vec3::new(0.1, 0.2, 0.3)));
        m.joint(joint);
        m.actuator(Actuator::position("far", "far", 10.0, 1.0));
        let model = built(m);
        let outside = model.warnings().iter().find(|w| w.text.contains("outside its range"));
        assert_eq!(outside, None);
        let mut b = world(&model, 0.002);
        b.step(50);
        let q = b.joint_position(0).unwrap()[1];
        assert!((q - start).abs() < 1e-9, "{q} instead of {start}");
    }
}

/// Asked for an angle, an assembly gives that one, however many turns it takes, and slides go as far as asked.
#[test]
fn an_assembly_reads_back_the_angle_that_was_asked_for() {
    let mut m = arms(1);
    m.body(Body::new("sledge").solid_box(1.0, Vec3::new(0.1, 0.1, 0.1)));
    m.joint(Joint::prismatic("rail", WORLD, "sledge"));
    let model = built(m);
    let mut b = world(&model, 0.002);
    for angle in ANGLES {
        let done = b.assemble(&[0], &[("hinge0", &[angle]), ("rail", &[angle])]).unwrap();
        assert_eq!(done, [true], "{angle}");
        for q in b.joint_position(0).unwrap() {
            assert!((q - angle).abs() < 1e-7, "{q} instead of {angle}");
        }
    }
    assert_eq!(b.assemble(&[0], &[("hinge0", &[f64::NAN])]).unwrap(), [false]);
    assert_eq!(b.assemble(&[0], &[("hinge0", &[1e300])]).unwrap(), [false]);
}

/// q₀ + 2 q₁ = 0 and a keyframe that says so at q₀ = 10: both arms stand where it says.
#[test]
fn couplings_count_whole_turns_too() {
    let mut m = arms(2);
    m.coupling(Coupling::new("teeth").term("hinge0", 1.0).term("hinge1", 2.0));
    m.keyframe(Keyframe::new("wound").joint("hinge0", [10.0]).joint("hinge1", [-5.0]));
    let mut b = world(&built(m), 0.002);
    assert!(b.reset_to_keyframe(0, "wound").unwrap());
    let q = b.joint_position(0).unwrap();
    assert!((q[0] - 10.0).abs() < 1e-9 && (q[1] + 5.0).abs() < 1e-9, "{q:?}");
    b.step(100);
    let q = b.joint_position(0).unwrap();
    assert!((q[0] - 10.0).abs() < 1e-6 && (q[1] + 5.0).abs() < 1e-6, "{q:?}");
}

/// A keyframe off its coupling by 0.4 rad is moved until it holds, as loops are; the arms share the way by their inertia
/// (equal ones: δ = (1, 2) · 0.4/5).
#[test]
fn a_coupling_that_does_not_hold_is_closed() {
    let mut m = arms(2);
    m.coupling(Coupling::new("teeth").term("hinge0", 1.0).term("hinge1", 2.0));
    m.keyframe(Keyframe::new("off").joint("hinge0", [0.4]));
    let mut b = world(&built(m), 0.002);
    assert_eq!(b.keyframe_fault(0, "off").unwrap(), None);
    assert!(b.reset_to_keyframe(0, "off").unwrap());
    let q = b.joint_position(0).unwrap();
    assert!((q[0] + 2.0 * q[1]).abs() < 1e-6, "{q:?}");
    assert!((q[0] - 0.32).abs() < 1e-3 && (q[1] + 0.16).abs() < 1e-3, "{q:?}");
}

/// Couplings that contradict each other (q₀ = 0 and q₀ = 1), and a hinged arm that is also bolted 1 m beside its hinge: no
/// pose closes. The reset refuses, the world stays, and the reason names what is open and by how much.
#[test]
fn a_keyframe_that_cannot_close_says_why() {
    let mut m = arms(1);
    m.coupling(Coupling::new("low").term("hinge0", 1.0));
    m.coupling(Coupling::new("high").term("hinge0", 1.0).constant(1.0));
    m.keyframe(Keyframe::new("torn").joint("hinge0", [0.25]));
    assert_eq!(
        refused(m),
        "keyframe \"torn\" does not hold together, and no pose near it does: coupling \"high\" is off by -0.7500, and 1 more"
    );
    let mut m = arms(1);
    // the arm's link frame is at x = 0.5 m
    let bolt = Joint::fixed("bolt", WORLD, "arm0");
    m.joint(bolt.frames(Pose::translation(0.5, 0.0, 1.0), Pose::identity()).closing_loop());
    m.keyframe(Keyframe::new("torn"));
    assert_eq!(
        refused(m),
        "keyframe \"torn\" does not hold together, and no pose near it does: joint \"bolt\" is open by 1000.000 mm and 0.00°"
    );
}

/// What is said of the keyframe "torn".
fn refused(m: ModelBuilder) -> String {
    let mut b = world(&built(m), 0.002);
    let before = bits(&b, 0);
    assert!(!b.reset_to_keyframe(0, "torn").unwrap());
    let said = b.keyframe_fault(0, "torn").unwrap().expect("a reason").to_string();
    assert_eq!(bits(&b, 0), before, "the world stays as it was");
    said
}

/// A floating body and an arm on it, both told how to move: they move so, the base too, to rounding (1e-6 of compliance per
/// correction, and three of them).
#[test]
fn a_floating_base_moves_as_its_keyframe_says() {
    let mut m = ModelBuilder::new("floating");
    m.body(Body::new("base").solid_box(3.0, Vec3::new(0.1, 0.2, 0.3)));
    m.body(Body::new("arm").at(Pose::translation(0.5, 0.0, 0.0)).solid_box(1.0, Vec3::new(1.0, 0.1, 0.1)));
    m.joint(Joint::free("free", WORLD, "base"));
    m.joint(Joint::revolute("hinge", "base", "arm").placed(Vec3::zero(), Vec3::z_axis()));
    let said = [1.0, 2.0, -3.0, 0.1, -0.2, 0.3, 0.5];
    let key = Keyframe::new("thrown").velocity("free", &said[..6]).velocity("hinge", [said[6]]);
    m.keyframe(key);
    let mut b = world(&built(m), 0.002);
    assert!(b.reset_to_keyframe(0, "thrown").unwrap());
    for (found, said) in b.joint_velocity(0).unwrap().iter().zip(said) {
        assert!((found - said).abs() < 1e-9, "{found} instead of {said}");
    }
}

/// A quaternion of zeros turns nothing, one of another length is made one.
#[test]
fn a_quaternion_of_any_length_is_a_rotation() {
    let mut m = ModelBuilder::new("loose");
    m.body(Body::new("body").solid_box(1.0, Vec3::new(0.1, 0.2, 0.3)));
    m.joint(Joint::free("free", WORLD, "body"));
    m.keyframe(Keyframe::new("zero").joint("free", [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]));
    m.keyframe(Keyframe::new("long").joint("free", [0.0, 0.0, 1.0, 0.0, 3.0, 0.0, 0.0]));
    let mut b = world(&built(m), 0.004);
    for (name, wxyz) in [("zero", [1.0, 0.0, 0.0, 0.0]), ("long", [0.0, 1.0, 0.0, 0.0])] {
        assert!(b.reset_to_keyframe(0, name).unwrap(), "{name}");
        let X = b.body_pose(0, 0).unwrap();
        assert_eq!((X.R.to_wxyz(), X.p.z), (wxyz, 1.0), "{name}");
    }
}

/// A reason for every world, and none where there is none; a name that is not there is an error as ever.
#[test]
fn there_is_no_trouble_with_keyframes_that_hold() {
    for name in ["pendulum", "cartpole", "hybrid_biped"] {
        let model = built(library::by_name(name).unwrap());
        let mut b: Batch = world(&model, 0.004);
        for key in model.keyframes() {
            let before = bits(&b, 0);
            assert_eq!(b.keyframe_fault(0, &key.name).unwrap(), None, "{name}");
            assert_eq!(bits(&b, 0), before, "asking moved the world");
        }
        assert!(b.keyframe_fault(0, "nowhere").is_err());
    }
}

/// A body that nothing carries starts with the velocity that its keyframe tells, and keeps it without gravity: after 0.1 s it
/// has gone a tenth of it.
#[test]
fn free_bodies_start_with_the_velocity_of_their_keyframe() {
    use bellcrank_math::{Twist, Vec3};
    use bellcrank_model::{Body, Keyframe, ModelBuilder};
    let mut m = ModelBuilder::new("stone");
    m.gravity(Vec3::zero());
    m.body(Body::new("stone").solid_sphere(1.0, 0.1));
    let thrown = Twist::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 0.0, 4.0));
    m.keyframe(Keyframe::new("thrown").twist("stone", thrown));
    let mut b = crate::common::world(&crate::common::built(m), 1e-3);
    assert!(b.reset_to_keyframe(0, "thrown").unwrap());
    let V = b.body_velocity(0, 0).unwrap();
    assert!((V.linear - thrown.linear).norm() + (V.angular - thrown.angular).norm() < 1e-12, "{V:?}");
    b.step(100);
    let gone = b.body_pose(0, 0).unwrap().p - thrown.linear * 0.1;
    assert!(gone.norm() < 1e-9, "{gone:?}");
}
