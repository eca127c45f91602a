//! The block factor solves what it should, on graphs with loops, in every kind of number.

use bellcrank_math::{Elem, Kernel, LaneJob, Real};
use bellcrank_solve::{BlockFactor, BlockPattern};

/// A 6n × 6n matrix M + JᵀJ with random rows between neighbours, dense, for comparison.
struct Example {
    pattern: BlockPattern,
    edges: Vec<(usize, usize)>,
    dense: Vec<Vec<f64>>,
}

fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
}

/// A chain of 12 with three loops.
fn example() -> Example {
    let mut edges: Vec<(usize, usize)> = (1..12).map(|i| (i - 1, i)).collect();
    edges.extend([(0, 4), (3, 9), (6, 11)]);
    let mut dense = vec![vec![0.0; 72]; 72];
    let mut seed = 7;
    for (i, row) in dense.iter_mut().enumerate() {
        row[i] = 1.5 + 0.1 * i as f64;
    }
    for &(a, b) in &edges {
        for _ in 0..5 {
            let j: Vec<f64> = (0..12).map(|_| random(&mut seed)).collect();
            let at = |k: usize| if k < 6 { 6 * a + k } else { 6 * b + k - 6 };
            for r in 0..12 {
                for c in 0..12 {
                    dense[at(r)][at(c)] += 10.0 * j[r] * j[c];
                }
            }
        }
    }
    Example { pattern: BlockPattern::new(12, edges.iter().copied()), edges, dense }
}

struct Solve<'a, R> {
    pattern: &'a BlockPattern,
    factor: &'a mut BlockFactor<R>,
    x: &'a mut [[R; 6]],
}

impl<R: Real> Kernel for Solve<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.factor.factor(self.pattern);
        self.factor.solve(self.pattern, self.x);
    }
}

fn load<R: Real>(example: &Example) -> BlockFactor<R> {
    let mut factor = BlockFactor::new(&example.pattern);
    let entry = |a: usize, b: usize, r: usize, c: usize| R::constant(example.dense[6 * a + r][6 * b + c]);
    for a in 0..12 {
        let block = factor.diagonal_mut(example.pattern.position(a));
        for r in 0..6 {
            (0..6).for_each(|c| block[r][c] = entry(a, a, r, c));
        }
    }
    for &(a, b) in &example.edges {
        let (index, a_is_row) = example.pattern.block(a, b).expect("an edge is in the pattern");
        let (row, col) = if a_is_row { (a, b) } else { (b, a) };
        let block = factor.off_diagonal_mut(index);
        for r in 0..6 {
            (0..6).for_each(|c| block[r][c] = entry(row, col, r, c));
        }
    }
    factor
}

/// ‖H x − b‖∞ for b = (0, 1, 2, …).
struct Residual;

impl<E: Elem> LaneJob<E> for Residual {
    type Output = f64;
    fn run<R: Real<Elem = E>>(self) -> f64 {
        let example = example();
        let mut factor = load::<R>(&example);
        let mut x = vec![[R::zero(); 6]; 12];
        for node in 0..12 {
            x[example.pattern.position(node)] = core::array::from_fn(|k| R::constant((6 * node + k) as f64));
        }
        R::run(Solve { pattern: &example.pattern, factor: &mut factor, x: &mut x });
        let flat: Vec<f64> =
            (0..72).map(|i| x[example.pattern.position(i / 6)][i % 6].lane(R::LANES - 1).to_f64()).collect();
        let error = |i: usize| {
            let sum: f64 = example.dense[i].iter().zip(&flat).map(|(h, x)| h * x).sum();
            (sum - i as f64).abs()
        };
        (0..72).map(error).fold(0.0, f64::max)
    }
}

#[test]
fn the_factor_solves_a_matrix_with_loops() {
    assert!(Residual.run::<f64>() < 1e-11);
    assert!(f64::with_lanes(Residual) < 1e-11);
    assert!(Residual.run::<f32>() < 5e-3);
    assert!(f32::with_lanes(Residual) < 5e-3);
}

