//! What a model can say beyond joints and contacts, by hand calculation.

use crate::common::{built, world};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{
    Actuator, Body, CombineRule, Geometry, Joint, Keyframe, MaterialRules, ModelBuilder, Shape, WORLD,
    library,
};
use bellcrank_sim::{Batch, Quantity};

const G: f64 = 9.81;

/// Speed along x of body 0 [m/s].
fn speed(batch: &Batch) -> f64 {
    batch.body_velocity(0, 0).unwrap().linear.x
}

/// v = g (sin θ − μ cos θ) t with the μ that the rule or the priority makes of 0.2 and 0.8.
#[test]
fn a_cube_slides_by_the_models_rule_for_materials() {
    let (slope, dt, steps) = (1.0_f64, 2e-3, 50);
    let slide = |rule: CombineRule, priority: [i32; 2]| {
        let mut m = ModelBuilder::new("cube_on_slope");
        // tilting gravity instead of the plane keeps the numbers exact
        m.gravity(Vec3::new(G * slope.sin(), 0.0, -G * slope.cos()));
        m.material_rules(MaterialRules { friction: rule, restitution: rule });
        let size = Vec3::new(0.2, 0.2, 0.2);
        m.body(Body::new("cube").at(Pose::translation(0.0, 0.0, 0.1)).solid_box(1.0, size));
        let cube = Shape::new("cube", "cube", Geometry::Box { half: size * 0.5 });
        m.shape(cube.friction(0.2).priority(priority[0]));
        m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(0.8).priority(priority[1]));
        let mut b = world(&built(m), dt);
        b.step(steps);
        speed(&b)
    };
    let expect = |mu: f64| G * (slope.sin() - mu * slope.cos()) * dt * steps as f64;
    for (rule, mu) in [
        (CombineRule::Average, 0.5),
        (CombineRule::Maximum, 0.8),
        (CombineRule::Minimum, 0.2),
        (CombineRule::Product, 0.16),
    ] {
        // the solver's 1e-6 m/s in each of 50 steps
        assert!((slide(rule, [0, 0]) - expect(mu)).abs() < 1e-4, "{rule:?}: {}", slide(rule, [0, 0]));
    }
    assert!((slide(CombineRule::Average, [1, 0]) - expect(0.2)).abs() < 1e-4);
    assert!((slide(CombineRule::Average, [-1, 3]) - expect(0.8)).abs() < 1e-4);
}

/// A body of which three quarters are carried falls with g/4; one that is carried whole stays.
#[test]
fn a_carried_body_weighs_less() {
    let mut m = ModelBuilder::new("carried");
    m.body(Body::new("light").solid_sphere(2.0, 0.1).gravity_compensation(0.75));
    m.body(Body::new("held").solid_sphere(2.0, 0.1).gravity_compensation(1.0));
    let mut b = world(&built(m), 1e-3);
    let before = b.energy(0).unwrap();
    b.step(100);
    let fallen = b.body_velocity(0, 0).unwrap().linear.z;
    assert!((fallen + 0.25 * G * 0.1).abs() < 1e-12, "{fallen}");
    assert!(b.body_velocity(0, 1).unwrap().linear.norm() < 1e-15);
    // semi-implicit Euler falls ½ a t dt too far: ½ m a² t dt = ½ · 2 · 2.4525² · 0.1 · 1e-3 J
    assert!((b.energy(0).unwrap() - before + 0.5 * 2.0 * (0.25 * G).powi(2) * 0.1 * 1e-3).abs() < 1e-12);
}

/// A cart of 2 kg on a rail along x with one motor.
fn cart(motor: Actuator, joint_range: [f64; 2]) -> Batch {
    let mut m = ModelBuilder::new("cart");
    m.body(Body::new("cart").solid_box(2.0, Vec3::new(0.2, 0.2, 0.2)));
    let mut rail = Joint::prismatic("rail", WORLD, "cart");
    rail.dofs[0].effort_range = joint_range;
    m.joint(rail);
    m.actuator(motor);
    world(&built(m), 1e-3)
}

