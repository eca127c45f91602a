//! The derivative of a step is that of its central differences, for every number that it depends on.

use crate::common::{begin_with_an_interval, bits, built, noise, variational};
use crate::free_flight::{kinds, throw, twister};
use bellcrank_gradient::{StepDerivatives, Wrt};
use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{
    Actuator, Body, BodyId, Geometry, HeightField, Joint, Model, ModelBuilder, Parameters, Shape, WORLD,
    library,
};
use bellcrank_sim::{Batch, BatchOptions, InteriorPoint, Smoothing, Solver};
use std::sync::Arc;

pub const KAPPA: f64 = 1e-4;

pub fn batch(model: &Arc<Model>, dt: f64) -> Batch {
    let smoothing = Smoothing::Absolute; // as derivatives have it
    variational(model, dt, InteriorPoint { kappa: KAPPA, smoothing, ..InteriorPoint::default() })
}

/// Everything: state, control, pushes from outside, parameters.
fn everything(b: &Batch) -> Vec<Wrt> {
    let model = b.model(0).unwrap();
    let mut all = Wrt::state(model.bodies().len());
    all.extend(Wrt::control(model.actuators().len()));
    for body in 0..model.bodies().len() {
        all.extend((0..3).map(|axis| Wrt::Force { body, axis }));
        all.extend((0..3).map(|axis| Wrt::Moment { body, axis }));
    }
    all.extend(b.all_parameters(0).unwrap());
    all
}

/// The least distance of a column from its central differences: amounts from 1e-5 on, each twice the one before, and all
/// extrapolations of them (Romberg: each takes the next even order of truncation away). Rounding falls with the amount and
/// truncation rises, so the best of them counts, and no more are made than are needed. `None` where there is no such step.
fn distance(b: &Batch, wrt: Wrt, column: &[f64], enough: f64) -> Option<f64> {
    let mut last: Vec<Vec<f64>> = Vec::new();
    let mut best = f64::MAX;
    for k in 0..6 {
        let mut row = vec![b.step_difference(0, KAPPA, wrt, 1e-5 * f64::from(1 << k)).ok()?];
        for (j, finer) in last.iter().enumerate() {
            let four = 4_f64.powi(j as i32 + 1);
            let next = finer.iter().zip(&row[j]).map(|(f, c)| (four * f - c) / (four - 1.0)).collect();
            row.push(next);
        }
        for estimate in &row {
            let off = estimate.iter().zip(column).fold(0.0_f64, |m, (a, d)| m.max((a - d).abs()));
            best = best.min(off);
        }
        if best < enough {
            break;
        }
        last = row;
    }
    Some(best)
}

/// Compares columns with differences of the step itself.
fn check(name: &str, b: &Batch, columns: &[Wrt], tolerance: f64) {
    let jacobian = b.step_jacobian(0, KAPPA, columns).unwrap();
    let (mut worst, mut zero, mut rigid) = ((0.0_f64, columns[0]), 0, 0);
    for (k, wrt) in columns.iter().enumerate() {
        let column = jacobian.column(k);
        assert!(column.iter().all(|x| x.is_finite()), "{name}: {wrt:?}");
        let size = column.iter().fold(1e-2_f64, |m, x| m.max(x.abs()));
        zero += usize::from(column.iter().all(|x| *x == 0.0));
        let Some(off) = distance(b, *wrt, &column, 0.1 * tolerance * size) else {
            // a loop with more rows than it needs does not close with other frames: there is no such step
            let frames = matches!(
                wrt,
                Wrt::AnchorOnPredecessor { .. }
                    | Wrt::AnchorOnSuccessor { .. }
                    | Wrt::AxesOnPredecessor { .. }
                    | Wrt::AxesOnSuccessor { .. }
            );
            assert!(frames && !b.model(0).unwrap().loops().is_empty(), "{name}: {wrt:?}");
            rigid += 1;
            continue;
        };
        if off / size > worst.0 {
            worst = (off / size, *wrt);
        }
        assert!(off < tolerance * size, "{name}: {wrt:?} is off by {off:e} of {size:e}");
    }
    println!(
        "{name}: {} columns, {zero} zero, {rigid} that do not close, worst {:e} ({:?})",
        columns.len(),
        worst.0,
        worst.1
    );
}

