//! Sums of rows, a vector of neighbours at a time.
//!
//! Elsewhere a lane is a world. The rows with cones of one world are a small dense problem of its own size, with its own number
//! of steps: here the numbers of a vector `V` are neighbours in one row of one world. Every entry is the same sum in the same
//! order whatever the length of `V`, so that bits do not depend on it.

use bellcrank_math::{Elem, Real};

/// The length of a row of `n` numbers that whole vectors fit into, on any processor.
#[inline(always)]
pub(crate) fn padded<E: Elem>(n: usize) -> usize {
    n.next_multiple_of(E::LANE_COUNT)
}

/// x += a y
#[inline(always)]
pub(crate) fn add_times<V: Real>(x: &mut [V::Elem], a: V::Elem, y: &[V::Elem]) {
    let a = V::splat(a);
    for (x, y) in x.chunks_exact_mut(V::LANES).zip(y.chunks_exact(V::LANES)) {
        a.mul_add(V::load(y), V::load(x)).store(x);
    }
}

/// x += Σ aₖ Mᵢ with i = row(k), of a matrix whose rows are as long as x.
#[inline(always)]
pub(crate) fn add_rows<V: Real>(
    x: &mut [V::Elem],
    a: &[V::Elem],
    row: impl Fn(usize) -> usize,
    matrix: &[V::Elem],
) {
    let length = x.len();
    if V::LANES == 1 {
        for (k, a) in a.iter().enumerate() {
            add_times::<V>(x, *a, &matrix[row(k) * length..][..length]);
        }
        return;
    }
    for (c, x) in x.chunks_exact_mut(V::LANES).enumerate() {
        let mut sum = V::load(x);
        for (k, a) in a.iter().enumerate() {
            let at = row(k) * length + c * V::LANES;
            sum = V::splat(*a).mul_add(V::load(&matrix[at..at + V::LANES]), sum);
        }
        sum.store(x);
    }
}

/// Inverts a square part of a matrix in place: row k of `matrix` and column `chosen[k]`, for all k, by Gauss and Jordan
/// without a choice of pivots. Other columns are left with numbers of no meaning. `unit` is zero but for a one in its
/// middle, and at least twice as long as a row.
#[inline(always)]
pub(crate) fn invert<V: Real>(
    matrix: &mut [V::Elem],
    chosen: &[u16],
    unit: &[V::Elem],
    pivot: &mut [V::Elem],
) {
    let length = pivot.len();
    let one = V::Elem::one();
    for (p, column) in chosen.iter().enumerate() {
        let column = *column as usize;
        let inverse = matrix[p * length + column].recip();
        let e = &unit[unit.len() / 2 - column..][..length];
        // the pivot's row divided by it, with 1/pivot where that leaves a one; and with 1 + 1/pivot for the other rows, of which
        // this takes what they have in the column and leaves what the inverse has there
        let (share, rest) = (V::splat(inverse), V::splat(inverse - one));
        let row = &mut matrix[p * length..][..length];
        for ((row, e), pivot) in
            row.chunks_exact_mut(V::LANES).zip(e.chunks_exact(V::LANES)).zip(pivot.chunks_exact_mut(V::LANES))
        {
            let (divided, e) = (V::load(row) * share, V::load(e));
            e.mul_add(rest, divided).store(row);
            e.mul_add(share, divided).store(pivot);
        }
        for (q, row) in matrix.chunks_exact_mut(length).take(chosen.len()).enumerate() {
            if q != p {
                let share = row[column];
                add_times::<V>(row, -share, pivot);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_math::Lanes;

    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    /// The inverse of rows 0, 1, 2 and columns 1, 2, 4 of a matrix with a heavy diagonal, times the matrix: the unit matrix.
    #[test]
    fn a_part_of_a_matrix_is_inverted() {
        let (chosen, length, mut seed) = ([1_u16, 2, 4], padded::<f64>(5), 3);
        let mut matrix: Vec<f64> = (0..3 * length).map(|_| random(&mut seed)).collect();
        (0..3).for_each(|k| matrix[k * length + chosen[k] as usize] += 2.0);
        let mut unit = vec![0.0; 2 * length];
        unit[length] = 1.0;
        let (mut inverse, mut pivot) = (matrix.clone(), vec![0.0; length]);
        invert::<f64>(&mut inverse, &chosen, &unit, &mut pivot);
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3)
                    .map(|k| {
                        inverse[i * length + chosen[k] as usize] * matrix[k * length + chosen[j] as usize]
                    })
                    .sum();
                assert!((product - f64::from(i == j)).abs() < 1e-14, "{i} {j} {product}");
            }
        }
        let mut wide = matrix.clone();
        invert::<Lanes<f64, 8>>(&mut wide, &chosen, &unit, &mut pivot);
        assert_eq!(wide, inverse, "vectors of any length give the same bits");
    }

    #[test]
    fn sums_of_rows_do_not_depend_on_the_vector() {
        let (length, mut seed) = (padded::<f32>(20), 5);
        let matrix: Vec<f32> = (0..4 * length).map(|_| random(&mut seed) as f32).collect();
        let (a, rows) = ([0.3_f32, -1.7, 0.9], [3, 0, 2]);
        let (mut one, mut many) = (vec![0.5_f32; length], vec![0.5_f32; length]);
        add_rows::<f32>(&mut one, &a, |k| rows[k], &matrix);
        add_rows::<Lanes<f32, 16>>(&mut many, &a, |k| rows[k], &matrix);
        assert_eq!(one, many);
        let by_hand = 0.3 * matrix[3 * length + 7] - 1.7 * matrix[7] + 0.9 * matrix[2 * length + 7] + 0.5;
        assert!((one[7] - by_hand).abs() < 1e-6);
    }
}
