//! Fully connected layers with ELU between them, forwards and backwards for many rows at once.
//!
//! yₗ = elu(yₗ₋₁ Wₗᵀ + bₗ), the last layer without elu. Parameters stand in one row: per layer W (out × in, row-major), then b.

use crate::elu::{elu, times_slope};
use crate::product::{SMALL_PRODUCT, View, add_dots, product};
use bellcrank_tasks::Random;

/// Layers with so few outputs are worked out one by one.
const NARROW: usize = 3;

/// Sizes of the layers, input first; the parameters are kept by whoever learns them.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    sizes: Vec<usize>,
}

/// What a pass leaves for the way back, by layer; room for some rows, used again and again.
#[derive(Default)]
pub(crate) struct Tape {
    layers: Vec<Vec<f32>>,
    back: [Vec<f32>; 2],
}

impl Tape {
    pub const fn new() -> Self {
        Tape { layers: Vec::new(), back: [Vec::new(), Vec::new()] }
    }
}

impl Network {
    /// A network with hidden layers of these sizes.
    pub fn new(inputs: usize, hidden: &[usize], outputs: usize) -> Self {
        let mut sizes = vec![inputs];
        sizes.extend_from_slice(hidden);
        sizes.push(outputs);
        Network { sizes }
    }

    /// Numbers per row that go in and come out.
    pub fn ends(&self) -> (usize, usize) {
        (self.sizes[0], self.sizes[self.sizes.len() - 1])
    }

    /// Sizes of the layers, input first.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// How many parameters it has.
    pub fn parameter_count(&self) -> usize {
        self.sizes.windows(2).map(|w| (w[0] + 1) * w[1]).sum()
    }

    /// Where the weights and biases of each layer stand: inputs, outputs, first weight, first bias.
    pub(crate) fn layers(&self) -> Vec<(usize, usize, usize, usize)> {
        let mut next = 0;
        let place = |w: &[usize]| {
            let first = next;
            next += (w[0] + 1) * w[1];
            (w[0], w[1], first, first + w[0] * w[1])
        };
        self.sizes.windows(2).map(place).collect()
    }

    /// Weights uniform within ±√(3/inputs), so that rows keep their size; those of the last layer smaller by `last`; biases
    /// zero.
    pub fn initial(&self, random: &mut Random, last: f32) -> Vec<f32> {
        let mut parameters = vec![0.0; self.parameter_count()];
        let layers = self.layers();
        for (l, &(inputs, _, first, bias)) in layers.iter().enumerate() {
            let reach = (3.0 / inputs as f64).sqrt();
            let scale = if l + 1 == layers.len() { last } else { 1.0 };
            for w in &mut parameters[first..bias] {
                *w = scale * random.between(-reach, reach) as f32;
            }
        }
        parameters
    }

