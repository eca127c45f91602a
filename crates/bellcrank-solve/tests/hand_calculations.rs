//! Small contact problems with answers by hand.

use bellcrank_solve::{Cone, DualProblem, Padmm, PadmmWorkspace};

fn problem(g: &[f64], matrix: &[&[f64]], cones: Vec<Cone<f64>>) -> DualProblem<f64> {
    let mut p = DualProblem::with_capacity(g.len());
    cones.into_iter().for_each(|cone| p.push(cone));
    p.finish();
    for (i, row) in matrix.iter().enumerate() {
        row.iter().enumerate().for_each(|(j, value)| p.set(i, j, *value));
    }
    p.g_mut().copy_from_slice(g);
    p
}

fn solve(p: &DualProblem<f64>) -> (Vec<f64>, usize) {
    let mut lambda = vec![0.0; p.rows()];
    let mut ws = PadmmWorkspace::with_capacity(p.rows());
    let solver = Padmm { tolerance: 1e-10, ..Padmm::default() };
    solver.factor::<f64>(p, &mut ws);
    let outcome = solver.solve::<f64>(&mut p.clone(), &mut lambda, &mut ws);
    assert!(outcome.converged, "{outcome:?}");
    (lambda, outcome.iterations as usize)
}

fn close(a: &[f64], b: &[f64]) {
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() < 1e-8, "{a:?} against {b:?}");
    }
}

/// A unit mass slides at 1 m/s and falls at 0.1 m/s onto a plane, μ = ½.
/// By hand: λ_n = 0.1, λ_t = −μ λ_n = −0.05, v⁺ = (0.95, 0, 0): it neither sinks nor lifts.
#[test]
fn sliding_contact_matches_hand_calculation() {
    let unit: [&[f64]; 3] = [&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]];
    let p = problem(&[1.0, 0.0, -0.1], &unit, vec![Cone::Coulomb { mu: 0.5, rows: 3 }]);
    close(&solve(&p).0, &[-0.05, 0.0, 0.1]);
}

/// The same at 0.02 m/s sticks: λ_t = −0.02.
#[test]
fn a_slow_contact_sticks() {
    let unit: [&[f64]; 3] = [&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]];
    let p = problem(&[0.02, 0.0, -0.1], &unit, vec![Cone::Coulomb { mu: 0.5, rows: 3 }]);
    close(&solve(&p).0, &[-0.02, 0.0, 0.1]);
}

/// A limit that is being left gives no reaction; one that is being hit gives all of it.
#[test]
fn limits_push_only() {
    let p = problem(&[0.3, -0.4], &[&[2.0, 0.0], &[0.0, 2.0]], vec![Cone::Nonnegative; 2]);
    close(&solve(&p).0, &[0.0, 0.2]);
}

/// A drive that would need 5 N·m·s has only 2: it gives 2.
#[test]
fn a_drive_gives_no_more_than_it_has() {
    let p = problem(&[-5.0], &[&[1.0]], vec![Cone::Box { low: -2.0, high: 2.0 }]);
    close(&solve(&p).0, &[2.0]);
    let p = problem(&[-1.5], &[&[1.0]], vec![Cone::Box { low: -2.0, high: 2.0 }]);
    close(&solve(&p).0, &[1.5]);
}

/// Two rows that say the same share one reaction: G is singular, the sum is determined.
#[test]
fn redundant_rows_share_the_load() {
    let p = problem(&[-1.0, -1.0], &[&[1.0, 1.0], &[1.0, 1.0]], vec![Cone::Nonnegative; 2]);
    let (lambda, _) = solve(&p);
    assert!((lambda[0] + lambda[1] - 1.0).abs() < 1e-8 && lambda[0] >= 0.0 && lambda[1] >= 0.0);
}

#[test]
fn a_warm_start_at_the_answer_ends_at_once() {
    let unit: [&[f64]; 3] = [&[1.0, 0.2, 0.1], &[0.2, 1.0, 0.3], &[0.1, 0.3, 1.0]];
    let p = problem(&[1.0, 0.4, -0.1], &unit, vec![Cone::Coulomb { mu: 0.5, rows: 3 }]);
    let (mut lambda, cold) = solve(&p);
    let (solver, mut ws) = (Padmm { tolerance: 1e-7, ..Padmm::default() }, PadmmWorkspace::with_capacity(3));
    solver.factor::<f64>(&p, &mut ws);
    let mut moved = p.clone();
    moved.put_in(&lambda);
    let outcome = solver.solve::<f64>(&mut moved, &mut lambda, &mut ws);
    assert!(outcome.converged && outcome.iterations <= 3.0 && cold > 3, "{outcome:?}");
}
