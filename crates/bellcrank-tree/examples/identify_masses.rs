//! System identification: the masses of a seven-joint arm from noisy torques.
//!
//!     cargo run --release -p bellcrank-tree --example identify_masses
//!
//! 10 000 states, 5 % noise. Torques are linear in the inertial parameters, τ = Y(q, v, a) π, so one Gauss–Newton step
//! from any guess is the answer; the regressor Y of all states comes from one call.
#![allow(non_snake_case)]

use bellcrank_math::{Cholesky, Pose, Vec3};
use bellcrank_model::{Body, Faults, Joint, ModelBuilder, WORLD};
use bellcrank_tree::TreeModel;
use std::error::Error;

/// What is to be found [kg].
const MASSES: [f64; 7] = [4.1, 4.0, 3.2, 2.9, 1.9, 1.5, 0.7];
const STATES: usize = 10_000;
const NOISE: f64 = 0.05;

/// Seven links in a row with these masses \[kg\], turning about z and y in turn.
pub fn arm(masses: [f64; 7]) -> Result<TreeModel<f64>, Faults> {
    let mut b = ModelBuilder::new("arm");
    let mut last = WORLD;
    for (i, mass) in masses.into_iter().enumerate() {
        let base = Vec3::new(0.0, 0.0, 0.2 * i as f64);
        let body =
            Body::new(format!("link_{i}")).at(Pose::from_position(base)).com(Vec3::new(0.02, -0.01, 0.1));
        let body = b.body(body.solid_box(mass, Vec3::new(0.12, 0.1, 0.2)));
        let axis = if i % 2 == 0 { Vec3::z_axis() } else { Vec3::y_axis() };
        b.joint(Joint::revolute(format!("joint_{i}"), last, body).placed(base, axis));
        last = body.into();
    }
    Ok(TreeModel::new(&b.build()?))
}

/// The ten parameters of a link of one kilogram, (1, c, J about the link frame's origin), in the regressor's order.
fn per_kilogram(i: usize) -> Result<[f64; 10], Faults> {
    let unit = arm([1.0; 7])?.nodes[i].inertia(); // link frames sit in the joints, as nodes do
    let J = unit.J;
    Ok([1.0, unit.h.x, unit.h.y, unit.h.z, J.xx, J.xy, J.yy, J.xz, J.yz, J.zz])
}

/// Numbers in [−size, size], the same in every run (SplitMix64).
fn random(seed: &mut u64, count: usize, size: f64) -> Vec<f64> {
    let mut next = || {
        *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = *seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0) * size
    };
    (0..count).map(|_| next()).collect()
}

/// What a laboratory would measure: states q, v, a and torques with noise in proportion to them.
fn measure(seed: &mut u64) -> Result<[Vec<f64>; 4], Box<dyn Error>> {
    let (q, v, a) =
        (random(seed, 7 * STATES, 2.0), random(seed, 7 * STATES, 2.0), random(seed, 7 * STATES, 4.0));
    let mut tau = vec![0.0; 7 * STATES];
    arm(MASSES)?.batch().rnea(&q, &v, &a, &mut tau)?;
    // a sum of twelve uniform numbers in [−½, ½] is nearly normal, with variance one
    tau.iter_mut().for_each(|tau| *tau *= 1.0 + NOISE * random(seed, 12, 0.5).iter().sum::<f64>());
    Ok([q, v, a, tau])
}

/// Measures, identifies, and fails when the masses found are 1.3 % off or more.
pub fn main() -> Result<(), Box<dyn Error>> {
    let [q, v, a, tau] = measure(&mut 2026)?;
    let mut Y = vec![0.0; STATES * 7 * 70];
    arm([2.0; 7])?.batch().torque_regressor(&q, &v, &a, &mut Y)?;
    let mut shapes = [[0.0; 10]; 7];
    for (i, shape) in shapes.iter_mut().enumerate() {
        *shape = per_kilogram(i)?;
    }
    // weighted least squares: noise is in proportion to the torque
    let (mut normal, mut right) = ([[0.0; 7]; 7], [0.0; 7]);
    for (row, tau) in Y.chunks_exact(70).zip(&tau) {
        let mut by_mass = [0.0; 7];
        for (i, link) in row.chunks_exact(10).enumerate() {
            by_mass[i] = link.iter().zip(&shapes[i]).map(|(y, p)| y * p).sum();
        }
        let weight = 1.0 / (0.01 + tau * tau);
        for r in 0..7 {
            right[r] += weight * by_mass[r] * tau;
            for c in 0..7 {
                normal[r][c] += weight * by_mass[r] * by_mass[c];
            }
        }
    }
    let found = Cholesky::factor(&normal).solve(right);
    let mut mean = 0.0;
    for (i, (found, mass)) in found.into_iter().zip(MASSES).enumerate() {
        let error = (found / mass - 1.0).abs();
        mean += error / 7.0;
        println!("link_{i}: {found:.4} kg found, {mass:.4} kg true, {:.3} % off", 100.0 * error);
    }
    println!("mean error {:.3} %", 100.0 * mean);
    if mean < 0.013 { Ok(()) } else { Err(format!("mean error {:.2} % ≥ 1.3 %", 100.0 * mean).into()) }
}
