//! Contacts, limits and drives against answers by hand, with default settings.

use crate::common::{built, cube_on_slope, push, world};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Actuator, Body, Geometry, Joint, ModelBuilder, Shape, WORLD, library};

/// v = v₀ − μ g t for a sliding cube, for 0.1 s at 2 ms.
#[test]
fn a_sliding_cube_slows_by_mu_g() {
    for mu in [0.1, 0.3, 0.5, 0.8] {
        let mut b = world(&built(cube_on_slope(mu, 0.0)), 0.002);
        push(&mut b, 0, Vec3::new(3.0, 0.0, 0.0), Vec3::zero());
        let report = b.step(50);
        let v = b.body_velocity(0, 0).unwrap().linear.x;
        assert!((v - (3.0 - mu * 9.81 * 0.1)).abs() < 1e-4, "μ = {mu}: {v}");
        assert!(report.penetration[0] < 1e-5, "{} m", report.penetration[0]);
    }
}

#[test]
fn without_friction_nothing_slows() {
    let mut b = world(&built(cube_on_slope(0.0, 0.0)), 0.002);
    push(&mut b, 0, Vec3::new(3.0, 0.0, 0.0), Vec3::zero());
    b.step(50);
    assert!((b.body_velocity(0, 0).unwrap().linear.x - 3.0).abs() < 1e-6);
}

/// tan 25° = 0.466 < 0.7: it holds.
#[test]
fn a_cube_holds_on_a_slope_below_the_friction_angle() {
    let mut b = world(&built(cube_on_slope(0.7, 25_f64.to_radians())), 0.002);
    b.step(100);
    assert!(b.body_velocity(0, 0).unwrap().linear.norm() < 1e-4);
    assert!(b.body_pose(0, 0).unwrap().p.x.abs() < 1e-5);
}

/// tan 35° = 0.700 > 0.3: it slides with g (sin − μ cos).
#[test]
fn a_cube_slides_on_a_slope_above_the_friction_angle() {
    let slope = 35_f64.to_radians();
    let mut b = world(&built(cube_on_slope(0.3, slope)), 0.002);
    b.step(100);
    let expected = 9.81 * (slope.sin() - 0.3 * slope.cos()) * 0.2;
    let v = b.body_velocity(0, 0).unwrap().linear.x;
    assert!((v - expected).abs() < 2e-3, "{v} against {expected}");
}

/// A ball that slides at v₀ ends rolling at 5/7 v₀, without slip.
#[test]
fn a_sliding_ball_ends_rolling() {
    let mut m = ModelBuilder::new("ball");
    let ball = m.body(Body::new("ball").at(Pose::translation(0.0, 0.0, 0.1)).solid_sphere(1.0, 0.1));
    m.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.1 }).friction(0.5));
    m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(0.5));
    let mut b = world(&built(m), 0.002);
    push(&mut b, 0, Vec3::new(2.0, 0.0, 0.0), Vec3::zero());
    b.step(200);
    let V = b.body_velocity(0, 0).unwrap();
    assert!((V.linear.x - 10.0 / 7.0).abs() < 1e-3, "{}", V.linear.x);
    assert!((V.linear.x - 0.1 * V.angular.y).abs() < 1e-5, "slip {}", V.linear.x - 0.1 * V.angular.y);
}

/// Dropped from h, a ball with restitution e returns to e² h.
#[test]
fn a_ball_bounces_to_e_squared_of_its_height() {
    let (e, h) = (0.7_f64, 0.5_f64);
    let mut m = ModelBuilder::new("ball");
    let ball = m.body(Body::new("ball").at(Pose::translation(0.0, 0.0, 0.1 + h)).solid_sphere(1.0, 0.1));
    m.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.1 }).restitution(e));
    m.shape(Shape::new("ground", WORLD, Geometry::Plane).restitution(e));
    let mut b = world(&built(m), 0.0005);
    let fall = (2.0 * h / 9.81).sqrt();
    b.step(((fall + 0.02) / 0.0005) as usize);
    let mut top = 0.0_f64;
    for _ in 0..((e * fall + 0.05) / 0.0005) as usize {
        b.step(1);
        top = top.max(b.body_pose(0, 0).unwrap().p.z - 0.1);
    }
    assert!((top / (e * e * h) - 1.0).abs() < 0.03, "{top} against {}", e * e * h);
}