fn block(mu: f64) -> Arc<Model> {
    let mut m = ModelBuilder::new("block");
    let size = Vec3::new(0.5, 0.5, 0.5);
    let at = Pose::translation(0.0, 0.0, 0.2502);
    let cube = m.body(Body::new("cube").at(at).solid_box(1.0, size));
    m.shape(Shape::new("cube", cube, Geometry::Box { half: size * 0.5 }).friction(mu));
    m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(mu));
    built(m)
}

/// A world whose step is differentiated, and how many of its columns are looked at: every `one_in`-th from `first` on.
struct Scene {
    name: String,
    batch: Batch,
    first: usize,
    one_in: usize,
}

impl Scene {
    fn all_of(name: &str, batch: Batch) -> Self {
        Scene::some_of(name, batch, 0, 1)
    }

    fn some_of(name: &str, batch: Batch, first: usize, one_in: usize) -> Self {
        Scene { name: name.to_owned(), batch, first, one_in }
    }

    fn columns(&self) -> Vec<Wrt> {
        everything(&self.batch).into_iter().skip(self.first).step_by(self.one_in).collect()
    }
}

/// A cube at rest, one that slides, and one whose corner hits the ground.
fn cubes() -> Vec<Scene> {
    let resting = || {
        let mut b = batch(&block(0.5), 0.05);
        b.step(10);
        b
    };
    let mut sliding = resting();
    sliding.set_body_velocity(0, 0, Twist::new(Vec3::new(2.0, 0.5, 0.0), Vec3::zero())).unwrap();
    sliding.step(1);
    let mut falling = resting();
    let tilt = bellcrank_math::so3::exp(Vec3::new(0.5, 0.7, 0.0));
    falling.set_body_pose(0, 0, Pose::new(tilt, Vec3::new(0.0, 0.0, 0.45))).unwrap();
    let V = Twist::new(Vec3::new(1.0, -0.5, -2.0), Vec3::new(1.0, 2.0, -3.0));
    falling.set_body_velocity(0, 0, V).unwrap();
    vec![
        Scene::all_of("a cube at rest", resting()),
        Scene::all_of("a cube that slides", sliding),
        Scene::all_of("a corner that hits the ground", falling),
    ]
}

/// A body with a leg that slides in it, on a round foot, pushed by a motor.
fn hopper() -> Scene {
    let mut m = ModelBuilder::new("hopper");
    let body = m.body(Body::new("body").at(Pose::translation(0.0, 0.0, 0.55)).solid_sphere(4.18, 0.1));
    let foot = m.body(Body::new("foot").at(Pose::translation(0.02, 0.0, 0.05)).solid_sphere(0.52, 0.05));
    let leg = Joint::prismatic("leg", body, foot).placed(Vec3::new(0.0, 0.0, 0.3), Vec3::z_axis());
    m.joint(leg.damping(0.1).spring(3.0, 0.1).armature(0.02).limits(-0.2, 0.3));
    m.actuator(Actuator::position("leg", "leg", 500.0, 5.0));
    m.shape(Shape::new("foot", foot, Geometry::Sphere { radius: 0.05 }).friction(0.5));
    m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(0.5));
    let mut b = batch(&built(m), 0.02);
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(0.3, 0.1, -0.2), Vec3::new(0.1, 0.2, 0.3))).unwrap();
    b.set_target_position(0, 0, -0.02).unwrap();
    b.step(3);
    Scene::all_of("a hopper", b)
}

/// Four bars in a plane, whose loop has redundant rows, and a biped on its feet whose legs close loops.
fn loops() -> Vec<Scene> {
    let mut bars = batch(&built(library::four_bar()), 0.01);
    bars.set_effort(0, 0, 0.1).unwrap();
    bars.step(7);
    let mut biped = batch(&built(library::hybrid_biped()), 0.01);
    biped.step(5);
    vec![Scene::all_of("a four-bar", bars), Scene::all_of("a standing biped with loops", biped)]
}

