//! Hard contact by the interior point: nothing penetrates, friction is Coulomb's, κ is what was asked for.

use crate::common::{begin_with_an_interval, bits, block, built, noise, variational};
use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{Body, Geometry, Joint, Model, ModelBuilder, Shape, WORLD, library};
use bellcrank_sim::{
    Batch, BatchOptions, ImplicitIntegrator, InteriorPoint, Precision, Settings, Smoothing, Solver,
    WorldStatus,
};
use std::sync::Arc;

/// Height of the lowest corner.
fn lowest(b: &Batch) -> f64 {
    let X = b.body_pose(0, 0).unwrap();
    let corner = |i: usize| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 0.25 } else { -0.25 };
        X.transform_point(Vec3::new(sign(0), sign(1), sign(2))).z
    };
    (0..8).map(corner).fold(f64::MAX, f64::min)
}

pub fn point(tolerance: f64) -> InteriorPoint {
    InteriorPoint { kappa: tolerance, smoothing: Smoothing::Absolute, tolerance, ..InteriorPoint::default() }
}

/// A cube tossed from 0.5 m with spin comes to rest flat on a face, at any step, and no corner is ever below the ground.
#[test]
fn a_tossed_cube_comes_to_rest_and_never_penetrates() {
    for dt in [0.1, 0.05, 0.01, 0.005] {
        let mut b = variational(&block(0.1, Vec3::new(0.0, 0.0, 0.75)), dt, point(1e-6));
        let spin = Vec3::new(5.0, 4.0, 2.0) * dt;
        b.set_body_velocity(0, 0, Twist::new(Vec3::new(1.0, 1.5, 1.0), spin)).unwrap();
        let (mut iterations, mut low) = (Vec::new(), f64::MAX);
        for i in 0..(5.0 / dt) as usize {
            let report = b.step(1);
            assert_eq!(report.status[0], WorldStatus::Ok, "Δt {dt}, step {i}: {report:?}");
            iterations.push(report.iterations[0] as usize);
            low = low.min(lowest(&b));
        }
        iterations.sort_unstable();
        let (median, most) = (iterations[iterations.len() / 2], iterations[iterations.len() - 1]);
        let (V, z) = (b.body_velocity(0, 0).unwrap(), b.body_pose(0, 0).unwrap().p.z);
        println!("toss Δt {dt}: iterations {median}/{most}, lowest {low:e}, speed {:e}", V.linear.norm());
        assert!(low > 0.0, "Δt {dt}: {low:e}");
        assert!(V.linear.norm() < 1e-8 && V.angular.norm() < 1e-8, "Δt {dt}: {V:?}");
        assert!((z - 0.25).abs() < 1e-3, "Δt {dt}: {z}");
    }
}

/// v₀ = 2 m/s, μ = 0.3: in step k the cube still has 2 − μ g Δt k, and the way is the sum of these; with κ = 1e-8 to
/// five digits: 0.58197, 0.63047, 0.66958 m.
#[test]
fn a_sliding_cube_stops_where_the_sum_says() {
    for (dt, published) in [(0.1, 0.58197), (0.05, 0.63047), (0.01, 0.66958)] {
        let mut b = variational(&block(0.3, Vec3::new(0.0, 0.0, 0.25)), dt, point(1e-8));
        b.set_body_velocity(0, 0, Twist::new(Vec3::new(2.0, 0.0, 0.0), Vec3::zero())).unwrap();
        begin_with_an_interval(&mut b);
        b.step((1.5 / dt) as usize);
        let sum: f64 = (1..1000).map(|k| (2.0 - 0.3 * 9.81 * dt * k as f64).max(0.0) * dt).sum();
        let x = b.body_pose(0, 0).unwrap().p.x;
        assert!((x - sum).abs() < 2e-5, "Δt {dt}: {x} against {sum}");
        assert!((x - published).abs() < 2e-5, "Δt {dt}: {x} against {published}");
    }
}

/// A cube thrown flat with v = (4, 0.8) from 0.25 m above the ground and without spin slides straight: the cone is round. Lateral
/// drift is that of the line from start to end. It flies for t = √(2 · 0.25/g) = 0.2258 s, loses μ g t = 0.554 m/s as it lands, and
/// slides for v²/(2 μ g): 0.921 + 2.534 = 3.455 m. A step that lands Δt early or late changes v by μ g Δt and so the way by
/// v Δt = 0.035 m.
#[test]
fn friction_does_not_pull_aside() {
    let mut b = variational(&block(0.25, Vec3::new(-1.5, -0.5, 0.5)), 0.01, point(1e-6));
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(4.0, 0.8, 0.0), Vec3::zero())).unwrap();
    begin_with_an_interval(&mut b);
    b.step(400);
    let way = b.body_pose(0, 0).unwrap().p - Vec3::new(-1.5, -0.5, 0.0);
    let along = Vec3::new(4.0, 0.8, 0.0).normalized();
    let aside = (way.x * along.y - way.y * along.x).abs();
    println!("slide {} aside {aside:e}", way.x.hypot(way.y));
    assert!(aside < 1e-5, "{aside:e}");
    assert!((way.x.hypot(way.y) - 3.455).abs() < 0.035, "{way:?}");
}

