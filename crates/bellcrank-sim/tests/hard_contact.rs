//! Robots and round things on the ground by the interior point: nothing is ever below zero, at any step.

use crate::common::{begin_with_an_interval, block, built, variational};
use bellcrank_math::{Pose, Twist, Vec3, so3};
use bellcrank_model::{
    Body, Control, Geometry, JointId, ModelBuilder, PerWorld, Shape, Spring, WORLD, library,
};
use bellcrank_sim::{Batch, FrictionCone, InteriorPoint, Smoothing, WorldStatus};

pub fn point(tolerance: f64) -> InteriorPoint {
    InteriorPoint { kappa: tolerance, smoothing: Smoothing::Absolute, tolerance, ..InteriorPoint::default() }
}

/// Distance of the lowest point of all touching shapes to the plane z = 0: balls, and corners of boxes.
fn lowest(b: &Batch) -> f64 {
    let model = b.model(0).unwrap();
    let mut low = f64::MAX;
    for shape in model.shapes().iter().filter(|shape| shape.collides) {
        let Some(body) = shape.link.body() else { continue };
        let com = model.bodies()[body.index()].com;
        let X = b.body_pose(0, body.index()).unwrap();
        let X_WG = Pose::new(X.R, X.p - X.R.rotate(com)) * shape.X_LG;
        match &shape.geometry {
            Geometry::Sphere { radius } => low = low.min(X_WG.p.z - radius),
            Geometry::Box { half } => {
                let sign = |k: usize, bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
                for k in 0..8 {
                    let corner = Vec3::new(sign(k, 0) * half.x, sign(k, 1) * half.y, sign(k, 2) * half.z);
                    low = low.min(X_WG.transform_point(corner).z);
                }
            }
            _ => {}
        }
    }
    low
}

pub fn lift(b: &mut Batch, up: f64, turn: Vec3) {
    let count = b.model(0).unwrap().bodies().len();
    let (R, centre) = (so3::exp(turn), b.body_pose(0, 0).unwrap().p);
    for body in 0..count {
        let X = b.body_pose(0, body).unwrap();
        let p = centre + R.rotate(X.p - centre) + Vec3::new(0.0, 0.0, up);
        b.set_body_pose(0, body, Pose::new(R * X.R, p)).unwrap();
    }
}

/// Iterations of the steps of a run, and the lowest point of all [m].
pub struct Fall {
    pub median: usize,
    pub most: usize,
    pub lowest: f64,
}

/// All steps must converge.
pub fn fall(b: &mut Batch, steps: usize, what: &str) -> Fall {
    let (mut iterations, mut low) = (Vec::new(), f64::MAX);
    for i in 0..steps {
        let report = b.step(1);
        assert_eq!(report.status[0], WorldStatus::Ok, "{what}, step {i}: {report:?}");
        iterations.push(report.iterations[0] as usize);
        low = low.min(lowest(b));
    }
    iterations.sort_unstable();
    let (median, most) = (iterations[steps / 2], iterations[steps - 1]);
    println!("{what}: iterations {median}/{most} in {steps} steps, lowest {low:e} m");
    Fall { median, most, lowest: low }
}

/// The published test of hard contact: a humanoid of 31 bodies let go half a metre up and leaning, with dampers of 25 and
/// springs of 1 in its hinges, at steps of 0.1, 0.01 and 0.001 s. Nothing is ever below the ground, which others miss by
/// centimetres. Every step converges.
#[test]
fn a_dropped_humanoid_never_penetrates() {
    let model = built(library::humanoid());
    for (dt, seconds) in [(0.1, 5.0), (0.01, 2.0), (0.001, 0.5)] {
        let mut b = variational(&model, dt, point(1e-6));
        lift(&mut b, 0.5, Vec3::new(0.0, 0.2, 0.1));
        let what = format!("humanoid Δt {dt}");
        let low = fall(&mut b, (seconds / dt) as usize, &what).lowest;
        assert!(low >= 0.0, "{what}: {low:e}");
    }
}

/// A quadruped with springs of 30 and dampers of 1000 in its hinges and no motors, at 50 ms.
#[test]
fn a_stiff_quadruped_lands_without_penetrating() {
    let low = fall(&mut stiff_quadruped(), 100, "quadruped").lowest;
    assert!(low >= 0.0, "{low:e}");
}

/// Let go 0.3 m up and leaning.
pub fn stiff_quadruped() -> Batch {
    let model = built(library::quadruped());
    let mut b = variational(&model, 0.05, InteriorPoint::default());
    b.change_parameters(0, |p| {
        for j in 0..model.joints().len() {
            let PerWorld::Shared(joint) = p.joint_mut(JointId::new(j)) else { continue };
            joint.dofs[0].spring = Some(Spring { stiffness: 30.0, rest: 0.0 });
            joint.dofs[0].damping = 1000.0;
        }
        for a in 0..model.actuators().len() {
            let PerWorld::Shared(motor) = p.actuator_mut(a) else { continue };
            motor.control = Control::Effort;
        }
    })
    .unwrap();
    lift(&mut b, 0.3, Vec3::new(0.1, 0.15, 0.0));
    b
}

