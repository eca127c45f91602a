//! An update by proximal policy optimisation [Schulman et al. 2017, Eq. (7)]: passes over the rollout in minibatches.
//!
//! Per row with ratio r = π(a|s)/π_old(a|s) and advantage Â: loss −min(r·Â, clip(r, 1 ± ε)·Â) − entropy, and (V − return)² for the
//! critic. Rows are worked out in chunks of a fixed size, whose gradients are added in a fixed order: the same bits for any
//! number of threads.

use crate::adam::{Adam, shorten};
use crate::agent::{Agent, log_density};
use crate::config::Config;
use crate::network::Tape;
use crate::rollout::Rollout;
use bellcrank_tasks::{Mirror, Random};
use rayon::prelude::*;

/// Rows per chunk.
const CHUNK: usize = 512;
/// Streams of chance of their own.
const ORDER: u64 = 0x9FB2_1C65_1E98_DF25;

/// Steps of both networks, and the rate that the divergence steers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Optimiser {
    pub actor: Adam,
    pub critic: Adam,
    pub rate: f32,
}

/// Figures of an update, means over its minibatches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Losses {
    pub policy: f64,
    pub value: f64,
    pub mirror: f64,
    pub kl: f64,
}

/// What a chunk gives.
#[derive(Default)]
struct Part {
    gradient: Vec<f32>,
    loss: f64,
    mirror: f64,
    kl: f64,
}

/// What all chunks of an update share.
struct Work<'a> {
    agent: &'a Agent,
    rollout: &'a Rollout,
    config: &'a Config,
    mirrors: Option<&'a [Mirror; 2]>,
    /// Rows of a minibatch.
    count: usize,
}

impl Optimiser {
    pub fn new(agent: &Agent, rate: f32) -> Self {
        Optimiser {
            actor: Adam::new(agent.actor_parameters.len()),
            critic: Adam::new(agent.critic_parameters.len()),
            rate,
        }
    }

    /// All passes; none when a gradient is not finite, and the agent cannot be used any more then.
    pub fn update(
        &mut self,
        agent: &mut Agent,
        rollout: &Rollout,
        (config, mirrors): (&Config, Option<&[Mirror; 2]>),
        (seed, update): (u64, u64),
    ) -> Option<Losses> {
        let rows = rollout.returns.len();
        let count = rows / config.minibatches;
        let mirrors = mirrors.filter(|_| config.mirror > 0.0 && config.mirror_share > 0.0);
        let mut sums = Losses::default();
        for epoch in 0..config.epochs {
            let order = shuffled(rows, &mut Random::new(seed ^ ORDER, epoch, update));
            for minibatch in order.chunks_exact(count) {
                let work = Work { agent, rollout, config, mirrors, count };
                let mut parts: Vec<(Part, Part)> = minibatch
                    .par_chunks(CHUNK)
                    .map(|rows| rayon::join(|| work.actor(rows), || work.critic(rows)))
                    .collect();
                let losses = self.step(agent, &mut parts, config)?;
                sums.policy += losses.policy;
                sums.value += losses.value;
                sums.mirror += losses.mirror;
                sums.kl += losses.kl;
            }
        }
        let n = (config.epochs * config.minibatches) as f64;
        Some(Losses {
            policy: sums.policy / n,
            value: sums.value / n,
            mirror: sums.mirror / n,
            kl: sums.kl / n,
        })
    }

