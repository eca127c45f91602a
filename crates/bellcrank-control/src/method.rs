//! How samples and their costs become the next controls.

/// How a planner learns from its samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// The mean of all samples, weighted by exp(−(J − J_min)/λ): model-predictive path integral control [Williams et al. 2017].
    Mppi {
        /// λ
        temperature: Temperature,
    },
    /// The cheapest sample [Howell et al. 2022].
    PredictiveSampling,
    /// Mean and standard deviation of the cheapest samples [Rubinstein 1999].
    CrossEntropy {
        /// How many of them.
        elites: usize,
        /// Noise never falls below this share of where it began.
        floor: f64,
    },
}

/// λ of the weights exp(−(J − J_min)/λ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Temperature {
    /// In the unit of the cost.
    Absolute(f64),
    /// As a share of the standard deviation of the costs: nothing to tune when the cost is scaled.
    Relative(f64),
}

impl Method {
    /// As reports and commands name it.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Mppi { .. } => "mppi",
            Method::PredictiveSampling => "predictive_sampling",
            Method::CrossEntropy { .. } => "cross_entropy",
        }
    }
}

/// Samples and what they cost.
pub(crate) struct Tried<'a> {
    /// (samples, numbers)
    pub samples: &'a [f64],
    /// By sample; infinite for one that must not be chosen.
    pub costs: &'a [f64],
    /// The cheapest.
    pub best: usize,
    /// Standard deviation of the costs that can be used.
    pub spread: f64,
}

/// Memory of an update.
#[derive(Default)]
pub(crate) struct Memory {
    pub weights: Vec<f64>,
    order: Vec<usize>,
}

impl Memory {
    pub fn new(samples: usize) -> Self {
        Memory { weights: vec![0.0; samples], order: (0..samples).collect() }
    }

    /// Moves `mean`, and `sigma` where the method changes it, towards the cheap samples. Returns (Σw)²/Σw², the number of samples
    /// that had a say.
    pub fn update(
        &mut self,
        method: &Method,
        tried: &Tried<'_>,
        mean: &mut [f64],
        sigma: &mut [f64],
        first: &[f64],
    ) -> f64 {
        match *method {
            Method::PredictiveSampling => {
                mean.copy_from_slice(&tried.samples[tried.best * mean.len()..][..mean.len()]);
                1.0
            }
            Method::Mppi { temperature } => {
                self.weigh(tried, temperature);
                self.weighted_mean(tried, mean)
            }
            Method::CrossEntropy { elites, floor } => {
                self.choose(tried, elites);
                let count = self.weighted_mean(tried, mean);
                self.deviation(tried, mean, sigma);
                sigma.iter_mut().zip(first).for_each(|(s, first)| *s = s.max(floor * first));
                count
            }
        }
    }

    fn weigh(&mut self, tried: &Tried<'_>, temperature: Temperature) {
        let least = tried.costs[tried.best];
        let scale = match temperature {
            Temperature::Absolute(lambda) => lambda,
            Temperature::Relative(share) => share * tried.spread,
        };
        for (sample, (weight, cost)) in self.weights.iter_mut().zip(tried.costs).enumerate() {
            // equal costs have no spread: the cheapest alone counts, as in the limit
            let above = cost - least;
            let exponent = if scale > 0.0 { -above / scale } else { f64::NEG_INFINITY };
            *weight = if sample == tried.best { 1.0 } else { exponent.exp() };
        }
    }

    fn choose(&mut self, tried: &Tried<'_>, elites: usize) {
        let costs = tried.costs;
        self.order.sort_unstable_by(|a, b| costs[*a].total_cmp(&costs[*b]).then(a.cmp(b)));
        self.weights.fill(0.0);
        for &sample in self.order.iter().take(elites.max(1)).filter(|sample| costs[**sample].is_finite()) {
            self.weights[sample] = 1.0;
        }
    }