/// Every kind of joint, with springs, dampers and motors at work, thrown and spinning.
fn twisters() -> Vec<Scene> {
    let scene = |(k, kind)| {
        let mut b = batch(&built(twister(kind, 0.3, 0.1)), 0.02);
        throw(&mut b, 0.5);
        for a in 0..b.model(0).unwrap().actuators().len() {
            b.set_effort(0, a, if a % 2 == 0 { 0.2 } else { -0.1 }).unwrap();
        }
        b.step(5);
        Scene::some_of(&format!("twister {kind:?}"), b, k % 3, 3)
    };
    kinds().enumerate().map(scene).collect()
}

/// Robots that stand or lie on the ground, and one that flies for a tenth of a second.
fn robots() -> Vec<Scene> {
    let after = |build: fn() -> ModelBuilder, steps: usize| {
        let mut b = batch(&built(build()), 0.01);
        b.step(steps);
        b
    };
    let mut flying = after(library::humanoid, 5);
    for body in 0..31 {
        let X = flying.body_pose(0, body).unwrap();
        flying.set_body_pose(0, body, Pose::new(X.R, X.p + Vec3::new(0.0, 0.0, 3.0))).unwrap();
    }
    flying.step(10);
    vec![
        Scene::some_of("humanoid", after(library::humanoid, 5), 0, 17),
        Scene::some_of("humanoid in the air", flying, 5, 23),
        Scene::some_of("quadruped", after(library::quadruped, 20), 0, 17),
        Scene::some_of("arm", after(library::arm, 20), 0, 17),
        Scene::some_of("five-bar quadruped", after(library::five_bar_quadruped, 10), 0, 17),
    ]
}

/// Columns that one thread looks at at a time.
const PIECE: usize = 64;

/// In every scene, for every number that a step depends on. All cores take part, piece by piece, since the biped alone has
/// nineteen hundred columns.
#[test]
fn every_column_is_its_central_difference() {
    let mut scenes = cubes();
    scenes.push(hopper());
    scenes.extend(loops().into_iter().chain(twisters()).chain(robots()));
    let columns: Vec<Vec<Wrt>> = scenes.iter().map(Scene::columns).collect();
    let pieces: Vec<(&Scene, &[Wrt])> = scenes
        .iter()
        .zip(&columns)
        .flat_map(|(scene, columns)| columns.chunks(PIECE).map(move |piece| (scene, piece)))
        .collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let work = || {
        while let Some((scene, piece)) = pieces.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            check(&scene.name, &scene.batch, piece, 1e-6);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
}

/// A ball above a plane, κ/φ against gravity: φ/Δt = v₀ − g Δt + z/Δt + κ/(m φ) in closed form, with
/// dφ/dF = Δt²/m / (1 + Δt² κ/(m φ²)), at any κ.
#[test]
fn an_impact_has_the_derivative_of_its_closed_form() {
    let mut m = ModelBuilder::new("ball");
    m.gravity(Vec3::new(0.0, 0.0, -1.0));
    let ball = m.body(Body::new("ball").at(Pose::translation(0.0, 0.0, 0.1)).solid_sphere(1.0, 0.1));
    m.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.1 }).friction(0.0));
    m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(0.0));
    let (model, dt) = (built(m), 0.1);
    for kappa in [1e-4, 1e-6, 1e-8] {
        for force in [0.01, 0.5, 1.0, 2.0] {
            let mut b = batch(&model, dt);
            begin_with_an_interval(&mut b);
            b.set_body_wrench(0, 0, Vec3::new(0.0, 0.0, force), Vec3::zero()).unwrap();
            let column = b.step_jacobian(0, kappa, &[Wrt::Force { body: 0, axis: 2 }]).unwrap();
            // φ² − Δt² (F − 1) φ − Δt κ = 0
            let half = 0.5 * dt * dt * (force - 1.0);
            let root = (half * half + dt * kappa).sqrt();
            let phi = if half > 0.0 { half + root } else { dt * kappa / (root - half) };
            let slope = dt * dt / (1.0 + dt * kappa / (phi * phi));
            let found = column.get(2, 0);
            assert!((found / slope - 1.0).abs() < 1e-6, "κ {kappa}, F {force}: {found} against {slope}");
        }
    }
}