/// A rod falls onto its limit at π/4 and stays there.
#[test]
fn a_limit_holds_a_pendulum() {
    let angle = 0.4 * core::f64::consts::PI;
    let turn = bellcrank_math::so3::exp(Vec3::new(angle, 0.0, 0.0));
    let mut m = ModelBuilder::new("pendulum");
    let place = Pose::new(turn, turn.rotate(Vec3::new(0.0, 0.0, -0.5)));
    m.body(Body::new("rod").at(place).solid_box(1.0, Vec3::new(0.1, 0.1, 1.0)));
    // the coordinate is zero where the model was built: at `angle` from hanging
    let low = core::f64::consts::FRAC_PI_4 - angle;
    let hinge = Joint::revolute("hinge", WORLD, "rod").placed(Vec3::zero(), Vec3::x_axis());
    m.joint(hinge.limits(low, core::f64::consts::PI - angle));
    let mut b = variational(&built(m), 0.01, point(1e-5));
    let report = b.step(100);
    assert_eq!(report.converged[0], 100, "{report:?}");
    let q = b.joint_position(0).unwrap()[0];
    assert!((q - low).abs() < 1e-3 && q > low, "{q} against {low}");
}

fn ball(m: &mut ModelBuilder, name: &str, at: Vec3, radius: f64) {
    let body = m.body(Body::new(name).at(Pose::from_position(at)).solid_sphere(1.0, radius));
    m.shape(Shape::new(name, body, Geometry::Sphere { radius }).friction(0.5));
}

/// A sphere dropped on a fixed sphere of the same radius 0.5 m rests on top at z = 1 m; two that meet head on at 5 m/s
/// never overlap. What they exchange is opposite to rounding. The force of a step acts where they touch at its end, while
/// the bodies are still at its start: the angular momentum is off by Δt |v_rel| |F| at most, 0.02 · 5 · 2.5 = 0.25 in the
/// one step of the blow, and by nothing before and after.
#[test]
fn spheres_touch_at_the_sum_of_their_radii() {
    let mut m = ModelBuilder::new("drop");
    ball(&mut m, "ball", Vec3::new(0.0, 0.0, 2.0), 0.5);
    m.shape(Shape::new("base", WORLD, Geometry::Sphere { radius: 0.5 }).friction(0.5));
    let mut b = variational(&built(m), 0.1, point(1e-6));
    b.step(20);
    let z = b.body_pose(0, 0).unwrap().p.z;
    assert!((z - 1.0).abs() < 1e-4, "{z}");
    let mut m = ModelBuilder::new("head_on");
    m.gravity(Vec3::zero());
    ball(&mut m, "left", Vec3::new(-1.0, 0.1, 0.0), 0.5);
    ball(&mut m, "right", Vec3::new(1.0, 0.0, 0.0), 0.5);
    let mut b = variational(&built(m), 0.02, point(1e-8));
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(5.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 3.0))).unwrap();
    b.step(1);
    let (p, L) = b.momentum(0).unwrap();
    let mut touched = false;
    for _ in 0..60 {
        let report = b.step(1);
        assert_eq!(report.status[0], WorldStatus::Ok, "{report:?}");
        let apart = (b.body_pose(0, 1).unwrap().p - b.body_pose(0, 0).unwrap().p).norm();
        assert!(apart > 1.0, "{apart}");
        touched |= apart < 1.001;
    }
    assert!(touched, "they missed each other");
    let (p1, L1) = b.momentum(0).unwrap();
    assert!((p1 - p).norm() < 1e-12 && (L1 - L).norm() < 0.05, "{:?} {:?}", p1 - p, L1 - L);
}

/// Mechanisms of the library on the ground: every step converges, loops stay closed, contacts carry the weight.
#[test]
fn a_biped_with_loops_stands_in_the_interior_point() {
    let model = built(library::hybrid_biped());
    let mut b = variational(&model, 0.004, point(1e-6));
    let mut iterations = Vec::new();
    for i in 0..200 {
        let report = b.step(1);
        assert_eq!(report.status[0], WorldStatus::Ok, "step {i}: {report:?}");
        assert!(report.loop_gap[0].0 < 1e-8, "{:?}", report.loop_gap);
        iterations.push(report.iterations[0] as usize);
    }
    iterations.sort_unstable();
    println!("biped iterations {}/{}", iterations[100], iterations[199]);
    let weight = model.mass() * 9.81;
    let carried: f64 = b.contacts(0).unwrap().iter().map(|c| c.force.z).sum();
    assert!((carried - weight).abs() < 0.05 * weight, "{carried} against {weight}");
}

