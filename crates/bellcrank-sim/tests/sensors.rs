//! Every kind of sensor, by hand calculation.

use crate::common::{built, world};
use bellcrank_math::{Pose, Quat, Twist, Vec3};
use bellcrank_model::{
    Actuator, Body, Frame, Geometry, Joint, ModelBuilder, Sensor, SensorKind, Shape, Site, WORLD, Zone,
};

const G: f64 = 9.81;

fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let worst = found.iter().zip(expected).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
    assert!(worst < tolerance, "{found:?} against {expected:?}");
}

/// A body that spins with ω about its centre: a point at r has the speed ω r and the acceleration ω² r inwards.
#[test]
fn a_point_of_a_spinning_body() {
    let (w, r) = (5.0, 0.2);
    let mut m = ModelBuilder::new("spinner");
    m.gravity(Vec3::zero());
    m.body(Body::new("disc").solid_sphere(1.0, 0.3));
    m.body(Body::new("far").at(Pose::translation(1.0, 2.0, 3.0)).solid_sphere(1.0, 0.3));
    m.site(Site::new("rim", "disc").at(Pose::translation(r, 0.0, 0.0)));
    m.sensor(Sensor::imu("imu", "rim"));
    m.sensor(Sensor::new("velocity", SensorKind::SiteVelocity("rim".into())));
    m.sensor(Sensor::new("acceleration", SensorKind::FrameAcceleration(Frame::Site("rim".into()))));
    let (frame, from) = (Frame::Body("far".into()), Frame::Site("rim".into()));
    m.sensor(Sensor::new("seen", SensorKind::RelativePose { frame, from }));
    m.sensor(Sensor::new("time", SensorKind::Clock));
    let mut b = world(&built(m), 1e-3);
    b.set_body_velocity(0, 0, Twist::new(Vec3::zero(), Vec3::new(0.0, 0.0, w))).unwrap();
    b.step(100);
    let (angle, inwards) = (w * 0.1_f64, -w * w * r);
    near(&b.sensor(0, "imu").unwrap(), &[inwards, 0.0, 0.0, 0.0, 0.0, w], 1e-9);
    near(&b.sensor(0, "velocity").unwrap(), &[0.0, w * r, 0.0, 0.0, 0.0, w], 1e-9);
    let turned = [inwards * angle.cos(), inwards * angle.sin(), 0.0, 0.0, 0.0, 0.0];
    near(&b.sensor(0, "acceleration").unwrap(), &turned, 1e-9);
    // from the disc's axes the far body is turned back by the angle
    let (c, s) = (angle.cos(), angle.sin());
    let place = [c * 1.0 + s * 2.0 - r, -s * 1.0 + c * 2.0, 3.0];
    let seen = [place[0], place[1], place[2], (angle / 2.0).cos(), 0.0, 0.0, -(angle / 2.0).sin()];
    near(&b.sensor(0, "seen").unwrap(), &seen, 1e-9);
    near(&b.sensor(0, "time").unwrap(), &[0.1], 1e-15);
    b.reset(0).unwrap();
    near(&b.sensor(0, "time").unwrap(), &[0.0], 1e-15);
}

/// A bracket on the wall passes its weight on; 0.3 m beside its centre of mass that is a moment of 0.3 m g too. A range
/// finder below it looks at the ground.
#[test]
fn a_bracket_passes_its_weight_on_and_sees_the_ground() {
    let mut m = ModelBuilder::new("bracket");
    m.body(Body::new("bracket").at(Pose::translation(0.0, 0.0, 1.5)).solid_sphere(2.0, 0.1));
    m.shape(Shape::new("bracket", "bracket", Geometry::Sphere { radius: 0.1 }));
    m.shape(Shape::new("ground", WORLD, Geometry::Plane));
    m.joint(Joint::fixed("wall", WORLD, "bracket").placed(Vec3::new(0.5, 0.0, 1.5), Vec3::x_axis()));
    m.site(Site::new("gauge", "bracket").at(Pose::translation(0.3, 0.0, 0.0)));
    let down = Quat::from_axis_angle(Vec3::x_axis(), core::f64::consts::PI);
    m.site(Site::new("eye", "bracket").at(Pose::new(down, Vec3::new(0.0, 0.0, -0.05))));
    m.site(Site::new("sky", "bracket"));
    m.sensor(Sensor::new("load", SensorKind::ForceTorque("gauge".into())));
    m.sensor(Sensor::new("height", SensorKind::Range("eye".into())));
    m.sensor(Sensor::new("nothing", SensorKind::Range("sky".into())));
    m.sensor(Sensor::new("energy", SensorKind::Energy));
    let mut b = world(&built(m), 2e-3);
    b.step(50);
    let weight = 2.0 * G;
    // (−0.3, 0, 0) × (0, 0, −m g) = (0, −0.3 m g, 0)
    near(&b.sensor(0, "load").unwrap(), &[0.0, 0.0, -weight, 0.0, -0.3 * weight, 0.0], 1e-6);
    near(&b.sensor(0, "height").unwrap(), &[1.45], 1e-8);
    near(&b.sensor(0, "nothing").unwrap(), &[-1.0], 1e-15);
    near(&b.sensor(0, "energy").unwrap(), &[weight * 1.5, 0.0], 1e-6);
}

