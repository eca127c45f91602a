//! A problem seen through the bodies has the same answer as with all its entries.

use bellcrank_solve::{
    BlockFactor, BlockPattern, BodyNewton, BodySpace, BodySpaceWorkspace, Cone, Delassus, DualProblem,
    Iterate, Padmm, PadmmWorkspace, SparseRow,
};

/// Numbers between −1 and 1 that look random.
fn noise(seed: usize) -> f64 {
    ((seed as f64 * 12.9898).sin() * 43758.5453).fract()
}

struct Scene {
    pattern: BlockPattern,
    matrix: BlockFactor<f64>,
    factor: BlockFactor<f64>,
    rows: Vec<SparseRow<f64>>,
    problem: DualProblem<f64>,
}

const CONTACT: Cone<f64> = Cone::Coulomb { mu: 0.5, rows: 3 };

/// Six bodies, two of them joined, in a ring of contacts and on the ground.
fn scene() -> Scene {
    scene_of([CONTACT; 12])
}

/// The same with other cones: every second acts between two bodies, the others on one.
fn scene_of(cones: [Cone<f64>; 12]) -> Scene {
    let bodies = 6;
    let pattern = BlockPattern::new(bodies, [(0, 1)]);
    let mut matrix = BlockFactor::new(&pattern);
    for b in 0..bodies {
        let block = matrix.diagonal_mut(pattern.position(b));
        for i in 0..6 {
            for j in 0..i {
                block[i][j] = 0.1 * noise(100 * b + 10 * i + j);
            }
            block[i][i] = 2.0 + noise(7 * b + i);
        }
    }
    let (block, _) = pattern.block(0, 1).expect("joined");
    for (k, x) in matrix.off_diagonal_mut(block).iter_mut().flatten().enumerate() {
        *x = 0.2 * noise(900 + k);
    }
    let mut factor = matrix.clone();
    factor.factor(&pattern);
    let mut rows = Vec::new();
    for (c, cone) in cones.iter().enumerate() {
        let (a, b) = (c / 2, (c / 2 + 1) % bodies);
        let ground = c % 2 == 0;
        for k in 0..cone.rows() {
            let block = |s: usize| std::array::from_fn(|i| noise(1000 * s + 60 * c + 10 * k + i));
            rows.push(SparseRow {
                bodies: (
                    if ground { None } else { Some(pattern.position(a)) },
                    pattern.position(if ground { a } else { b }),
                ),
                blocks: [block(3), block(5)],
                compliance: if k + 1 == cone.rows() { 1e-3 } else { 0.0 },
            });
        }
    }
    let mut problem = DualProblem::with_capacity(rows.len());
    for cone in cones {
        problem.push(cone);
    }
    problem.finish();
    for (i, g) in problem.g_mut().iter_mut().enumerate() {
        *g = noise(77 + i);
    }
    fill(&mut problem, &rows, (&pattern, &factor));
    Scene { pattern, matrix, factor, rows, problem }
}

/// G = J H⁻¹ Jᵀ + C, entry by entry.
fn fill(
    problem: &mut DualProblem<f64>,
    rows: &[SparseRow<f64>],
    (pattern, factor): (&BlockPattern, &BlockFactor<f64>),
) {
    for (i, row) in rows.iter().enumerate() {
        let mut x = vec![[0.0; 6]; pattern.nodes()];
        x[row.bodies.1] = row.blocks[1];
        if let Some(a) = row.bodies.0 {
            x[a] = row.blocks[0];
        }
        factor.solve(pattern, &mut x);
        for (j, other) in rows.iter().enumerate() {
            let product =
                |b: usize, block: &[f64; 6]| block.iter().zip(&x[b]).map(|(p, q)| p * q).sum::<f64>();
            let mut entry = product(other.bodies.1, &other.blocks[1]);
            entry += other.bodies.0.map_or(0.0, |a| product(a, &other.blocks[0]));
            problem.set(i, j, entry + if i == j { row.compliance } else { 0.0 });
        }
    }
}

