//! Controls over a horizon from a few knots.

/// What is between knots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spline {
    /// Each knot holds until the next (zero order).
    #[default]
    Hold,
    /// Straight lines.
    Linear,
    /// Catmull and Rom's cubic: through all knots, with a continuous rate.
    Cubic,
}

impl Spline {
    /// The one with this name: `hold`, `linear` or `cubic`.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "hold" => Some(Spline::Hold),
            "linear" => Some(Spline::Linear),
            "cubic" => Some(Spline::Cubic),
            _ => None,
        }
    }
}

/// Which knots a time is made of, and how much of each: u = Σ wᵢ kᵢ, Σ wᵢ = 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mix {
    index: [usize; 4],
    weight: [f64; 4],
    count: usize,
}

impl Mix {
    /// Entry `k` of the control, where a knot has `width` of them.
    #[inline]
    pub fn of(&self, knots: &[f64], width: usize, k: usize) -> f64 {
        let mut sum = self.weight[0] * knots[self.index[0] * width + k];
        for i in 1..self.count {
            sum += self.weight[i] * knots[self.index[i] * width + k];
        }
        sum
    }
}

/// Knots evenly over a horizon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Knots {
    pub spline: Spline,
    pub count: usize,
    /// Steps.
    pub horizon: usize,
}

impl Knots {
    /// When a knot is, in steps from the start.
    pub fn time(&self, knot: usize) -> f64 {
        match self.spline {
            Spline::Hold => knot as f64 * self.horizon as f64 / self.count as f64,
            _ if self.count == 1 => 0.0,
            _ => knot as f64 * (self.horizon - 1) as f64 / (self.count - 1) as f64,
        }
    }

    /// What a time, in steps from the start, is made of; before the first knot and after the last these hold.
    pub fn at(&self, time: f64) -> Mix {
        let last = self.count - 1;
        let spacing = if self.count > 1 { self.time(1) } else { f64::INFINITY };
        // a step that falls on a knot begins with it, whatever rounding made of the quotient
        let place = (time / spacing).clamp(0.0, last as f64);
        let k = ((place + 1e-9) as usize).min(last);
        let s = (place - k as f64).max(0.0);
        let clamp = |i: isize| i.clamp(0, last as isize) as usize;
        match self.spline {
            Spline::Hold => Mix { index: [k; 4], weight: [1.0, 0.0, 0.0, 0.0], count: 1 },
            Spline::Linear => {
                Mix { index: [k, clamp(k as isize + 1), 0, 0], weight: [1.0 - s, s, 0.0, 0.0], count: 2 }
            }
            Spline::Cubic => {
                let k = k as isize;
                let (s2, s3) = (s * s, s * s * s);
                let weight = [
                    0.5 * (-s3 + 2.0 * s2 - s),
                    0.5 * (3.0 * s3 - 5.0 * s2 + 2.0),
                    0.5 * (-3.0 * s3 + 4.0 * s2 + s),
                    0.5 * (s3 - s2),
                ];
                Mix { index: [k - 1, k, k + 1, k + 2].map(clamp), weight, count: 4 }
            }
        }
    }

    /// The knots of the same controls, so many steps later. After the end of the horizon there is `after`; the last knot holds for `None`.
    /// `scratch` has the size of the knots.
    pub fn shift(&self, steps: f64, after: Option<f64>, knots: &mut [f64], scratch: &mut [f64]) {
        if steps == 0.0 {
            return; // not by rounding either
        }
        let width = knots.len() / self.count;
        for knot in 0..self.count {
            let time = self.time(knot) + steps;
            let (mix, beyond) = (self.at(time), after.filter(|_| time > (self.horizon - 1) as f64));
            for k in 0..width {
                scratch[knot * width + k] = beyond.unwrap_or_else(|| mix.of(knots, width, k));
            }
        }
        knots.copy_from_slice(scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Spline; 3] = [Spline::Hold, Spline::Linear, Spline::Cubic];

    /// All three pass through their knots; the weights of a time sum to one, so that equal knots give that value everywhere.
    #[test]
    fn splines_pass_through_their_knots_and_keep_constants() {
        for spline in ALL {
            let knots = Knots { spline, count: 5, horizon: 21 };
            let values = [0.3, -1.0, 2.0, 0.7, -0.2];
            for (k, value) in values.iter().enumerate() {
                assert!((knots.at(knots.time(k)).of(&values, 1, 0) - value).abs() < 1e-7, "{spline:?} {k}");
            }
            for t in 0..21 {
                let held = knots.at(t as f64).of(&[2.5; 5], 1, 0);
                assert!((held - 2.5).abs() < 1e-12, "{spline:?} {t}: {held}");
            }
        }
    }

    /// Between (0, 1) and (4, 3) a line has 2 in the middle; the cubic of a straight row of knots is that line.
    #[test]
    fn lines_and_cubics_are_straight_between_straight_knots() {
        for spline in [Spline::Linear, Spline::Cubic] {
            let knots = Knots { spline, count: 4, horizon: 13 };
            let values = [-1.0, 1.0, 3.0, 5.0];
            assert!((knots.at(6.0).of(&values, 1, 0) - 2.0).abs() < 1e-7, "{spline:?}");
        }
    }

    /// With a knot per step a shift by whole steps moves every number and repeats the last.
    #[test]
    fn shifting_by_steps_moves_the_knots_and_holds_the_last() {
        let knots = Knots { spline: Spline::Hold, count: 4, horizon: 4 };
        let mut values = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0];
        knots.shift(2.0, None, &mut values, &mut [0.0; 8]);
        assert_eq!(values, [3.0, 30.0, 4.0, 40.0, 4.0, 40.0, 4.0, 40.0]);
        knots.shift(1.0, Some(0.0), &mut values, &mut [0.0; 8]);
        assert_eq!(values, [4.0, 40.0, 4.0, 40.0, 4.0, 40.0, 0.0, 0.0]);
    }
}