/// A joint whose successor is the one that carries: the tree runs against it, and the sign does not change.
#[test]
fn a_load_is_the_same_through_a_joint_that_points_the_other_way() {
    let mut m = ModelBuilder::new("chain");
    for (name, z) in [("upper", 2.0), ("lower", 1.0)] {
        m.body(Body::new(name).at(Pose::translation(0.0, 0.0, z)).solid_sphere(2.0, 0.1));
    }
    m.joint(Joint::fixed("ceiling", WORLD, "upper").placed(Vec3::new(0.0, 0.0, 2.0), Vec3::x_axis()));
    m.joint(Joint::fixed("hook", "lower", "upper").placed(Vec3::new(0.0, 0.0, 1.5), Vec3::x_axis()));
    m.site(Site::new("gauge", "lower"));
    m.sensor(Sensor::new("load", SensorKind::ForceTorque("gauge".into())));
    let mut b = world(&built(m), 2e-3);
    b.step(50);
    near(&b.sensor(0, "load").unwrap(), &[0.0, 0.0, -2.0 * G, 0.0, 0.0, 0.0], 1e-6);
}

/// Two carts, one on the other, and a motor with a gear.
#[test]
fn motors_joints_and_what_a_body_carries() {
    let mut m = ModelBuilder::new("carts");
    m.gravity(Vec3::zero());
    let cube = Vec3::new(0.2, 0.2, 0.2);
    m.body(Body::new("below").solid_box(1.0, cube));
    m.body(Body::new("above").at(Pose::translation(0.0, 1.0, 0.0)).solid_box(3.0, cube));
    m.joint(Joint::prismatic("rail", WORLD, "below").placed(Vec3::zero(), Vec3::x_axis()));
    m.joint(Joint::prismatic("slide", "below", "above").placed(Vec3::new(0.0, 1.0, 0.0), Vec3::x_axis()));
    m.actuator(Actuator::effort("motor", "rail").gear(2.0).effort_limit(3.0));
    m.actuator(Actuator::position("servo", "slide", 50.0, 4.0).gear(-3.0));
    m.sensor(Sensor::new("effort", SensorKind::JointEffort("rail".into())));
    m.sensor(Sensor::new("motor", SensorKind::ActuatorState("motor".into())));
    m.sensor(Sensor::new("servo", SensorKind::ActuatorState("servo".into())));
    m.sensor(Sensor::new("all", SensorKind::Subtree("below".into())));
    m.sensor(Sensor::new("top", SensorKind::Subtree("above".into())));
    let mut b = world(&built(m), 1e-3);
    let (v1, v2) = (0.4, -0.2);
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(v1, 0.0, 0.0), Vec3::zero())).unwrap();
    b.set_body_velocity(0, 1, Twist::new(Vec3::new(v2, 0.0, 0.0), Vec3::zero())).unwrap();
    // centre (0, 3/4, 0), speed (v₁ + 3 v₂)/4, and about the centre 3/4 v₁ − 1/4 · 3 v₂ round z
    let spin = 0.75 * v1 - 0.75 * v2;
    let all = [0.0, 0.75, 0.0, (v1 + 3.0 * v2) / 4.0, 0.0, 0.0, 0.0, 0.0, spin];
    near(&b.sensor(0, "all").unwrap(), &all, 1e-12);
    near(&b.sensor(0, "top").unwrap(), &[0.0, 1.0, 0.0, v2, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-12);
    b.set_effort(0, 0, 10.0).unwrap();
    b.set_target_position(0, 1, 0.1).unwrap();
    b.step(20);
    let (q, v) = (b.joint_position(0).unwrap(), b.joint_velocity(0).unwrap());
    near(&b.sensor(0, "effort").unwrap(), &[6.0], 1e-12);
    near(&b.sensor(0, "motor").unwrap(), &[2.0 * q[0], 2.0 * v[0], 3.0], 1e-12);
    let servo = b.sensor(0, "servo").unwrap();
    near(&servo[..2], &[-3.0 * q[1], -3.0 * v[1]], 1e-12);
    // alone on its joint: what the step gave there, through the gear; q⁺ = q + Δt q̇⁺ holds for a slide
    assert!((servo[2] - b.actuator_effort(0, 1).unwrap() / -3.0).abs() < 1e-9, "{servo:?}");
}

