//! What can be read from a world, against answers by hand.

use crate::common::{built, cube_on_slope, world};
use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{
    Actuator, Body, Geometry, Joint, Keyframe, Material, ModelBuilder, Sensor, Shape, Site, WORLD, library,
};
use bellcrank_sim::{Batch, BatchOptions, Quantity, Settings};

const G: f64 = 9.81;

/// A 2 kg bob on a massless-looking arm of 0.5 m, hanging; the hinge is along y.
fn pendulum() -> ModelBuilder {
    let mut m = ModelBuilder::new("pendulum");
    let bob = m.body(Body::new("bob").at(Pose::translation(0.0, 0.0, -0.5)).solid_sphere(2.0, 0.05));
    m.joint(Joint::revolute("hinge", WORLD, bob).placed(Vec3::zero(), Vec3::y_axis()));
    m
}

/// At rest the hinge carries m g; at the lowest point of a swing m (g + v²/l).
#[test]
fn a_hinge_carries_weight_and_centrifugal_force() {
    let mut b = world(&built(pendulum()), 1e-3);
    b.step(10);
    let R = b.joint_reaction(0, 0).unwrap();
    assert!((R.force.norm() - 2.0 * G).abs() < 1e-6, "{R:?}");
    let omega = 3.0;
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(-0.5 * omega, 0.0, 0.0), Vec3::new(0.0, omega, 0.0)))
        .unwrap();
    // the first step from a velocity that is tangential at its *start* has half of the centrifugal impulse
    b.step(2);
    let R = b.joint_reaction(0, 0).unwrap();
    // two steps of 1 ms past the lowest point: a few 1e-3 of the force
    assert!((R.force.norm() - 2.0 * (G + omega * omega * 0.5)).abs() < 0.1, "{R:?}");
}

/// Four contacts carry the cube's weight; the list names shapes and bodies, and forces add up.
#[test]
fn contacts_carry_the_weight() {
    let mut b = world(&built(cube_on_slope(0.5, 0.2)), 2e-3);
    b.step(200);
    let contacts = b.contacts(0).unwrap();
    assert_eq!(contacts.len(), 4);
    let mut sum = Vec3::zero();
    for c in &contacts {
        assert!(c.body_a.is_none() && c.body_b.index() == 0 && (c.normal - Vec3::z_axis()).norm() < 1e-9);
        assert!(c.depth.abs() < 1e-5 && (c.point.z).abs() < 1e-5);
        sum += c.force;
    }
    // gravity is tilted: the slope pushes back along both axes; 1e-6 m/s in 2 ms leave 5e-4 N per kilogram
    assert!((sum.z - G * 0.2_f64.cos()).abs() < 1e-3 && (sum.x + G * 0.2_f64.sin()).abs() < 1e-3, "{sum:?}");
}

/// At rest an accelerometer shows g upwards; in free fall nothing.
#[test]
fn an_inertial_sensor_feels_what_holds_it() {
    let mut m = cube_on_slope(0.5, 0.0);
    let free = m.body(Body::new("free").at(Pose::translation(3.0, 0.0, 5.0)).solid_sphere(1.0, 0.1));
    m.site(Site::new("on_cube", "cube").at(Pose::translation(0.05, 0.0, 0.1)));
    m.site(Site::new("on_free", free));
    m.sensor(Sensor::imu("held", "on_cube"));
    m.sensor(Sensor::imu("falls", "on_free"));
    m.sensor(Sensor::contact_force("carried", "cube"));
    m.sensor(Sensor::site_pose("place", "on_cube"));
    let mut b = world(&built(m), 2e-3);
    b.step(100);
    let held = b.sensor(0, "held").unwrap();
    // the solver's 1e-6 m/s in 2 ms: 5e-4 m/s²
    assert!((held[2] - G).abs() < 1e-3 && held[0].abs() < 1e-3, "{held:?}");
    assert!(b.sensor(0, "falls").unwrap().iter().all(|x| x.abs() < 1e-9));
    assert!((b.sensor(0, "carried").unwrap()[2] - G).abs() < 1e-3);
    assert!((b.sensor(0, "place").unwrap()[2] - 0.2).abs() < 1e-5);
    let wrong = b.sensor(0, "carreid").unwrap_err().to_string();
    assert_eq!(wrong, "there is no sensor \"carreid\"; did you mean \"carried\"?");
}

