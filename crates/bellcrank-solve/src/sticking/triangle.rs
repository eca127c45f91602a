//! Lower triangles in lanes: a matrix, or its Cholesky factor.
//!
//! Three rows by three columns at a time stay in registers. Every sum goes up the columns, or down, whatever the tiles: where they
//! start depends on rows of other worlds, and bits must not.

use bellcrank_math::Real;

/// Rows of a tile.
pub(super) const TILE: usize = 3;

/// A symmetric matrix, or a factor of one, below the diagonal and on it, row after row; as many rows as whole tiles have.
#[derive(Clone, Debug)]
pub(super) struct Triangle<R> {
    rows: usize,
    entries: Vec<R>,
}

type Tile<R> = [[R; TILE]; TILE];

/// The next number of rows that whole tiles have.
#[inline(always)]
pub(super) fn padded(rows: usize) -> usize {
    rows.div_ceil(TILE) * TILE
}

/// Where row `i` starts.
#[inline(always)]
fn start(i: usize) -> usize {
    i * (i + 1) / 2
}

impl<R: Real> Triangle<R> {
    /// Room for so many rows.
    pub fn with_capacity(rows: usize) -> Self {
        Triangle { rows: 0, entries: Vec::with_capacity(start(padded(rows))) }
    }

    /// For so many rows, of which every entry is to be set; those of the last tile behind them are zero.
    #[inline(always)]
    pub fn resize(&mut self, rows: usize) {
        self.rows = padded(rows);
        self.entries.resize(start(self.rows), R::zero());
        self.entries[start(rows)..].fill(R::zero());
    }

    /// The entry at (i, j), j ≤ i.
    #[inline(always)]
    pub fn get(&self, i: usize, j: usize) -> R {
        self.entries[start(i) + j]
    }

    /// Sets the entry at (i, j), j ≤ i.
    #[inline(always)]
    pub fn set(&mut self, i: usize, j: usize, value: R) {
        self.entries[start(i) + j] = value;
    }

    /// Three rows from i on, as far as column `end`.
    #[inline(always)]
    fn three(&self, i: usize, end: usize) -> [&[R]; TILE] {
        let row = &self.entries;
        [&row[start(i)..][..end], &row[start(i + 1)..][..end], &row[start(i + 2)..][..end]]
    }

    /// L with L Lᵀ = F A F + diagonal, reciprocals on its own diagonal; no pivot below `least`.
    #[inline(always)]
    pub fn factor(&mut self, matrix: &Triangle<R>, scale: &[R], diagonal: &[R], least: R) {
        self.rows = matrix.rows;
        self.entries.resize(start(self.rows), R::zero());
        for j in (0..self.rows).step_by(TILE) {
            let tile = self.reduced(matrix, [scale, diagonal], (j, j));
            let own = self.put_diagonal(j, tile, least);
            for i in (j + TILE..self.rows).step_by(TILE) {
                let tile = self.reduced(matrix, [scale, diagonal], (i, j));
                self.put_below(i, j, tile, &own);
            }
        }
    }

    /// Rows from i on and columns from j on of F A F + diagonal, less what the columns before j take off.
    #[inline(always)]
    fn reduced(&self, matrix: &Triangle<R>, [scale, diagonal]: [&[R]; 2], (i, j): (usize, usize)) -> Tile<R> {
        let mut sum = [[R::zero(); TILE]; TILE];
        for a in 0..TILE {
            let count = if i == j { a + 1 } else { TILE };
            for b in 0..count {
                sum[a][b] = matrix.get(i + a, j + b) * (scale[i + a] * scale[j + b]);
            }
            if i == j {
                sum[a][a] += diagonal[i + a];
            }
        }
        let (left, top) = (self.three(i, j), self.three(j, j));
        for k in 0..j {
            let (x, y) = ([left[0][k], left[1][k], left[2][k]], [top[0][k], top[1][k], top[2][k]]);
            for a in 0..TILE {
                for b in 0..TILE {
                    sum[a][b] = x[a].neg_mul_add(y[b], sum[a][b]);
                }
            }
        }
        sum
    }

    /// L of the tile on the diagonal at j, which it gives back.
    #[inline(always)]
    fn put_diagonal(&mut self, j: usize, mut tile: Tile<R>, least: R) -> Tile<R> {
        for b in 0..TILE {
            for q in 0..b {
                tile[b][b] = tile[b][q].neg_mul_add(tile[b][q], tile[b][b]);
            }
            let inverse = tile[b][b].max(least).sqrt().recip();
            tile[b][b] = inverse;
            for a in b + 1..TILE {
                for q in 0..b {
                    tile[a][b] = tile[a][q].neg_mul_add(tile[b][q], tile[a][b]);
                }
                tile[a][b] *= inverse;
            }
        }
        for a in 0..TILE {
            for b in 0..=a {
                self.set(j + a, j + b, tile[a][b]);
            }
        }
        tile
    }

