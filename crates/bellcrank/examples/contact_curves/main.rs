//! How contacts behave under each solver, as curves: spinning and rolling balls that come to rest, a sliding cube at several
//! time steps, the depth of a pile by stiffness. `cargo run --release -p bellcrank --example contact_curves -- docs/images/contact`.
//! Ends in checks.

use bellcrank::math::{Pose, Twist, Vec3};
use bellcrank::model::library::Pile;
use bellcrank::model::{Body, Geometry, Material, Model, ModelBuilder, Shape, WORLD};
use bellcrank::sim::{Batch, BatchOptions, ComFree, Solver};
use bellcrank_plot::{Chart, Curve, Scale};
use std::path::PathBuf;
use std::sync::Arc;

const G: f64 = 9.81;

fn solvers() -> Vec<(String, Solver)> {
    let published = |k, d| (format!("published {k}, {d}"), ComFree::published(k, d).into());
    vec![
        ("PADMM".into(), Solver::default()),
        ("ComFree".into(), Solver::comfree()),
        published(0.2, 0.001),
        published(0.5, 0.005),
    ]
}

fn batch(model: &Arc<Model>, solver: Solver, dt: f64) -> Batch {
    let settings = solver.into();
    let options = BatchOptions { dt: Some(dt), settings, scalar: true, ..BatchOptions::default() };
    Batch::new(model.clone(), 1, options).expect("a sound batch")
}

/// One solid of 1 kg on the ground.
fn on_ground(geometry: Geometry, height: f64, material: Material) -> Arc<Model> {
    let mut b = ModelBuilder::new("solid");
    b.shape(Shape::new("ground", WORLD, Geometry::Plane).material(material));
    let start = Body::new("solid").at(Pose::translation(0.0, 0.0, height));
    let body = b.body(match geometry {
        Geometry::Box { half } => start.solid_box(1.0, half * 2.0),
        _ => start.solid_sphere(1.0, height),
    });
    b.shape(Shape::new("solid", body, geometry).material(material));
    Arc::new(b.build().expect("a sound model"))
}

/// Lets the solid settle, pushes it, and watches one number of its velocity.
fn decay(model: &Arc<Model>, push: Twist, seconds: f64, read: fn(&Twist) -> f64) -> Vec<Curve> {
    let dt = 0.002;
    let mut curves = Vec::new();
    for (name, solver) in solvers() {
        let mut b = batch(model, solver, dt);
        b.step(2000);
        b.set_body_velocity(0, 0, push).expect("world 0 has a body");
        let mut points = vec![[0.0, read(&push)]];
        for k in 1..=100 {
            b.step((seconds / dt / 100.0) as usize);
            let V = b.body_velocity(0, 0).expect("world 0 has a body");
            points.push([seconds * f64::from(k) / 100.0, read(&V)]);
        }
        curves.push(Curve { name, points });
    }
    curves
}

/// x reached by a cube that starts at 2 m/s, over v²/(2 μ g), by time step.
fn slide(model: &Arc<Model>, mu: f64) -> Vec<Curve> {
    let coulomb = 4.0 / (2.0 * mu * G);
    let mut curves = Vec::new();
    for (name, solver) in solvers() {
        let mut points = Vec::new();
        for dt in [0.001, 0.002, 0.004, 0.006, 0.008, 0.01] {
            let mut b = batch(model, solver, dt);
            b.step((2.0 / dt) as usize);
            let start = b.body_pose(0, 0).expect("a pose").p.x;
            b.set_body_velocity(0, 0, Twist::new(Vec3::new(2.0, 0.0, 0.0), Vec3::zero())).expect("a body");
            b.step((2.0 / dt) as usize);
            points.push([1e3 * dt, (b.body_pose(0, 0).expect("a pose").p.x - start) / coulomb]);
        }
        curves.push(Curve { name, points });
    }
    curves
}

/// Mean depth of a small pile [mm] against the published stiffness; the others have none and are level lines.
fn depths() -> Vec<Curve> {
    let model = Arc::new(Pile::small().builder().build().expect("a sound model"));
    let stiffnesses = [0.1, 0.2, 0.3, 0.4, 0.5];
    let level = |name: &str, solver: Solver| {
        let depth = mean_depth(&model, solver);
        Curve { name: name.into(), points: stiffnesses.iter().map(|k| [*k, depth]).collect() }
    };
    let published = |d: f64| Curve {
        name: format!("published, d = {d}"),
        points: stiffnesses.map(|k| [k, mean_depth(&model, ComFree::published(k, d).into())]).to_vec(),
    };
    let mut curves = vec![level("PADMM", Solver::default())];
    curves.push(level("ComFree", Solver::comfree()));
    curves.extend([published(0.001), published(0.005)]);
    curves
}