/// A batch that steps by Proximal-ADMM: the derivative is that of the implicit step with the same integrator. Where nothing
/// touches, both are the same step, so differences of what the batch itself does agree too.
#[test]
fn a_step_by_padmm_is_polished_at_kappa() {
    let model = built(library::four_bar());
    let start = |effort: f64| {
        let mut b = crate::common::world(&model, 0.004);
        b.set_effort(0, 0, 0.1).unwrap();
        b.step(20);
        b.set_effort(0, 0, effort).unwrap();
        b
    };
    let b = start(0.1);
    check("four-bar by PADMM", &b, &everything(&b), 1e-6);
    let column = b.step_jacobian(0, KAPPA, &[Wrt::Effort(0)]).unwrap();
    let after = |effort: f64| {
        let mut b = start(effort);
        b.step(1);
        let V = |body: usize| b.body_velocity(0, body).unwrap().to_array();
        (0..model.bodies().len()).flat_map(V).collect::<Vec<f64>>()
    };
    let (high, low) = (after(0.11), after(0.09));
    for i in 0..high.len() {
        let difference = (high[i] - low[i]) / 0.02;
        let derivative = column.get(12 * (i / 6) + 6 + i % 6, 0);
        // joints are closed to 1e-7 m there, and 1e-7/Δt/0.02 is what differences can see of it
        assert!(
            (difference - derivative).abs() < 2e-3 * derivative.abs() + 1e-3,
            "{difference} {derivative}"
        );
    }
}

/// Hard steps by Proximal-ADMM of a box that slides, and of one that sticks. At a κ so small that a contact presses or
/// does not, slides or sticks, the derivative is that of the active set: sliding at 1 m/s along t,
/// δv⁺ = (1 − μ g Δt (1 − t tᵀ)) (δv + Δt δF/m); sticking, nothing. So are differences of what the batch
/// itself does.
#[test]
fn a_hard_step_has_the_derivative_of_its_active_set() {
    let (mu, dt, amount) = (0.3, 0.01, 1e-3);
    let model = block(mu);
    let start = |v: Vec3, force: Vec3| {
        let mut b = crate::common::world(&model, dt);
        b.step(50);
        let turned = b.body_velocity(0, 0).unwrap();
        b.set_body_velocity(0, 0, Twist::new(v, turned.angular)).unwrap();
        b.set_body_wrench(0, 0, force, Vec3::zero()).unwrap();
        b
    };
    let after = |v: Vec3, force: Vec3| {
        let mut b = start(v, force);
        b.step(1);
        b.body_velocity(0, 0).unwrap().linear
    };
    let slide = Vec3::new(0.8, 0.6, 0.0);
    for (name, v, force) in [("slides", slide, Vec3::zero()), ("sticks", Vec3::zero(), Vec3::x_axis())] {
        let slow = if name == "slides" { mu * 9.81 * dt } else { 1.0 };
        let wrt = [0, 1].map(|axis| Wrt::LinearVelocity { body: 0, axis });
        let push = [0, 1].map(|axis| Wrt::Force { body: 0, axis });
        let all: Vec<Wrt> = wrt.into_iter().chain(push).collect();
        let jacobian = start(v, force).step_jacobian(0, 1e-9, &all).unwrap();
        for column in 0..4 {
            let e = if column % 2 == 0 { Vec3::x_axis() } else { Vec3::y_axis() };
            let unit = if column < 2 { 1.0 } else { dt };
            let along = if name == "slides" { v * e.dot(v) } else { Vec3::zero() };
            let expected = (e - (e - along) * slow) * unit;
            let (dv, dF) = if column < 2 { (e * amount, Vec3::zero()) } else { (Vec3::zero(), e * amount) };
            let difference = (after(v + dv, force + dF) - after(v - dv, force - dF)) * (0.5 / amount);
            for row in 0..2 {
                let found = jacobian.get(6 + row, column);
                let (closed, own) = (expected.to_array()[row], difference.to_array()[row]);
                assert!((found - closed).abs() < 1e-3 * unit, "{name} {column} {row}: {found} {closed}");
                assert!((found - own).abs() < 1e-3 * unit, "{name} {column} {row}: {found} {own}");
            }
        }
    }
}

