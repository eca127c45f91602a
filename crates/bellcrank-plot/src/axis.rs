//! A span of numbers and where it lies on a picture.

/// How numbers are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, zero included.
    Linear,
    /// Evenly, from the least number to the largest.
    Tight,
    /// By powers of ten; what is not above zero is left out.
    Powers,
}

pub(crate) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// Over all values, between two places on the picture \[px\].
    pub fn over(scale: Scale, values: impl Iterator<Item = f64>, [from, to]: [f64; 2]) -> Self {
        let counted = values.filter(|x| x.is_finite() && (scale != Scale::Powers || *x > 0.0));
        let laid = counted.map(|x| if scale == Scale::Powers { x.log10() } else { x });
        let (low, high) = laid.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
        let (low, high) = match scale {
            _ if low > high => (0.0, 1.0),
            Scale::Linear => (low.min(0.0), high.max(0.0)),
            Scale::Tight => (low, high),
            Scale::Powers => (low.floor(), high.ceil()),
        };
        let mut axis = Axis { scale, low, high: if high > low { high } else { low + 1.0 }, from, to };
        if scale == Scale::Linear {
            let step = axis.step();
            (axis.low, axis.high) = ((axis.low / step).floor() * step, (axis.high / step).ceil() * step);
        }
        axis
    }

    /// Between two ticks: 1, 2 or 5 times a power of ten, about a quarter of the span.
    fn step(&self) -> f64 {
        let quarter = (self.high - self.low) / 4.0;
        let power = 10_f64.powf(quarter.log10().floor());
        [1.0, 2.0, 5.0, 10.0]
            .map(|n| n * power)
            .into_iter()
            .find(|step| *step >= 0.999 * quarter)
            .unwrap_or(quarter)
    }

    /// Where a number lies \[px\]; none where it cannot be drawn.
    pub fn at(&self, x: f64) -> Option<f64> {
        let laid = if self.scale == Scale::Powers { x.log10() } else { x };
        let share = (laid - self.low) / (self.high - self.low);
        share.is_finite().then(|| self.from + share.clamp(0.0, 1.0) * (self.to - self.from))
    }

    /// Numbers that are written beside the axis, and where.
    pub fn ticks(&self) -> Vec<(f64, f64)> {
        if self.scale == Scale::Powers {
            let all = self.low as i32..=self.high as i32;
            return all
                .filter_map(|power| Some((10_f64.powi(power), self.at(10_f64.powi(power))?)))
                .collect();
        }
        let step = self.step();
        let (first, last) =
            ((self.low / step - 1e-6).ceil() as i64, (self.high / step + 1e-6).floor() as i64);
        (first..=last).filter_map(|k| Some((k as f64 * step, self.at(k as f64 * step)?))).collect()
    }
}

/// A number in few characters: 1k, 2.5M, 0.25, 3e-5.
pub fn short(x: f64) -> String {
    let size = x.abs();
    let trimmed = |text: String| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    };
    match size {
        0.0 => "0".into(),
        s if s >= 1e9 => trimmed(format!("{:.1}", x / 1e9)) + "G",
        s if s >= 1e6 => trimmed(format!("{:.1}", x / 1e6)) + "M",
        s if s >= 1e3 => trimmed(format!("{:.1}", x / 1e3)) + "k",
        s if s >= 100.0 => format!("{x:.0}"),
        s if s >= 1.0 => trimmed(format!("{x:.1}")),
        s if s >= 1e-3 => trimmed(format!("{x:.3}")),
        _ => format!("{x:.0e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 to 40 spans the powers 1, 10, 100; 10 is its middle.
    #[test]
    fn an_axis_spans_whole_powers_of_ten() {
        let axis = Axis::over(Scale::Powers, [3.0, 40.0, -1.0].into_iter(), [0.0, 200.0]);
        assert_eq!(axis.ticks().iter().map(|tick| tick.0).collect::<Vec<_>>(), [1.0, 10.0, 100.0]);
        assert!((axis.at(10.0).unwrap() - 100.0).abs() < 1e-9);
        assert_eq!(axis.at(-1.0), None);
    }

    /// −1 to 3 and zero: a quarter of the way up is zero.
    #[test]
    fn an_even_axis_includes_zero() {
        let axis = Axis::over(Scale::Linear, [3.0, -1.0, f64::NAN].into_iter(), [100.0, 0.0]);
        assert_eq!(axis.at(0.0), Some(75.0));
        assert_eq!(Axis::over(Scale::Linear, [2.0, 4.0].into_iter(), [0.0, 4.0]).at(0.0), Some(0.0));
        assert_eq!(Axis::over(Scale::Tight, [2.0, 4.0].into_iter(), [0.0, 4.0]).at(3.0), Some(2.0));
    }

    /// 0 to 0.419: a quarter is 0.105, the next round step 0.2, the axis ends at 0.6.
    #[test]
    fn ticks_are_round() {
        let axis = Axis::over(Scale::Linear, [0.02, 0.419].into_iter(), [0.0, 60.0]);
        let ticks: Vec<String> = axis.ticks().iter().map(|tick| short(tick.0)).collect();
        assert_eq!(ticks, ["0", "0.2", "0.4", "0.6"]);
        assert!((axis.at(0.3).unwrap() - 30.0).abs() < 1e-9);
        let tight = Axis::over(Scale::Tight, [0.3, 4.2].into_iter(), [0.0, 1.0]);
        assert_eq!(tight.ticks().iter().map(|tick| tick.0).collect::<Vec<_>>(), [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn numbers_are_short() {
        let all = [0.0, 1.0, -2.5, 1000.0, 2.5e6, 0.25, 0.0125, 3e-5, 123.4];
        assert_eq!(all.map(short), ["0", "1", "-2.5", "1k", "2.5M", "0.25", "0.013", "3e-5", "123"]);
    }
}
