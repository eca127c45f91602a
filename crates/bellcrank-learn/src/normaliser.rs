//! Running mean and variance of observations; what the networks see is (x − mean)/√variance, within ±8.

use bellcrank_tasks::Mirror;
use rayon::prelude::*;

/// Observations beyond this many deviations are cut.
pub(crate) const REACH: f32 = 8.0;
const SMALLEST_VARIANCE: f64 = 1e-8;
/// The past never counts more than so many observations: statistics follow a policy that changes.
const LONGEST_PAST: f64 = 2e6;
/// Rows that are added up together; the same for any number of threads.
const CHUNK: usize = 2048;

/// Statistics by number of an observation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Normaliser {
    pub mean: Vec<f64>,
    pub variance: Vec<f64>,
    pub count: f64,
}

impl Normaliser {
    pub fn new(width: usize) -> Self {
        Normaliser { mean: vec![0.0; width], variance: vec![1.0; width], count: 1e-4 }
    }

    /// Adds rows of observations [Chan et al. 1979], which are asked for by number.
    pub fn add<'a>(&mut self, rows: usize, row: impl Fn(usize) -> &'a [f32] + Sync) {
        let n = self.mean.len();
        let middle = &self.mean;
        let sums = |chunk: usize| {
            let mut sums = vec![0.0_f64; 2 * n];
            let (first, second) = sums.split_at_mut(n);
            for r in chunk * CHUNK..rows.min((chunk + 1) * CHUNK) {
                let row = row(r);
                for k in 0..n {
                    let d = f64::from(row[k]) - middle[k];
                    first[k] += d;
                    second[k] += d * d;
                }
            }
            sums
        };
        let parts: Vec<Vec<f64>> = (0..rows.div_ceil(CHUNK)).into_par_iter().map(sums).collect();
        let count = rows as f64;
        let total = self.count + count;
        for k in 0..n {
            let first: f64 = parts.iter().map(|part| part[k]).sum();
            let second: f64 = parts.iter().map(|part| part[n + k]).sum();
            let shift = first / count;
            let variance = second / count - shift * shift;
            self.variance[k] = (self.variance[k] * self.count
                + variance * count
                + shift * shift * self.count * count / total)
                / total;
            self.mean[k] += shift * count / total;
        }
        self.count = total.min(LONGEST_PAST);
    }

    /// Makes the statistics those of the observations and their mirror images together, so that normalising and mirroring may
    /// change places.
    pub fn symmetrise(&mut self, mirror: &Mirror) {
        let old = self.clone();
        for (k, &(from, sign)) in mirror.entries.iter().enumerate() {
            let image = f64::from(sign) * old.mean[from];
            let mean = 0.5 * (old.mean[k] + image);
            self.mean[k] = mean;
            self.variance[k] =
                0.5 * (old.variance[k] + old.variance[from]) + (0.5 * (old.mean[k] - image)).powi(2);
        }
    }

    /// Mean and one over the deviation, as the networks use them.
    pub fn scale(&self) -> Scale {
        let inverse = |v: &f64| (1.0 / (v + SMALLEST_VARIANCE).sqrt()) as f32;
        Scale {
            mean: self.mean.iter().map(|m| *m as f32).collect(),
            inverse: self.variance.iter().map(inverse).collect(),
        }
    }
}

/// How observations are normalised.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    pub mean: Vec<f32>,
    pub inverse: Vec<f32>,
}

impl Scale {
    /// Normalises rows.
    pub fn apply(&self, rows: &[f32], out: &mut [f32]) {
        let n = self.mean.len();
        for (row, out) in rows.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
            for k in 0..n {
                out[k] = ((row[k] - self.mean[k]) * self.inverse[k]).clamp(-REACH, REACH);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1, 2, 3 and then 6: mean 3, variance (4 + 1 + 0 + 9)/4 = 3.5.
    #[test]
    fn means_and_variances_as_on_paper() {
        let mut normaliser = Normaliser { count: 0.0, ..Normaliser::new(1) };
        let seen = [1.0, 2.0, 3.0, 6.0];
        normaliser.add(3, |r| &seen[r..r + 1]);
        normaliser.add(1, |_| &seen[3..]);
        assert!((normaliser.mean[0] - 3.0).abs() < 1e-12 && (normaliser.variance[0] - 3.5).abs() < 1e-12);
    }

    /// Two numbers that are each other's negative image, with means 1 and 3, variances 1 and 5: together they have the mean
    /// ½(1 − 3) = −1 and the variance ½(1 + 5) + 2² = 7, and the other the opposite mean.
    #[test]
    fn statistics_of_both_images() {
        let mirror = Mirror { entries: vec![(1, -1.0), (0, -1.0)] };
        let mut both = Normaliser { mean: vec![1.0, 3.0], variance: vec![1.0, 5.0], count: 1.0 };
        both.symmetrise(&mirror);
        assert_eq!((both.mean, both.variance), (vec![-1.0, 1.0], vec![7.0, 7.0]));
    }
}