/// Eleven bipeds in lanes, each with another target, give the bits that each gives alone; so does the order of threads.
#[test]
fn worlds_in_lanes_are_worlds_alone() {
    let model = built(library::hybrid_biped());
    let settings = Settings::from(Solver::variational());
    let run = |worlds: std::ops::Range<usize>, scalar: bool| {
        let options = BatchOptions { dt: Some(0.004), settings, scalar, ..BatchOptions::default() };
        let mut b = Batch::new(model.clone(), worlds.len(), options).unwrap();
        for (w, world) in worlds.enumerate() {
            for a in 0..model.actuators().len() {
                b.set_target_position(w, a, 0.05 * noise(world, a)).unwrap();
            }
        }
        let report = b.step(30);
        println!("random targets: converged {:?} of 30", report.converged);
        b
    };
    let together = run(0..11, false);
    for world in [0, 4, 10] {
        let alone = run(world..world + 1, true);
        assert_eq!(bits(&together, world), bits(&alone, 0), "world {world}");
    }
}

/// In numbers of 32 bits, with either integrator, the biped stands and every step converges.
#[test]
fn a_biped_stands_in_single_precision() {
    let model = built(library::hybrid_biped());
    for integrator in [ImplicitIntegrator::Variational, ImplicitIntegrator::SemiImplicitEuler] {
        let settings = Solver::InteriorPoint { point: None, integrator }.into();
        let options =
            BatchOptions { dt: Some(0.004), settings, precision: Precision::F32, ..BatchOptions::default() };
        let mut b = Batch::new(model.clone(), 3, options).unwrap();
        let report = b.step(200);
        println!("single {integrator:?}: converged {:?}, gap {:?}", report.converged, report.loop_gap[0]);
        let weight = model.mass() * 9.81;
        let carried: f64 = b.contacts(0).unwrap().iter().map(|c| c.force.z).sum();
        assert!((carried - weight).abs() < 0.05 * weight, "{carried} against {weight}");
        assert_eq!(report.converged, [200; 3], "{integrator:?}");
    }
}

/// What the implicit step does not know is said, with the way out; solvers and integrators that do not go together cannot be written.
#[test]
fn what_bounces_is_refused() {
    let refuse = |model: &Arc<Model>, settings: Settings| {
        let options = BatchOptions { settings, scalar: true, ..BatchOptions::default() };
        Batch::new(model.clone(), 1, options).err().map(|e| e.to_string()).unwrap_or_default()
    };
    let mut m = ModelBuilder::new("bouncy");
    let body = m.body(Body::new("ball").solid_sphere(1.0, 0.1));
    m.shape(Shape::new("rubber", body, Geometry::Sphere { radius: 0.1 }).restitution(0.5));
    let whole = Settings::from(Solver::variational());
    assert!(refuse(&built(m), whole).contains("rubber bounces"));
}

/// A biped with loops dropped from 0.3 m at two very different steps: no contact is ever below zero, and every step
/// converges.
#[test]
fn a_dropped_biped_never_penetrates() {
    let model = built(library::hybrid_biped());
    for (dt, seconds) in [(0.01, 1.0), (0.001, 0.4)] {
        let mut b = variational(&model, dt, point(1e-6));
        for body in 0..model.bodies().len() {
            let X = b.body_pose(0, body).unwrap();
            b.set_body_pose(0, body, Pose::new(X.R, X.p + Vec3::new(0.0, 0.0, 0.3))).unwrap();
        }
        let (mut iterations, mut deepest) = (Vec::new(), f64::MIN);
        for i in 0..(seconds / dt) as usize {
            let report = b.step(1);
            assert_eq!(report.status[0], WorldStatus::Ok, "Δt {dt}, step {i}: {report:?}");
            iterations.push(report.iterations[0] as usize);
            for contact in b.contacts(0).unwrap() {
                deepest = deepest.max(contact.depth);
            }
        }
        iterations.sort_unstable();
        let (median, most) = (iterations[iterations.len() / 2], iterations[iterations.len() - 1]);
        println!("drop Δt {dt}: iterations {median}/{most}, deepest {deepest:e}");
        assert!(deepest <= 0.0, "Δt {dt}: {deepest:e} m");
    }
}
