//! Adam [Kingma and Ba 2015, algorithm 1]: m and v are running means of the gradient and its square,
//! θ ← θ − α·m̂/(√v̂ + ε) with m̂ = m/(1 − β₁ᵗ), v̂ = v/(1 − β₂ᵗ).

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Means of a row of parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Adam {
    pub mean: Vec<f32>,
    pub square: Vec<f32>,
    /// Steps so far.
    pub steps: u64,
}

impl Adam {
    pub fn new(count: usize) -> Self {
        Adam { mean: vec![0.0; count], square: vec![0.0; count], steps: 0 }
    }

    /// One step against the gradient.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f32) {
        self.steps += 1;
        let correction = |beta: f32| (1.0 - f64::from(beta).powf(self.steps as f64)) as f32;
        let (first, second) = (correction(BETA1), correction(BETA2));
        let means = self.mean.iter_mut().zip(&mut self.square);
        for ((p, g), (m, v)) in parameters.iter_mut().zip(gradient).zip(means) {
            *m = BETA1 * *m + (1.0 - BETA1) * g;
            *v = BETA2 * *v + (1.0 - BETA2) * g * g;
            *p -= rate * (*m / first) / ((*v / second).sqrt() + EPSILON);
        }
    }
}

/// Shortens a gradient to this length; gives the length it had.
pub(crate) fn shorten(gradient: &mut [f32], most: f32) -> f32 {
    let length = gradient.iter().map(|g| f64::from(*g).powi(2)).sum::<f64>().sqrt() as f32;
    if length > most {
        let factor = most / length;
        gradient.iter_mut().for_each(|g| *g *= factor);
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First step: m̂ = g, v̂ = g², so θ moves by α·sign(g), whatever g. Second step with g = 0: m = 0.9·0.1·g, divided by
    /// 1 − 0.81 gives 0.09/0.19 g; v = 0.999·0.001·g², divided by 1 − 0.998001 gives 0.999/1.999 g²: α·0.473684/0.706929.
    #[test]
    fn two_steps_as_on_paper() {
        let mut adam = Adam::new(2);
        let mut parameters = [1.0, 1.0];
        adam.step(&mut parameters, &[4.0, -0.25], 0.1);
        assert!((parameters[0] - 0.9).abs() < 1e-6 && (parameters[1] - 1.1).abs() < 1e-6, "{parameters:?}");
        adam.step(&mut parameters, &[0.0, 0.0], 0.1);
        let second = 0.1 * (0.09 / 0.19) / (0.999_f32 / 1.999).sqrt();
        assert!((parameters[0] - (0.9 - second)).abs() < 1e-6, "{parameters:?}");
    }

    #[test]
    fn a_long_gradient_is_shortened_and_a_short_one_is_not() {
        let mut gradient = [3.0, 4.0];
        assert_eq!((shorten(&mut gradient, 10.0), gradient), (5.0, [3.0, 4.0]));
        assert_eq!((shorten(&mut gradient, 1.0), gradient), (5.0, [0.6, 0.8]));
    }
}
