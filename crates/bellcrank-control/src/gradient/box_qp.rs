//! min ½ xᵀHx + gᵀx within l ≤ x ≤ h, by projected Newton steps [Tassa, Mansard, Todorov 2014].

use bellcrank_math::{factor_cholesky, solve_cholesky};

/// The least point and which numbers are free there.
pub(super) struct Boxed {
    pub x: Vec<f64>,
    pub free: Vec<usize>,
    /// Of H with rows and columns of the free numbers.
    factor: Vec<f64>,
}

impl Boxed {
    /// −H_ff⁻¹ b_f in place, for one number per free one.
    pub fn solve(&self, b: &mut [f64]) {
        solve_cholesky(&self.factor, self.free.len(), b);
        b.iter_mut().for_each(|x| *x = -*x);
    }
}

/// Newton steps; active sets of a dozen numbers settle in a few.
const STEPS: usize = 50;

/// None where H is not positive definite on the free numbers, or something is not finite.
pub(super) fn solve(H: &[f64], g: &[f64], low: &[f64], high: &[f64]) -> Option<Boxed> {
    let n = g.len();
    let product = |x: &[f64], i: usize| H[i * n..][..n].iter().zip(x).map(|(h, x)| h * x).sum::<f64>();
    let value = |x: &[f64]| (0..n).map(|i| x[i] * (0.5 * product(x, i) + g[i])).sum::<f64>();
    let mut x: Vec<f64> = (0..n).map(|i| 0.0_f64.max(low[i]).min(high[i])).collect();
    for _ in 0..STEPS {
        let slope: Vec<f64> = (0..n).map(|i| g[i] + product(&x, i)).collect();
        let held = |i: usize| x[i] <= low[i] && slope[i] > 0.0 || x[i] >= high[i] && slope[i] < 0.0;
        let free: Vec<usize> = (0..n).filter(|i| !held(*i)).collect();
        let mut factor: Vec<f64> =
            free.iter().flat_map(|&i| free.iter().map(move |j| H[i * n + j])).collect();
        factor_cholesky(&mut factor, free.len());
        if !factor.iter().all(|l| l.is_finite()) {
            return None;
        }
        let mut step: Vec<f64> = free.iter().map(|i| -slope[*i]).collect();
        solve_cholesky(&factor, free.len(), &mut step);
        // ½ gᵀH⁻¹g is what the step would save; rounding leaves 1e-16 of the whole
        let saved: f64 = free.iter().zip(&step).map(|(i, s)| -slope[*i] * s).sum();
        let before = value(&x);
        if saved <= 1e-14 * before.abs().max(1e-30) {
            return Some(Boxed { x, free, factor });
        }
        let at = |share: f64| {
            let mut next = x.clone();
            free.iter().zip(&step).for_each(|(i, s)| next[*i] = (x[*i] + share * s).clamp(low[*i], high[*i]));
            next
        };
        let shares = (0..30).map(|k| 0.6_f64.powi(k));
        let Some(next) = shares.map(at).find(|next| value(next) < before) else {
            return Some(Boxed { x, free, factor });
        };
        x = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAR: [f64; 2] = [f64::INFINITY; 2];

    /// Without bounds the point is −H⁻¹ g: of [[2, 1], [1, 3]] and (−3, −5) it is (4/5, 7/5).
    #[test]
    fn without_bounds_it_is_newtons_point() {
        let found = solve(&[2.0, 1.0, 1.0, 3.0], &[-3.0, -5.0], &FAR.map(|x| -x), &FAR).unwrap();
        assert!((found.x[0] - 0.8).abs() < 1e-12 && (found.x[1] - 1.4).abs() < 1e-12, "{:?}", found.x);
        let mut b = [1.0, 0.0];
        found.solve(&mut b);
        assert!((b[0] + 0.6).abs() < 1e-12 && (b[1] - 0.2).abs() < 1e-12, "{b:?}");
    }

    /// With x₂ held at 1 the first is (3 − 1)/2 = 1; with both held, nothing is free.
    #[test]
    fn at_bounds_the_others_are_best_alone() {
        let H = [2.0, 1.0, 1.0, 3.0];
        let found = solve(&H, &[-3.0, -5.0], &[-2.0, -2.0], &[2.0, 1.0]).unwrap();
        assert!((found.x[0] - 1.0).abs() < 1e-12 && found.x[1] == 1.0 && found.free == [0], "{:?}", found.x);
        let found = solve(&H, &[-3.0, -5.0], &[-2.0, -2.0], &[0.5, 1.0]).unwrap();
        assert!(found.x == [0.5, 1.0] && found.free.is_empty());
    }

    #[test]
    fn what_has_no_least_point_is_refused() {
        assert!(solve(&[-1.0], &[1.0], &[-1.0], &[1.0]).is_none());
        assert!(solve(&[f64::NAN], &[1.0], &[-1.0], &[1.0]).is_none());
    }
}