#[test]
fn solves_and_products_agree_with_the_dense_matrix() {
    let s = scene();
    let n = s.rows.len();
    let mut ws = BodySpaceWorkspace::default();
    let mut space =
        BodySpace { rows: &s.rows, matrix: &s.matrix, factor: &s.factor, pattern: &s.pattern, ws: &mut ws };
    space.analyse((0..n).map(|i| s.problem.get(i, i)));
    let scale: Vec<f64> = (0..n).map(|i| 0.5 + 0.1 * noise(i)).collect();
    let x: Vec<f64> = (0..n).map(|i| noise(3 * i)).collect();
    let mut product = vec![0.0; n];
    space.times(&x, &mut product);
    for i in 0..n {
        assert!((product[i] - s.problem.row_times(i, &x)).abs() < 1e-12);
    }
    // (P G P + σ) y = x, checked with the dense product
    let sigma = 0.03;
    space.factor(&scale, sigma);
    let mut y = x.clone();
    space.solve(&[], &mut y);
    let scaled: Vec<f64> = y.iter().zip(&scale).map(|(y, p)| y * p).collect();
    for i in 0..n {
        let back = s.problem.row_times(i, &scaled) * scale[i] + sigma * y[i];
        assert!((back - x[i]).abs() < 1e-11, "{back} {}", x[i]);
    }
}

#[test]
fn the_same_reactions_are_found() {
    let s = scene();
    let n = s.rows.len();
    let solver = Padmm { tolerance: 1e-10, max_iterations: 3000, ..Padmm::default() };
    let (mut dense, mut lambda) = (PadmmWorkspace::with_capacity(n), vec![0.0; n]);
    solver.factor::<f64>(&s.problem, &mut dense);
    assert!(solver.solve::<f64>(&mut s.problem.clone(), &mut lambda, &mut dense).converged);
    let (mut ws, mut iterate, mut other) =
        (BodySpaceWorkspace::default(), Iterate::with_capacity(n), vec![0.0; n]);
    let mut space =
        BodySpace { rows: &s.rows, matrix: &s.matrix, factor: &s.factor, pattern: &s.pattern, ws: &mut ws };
    space.analyse((0..n).map(|i| s.problem.get(i, i)));
    solver.factor_with(&s.problem, &mut space, &mut iterate);
    assert!(solver.solve_with((&s.problem, &mut space), true, &mut other, &mut iterate).converged);
    for i in 0..n {
        assert!((lambda[i] - other[i]).abs() < 1e-8, "{i}: {} {}", lambda[i], other[i]);
    }
}

/// Newton's method alone (PADMM may not iterate) finds what it finds with all entries of the matrix, whatever the cones: two contacts
/// with moments, limits and bounds among them. G is regular here, so there is one answer, and both have it to their tolerance over
/// the smallest eigenvalue, which is above the compliance of 1e-3.
#[test]
fn newton_through_the_bodies_finds_the_same_reactions() {
    let mut cones = [CONTACT; 12];
    (cones[1], cones[2]) = (Cone::Coulomb { mu: 0.8, rows: 4 }, Cone::Coulomb { mu: 0.3, rows: 6 });
    (cones[5], cones[6]) = (Cone::Nonnegative, Cone::Box { low: -0.05, high: 0.05 });
    let solver = Padmm { tolerance: 1e-11, max_iterations: 0, ..Padmm::default() };
    for cones in [[CONTACT; 12], cones] {
        let s = scene_of(cones);
        let n = s.rows.len();
        let (mut dense, mut lambda) = (PadmmWorkspace::with_capacity(n), vec![0.0; n]);
        solver.factor::<f64>(&s.problem, &mut dense);
        assert!(solver.solve::<f64>(&mut s.problem.clone(), &mut lambda, &mut dense).converged);
        let (mut ws, mut newton, mut other) =
            (BodySpaceWorkspace::default(), BodyNewton::default(), vec![0.0; n]);
        let mut space = BodySpace {
            rows: &s.rows,
            matrix: &s.matrix,
            factor: &s.factor,
            pattern: &s.pattern,
            ws: &mut ws,
        };
        space.analyse((0..n).map(|i| s.problem.get(i, i)));
        newton.prepare(&s.problem, &space);
        let outcome = newton.solve(&solver, (&mut s.problem.clone(), &mut space), &mut other);
        assert!(outcome.converged && outcome.iterations <= 12.0, "{outcome:?}");
        for i in 0..n {
            assert!((lambda[i] - other[i]).abs() < 1e-8, "{i}: {} {}", lambda[i], other[i]);
        }
    }
}
