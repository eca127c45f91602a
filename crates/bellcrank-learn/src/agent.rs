//! Actor and critic: networks, their parameters, and the distribution of actions.
//!
//! Actions are independent normal variables: means from the network, deviations that are parameters of their own and stand
//! behind the network's as logarithms.

use crate::network::{Network, Tape};
use bellcrank_tasks::Random;
use rayon::prelude::*;

/// ½ ln 2π
const HALF_LOG_TAU: f32 = 0.918_938_5;
/// Rows that a thread takes at a time.
pub(crate) const CHUNK: usize = 256;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Agent {
    pub actor: Network,
    pub critic: Network,
    /// The network's parameters, then the logarithms of the deviations.
    pub actor_parameters: Vec<f32>,
    pub critic_parameters: Vec<f32>,
}

impl Agent {
    pub fn new(ends: (usize, usize), hidden: &[usize], deviation: f32, random: &mut Random) -> Self {
        let (actor, critic) = (Network::new(ends.0, hidden, ends.1), Network::new(ends.0, hidden, 1));
        let mut actor_parameters = actor.initial(random, 0.01);
        actor_parameters.extend(vec![deviation.ln(); ends.1]);
        let critic_parameters = critic.initial(random, 1.0);
        Agent { actor, critic, actor_parameters, critic_parameters }
    }

    /// Logarithms of the deviations.
    pub fn log_deviations(&self) -> &[f32] {
        &self.actor_parameters[self.actor.parameter_count()..]
    }

    /// Values of rows.
    pub fn values(&self, x: &[f32], out: &mut [f32]) {
        evaluate(&self.critic, &self.critic_parameters, x, out);
    }
}

/// Outputs of a network, by all threads.
pub(crate) fn evaluate(network: &Network, parameters: &[f32], x: &[f32], out: &mut [f32]) {
    let (inputs, outputs) = network.ends();
    let chunks = x.par_chunks(CHUNK * inputs).zip(out.par_chunks_mut(CHUNK * outputs));
    chunks.for_each_init(Tape::default, |tape, (x, out)| {
        out.copy_from_slice(network.forward(parameters, x, x.len() / inputs, tape));
    });
}

/// Logarithm of the density of an action.
pub(crate) fn log_density(action: &[f32], mean: &[f32], log_deviations: &[f32]) -> f32 {
    let mut sum = 0.0;
    for ((a, m), s) in action.iter().zip(mean).zip(log_deviations) {
        let z = (a - m) * (-s).exp();
        sum -= 0.5 * z * z + s + HALF_LOG_TAU;
    }
    sum
}

/// Adds a normal variable to every mean (Box and Muller).
pub(crate) fn sample(mean: &[f32], log_deviations: &[f32], random: &mut Random, out: &mut [f32]) {
    let mut spare = None;
    for ((a, m), s) in out.iter_mut().zip(mean).zip(log_deviations) {
        let z = spare.take().unwrap_or_else(|| {
            let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
            let (sin, cos) = (std::f64::consts::TAU * random.unit()).sin_cos();
            spare = Some(radius * sin);
            radius * cos
        });
        *a = m + s.exp() * z as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20 000 samples with mean 1 and deviation ½: the mean has the deviation ½/√20 000 = 0.0035, the variance ¼·√(2/20 000)
    /// = 0.0025; five of each. At the mean the density of two such numbers is 1/(2π·¼).
    #[test]
    fn samples_are_normal_and_densities_are_theirs() {
        let (mean, log_deviations) = (vec![1.0; 20_000], vec![0.5_f32.ln(); 20_000]);
        let mut out = vec![0.0; 20_000];
        sample(&mean, &log_deviations, &mut Random::new(1, 2, 3), &mut out);
        let average = out.iter().sum::<f32>() / 20_000.0;
        let variance = out.iter().map(|x| (x - average).powi(2)).sum::<f32>() / 20_000.0;
        assert!((average - 1.0).abs() < 0.018 && (variance - 0.25).abs() < 0.0125, "{average} {variance}");
        let density = log_density(&[1.0, 1.0], &mean[..2], &log_deviations[..2]).exp();
        assert!((density - 1.0 / (std::f32::consts::TAU * 0.25)).abs() < 1e-5);
    }
}