/// Five cubes on each other: the ground carries 5 m g, and nothing moves. A step changes the velocity by (F − m g) Δt/m, so a
/// stack whose velocity stays below 1e-4 m/s is carried to 2e-4/(g Δt) = 0.5 % or better.
#[test]
fn a_stack_stands_and_the_ground_carries_its_weight() {
    let model = built(library::stack());
    let mut b = world(&model, 0.004);
    let report = b.step(500);
    for k in 0..5 {
        assert!(b.body_velocity(0, k).unwrap().linear.norm() < 1e-4, "cube {k} moves");
    }
    assert!(report.penetration[0] < 1e-4, "{} m", report.penetration[0]);
    let (weight, mut carried) = (model.mass() * 9.81, Vec3::zero());
    for contact in b.contacts(0).unwrap().iter().filter(|contact| contact.body_a.is_none()) {
        carried += contact.force;
    }
    assert!((carried.z - weight).abs() < 5e-3 * weight, "{} N against {weight} N", carried.z);
    assert!(carried.x.hypot(carried.y) < 5e-3 * weight, "{carried:?}");
}

/// A wheel of inertia I = 1 + 1·0.5² about its hinge spins at ω₀ against dry friction f: ω = ω₀ − f t/I, then stops.
#[test]
fn dry_friction_stops_a_wheel_and_holds_it() {
    let mut m = ModelBuilder::new("wheel");
    m.gravity(Vec3::zero());
    m.body(Body::new("wheel").com(Vec3::new(0.5, 0.0, 0.0)).mass(1.0).inertia_diagonal(1.0, 1.0, 1.0));
    m.joint(Joint::revolute("axle", WORLD, "wheel").placed(Vec3::zero(), Vec3::z_axis()).friction(2.0));
    m.actuator(Actuator::effort("motor", "axle"));
    let mut b = world(&built(m), 0.01);
    push(&mut b, 0, Vec3::new(0.0, 0.5, 0.0), Vec3::z_axis());
    b.step(30);
    let w = b.body_velocity(0, 0).unwrap().angular.z;
    assert!((w - (1.0 - 2.0 * 0.3 / 1.25)).abs() < 3e-3, "{w}");
    b.step(70);
    assert!(b.body_velocity(0, 0).unwrap().angular.z.abs() < 1e-6);
    // 1.5 N·m is held, 3 N·m breaks away with (3 − 2)/1.25 rad/s²
    b.set_effort(0, 0, 1.5).unwrap();
    b.step(50);
    assert!(b.body_velocity(0, 0).unwrap().angular.z.abs() < 1e-6);
    b.set_effort(0, 0, 3.0).unwrap();
    b.step(50);
    let w = b.body_velocity(0, 0).unwrap().angular.z;
    assert!((w - 0.5 / 1.25).abs() < 5e-3, "{w}");
}

/// A bar falls onto its upper limit and stays there, without a motor.
#[test]
fn a_limit_holds_a_bar() {
    let mut m = ModelBuilder::new("bar");
    m.body(Body::new("bar").at(Pose::translation(0.5, 0.0, 0.0)).solid_box(1.0, Vec3::new(1.0, 0.05, 0.05)));
    m.joint(Joint::revolute("hinge", WORLD, "bar").placed(Vec3::zero(), Vec3::y_axis()).limits(-0.3, 0.3));
    let mut b = world(&built(m), 0.002);
    b.step(1000);
    let q = b.joint_position(0).unwrap()[0];
    assert!((q - 0.3).abs() < 1e-4, "{q}");
    // a row is met to the tolerance of 1e-6 rad/s, and its violation is taken out at a tenth per step
    assert!(b.body_velocity(0, 0).unwrap().angular.norm() < 4e-6);
}

