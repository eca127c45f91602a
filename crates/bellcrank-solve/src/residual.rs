//! Conjugate residuals: a few steps towards A x = b for symmetric A, from products alone.

use bellcrank_math::Real;

/// Memory of a solve.
#[derive(Clone, Debug, Default)]
pub struct ResidualWorkspace<R> {
    r: Vec<R>,
    p: Vec<R>,
    Ar: Vec<R>,
    Ap: Vec<R>,
}

#[inline(always)]
fn dot<R: Real>(a: &[R], b: &[R]) -> R {
    let mut sum = R::zero();
    for (a, b) in a.iter().zip(b) {
        sum = a.mul_add(*b, sum);
    }
    sum
}

/// a / b, or zero where b is.
#[inline(always)]
fn ratio<R: Real>(a: R, b: R) -> R {
    let none = b.abs().le(R::zero());
    R::select(none, R::zero(), a / R::select(none, R::one(), b))
}

/// Something that can be multiplied with a vector.
pub trait Product<R> {
    /// out ← A x
    fn times(&mut self, x: &[R], out: &mut [R]);
}

/// `iterations` steps of the method of conjugate residuals from the guess in `x`; each makes ‖b − A x‖ least over one
/// more direction.
#[inline(always)]
pub fn conjugate_residual<R: Real>(
    product: &mut impl Product<R>,
    b: &[R],
    iterations: usize,
    x: &mut [R],
    ws: &mut ResidualWorkspace<R>,
) {
    let n = b.len();
    for list in [&mut ws.r, &mut ws.p, &mut ws.Ar, &mut ws.Ap] {
        list.clear();
        list.resize(n, R::zero());
    }
    product.times(x, &mut ws.Ap);
    for i in 0..n {
        ws.r[i] = b[i] - ws.Ap[i];
    }
    product.times(&ws.r, &mut ws.Ar);
    ws.p.copy_from_slice(&ws.r);
    ws.Ap.copy_from_slice(&ws.Ar);
    let mut r_Ar = dot(&ws.r, &ws.Ar);
    for _ in 0..iterations {
        let alpha = ratio(r_Ar, dot(&ws.Ap, &ws.Ap));
        for i in 0..n {
            x[i] = alpha.mul_add(ws.p[i], x[i]);
            ws.r[i] = alpha.neg_mul_add(ws.Ap[i], ws.r[i]);
        }
        product.times(&ws.r, &mut ws.Ar);
        let next = dot(&ws.r, &ws.Ar);
        let beta = ratio(next, r_Ar);
        r_Ar = next;
        for i in 0..n {
            ws.p[i] = beta.mul_add(ws.p[i], ws.r[i]);
            ws.Ap[i] = beta.mul_add(ws.Ap[i], ws.Ar[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Dense(Vec<Vec<f64>>);
    impl Product<f64> for Dense {
        fn times(&mut self, x: &[f64], out: &mut [f64]) {
            for (row, out) in self.0.iter().zip(out) {
                *out = dot(row, x);
            }
        }
    }

    /// In exact arithmetic n steps solve a system of n equations; fewer leave a residual that never grows.
    #[test]
    fn as_many_steps_as_unknowns_solve_and_each_helps() {
        let mut A = Dense(vec![vec![4.0, 1.0, 0.0], vec![1.0, 3.0, -1.0], vec![0.0, -1.0, 2.0]]);
        let b = [1.0, -2.0, 0.5];
        let mut last = f64::INFINITY;
        for steps in 0..=3 {
            let (mut x, mut Ax) = ([0.0; 3], [0.0; 3]);
            conjugate_residual(&mut A, &b, steps, &mut x, &mut ResidualWorkspace::default());
            A.times(&x, &mut Ax);
            let left = b.iter().zip(Ax).map(|(b, a)| (b - a) * (b - a)).sum::<f64>().sqrt();
            assert!(left <= last, "{steps}: {left}");
            last = left;
        }
        assert!(last < 1e-12, "{last}");
    }
}