    fn weighted_mean(&self, tried: &Tried<'_>, mean: &mut [f64]) -> f64 {
        let (sum, squares) = self.weights.iter().fold((0.0, 0.0), |(s, q), w| (s + w, q + w * w));
        mean.fill(0.0);
        for (weight, sample) in self.weights.iter().zip(tried.samples.chunks_exact(mean.len())) {
            if *weight > 0.0 {
                mean.iter_mut().zip(sample).for_each(|(m, x)| *m += weight / sum * x);
            }
        }
        sum * sum / squares
    }

    fn deviation(&self, tried: &Tried<'_>, mean: &[f64], sigma: &mut [f64]) {
        let sum: f64 = self.weights.iter().sum();
        sigma.fill(0.0);
        for (weight, sample) in self.weights.iter().zip(tried.samples.chunks_exact(mean.len())) {
            if *weight > 0.0 {
                let each = sigma.iter_mut().zip(sample.iter().zip(mean));
                each.for_each(|(s, (x, m))| *s += weight / sum * (x - m) * (x - m));
            }
        }
        sigma.iter_mut().for_each(|s| *s = s.sqrt());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried<'a>(samples: &'a [f64], costs: &'a [f64], best: usize) -> Tried<'a> {
        Tried { samples, costs, best, spread: 1.0 }
    }

    fn update(method: Method, tried: &Tried<'_>) -> (Vec<f64>, Vec<f64>, f64) {
        let (mut mean, mut sigma) = (vec![0.0; 2], vec![1.0; 2]);
        let count = Memory::new(tried.costs.len()).update(&method, tried, &mut mean, &mut sigma, &[1.0; 2]);
        (mean, sigma, count)
    }

    /// With λ = 1/ln 3, a cost one above the least weighs a third: (1·(0, 4) + ⅓·(4, 0))/(4/3) = (1, 3), and (4/3)²/(10/9) = 1.6
    /// samples have a say. An infinite cost has none.
    #[test]
    fn mppi_weighs_samples_by_the_exponential_of_their_costs() {
        let samples = [0.0, 4.0, 4.0, 0.0, 100.0, 100.0];
        let costs = [5.0, 6.0, f64::INFINITY];
        let temperature = Temperature::Absolute(1.0 / 3.0_f64.ln());
        let (mean, _, count) = update(Method::Mppi { temperature }, &tried(&samples, &costs, 0));
        assert!((mean[0] - 1.0).abs() < 1e-14 && (mean[1] - 3.0).abs() < 1e-14, "{mean:?}");
        assert!((count - 1.6).abs() < 1e-14, "{count}");
    }

    #[test]
    fn predictive_sampling_takes_the_cheapest() {
        let (mean, _, _) = update(Method::PredictiveSampling, &tried(&[0.0, 4.0, 4.0, 1.0], &[2.0, 1.0], 1));
        assert_eq!(mean, [4.0, 1.0]);
    }

    /// Of (0, 0), (2, 0), (9, 9) the two cheap ones have mean (1, 0) and deviation (1, 0), which the floor of a tenth lifts to 0.1.
    #[test]
    fn cross_entropy_takes_mean_and_deviation_of_the_elites() {
        let samples = [9.0, 9.0, 0.0, 0.0, 2.0, 0.0];
        let method = Method::CrossEntropy { elites: 2, floor: 0.1 };
        let (mean, sigma, count) = update(method, &tried(&samples, &[7.0, 1.0, 2.0], 1));
        assert_eq!((mean, sigma, count), (vec![1.0, 0.0], vec![1.0, 0.1], 2.0));
    }

    /// Costs that are all equal leave no spread to share: nothing is divided by zero.
    #[test]
    fn equal_costs_give_a_finite_mean() {
        let samples = [1.0, 2.0, 3.0, 4.0];
        let tried = Tried { samples: &samples, costs: &[1.0, 1.0], best: 0, spread: 0.0 };
        let (mean, _, _) = update(Method::Mppi { temperature: Temperature::Relative(0.1) }, &tried);
        assert_eq!(mean, [1.0, 2.0]);
    }
}