/// A ball above hills of triangles of a size [m].
fn hills(cell: f64) -> ModelBuilder {
    let n = (4.0 / cell) as usize + 1;
    let at = |k: usize| cell * k as f64 - 2.0;
    let height = |x: f64, y: f64| 0.15 * (2.0 * x).cos() + 0.1 * (3.0 * y).sin();
    let heights = (0..n * n).map(|k| height(at(k % n), at(k / n))).collect();
    let field = HeightField { rows: n, columns: n, size: [4.0, 4.0], heights };
    let mut m = ModelBuilder::new("hills");
    m.shape(Shape::new("hills", WORLD, Geometry::HeightField(Arc::new(field))).friction(0.5));
    let ball = m.body(Body::new("ball").at(Pose::translation(0.1, 0.013, 0.5)).solid_sphere(1.0, 0.1));
    m.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.1 }).friction(0.5));
    m
}

/// A ball that rolls over hills of triangles: the one that it comes to next is not always among the few that the start of a
/// step shows. Nothing sinks in by more than a thousandth of a millimetre, at any step and whatever the size of the triangles.
#[test]
fn a_ball_on_hills_never_sinks_in() {
    for (dt, cell) in [(0.01, 0.05), (0.01, 0.2), (0.02, 0.2)] {
        let mut b = variational(&built(hills(cell)), dt, InteriorPoint::default());
        b.set_body_velocity(0, 0, Twist::new(Vec3::new(0.8, 0.3, 0.0), Vec3::zero())).unwrap();
        let mut touched = false;
        for step in 0..(1.2 / dt) as usize {
            let report = b.step(1);
            assert_eq!(report.converged[0], 1, "Δt {dt}, cell {cell}, step {step}: {report:?}");
            for contact in b.contacts(0).unwrap() {
                assert!(contact.depth < 2e-6, "Δt {dt}, cell {cell}, step {step}: {:e} m", contact.depth);
                touched |= contact.force.z > 1.0;
            }
        }
        assert!(touched, "Δt {dt}, cell {cell}: it never came down");
    }
}

/// Contacts that are taken in late: eight balls that roll eight ways in one block have the bits of each alone.
#[test]
fn balls_on_hills_do_not_see_each_other() {
    let model = built(hills(0.05));
    let run = |ways: std::ops::Range<usize>| {
        let settings = Solver::variational().into();
        let options = BatchOptions { dt: Some(0.02), settings, ..BatchOptions::default() };
        let mut b = Batch::new(model.clone(), ways.len(), options).unwrap();
        for (world, way) in ways.clone().enumerate() {
            let v = Vec3::new(1.5 * noise(way, 0), 1.5 * noise(way, 1), 0.0);
            b.set_body_velocity(world, 0, Twist::new(v, Vec3::zero())).unwrap();
        }
        b.step(50);
        (0..ways.len()).map(|world| bits(&b, world)).collect::<Vec<_>>()
    };
    let together = run(0..8);
    for way in 0..8 {
        assert!(run(way..way + 1)[0] == together[way], "ball {way}");
    }
}

