//! Numbers to perturb controls with. They depend on seed, sample and plan alone, so that neither threads nor the order of work matter.

use bellcrank_math::Random;

/// Nearly normal numbers of mean 0 and variance 1.
///
/// The sum of four uniform numbers (Irwin–Hall) has variance 4/12 and ends at ±2: times √3 it is within 3.5 standard deviations and
/// differs from the normal distribution by less than 0.01 in probability. One hash gives all four, sixteen bits each: a tenth of
/// the time that logarithm and cosine of Box and Muller take, and the same bits on every machine.
pub(crate) struct Noise {
    random: Random,
}

impl Noise {
    /// The numbers of one sample of one plan.
    pub fn new(seed: u64, plan: u64, sample: usize) -> Self {
        Noise { random: Random::new(seed, plan as usize, sample as u64) }
    }

    /// The next one.
    #[inline]
    pub fn next(&mut self) -> f64 {
        let bits = self.random.bits();
        let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48);
        // each part is uniform on 0 … 65535: centred, and to the variance of one
        const SCALE: f64 = 1.732_050_807_568_877_2 / 65_536.0;
        (sum as f64 - 2.0 * 65_535.0) * SCALE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of n numbers the mean has the standard deviation 1/√n = 0.0032, the variance √((κ−1)/n) = 0.0042 with the kurtosis
    /// κ = 3 − 6/(5·4) = 2.7 of four uniform numbers; five of them are allowed.
    #[test]
    fn noise_has_mean_zero_and_variance_one_and_differs_between_samples_and_plans() {
        let n = 100_000;
        let mut noise = Noise::new(3, 5, 7);
        let all: Vec<f64> = (0..n).map(|_| noise.next()).collect();
        let mean = all.iter().sum::<f64>() / n as f64;
        let variance = all.iter().map(|x| x * x).sum::<f64>() / n as f64;
        assert!(mean.abs() < 5.0 * 0.0032, "{mean}");
        assert!((variance - 1.0).abs() < 5.0 * 0.0042, "{variance}");
        assert!(all.iter().all(|x| x.abs() <= 3.47));
        let first = |seed, plan, sample| Noise::new(seed, plan, sample).next();
        assert_ne!(first(3, 5, 7), first(3, 5, 8));
        assert_ne!(first(3, 5, 7), first(3, 6, 7));
        assert_ne!(first(3, 5, 7), first(4, 5, 7));
        assert_eq!(first(3, 5, 7), all[0]);
    }
}