    /// The outputs of some rows of inputs. Those of a row do not depend on the rows beside it, to the last bit. Since products of few numbers take
    /// another way, which adds in another order, few rows are filled up.
    pub(crate) fn forward<'a>(
        &self,
        parameters: &[f32],
        x: &[f32],
        rows: usize,
        tape: &'a mut Tape,
    ) -> &'a [f32] {
        let layers = self.layers();
        let narrowest = layers.iter().map(|layer| layer.1).filter(|n| *n > NARROW).min();
        let least = narrowest.map_or(0, |n| SMALL_PRODUCT / n + 1);
        if rows < least {
            let mut more = x.to_vec();
            more.resize(least * self.sizes[0], 0.0);
            return &self.forward(parameters, &more, least, tape)[..rows * self.ends().1];
        }
        tape.layers.resize_with(layers.len(), Vec::new);
        for (l, &(inputs, outputs, first, bias)) in layers.iter().enumerate() {
            let (before, here) = tape.layers.split_at_mut(l);
            let from = if l == 0 { x } else { &before[l - 1] };
            let y = &mut here[0];
            y.resize(rows * outputs, 0.0);
            let biases = &parameters[bias..bias + outputs];
            y.chunks_exact_mut(outputs).for_each(|row| row.copy_from_slice(biases));
            if outputs <= NARROW {
                add_dots(y, from, &parameters[first..bias], outputs);
            } else {
                let weights = View::new(&parameters[first..bias], outputs, inputs);
                product(y, View::new(from, rows, inputs), weights.transposed(), true);
            }
            if l + 1 < layers.len() {
                elu(y);
            }
        }
        &tape.layers[layers.len() - 1]
    }

    /// Adds the gradient with respect to the parameters, given that with respect to the outputs of the last
    /// [`Network::forward`] of the same rows.
    pub(crate) fn backward(
        &self,
        parameters: &[f32],
        x: &[f32],
        out: &[f32],
        tape: &mut Tape,
        gradient: &mut [f32],
    ) {
        let layers = self.layers();
        let Tape { layers: values, back } = tape;
        let [here, there] = back;
        let rows = out.len() / self.ends().1;
        here.clear();
        here.extend_from_slice(out);
        for (l, &(inputs, outputs, first, bias)) in layers.iter().enumerate().rev() {
            let from = if l == 0 { x } else { &values[l - 1] };
            let dz = View::new(here, rows, outputs);
            product(&mut gradient[first..bias], dz.transposed(), View::new(from, rows, inputs), true);
            let sums = &mut gradient[bias..bias + outputs];
            here.chunks_exact(outputs).for_each(|row| sums.iter_mut().zip(row).for_each(|(s, d)| *s += d));
            if l > 0 {
                there.resize(rows * inputs, 0.0);
                product(there, dz, View::new(&parameters[first..bias], outputs, inputs), false);
                times_slope(there, &values[l - 1]);
                std::mem::swap(here, there);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loss is Σ c·y over all outputs with fixed c. Its central difference with step h has a rounding of 1e-7·|loss|/h and,
    /// where a unit crosses zero within the step, an error of h/4 times the jump of the second derivative, which is about one;
    /// with h = 1e-3 both together are below 1e-3 of the largest entry.
    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let network = Network::new(3, &[5, 4], 2);
        let mut random = Random::new(3, 0, 0);
        let mut parameters = network.initial(&mut random, 1.0);
        parameters.iter_mut().for_each(|p| *p += random.between(-0.1, 0.1) as f32);
        let rows = 7;
        let x: Vec<f32> = (0..rows * 3).map(|_| random.between(-2.0, 2.0) as f32).collect();
        let c: Vec<f32> = (0..rows * 2).map(|_| random.between(-1.0, 1.0) as f32).collect();
        let mut tape = Tape::default();
        let mut gradient = vec![0.0; network.parameter_count()];
        network.forward(&parameters, &x, rows, &mut tape);
        network.backward(&parameters, &x, &c, &mut tape, &mut gradient);
        let mut loss = |parameters: &[f32]| {
            let y = network.forward(parameters, &x, rows, &mut tape);
            y.iter().zip(&c).map(|(y, c)| f64::from(y * c)).sum::<f64>()
        };
        let largest = gradient.iter().fold(0.0_f32, |most, g| most.max(g.abs()));
        assert!(largest > 0.1, "{largest}");
        for k in 0..parameters.len() {
            let mut moved = parameters.clone();
            let h = 1e-3;
            moved[k] = parameters[k] + h;
            let up = loss(&moved);
            moved[k] = parameters[k] - h;
            let difference = (up - loss(&moved)) / (2.0 * f64::from(h));
            let error = (difference - f64::from(gradient[k])).abs() / f64::from(largest);
            assert!(error < 1e-3, "parameter {k}: {difference} and {}", gradient[k]);
        }
    }

    /// Worlds may be dealt out to machines in any numbers: what comes out for a row must not depend on the rows beside it.
    #[test]
    fn a_row_gives_the_same_bits_in_any_company() {
        for (inputs, hidden, outputs) in
            [(94, vec![128, 128, 64], 12), (5, vec![64, 64], 1), (5, vec![32, 16], 1), (22, vec![64, 64], 2)]
        {
            let network = Network::new(inputs, &hidden, outputs);
            let mut random = Random::new(3, 0, 0);
            let parameters = network.initial(&mut random, 1.0);
            let x: Vec<f32> = (0..256 * inputs).map(|_| random.between(-2.0, 2.0) as f32).collect();
            let (mut tape, mut other) = (Tape::default(), Tape::default());
            let all = network.forward(&parameters, &x, 256, &mut tape);
            for (first, rows) in
                [(0, 255), (17, 1), (3, 2), (8, 3), (5, 7), (100, 8), (90, 33), (64, 64), (40, 100)]
            {
                let x = &x[first * inputs..(first + rows) * inputs];
                let some = network.forward(&parameters, x, rows, &mut other);
                assert_eq!(
                    some,
                    &all[first * outputs..(first + rows) * outputs],
                    "{rows} rows of {inputs}-{hidden:?}-{outputs}"
                );
            }
        }
    }

    /// One input, one hidden unit, one output: y = 2·elu(3·x + 1) − 1. At x = 1: 2·4 − 1 = 7. At x = −1: 2·(e⁻² − 1) − 1.
    #[test]
    fn a_network_of_one_unit_as_on_paper() {
        let network = Network::new(1, &[1], 1);
        let mut tape = Tape::default();
        let y = network.forward(&[3.0, 1.0, 2.0, -1.0], &[1.0, -1.0], 2, &mut tape);
        assert_eq!(y[0], 7.0);
        assert!((y[1] - (2.0 * (f32::exp(-2.0) - 1.0) - 1.0)).abs() < 1e-6);
    }
}