/// At any κ: the smoother the contact, the more exact are differences; below 1e-6 they see little but rounding, because the
/// step bends within √(κ Δt/m) of where it is.
#[test]
fn a_box_at_every_kappa() {
    let mut b = batch(&block(0.5), 0.05);
    b.step(10);
    for (kappa, amount, tolerance) in
        [(1e-3, 1e-4, 1e-6), (1e-4, 2e-5, 1e-6), (1e-6, 1e-6, 1e-4), (1e-8, 1e-7, 1e-2)]
    {
        let columns = everything(&b);
        let jacobian = b.step_jacobian(0, kappa, &columns).unwrap();
        let mut worst = 0.0_f64;
        for (k, wrt) in columns.iter().enumerate() {
            let column = jacobian.column(k);
            let size = column.iter().fold(1e-2_f64, |m, x| m.max(x.abs()));
            let [coarse, fine] =
                [amount, 0.5 * amount].map(|a| b.step_difference(0, kappa, *wrt, a).unwrap());
            let error = (0..column.len())
                .fold(0.0_f64, |m, i| m.max((column[i] - (4.0 * fine[i] - coarse[i]) / 3.0).abs()));
            worst = worst.max(error / size);
        }
        println!("box at κ {kappa:e}: worst {worst:e}");
        assert!(worst < tolerance, "κ {kappa:e}: {worst:e}");
    }
}

/// One transposed solve gives what the Jacobian's columns give, for every number: loops with redundant rows, contacts, limits.
#[test]
fn a_cotangent_goes_back_without_a_jacobian() {
    let mut standing = batch(&built(library::hybrid_biped()), 0.01);
    standing.step(5);
    let mut falling = batch(&block(0.5), 0.05);
    falling.step(2);
    for b in [standing, falling] {
        let wrt = everything(&b);
        let jacobian = b.step_jacobian(0, KAPPA, &wrt).unwrap();
        let cotangent: Vec<f64> = (0..jacobian.rows()).map(|i| (i as f64).cos()).collect();
        let (columns, adjoint) = (jacobian.vjp(&cotangent), b.step_vjp(0, KAPPA, &cotangent, &wrt).unwrap());
        for (k, (found, sum)) in adjoint.cotangents.iter().zip(&columns).enumerate() {
            let each: f64 = (0..jacobian.rows()).map(|r| cotangent[r] * jacobian.get(r, k)).sum();
            let size: f64 = (0..jacobian.rows()).map(|r| jacobian.get(r, k).abs()).sum();
            assert!((sum - each).abs() <= 1e-12 * size, "{:?}: {sum} {each}", wrt[k]);
            // either leaves up to 1e-7 of the velocities to the compliance of joints
            assert!((found - sum).abs() <= 1e-7 * size.max(1.0), "{:?}: {found} {sum} of {size}", wrt[k]);
        }
        assert_eq!(adjoint.end.velocities, jacobian.end.velocities);
    }
}

/// Worlds in different states, on two threads: each as if it were alone. Taking the steps leads where the Jacobians say.
#[test]
fn many_worlds_are_differentiated_as_each_alone() {
    let model = built(library::four_bar());
    let options = BatchOptions { dt: Some(0.01), threads: 2, ..BatchOptions::default() };
    let mut b = Batch::new(model.clone(), 5, options).unwrap();
    for w in 0..5 {
        b.set_effort(w, 0, 0.05 * w as f64).unwrap();
    }
    b.step(20);
    let (worlds, wrt) = ([3, 0, 4], Wrt::state(model.bodies().len()));
    let together = b.step_jacobians(&worlds, KAPPA, &wrt).unwrap();
    for (k, &w) in worlds.iter().enumerate() {
        let alone = b.step_jacobian(w, KAPPA, &wrt).unwrap();
        assert_eq!(alone.values, together[k].values);
    }
    assert_ne!(together[0].values, together[1].values);
    let before = b.body_pose(1, 0).unwrap();
    let moved = b.advance_with_jacobians(&worlds, KAPPA, &wrt).unwrap();
    for (k, &w) in worlds.iter().enumerate() {
        assert_eq!(moved[k].values, together[k].values);
        assert_eq!(b.body_velocity(w, 1).unwrap(), together[k].end.velocities[1]);
        assert_eq!(b.body_pose(w, 2).unwrap(), together[k].end.poses[2]);
    }
    assert_eq!(b.body_pose(1, 0).unwrap(), before, "a world that was not listed moved");
}