    /// L of the tile at (i, j) below the diagonal, from that on the diagonal.
    #[inline(always)]
    fn put_below(&mut self, i: usize, j: usize, mut tile: Tile<R>, diagonal: &Tile<R>) {
        for a in 0..TILE {
            for b in 0..TILE {
                for q in 0..b {
                    tile[a][b] = tile[a][q].neg_mul_add(diagonal[b][q], tile[a][b]);
                }
                tile[a][b] *= diagonal[b][b];
                self.set(i + a, j + b, tile[a][b]);
            }
        }
    }

    /// x ← (L Lᵀ)⁻¹ x
    #[inline(always)]
    pub fn divide(&self, x: &mut [R]) {
        for i in (0..self.rows).step_by(TILE) {
            let rows = self.three(i, i);
            let mut sum = [x[i], x[i + 1], x[i + 2]];
            for k in 0..i {
                for a in 0..TILE {
                    sum[a] = rows[a][k].neg_mul_add(x[k], sum[a]);
                }
            }
            for a in 0..TILE {
                for q in 0..a {
                    sum[a] = self.get(i + a, i + q).neg_mul_add(sum[q], sum[a]);
                }
                sum[a] *= self.get(i + a, i + a);
                x[i + a] = sum[a];
            }
        }
        for i in (0..self.rows).step_by(TILE).rev() {
            let mut own = [x[i], x[i + 1], x[i + 2]];
            for a in (0..TILE).rev() {
                for q in (a + 1..TILE).rev() {
                    own[a] = self.get(i + q, i + a).neg_mul_add(own[q], own[a]);
                }
                own[a] *= self.get(i + a, i + a);
                x[i + a] = own[a];
            }
            let rows = self.three(i, i);
            for k in 0..i {
                let mut sum = x[k];
                for a in (0..TILE).rev() {
                    sum = rows[a][k].neg_mul_add(own[a], sum);
                }
                x[k] = sum;
            }
        }
    }

    /// y += A x
    #[inline(always)]
    pub fn add_times(&self, x: &[R], y: &mut [R]) {
        for i in (0..self.rows).step_by(TILE) {
            let rows = self.three(i, i);
            let own = [x[i], x[i + 1], x[i + 2]];
            let mut sum = [y[i], y[i + 1], y[i + 2]];
            for k in 0..i {
                let mut other = y[k];
                for a in 0..TILE {
                    sum[a] = rows[a][k].mul_add(x[k], sum[a]);
                    other = rows[a][k].mul_add(own[a], other);
                }
                y[k] = other;
            }
            for a in 0..TILE {
                for b in 0..TILE {
                    let (low, high) = if a < b { (a, b) } else { (b, a) };
                    sum[a] = self.get(i + high, i + low).mul_add(own[b], sum[a]);
                }
                y[i + a] = sum[a];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// L Lᵀ x = A x + x, and products, for numbers of rows that fill their tiles and that do not.
    #[test]
    fn a_quotient_times_the_matrix_is_what_was_divided() {
        for n in 1..11 {
            let entry = |i: usize, j: usize| 1.0 / (1.0 + i as f64 + j as f64); // Hilbert's matrix: positive
            let (mut A, mut L) = (Triangle::with_capacity(n), Triangle::with_capacity(n));
            A.resize(n);
            for i in 0..n {
                for j in 0..=i {
                    A.set(i, j, entry(i, j));
                }
            }
            let rows = padded(n);
            L.factor(&A, &vec![1.0; rows], &vec![1.0; rows], 0.0);
            let mut x: Vec<f64> = (0..rows).map(|i| if i < n { i as f64 - 1.5 } else { 0.0 }).collect();
            let b = x.clone();
            L.divide(&mut x);
            let mut again = x.clone();
            A.add_times(&x, &mut again);
            for i in 0..n {
                let by_hand: f64 = x[i] + (0..n).map(|j| entry(i, j) * x[j]).sum::<f64>();
                assert!((again[i] - by_hand).abs() < 1e-13);
                assert!((again[i] - b[i]).abs() < 1e-12, "{n} rows, {i}: {} {}", again[i], b[i]);
            }
        }
    }
}