/// F/m for every step that the push lasts: v = (F/m − g) t, and the momentum grows by the same.
#[test]
fn a_push_accelerates() {
    let mut m = ModelBuilder::new("ball");
    m.body(Body::new("ball").solid_sphere(2.0, 0.1));
    let mut b = world(&built(m), 1e-3);
    b.set_body_wrench(0, 0, Vec3::new(1.0, 0.0, 30.0), Vec3::zero()).unwrap();
    b.step(100);
    let (p, L) = b.momentum(0).unwrap();
    assert!((p.x - 0.1).abs() < 1e-12 && (p.z - (30.0 - 2.0 * G) * 0.1).abs() < 1e-12, "{p:?}");
    // pushed through its centre it does not spin; about the origin only the offset counts, which is along the push
    assert!(b.body_velocity(0, 0).unwrap().angular.norm() < 1e-15 && L.norm() < 1e-12, "{L:?}");
}

/// A position drive reports what it gives: kp (target − q) at rest, which holds the arm.
#[test]
fn a_motor_tells_its_effort() {
    let mut m = pendulum();
    m.actuator(Actuator::position("motor", "hinge", 200.0, 20.0));
    let mut b = world(&built(m), 2e-3);
    b.set_target_position(0, 0, 0.3).unwrap();
    b.step(2000);
    let q = b.joint_position(0).unwrap()[0];
    let needed = 2.0 * G * 0.5 * q.sin();
    assert!((b.actuator_effort(0, 0).unwrap() - 200.0 * (0.3 - q)).abs() < 1e-6);
    assert!((b.actuator_effort(0, 0).unwrap() - needed).abs() < 1e-6, "{needed}");
}

/// The equations that a step solves are met by its result: to rounding for the motion, to the tolerance for cones.
#[test]
fn the_equations_are_met() {
    let model = built(library::hybrid_biped());
    let settings = Settings { metrics: true, ..Settings::default() };
    let options = BatchOptions { settings, ..BatchOptions::default() };
    let mut b = Batch::new(model, 1, options).unwrap();
    b.step(100);
    let m = b.metrics(0).unwrap();
    // rows are 1/ε = 1e6 times stiffer than the masses that they hold: 1e6 · 1e-16 · their impulses
    assert!(m.equation_of_motion < 1e-9, "{m:?}");
    assert!(m.natural_map < 1e-4 && m.primal < 1e-9, "{m:?}");
    assert!(m.equation_of_motion > 0.0 && m.natural_map > 0.0, "measured, not assumed: {m:?}");
}

/// Velocities that a loop allows: joint rates agree with differences of the coordinates a moment later.
#[test]
fn assembled_velocities_fit_the_loop() {
    let model = built(library::four_bar());
    let mut b = world(&model, 1e-5);
    let crank = model.joints()[0].name.clone();
    let ok = b.assemble_moving(&[0], &[(&crank, &[0.4])], &[(&crank, &[2.0])]).unwrap();
    assert!(ok[0]);
    b.set_target_velocity(0, 0, 2.0).unwrap(); // the motor does not brake
    let rates = b.joint_velocity(0).unwrap();
    assert!((rates[0] - 2.0).abs() < 1e-9, "{rates:?}");
    let before = b.joint_position(0).unwrap();
    let report = b.step(1);
    let after = b.joint_position(0).unwrap();
    for k in 0..rates.len() {
        // one step of 10 µs: accelerations of some 100 rad/s² change the rate by 1e-3
        assert!(((after[k] - before[k]) / 1e-5 - rates[k]).abs() < 1e-2, "{k}: {rates:?}");
    }
    assert!(report.loop_gap[0].0 < 1e-9);
}

#[test]
fn a_keyframe_is_taken_and_its_loops_are_closed() {
    let mut m = library::four_bar();
    m.keyframe(Keyframe::new("up").joint("crank_hinge", [0.5]));
    let model = built(m);
    let mut b = world(&model, 1e-3);
    assert!(b.reset_to_keyframe(0, "up").unwrap());
    let report = b.step(1);
    assert!(report.loop_gap[0].0 < 1e-7, "{:?}", report.loop_gap);
    let wrong = b.reset_to_keyframe(0, "pu").unwrap_err().to_string();
    assert_eq!(wrong, "there is no keyframe \"pu\"; did you mean \"up\"?");
}