fn mean_depth(model: &Arc<Model>, solver: Solver) -> f64 {
    let mut b = batch(model, solver, 0.002);
    let (mut sum, mut count) = (0.0, 0);
    for _ in 0..75 {
        b.step(10);
        for contact in b.contacts(0).expect("contacts").iter().filter(|c| c.force.norm() > 0.0) {
            sum += 1e3 * contact.depth.max(0.0);
            count += 1;
        }
    }
    sum / f64::from(count.max(1))
}

fn main() -> std::io::Result<()> {
    let rubber = Material { sliding: 0.6, torsional: 0.02, rolling: 0.005, restitution: 0.0 };
    let ball = on_ground(Geometry::Sphere { radius: 0.1 }, 0.1, rubber);
    let spin = decay(&ball, Twist::new(Vec3::zero(), Vec3::new(0.0, 0.0, 20.0)), 0.8, |V| V.angular.z);
    let roll = Twist::new(Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 10.0, 0.0));
    let roll = decay(&ball, roll, 4.0, |V| V.linear.x);
    let mu = 0.4;
    let dry = Material { sliding: mu, torsional: 0.0, rolling: 0.0, restitution: 0.0 };
    let cube = on_ground(Geometry::Box { half: Vec3::new(0.1, 0.1, 0.1) }, 0.1, dry);
    let slide = slide(&cube, mu);
    let depths = depths();

    // Coulomb: ω̇ = −μ_t g/(⅖ r²), so 20 rad/s last 0.41 s; ComFree and PADMM must agree with it
    for curve in &spin[..2] {
        let half = curve.points[25][1]; // at 0.2 s
        let coulomb = 20.0 - 0.02 * G / (0.4 * 0.01) * 0.2;
        assert!((half - coulomb).abs() < 0.02 * 20.0, "{}: {half} against {coulomb}", curve.name);
    }
    // rolling resistance μ_r m g on a ball: v̇ = −μ_r g/(r (1 + ⅖)), so that 1 m/s last 2.85 s
    for curve in &roll[..2] {
        let (v, coulomb) = (curve.points[25][1], 1.0 - 0.005 * G / (0.1 * 1.4)); // at 1 s
        assert!((v - coulomb).abs() < 0.02, "{}: {v} against {coulomb}", curve.name);
    }
    for curve in &slide[..2] {
        assert!(curve.points.iter().all(|p| (p[1] - 1.0).abs() < 0.03), "{}: {:?}", curve.name, curve.points);
    }
    // the published law: the stiffer the less deep
    assert!(depths[2].points[0][1] > 2.0 * depths[2].points[4][1], "{:?}", depths[2].points);
    assert!(depths[1].points[0][1] < depths[2].points[4][1], "ComFree is less deep than any of them");

    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "target/contact_curves".into()));
    std::fs::create_dir_all(&folder)?;
    let pictures = [
        ("spin.svg", "A spinning ball, torsional friction 20 mm", "time [s]", "spin [rad/s]", &spin, false),
        ("roll.svg", "A rolling ball, rolling friction 5 mm", "time [s]", "speed [m/s]", &roll, false),
        (
            "slide.svg",
            "A sliding cube, by time step",
            "time step [ms]",
            "distance / Coulomb's",
            &slide,
            false,
        ),
        (
            "depth.svg",
            "Mean depth of twelve solids",
            "published stiffness k [1/s]",
            "depth [mm]",
            &depths,
            true,
        ),
    ];
    for (file, title, x, y, curves, logarithmic) in pictures {
        let (x, y) = ((x, Scale::Tight), (y, if logarithmic { Scale::Powers } else { Scale::Linear }));
        let chart = Chart { title, x, y, curves, marks: false, size: [640.0, 400.0] };
        std::fs::write(folder.join(file), chart.svg())?;
        println!("{}", folder.join(file).display());
    }
    Ok(())
}