/// A biped whose legs close loops, dropped with a large step.
#[test]
fn a_biped_with_loops_lands_at_any_step() {
    let model = built(library::hybrid_biped());
    for (dt, steps) in [(0.1, 20), (0.05, 40), (0.02, 60)] {
        let mut b = variational(&model, dt, point(1e-6));
        lift(&mut b, 0.3, Vec3::zero());
        let low = fall(&mut b, steps, &format!("biped Δt {dt}")).lowest;
        assert!(low >= 0.0, "Δt {dt}: {low:e}");
    }
}

/// A ball of radius 0.2 m let go over a lying capsule and over a box rests on top of them: its centre is radius + radius
/// above the capsule's axis, radius above the box; it touches them below its centre.
#[test]
fn a_ball_rests_on_a_capsule_and_on_a_box() {
    let capsule = Geometry::Capsule { radius: 0.3, half_length: 1.0 };
    let lying = Pose::new(so3::exp(Vec3::new(0.0, core::f64::consts::FRAC_PI_2, 0.0)), Vec3::zero());
    let cube = Geometry::Box { half: Vec3::new(0.6, 0.6, 0.3) };
    for (name, geometry, at) in [("capsule", capsule, lying), ("box", cube, Pose::identity())] {
        let mut m = ModelBuilder::new(name);
        m.shape(Shape::new(name, WORLD, geometry).at(at).friction(0.5));
        let ball = m.body(Body::new("ball").at(Pose::translation(0.2, 0.0, 0.7)).solid_sphere(1.0, 0.2));
        m.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.2 }).friction(0.5));
        let mut b = variational(&built(m), 0.02, point(1e-7));
        for i in 0..100 {
            let report = b.step(1);
            assert_eq!(report.status[0], WorldStatus::Ok, "{name}, step {i}: {report:?}");
            assert!(b.body_pose(0, 0).unwrap().p.z - 0.5 > 0.0, "{name}, step {i}");
        }
        let p = b.body_pose(0, 0).unwrap().p;
        assert!((p - Vec3::new(0.2, 0.0, 0.5)).norm() < 1e-2, "{name}: {p:?}");
        let contact = b.contacts(0).unwrap().remove(0);
        assert!((contact.point - Vec3::new(0.2, 0.0, 0.3)).norm() < 1e-2, "{name}: {:?}", contact.point);
    }
}

/// The same throw as with the round cone (4, 0.8 m/s, μ 0.25): a pyramid brakes the faster of the two velocities alone, so that
/// the path turns towards the other: 3.623 m along the throw and 0.602 m aside, as the published comparison has it.
#[test]
fn a_pyramid_of_friction_pulls_aside() {
    let linear = InteriorPoint { friction: FrictionCone::Linear, ..point(1e-6) };
    let mut b = variational(&block(0.25, Vec3::new(-1.5, -0.5, 0.5)), 0.01, linear);
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(4.0, 0.8, 0.0), Vec3::zero())).unwrap();
    begin_with_an_interval(&mut b);
    let report = b.step(400);
    assert_eq!(report.converged[0], 400, "{report:?}");
    let way = b.body_pose(0, 0).unwrap().p - Vec3::new(-1.5, -0.5, 0.0);
    let along = Vec3::new(4.0, 0.8, 0.0).normalized();
    let aside = (way.x * along.y - way.y * along.x).abs();
    let far = way.x * along.x + way.y * along.y;
    println!("pyramid: {far} m, {aside} m aside");
    assert!((aside - 0.602).abs() < 2e-3, "{aside}");
    assert!((far - 3.623).abs() < 5e-3, "{far}");
}

/// Along its edges a pyramid is the round cone: v₀ = 2 m/s, μ 0.3, 10 ms: 0.66958 m.
#[test]
fn a_pyramid_of_friction_is_exact_along_its_edges() {
    let linear = InteriorPoint { friction: FrictionCone::Linear, ..point(1e-8) };
    let mut b = variational(&block(0.3, Vec3::new(0.0, 0.0, 0.25)), 0.01, linear);
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(2.0, 0.0, 0.0), Vec3::zero())).unwrap();
    begin_with_an_interval(&mut b);
    b.step(150);
    let x = b.body_pose(0, 0).unwrap().p.x;
    assert!((x - 0.66958).abs() < 1e-4, "{x}");
}

/// Without friction a cube slides on for ever.
#[test]
fn no_cone_is_no_friction() {
    let none = InteriorPoint { friction: FrictionCone::Frictionless, ..point(1e-8) };
    let mut b = variational(&block(0.3, Vec3::new(0.0, 0.0, 0.25)), 0.01, none);
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(2.0, 0.0, 0.0), Vec3::zero())).unwrap();
    b.step(100);
    assert!((b.body_velocity(0, 0).unwrap().linear.x - 2.0).abs() < 1e-9);
}