/// A position drive of kp = 50 N·m/rad under the torque m g l = 4.905 N·m sags by 0.0981 rad (cos ≈ 1).
#[test]
fn a_drive_sags_by_torque_over_stiffness() {
    let mut m = ModelBuilder::new("arm");
    m.body(Body::new("arm").at(Pose::translation(0.5, 0.0, 0.0)).solid_box(1.0, Vec3::new(1.0, 0.05, 0.05)));
    m.joint(Joint::revolute("hinge", WORLD, "arm").placed(Vec3::zero(), Vec3::y_axis()));
    m.actuator(Actuator::position("motor", "hinge", 50.0, 5.0));
    let mut b = world(&built(m), 0.004);
    b.step(2000);
    let q = b.joint_position(0).unwrap()[0];
    assert!((50.0 * q - 4.905 * q.cos()).abs() < 1e-6, "{q}");
}

/// The same arm on a stiff drive (1000 N·m/rad) that has only 3 N·m of the m g l = 4.905 N·m it would take: it falls. From
/// level, ½ I ω² = m g l sin θ − 3 θ, with I = m (1² + 0.05²)/12 + m 0.5², plus what the drive does not yet give in the
/// first 3/1000 rad, at most ½ · 3 · 0.003 J = 4.5 mJ; a step of 1 ms shifts the work by ½ Δt τ ω ≤ ½ · 0.001 · 4.9 · 2.7 J.
#[test]
fn a_drive_at_its_effort_limit_gives_way() {
    let mut m = ModelBuilder::new("arm");
    m.body(Body::new("arm").at(Pose::translation(0.5, 0.0, 0.0)).solid_box(1.0, Vec3::new(1.0, 0.05, 0.05)));
    m.joint(Joint::revolute("hinge", WORLD, "arm").placed(Vec3::zero(), Vec3::y_axis()));
    m.actuator(Actuator::position("motor", "hinge", 1000.0, 1.0).effort_limit(3.0));
    let mut b = world(&built(m), 0.001);
    let inertia = (1.0 + 0.05 * 0.05) / 12.0 + 0.25;
    for _ in 0..1000 {
        b.step(1);
        let (q, w) = (b.joint_position(0).unwrap()[0], b.body_velocity(0, 0).unwrap().angular.y);
        let fallen = 4.905 * q.sin() - 3.0 * q;
        let off = 0.5 * inertia * w * w - fallen;
        assert!((-7e-3..4.5e-3 + 7e-3).contains(&off), "at {q} rad: {off} J");
        if q > 1.0 {
            return;
        }
    }
    panic!("it did not fall");
}

/// Two wheels geared 1 : −2 share an effort: I α = τ with I = I₁ + I₂/4 at the first.
#[test]
fn a_gear_couples_two_wheels() {
    let mut m = ModelBuilder::new("gear");
    m.gravity(Vec3::zero());
    for (name, x) in [("first", 0.0), ("second", 1.0)] {
        let wheel = Body::new(name).at(Pose::translation(x, 0.0, 0.0)).mass(1.0);
        m.body(wheel.inertia_diagonal(0.1, 0.1, 0.1));
        let axle = Joint::revolute(format!("{name}_axle"), WORLD, name);
        m.joint(axle.placed(Vec3::new(x, 0.0, 0.0), Vec3::z_axis()));
    }
    // q₁ + 2 q₂ = 0: the second turns half as fast, the other way
    m.coupling(bellcrank_model::Coupling::new("teeth").term("first_axle", 1.0).term("second_axle", 2.0));
    m.actuator(Actuator::effort("motor", "first_axle"));
    let mut b = world(&built(m), 0.001);
    b.set_effort(0, 0, 0.5).unwrap();
    b.step(1000);
    let q = b.joint_position(0).unwrap();
    assert!((q[0] + 2.0 * q[1]).abs() < 1e-6, "{q:?}");
    let w = b.body_velocity(0, 0).unwrap().angular.z;
    assert!((w - 0.5 / 0.125).abs() < 1e-6, "{w}");
}