/// Worlds that differ in a mass differ in their derivatives, and a change of parameters reaches them.
#[test]
fn derivatives_follow_the_parameters_of_their_world() {
    let options = BatchOptions { dt: Some(0.01), ..BatchOptions::default() };
    let mut b = Batch::new(block(0.5), 2, options).unwrap();
    let push = [Wrt::Force { body: 0, axis: 1 }];
    for w in 0..2 {
        b.set_body_pose(w, 0, Pose::translation(0.0, 0.0, 5.0)).unwrap();
        assert!((b.step_jacobian(w, KAPPA, &push).unwrap().get(7, 0) - 0.01).abs() < 1e-12); // Δt/m
    }
    let heavy = |p: &mut Parameters| p.body_mut(BodyId::new(0)).spread(2)[1].mass = 4.0;
    b.change_parameters(0, heavy).unwrap();
    for (w, mass) in [(0, 1.0), (1, 4.0), (0, 1.0)] {
        let found = b.step_jacobian(w, KAPPA, &push).unwrap().get(7, 0);
        assert!((found - 0.01 / mass).abs() < 1e-12, "world {w}: {found}");
    }
}

#[test]
fn what_is_not_there_is_told_and_not_a_panic() {
    let b = batch(&block(0.5), 0.05);
    let said = |wrt: Wrt| b.step_jacobian(0, KAPPA, &[wrt]).unwrap_err().to_string();
    assert_eq!(said(Wrt::Mass(3)), "there is no body number 3; there are 1");
    assert_eq!(said(Wrt::Position { body: 0, axis: 3 }), "there is no axis number 3; there are 3");
    assert_eq!(said(Wrt::Effort(0)), "there is no actuator number 0; there are 0");
    assert_eq!(said(Wrt::Stiffness(0)), "there is no degree of freedom number 0; there are 0");
    assert_eq!(
        b.step_jacobian(0, 0.0, &[]).unwrap_err().to_string(),
        "kappa must be a number above zero, not 0; 1e-4 is smooth, 1e-6 nearly hard"
    );
    let short = b.step_vjp(0, KAPPA, &[1.0], &[]).unwrap_err().to_string();
    assert_eq!(short, "cotangent: 1 values were given, expected: 12");
}

/// A ball and a box on a hilly ground: contacts are found by a search, and what was found stays on its shape. A corner and a
/// triangle do so exactly.
#[test]
fn contacts_that_are_searched_for_have_derivatives_too() {
    let mut m = ModelBuilder::new("hills");
    let heights =
        (0..25).map(|i| 0.05 * ((i % 5) as f64 * 0.7).sin() + 0.03 * ((i / 5) as f64).cos()).collect();
    let field = HeightField { rows: 5, columns: 5, size: [4.0, 4.0], heights };
    m.shape(Shape::new("hills", WORLD, Geometry::HeightField(Arc::new(field))).friction(0.5));
    let ball = m.body(Body::new("ball").at(Pose::translation(0.3, 0.2, 0.3)).solid_sphere(1.0, 0.1));
    m.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.1 }).friction(0.5));
    let size = Vec3::new(0.2, 0.3, 0.2);
    let cube = m.body(Body::new("cube").at(Pose::translation(-0.8, 0.3, 0.4)).solid_box(1.0, size));
    m.shape(Shape::new("cube", cube, Geometry::Box { half: size * 0.5 }).friction(0.5));
    let mut b = batch(&built(m), 0.01);
    begin_with_an_interval(&mut b);
    let report = b.step(40);
    assert!(report.contact_count[0] >= 2, "{report:?}");
    let mut all = Wrt::state(2);
    for body in 0..2 {
        all.extend((0..3).flat_map(|axis| [Wrt::Force { body, axis }, Wrt::CentreOfMass { body, axis }]));
    }
    all.extend((1..3).flat_map(|shape| (0..3).map(move |axis| Wrt::ShapePosition { shape, axis })));
    check("hills", &b, &all, 1e-5);
    let size = b.step_jacobian(0, KAPPA, &[Wrt::ShapeSize { shape: 1, axis: 0 }]).unwrap_err().to_string();
    assert!(size.contains("\"ball\"") && size.contains("found by a search"), "{size}");
}