/// A world's pose does not depend on who is reset with it: bit for bit the same as one by one, and worlds that are not
/// listed stay where they are.
#[test]
fn many_worlds_take_a_keyframe_as_one_does() {
    let mut m = library::four_bar();
    m.keyframe(Keyframe::new("up").joint("crank_hinge", [0.5]).velocity("crank_hinge", [1.0]));
    let model = built(m);
    let make = || crate::common::batch(&model, 19, 0.004, bellcrank_sim::Precision::F64);
    let (mut all, mut single) = (make(), make());
    let listed: Vec<usize> = (0..19).filter(|w| w % 3 != 1).collect();
    assert_eq!(all.reset_worlds_to_keyframe(&listed, "up").unwrap(), vec![true; listed.len()]);
    for &world in &listed {
        assert!(single.reset_to_keyframe(world, "up").unwrap());
    }
    assert_eq!(all.snapshot(), single.snapshot());
    assert_eq!(all.joint_position(1).unwrap(), make().joint_position(1).unwrap());
    assert_eq!(all.reset_worlds_to_keyframe(&[], "up").unwrap(), Vec::<bool>::new());
    assert!(all.reset_worlds_to_keyframe(&[0, 99], "up").is_err());
}

/// Arrays hold what single worlds say, in both precisions, and what is written arrives.
#[test]
fn arrays_are_the_worlds() {
    let model = built(library::hybrid_biped());
    let mut b = crate::common::batch(&model, 11, 0.004, bellcrank_sim::Precision::F64);
    let width = b.width(Quantity::TargetPosition);
    let targets: Vec<f64> = (0..11 * width).map(|i| 0.01 * i as f64 / 11.0).collect();
    b.write(Quantity::TargetPosition, &targets).unwrap();
    let mut back = vec![0.0; targets.len()];
    b.read(Quantity::TargetPosition, &mut back).unwrap();
    assert_eq!(back, targets);
    b.step(5);
    for field in
        [Quantity::BodyPosition, Quantity::JointPosition, Quantity::JointVelocity, Quantity::BodyVelocity]
    {
        let width = b.width(field);
        let (mut wide, mut narrow) = (vec![0.0; 11 * width], vec![0.0_f32; 11 * width]);
        b.read(field, &mut wide).unwrap();
        b.read(field, &mut narrow).unwrap();
        assert!(wide.iter().zip(&narrow).all(|(a, b)| *a as f32 == *b));
        if field == Quantity::JointVelocity {
            assert_eq!(&wide[3 * width..4 * width], &b.joint_velocity(3).unwrap()[..]);
            assert!(wide.iter().any(|x| x.abs() > 1e-3));
        }
    }
    let short = b.read(Quantity::Effort, &mut [0.0; 3]).unwrap_err().to_string();
    assert_eq!(short, "effort: 3 values were given, expected: 132");
    let refused =
        b.write(Quantity::JointPosition, &vec![0.0; 11 * b.width(Quantity::JointPosition)]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "joint_position follows from the bodies and cannot be written; use assemble"
    );
}

