//! Bounces that follow each other within one step, and rows of things that fall over.

use crate::common::{batch, built};
use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{Body, Geometry, Model, ModelBuilder, Shape, WORLD};
use bellcrank_sim::{Batch, Precision, WorldStatus};
use std::sync::Arc;

/// Each contact's velocity is met to the solver's tolerance of 1e-6 m/s, or 1e-5 in 32 bits; a ball of a row of five moves by what
/// up to four contacts are off.
const BOTH: [(Precision, f64); 2] = [(Precision::F64, 4e-6), (Precision::F32, 4e-5)];

/// Balls in a row along x, without gravity and friction; the first is 11.3 mm from the second, the others `gap` apart.
fn row_of_balls(masses: &[f64], gap: f64) -> Arc<Model> {
    let mut m = ModelBuilder::new("balls");
    m.gravity(Vec3::zero());
    let mut x = 0.0;
    for (k, mass) in masses.iter().enumerate() {
        let name = format!("ball_{k}");
        let ball = m.body(Body::new(&name).at(Pose::translation(x, 0.0, 0.0)).solid_sphere(*mass, 0.05));
        let shape = Shape::new(&name, ball, Geometry::Sphere { radius: 0.05 });
        m.shape(shape.friction(0.0).restitution(1.0));
        x += 0.1 + if k == 0 { 0.0113 } else { gap };
    }
    built(m)
}

/// Velocities along x after the first ball has hit with 1 m/s.
fn after_the_hit(masses: &[f64], gap: f64, precision: Precision) -> Vec<f64> {
    let mut b = batch(&row_of_balls(masses, gap), 1, 0.004, precision);
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(1.0, 0.0, 0.0), Vec3::zero())).unwrap();
    b.step(25);
    (0..masses.len()).map(|k| b.body_velocity(0, k).unwrap().linear.x).collect()
}

/// Equal balls with e = 1 exchange their velocities, pair after pair: only the last one leaves, however small the gaps.
#[test]
fn newtons_cradle_passes_the_momentum_on_whatever_the_gaps() {
    for (precision, tolerance) in BOTH {
        for gap in [0.0, 1e-5, 1e-4, 1e-3, 2e-3, 5e-3] {
            let v = after_the_hit(&[1.0; 5], gap, precision);
            for (v, expected) in v.iter().zip([0.0, 0.0, 0.0, 0.0, 1.0]) {
                assert!((v - expected).abs() < tolerance, "{precision:?}, {gap} m: {v} for {expected}");
            }
        }
    }
}

/// Balls of 4, 2 and 1 kg. A hit of m₁ at v on m₂ at rest leaves v (m₁ − m₂)/(m₁ + m₂) and 2 v m₁/(m₁ + m₂): 1/3 and 4/3,
/// then 4/9 and 16/9. The first ball follows at 1/3 < 4/9 and hits nobody any more.
#[test]
fn balls_of_falling_mass_leave_with_the_velocities_of_hits_one_by_one() {
    for (precision, tolerance) in BOTH {
        let v = after_the_hit(&[4.0, 2.0, 1.0], 1e-4, precision);
        for (v, expected) in v.iter().zip([1.0 / 3.0, 4.0 / 9.0, 16.0 / 9.0]) {
            assert!((v - expected).abs() < tolerance, "{precision:?}: {v} for {expected}");
        }
    }
}

/// Dominoes of 10 × 50 × 100 mm every 40 mm; the first one tips.
fn dominoes(count: usize, precision: Precision) -> Batch {
    let mut m = ModelBuilder::new("dominoes");
    m.shape(Shape::new("floor", WORLD, Geometry::Plane).friction(0.5));
    let size = Vec3::new(0.01, 0.05, 0.1);
    for k in 0..count {
        let name = format!("domino_{k}");
        let at = Pose::translation(0.04 * k as f64, 0.0, 0.05);
        let body = m.body(Body::new(&name).at(at).solid_box(0.05, size));
        m.shape(Shape::new(&name, body, Geometry::Box { half: size * 0.5 }).friction(0.3));
    }
    let mut b = batch(&built(m), 1, 0.001, precision);
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(0.1, 0.0, 0.0), Vec3::new(0.0, 2.0, 0.0))).unwrap();
    b
}

/// All of them fall, and all but a few steps in a hundred meet their tolerance: it is the hardest thing that the solver of
/// piles is given here, a hundred contacts that stick, slide and hit at once.
#[test]
fn a_row_of_dominoes_falls_with_its_equations_met() {
    for (precision, _) in BOTH {
        let (count, steps) = (20, 1200);
        let mut b = dominoes(count, precision);
        let mut inexact = 0;
        for _ in 0..steps {
            inexact += usize::from(b.step(1).status[0] != WorldStatus::Ok);
        }
        assert!(inexact * 100 < 2 * steps, "{precision:?}: {inexact} of {steps}");
        for k in 0..count {
            let z = b.body_pose(0, k).unwrap().p.z;
            assert!(z < 0.04, "{precision:?}: domino {k} stands, its centre at {z} m");
        }
    }
}