    /// Adds the chunks up in their order, steers the rate, and takes one step.
    fn step(&mut self, agent: &mut Agent, parts: &mut [(Part, Part)], config: &Config) -> Option<Losses> {
        let (first, rest) = parts.split_first_mut()?;
        let (actor, critic) = (&mut first.0.gradient, &mut first.1.gradient);
        let add = |sum: &mut Vec<f32>, x: &[f32]| sum.iter_mut().zip(x).for_each(|(s, x)| *s += x);
        rayon::join(
            || rest.iter().for_each(|part| add(actor, &part.0.gradient)),
            || rest.iter().for_each(|part| add(critic, &part.1.gradient)),
        );
        let deviations = agent.actor.parameter_count();
        actor[deviations..].iter_mut().for_each(|g| *g -= config.entropy); // the entropy is Σ log σ + a constant
        let lengths = [shorten(actor, config.gradient_length), shorten(critic, config.gradient_length)];
        if !lengths.iter().all(|x| x.is_finite()) {
            return None;
        }
        let total = |of: fn(&(Part, Part)) -> f64| parts.iter().map(of).sum::<f64>();
        let losses = Losses {
            policy: total(|p| p.0.loss),
            value: total(|p| p.1.loss),
            mirror: total(|p| p.0.mirror),
            kl: total(|p| p.0.kl),
        };
        self.steer(losses.kl as f32, config);
        let (actor, critic) = (&parts[0].0.gradient, &parts[0].1.gradient);
        self.actor.step(&mut agent.actor_parameters, actor, self.rate);
        self.critic.step(&mut agent.critic_parameters, critic, self.rate);
        let [low, high] = config.deviation_range.map(f32::ln);
        agent.actor_parameters[deviations..].iter_mut().for_each(|s| *s = s.clamp(low, high));
        Some(losses)
    }

    /// A divergence beyond twice the target lowers the rate, below half of it raises it.
    fn steer(&mut self, kl: f32, config: &Config) {
        let [low, high] = config.learning_rate_range;
        if kl > 2.0 * config.target_kl {
            self.rate = (self.rate / 1.5).max(low);
        } else if kl > 0.0 && kl < 0.5 * config.target_kl {
            self.rate = (self.rate * 1.5).min(high);
        }
    }
}

/// Numbers below `count` in an order of chance (Fisher and Yates).
fn shuffled(count: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for k in (1..count).rev() {
        let other = (random.unit() * (k + 1) as f64) as usize;
        order.swap(k, other);
    }
    order
}

thread_local! {
    /// Room for a chunk, used again by every one that a thread takes.
    static ROOM: std::cell::RefCell<(Vec<f32>, Vec<f32>, Tape)> = const {
        std::cell::RefCell::new((Vec::new(), Vec::new(), Tape::new()))
    };
}

