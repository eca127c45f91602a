//! Sums of rows, a vector of neighbours at a time.
//!
//! Elsewhere a lane is a world. The rows with cones of one world are a small dense problem of its own size, with its own number
//! of steps: here the numbers of a vector `V` are neighbours in one row of one world. Every entry is the same sum in the same
//! order whatever the length of `V`, so that bits do not depend on it. All lists are as long as a row, see [`padded`].

use bellcrank_math::{Elem, Real};

/// The length of a row of `n` numbers that whole vectors fit into, on any processor.
#[inline(always)]
pub(crate) fn padded<E: Elem>(n: usize) -> usize {
    n.next_multiple_of(E::LANE_COUNT)
}

/// Part `c` of a list.
#[inline(always)]
pub(crate) fn part<V: Real>(list: &[V::Elem], c: usize) -> V {
    V::load(&list[c * V::LANES..][..V::LANES])
}

/// Writes part `c` of a list.
#[inline(always)]
pub(crate) fn put_part<V: Real>(value: V, list: &mut [V::Elem], c: usize) {
    value.store(&mut list[c * V::LANES..][..V::LANES]);
}

/// Row `i` of a matrix.
#[inline(always)]
pub(crate) fn row<E>(matrix: &[E], i: usize, length: usize) -> &[E] {
    &matrix[i * length..][..length]
}

/// x += Σ aᵢ Mᵢ over some rows i.
#[inline(always)]
pub(crate) fn add_rows<V: Real>(x: &mut [V::Elem], a: &[V::Elem], rows: &[u16], matrix: &[V::Elem]) {
    let (mut first, vectors) = (0, x.len() / V::LANES);
    while first < vectors {
        // as many sums as registers hold
        first += match vectors - first {
            1 => add_parts::<V, 1>(x, a, rows, matrix, first),
            2 => add_parts::<V, 2>(x, a, rows, matrix, first),
            3 => add_parts::<V, 3>(x, a, rows, matrix, first),
            4..8 => add_parts::<V, 4>(x, a, rows, matrix, first),
            _ => add_parts::<V, 8>(x, a, rows, matrix, first),
        };
    }
}

/// The same for parts `first`, `first + 1`, …; gives their number.
#[inline(always)]
fn add_parts<V: Real, const N: usize>(
    x: &mut [V::Elem],
    a: &[V::Elem],
    rows: &[u16],
    matrix: &[V::Elem],
    first: usize,
) -> usize {
    let (length, mut sum) = (x.len(), [V::zero(); N]);
    for i in rows {
        let (i, own) = (*i as usize, V::splat(a[*i as usize]));
        let row = &matrix[i * length + first * V::LANES..][..N * V::LANES];
        for c in 0..N {
            sum[c] = own.mul_add(part(row, c), sum[c]);
        }
    }
    // x last: it may have been written a moment ago, number by number
    for c in 0..N {
        put_part(part::<V>(x, first + c) + sum[c], x, first + c);
    }
    N
}

/// Zeros and a one in the middle: every row of the unit matrix is a part of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unit<E>(Vec<E>);

impl<E: Elem> Unit<E> {
    /// Room for rows of up to this length.
    pub fn with_capacity(length: usize) -> Self {
        Unit(Vec::with_capacity(2 * length))
    }

    /// Makes ready for rows of this length.
    #[inline(always)]
    pub fn reach(&mut self, length: usize) {
        if self.0.len() < 2 * length {
            self.0.clear();
            self.0.resize(2 * length, E::zero());
            self.0[length] = E::one();
        }
    }

    /// Row `i`.
    #[inline(always)]
    pub fn row(&self, i: usize, length: usize) -> &[E] {
        &self.0[self.0.len() / 2 - i..][..length]
    }
}

/// Inverts the chosen rows and columns of a square matrix in place, by Gauss and Jordan without a choice of pivots. Other rows
/// are not looked at; other columns are left with numbers of no meaning.
#[inline(always)]
pub(crate) fn invert<V: Real>(
    matrix: &mut [V::Elem],
    chosen: &[u16],
    unit: &Unit<V::Elem>,
    pivot: &mut [V::Elem],
) {
    match pivot.len() / V::LANES {
        1 => invert_short::<V, 1>(matrix, chosen, unit),
        2 => invert_short::<V, 2>(matrix, chosen, unit),
        3 => invert_short::<V, 3>(matrix, chosen, unit),
        4 => invert_short::<V, 4>(matrix, chosen, unit),
        5 => invert_short::<V, 5>(matrix, chosen, unit),
        6 => invert_short::<V, 6>(matrix, chosen, unit),
        7 => invert_short::<V, 7>(matrix, chosen, unit),
        8 => invert_short::<V, 8>(matrix, chosen, unit),
        _ => invert_long::<V>(matrix, chosen, unit, pivot),
    }
}

/// With p the pivot and e the row of the unit matrix, the pivot's row becomes row/p + e (1/p − 1), that is 1/p in its own
/// column. The other rows take off their entry in the column times row/p + e/p: what is left there is what the inverse has.
#[inline(always)]
fn divide<V: Real>(row: V, e: V, inverse: V) -> (V, V) {
    let divided = row * inverse;
    (e.mul_add(inverse - V::one(), divided), e.mul_add(inverse, divided))
}