/// A ball that spins on the spot: I ω' = −μ_t m g. One that rolls: (m + I/r²) a = −μ_r m g/r.
#[test]
fn torsional_and_rolling_friction_slow_a_ball() {
    let (m, r, dt) = (1.0, 0.1, 2e-3);
    let inertia = 0.4 * m * r * r;
    let ball = |torsional: f64, rolling: f64| {
        let mut model = ModelBuilder::new("ball");
        let ball = model.body(Body::new("ball").at(Pose::translation(0.0, 0.0, r)).solid_sphere(m, r));
        let rubs =
            |shape: Shape| shape.material(Material { sliding: 0.5, torsional, rolling, restitution: 0.0 });
        model.shape(rubs(Shape::new("ball", ball, Geometry::Sphere { radius: r })));
        model.shape(rubs(Shape::new("ground", WORLD, Geometry::Plane)));
        world(&built(model), dt)
    };
    let mut spin = ball(2e-3, 0.0);
    spin.set_body_velocity(0, 0, Twist::new(Vec3::zero(), Vec3::new(0.0, 0.0, 5.0))).unwrap();
    spin.step(50);
    let expected = 5.0 - 2e-3 * m * G / inertia * 0.1;
    let w = spin.body_velocity(0, 0).unwrap().angular.z;
    assert!((w - expected).abs() < 1e-3, "{w} against {expected}");
    spin.step(100); // 5.0/4.905 = 1.02 s until it stands; after 0.3 s it still turns
    assert!(spin.body_velocity(0, 0).unwrap().angular.z > 3.0);
    spin.step(400);
    // the solver's 1e-6 m/s on a row of arm μ_t/μ = 4 mm: 2.5e-4 rad/s
    assert!(spin.body_velocity(0, 0).unwrap().angular.norm() < 2.5e-4, "it stands");

    let mut roll = ball(0.0, 1e-3);
    roll.set_body_velocity(0, 0, Twist::new(Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0 / r, 0.0))).unwrap();
    roll.step(250);
    let expected = 1.0 - 1e-3 * m * G / r / (m + inertia / (r * r)) * 0.5;
    let v = roll.body_velocity(0, 0).unwrap().linear.x;
    assert!((v - expected).abs() < 1e-3, "{v} against {expected}");
}

/// Two limits of a loop that exclude each other: they give way, the loop stays closed, nothing explodes.
#[test]
fn a_limit_that_cannot_be_met_gives_way_and_loops_stay_closed() {
    // a parallelogram: both cranks always turn by the same angle, so that these two ranges exclude each other
    let mut m = ModelBuilder::new("parallelogram");
    let (A, B, C, D) =
        (Vec3::zero(), Vec3::new(0.3, 0.0, 0.0), Vec3::new(0.0, 0.0, 0.1), Vec3::new(0.3, 0.0, 0.1));
    let bar = |name: &str, from: Vec3, to: Vec3| {
        Body::new(name).at(Pose::from_position((from + to) * 0.5)).solid_sphere(0.2, 0.05)
    };
    let [left, right] = [m.body(bar("left", A, C)), m.body(bar("right", B, D))];
    let coupler = m.body(bar("coupler", C, D));
    let y = Vec3::y_axis();
    m.joint(Joint::revolute("left_hinge", WORLD, left).placed(A, y).limits(0.2, 0.5));
    m.joint(Joint::revolute("right_hinge", WORLD, right).placed(B, y).limits(-0.5, -0.2));
    m.joint(Joint::revolute("left_pin", left, coupler).placed(C, y));
    m.joint(Joint::revolute("right_pin", coupler, right).placed(D, y));
    let mut b = world(&built(m), 0.004);
    let report = b.step(500);
    assert!(report.loop_gap[0].0 < 1e-5, "{:?}", report.loop_gap);
    assert!(b.energy(0).unwrap().is_finite());
    let fastest = b.joint_velocity(0).unwrap().into_iter().fold(0.0, |a: f64, v| a.max(v.abs()));
    assert!(fastest < 50.0, "{fastest} rad/s");
}

/// Whoever moves a body moves its joints: one body, or all of them as an array. Turned by 0.4 rad about y the bob hangs at
/// (−½ sin 0.4, 0, −½ cos 0.4).
#[test]
fn joint_coordinates_follow_bodies_that_are_moved() {
    let turned = Pose::new(
        bellcrank_math::so3::exp(Vec3::new(0.0, 0.4, 0.0)),
        Vec3::new(-0.5 * 0.4_f64.sin(), 0.0, -0.5 * 0.4_f64.cos()),
    );
    let mut b = world(&built(pendulum()), 0.001);
    b.set_body_pose(0, 0, turned).unwrap();
    assert!((b.joint_position(0).unwrap()[0] - 0.4).abs() < 1e-12, "{:?}", b.joint_position(0));
    b.write(Quantity::BodyQuatWxyz, &[1.0, 0.0, 0.0, 0.0]).unwrap();
    assert!(b.joint_position(0).unwrap()[0].abs() < 1e-12, "{:?}", b.joint_position(0));
}
