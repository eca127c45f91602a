//! Products of dense matrices: a checked way into the kernels of `gemm-f32`, on the calling thread. The crate `gemm` itself would
//! bring those of five other kinds of numbers, a minute of compiling.

use gemm_common::Parallelism;
use gemm_f32::gemm::f32::get_gemm_fn;

/// `gemm` works products of so many numbers out in another way than larger ones.
pub(crate) const SMALL_PRODUCT: usize = 256;

/// A matrix inside a slice, row-major or its transpose.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    values: &'a [f32],
    rows: usize,
    columns: usize,
    /// Numbers from a row to the next, and from a column to the next.
    steps: [usize; 2],
}

impl<'a> View<'a> {
    /// Row after row.
    pub fn new(values: &'a [f32], rows: usize, columns: usize) -> Self {
        assert!(values.len() >= rows * columns, "a matrix of {rows} × {columns} in {} numbers", values.len());
        View { values, rows, columns, steps: [columns, 1] }
    }

    /// Rows become columns.
    pub fn transposed(self) -> Self {
        View { rows: self.columns, columns: self.rows, steps: [self.steps[1], self.steps[0]], ..self }
    }
}

/// out = a·b, or out += a·b; out is row-major.
pub(crate) fn product(out: &mut [f32], a: View<'_>, b: View<'_>, add: bool) {
    let (m, n, k) = (a.rows, b.columns, a.columns);
    assert!(b.rows == k && out.len() >= m * n, "sizes of a product must fit");
    let step = |x: usize| x as isize;
    // SAFETY: `View::new` has checked that every element of `a` and `b` lies in its slice, the assertion above that those of
    // `out` do; `out` is borrowed alone.
    unsafe {
        get_gemm_fn()(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            step(n),
            add,
            a.values.as_ptr(),
            step(a.steps[1]),
            step(a.steps[0]),
            b.values.as_ptr(),
            step(b.steps[1]),
            step(b.steps[0]),
            1.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// out += a·bᵀ for a few rows of b: number after number, each in the same order.
pub(crate) fn add_dots(out: &mut [f32], a: &[f32], b: &[f32], rows_of_b: usize) {
    let k = b.len() / rows_of_b;
    for (out, x) in out.chunks_exact_mut(rows_of_b).zip(a.chunks_exact(k)) {
        out.iter_mut().zip(b.chunks_exact(k)).for_each(|(out, y)| *out += dot(x, y));
    }
}

fn dot(x: &[f32], y: &[f32]) -> f32 {
    let mut sums = [0.0; 16];
    let ((xs, x_rest), (ys, y_rest)) = (x.as_chunks::<16>(), y.as_chunks::<16>());
    for (x, y) in xs.iter().zip(ys) {
        sums.iter_mut().zip(x.iter().zip(y)).for_each(|(sum, (x, y))| *sum += x * y);
    }
    sums.iter().sum::<f32>() + x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [1 2; 3 4]·[5 6; 7 8] = [19 22; 43 50]; with the first transposed [26 30; 38 44].
    #[test]
    fn products_as_on_paper() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]);
        let (a, b) = (View::new(&a, 2, 2), View::new(&b, 2, 2));
        let mut out = [1.0; 4];
        product(&mut out, a, b, false);
        assert_eq!(out, [19.0, 22.0, 43.0, 50.0]);
        product(&mut out, a.transposed(), b, true);
        assert_eq!(out, [45.0, 52.0, 81.0, 94.0]);
    }

    /// 1·1 + 2·2 + … + 20·20 = 20·21·41/6 = 2870, and three more.
    #[test]
    fn dots_as_on_paper() {
        let x: Vec<f32> = (1..=20).map(|k| k as f32).collect();
        let mut out = [3.0, 0.0];
        add_dots(&mut out, &[x.clone(), vec![1.0; 20]].concat(), &x, 1);
        assert_eq!(out, [2873.0, 210.0]);
    }
}
