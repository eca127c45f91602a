//! A solve that finds no answer ends with its budget, and says so.

use bellcrank_solve::{Budget, Cone, DualProblem, Padmm, PadmmWorkspace};

/// Numbers between −1 and 1 that look random.
fn noise(seed: usize) -> f64 {
    ((seed as f64 * 12.9898).sin() * 43758.5453).fract()
}

/// Contacts that press against each other: G = A Aᵀ of half rank, and velocities out of its range.
fn hopeless(contacts: usize) -> DualProblem<f64> {
    let n = 3 * contacts;
    let mut problem = DualProblem::with_capacity(n);
    for _ in 0..contacts {
        problem.push(Cone::Coulomb { mu: 0.5, rows: 3 });
    }
    problem.finish();
    let a = |i: usize, k: usize| noise(1000 * i + k + 1);
    for i in 0..n {
        for j in 0..=i {
            problem.set(i, j, (0..n / 2).map(|k| a(i, k) * a(j, k)).sum());
        }
        problem.g_mut()[i] = noise(7 * i + 3) - if i % 3 == 2 { 2.0 } else { 0.0 };
    }
    problem
}

/// A million iterations are allowed, but work for some hundreds of n² multiplications each, and fewer of Newton's, which
/// cost n³. What is spent in one round of a step is missing in the next, until a new step begins.
#[test]
fn iterations_end_with_the_budget() {
    let problem = hopeless(20);
    let n = problem.rows();
    let solver = Padmm { tolerance: 1e-30, max_iterations: 1_000_000, ..Padmm::default() };
    let most = 3e6;
    let mut ws = PadmmWorkspace::with_capacity(n);
    ws.budget = Budget::of(most);
    solver.factor::<f64>(&problem, &mut ws);
    let solve =
        |ws: &mut PadmmWorkspace<f64>| solver.solve::<f64>(&mut problem.clone(), &mut vec![0.0; n], ws);
    let first = solve(&mut ws);
    assert!(!first.converged && first.dual.is_finite(), "{first:?}");
    let bound = most / (n * n) as f64;
    assert!(first.iterations > 0.0 && first.iterations < 1.1 * bound, "{first:?}, {bound}");
    assert!(ws.budget.is_spent());
    let second = solve(&mut ws);
    assert!(!second.converged && second.iterations == 0.0 && second.dual > 0.0, "{second:?}");
    ws.budget.refill();
    assert_eq!(solve(&mut ws).iterations, first.iterations);
}
