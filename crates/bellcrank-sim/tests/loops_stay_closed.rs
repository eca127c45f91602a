//! Loops do not drift, whatever moves them.

use crate::common::{batch, built, noise, world};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Actuator, Body, Joint, ModelBuilder, WORLD, library};
use bellcrank_sim::{Precision, Settings, WorldStatus};

/// The four-bar driven at one turn per second for 60 s at 4 ms: it makes 60 turns. Its motor gives way by τ/k: bars of 0.16 kg
/// and less on a crank of 0.08 m ask for τ < 0.3 N·m, k is 0.5 N·m·s/rad, so the speed swings by x = 0.6/2π = 10 % of itself at
/// most; over a turn that averages out but for x²/2, of 60 turns 0.3, and the start takes a part of a turn.
fn drive_four_bar(precision: Precision) -> f64 {
    let model = built(library::four_bar());
    let mut b = batch(&model, 1, 0.004, precision);
    b.set_target_velocity(0, 0, core::f64::consts::TAU).unwrap();
    let report = b.step(15_000);
    assert_eq!(report.status[0], WorldStatus::Ok);
    // it did turn: the crank's angle counts whole turns
    let crank = b.joint_position(0).unwrap()[0].abs() / core::f64::consts::TAU;
    assert!((crank - 60.0).abs() < 0.5, "{crank} turns");
    report.loop_gap[0].0
}

#[test]
fn a_driven_four_bar_stays_closed_for_a_minute() {
    let gap = drive_four_bar(Precision::F64);
    assert!(gap <= Settings::default().for_precision(Precision::F64).gap_tolerance, "{gap} m");
}

#[test]
fn a_driven_four_bar_stays_closed_in_single_precision() {
    let gap = drive_four_bar(Precision::F32);
    // positions up to 0.4 m from the origin have a grid of their own: four roundings of it
    let grid = 4.0 * f64::from(f32::EPSILON) * 0.4;
    assert!(gap <= Settings::default().for_precision(Precision::F32).gap_tolerance + grid, "{gap} m");
}

/// Crank 0.2, coupler 0.5, rocker 0.4, ground 0.5 m, one turn per second at 0.2 ms for one turn. By Freudenstein's
/// equation the rocker angle γ obeys d/a cos γ − d/c cos θ + (a² − b² + c² + d²)/(2ac) = cos(θ − γ).
#[test]
fn the_rocker_of_a_four_bar_follows_freudenstein() {
    let (a, c, d) = (0.2_f64, 0.4_f64, 0.5_f64);
    let coupler = 0.5_f64;
    // assembled at crank angle 0: A = (a, 0); rocker's end where the circles of b about A and c about (d, 0) meet
    let base = d - a;
    let x = a + (base * base + coupler * coupler - c * c) / (2.0 * base);
    let z = (coupler * coupler - (x - a) * (x - a)).sqrt();
    let mut m = ModelBuilder::new("freudenstein");
    m.gravity(Vec3::zero());
    let bar = |name: &str, p: Vec3, q: Vec3| {
        let middle = Pose::from_position((p + q) * 0.5);
        Body::new(name).at(middle).solid_box(0.5, Vec3::new(0.2, 0.02, 0.02))
    };
    let (o, p, r, g) = (Vec3::zero(), Vec3::new(a, 0.0, 0.0), Vec3::new(x, 0.0, z), Vec3::new(d, 0.0, 0.0));
    m.body(bar("crank", o, p));
    m.body(bar("coupler", p, r));
    m.body(bar("rocker", r, g));
    m.joint(Joint::revolute("drive", WORLD, "crank").placed(o, -Vec3::y_axis()));
    m.joint(Joint::revolute("pin", "crank", "coupler").placed(p, -Vec3::y_axis()));
    m.joint(Joint::revolute("wrist", "coupler", "rocker").placed(r, -Vec3::y_axis()));
    m.joint(Joint::revolute("pivot", WORLD, "rocker").placed(g, -Vec3::y_axis()));
    m.actuator(Actuator::velocity("motor", "drive", 100.0));
    let model = built(m);
    let mut b = world(&model, 2e-4);
    b.set_target_velocity(0, 0, core::f64::consts::TAU).unwrap();
    let gamma0 = z.atan2(x - d);
    let mut worst = 0.0_f64;
    for _ in 0..500 {
        b.step(10);
        let q = b.joint_position(0).unwrap();
        let (theta, gamma) = (q[0], gamma0 + q[3]);
        // Newton from the measured angle to the exact one
        let f = |g: f64| {
            d / a * g.cos() - d / c * theta.cos()
                + (a * a - coupler * coupler + c * c + d * d) / (2.0 * a * c)
                - (theta - g).cos()
        };
        let mut exact = gamma;
        for _ in 0..20 {
            exact -= f(exact) / ((f(exact + 1e-7) - f(exact - 1e-7)) / 2e-7);
        }
        worst = worst.max((gamma - exact).abs().to_degrees());
    }
    assert!(worst < 0.05, "{worst}°");
}

/// Standing on its feet, motors holding the reference pose.
#[test]
fn the_biped_stands_closed_and_converged() {
    let model = built(library::hybrid_biped());
    for (precision, most) in [(Precision::F64, 1e-9), (Precision::F32, 1e-5)] {
        let mut b = batch(&model, 1, 0.004, precision);
        let start = b.body_pose(0, 0).unwrap().p.z;
        let report = b.step(1000);
        assert!(report.loop_gap[0].0 < most, "{precision:?}: {} m", report.loop_gap[0].0);
        assert_eq!(report.converged[0], 1000, "{precision:?}");
        assert!((b.body_pose(0, 0).unwrap().p.z - start).abs() < 0.01, "it fell");
        assert_eq!(report.contact_count[0], 8);
    }
}

/// Random targets throw it over, also beyond the dead points of its knees; its loops stay closed all the same.
#[test]
fn the_biped_tumbles_closed() {
    tumble(8);
}

/// Two seconds of random targets for so many worlds; gives how many steps converged.
pub fn tumble(worlds: usize) -> usize {
    let mut b = batch(&built(library::hybrid_biped()), worlds, 0.004, Precision::F64);
    let mut converged = 0;
    for k in 0..100 {
        for w in 0..worlds {
            for a in 0..12 {
                b.set_target_position(w, a, 0.3 * noise(97 * k + w, a)).unwrap();
            }
        }
        let report = b.step(5);
        for w in 0..worlds {
            assert!(report.loop_gap[w].0 < 1e-5, "world {w}, block {k}: {} m", report.loop_gap[w].0);
            assert!(!matches!(report.status[w], WorldStatus::Frozen { .. }));
        }
        converged += report.converged.iter().sum::<usize>();
    }
    converged
}

#[test]
fn every_shipped_mechanism_runs_closed() {
    for (name, _, build) in library::ALL {
        let model = built(build());
        let mut b = world(&model, 0.002);
        let report = b.step(250);
        assert!(!matches!(report.status[0], WorldStatus::Frozen { .. }), "{name} froze");
        assert!(report.loop_gap[0].0 < 1e-5, "{name}: {} m", report.loop_gap[0].0);
    }
}
