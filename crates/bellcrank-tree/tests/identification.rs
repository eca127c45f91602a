//! System identification as a user would do it: the masses of a seven-joint arm from noisy torques.
//!
//! As bard's Table 2: 10 000 states, 5 % noise; bard's L-BFGS gives a mean error of 1.24 %. Torques are linear in the
//! masses, so one Gauss–Newton step from any guess is the answer.
#![allow(non_snake_case)]

mod support;

use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Body, Joint, ModelBuilder, WORLD};
use bellcrank_tree::{RneaGradients, TreeModel};
use support::Dice;

const MASSES: [f64; 7] = [4.1, 4.0, 3.2, 2.9, 1.9, 1.5, 0.7];
const STATES: usize = 10_000;

fn arm(masses: [f64; 7]) -> TreeModel<f64> {
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
    TreeModel::new(&b.build().expect("an arm"))
}

/// Parameters of link i per kilogram: (1, c, J/m about the link's origin), the same for all links.
fn per_mass(tree: &TreeModel<f64>, i: usize) -> [f64; 10] {
    let link = &arm([1.0; 7]).nodes[i].inertia;
    assert_eq!(tree.frames[i].p, Vec3::zero()); // the link frame sits in the joint
    let J = link.J;
    [1.0, link.h.x, link.h.y, link.h.z, J.xx, J.xy, J.yy, J.xz, J.yz, J.zz]
}

#[test]
fn masses_of_an_arm_are_found_from_torques_with_five_percent_noise() {
    let truth = arm(MASSES);
    let mut dice = Dice(2026);
    let (q, v, a) = (dice.many(7 * STATES, 2.0), dice.many(7 * STATES, 2.0), dice.many(7 * STATES, 4.0));
    let mut tau = vec![0.0; 7 * STATES];
    truth.batch().rnea(&q, &v, &a, &mut tau).unwrap();
    // nearly normal noise: a sum of twelve uniform numbers in [−1, 1] has variance 4
    tau.iter_mut().for_each(|tau| *tau *= 1.0 + 0.05 * dice.many(12, 0.5).iter().sum::<f64>());

    let guess = arm([2.0; 7]);
    let mut Y = vec![0.0; STATES * 7 * 70];
    guess.batch().torque_regressor(&q, &v, &a, &mut Y).unwrap();
    let shapes: Vec<[f64; 10]> = (0..7).map(|i| per_mass(&guess, i)).collect();
    let (mut normal, mut right) = ([[0.0; 7]; 7], [0.0; 7]);
    for (row, tau) in Y.chunks_exact(70).zip(&tau) {
        let by_mass: [f64; 7] = core::array::from_fn(|i| {
            row[10 * i..10 * i + 10].iter().zip(&shapes[i]).map(|(y, p)| y * p).sum()
        });
        let weight = 1.0 / (0.01 + tau * tau); // noise is in proportion to the torque
        for r in 0..7 {
            right[r] += weight * by_mass[r] * tau;
            for c in 0..7 {
                normal[r][c] += weight * by_mass[r] * by_mass[c];
            }
        }
    }
    let found = bellcrank_math::Cholesky::factor(&normal).solve(right);
    let errors: Vec<f64> = found.iter().zip(MASSES).map(|(f, m)| (f / m - 1.0).abs()).collect();
    let mean = errors.iter().sum::<f64>() / 7.0;
    println!("mean error of the masses {:.3} %", 100.0 * mean);
    assert!(mean < 0.013, "mean error {:.2} %: {found:?}", 100.0 * mean);
}

/// The gradient of λ·τ by all parameters, from the adjoint, is Yᵀ λ.
#[test]
fn parameter_gradients_are_products_with_the_regressor() {
    let tree = arm(MASSES);
    let mut dice = Dice(5);
    let n = 9;
    let (q, v, a, lambda) =
        (dice.many(7 * n, 2.0), dice.many(7 * n, 2.0), dice.many(7 * n, 4.0), dice.many(7 * n, 1.0));
    let (mut Y, mut by_parameters) = (vec![0.0; n * 7 * 70], vec![0.0; n * 70]);
    tree.batch().torque_regressor(&q, &v, &a, &mut Y).unwrap();
    let mut unused = vec![vec![0.0; 7 * n]; 3];
    let [by_q, by_v, by_a] = &mut unused[..] else { unreachable!() };
    let out = RneaGradients { q: by_q, v: by_v, a: by_a, parameters: &mut by_parameters };
    tree.batch().rnea_vjp(&q, &v, &a, &lambda, out).unwrap();
    let expected: Vec<f64> = (0..n * 70)
        .map(|i| (0..7).map(|r| Y[(i / 70 * 7 + r) * 70 + i % 70] * lambda[i / 70 * 7 + r]).sum())
        .collect();
    support::close("gradient by parameters", &by_parameters, &expected, 1e-13);
}
