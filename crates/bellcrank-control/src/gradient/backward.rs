//! From the end of the horizon to its start: how controls should change, and how they should follow the state.
//!
//! With V the cost to go after a step, V′ = ∂V/∂x: Q_u = ℓ_u + Bᵀ V′, Q_uu = ℓ_uu + Bᵀ V″ B, Q_ux = Bᵀ V″ A; k is the best change
//! within the range of the controls, K = −Q_uu⁻¹ Q_ux on those that are free [Tassa, Mansard, Todorov 2014].
//! The diagonal of Q_uu is raised by μ times itself and its mean, which shortens steps whatever the units.

use super::box_qp;
use super::rows::Quadratic;
use bellcrank_gradient::Transition;

/// What the motors are told besides, and how that follows the state: u + α k + K δx.
#[derive(Clone, Debug)]
pub(super) struct Gain {
    /// (motors,)
    pub k: Vec<f64>,
    /// (motors, states)
    pub K: Vec<f64>,
}

/// What one step of the plan has.
pub(super) struct Stage<'a> {
    pub linear: &'a Transition,
    /// Of the state that the step ends in, and of its controls.
    pub cost: &'a Quadratic,
    /// How far the controls may change: least and largest, (motors,).
    pub range: [Vec<f64>; 2],
}

/// Gains of all steps, and the change of the cost that they promise to first and second order: α d₁ + ½ α² d₂. None where a curvature is not
/// positive; a larger μ makes it so.
pub(super) fn pass(stages: &[Stage<'_>], mu: f64) -> Option<(Vec<Gain>, [f64; 2])> {
    let first = stages.first()?;
    let (n, m) = (first.cost.x.len(), first.cost.u.len());
    let (mut Vx, mut Vxx) = (vec![0.0; n], vec![0.0; n * n]);
    let mut gains = Vec::with_capacity(stages.len());
    let mut promised = [0.0; 2];
    for stage in stages.iter().rev() {
        let Stage { linear: Transition { A, B, .. }, cost, range: [low, high] } = stage;
        Vx.iter_mut().zip(&cost.x).for_each(|(v, l)| *v += l);
        Vxx.iter_mut().zip(&cost.xx).for_each(|(v, l)| *v += l);
        let (VA, VB) = (times(&Vxx, n, &A.values, n), times(&Vxx, n, &B.values, m));
        let (Qx, mut Qu) = (transposed(&A.values, n, &Vx, 1), transposed(&B.values, m, &Vx, 1));
        let (Qxx, Qux, mut Quu) = (
            transposed(&A.values, n, &VA, n),
            transposed(&B.values, m, &VA, n),
            transposed(&B.values, m, &VB, m),
        );
        Qu.iter_mut().zip(&cost.u).for_each(|(q, l)| *q += l);
        Quu.iter_mut().zip(&cost.uu).for_each(|(q, l)| *q += l);
        let mut damped = Quu.clone();
        let mean = (0..m).map(|a| Quu[a * m + a].abs()).sum::<f64>() / m as f64;
        (0..m).for_each(|a| damped[a * m + a] += mu * (Quu[a * m + a].abs() + mean));
        let best = box_qp::solve(&damped, &Qu, low, high)?;
        let mut K = vec![0.0; m * n];
        let mut column = vec![0.0; best.free.len()];
        for x in 0..n {
            best.free.iter().zip(&mut column).for_each(|(a, b)| *b = Qux[a * n + x]);
            best.solve(&mut column);
            best.free.iter().zip(&column).for_each(|(a, b)| K[a * n + x] = *b);
        }
        let k = best.x;
        let Quu_k = times(&Quu, m, &k, 1);
        promised[0] += k.iter().zip(&Qu).map(|(k, q)| k * q).sum::<f64>();
        promised[1] += k.iter().zip(&Quu_k).map(|(k, q)| k * q).sum::<f64>();
        // V′ = Q_x + Kᵀ(Q_uu k + Q_u) + Q_uxᵀ k, V″ = Q_xx + Kᵀ Q_uu K + Kᵀ Q_ux + Q_uxᵀ K
        let pushed: Vec<f64> = Quu_k.iter().zip(&Qu).map(|(a, b)| a + b).collect();
        let (by_K, by_k) = (transposed(&K, n, &pushed, 1), transposed(&Qux, n, &k, 1));
        (0..n).for_each(|i| Vx[i] = Qx[i] + by_K[i] + by_k[i]);
        let both: Vec<f64> = times(&Quu, m, &K, n).iter().zip(&Qux).map(|(a, b)| a + b).collect();
        let (by_K, by_k) = (transposed(&K, n, &both, n), transposed(&Qux, n, &K, n));
        for i in 0..n {
            for j in 0..=i {
                let of = |i: usize, j: usize| Qxx[i * n + j] + by_K[i * n + j] + by_k[i * n + j];
                let mean = 0.5 * (of(i, j) + of(j, i)); // rounding must not make it lopsided
                (Vxx[i * n + j], Vxx[j * n + i]) = (mean, mean);
            }
        }
        gains.push(Gain { k, K });
    }
    gains.reverse();
    Some((gains, promised))
}

/// left · right, with `inner` columns on the left and `columns` on the right.
fn times(left: &[f64], inner: usize, right: &[f64], columns: usize) -> Vec<f64> {
    let mut product = vec![0.0; left.len() / inner.max(1) * columns];
    for (row, out) in left.chunks_exact(inner).zip(product.chunks_exact_mut(columns)) {
        for (factor, right) in row.iter().zip(right.chunks_exact(columns)) {
            out.iter_mut().zip(right).for_each(|(sum, x)| *sum += factor * x);
        }
    }
    product
}

/// leftᵀ · right, with so many columns each.
fn transposed(left: &[f64], left_columns: usize, right: &[f64], columns: usize) -> Vec<f64> {
    let mut product = vec![0.0; left_columns * columns];
    for (left, right) in left.chunks_exact(left_columns).zip(right.chunks_exact(columns)) {
        for (factor, out) in left.iter().zip(product.chunks_exact_mut(columns)) {
            out.iter_mut().zip(right).for_each(|(sum, x)| *sum += factor * x);
        }
    }
    product
}
