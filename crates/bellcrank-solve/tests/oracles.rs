//! Against other people's solvers: `faer` for the block factor, `clarabel` for the reactions.

use bellcrank_solve::{BlockFactor, BlockPattern, Cone, DualProblem, Padmm, PadmmWorkspace};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
use faer::linalg::solvers::Solve;

/// Between −1 and 1.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// H = 1 + Σ jᵀj over the edges of a graph with loops: the block factor solves it as faer's dense Cholesky does.
#[test]
fn the_block_factor_agrees_with_faer() {
    let (n, mut seed) = (14, 3);
    let mut edges: Vec<(usize, usize)> = (1..n).map(|i| (i / 2, i)).collect();
    edges.extend([(3, 9), (5, 12), (0, 13)]);
    let pattern = BlockPattern::new(n, edges.iter().copied());
    let mut factor = BlockFactor::<f64>::new(&pattern);
    let mut dense = faer::Mat::<f64>::identity(6 * n, 6 * n);
    for k in 0..n {
        (0..6).for_each(|i| factor.diagonal_mut(k)[i][i] += 1.0);
    }
    for &(a, b) in &edges {
        for _ in 0..5 {
            let j: [[f64; 6]; 2] =
                core::array::from_fn(|_| core::array::from_fn(|_| 3.0 * random(&mut seed)));
            let (block, a_is_row) = pattern.block(a, b).unwrap();
            for r in 0..6 {
                for c in 0..6 {
                    factor.diagonal_mut(pattern.position(a))[r][c] += j[0][r] * j[0][c];
                    factor.diagonal_mut(pattern.position(b))[r][c] += j[1][r] * j[1][c];
                    let (row, column) = if a_is_row { (j[0], j[1]) } else { (j[1], j[0]) };
                    factor.off_diagonal_mut(block)[r][c] += row[r] * column[c];
                    for (one, x) in [(a, j[0]), (b, j[1])] {
                        for (other, y) in [(a, j[0]), (b, j[1])] {
                            dense[(6 * one + r, 6 * other + c)] += x[r] * y[c];
                        }
                    }
                }
            }
        }
    }
    let right: Vec<f64> = (0..6 * n).map(|_| random(&mut seed)).collect();
    let mut x = vec![[0.0; 6]; n];
    for b in 0..n {
        x[pattern.position(b)].copy_from_slice(&right[6 * b..6 * b + 6]);
    }
    factor.factor(&pattern);
    factor.solve(&pattern, &mut x);
    let column = faer::Col::<f64>::from_fn(6 * n, |i| right[i]);
    let answer = dense.llt(faer::Side::Lower).unwrap().solve(&column);
    for b in 0..n {
        for k in 0..6 {
            let (own, other) = (x[pattern.position(b)][k], answer[6 * b + k]);
            // a condition of some 1e3 times rounding
            assert!((own - other).abs() < 1e-12, "body {b}, {k}: {own} against {other}");
        }
    }
}

/// G = AᵀA + 0.1 · 1 and g, at random.
fn problem(cones: &[Cone<f64>], seed: &mut u64) -> DualProblem<f64> {
    let mut p = DualProblem::with_capacity(32);
    p.clear();
    cones.iter().for_each(|cone| p.push(*cone));
    p.finish();
    let n = p.rows();
    let a: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| random(seed)).collect()).collect();
    for i in 0..n {
        for j in 0..=i {
            let own = if i == j { 0.1 } else { 0.0 };
            p.set(i, j, own + (0..n).map(|k| a[k][i] * a[k][j]).sum::<f64>());
        }
        p.g_mut()[i] = random(seed);
    }
    p
}

fn padmm(p: &DualProblem<f64>) -> Vec<f64> {
    let solver = Padmm { tolerance: 1e-10, max_iterations: 5000, ..Padmm::default() };
    let (mut ws, mut lambda) = (PadmmWorkspace::with_capacity(32), vec![0.0; p.rows()]);
    solver.factor::<f64>(p, &mut ws);
    let outcome = solver.solve::<f64>(&mut p.clone(), &mut lambda, &mut ws);
    assert!(outcome.converged, "{outcome:?}");
    lambda
}

