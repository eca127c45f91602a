//! System identification as a user would do it: the example, and the gradients behind it.

#[allow(dead_code)]
#[path = "../examples/identify_masses.rs"]
mod example;

use crate::support::Dice;
use bellcrank_tree::RneaGradients;

/// As bard's Table 2: 10 000 states, 5 % noise; its L-BFGS gives a mean error of 1.24 %. The example fails above 1.3 %.
#[test]
fn masses_of_an_arm_are_found_from_torques_with_five_percent_noise() {
    example::main().expect("a mean error below 1.3 %");
}

/// The gradient of λ·τ by all parameters, from the adjoint, is Yᵀ λ.
#[test]
fn parameter_gradients_are_products_with_the_regressor() {
    let tree = example::arm([4.1, 4.0, 3.2, 2.9, 1.9, 1.5, 0.7]).expect("an arm");
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
    crate::support::close("gradient by parameters", &by_parameters, &expected, 1e-13);
}