/// Fill is set, not added to: numbers that a step leaves there do not come back. Factoring and solving at once gives the same bits as
/// one after the other.
#[test]
fn what_fill_held_before_does_not_matter() {
    let example = example();
    let pattern = &example.pattern;
    let (mut clean, mut dirty) = (load::<f64>(&example), load::<f64>(&example));
    let fill: Vec<usize> = (0..pattern.off_diagonal_count()).filter(|q| pattern.is_fill(*q)).collect();
    assert!(!fill.is_empty());
    fill.iter().for_each(|q| *dirty.off_diagonal_mut(*q) = [[f64::NAN; 6]; 6]);
    let mut seed = 5;
    let mut x: Vec<[f64; 6]> = (0..12).map(|_| core::array::from_fn(|_| random(&mut seed))).collect();
    let mut y = x.clone();
    clean.factor(pattern);
    clean.solve(pattern, &mut x);
    dirty.factor_and_solve(pattern, &mut y);
    assert_eq!(x, y);
    assert!(x.iter().flatten().all(|x| x.is_finite()));
}

/// wᵀw′ from two forward solves along paths is an entry of J H⁻¹ Jᵀ from full solves.
#[test]
fn path_solves_give_the_same_products_as_full_solves() {
    let example = example();
    let pattern = &example.pattern;
    let mut factor = load::<f64>(&example);
    factor.factor(pattern);
    let mut seed = 3;
    let rows: Vec<(Vec<usize>, [[f64; 6]; 2])> = [(0, 5), (7, 3), (11, 2)]
        .iter()
        .map(|&(a, b)| (vec![a, b], core::array::from_fn(|_| core::array::from_fn(|_| random(&mut seed)))))
        .collect();
    let full = |row: &(Vec<usize>, [[f64; 6]; 2])| {
        let mut x = vec![[0.0; 6]; 12];
        for (node, part) in row.0.iter().zip(&row.1) {
            (0..6).for_each(|k| x[pattern.position(*node)][k] += part[k]);
        }
        x
    };
    let along = |row: &(Vec<usize>, [[f64; 6]; 2])| {
        let path = pattern.path(&row.0);
        let mut w = vec![[f64::NAN; 6]; path.len()];
        let on = (Some(pattern.position(row.0[0])), pattern.position(row.0[1]));
        factor.forward_path::<1>(&path, on, &[row.1], &mut w);
        let mut spread = vec![[0.0; 6]; 12];
        path.positions().iter().zip(&w).for_each(|(k, v)| spread[*k] = *v);
        spread
    };
    let dot = |a: &[[f64; 6]], b: &[[f64; 6]]| -> f64 {
        a.iter().flatten().zip(b.iter().flatten()).map(|(x, y)| x * y).sum()
    };
    let path = pattern.path(&rows[0].0);
    let on = (Some(pattern.position(rows[0].0[0])), pattern.position(rows[0].0[1]));
    let (mut one, mut three) = (vec![[f64::NAN; 6]; path.len()], vec![[f64::NAN; 6]; 3 * path.len()]);
    let several = [rows[0].1, rows[1].1, rows[2].1];
    factor.forward_path::<3>(&path, on, &several, &mut three);
    for (row, w) in several.iter().zip(three.chunks(path.len())) {
        factor.forward_path::<1>(&path, on, &[*row], &mut one);
        assert_eq!(one, w);
    }
    for a in &rows {
        for b in &rows {
            let mut solved = full(b);
            factor.solve(pattern, &mut solved);
            let (exact, path) = (dot(&full(a), &solved), dot(&along(a), &along(b)));
            assert!((exact - path).abs() < 1e-12 * (1.0 + exact.abs()), "{exact} against {path}");
        }
    }
}

/// Two bodies of 1 kg joined by rows of 1e8 kg: numbers of 32 bits hold 1e8 + 1 as 1e8, so that nothing is left of the
/// second pivot. The factor is finite all the same, and what pushes both bodies moves them as one.
#[test]
fn a_pivot_that_rounding_eats_up_leaves_a_finite_factor() {
    let pattern = BlockPattern::new(2, [(0, 1)]);
    let mut factor = BlockFactor::<f32>::new(&pattern);
    for b in 0..2 {
        (0..6).for_each(|i| factor.diagonal_mut(b)[i][i] = 1e8 + 1.0);
    }
    let (block, _) = pattern.block(0, 1).expect("joined");
    (0..6).for_each(|i| factor.off_diagonal_mut(block)[i][i] = -1e8);
    factor.factor(&pattern);
    let mut x = [[1.0; 6]; 2];
    factor.solve(&pattern, &mut x);
    for i in 0..6 {
        assert!(x[0][i].is_finite() && x[0][i] > 0.0, "{x:?}");
        assert!((x[0][i] / x[1][i] - 1.0).abs() < 1e-5, "{x:?}");
    }
}