/// min ½ λᵀGλ + (g + s)ᵀλ over the cones, with s as given.
fn clarabel(p: &DualProblem<f64>, slip: &[f64]) -> Vec<f64> {
    let n = p.rows();
    let upper = |i: usize, j: usize| if i <= j { p.get(i, j) } else { 0.0 };
    let columns: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| upper(i, j)).collect()).collect();
    let P = CscMatrix::from(&columns);
    let q: Vec<f64> = (0..n).map(|i| p.g()[i] + slip[i]).collect();
    // rows A λ + s = b, s in Clarabel's cones
    let (mut A, mut b, mut cones): (Vec<Vec<f64>>, Vec<f64>, Vec<SupportedConeT<f64>>) = Default::default();
    let mut i = 0;
    let mut row = |at: usize, value: f64, right: f64| {
        let mut line = vec![0.0; n];
        line[at] = value;
        A.push(line);
        b.push(right);
    };
    for cone in p.cones() {
        match *cone {
            Cone::Free => {}
            Cone::Nonnegative => {
                row(i, -1.0, 0.0);
                cones.push(SupportedConeT::NonnegativeConeT(1));
            }
            Cone::Box { low, high } => {
                row(i, -1.0, -low);
                row(i, 1.0, high);
                cones.push(SupportedConeT::NonnegativeConeT(2));
            }
            Cone::Coulomb { mu, rows } => {
                row(i + rows - 1, -mu, 0.0);
                (0..rows - 1).for_each(|k| row(i + k, -1.0, 0.0));
                cones.push(SupportedConeT::SecondOrderConeT(rows));
            }
        }
        i += cone.rows();
    }
    let A = CscMatrix::from(&A);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-12,
        ..Default::default()
    };
    let mut solver = DefaultSolver::new(&P, &q, &A, &b, &cones, settings).unwrap();
    solver.solve();
    solver.solution.x.clone()
}

/// Limits and boxes are a quadratic program.
#[test]
fn limits_and_boxes_agree_with_clarabel() {
    let mut seed = 11;
    for _ in 0..20 {
        let boxed = |low: f64, high: f64| Cone::Box { low, high };
        let cones = [
            Cone::Nonnegative,
            boxed(-0.2, 0.3),
            Cone::Nonnegative,
            Cone::Free,
            boxed(-0.05, 0.05),
            Cone::Nonnegative,
        ];
        let p = problem(&cones, &mut seed);
        let (own, other) = (padmm(&p), clarabel(&p, &[0.0; 6]));
        for (a, b) in own.iter().zip(&other) {
            assert!((a - b).abs() < 1e-7, "{own:?} against {other:?}");
        }
    }
}

/// With De Saxcé's μ‖v_t‖ held at the answer's value, contacts are a second-order cone program whose answer is the same.
#[test]
fn contacts_agree_with_clarabel() {
    let mut seed = 5;
    let (mut slid, mut stuck) = (0, 0);
    for _ in 0..20 {
        let cones = [
            Cone::Coulomb { mu: 0.5, rows: 3 },
            Cone::Coulomb { mu: 0.8, rows: 3 },
            Cone::Coulomb { mu: 0.3, rows: 4 },
            Cone::Nonnegative,
        ];
        let p = problem(&cones, &mut seed);
        let own = padmm(&p);
        let mut slip = vec![0.0; p.rows()];
        let mut i = 0;
        for cone in &cones {
            if let Cone::Coulomb { mu, rows } = cone {
                let v = |k: usize| p.row_times(i + k, &own) + p.g()[i + k];
                let speed = (0..rows - 1).map(|k| v(k) * v(k)).sum::<f64>().sqrt();
                slip[i + rows - 1] = mu * speed;
                if own[i + rows - 1] > 1e-6 {
                    *(if speed > 1e-6 { &mut slid } else { &mut stuck }) += 1;
                }
            }
            i += cone.rows();
        }
        let other = clarabel(&p, &slip);
        for (a, b) in own.iter().zip(&other) {
            // an interior point stops √gap = 1e-6 short where a contact barely slides
            assert!((a - b).abs() < 1e-5, "{own:?} against {other:?}");
        }
    }
    assert!(slid > 3 && stuck > 3, "both kinds occur: {slid} slide, {stuck} stick");
}

/// Newton's method alone, without PADMM behind it, solves all but a few random problems from nothing within its twelve steps.
/// Contacts that slide, stick and part are all among them.
#[test]
fn newtons_method_alone_solves_nearly_all() {
    let (mut seed, mut failed) = (5, 0);
    for _ in 0..300 {
        let contact = |rows| Cone::Coulomb { mu: 0.7, rows };
        let boxed = Cone::Box { low: -0.1, high: 0.1 };
        let p = problem(&[Cone::Nonnegative, boxed, contact(3), contact(4), contact(3), boxed], &mut seed);
        let solver = Padmm { tolerance: 1e-10, max_iterations: 0, ..Padmm::default() };
        let (mut ws, mut lambda) = (PadmmWorkspace::with_capacity(32), vec![0.0; p.rows()]);
        solver.factor::<f64>(&p, &mut ws);
        if !solver.solve::<f64>(&mut p.clone(), &mut lambda, &mut ws).converged {
            failed += 1;
            continue;
        }
        let velocity: Vec<f64> = (0..p.rows()).map(|i| p.g()[i] + p.row_times(i, &lambda)).collect();
        let mut i = 0;
        for cone in p.cones() {
            let here = i..i + cone.rows();
            let check = cone.check(&lambda[here.clone()], &velocity[here.clone()], 1.0);
            assert!(check.natural_map < 1e-8, "{check:?}");
            i += cone.rows();
        }
    }
    assert!(failed <= 3, "{failed} of 300 failed");
}