/// v = F t/m with the bound that the motor, its gear and the joint leave.
#[test]
fn a_motor_pushes_and_pulls_within_its_range() {
    let free = [f64::NEG_INFINITY, f64::INFINITY];
    let motor = || Actuator::effort("motor", "rail").effort_range(-1.0, 4.0);
    let run = |motor: Actuator, joint: [f64; 2], effort: f64| {
        let mut b = cart(motor, joint);
        b.set_effort(0, 0, effort).unwrap();
        b.step(100);
        speed(&b)
    };
    let expect = |force: f64| force * 0.1 / 2.0;
    for (found, force) in [
        (run(motor(), free, 10.0), 4.0),
        (run(motor(), free, -10.0), -1.0),
        (run(motor(), free, 2.0), 2.0),
        // a gear of −2 reverses: the motor's 4 become −8 at the joint, its −1 become 2
        (run(motor().gear(-2.0), free, 10.0), -8.0),
        (run(motor().gear(-2.0), free, -10.0), 2.0),
        (run(motor(), [-0.5, 3.0], 10.0), 3.0),
        (run(motor(), [-0.5, 3.0], -10.0), -0.5),
    ] {
        assert!((found - expect(force)).abs() < 1e-12, "{found} for {force} N");
    }
}

/// A stiff position drive far from its target gives its bound, whichever way it pushes.
#[test]
fn a_position_drive_is_held_to_its_range_on_either_side() {
    for (target, force) in [(5.0, 4.0), (-5.0, -1.0)] {
        let drive = Actuator::position("motor", "rail", 1000.0, 10.0).effort_range(-1.0, 4.0);
        let mut b = cart(drive, [f64::NEG_INFINITY, f64::INFINITY]);
        b.set_target_position(0, 0, target).unwrap();
        b.step(100);
        // the solver's 1e-6 m/s in each of 100 steps
        assert!((speed(&b) - force * 0.1 / 2.0).abs() < 1e-4, "{}", speed(&b));
        assert!((b.actuator_effort(0, 0).unwrap() - force).abs() < 1e-2);
    }
}

/// A keyframe's velocities are taken: of a tree as they are said, of a loop as it allows.
#[test]
fn a_keyframe_sets_things_moving() {
    let mut m = ModelBuilder::new("arm");
    for (name, x) in [("upper", 0.15), ("lower", 0.45)] {
        m.body(Body::new(name).at(Pose::translation(x, 0.0, 0.0)).solid_sphere(1.0, 0.1));
    }
    m.joint(Joint::revolute("shoulder", WORLD, "upper").placed(Vec3::zero(), Vec3::z_axis()));
    m.joint(Joint::revolute("elbow", "upper", "lower").placed(Vec3::new(0.3, 0.0, 0.0), Vec3::z_axis()));
    m.actuator(Actuator::position("servo", "elbow", 10.0, 1.0).gear(3.0));
    m.keyframe(Keyframe::new("swing").joint("elbow", [0.5]).velocity("shoulder", [2.0]));
    let mut b = world(&built(m), 1e-3);
    assert!(b.reset_to_keyframe(0, "swing").unwrap());
    let v = b.joint_velocity(0).unwrap();
    assert!((v[0] - 2.0).abs() < 1e-9 && v[1].abs() < 1e-9, "{v:?}");
    // the motor behind the gear is at 3 · 0.5, and its target with it
    let mut target = [0.0_f64];
    b.read(Quantity::TargetPosition, &mut target).unwrap();
    assert!((target[0] - 1.5).abs() < 1e-9, "{target:?}");
    let mut m = library::four_bar();
    m.keyframe(Keyframe::new("turn").velocity("crank_hinge", [2.0]));
    let mut b = world(&built(m), 1e-3);
    assert!(b.reset_to_keyframe(0, "turn").unwrap());
    let v = b.joint_velocity(0).unwrap();
    assert!((v[0] - 2.0).abs() < 1e-9 && v[1..].iter().any(|v| v.abs() > 0.1), "{v:?}");
}