/// Two discs spin about their own z axes with 3 and 5 rad/s. From the first, whose axes have turned by a quarter, the second
/// one's centre at (1, 0, 0) moves by −ω₁ × r = (0, −3, 0) in world axes and by (−3, 0, 0) in its own; it spins by 5 − 3.
#[test]
fn a_motion_is_seen_from_a_body_that_turns() {
    let mut m = ModelBuilder::new("discs");
    m.gravity(Vec3::zero());
    let quarter = Quat::from_axis_angle(Vec3::z_axis(), core::f64::consts::FRAC_PI_2);
    m.body(Body::new("one").at(Pose::new(quarter, Vec3::zero())).solid_sphere(1.0, 0.3));
    m.body(Body::new("two").at(Pose::translation(1.0, 0.0, 0.0)).solid_sphere(1.0, 0.3));
    m.site(Site::new("needle", "one"));
    let (frame, from) = (Frame::Body("two".into()), Frame::Body("one".into()));
    m.sensor(Sensor::new("seen", SensorKind::RelativeVelocity { frame, from }));
    let field = Vec3::new(0.0, -0.5, 0.2);
    m.sensor(Sensor::new("north", SensorKind::Magnetometer { site: "needle".into(), field }));
    m.sensor(Sensor::new("axis", SensorKind::FramePose(Frame::Site("needle".into()))).axis(0));
    m.sensor(Sensor::body_pose("place", "two").numbers(0, 2).scaled(-2.0, 0.5).bounds(-1.0, 9.0));
    m.sensor(Sensor::new("all", SensorKind::Subtree(WORLD)).numbers(0, 3));
    let mut b = world(&built(m), 1e-3);
    for (body, w) in [(0, 3.0), (1, 5.0)] {
        b.set_body_velocity(0, body, Twist::new(Vec3::zero(), Vec3::new(0.0, 0.0, w))).unwrap();
    }
    near(&b.sensor(0, "seen").unwrap(), &[-3.0, 0.0, 0.0, 0.0, 0.0, 2.0], 1e-12);
    // world −y is the turned body's −x, since its x points along world y
    near(&b.sensor(0, "north").unwrap(), &[-0.5, 0.0, 0.2], 1e-12);
    near(&b.sensor(0, "axis").unwrap(), &[0.0, 1.0, 0.0], 1e-12);
    // −2 · (1, 0) + 0.5, cut at −1
    near(&b.sensor(0, "place").unwrap(), &[-1.0, 0.5], 1e-12);
    near(&b.sensor(0, "all").unwrap(), &[0.5, 0.0, 0.0], 1e-12);
}

/// A ball joint turned by a quarter about z and spinning about its own x axis, which is world y.
#[test]
fn the_rate_of_a_ball_joint_is_told_in_the_axes_of_what_it_moves() {
    let mut m = ModelBuilder::new("ball");
    m.gravity(Vec3::zero());
    m.body(Body::new("head").solid_sphere(1.0, 0.3));
    m.joint(Joint::new("neck", bellcrank_model::JointKind::Spherical, WORLD, "head"));
    m.sensor(Sensor::new("rate", SensorKind::BallRate("neck".into())));
    let mut b = world(&built(m), 1e-3);
    let quarter = Quat::from_axis_angle(Vec3::z_axis(), core::f64::consts::FRAC_PI_2);
    b.set_body_pose(0, 0, Pose::new(quarter, Vec3::zero())).unwrap();
    b.set_body_velocity(0, 0, Twist::new(Vec3::zero(), Vec3::new(0.0, 2.0, 0.0))).unwrap();
    near(&b.sensor(0, "rate").unwrap(), &[2.0, 0.0, 0.0], 1e-12);
}

/// A box on the ground weighs 2 g on its four lower corners: a zone over two of them feels half of it; one that the corners
/// lie behind, seen along the normal out of the box (down), feels what it covers; one above the corners feels nothing.
#[test]
fn touch_zones_feel_what_lies_in_or_behind_them() {
    let mut m = ModelBuilder::new("pad");
    m.body(Body::new("box").at(Pose::translation(0.0, 0.0, 0.2)).solid_box(2.0, Vec3::new(0.4, 0.4, 0.4)));
    m.shape(Shape::new("box", "box", Geometry::Box { half: Vec3::new(0.2, 0.2, 0.2) }));
    m.shape(Shape::new("ground", WORLD, Geometry::Plane));
    let half = Vec3::new(0.05, 0.3, 0.02);
    for (name, x, z) in [("inside", 0.2, -0.2), ("below", 0.2, -0.5), ("above", 0.2, 0.1)] {
        m.site(Site::new(name, "box").at(Pose::translation(x, 0.0, z)));
        m.sensor(Sensor::new(name, SensorKind::Touch { site: name.into(), zone: Zone::Box { half } }));
    }
    let mut b = world(&built(m), 2e-3);
    b.step(100);
    near(&b.sensor(0, "inside").unwrap(), &[G], 1e-4);
    near(&b.sensor(0, "below").unwrap(), &[G], 1e-4);
    near(&b.sensor(0, "above").unwrap(), &[0.0], 1e-12);
}