/// Rows of `N` vectors: the pivot's stays in registers, and pivots come in pairs, so that every other row is loaded and
/// stored once for both.
#[inline(always)]
fn invert_short<V: Real, const N: usize>(matrix: &mut [V::Elem], chosen: &[u16], unit: &Unit<V::Elem>) {
    let length = N * V::LANES;
    for k in (0..chosen.len()).step_by(2) {
        let p = chosen[k] as usize;
        let first = pivot_row::<V, N>(matrix, p, unit);
        if k + 1 == chosen.len() {
            for q in &chosen[..k] {
                let row = &mut matrix[*q as usize * length..][..length];
                take_off(row[p], &first, row);
            }
            break;
        }
        let q = chosen[k + 1] as usize;
        let row = &mut matrix[q * length..][..length];
        take_off(row[p], &first, row);
        let between = matrix[p * length + q]; // of the first pivot's row, before the second
        let second = pivot_row::<V, N>(matrix, q, unit);
        let row = &mut matrix[p * length..][..length];
        take_off(between, &second, row);
        for others in [&chosen[k + 2..], &chosen[..k]] {
            for i in others {
                let row = &mut matrix[*i as usize * length..][..length];
                let share = row[p];
                let [one, two] = [V::splat(share), V::splat(share.neg_mul_add(between, row[q]))];
                for c in 0..N {
                    put_part(two.neg_mul_add(second[c], one.neg_mul_add(first[c], part(row, c))), row, c);
                }
            }
        }
    }
}

/// Divides row `p`; gives what the other rows take their shares of.
#[inline(always)]
fn pivot_row<V: Real, const N: usize>(matrix: &mut [V::Elem], p: usize, unit: &Unit<V::Elem>) -> [V; N] {
    let (length, mut pivot) = (N * V::LANES, [V::zero(); N]);
    let (e, own) = (unit.row(p, length), &mut matrix[p * length..][..length]);
    let inverse = V::splat(own[p].recip());
    for c in 0..N {
        let (row, rest) = divide(part(own, c), part(e, c), inverse);
        put_part(row, own, c);
        pivot[c] = rest;
    }
    pivot
}

/// row −= share · pivot
#[inline(always)]
fn take_off<V: Real, const N: usize>(share: V::Elem, pivot: &[V; N], row: &mut [V::Elem]) {
    for c in 0..N {
        put_part(V::splat(share).neg_mul_add(pivot[c], part(row, c)), row, c);
    }
}

/// Rows of any length, through a list for the pivot's.
#[inline(always)]
fn invert_long<V: Real>(matrix: &mut [V::Elem], chosen: &[u16], unit: &Unit<V::Elem>, pivot: &mut [V::Elem]) {
    let length = pivot.len();
    for p in chosen {
        let p = *p as usize;
        let (e, own) = (unit.row(p, length), &mut matrix[p * length..][..length]);
        let inverse = V::splat(own[p].recip());
        for c in 0..length / V::LANES {
            let (row, rest) = divide(part(own, c), part(e, c), inverse);
            put_part(row, own, c);
            put_part(rest, pivot, c);
        }
        for q in chosen {
            let q = *q as usize;
            if q == p {
                continue;
            }
            let row = &mut matrix[q * length..][..length];
            let share = row[p];
            if V::LANES == 1 {
                // the iterator form vectorises, the indexed one does not (rustc 1.95)
                for (x, pivot) in row.iter_mut().zip(&*pivot) {
                    *x = share.neg_mul_add(*pivot, *x);
                }
                continue;
            }
            for c in 0..length / V::LANES {
                put_part(V::splat(share).neg_mul_add(part(pivot, c), part(row, c)), row, c);
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

    /// The inverse of rows and columns 1, 2, 4 of a matrix with a heavy diagonal, times the matrix: the unit matrix.
    #[test]
    fn a_part_of_a_matrix_is_inverted() {
        for columns in [5, 20, 60] {
            let (chosen, length, mut seed) = ([1_u16, 2, 4], padded::<f64>(columns), 3);
            let mut matrix: Vec<f64> = (0..5 * length).map(|_| random(&mut seed)).collect();
            chosen.iter().for_each(|k| matrix[*k as usize * (length + 1)] += 2.0);
            let mut unit = Unit::default();
            unit.reach(length);
            let (mut inverse, mut pivot) = (matrix.clone(), vec![0.0; length]);
            invert::<f64>(&mut inverse, &chosen, &unit, &mut pivot);
            let at = |m: &[f64], i: u16, j: u16| m[i as usize * length + j as usize];
            for i in chosen {
                for j in chosen {
                    let product: f64 = chosen.iter().map(|k| at(&inverse, i, *k) * at(&matrix, *k, j)).sum();
                    assert!((product - f64::from(i == j)).abs() < 1e-14, "{i} {j} {product}");
                }
            }
            let mut wide = matrix.clone();
            invert::<Lanes<f64, 8>>(&mut wide, &chosen, &unit, &mut pivot);
            assert_eq!(wide, inverse, "vectors of any length give the same bits");
        }
    }

    #[test]
    fn sums_of_rows_do_not_depend_on_the_vector() {
        for columns in [3, 20, 40, 100, 200] {
            let (length, mut seed) = (padded::<f32>(columns), 5);
            let matrix: Vec<f32> = (0..4 * length).map(|_| random(&mut seed) as f32).collect();
            let (a, rows) = ([0.3_f32, 0.0, -1.7, 0.9], [3_u16, 0, 2]);
            let (mut one, mut many) = (vec![0.5_f32; length], vec![0.5_f32; length]);
            add_rows::<f32>(&mut one, &a, &rows, &matrix);
            add_rows::<Lanes<f32, 16>>(&mut many, &a, &rows, &matrix);
            assert_eq!(one, many);
            let by_hand = 0.9 * matrix[3 * length + 7] + 0.3 * matrix[7] - 1.7 * matrix[2 * length + 7] + 0.5;
            assert!((one[7] - by_hand).abs() < 1e-6);
        }
    }
}