impl Work<'_> {
    /// Copies the observations of rows together.
    fn gather(&self, rows: &[usize], x: &mut Vec<f32>) {
        let n = self.agent.actor.ends().0;
        x.clear();
        rows.iter().for_each(|row| x.extend_from_slice(&self.rollout.observations[row * n..(row + 1) * n]));
    }

    fn critic(&self, rows: &[usize]) -> Part {
        ROOM.with_borrow_mut(|(x, out, tape)| {
            let Agent { critic, critic_parameters, .. } = self.agent;
            self.gather(rows, x);
            let values = critic.forward(critic_parameters, x, rows.len(), tape);
            let mut part = Part { gradient: vec![0.0; critic_parameters.len()], ..Part::default() };
            out.clear();
            for (row, value) in rows.iter().zip(values) {
                let miss = value - self.rollout.returns[*row];
                part.loss += f64::from(miss * miss) / self.count as f64;
                out.push(2.0 * miss / self.count as f32);
            }
            critic.backward(critic_parameters, x, out, tape, &mut part.gradient);
            part
        })
    }

    fn actor(&self, rows: &[usize]) -> Part {
        ROOM.with_borrow_mut(|(x, out, tape)| {
            let Agent { actor, actor_parameters, .. } = self.agent;
            self.gather(rows, x);
            let images = self.add_images(x, rows.len());
            let means = actor.forward(actor_parameters, x, rows.len() + images, tape);
            let mut part = Part { gradient: vec![0.0; actor_parameters.len()], ..Part::default() };
            out.clear();
            out.resize(means.len(), 0.0);
            self.policy_loss(rows, means, out, &mut part);
            self.mirror_loss(rows.len(), images, means, out, &mut part);
            actor.backward(actor_parameters, x, out, tape, &mut part.gradient);
            part
        })
    }

    /// Puts the mirror images of the first rows behind them; gives how many.
    fn add_images(&self, x: &mut Vec<f32>, rows: usize) -> usize {
        let Some([mirror, _]) = self.mirrors else { return 0 };
        let n = self.agent.actor.ends().0;
        let images = (self.config.mirror_share * rows as f32).ceil() as usize;
        x.resize((rows + images) * n, 0.0);
        let (seen, rest) = x.split_at_mut(rows * n);
        seen.chunks_exact(n).zip(rest.chunks_exact_mut(n)).for_each(|(row, image)| mirror.apply(row, image));
        images
    }

    /// Gradient with respect to means and deviations. With z = (a − μ)/σ: ∂ log π/∂μ = z/σ, ∂ log π/∂ log σ = z² − 1.
    fn policy_loss(&self, rows: &[usize], means: &[f32], out: &mut [f32], part: &mut Part) {
        let (m, data, clip) = (self.agent.actor.ends().1, self.rollout, self.config.clip);
        let log_deviations = self.agent.log_deviations();
        let inverse: Vec<f32> = log_deviations.iter().map(|s| (-s).exp()).collect();
        let by_deviation = part.gradient.len() - m;
        let share = 1.0 / self.count as f32;
        for (k, row) in rows.iter().enumerate() {
            let at = row * m..(row + 1) * m;
            let (action, mean) = (&data.actions[at.clone()], &means[k * m..(k + 1) * m]);
            let ratio = (log_density(action, mean, log_deviations) - data.log_densities[*row]).exp();
            let advantage = data.advantages[*row];
            let cut = ratio.clamp(1.0 - clip, 1.0 + clip);
            part.loss -= f64::from((ratio * advantage).min(cut * advantage) * share);
            part.kl += f64::from(self.divergence(mean, &data.means[at], data.deviations_of(*row)) * share);
            let within = if advantage > 0.0 { ratio < 1.0 + clip } else { ratio > 1.0 - clip };
            let slope = if within { -advantage * ratio * share } else { 0.0 };
            for j in 0..m {
                let z = (action[j] - mean[j]) * inverse[j];
                out[k * m + j] = slope * z * inverse[j];
                part.gradient[by_deviation + j] += slope * (z * z - 1.0);
            }
        }
    }

    /// Kullback–Leibler divergence of the policy that acted from the one that learns:
    /// Σ log(σ/σ₀) + (σ₀² + (μ₀ − μ)²)/(2σ²) − ½.
    fn divergence(&self, mean: &[f32], old_mean: &[f32], old_deviations: &[f32]) -> f32 {
        let now = self.agent.log_deviations();
        let mut sum = 0.0;
        for j in 0..mean.len() {
            let (old, new) = ((2.0 * old_deviations[j]).exp(), (-2.0 * now[j]).exp());
            sum += now[j] - old_deviations[j] + 0.5 * (old + (old_mean[j] - mean[j]).powi(2)) * new - 0.5;
        }
        sum
    }

    /// Mean of |μ(Ms) − M μ(s)|² over the images; μ(s) counts as given.
    fn mirror_loss(&self, rows: usize, images: usize, means: &[f32], out: &mut [f32], part: &mut Part) {
        let Some([_, mirror]) = self.mirrors else { return };
        let m = self.agent.actor.ends().1;
        let weight = self.config.mirror / (self.count as f32 * self.config.mirror_share * m as f32);
        let mut wanted = vec![0.0; m];
        for k in 0..images {
            mirror.apply(&means[k * m..(k + 1) * m], &mut wanted);
            let at = (rows + k) * m;
            for j in 0..m {
                let miss = means[at + j] - wanted[j];
                part.mirror += f64::from(weight * miss * miss);
                out[at + j] = 2.0 * weight * miss;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of chance, whose actions were chosen by a policy a little different from the one that learns.
    fn rollout(agent: &Agent, rows: usize) -> Rollout {
        let (n, m) = agent.actor.ends();
        let mut random = Random::new(5, 0, 0);
        let mut list = |count: usize, reach: f64| -> Vec<f32> {
            (0..count).map(|_| random.between(-reach, reach) as f32).collect()
        };
        let (observations, actions, means) = (list(rows * n, 2.0), list(rows * m, 1.0), list(rows * m, 0.2));
        let (advantages, returns) = (list(rows, 1.0), list(rows, 1.0));
        let old = vec![-0.5; m];
        let density = |k: usize| log_density(&actions[k * m..(k + 1) * m], &means[k * m..(k + 1) * m], &old);
        let log_densities = (0..rows).map(density).collect();
        let mut rollout = Rollout::default();
        (rollout.observations, rollout.actions, rollout.means) = (observations, actions, means);
        (rollout.advantages, rollout.returns, rollout.log_densities) = (advantages, returns, log_densities);
        (rollout.worlds, rollout.log_deviations) = (1, old);
        rollout
    }

    /// Central differences of the loss itself with h = 1e-3: rounding leaves 1e-7/h = 1e-4, the third derivative h². Some rows
    /// are beyond the clip, none so near its edge that a step crosses it.
    #[test]
    fn the_gradient_of_both_losses_is_that_of_finite_differences() {
        let mut random = Random::new(4, 0, 0);
        let mut agent = Agent::new((3, 2), &[6], 0.6, &mut random);
        agent.actor_parameters.iter_mut().for_each(|p| *p += random.between(-0.1, 0.1) as f32);
        let data = rollout(&agent, 40);
        let rows: Vec<usize> = (0..40).collect();
        let config = Config { clip: 0.35, ..Config::default() };
        let part = |agent: &Agent, actor: bool| {
            let work = Work { agent, rollout: &data, config: &config, mirrors: None, count: 40 };
            if actor { work.actor(&rows) } else { work.critic(&rows) }
        };
        for actor in [true, false] {
            let gradient = part(&agent, actor).gradient;
            let largest = gradient.iter().fold(0.0_f64, |most, g| most.max(f64::from(g.abs())));
            let h = 1e-3;
            for k in 0..gradient.len() {
                let moved = |by: f32| {
                    let mut other = agent.clone();
                    let list = if actor { &mut other.actor_parameters } else { &mut other.critic_parameters };
                    list[k] += by;
                    part(&other, actor).loss
                };
                let difference = (moved(h) - moved(-h)) / (2.0 * f64::from(h));
                let error = (difference - f64::from(gradient[k])).abs() / largest;
                assert!(error < 2e-4, "actor {actor}, {k}: {difference}, {}", gradient[k]);
            }
        }
    }

    /// With no advantages there is nothing to learn but symmetry. The mirror exchanges both actions and the first two numbers seen.
    #[test]
    fn the_mirror_loss_makes_a_policy_symmetric() {
        let mut agent = Agent::new((3, 2), &[16], 0.6, &mut Random::new(4, 0, 0));
        agent.actor_parameters.iter_mut().enumerate().for_each(|(k, p)| *p += 0.3 * (k as f32).sin());
        let mut data = rollout(&agent, 64);
        data.advantages.fill(0.0);
        let mirrors = [
            Mirror { entries: vec![(1, 1.0), (0, 1.0), (2, -1.0)] },
            Mirror { entries: vec![(1, -1.0), (0, -1.0)] },
        ];
        let config =
            Config { minibatches: 1, epochs: 300, mirror_share: 1.0, target_kl: 1e9, ..Config::default() };
        let mut optimiser = Optimiser::new(&agent, 3e-3);
        let mut losses =
            || optimiser.update(&mut agent, &data, (&config, Some(&mirrors)), (1, 0)).map(|l| l.mirror);
        let (first, last) = (losses().expect("finite"), losses().expect("finite"));
        assert!(first > 0.01 && last < 0.1 * first, "{first} {last}");
    }

    #[test]
    fn an_order_of_chance_has_every_number_once() {
        let mut order = shuffled(100, &mut Random::new(1, 1, 1));
        assert_ne!(order, (0..100).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }

    /// 0.02 is beyond twice 0.008, 0.003 below half of it; 0.01 is neither.
    #[test]
    fn the_divergence_steers_the_rate() {
        let agent = Agent::new((1, 1), &[1], 0.5, &mut Random::new(0, 0, 0));
        let mut optimiser = Optimiser::new(&agent, 1e-3);
        let config = Config { target_kl: 0.008, ..Config::default() };
        let mut rate = |kl| {
            optimiser.steer(kl, &config);
            optimiser.rate
        };
        assert_eq!((rate(0.01), rate(0.02), rate(0.003)), (1e-3, 1e-3 / 1.5, 1e-3 / 1.5 * 1.5));
    }
}
