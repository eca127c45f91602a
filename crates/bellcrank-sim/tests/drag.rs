//! Air and water against hand calculations.

use crate::common::{bits, built, world};
use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{Body, Medium, Model, ModelBuilder};
use bellcrank_sim::{Batch, BatchOptions, Precision};
use std::f64::consts::PI;
use std::sync::Arc;

const DT: f64 = 1e-5;

/// A box of 3 kg and 0.1 × 0.2 × 0.4 m, turned by a quarter about z, in this medium and without gravity.
fn brick(medium: Medium) -> Arc<Model> {
    let mut m = ModelBuilder::new("brick");
    m.gravity(Vec3::zero()).medium(medium);
    let turned = bellcrank_math::Quat::from_axis_angle(Vec3::z_axis(), 0.5 * PI);
    m.body(Body::new("brick").at(Pose::new(turned, Vec3::zero())).solid_box(3.0, Vec3::new(0.1, 0.2, 0.4)));
    built(m)
}

fn moving(medium: Medium, V: Twist) -> Batch {
    let mut b = world(&brick(medium), DT);
    b.set_body_velocity(0, 0, V).unwrap();
    b
}

/// Change of the velocity per second, over one short step.
fn acceleration(medium: Medium, V: Twist) -> [f64; 6] {
    let mut b = moving(medium, V);
    b.step(1);
    let (new, old) = (b.body_velocity(0, 0).unwrap().to_array(), V.to_array());
    [0, 1, 2, 3, 4, 5].map(|i| (new[i] - old[i]) / DT)
}

/// Along the world's x the brick shows its sides y and z: 0.2·0.4 is the area of x, so that world x meets 0.1 × 0.4 and
/// f = −½ 1000 · 0.04 · 2² = −80 N on 3 kg. Stokes: d = 0.7/3 m, f = −3π β d v.
#[test]
fn a_brick_is_held_back_by_its_sides_and_by_stokes() {
    let water = Medium { density: 1000.0, ..Medium::default() };
    let a = acceleration(water, Twist::new(Vec3::new(2.0, 0.0, 0.0), Vec3::zero()));
    assert!((a[0] + 80.0 / 3.0).abs() < 1e-2 && a[1].abs() < 1e-6, "{a:?}");
    let honey = Medium { viscosity: 5.0, ..Medium::default() };
    let a = acceleration(honey, Twist::new(Vec3::new(0.0, 2.0, 0.0), Vec3::zero()));
    assert!((a[1] + 3.0 * PI * 5.0 * (0.7 / 3.0) * 2.0 / 3.0).abs() < 1e-3, "{a:?}");
    // about z: I = 3 (0.01 + 0.04)/12, moment −ρ 0.4 (0.1⁴ + 0.2⁴) 9/64
    let a = acceleration(water, Twist::new(Vec3::zero(), Vec3::new(0.0, 0.0, 3.0)));
    let moment = 1000.0 * 0.4 * (1e-4 + 16e-4) * 9.0 / 64.0;
    let turns = moment / (3.0 * 0.05 / 12.0);
    assert!((a[5] + turns).abs() < 1e-4 * turns, "{a:?}"); // Δt c/I = 2.6e-5 is what the step takes off
}

/// Wind takes the brick along: it ends with the velocity of the wind, also with steps in which the drag would throw it back at
/// once if it were taken at their start, Δt c/m = 0.1 · 3π · 50 · 0.23/3 = 3.7.
#[test]
fn wind_carries_along_whatever_the_step() {
    let wind = Vec3::new(1.0, -2.0, 0.5);
    let honey = Medium { viscosity: 50.0, density: 1000.0, wind };
    let mut b = world(&brick(honey), 0.1);
    let mut last = f64::INFINITY;
    for _ in 0..40 {
        b.step(1);
        let away = (b.body_velocity(0, 0).unwrap().linear - wind).norm();
        assert!(away <= last);
        last = away;
    }
    assert!(last < 1e-6, "{last}");
}

/// Energy only falls, and worlds in lanes are as if alone; a model in empty space has no drag at all.
#[test]
fn every_world_has_its_own_drag() {
    let air = Medium { density: 1.2, viscosity: 1.8e-5, wind: Vec3::zero() };
    let V = |w: usize| Twist::new(Vec3::new(w as f64, 3.0, -1.0), Vec3::new(0.3, w as f64 - 5.0, 2.0));
    for precision in [Precision::F64, Precision::F32] {
        let options = BatchOptions { dt: Some(4e-3), precision, ..BatchOptions::default() };
        let mut many = Batch::new(brick(air), 19, options).unwrap();
        (0..19).for_each(|w| many.set_body_velocity(w, 0, V(w)).unwrap());
        let start = many.energy(3).unwrap();
        many.step(50);
        assert!(many.energy(3).unwrap() < start);
        for w in 0..19 {
            let mut one = Batch::new(brick(air), 1, options).unwrap();
            one.set_body_velocity(0, 0, V(w)).unwrap();
            one.step(50);
            assert_eq!(bits(&one, 0), bits(&many, w), "world {w}");
        }
    }
}
